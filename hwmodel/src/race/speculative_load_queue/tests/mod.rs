//! Illegal parameters, disabled rules, and idle-skipping. What the block does is tested on model
//! and RTL (`tests/blocks/race`).

mod parameters;
mod quiet;
mod rules;

use ports::race::types::{Alloc, Done};

use super::*;
use crate::race::small::small;

fn config() -> Config {
    (&small()).into()
}

fn done(kind: u8) -> Done {
    Done { kind, sync: kind != rsp_kind::NORACE, ..Done::default() }
}
