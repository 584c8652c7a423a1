//! Accesses of shared memory: passes in which the banks serve a warp.

use super::line::WARP;

/// Banks of 4 bytes.
const BANKS: usize = 32;

/// Passes of an access of these lanes, of `bytes` each. Lanes of 8 bytes are served in halves of
/// the warp, those of 16 bytes in quarters; a part takes a pass for each different word in the bank
/// that has most.
pub fn passes(lanes: &[(usize, u64)], bytes: u8) -> u32 {
    let parts = usize::from(bytes.div_ceil(4)).clamp(1, 4);
    let of = |part: usize| {
        let lanes = lanes.iter().filter(|&&(lane, _)| lane * parts / WARP == part);
        let end = |addr: u64| addr.saturating_add(u64::from(bytes)).div_ceil(4);
        let mut words: Vec<u64> = lanes.flat_map(|&(_, addr)| addr / 4..end(addr)).collect();
        words.sort_unstable();
        words.dedup();
        let mut banks = [0; BANKS];
        words.iter().for_each(|word| banks[(word % BANKS as u64) as usize] += 1);
        banks.into_iter().max().unwrap_or(0)
    };
    (0..parts).map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(lanes: usize, bytes: u8, stride: u64) -> u32 {
        passes(&(0..lanes).map(|lane| (lane, lane as u64 * stride)).collect::<Vec<_>>(), bytes)
    }

    #[test]
    fn lanes_of_one_bank_take_a_pass_for_each_word() {
        assert_eq!(strided(32, 4, 4), 1);
        assert_eq!(strided(32, 4, 8), 2);
        assert_eq!(strided(32, 4, 128), 32);
        assert_eq!(strided(5, 4, 128), 5);
        assert_eq!(strided(32, 4, 0), 1);
        assert_eq!(strided(32, 1, 1), 1);
        assert_eq!(strided(0, 4, 4), 0);
    }

    #[test]
    fn wide_lanes_are_served_in_parts_of_the_warp() {
        assert_eq!(strided(32, 8, 8), 2);
        assert_eq!(strided(32, 16, 16), 4);
        assert_eq!(strided(16, 8, 8), 1);
        assert_eq!(strided(32, 8, 128), 32);
        assert_eq!(strided(8, 16, 16), 1);
    }
}
