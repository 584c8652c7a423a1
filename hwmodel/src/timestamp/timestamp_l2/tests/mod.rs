//! Parameters that are refused, rules that are taken away, and cycles that an owner may leave out.
//! What the block does is tested on both bodies (`tests/blocks/timestamp`).

mod gtsc;
mod parameters;
mod tc;

use super::*;
use crate::timestamp::small::small;
