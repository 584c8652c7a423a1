//! Parameters of the table (specification, section 2).

use ports::ConfigError;

/// Bytes of a page; structures begin on pages (section 4).
pub const PAGE: u64 = 4096;

/// How a GPU's L2s are kept coherent at kernel boundaries (section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMode {
    /// No operation at all: for negative tests.
    None,
    /// All chiplets are acquired before each kernel and released after it.
    Baseline,
    /// The table decides.
    Cpelide,
    /// No operation: directories keep the L2s coherent.
    Hmg,
}

/// What an L2 may hold that no entry of its chiplet tells (section 5.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Nothing: policy `private`.
    #[default]
    Nothing,
    /// Policy `home_forward`: lines of its own that other chiplets of the GPU asked for.
    OfGpu,
    /// And other GPUs, of whose kernels this table knows nothing.
    OfSystem,
}

/// Parameters of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Chiplets of the GPU, 1 to 16: one, which the specification leaves out, is no other case.
    pub chiplets: usize,
    /// Entries of the table, 8 to 256, at least `max_structs`.
    pub table_entries: usize,
    /// Records of a kernel that are not coarsened, 1 to 16.
    pub max_structs: usize,
    /// Bytes of a line, 64 or 128.
    pub line: u64,
    /// What a kernel boundary does.
    pub sync_mode: SyncMode,
    /// What L2s hold unknown to it.
    pub hidden: Hidden,
    /// HOME_AWARE: under `home_forward` a line has one copy, and the table knows it (section 5.9).
    pub home_aware: bool,
}

impl Parameters {
    /// The defaults of section 2.
    pub const DEFAULT: Self = Self {
        chiplets: 4,
        table_entries: 64,
        max_structs: 8,
        line: 64,
        sync_mode: SyncMode::Cpelide,
        hidden: Hidden::Nothing,
        home_aware: false,
    };

    /// Errors: a parameter outside its legal range (sections 2 and 12).
    pub fn check(&self) -> Result<(), ConfigError> {
        let Self { chiplets, table_entries, max_structs, line, .. } = *self;
        ConfigError::range("chiplets", chiplets as u32, 1..=16)?;
        ConfigError::range("max_structs", max_structs as u32, 1..=16)?;
        let entries = (8.max(max_structs)..=256).contains(&table_entries);
        let limit = "8 to 256 and at least max_structs";
        ConfigError::check(entries, "table_entries", table_entries as u64, limit)?;
        ConfigError::check(line == 64 || line == 128, "line", line, "64 or 128")?;
        let is_legal = !self.home_aware || self.hidden != Hidden::Nothing;
        let limit = "0 unless the policy is home_forward";
        ConfigError::check(is_legal, "home_aware", u64::from(self.home_aware), limit)
    }

    /// One bit for each chiplet.
    pub fn all_chiplets(&self) -> u16 {
        (u32::from(u16::MAX) >> (16 - self.chiplets)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_limits() {
        let default = Parameters::DEFAULT;
        assert_eq!(default.check(), Ok(()));
        for illegal in [
            Parameters { chiplets: 0, ..default },
            Parameters { chiplets: 17, ..default },
            Parameters { table_entries: 7, ..default },
            Parameters { table_entries: 257, ..default },
            Parameters { table_entries: 9, max_structs: 10, ..default },
            Parameters { max_structs: 0, ..default },
            Parameters { max_structs: 17, ..default },
            Parameters { line: 32, ..default },
            Parameters { home_aware: true, ..default },
        ] {
            assert!(illegal.check().is_err(), "{illegal:?}");
        }
    }

    #[test]
    fn each_chiplet_has_a_bit() {
        let all = |chiplets| Parameters { chiplets, ..Parameters::DEFAULT }.all_chiplets();
        assert_eq!([1, 2, 4, 16].map(all), [0b1, 0b11, 0b1111, u16::MAX]);
    }
}
