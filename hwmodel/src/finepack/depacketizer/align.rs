//! Puts the bytes of one access at their place in the line, and makes its mask.

use ports::finepack::types::{Ingress, LineData, MAX_LINE};

/// Short runs are placed with one shift instead of a copy of variable length.
const SHORT: usize = 16;

/// The low `n` (0 to 128) bits, by `n`: a table is cheaper than shifts of 128 bits.
static LOW_BITS: [u128; 129] = {
    let mut low = [0; 129];
    let mut n = 1;
    while n <= 128 {
        low[n] = u128::MAX >> (128 - n);
        n += 1;
    }
    low
};

/// The `n` bits from bit `at` on, inside 128.
#[inline(always)]
pub(super) fn ones(at: u32, n: u32) -> u128 {
    LOW_BITS[(at + n) as usize] ^ LOW_BITS[at as usize]
}

/// Applies the byte enables of the DW at byte `at`: what is not enabled is cleared.
pub(super) fn enable(to: &mut Ingress, at: u32, be: u8) {
    let off = u128::from(!be & 0xf) << at;
    to.mask &= !off;
    for k in (0..4).filter(|k| be >> k & 1 == 0) {
        to.data.0[(at + k) as usize] = 0;
    }
}

/// Clears the line and puts the first `len` (1 to 128) bytes of `from` at byte `at`. `from` has at
/// least [`SHORT`] bytes.
#[inline(always)]
pub(super) fn place(to: &mut LineData, line: u32, at: usize, from: &[u8], len: usize) {
    // The bytes above a line are 0 for ever, and a run ends within its line.
    let narrow = line as usize <= SHORT;
    if narrow {
        to.0[..SHORT].fill(0);
    } else {
        *to = LineData::default();
    }
    if len > SHORT {
        to.0[at..at + len].copy_from_slice(&from[..len]);
        return;
    }
    let value = u128::from_le_bytes(from[..SHORT].try_into().expect("16 bytes"));
    let value = value & ones(0, 8 * len as u32);
    if narrow {
        to.0[at..at + SHORT].copy_from_slice(&value.to_le_bytes());
    } else {
        // The last bytes of the longest line have no 16 bytes behind them.
        let whole = at.min(MAX_LINE - SHORT);
        let value = value << ((8 * (at - whole)) & 127);
        to.0[whole..whole + SHORT].copy_from_slice(&value.to_le_bytes());
    }
}
