//! What the thesis has measured and a model takes over: energy of an access and leakage, and what
//! its baseline takes (`figures.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

/// The inputs.
pub static INPUTS: LazyLock<Inputs> = LazyLock::new(|| {
    toml::from_str(include_str!("figures.toml")).unwrap_or_else(|e| panic!("{e}"))
});

#[derive(Debug, Deserialize)]
pub struct Inputs {
    pub energy: Energy,
    pub baseline: Baseline,
}

/// Lists are by size of signature.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Energy {
    pub place: String,
    /// pJ.
    pub avu_access: [f64; 5],
    pub rdu_read: [f64; 5],
    pub rdu_write: [f64; 5],
    pub renaming_read: f64,
    pub renaming_write: f64,
    /// mW.
    pub avu_leakage: [f64; 5],
    pub rdu_leakage: [f64; 5],
    pub renaming_leakage: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    pub place: String,
    benchmarks: Vec<(String, f64, f64)>,
}

impl Baseline {
    /// mJ of a cycle: that of a benchmark, or the mean of all.
    pub fn energy_of_cycle(&self, benchmark: &str) -> f64 {
        let of = |(_, cycles, energy): &(String, f64, f64)| energy / cycles;
        let found = self.benchmarks.iter().find(|(name, ..)| name == benchmark);
        found.map_or_else(
            || self.benchmarks.iter().map(of).sum::<f64>() / self.benchmarks.len() as f64,
            of,
        )
    }

    /// Least, mean and greatest power at a clock, W.
    pub fn power(&self, clock_mhz: f64) -> [f64; 3] {
        let all = || self.benchmarks.iter().map(|(_, cycles, energy)| energy / cycles);
        let mean = all().sum::<f64>() / self.benchmarks.len() as f64;
        let [least, most] = [f64::min, f64::max].map(|f| all().reduce(f).expect("not empty"));
        [least, mean, most].map(|energy| energy * 1e-3 * clock_mhz * 1e6)
    }
}
