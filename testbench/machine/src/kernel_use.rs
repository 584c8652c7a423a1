//! What each kernel of a program costs: its launches together, by name.

use std::collections::BTreeMap;

use super::engine::Cycle;

/// All launches of the kernels of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelUse {
    /// Name.
    pub name: String,
    /// How often it was launched.
    pub launches: u32,
    /// Cycles from the host's submitting to the last GPU's completion signal; where another kernel
    /// has ended meanwhile, from there.
    pub cycles: Cycle,
    /// Every statistic that grew, by so much.
    pub counters: BTreeMap<String, u64>,
}

impl KernelUse {
    /// Of `cycles`, those before the launches were enabled and behind the kernels' ends: the mean
    /// of so many GPUs. Waiting for the last GPU is the kernel's.
    pub fn outside_kernels(&self, gpus: u16) -> Cycle {
        let count = |name: &str| self.counters.get(name).copied().unwrap_or(0);
        let outside = count("launch.launch_cycles") + count("launch.release_cycles");
        (outside / u64::from(gpus)).min(self.cycles)
    }
}

/// The kernels so far, in the order of their first launch.
#[derive(Debug, Default)]
pub struct KernelUses {
    uses: Vec<KernelUse>,
    at: BTreeMap<String, usize>,
    /// Statistics at the end of the last launch.
    before: Vec<(String, u64)>,
}

impl KernelUses {
    /// A launch has ended after so many cycles, with these statistics of the whole run.
    pub fn add(&mut self, name: &str, cycles: Cycle, now: Vec<(String, u64)>) {
        let at = *self.at.entry(name.to_string()).or_insert(self.uses.len());
        if at == self.uses.len() {
            self.uses.push(KernelUse { name: name.to_string(), ..KernelUse::default() });
        }
        let kernel = &mut self.uses[at];
        kernel.launches += 1;
        kernel.cycles += cycles;
        let mut before = self.before.iter().peekable();
        for (name, value) in &now {
            // Both are sorted by name, and a statistic that has a value keeps it.
            let old = before.next_if(|(n, _)| n == name).map_or(0, |(_, old)| *old);
            if *value > old {
                *kernel.counters.entry(name.clone()).or_default() += value - old;
            }
        }
        self.before = now;
    }

    /// All of them.
    pub fn all(&self) -> &[KernelUse] {
        &self.uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_a_name_add_up() {
        let mut uses = KernelUses::default();
        let now = |list: &[(&str, u64)]| list.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        uses.add("b", 10, now(&[("x", 3)]));
        uses.add("a", 5, now(&[("w", 1), ("x", 3)]));
        uses.add("b", 20, now(&[("w", 1), ("x", 7)]));
        let counters = |list: &[(&str, u64)]| now(list).into_iter().collect();
        let kernel = |name: &str, launches, cycles, list: &[(&str, u64)]| KernelUse {
            name: name.into(),
            launches,
            cycles,
            counters: counters(list),
        };
        assert_eq!(uses.all(), [kernel("b", 2, 30, &[("x", 7)]), kernel("a", 1, 5, &[("w", 1)])]);
    }
}
