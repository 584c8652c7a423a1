//! The register CONF (specification 3.5).

pub use firmware::SyncMode;

/// The machine's parameters, as the hardware reports them to the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conf {
    /// Chiplets of the GPU, 1 to 16.
    pub chiplets: u32,
    /// What is done at kernel boundaries.
    pub sync_mode: SyncMode,
    /// L2 policy `home_forward`, else `private`.
    pub home_forward: bool,
    /// Other GPUs reach the L2s (bit 28, ours: the specification has none for it).
    pub several_gpus: bool,
    /// Most records of a kernel that are not coarsened, 1 to 16.
    pub max_structs: u32,
    /// Entries of the table, up to 256.
    pub table_entries: u32,
    /// Lines of 128 bytes, else of 64.
    pub long_lines: bool,
    /// The table knows that under `home_forward` a line has one copy (5.9).
    pub home_aware: bool,
    /// Launches are decided while the kernel before runs (5.10).
    pub ahead: bool,
}

impl Conf {
    /// The specification's default machine: four chiplets, 64 entries, 8 structures.
    pub const DEFAULT: Self = Self {
        chiplets: 4,
        sync_mode: SyncMode::Cpelide,
        home_forward: false,
        several_gpus: false,
        max_structs: 8,
        table_entries: 64,
        long_lines: false,
        home_aware: false,
        ahead: false,
    };

    /// The register's value.
    pub fn bits(&self) -> u32 {
        self.chiplets
            | (self.sync_mode as u32) << 8
            | u32::from(self.home_forward) << 10
            | self.max_structs << 11
            | self.table_entries << 16
            | u32::from(self.long_lines) << 25
            | u32::from(self.home_aware) << 26
            | u32::from(self.ahead) << 27
            | u32::from(self.several_gpus) << 28
    }
}
