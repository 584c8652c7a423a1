//! The command processor: cycles of instructions, traps, address map, packets, messages, clock
//! (rules of `rtl/cpelide/command_processor/README.md`).

mod assembler;
mod clock;
mod machine;
mod map;
mod messages;
mod packets;
mod program;
mod timing;
mod traps;

use duet_tests::on_both_bodies as on_bodies;
