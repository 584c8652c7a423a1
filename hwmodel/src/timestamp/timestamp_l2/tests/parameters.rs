//! Limits of the parameters (specification 2).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let legal: Config = (&small(Protocol::Gtsc)).into();
    let cases = [
        (Config { n_sm: 0, ..legal.clone() }, "n_sm"),
        (Config { n_sm: 33, ..legal.clone() }, "n_sm"),
        (Config { ts_w: 4, ..legal.clone() }, "ts_w"),
        (Config { lease: 0, ..legal.clone() }, "lease"),
        (Config { lease: 17, ..legal.clone() }, "lease"),
        (Config { line: 48, ..legal.clone() }, "line"),
        (Config { line_w: 41, ..legal.clone() }, "line_w"),
        (Config { l2_banks: 3, ..legal.clone() }, "l2_banks"),
        (Config { l2_sets: 512, ..legal.clone() }, "l2_sets"),
        (Config { l2_ways: 17, ..legal.clone() }, "l2_ways"),
        (Config { l2_mshr: 65, ..legal.clone() }, "l2_mshr"),
        (Config { l2_wait: 17, ..legal.clone() }, "l2_wait"),
        (Config { l2_div: 5, ..legal.clone() }, "l2_div"),
        (Config { tc_lease: 0, ..legal.clone() }, "tc_lease"),
        (Config { tc_lease: 65536, ..legal }, "tc_lease"),
    ];
    for (config, name) in cases {
        assert_eq!(TimestampL2::new(&config).unwrap_err().name, name);
    }
}
