//! Illegal parameters, disabled rules, and idle-skipping. What the block does is tested on model
//! and RTL (`tests/blocks/race`).

mod parameters;
mod quiet;
mod rules;

use super::*;
use crate::race::small::small;

fn config() -> Config {
    (&small()).into()
}

fn request(kind: u8, id: u8, line: u32) -> Req {
    Req { kind, id, mask: u128::MAX, addr: line << 7 }
}

fn read(id: u8, line: u32) -> Req {
    request(req_kind::RDCHK, id, line)
}
