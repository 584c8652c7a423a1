//! The blocks of the tree, for tests and benchmarks that need a block's types.

/// Calls a macro with the family and the name of every block. `no_block_is_left_out` checks that
/// the list is complete.
#[macro_export]
macro_rules! for_each_block {
    ($call:ident) => {
        $call! {
            common::test_queue;
            cpelide::command_processor;
            cpelide::cp_crossbar;
            cpelide::local_command_processor;
            directory::coherence_directory;
            finepack::depacketizer;
            finepack::packetizer;
            finepack::remote_write_queue;
            race::access_validation_unit;
            race::race_detection_unit;
            race::speculative_load_queue;
            sharing::cta_scheduler;
            sharing::sharing_l1_policy;
            sharing::sharing_l2_policy;
            stc::epoch_agent;
            stc::epoch_manager;
            timestamp::gtsc_rst;
            timestamp::timestamp_l1;
            timestamp::timestamp_l2;
        }
    };
}
