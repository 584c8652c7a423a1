//! Parameters, and cycles that an owner may skip. `tests/blocks/timestamp` tests the block on both
//! implementations.

mod parameters;
mod quiet;

use super::*;
use crate::timestamp::small::small;
