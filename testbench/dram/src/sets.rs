//! Parameter sets, as a table. After each row stands the source of each value:
//!
//! - R: `CMU-SAFARI/ramulator2` 2.1, `python/ramulator/dram/`: `hbm2.py` (`HBM2_2000Mbps`,
//!   `HBM2_4Gb`; for HBM2E its nanoseconds), `hbm3.py` (`HBM3_8Gb`), `gddr6.py`
//!   (`GDDR6_2000_1350mV_quad`, `GDDR6_8Gb_x16`). Spans in nanoseconds are rounded up to cycles of
//!   the set, tREFI down.
//! - Q: `CMU-SAFARI/ramulator`, `src/GDDR5.h` and `.cpp` (`GDDR5_7000`, `GDDR5_4Gb_x32`)
//! - D: `umd-memsys/DRAMsim3`, `configs/HBM2_8Gb_x128.ini`, `GDDR5_8Gb_x32.ini`
//! - G: `accel-sim/gpgpu-sim_distribution`, `configs/tested-cfgs/`: `SM80_A100`, `SM90_H100`
//! - A: `scale-snu/attacc_simulator`, its Ramulator 2 presets `HBM3_5.2Gbps` and `HBM3_8Gb_2R`
//! - c: chosen, for the reason in the comment above the row; `-`: unused with one rank
//!
//! Several letters: the sources agree. JEDEC (JESD235, 238, 212, 250) leaves most of these
//! spans to the vendor's datasheet.
//!
//! HBM2 is a stack of 8 GB at 2 Gb/s a pin. HBM2E is an A100 with 80 GB: 5 stacks at 1512 MHz.
//! HBM3 is an H100 with 80 GB, whose memory clock `nvidia-smi` reports as 2619 MHz: two data a
//! cycle, the command clock is half of it, 5 stacks of 16 channels give 3.35 TB/s. GDDR5 has
//! 7 Gb/s and 32 bits, GDDR6 14 Gb/s and 16 bits.

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
    //               HBM2   HBM2E  HBM3   GDDR5  GDDR6
    dual_bus         true,  true,  true,  false, false; // R R R Q R
    pseudo_channels  2,     2,     2,     1,     1;      // R R RA Q R
    // HBM2E: 8 dies have two stack IDs, as in A.
    ranks            1,     2,     2,     1,     1;      // R c A Q R
    groups           4,     4,     4,     4,     4;      // RD RG RA Q R
    banks            4,     4,     4,     4,     4;      // RD RG RA Q R
    // HBM2E: 1 GiB a pseudo-channel.
    rows             32768, 32768, 16384, 16384, 16384;  // RD c A Q R
    columns          32,    32,    32,    64,    64;     // R R RA Q R
    access_bytes     32,    32,    32,    32,    32;     // R RG R Q R
} }

table! { timing: Timing {
    //               HBM2     HBM2E    HBM3     GDDR5    GDDR6
    // HBM3: as above. GDDR6: 570 ps.
    clock_khz        1000000, 1512000, 1309500, 1750000, 1750000; // R G c Q R
    //               HBM2   HBM2E  HBM3   GDDR5  GDDR6
    cl               14,    22,    19,    21,    24;     // RD G AG Q R
    cwl              5,     4,     6,     6,     6;      // R G AG Q R
    bl               2,     2,     2,     2,     2;      // R R RA Q R
    rcd_rd           14,    22,    19,    21,    26;     // RD G AG Q R
    rcd_wr           12,    19,    19,    18,    16;     // R R AG Q R
    rp               14,    22,    19,    21,    26;     // RD G AG Q R
    ras              34,    50,    45,    49,    53;     // RD G AG Q R
    // HBM3: tRAS + tRP. A has 63 and G 50, which contradict it.
    rc               48,    72,    64,    70,    79;     // RD G c Q R
    // HBM3: G has 6 for both, R 5 ns.
    rrd_s            4,     7,     2,     10,    7;      // RD G A Q R
    rrd_l            4,     7,     4,     10,    7;      // R G A Q R
    // HBM3: 30 ns as in D's HBM2; R has 15 ns for all HBM.
    faw              15,    23,    39,    41,    28;     // R R A Q R
    // GDDR6: R's 4 and 6 allow half of the pins' rate at 8 data a cycle.
    ccd_s            2,     2,     2,     2,     2;      // R R RA Q c
    ccd_l            4,     4,     4,     3,     3;      // R G RA Q c
    // One cycle between the drivers of two ranks, as tRTRS of D.
    ccd_r            3,     3,     3,     3,     3;      // - c c - -
    // CL + BL + 2 - CWL. GDDR6: CL + 1.
    rtw              13,    22,    17,    19,    25;     // R R R Q R
    // HBM2E: G has 5 for both.
    wtr_s            6,     10,    8,     9,     9;      // RD R A Q R
    wtr_l            8,     13,    11,    9,     11;     // RD R A Q R
    rtp              5,     7,     8,     2,     4;      // R G AG Q R
    wr               16,    19,    21,    21,    26;     // RD G AG Q R
    refi             3900,  5896,  5107,  3325,  3333;   // RD R R Q R
    // GDDR5: Q takes DDR3's 260 ns; D has 37 ns.
    rfc              260,   530,   459,   455,   210;    // RD R R Q R
    // GDDR5: half of tRFC, as in D.
    rfc_pb           160,   242,   262,   228,   105;    // R R RA c R
    // GDDR5: tRRD.
    rrefd            8,     13,    11,    10,    14;     // R R RA c R
    // HBM3: R's 1.5 and a precharge's 0.5 cycles, so that both together take 2.
    act_cycles       2,     2,     1,     1,     1;      // R R c Q R
} }

const fn set(at: usize) -> Parameters {
    Parameters { organization: organization(at), timing: timing(at) }
}

/// All sets by name.
pub const SETS: [(&str, Parameters); 5] =
    [("HBM2", set(0)), ("HBM2E", set(1)), ("HBM3", set(2)), ("GDDR5", set(3)), ("GDDR6", set(4))];

impl Parameters {
    /// The set of a name.
    pub fn named(name: &str) -> Option<Self> {
        SETS.iter().find(|(set, _)| *set == name).map(|(_, parameters)| *parameters)
    }
}
