//! What atomics do to bytes.

use traces::trace::AtomicOp;

/// Applies `op` to each element of `size` bytes (4 or 8) that `mask` enables, with the operands in
/// their places.
pub fn apply(op: AtomicOp, size: usize, mask: u128, data: &mut [u8], operands: &[u8]) {
    for at in (0..data.len()).step_by(size) {
        if mask >> at & 1 == 1 {
            let new =
                op.apply(word(&data[at..at + size]), word(&operands[at..at + size]), size as u8);
            data[at..at + size].copy_from_slice(&new.to_le_bytes()[..size]);
        }
    }
}

fn word(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_on_two_elements() {
        let both = |a: i32, b: i32| [a.to_le_bytes(), b.to_le_bytes()].concat();
        let operands = both(-3, 6);
        let expected = [
            (AtomicOp::Add, 2, 11),
            (AtomicOp::Min, -3, 5),
            (AtomicOp::Max, 5, 6),
            (AtomicOp::UMin, 5, 5),
            (AtomicOp::UMax, -3, 6),
            (AtomicOp::And, 5 & -3, 5 & 6),
            (AtomicOp::Or, 5 | -3, 5 | 6),
            (AtomicOp::Xor, 5 ^ -3, 5 ^ 6),
            (AtomicOp::Exchange, -3, 6),
        ];
        for (op, a, b) in expected {
            let mut data = both(5, 5);
            apply(op, 4, 0xff, &mut data, &operands);
            assert_eq!(data, both(a, b), "{op:?}");
        }
        let mut data = both(5, 5);
        apply(AtomicOp::Add, 4, 0xf0, &mut data, &operands);
        assert_eq!(data, both(5, 11), "an element that is not enabled stays");
        let mut wide = 5u64.to_le_bytes();
        apply(AtomicOp::Min, 8, 0xff, &mut wide, &(-9i64).to_le_bytes());
        assert_eq!(wide, (-9i64).to_le_bytes());
    }
}
