//! Limits of the parameters (specification 2).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (Config { slq_n: 0, v_lanes: 1 }, "slq_n"),
        (Config { slq_n: 257, v_lanes: 1 }, "slq_n"),
        (Config { slq_n: 4, v_lanes: 0 }, "v_lanes"),
        (Config { slq_n: 4, v_lanes: 9 }, "v_lanes"),
    ];
    for (config, name) in cases {
        assert_eq!(SpeculativeLoadQueue::new(&config).unwrap_err().name, name);
    }
}
