//! What a warp's store instruction becomes.

use ports::common::finepack_types::{Req, op};

/// Coalesces the lanes of one static store instruction: one request for each line that they touch,
/// in the order of the first lane that touches it (FinePack section III). `lanes` gives address and
/// bytes of each active lane; an element does not cross a line. A later lane wins.
pub fn store<const N: usize>(
    line: u32,
    dest: usize,
    lanes: impl Iterator<Item = (u64, [u8; N])>,
    into: &mut Vec<Req>,
) {
    let first = into.len();
    for (addr, bytes) in lanes {
        let (base, at) = (addr & !u64::from(line - 1), addr as usize % line as usize);
        let known = into[first..].iter().position(|r| r.addr == base);
        let slot = known.map_or_else(
            || {
                let req = Req { op: op::STORE, dest: dest as u8, addr: base, ..Req::default() };
                into.push(req);
                into.len() - 1
            },
            |k| first + k,
        );
        into[slot].mask |= ((1 << N) - 1) << at;
        into[slot].data.0[at..at + N].copy_from_slice(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_one_line_become_one_request() {
        let mut reqs = Vec::new();
        let lanes = [(0x80, [1; 4]), (0x108, [2; 4]), (0x8C, [3; 4])];
        store(128, 2, lanes.into_iter(), &mut reqs);
        let seen: Vec<_> = reqs.iter().map(|r| (r.dest, r.addr, r.mask)).collect();
        assert_eq!(seen, [(2, 0x80, 0xF00F), (2, 0x100, 0xF00)]);
        assert_eq!(reqs[0].data.0[12..16], [3; 4]);
    }

    #[test]
    fn full_warp_of_8_byte_lanes_fills_two_lines() {
        let mut reqs = Vec::new();
        store(128, 1, (0..32).map(|k| (8 * k, [9; 8])), &mut reqs);
        assert_eq!(reqs.iter().map(|r| r.mask).collect::<Vec<_>>(), [u128::MAX; 2]);
    }
}
