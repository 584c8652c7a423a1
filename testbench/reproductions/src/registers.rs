//! Storage, read off the registers that models show.

use hwmodel::{Model, State};

/// Bits of a block's registers whose names are such.
pub fn bits(block: &impl Model, is_one: impl Fn(&str) -> bool) -> f64 {
    let mut bits = 0;
    block.show_state(&mut State::new(&mut |register| {
        bits += if is_one(register.name) { register.width } else { 0 };
    }));
    f64::from(bits)
}
