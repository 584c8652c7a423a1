//! Parameters for the tests of the STC blocks.

use ports::stc::types::{Stc, Variant};

/// The small parameters of specification 2.1.
pub(crate) fn small(variant: Variant) -> Stc {
    Stc {
        n_cu: 2,
        band_bits: 2,
        addr_w: 16,
        seb_min: 4,
        seb_max: 12,
        seb_init: 4,
        wakeup: 16,
        variant,
        max_bands: if variant == Variant::Mb { 2 } else { 1 },
        adapt_cmp: 0,
        seb_on_wrap: 1,
        bsq_n: 16,
        bsq_banks: 4,
        bsq_rd: 2,
    }
}
