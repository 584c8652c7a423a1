//! Limits of the parameters (specification 2).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let legal = config();
    let cases = [
        (Config { m: 128, ..legal.clone() }, "m"),
        (Config { m: 1536, ..legal.clone() }, "m"),
        (Config { gran: 64, ..legal.clone() }, "gran"),
        (Config { epoch_w: 1, ..legal.clone() }, "epoch_w"),
        (Config { epoch_w: 6, ..legal.clone() }, "epoch_w"),
        (Config { lines: 0, ..legal.clone() }, "lines"),
        (Config { lines: 257, ..legal.clone() }, "lines"),
        (Config { hits: 0, ..legal.clone() }, "hits"),
        (Config { hits: 8, ..legal.clone() }, "hits"),
        (Config { v_lanes: 0, ..legal.clone() }, "v_lanes"),
        (Config { v_lanes: 9, ..legal }, "v_lanes"),
    ];
    for (config, name) in cases {
        assert_eq!(AccessValidationUnit::new(&config).unwrap_err().name, name);
    }
}
