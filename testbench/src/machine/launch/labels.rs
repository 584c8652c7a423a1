//! What a kernel's arguments say that it touches.

use cosim::command_processor::packet::{Access, Labels, Range};

use crate::trace::{ArgKind, KernelHead, Mode};

/// The labels of a kernel on chiplets that run these spans of work-groups (first and last): a structure for each buffer among
/// the arguments, with ranges where the kernel gives them.
pub fn labels(head: &KernelHead, spans: &[(u32, u32)]) -> Labels {
    let mut labels = Labels::new(spans.len() as u8);
    for arg in &head.args {
        let ArgKind::Buffer { addr, bytes, mode, ranges } = &arg.kind else { continue };
        let access = if *mode == Mode::ReadWrite { Access::ReadWrite } else { Access::Read };
        let mut own = Vec::new();
        for (chiplet, &(low, high)) in spans.iter().enumerate() {
            let used = ranges.iter().filter(|l| l.first_group <= high && l.last_group >= low);
            own.extend(used.filter(|l| l.bytes > 0).map(|label| Range {
                chiplet: chiplet as u8,
                start: label.addr,
                end: label.addr + label.bytes - 1,
            }));
        }
        if ranges.is_empty() || !own.is_empty() {
            labels.set_access_mode_range(*addr, *bytes, access, &own);
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Arg, ScheduleRange};

    #[test]
    fn ranges_go_to_the_chiplets_that_run_their_groups() {
        let range = |group: u32| ScheduleRange {
            first_group: group,
            last_group: group,
            addr: 0x1000 + u64::from(group) * 256,
            bytes: 256,
        };
        let ranges = vec![range(0), range(1), range(2)];
        let (addr, bytes, mode) = (0x1000, 768, Mode::ReadWrite);
        let kind = ArgKind::Buffer { addr, bytes, mode, ranges };
        let args = vec![Arg { name: "x".into(), kind }];
        let head = KernelHead { args, ..KernelHead::default() };
        let block = labels(&head, &[(0, 0), (1, 2)]).encode().unwrap();
        assert_eq!(block.len(), 16 + 32 + 3 * 16);
        assert_eq!(block[..4], *b"CPE1");
        assert_eq!((block[8], block[9], block[10]), (1, 2, 3));
        let start = |i: usize| u64::from_le_bytes(block[48 + 16 * i..][..8].try_into().unwrap());
        assert_eq!([start(0), start(1), start(2)], [0x1000, 1 << 56 | 0x1100, 1 << 56 | 0x1200]);
    }
}
