//! Parameter sets, as a table. After each row stands the source of each value:
//!
//! - R: `CMU-SAFARI/ramulator2` 2.1, `python/ramulator/dram/`: `hbm2.py` (`HBM2_2000Mbps`,
//!   `HBM2_4Gb`; for HBM2E its nanoseconds), `hbm3.py` (`HBM3_8Gb`), `gddr6.py`
//!   (`GDDR6_2000_1350mV_quad`, `GDDR6_8Gb_x16`). Spans in nanoseconds are rounded up to cycles of
//!   the set, tREFI down.
//! - Q: `CMU-SAFARI/ramulator`, `src/GDDR5.h` and `.cpp` (`GDDR5_7000`, `GDDR5_4Gb_x32`), `DDR3.h`
//!   and `.cpp` (`DDR3_1600K`, `DDR3_2Gb_x8`)
//! - D: `umd-memsys/DRAMsim3`, `configs/HBM2_8Gb_x128.ini`, `GDDR5_8Gb_x32.ini`
//! - G: `accel-sim/gpgpu-sim_distribution`, `configs/tested-cfgs/`: `SM80_A100`, `SM90_H100`
//! - A: `scale-snu/attacc_simulator`, its Ramulator 2 presets `HBM3_5.2Gbps` and `HBM3_8Gb_2R`
//! - c: chosen, for the reason in the comment above the row; `-`: unused with one rank
//!
//! Several letters: the sources agree. JEDEC (JESD235, 238, 212, 250, 79-3) leaves most of these
//! spans to the vendor's datasheet.
//!
//! HBM2 is a stack of 8 GB at 2 Gb/s a pin. HBM2E is an A100 with 80 GB: 5 stacks at 1512 MHz.
//! HBM3 is an H100 with 80 GB, whose memory clock `nvidia-smi` reports as 2619 MHz: two data a
//! cycle, the command clock is half of it, 5 stacks of 16 channels give 3.35 TB/s. GDDR5 has
//! 7 Gb/s and 32 bits, GDDR6 14 Gb/s and 16 bits. DDR3 is for comparison with published figures.

use crate::Error;
use crate::parameters::{Organization, Parameters, Timing};

/// A function from a set's index to a struct. Each row has a field's value in each set.
macro_rules! table {
    ($function:ident: $of:ident { $($field:ident $($value:literal),*;)* }) => {
        const fn $function(set: usize) -> $of {
            $of { $($field: [$($value),*][set],)* }
        }
    };
}

table! { organization: Organization {
    //               HBM2   HBM2E  HBM3   GDDR5  GDDR6  DDR3
    pseudo_channels  2,     2,     2,     1,     1,     1;     // R R RA Q R Q
    // HBM2E: 8 dies have two stack IDs, as in A.
    ranks            1,     2,     2,     1,     1,     1;     // R c A Q R Q
    groups           4,     4,     4,     4,     4,     1;     // RD RG RA Q R Q
    banks            4,     4,     4,     4,     4,     8;     // RD RG RA Q R Q
    // HBM2E: 1 GiB a pseudo-channel.
    rows             32768, 32768, 16384, 16384, 16384, 32768; // RD c A Q R Q
    columns          32,    32,    32,    64,    64,    128;   // R R RA Q R Q
    access_bytes     32,    32,    32,    32,    32,    64;    // R RG R Q R Q
} }

table! { timing: Timing {
    //               HBM2   HBM2E  HBM3   GDDR5  GDDR6  DDR3
    cl               14,    22,    19,    21,    24,    11;    // RD G AG Q R Q
    cwl              5,     4,     6,     6,     6,     8;     // R G AG Q R Q
    bl               2,     2,     2,     2,     2,     4;     // R R RA Q R Q
    rcd_rd           14,    22,    19,    21,    26,    11;    // RD G AG Q R Q
    rcd_wr           12,    19,    19,    18,    16,    11;    // R R AG Q R Q
    rp               14,    22,    19,    21,    26,    11;    // RD G AG Q R Q
    ras              34,    50,    45,    49,    53,    28;    // RD G AG Q R Q
    // HBM3: tRAS + tRP. A has 63 and G 50, which contradict it.
    rc               48,    72,    64,    70,    79,    39;    // RD G c Q R Q
    // HBM3: G has 6 for both, R 5 ns.
    rrd_s            4,     7,     2,     10,    7,     5;     // RD G A Q R Q
    rrd_l            4,     7,     4,     10,    7,     5;     // R G A Q R Q
    // HBM3: 30 ns as in D's HBM2; R has 15 ns for all HBM.
    faw              15,    23,    39,    41,    28,    24;    // R R A Q R Q
    // GDDR6: R's 4 and 6 allow half of the pins' rate at 8 data a cycle.
    ccd_s            2,     2,     2,     2,     2,     4;     // R R RA Q c Q
    ccd_l            4,     4,     4,     3,     3,     4;     // R G RA Q c Q
    // One cycle between the drivers of two ranks, as tRTRS of D.
    ccd_r            3,     3,     3,     3,     3,     6;     // - c c - - -
    // CL + BL + 2 - CWL. GDDR6: CL + 1.
    rtw              13,    22,    17,    19,    25,    9;     // R R R Q R Q
    // HBM2E: G has 5 for both.
    wtr_s            6,     10,    8,     9,     9,     6;     // RD R A Q R Q
    wtr_l            8,     13,    11,    9,     11,    6;     // RD R A Q R Q
    rtp              5,     7,     8,     2,     4,     6;     // R G AG Q R Q
    wr               16,    19,    21,    21,    26,    12;    // RD G AG Q R Q
    refi             3900,  5896,  5107,  3325,  3333,  6240;  // RD R R Q R Q
    // GDDR5: Q takes DDR3's 260 ns; D has 37 ns.
    rfc              260,   530,   459,   455,   210,   128;   // RD R R Q R Q
    // GDDR5: half of tRFC, as in D. DDR3 has no per-bank refresh.
    rfc_pb           160,   242,   262,   228,   105,   128;   // R R RA c R c
    // GDDR5: tRRD.
    rrefd            8,     13,    11,    10,    14,    5;     // R R RA c R c
    // HBM3: R's 1.5 and a precharge's 0.5 cycles, so that both together take 2.
    act_cycles       2,     2,     1,     1,     1,     1;     // R R c Q R Q
} }

const fn set(at: usize, name: &'static str, clock_khz: u32, dual_bus: bool) -> Parameters {
    let (organization, timing) = (organization(at), timing(at));
    Parameters { name, clock_khz, dual_bus, organization, timing }
}

/// All sets.
pub const SETS: [Parameters; 6] = [
    set(0, "HBM2", 1_000_000, true),   // R
    set(1, "HBM2E", 1_512_000, true),  // G
    set(2, "HBM3", 1_309_500, true),   // as above
    set(3, "GDDR5", 1_750_000, false), // Q
    set(4, "GDDR6", 1_750_000, false), // R: 570 ps
    set(5, "DDR3", 800_000, false),    // Q
];

impl Parameters {
    /// The set of a name.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = SETS.into_iter().find(|set| set.name == name);
        found.ok_or_else(|| Error::Set { name: name.to_string() })
    }
}
