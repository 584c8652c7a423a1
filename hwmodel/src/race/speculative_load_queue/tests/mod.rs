//! Parameters that are refused, rules that are taken away, and cycles that an owner may leave out.
//! What the block does is tested on both bodies (`tests/blocks/race`).

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
