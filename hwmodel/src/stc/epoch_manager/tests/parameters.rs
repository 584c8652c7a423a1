//! Limits of the parameters (specification 2.1).

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let legal = small(Variant::Mb);
    let cases = [
        (Config { n_cu: 0, ..legal.clone() }, "n_cu"),
        (Config { n_cu: 33, ..legal.clone() }, "n_cu"),
        (Config { band_bits: 6, ..legal.clone() }, "band_bits"),
        (Config { addr_w: 11, ..legal.clone() }, "addr_w"),
        (Config { seb_min: 0, ..legal.clone() }, "seb_min"),
        (Config { seb_max: 3, ..legal.clone() }, "seb_max"),
        (Config { seb_init: 13, ..legal.clone() }, "seb_init"),
        (Config { wakeup: 512, ..legal.clone() }, "wakeup"),
        (Config { band_bits: 4, wakeup: 16, ..legal.clone() }, "wakeup"),
        (Config { max_bands: 5, ..legal.clone() }, "max_bands"),
        (Config { max_bands: 2, variant: Variant::Ab, ..legal.clone() }, "max_bands"),
        (Config { adapt_cmp: 2, ..legal.clone() }, "adapt_cmp"),
        (Config { seb_on_wrap: 2, ..legal }, "seb_on_wrap"),
    ];
    for (config, name) in cases {
        assert_eq!(EpochManager::new(&config).unwrap_err().name, name);
    }
}
