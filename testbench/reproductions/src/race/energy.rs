//! Energy of the structures in a run: what was counted, times the thesis's energy of an access, and
//! leakage.

use super::inputs::INPUTS;
use super::l1;
use crate::experiment::Record;

/// Of all structures of their kind, µJ: for accesses, and leakage.
#[derive(Clone, Copy, Debug)]
pub struct Energy {
    pub rdu: [f64; 2],
    pub avu: [f64; 2],
    pub renaming: [f64; 2],
}

impl Energy {
    /// Of a run. `size`: place of the signature's size in the lists; one AVU and renaming table for
    /// each of `cus`.
    pub fn of(record: &Record, size: usize, cus: f64, clock_mhz: f64) -> Self {
        let e = &INPUTS.energy;
        let count = |name| l1(record, name);
        // pJ to µJ, and mW for microseconds to µJ.
        let dynamic = |events: &[(f64, f64)]| {
            events.iter().map(|(events, energy)| events * energy * 1e-6).sum::<f64>()
        };
        let leaked = |milliwatts: f64| milliwatts * 1e-3 * record.inside() / clock_mhz;
        let rdu = [
            (count("race_granules_checked"), e.rdu_read[size]),
            (count("race_inserts"), e.rdu_write[size]),
        ];
        let avu = [(count("race_signature_tests"), e.avu_access[size])];
        // A load that hits under a check is given a register, and copied from it.
        let renaming =
            [(count("race_allocs"), e.renaming_write), (count("race_commits"), e.renaming_read)];
        Self {
            rdu: [dynamic(&rdu), leaked(e.rdu_leakage[size])],
            avu: [dynamic(&avu), cus * leaked(e.avu_leakage[size])],
            renaming: [dynamic(&renaming), cus * leaked(e.renaming_leakage)],
        }
    }
}

/// For accesses and leakage together.
pub fn sum(parts: [f64; 2]) -> f64 {
    parts[0] + parts[1]
}
