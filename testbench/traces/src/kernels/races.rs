//! Finds the loads of a kernel that depend on the order in which work-items run.

use std::collections::HashMap;

/// Group, phase between barriers, work-item.
type Who = (u32, u32, u32);

/// Who has loaded and written what since the kernel began.
#[derive(Default)]
pub struct Races {
    phase: u32,
    writers: HashMap<u64, Vec<Who>>,
    loads: Vec<(u64, Who)>,
}

impl Races {
    pub fn load(&mut self, addr: u64, group: u32, item: u32) {
        self.loads.push((addr, (group, self.phase, item)));
    }

    pub fn write(&mut self, addr: u64, group: u32, item: u32) {
        self.writers.entry(addr).or_default().push((group, self.phase, item));
    }

    pub fn barrier(&mut self) {
        self.phase += 1;
    }

    /// True when another group writes there in this kernel.
    pub fn others_write(&self, addr: u64, group: u32) -> bool {
        self.writers.get(&addr).is_some_and(|writers| writers.iter().any(|w| w.0 != group))
    }

    /// Loads of what a work-item writes from which no barrier separates the reader.
    pub fn end_kernel(self) -> usize {
        let racy = |(addr, (group, phase, item)): &&(u64, Who)| {
            self.writers.get(addr).is_some_and(|writers| {
                writers.iter().any(|w| w.0 != *group || (w.1 == *phase && w.2 != *item))
            })
        };
        self.loads.iter().filter(racy).count()
    }
}
