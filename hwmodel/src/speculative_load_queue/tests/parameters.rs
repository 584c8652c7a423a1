//! Limits of the parameters (specification 2), and the state after reset.

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

#[test]
fn after_reset_all_is_0_but_what_is_ready() {
    let expected = Out { alloc_ready: true, empty: true, ..Out::default() };
    for config in [config(), wide(), Config { slq_n: 256, v_lanes: 8 }] {
        assert_eq!(body(&config).outputs(), expected);
    }
}
