//! When work-groups ran, and where.

use ports::cpelide::types::SLOTS;

use crate::engine::Cycle;

/// Most work-groups that are kept. Where a run has more, every other CU of those that are kept is
/// left out, as often as needed; of the last CU the first work-groups are kept.
const MOST_GROUPS: usize = 16_384;

/// A work-group on a CU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSpan {
    /// The CU, counted through all chiplets.
    pub cu: u16,
    /// The CU's slot for work-groups: one at a time uses it.
    pub slot: u16,
    /// Number of the kernel's name, for [`Groups::name`].
    name: u16,
    /// Number of the work-group in its grid.
    pub number: u32,
    /// First cycle.
    pub from: Cycle,
    /// Cycle of its end; none while it runs.
    pub to: Option<Cycle>,
}

/// Work-groups of a run.
#[derive(Clone, Debug)]
pub struct Groups {
    kept: Vec<GroupSpan>,
    names: Vec<String>,
    /// Name of the kernel of each launch that runs.
    of_launch: [u16; SLOTS],
    /// CUs whose numbers are multiples of it are kept.
    stride: u32,
    started: u64,
}

impl Default for Groups {
    fn default() -> Self {
        let of_launch = [0; SLOTS];
        Self { kept: Vec::new(), names: Vec::new(), of_launch, stride: 1, started: 0 }
    }
}

impl Groups {
    /// A kernel of this name runs under the number of a launch.
    pub(crate) fn begin_kernel(&mut self, launch: usize, name: &str) {
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        });
        self.of_launch[launch] = u16::try_from(number).unwrap_or(u16::MAX);
    }

    fn keeps(&self, cu: u16) -> bool {
        u32::from(cu).is_multiple_of(self.stride)
    }

    /// Work-group `number` of a launch starts in a slot of a CU.
    #[cold]
    pub(crate) fn begin(&mut self, now: Cycle, (cu, slot): (u16, u16), launch: u8, number: u32) {
        self.started += 1;
        while self.keeps(cu) && self.kept.len() == MOST_GROUPS && self.stride <= u16::MAX.into() {
            self.stride *= 2;
            let stride = self.stride;
            self.kept.retain(|group| u32::from(group.cu).is_multiple_of(stride));
        }
        if self.keeps(cu) && self.kept.len() < MOST_GROUPS {
            let name = self.of_launch[usize::from(launch)];
            self.kept.push(GroupSpan { cu, slot, name, number, from: now, to: None });
        }
    }

    /// The work-group in a slot of a CU ends.
    #[cold]
    pub(crate) fn end(&mut self, now: Cycle, (cu, slot): (u16, u16)) {
        if !self.keeps(cu) {
            return;
        }
        let is_it = |group: &&mut GroupSpan| (group.cu, group.slot) == (cu, slot);
        let last = self.kept.iter_mut().rev().find(is_it);
        if let Some(group) = last.filter(|group| group.to.is_none()) {
            group.to = Some(now);
        }
    }

    /// Those that are kept, in the order of their starts, and of CUs.
    pub fn kept(&self) -> Vec<GroupSpan> {
        let mut kept = self.kept.clone();
        kept.sort_by_key(|group| (group.from, group.cu, group.slot));
        kept
    }

    /// How many have started.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// The name of the kernel of one that is kept.
    pub fn name(&self, group: &GroupSpan) -> &str {
        self.names.get(usize::from(group.name)).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 work-groups of each of 1024 CUs do not fit; those of every other CU do.
    #[test]
    fn whole_cus_are_left_out() {
        let mut groups = Groups::default();
        groups.begin_kernel(0, "k");
        for now in 0..20 {
            for cu in 0..1024 {
                groups.begin(now, (cu, 0), 0, u32::from(cu));
                groups.end(now + 1, (cu, 0));
            }
        }
        let kept = groups.kept();
        assert_eq!((groups.started(), kept.len()), (20_480, 10_240));
        assert!(kept.iter().all(|group| group.cu % 2 == 0 && group.to == Some(group.from + 1)));
        assert_eq!(groups.name(&kept[0]), "k");
    }

    #[test]
    fn of_one_cu_the_first_work_groups_are_kept() {
        let mut groups = Groups::default();
        for now in 0..20_000 {
            groups.begin(now, (0, 0), 0, now as u32);
        }
        let kept = groups.kept();
        assert_eq!((kept.len(), kept[16_383].number), (MOST_GROUPS, 16_383));
    }
}
