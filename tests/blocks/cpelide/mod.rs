//! CPElide: the command processor, the crossbar, the local command processors, and the latter two
//! joined, by the rules and the worked examples of the specification.

mod command_processor;
mod cp_crossbar;
mod local_command_processor;
mod path;
