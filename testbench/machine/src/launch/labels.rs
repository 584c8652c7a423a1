//! What a kernel's arguments say that it touches.

use cosim::cpelide::packet::{Access, Labels, Range};
use traces::trace::{ArgKind, KernelHead, Mode, ScheduleRange};

use super::Partition;

/// The labels of a kernel on chiplets that run these spans of a partition (first and number): a
/// structure for each buffer among the arguments, with the range of each chiplet where the kernel
/// gives them: from the first to the last byte of what its work-groups use, which is all that the
/// table keeps. An extension block; empty where the kernel names no buffer, as it may then touch
/// any, or more than a block can name, and where the block would be too long.
pub fn labels(head: &KernelHead, partition: &Partition, spans: &[(u32, u32)]) -> Vec<u8> {
    let mut labels = Labels::new(spans.len() as u8);
    for arg in &head.args {
        let ArgKind::Buffer { addr, bytes, mode, ranges } = &arg.kind else { continue };
        let access = if *mode == Mode::ReadWrite { Access::ReadWrite } else { Access::Read };
        let mut own = Vec::new();
        for (chiplet, &span) in spans.iter().enumerate() {
            let runs = |l: &&ScheduleRange| partition.runs(span, l.first_group, l.last_group);
            let used = || ranges.iter().filter(runs).filter(|l| l.bytes > 0);
            let start = used().map(|label| label.addr).min();
            let end = used().map(|label| label.addr + label.bytes - 1).max();
            if let (Some(start), Some(end)) = (start, end) {
                own.push(Range { chiplet: chiplet as u8, start, end });
            }
        }
        if ranges.is_empty() || !own.is_empty() {
            labels.set_access_mode_range(*addr, *bytes, access, &own);
        }
    }
    let names_any = head.args.iter().any(|arg| matches!(arg.kind, ArgKind::Buffer { .. }));
    labels.encode().filter(|_| names_any).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use traces::trace::Arg;

    use super::*;

    /// Spans of work-groups of the program.
    const ALL: Partition = Partition { groups: 0, gpus: 1, chiplets: 1, mask: 1, rotate: 0 };

    /// A kernel with buffers of which each of some work-groups uses 256 bytes, one after another.
    fn kernel(buffers: usize, groups: u32, mode: Mode) -> KernelHead {
        let bytes = 256;
        let addr = |group: u32| 0x1000 + u64::from(group) * bytes;
        let range = |group| ScheduleRange {
            first_group: group,
            last_group: group,
            addr: addr(group),
            bytes,
        };
        let ranges = (0..groups).map(range).collect();
        let bytes = u64::from(groups) * bytes;
        let kind = ArgKind::Buffer { addr: addr(0), bytes, mode, ranges };
        let args = vec![Arg { name: "x".into(), kind }; buffers];
        KernelHead { args, ..KernelHead::default() }
    }

    /// A word of the ranges, which follow the header and one structure.
    fn word(block: &[u8], number: usize) -> u64 {
        u64::from_le_bytes(block[48 + 8 * number..][..8].try_into().unwrap())
    }

    #[test]
    fn chiplets_have_the_ranges_of_the_groups_that_they_run() {
        let block = labels(&kernel(1, 3, Mode::ReadWrite), &ALL, &[(0, 1), (1, 2)]);
        assert!(labels(&KernelHead::default(), &ALL, &[(0, 1)]).is_empty());
        assert_eq!(block.len(), 16 + 32 + 2 * 16);
        assert_eq!(block[..4], *b"CPE1");
        assert_eq!((block[8], block[9], block[10]), (1, 2, 2));
        let words = [0, 1, 2, 3].map(|number| word(&block, number));
        assert_eq!(words, [0x1000, 0x10ff, 1 << 56 | 0x1100, 0x12ff]);
    }

    /// With rotation a chiplet's range goes from its first work-group's to its last one's.
    #[test]
    fn ranges_of_work_groups_that_rotate() {
        let partition = Partition { groups: 4, gpus: 1, chiplets: 2, mask: 3, rotate: 1 };
        let block = labels(&kernel(1, 4, Mode::Read), &partition, &partition.spans());
        let words = [0, 1, 2, 3].map(|number| word(&block, number));
        assert_eq!(words, [0x1000, 0x12ff, 1 << 56 | 0x1100, 0x13ff]);
    }

    /// The firmware refuses a block of more than 32 structures; without one nothing is wrong.
    #[test]
    fn kernel_with_too_many_buffers_has_no_labels() {
        let head = |buffers| kernel(buffers, 0, Mode::Read);
        assert_eq!(labels(&head(32), &ALL, &[(0, 1)]).len(), 16 + 32 * 32);
        assert!(labels(&head(33), &ALL, &[(0, 1)]).is_empty());
    }

    /// A range for each work-group made the block of a large grid too long, and each launch
    /// conservative.
    #[test]
    fn labels_of_many_groups_fit_the_block() {
        let spans: Vec<_> = (0..16).map(|chiplet| (chiplet * 105, 105)).collect();
        let block = labels(&kernel(8, 1680, Mode::Read), &ALL, &spans);
        assert_eq!(block.len(), 16 + 8 * 32 + 8 * 16 * 16);
    }
}
