//! Which chiplet gets which of a kernel's work-groups.
//!
//! Packets, the firmware and the chiplets' command processors number work-groups in the order of
//! dispatch: the static, kernel-wide partition of CPElide's specification (5.1) gives each chiplet
//! contiguous numbers. With `placement.rotate` the chiplets of a GPU get pieces of consecutive
//! work-groups in turn: a CU converts a number when the work-group starts.

/// Shares of a kernel's work-groups: each GPU, and within it each chiplet of the kernel's stream,
/// gets an equal piece, and the last one the remainder.
#[derive(Clone, Copy, Debug)]
pub struct Partition {
    /// Work-groups of the kernel.
    pub groups: u32,
    /// GPUs of the machine, at least one.
    pub gpus: u32,
    /// Chiplets of a GPU, and those of them on which the kernel runs, a bit for each, at least one.
    pub chiplets: u16,
    pub mask: u16,
    /// Consecutive work-groups that a chiplet gets before the next one's turn; 0: all of its share.
    pub rotate: u32,
}

impl Default for Partition {
    fn default() -> Self {
        Self { groups: 0, gpus: 1, chiplets: 1, mask: 1, rotate: 0 }
    }
}

fn split((first, groups): (u32, u32), among: u32) -> impl Iterator<Item = (u32, u32)> {
    let piece = groups / among;
    (0..among).map(move |i| {
        let own = if i + 1 == among { groups - i * piece } else { piece };
        (first + i * piece, own)
    })
}

impl Partition {
    /// First number and how many, of each chiplet of each GPU.
    pub fn spans(&self) -> Vec<(u32, u32)> {
        let gpus = split((0, self.groups), self.gpus);
        let pieces = |share: (u32, u32)| {
            let mut pieces = split(share, self.mask.count_ones());
            let mut end = share.0;
            let of_chiplet = (0..self.chiplets).map(|i| match self.mask >> i & 1 {
                0 => (end, 0),
                _ => {
                    let piece = pieces.next().expect("one for each");
                    end = piece.0 + piece.1;
                    piece
                }
            });
            of_chiplet.collect::<Vec<_>>()
        };
        gpus.flat_map(pieces).collect()
    }

    /// The work-group of a number.
    pub fn group(&self, number: u32) -> u32 {
        let Some(share) = self.rotating(number) else { return number };
        let (own, piece) = (number - share.first, self.rotate);
        let chiplet = (own / share.of_chiplet).min(share.chiplets - 1);
        let at = own - chiplet * share.of_chiplet;
        share.first
            + match at < share.rotating {
                true => (at / piece * share.chiplets + chiplet) * piece + at % piece,
                // What precedes it: what rotates, and the rest of other chiplets.
                false => own + (share.chiplets - 1 - chiplet) * share.rotating,
            }
    }

    /// The number of a work-group.
    pub fn number(&self, group: u32) -> u32 {
        let Some(share) = self.rotating(group) else { return group };
        let (own, piece) = (group - share.first, self.rotate);
        let rest = share.of_chiplet - share.rotating;
        share.first
            + match own.checked_sub(share.rotating * share.chiplets) {
                None => {
                    let (round, chiplet) =
                        (own / piece / share.chiplets, own / piece % share.chiplets);
                    chiplet * share.of_chiplet + round * piece + own % piece
                }
                Some(left) => {
                    let chiplet = left
                        .checked_div(rest)
                        .map_or(share.chiplets, |c| c + 1)
                        .min(share.chiplets);
                    own - (share.chiplets - chiplet) * share.rotating
                }
            }
    }

