//! The blocks that have two bodies.

/// Calls a macro with all blocks that have two bodies: of each its name, and what it is in one
/// line. A block that is not in this list is nowhere, and one that is stands wherever all blocks
/// do: its modules in `ports`, `hwmodel` and the stimuli, and in commands, tests and benchmarks.
#[macro_export]
macro_rules! for_each_block {
    ($call:ident) => {
        $call! {
            remote_write_queue: "coalesces stores to other GPUs, one partition per destination";
            packetizer: "turns drained entries into one FinePack TLP";
            depacketizer: "takes TLPs apart into stores, and checks them";
            coherence_directory:
                "records sharers of a home's lines, invalidates them: baseline, HMG, REC, ideal";
            command_processor: "runs the firmware that launches kernels: core, memories, mailbox";
            cp_crossbar: "carries messages between the command processors of a GPU";
            local_command_processor:
                "executes a chiplet's releases and acquires, and hands out its work groups";
            epoch_manager: "STC: says whose turn to write it is, for all CUs of a GPU";
            epoch_agent: "STC: keeps a CU's stores until the epoch of their band";
            race_detection_unit:
                "race detection: orders a GPU's writes and read misses, finds races in signatures";
            access_validation_unit:
                "race detection: says whether an SM may use a line that its L1 holds";
            speculative_load_queue:
                "race detection: loads that hit while an answer was outstanding, until it comes";
            gtsc_l1: "G-TSC: an SM's L1, whose lines have leases in logical time";
            gtsc_l2: "G-TSC: an L2 bank that lends lines in logical time";
            gtsc_rst: "G-TSC: lets all timestamps of a GPU begin anew";
            tc_l1: "temporal coherence: an SM's L1, whose lines have leases in cycles";
            tc_l2: "temporal coherence: an L2 bank that lends lines until a cycle";
            cta_scheduler: "sharing-aware scheduling: which work-group goes to which SM";
            sharing_l1_policy: "sharing-aware caches: which line of an L1 goes for one that comes";
            sharing_l2_policy: "sharing-aware caches: whose an L2 bank's lines are, and which goes";
            test_queue: "for tests of the machine's seams: a FIFO with a latency";
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
