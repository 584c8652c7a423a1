//! What comes of a packet or of the end of a kernel.

/// The work-groups of a chiplet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Physical chiplet.
    pub chiplet: u8,
    /// First work-group.
    pub first: u32,
    /// Work-groups; may be 0.
    pub groups: u32,
}

/// What comes of a packet or of the end of a kernel: operations on L2s, then the launch or the
/// signal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Chiplets whose L2 is released, one bit each.
    pub release: u16,
    /// Chiplets whose L2 is acquired, after its release. While a kernel runs on one of them, all
    /// releases of the outcome are done first: it could fetch lines that another L2 has not written
    /// back yet.
    pub acquire: u16,
    /// The launched kernel's tag; `None` where none is launched.
    pub tag: Option<u8>,
    /// The launched kernel's chiplets, logical chiplet 0 first.
    pub shares: Vec<Share>,
    /// Error codes (section 12), in the order of the packet's bytes.
    pub errors: Vec<u8>,
    /// The packet is not carried out.
    pub rejected: bool,
    /// The launch is conservative (section 5.1 step 2). Only in mode CPELIDE.
    pub conservative: bool,
    /// The completion signal to write when the operations are done; 0 for none.
    pub signal: u64,
}

/// Static partition (section 5.1): equal contiguous pieces, the remainder to the last.
pub fn partition(groups: u32, chiplets: &[u8]) -> Vec<Share> {
    let piece = groups / chiplets.len() as u32;
    let last = chiplets.len() - 1;
    let share = |(i, &chiplet): (usize, &u8)| {
        let first = piece * i as u32;
        Share { chiplet, first, groups: if i == last { groups - first } else { piece } }
    };
    chiplets.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_piece_has_the_remainder() {
        let shares = |groups, chiplets: &[u8]| -> Vec<_> {
            partition(groups, chiplets).iter().map(|s| (s.chiplet, s.first, s.groups)).collect()
        };
        assert_eq!(shares(11, &[0, 1, 3]), [(0, 0, 3), (1, 3, 3), (3, 6, 5)]);
        assert_eq!(shares(2, &[0, 1, 2]), [(0, 0, 0), (1, 0, 0), (2, 0, 2)]);
        assert_eq!(shares(u32::MAX, &[5]), [(5, 0, u32::MAX)]);
    }
}
