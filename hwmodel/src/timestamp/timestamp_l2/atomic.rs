//! What atomics do to the bytes of a line (specification 3, 5.4).

use ports::timestamp::types::{BusReq, LineData, aop};

/// Changes the elements whose bytes are all in the mask. Returns what they were.
pub(super) fn change(data: &mut LineData, req: &BusReq) -> LineData {
    let size = if req.sz { 8 } else { 4 };
    let all = (1 << size) - 1;
    let mut were = LineData::default();
    for at in (0..data.0.len()).step_by(size) {
        if req.mask >> at & all != all {
            continue;
        }
        let (element, operand) = (&mut data.0[at..at + size], &req.data.0[at..at + size]);
        were.0[at..at + size].copy_from_slice(element);
        let (old, value) = (number(element), number(operand));
        let new = operate(req.aop, old, value, 64 - 8 * size as u32);
        element.copy_from_slice(&new.to_le_bytes()[..size]);
    }
    were
}

/// An element, little-endian.
fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// The new value. `spare`: bits that a register of 64 has above an element.
fn operate(op: u8, old: u64, value: u64, spare: u32) -> u64 {
    let less = ((old << spare) as i64) < ((value << spare) as i64);
    match op {
        aop::ADD => old.wrapping_add(value),
        aop::MIN => {
            if less {
                old
            } else {
                value
            }
        }
        aop::MAX => {
            if less {
                value
            } else {
                old
            }
        }
        aop::UMIN => old.min(value),
        aop::UMAX => old.max(value),
        aop::AND => old & value,
        aop::OR => old | value,
        aop::XOR => old ^ value,
        _ => value,
    }
}
