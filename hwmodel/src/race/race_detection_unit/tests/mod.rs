//! Parameters that are refused, rules that are taken away, and cycles that an owner may leave out.
//! What the block does is tested on both bodies (`tests/blocks/race`).

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
