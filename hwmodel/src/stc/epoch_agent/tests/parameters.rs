//! Limits of the parameters (specification 2.1).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let legal = small(Variant::Mb);
    let cases = [
        (Config { band_bits: 1, ..legal.clone() }, "band_bits"),
        (Config { addr_w: 33, ..legal.clone() }, "addr_w"),
        (Config { seb_min: 33, ..legal.clone() }, "seb_min"),
        (Config { seb_max: 33, ..legal.clone() }, "seb_max"),
        (Config { seb_init: 3, ..legal.clone() }, "seb_init"),
        (Config { max_bands: 0, ..legal.clone() }, "max_bands"),
        (Config { max_bands: 2, variant: Variant::Es, ..legal.clone() }, "max_bands"),
        (Config { bsq_n: 8, ..legal.clone() }, "bsq_n"),
        (Config { bsq_n: 48, ..legal.clone() }, "bsq_n"),
        (Config { bsq_banks: 32, ..legal.clone() }, "bsq_banks"),
        (Config { bsq_rd: 0, ..legal.clone() }, "bsq_rd"),
        (Config { bsq_rd: 5, ..legal }, "bsq_rd"),
    ];
    for (config, name) in cases {
        assert_eq!(EpochAgent::new(&config).unwrap_err().name, name);
    }
}
