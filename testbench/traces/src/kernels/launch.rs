//! What a launch says of itself before it runs: its shape, and how it uses its arguments.

use std::ops::Range;

use crate::trace::{Arg, ArgKind, KernelSpec, Mode, ScheduleRange};

use super::buffer::{Buffer, Element};

/// Most spans of a label. A multiple of 1 to 8, 10, 12, 14 and 16: when groups share spans, those
/// of equal parts for so many chiplets still do not.
const SPANS: usize = 1680;

/// A kernel about to run. The labels say for each argument how the kernel uses it and, where that
/// is plain, which part each work-group uses (CPElide section III-B, listings 1 and 2).
pub struct Launch {
    /// Work-items that the kernel asks for, in x, y, z.
    pub(super) size: [usize; 3],
    /// Work-groups in x, y, z.
    pub(super) count: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub(super) local: [u32; 3],
    name: String,
    args: Vec<Arg>,
    group_memory: u32,
}

impl Launch {
    /// At least `size` work-items in x, y, z, rounded up to whole groups: a kernel leaves the
    /// surplus idle.
    pub fn new(name: &str, size: [usize; 3], local: [usize; 3]) -> Self {
        let count = [0, 1, 2].map(|d| size[d].div_ceil(local[d]) as u32);
        let local = local.map(|n| n as u32);
        Self { size, count, local, name: name.to_string(), args: Vec::new(), group_memory: 0 }
    }

    /// One dimension.
    pub fn line(name: &str, size: usize, local: usize) -> Self {
        Self::new(name, [size, 1, 1], [local, 1, 1])
    }

    /// Two dimensions.
    pub fn plane(name: &str, [x, y]: [usize; 2], [local_x, local_y]: [usize; 2]) -> Self {
        Self::new(name, [x, y, 1], [local_x, local_y, 1])
    }

    /// Each work-group has so many bytes of work-group memory.
    pub fn group_memory(mut self, bytes: usize) -> Self {
        self.group_memory = bytes as u32;
        self
    }

    /// A scalar argument.
    pub fn plain(mut self, name: &str) -> Self {
        self.args.push(Arg { name: name.to_string(), kind: ArgKind::Plain });
        self
    }

    /// A buffer that any group may read, and none writes.
    pub fn read<T: Element>(self, name: &str, buffer: &Buffer<T>) -> Self {
        self.buffer(name, buffer, Mode::Read, Vec::new())
    }

    /// A buffer that any group may read and write.
    pub fn write<T: Element>(self, name: &str, buffer: &Buffer<T>) -> Self {
        self.buffer(name, buffer, Mode::ReadWrite, Vec::new())
    }

    /// A buffer of which group g reads the elements `part(g)` only, cut off at its end.
    pub fn read_part<T: Element>(
        self,
        name: &str,
        buffer: &Buffer<T>,
        part: impl Fn(usize) -> Range<usize>,
    ) -> Self {
        let ranges = self.ranges(buffer, part);
        self.buffer(name, buffer, Mode::Read, ranges)
    }

    /// A buffer of which group g reads and writes the elements `part(g)` only, cut off at its end.
    pub fn write_part<T: Element>(
        self,
        name: &str,
        buffer: &Buffer<T>,
        part: impl Fn(usize) -> Range<usize>,
    ) -> Self {
        let ranges = self.ranges(buffer, part);
        self.buffer(name, buffer, Mode::ReadWrite, ranges)
    }

    /// What the trace records of it in a stream.
    pub(super) fn spec(&self, stream: u8) -> KernelSpec {
        let (name, args, local) = (self.name.clone(), self.args.clone(), self.local);
        let grid = [0, 1, 2].map(|d| self.count[d] * local[d]);
        let group_memory = self.group_memory;
        KernelSpec { name, grid, local, group_memory, stream, args }
    }

    /// Work-groups.
    pub(super) fn groups(&self) -> u32 {
        self.count.iter().product()
    }

    fn buffer<T: Element>(
        mut self,
        name: &str,
        buffer: &Buffer<T>,
        mode: Mode,
        ranges: Vec<ScheduleRange>,
    ) -> Self {
        let (addr, bytes) = (buffer.addr(0), (buffer.len() * T::BYTES) as u64);
        let kind = ArgKind::Buffer { addr, bytes, mode, ranges };
        self.args.push(Arg { name: name.to_string(), kind });
        self
    }

    /// One range for each span of groups: one group, or as many as keep to [`SPANS`]. A span whose
    /// groups use nothing has none.
    fn ranges<T: Element>(
        &self,
        buffer: &Buffer<T>,
        part: impl Fn(usize) -> Range<usize>,
    ) -> Vec<ScheduleRange> {
        let groups = self.groups() as usize;
        let spans = groups.min(SPANS);
        let hull = |groups: Range<usize>| {
            groups
                .map(&part)
                .map(|r| r.start..r.end.min(buffer.len()))
                .filter(|r| r.start < r.end)
                .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
        };
        (0..spans)
            .filter_map(|k| {
                let (first, end) = (k * groups / spans, (k + 1) * groups / spans);
                let used = hull(first..end)?;
                Some(ScheduleRange {
                    first_group: first as u32,
                    last_group: end as u32 - 1,
                    addr: buffer.addr(used.start),
                    bytes: (used.len() * T::BYTES) as u64,
                })
            })
            .collect()
    }
}

/// The plain partition: group g uses the g-th `n` elements.
pub fn chunk(n: usize) -> impl Fn(usize) -> Range<usize> {
    move |group| group * n..(group + 1) * n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(launch: Launch) -> Vec<(u32, u32, u64, u64)> {
        let ArgKind::Buffer { ranges, .. } = &launch.args[0].kind else { panic!() };
        ranges.iter().map(|r| (r.first_group, r.last_group, r.addr, r.bytes)).collect()
    }

    #[test]
    fn last_group_uses_what_is_left() {
        let buffer = Buffer::<f32>::new(0x1000, 10);
        let launch = Launch::line("k", 10, 4).read_part("b", &buffer, chunk(4));
        assert_eq!(ranges(launch), [(0, 0, 0x1000, 16), (1, 1, 0x1010, 16), (2, 2, 0x1020, 8)]);
    }

    #[test]
    fn many_groups_share_spans_that_end_where_chiplets_do() {
        let groups = 10_007;
        let buffer = Buffer::<u8>::new(0, groups);
        let spans = ranges(Launch::line("k", groups, 1).write_part("b", &buffer, chunk(1)));
        assert_eq!(spans.len(), SPANS);
        for chiplets in [2, 3, 4, 5, 6, 7, 8, 16] {
            for c in 1..chiplets {
                let start = (c * groups / chiplets) as u32;
                assert!(spans.iter().any(|s| s.0 == start && s.2 == u64::from(start)));
            }
        }
    }
}
