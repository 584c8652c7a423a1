//! Limits of the parameters (specification 2).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let legal = config();
    let cases = [
        (Config { n_sm: 1, ..legal.clone() }, "n_sm"),
        (Config { n_sm: 17, ..legal.clone() }, "n_sm"),
        (Config { m: 512, ..legal.clone() }, "m"),
        (Config { m: 32768, ..legal.clone() }, "m"),
        (Config { n_sat: 0, ..legal.clone() }, "n_sat"),
        (Config { n_sat: 33, ..legal.clone() }, "n_sat"),
        (Config { gran: 2, ..legal.clone() }, "gran"),
        (Config { epoch_w: 1, ..legal.clone() }, "epoch_w"),
        (Config { epoch_w: 6, ..legal.clone() }, "epoch_w"),
        (Config { rq_n: 0, ..legal.clone() }, "rq_n"),
        (Config { rq_n: 65, ..legal.clone() }, "rq_n"),
        (Config { lanes: 3, ..legal.clone() }, "lanes"),
        (Config { lanes: 16, ..legal }, "lanes"),
    ];
    for (config, name) in cases {
        assert_eq!(RaceDetectionUnit::new(&config).unwrap_err().name, name);
    }
}
