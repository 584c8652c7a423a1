//! The blocks that have a model and RTL.

/// Calls a macro with all blocks that have a model and RTL: the name of each and one line about it.
/// An entry here is enough to have a block in `ports`, `hwmodel`, stimuli, commands, tests and
/// benchmarks.
#[macro_export]
macro_rules! for_each_block {
    ($call:ident) => {
        $call! {
            remote_write_queue:
                "FinePack: coalesces stores to other GPUs, one partition per destination";
            packetizer: "FinePack: packs drained entries into one TLP with sub-headers";
            depacketizer: "FinePack: checks TLPs and unpacks them into stores";
            coherence_directory:
                "tracks sharers of home lines and invalidates them: baseline, HMG, REC, ideal";
            command_processor:
                "an Ibex core with memories and mailbox, which runs the launch firmware";
            cp_crossbar: "carries messages between the command processors of a GPU";
            local_command_processor:
                "executes a chiplet's releases and acquires, dispatches its work-groups";
            epoch_manager: "STC: grants address bands to all CUs of a GPU, epoch by epoch";
            epoch_agent: "STC: holds a CU's stores until their band is granted";
            race_detection_unit:
                "race detection: orders a GPU's writes and read misses, detects races";
            access_validation_unit:
                "race detection: decides whether a CU may use a line that its L1 holds";
            speculative_load_queue:
                "race detection: holds speculative load hits until their check completes";
            gtsc_l1: "G-TSC: an L1 with leases in logical time";
            gtsc_l2: "G-TSC: an L2 bank with leases in logical time";
            gtsc_rst: "G-TSC: resets all timestamps of a GPU after an overflow";
            tc_l1: "TC: an L1 with leases in cycles";
            tc_l2: "TC: an L2 bank with leases in cycles";
            cta_scheduler: "sharing-aware: assigns groups of consecutive work-groups to CUs";
            sharing_l1_policy: "sharing-aware: replacement and bypass by sharing, for an L1";
            sharing_l2_policy: "sharing-aware: replacement and bypass by sharing, for an L2 bank";
            test_queue: "a FIFO with a latency, for tests of the machine's extension points";
        }
    };
}

/// Declares the modules of all blocks.
#[macro_export]
macro_rules! modules_of_blocks {
    ($($block:ident: $about:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($block), "`: ", $about, ".")]
            pub mod $block;
        )*
    };
}
