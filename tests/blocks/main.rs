//! Each block by itself, on its model and on its RTL: the worked examples of the specifications,
//! the rules of its README, and blocks that are joined. Directories also in systems of GPUs, and
//! the blocks of STC in systems of CUs; those of race detection under random requests.

mod bench;
mod checks;
mod coherence_directory;
mod command_path;
mod command_processor;
mod cp_crossbar;
mod depacketizer;
mod directories;
mod finepack;
mod four_state;
mod local_command_processor;
mod packetizer;
mod race_detection;
mod remote_write_queue;
mod sharing;
mod stc;
mod timestamps;