    /// Whether a chiplet with this span runs a work-group of a range.
    pub fn runs(&self, (start, count): (u32, u32), first: u32, last: u32) -> bool {
        let end = start + count;
        if self.rotate == 0 {
            return first < end && last >= start;
        }
        // A chiplet's work-groups ascend with their numbers.
        let (mut low, mut high) = (start, end);
        while low < high {
            let middle = low.midpoint(high);
            match self.group(middle) < first {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low < end && self.group(low) <= last
    }

    /// The share of the GPU with a number or a work-group, where pieces of it rotate.
    fn rotating(&self, number: u32) -> Option<Share> {
        let of_gpu = self.groups / self.gpus;
        // Of fewer work-groups than GPUs the last GPU has all.
        let gpu = number.checked_div(of_gpu).map_or(self.gpus - 1, |gpu| gpu.min(self.gpus - 1));
        let first = gpu * of_gpu;
        let groups = if gpu + 1 == self.gpus { self.groups - first } else { of_gpu };
        let chiplets = self.mask.count_ones();
        let of_chiplet = groups / chiplets;
        let rotating = of_chiplet.checked_div(self.rotate)? * self.rotate;
        (rotating > 0).then_some(Share { first, chiplets, of_chiplet, rotating })
    }
}

/// The work-groups of a GPU.
struct Share {
    first: u32,
    chiplets: u32,
    /// Work-groups of each chiplet but the last, and those of any chiplet in pieces that rotate.
    of_chiplet: u32,
    rotating: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(groups: u32, gpus: u32, mask: u16, rotate: u32) -> Partition {
        Partition { groups, gpus, chiplets: 4, mask, rotate }
    }

    /// The work-groups of each chiplet.
    fn groups(partition: &Partition) -> Vec<Vec<u32>> {
        let of = |&(first, n): &(u32, u32)| {
            (first..first + n).map(|number| partition.group(number)).collect()
        };
        partition.spans().iter().map(of).collect()
    }

    #[test]
    fn contiguous_pieces_and_the_remainder() {
        let chiplets = groups(&partition(10, 1, 0b1111, 0));
        assert_eq!(chiplets, [vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7, 8, 9]]);
    }

    #[test]
    fn pieces_rotate_over_the_chiplets() {
        let chiplets = groups(&partition(10, 1, 0b1111, 1));
        assert_eq!(chiplets, [vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7, 8, 9]]);
        // What is no whole piece of each chiplet remains contiguous.
        let chiplets = groups(&partition(11, 1, 0b0011, 2));
        assert_eq!(chiplets, [vec![0, 1, 4, 5, 8], vec![2, 3, 6, 7, 9, 10], vec![], vec![]]);
        assert_eq!(groups(&partition(4, 1, 0b0011, 6))[0], [0, 1]);
        // The second chiplet and the fourth one alone, on two GPUs.
        let chiplets = groups(&partition(9, 2, 0b1010, 1));
        let first = [vec![], vec![0, 2], vec![], vec![1, 3]];
        let second = [vec![], vec![4, 6], vec![], vec![5, 7, 8]];
        assert_eq!(chiplets, [first, second].concat());
        // Fewer work-groups than GPUs.
        let chiplets = groups(&partition(5, 8, 0b0011, 1));
        assert_eq!(chiplets[..28].concat(), []);
        assert_eq!(chiplets[28..], [vec![0, 2], vec![1, 3, 4], vec![], vec![]]);
    }

    #[test]
    fn ranges_run_on_the_chiplets_that_have_one_of_their_work_groups() {
        let partition = partition(11, 1, 0b0011, 2);
        let run = |first, last| {
            let spans = partition.spans();
            [0, 1, 2].map(|chiplet| partition.runs(spans[chiplet], first, last))
        };
        assert_eq!(run(0, 1), [true, false, false]);
        assert_eq!(run(1, 2), [true, true, false]);
        assert_eq!(run(9, u32::MAX), [false, true, false]);
        assert_eq!(run(11, u32::MAX), [false, false, false]);
        assert_eq!(run(3, 2), [false, false, false]);
    }

    #[test]
    fn each_work_group_has_a_number() {
        for (all, gpus) in [(1, 1), (3, 1), (1, 2), (5, 2), (64, 3), (1057, 2), (1000, 1)] {
            for (rotate, mask) in [(0, 15), (1, 11), (3, 11), (6, 3), (6, 15), (500, 2), (7, 7)] {
                let partition = partition(all, gpus, mask, rotate);
                let mut seen = groups(&partition).concat();
                seen.sort_unstable();
                assert_eq!(seen, (0..all).collect::<Vec<_>>(), "{partition:?}");
                for (first, n) in partition.spans().into_iter().filter(|span| span.1 > 0) {
                    let has = |group| (first..first + n).any(|at| partition.group(at) == group);
                    for group in 0..all.min(70) {
                        assert_eq!(partition.runs((first, n), group, group), has(group));
                        let both = group > 0 && has(group - 1) || has(group);
                        assert_eq!(
                            partition.runs((first, n), group.saturating_sub(1), group),
                            both
                        );
                    }
                }
                for number in 0..all {
                    assert_eq!(partition.number(partition.group(number)), number, "{partition:?}");
                }
            }
        }
    }
}
