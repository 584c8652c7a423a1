//! What the thesis gives by benchmark (`figures.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

/// Its cycles without L1s, and with TC.
pub static CYCLES: LazyLock<Cycles> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        cycles: Cycles,
    }
    let File { cycles } =
        toml::from_str(include_str!("figures.toml")).unwrap_or_else(|e| panic!("{e}"));
    cycles
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycles {
    /// Name, million cycles without L1s, and with TC.
    benchmarks: Vec<(String, f64, f64)>,
}

impl Cycles {
    /// How long a benchmark takes with TC of what it takes without L1s.
    pub fn of(&self, benchmark: &str) -> Option<f64> {
        let found = self.benchmarks.iter().find(|(name, ..)| name == benchmark);
        found.map(|(_, none, tc)| tc / none)
    }
}
