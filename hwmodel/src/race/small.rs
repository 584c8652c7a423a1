//! Parameters for the tests of the race detection blocks.

use ports::race::types::RaceDetection;

/// The small parameters of specification 2.
pub(crate) fn small() -> RaceDetection {
    RaceDetection {
        n_sm: 4,
        m: 256,
        n_sat: 32,
        gran: 128,
        lines: 8,
        hits: 2,
        epoch_w: 3,
        slq_n: 4,
        rq_n: 2,
        lanes: 1,
        v_lanes: 1,
    }
}
