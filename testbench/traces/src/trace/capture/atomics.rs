//! Captured atomics are replayed as what they did to memory.

use crate::trace::AtomicOp;

// Oclgrind's `AtomicOp`.
const ADD: u16 = 0;
const AND: u16 = 1;
const DEC: u16 = 3;
const INC: u16 = 4;
const MAX: u16 = 5;
const MIN: u16 = 6;
const OR: u16 = 7;
const SUB: u16 = 8;
const XOR: u16 = 10;
/// The last one.
const LAST: u16 = XOR;

/// Operation and operand that lead from `old` to `new`; none for an unknown code. A capture does
/// not say whether minima and maxima are signed: the old and the new value tell, or else the
/// buffer's type.
pub fn replayed(
    code: u16,
    old: u64,
    new: u64,
    size: u8,
    unsigned: bool,
) -> Option<(AtomicOp, u64)> {
    let holds = |op: AtomicOp| op.apply(old, new, size) == AtomicOp::truncate(new, size);
    let ordered = |signed: AtomicOp, without_sign: AtomicOp| {
        let (first, second) =
            if unsigned { (without_sign, signed) } else { (signed, without_sign) };
        (if holds(first) { first } else { second }, new)
    };
    Some(match code {
        ADD | SUB | INC | DEC => (AtomicOp::Add, AtomicOp::truncate(new.wrapping_sub(old), size)),
        XOR => (AtomicOp::Xor, old ^ new),
        AND => (AtomicOp::And, new),
        OR => (AtomicOp::Or, new),
        MIN => ordered(AtomicOp::Min, AtomicOp::UMin),
        MAX => ordered(AtomicOp::Max, AtomicOp::UMax),
        // Exchange, and compare-and-swap that stored.
        0..=LAST => (AtomicOp::Exchange, new),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_leads_from_old_to_new() {
        let minus_one = u64::from(u32::MAX);
        for code in 0..=LAST {
            let (old, new) = match code {
                AND => (7, 5),
                OR => (5, 7),
                MIN => (9, 3),
                MAX => (3, 9),
                _ => (7, 6),
            };
            let (op, operand) = replayed(code, old, new, 4, false).unwrap();
            assert_eq!(op.apply(old, operand, 4), new, "{code}");
        }
        assert_eq!(replayed(SUB, 7, 6, 4, false), Some((AtomicOp::Add, minus_one)));
        assert_eq!(replayed(2, 7, 6, 4, false), Some((AtomicOp::Exchange, 6)));
        assert_eq!(replayed(11, 7, 6, 4, false), None);
    }

    #[test]
    fn the_values_show_whether_an_order_is_signed() {
        let minus_one = u64::from(u32::MAX);
        assert_eq!(replayed(MAX, minus_one, 3, 4, true), Some((AtomicOp::Max, 3)));
        assert_eq!(replayed(MAX, 3, minus_one, 4, false), Some((AtomicOp::UMax, minus_one)));
        assert_eq!(replayed(MAX, 3, 5, 4, true), Some((AtomicOp::UMax, 5)));
        assert_eq!(replayed(MIN, 5, 3, 4, false), Some((AtomicOp::Min, 3)));
    }
}
