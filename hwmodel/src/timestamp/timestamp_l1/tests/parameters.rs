//! Limits of the parameters (specification 2).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let legal: Config = (&small(Protocol::Gtsc)).into();
    let cases = [
        (Config { warps: 0, ..legal.clone() }, "warps"),
        (Config { warps: 65, ..legal.clone() }, "warps"),
        (Config { ts_w: 4, ..legal.clone() }, "ts_w"),
        (Config { ts_w: 33, ..legal.clone() }, "ts_w"),
        (Config { line: 8, ..legal.clone() }, "line"),
        (Config { line_w: 7, ..legal.clone() }, "line_w"),
        (Config { line_w: 41, ..legal.clone() }, "line_w"),
        (Config { l1_sets: 3, ..legal.clone() }, "l1_sets"),
        (Config { l1_sets: 256, line_w: 8, ..legal.clone() }, "l1_sets"),
        (Config { l1_ways: 9, ..legal.clone() }, "l1_ways"),
        (Config { l1_mshr: 65, ..legal.clone() }, "l1_mshr"),
        (Config { waiters: 0, ..legal.clone() }, "waiters"),
        (Config { waiters: 49, ..legal.clone() }, "waiters"),
        (Config { stq: 65, ..legal.clone() }, "stq"),
        (Config { spin: 0, ..legal }, "spin"),
    ];
    for (config, name) in cases {
        assert_eq!(TimestampL1::new(&config).unwrap_err().name, name);
    }
}
