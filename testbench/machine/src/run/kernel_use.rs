//! What each kernel of a program costs: its launches together, by name.

use std::collections::{BTreeMap, HashMap};

use crate::engine::Cycle;
use crate::launch::PHASES;
use crate::statistics::Names;

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
    /// Of `cycles`, those of each of [`PHASES`]: the mean of so many GPUs, whose remainder counts
    /// for the last phase.
    pub fn phases(&self, gpus: u16) -> [Cycle; PHASES.len()] {
        let mut rest = self.cycles;
        PHASES.map(|(name, _)| {
            let count = self.counters.get(&format!("launch.cycles.{name}")).copied().unwrap_or(0);
            let cycles = if name == "idle" { rest } else { (count / u64::from(gpus)).min(rest) };
            rest -= cycles;
            cycles
        })
    }
}

/// A kernel's launches, with the growth of each statistic by its number.
#[derive(Clone, Debug)]
struct Launches {
    name: String,
    number: u32,
    cycles: Cycle,
    growth: Vec<u64>,
}

/// The kernels so far, in the order of their first launch.
#[derive(Clone, Debug, Default)]
pub struct KernelUses {
    all: Vec<Launches>,
    at: HashMap<String, usize>,
    /// Statistics at the end of the last launch.
    before: Vec<u64>,
    /// Each launch has an entry of its own.
    is_by_launch: bool,
}

impl KernelUses {
    /// None yet. `is_by_launch`: launches of a name do not add up.
    pub fn new(is_by_launch: bool) -> Self {
        Self { is_by_launch, ..Self::default() }
    }

    /// A launch has ended after so many cycles, with these statistics of the whole run.
    pub fn add(&mut self, name: &str, cycles: Cycle, now: &[u64]) {
        let mut before = std::mem::replace(&mut self.before, now.to_vec());
        before.resize(now.len(), 0);
        let growth = now.iter().zip(before).map(|(value, old)| value.saturating_sub(old));
        self.grow(name, 1, cycles, growth);
    }

    /// So many launches have taken so many cycles, in which each statistic grew by so much.
    pub fn grow(
        &mut self,
        name: &str,
        launches: u32,
        cycles: Cycle,
        growth: impl ExactSizeIterator<Item = u64>,
    ) {
        let known = self.at.get(name).copied().filter(|_| !self.is_by_launch);
        let at = known.unwrap_or_else(|| {
            let (name, growth) = (name.to_string(), vec![0; growth.len()]);
            self.at.insert(name.clone(), self.all.len());
            self.all.push(Launches { name, number: 0, cycles: 0, growth });
            self.all.len() - 1
        });
        let kernel = &mut self.all[at];
        kernel.number += launches;
        kernel.cycles += cycles;
        kernel.growth.iter_mut().zip(growth).for_each(|(sum, growth)| *sum += growth);
    }

    /// By how much each statistic grew in all launches.
    pub fn all(&self) -> Vec<u64> {
        let mut all = Vec::new();
        for kernel in &self.all {
            all.resize(kernel.growth.len(), 0);
            all.iter_mut().zip(&kernel.growth).for_each(|(sum, growth)| *sum += growth);
        }
        all
    }

    /// All of them, with the names of statistics.
    pub fn named(&self, names: &Names) -> Vec<KernelUse> {
        let named = |kernel: &Launches| {
            let grown = names.named(&kernel.growth).into_iter().filter(|(_, growth)| *growth > 0);
            KernelUse {
                name: kernel.name.clone(),
                launches: kernel.number,
                cycles: kernel.cycles,
                counters: grown.collect(),
            }
        };
        self.all.iter().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_a_name_add_up() {
        let mut uses = KernelUses::default();
        uses.add("b", 10, &[0, 3]);
        uses.add("a", 5, &[1, 3]);
        uses.add("b", 20, &[1, 7]);
        let all: Vec<_> =
            uses.all.iter().map(|k| (k.name.as_str(), k.number, k.cycles, &k.growth[..])).collect();
        assert_eq!(all, [("b", 2, 30, &[0, 7][..]), ("a", 1, 5, &[1, 0])]);
    }

    #[test]
    fn launches_of_a_name_stay_apart_on_request() {
        let mut uses = KernelUses::new(true);
        uses.add("b", 10, &[0, 3]);
        uses.add("b", 20, &[1, 7]);
        let all: Vec<_> = uses.all.iter().map(|k| (k.number, k.cycles, &k.growth[..])).collect();
        assert_eq!(all, [(1, 10, &[0, 3][..]), (1, 20, &[1, 4])]);
        assert_eq!(uses.all(), [1, 7]);
    }
}
