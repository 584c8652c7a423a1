//! What work-groups take of a CU.

use crate::config::CuSection;

/// Waves, bytes of work-group memory, and work-groups: of a work-group, or what is free of a CU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub waves: u32,
    pub memory: u32,
    pub groups: u32,
}

impl Room {
    /// What a CU of a system has.
    pub fn of(cu: &CuSection) -> Self {
        let most = |limit: u32| if limit == 0 { u32::MAX } else { limit };
        Self { waves: cu.waves, memory: most(cu.group_memory), groups: most(cu.groups) }
    }

    /// What a work-group of so many work-items and bytes needs. Errors: more than a CU has.
    pub fn of_group(items: u32, memory: u32, cu: &CuSection) -> Result<Self, String> {
        let (waves, whole) = (items.div_ceil(cu.lanes), Self::of(cu));
        if waves > whole.waves {
            let needs = format!("a work-group of {items} work-items needs {waves} waves");
            return Err(format!("{needs}; a CU has {} (cu.waves)", cu.waves));
        }
        if memory > whole.memory {
            let needs = format!("a work-group needs {memory} bytes of work-group memory");
            return Err(format!("{needs}; a CU has {} (cu.group_memory)", cu.group_memory));
        }
        Ok(Self { waves, memory, groups: 1 })
    }

    /// Whether as much as `of` is there.
    pub fn has(&self, of: &Self) -> bool {
        self.waves >= of.waves && self.memory >= of.memory && self.groups >= of.groups
    }

    /// How many of `of`, which is of a work-group, are there.
    pub fn most(&self, of: &Self) -> u32 {
        let each = |all: u32, one: u32| all.checked_div(one).unwrap_or(u32::MAX);
        let by_size = each(self.waves, of.waves).min(each(self.memory, of.memory));
        by_size.min(each(self.groups, of.groups))
    }

    /// A work-group starts.
    pub fn take(&mut self, of: &Self) {
        self.waves -= of.waves;
        self.memory -= of.memory;
        self.groups -= of.groups;
    }

    /// It ends.
    pub fn give(&mut self, of: &Self) {
        self.waves += of.waves;
        self.memory += of.memory;
        self.groups += of.groups;
    }
}
