//! The manager's state by the RTL's own declarations, against table 4 of the paper (specification
//! 4).

use std::collections::BTreeMap;

use cosim::registers::Registers;
use cosim::wave::Internals;
use cosim::{Rtl, RtlOptions};
use duet_tests::{has_rtl_of, parameters};
use ports::stc::types::Stc;

use super::*;

/// Bits of each register without `_q`; those of an array in one.
fn bits(config: &Config) -> BTreeMap<String, usize> {
    let options = RtlOptions { variant: bodies::Variant::traced(), ..RtlOptions::default() };
    let mut rtl = Rtl::<EpochManager>::with(config, &options).expect("a body");
    let internals = Internals::new(&rtl.trace_header().expect("it is traced"));
    let registers = Registers::of("epoch_manager");
    let mut bits = BTreeMap::new();
    for variable in internals.variables.iter().filter(|v| registers.has(&v.path())) {
        let path = variable.path();
        let of = path.split('.').find(|part| registers.has(part)).expect("it is one");
        let name = of.split("_q").next().expect("the name in front of it");
        *bits.entry(name.to_string()).or_default() += internals.bits(variable.signal).len();
    }
    bits
}

#[test]
fn state_has_the_bits_that_the_paper_counts() {
    if !has_rtl_of::<EpochManager>() {
        return;
    }
    let paper: Stc = parameters("paper");
    let mut bits = bits(&(&paper).into());
    println!("{bits:?}");
    let mut sum = |names: &[&str]| -> usize {
        names.iter().map(|name| bits.remove(*name).expect("a register")).sum()
    };
    // Current epoch, epoch request vector, epoch touch vector. The paper's 8 bits of the wake
    // counter are those of 129 to 256 cycles; 100 take 7.
    assert_eq!(sum(&["ec"]), 4);
    assert_eq!(sum(&["wake_count"]), 7);
    assert_eq!(sum(&["erv_v", "erv_addr"]), 16 * 33);
    assert_eq!(sum(&["etv"]), 16);
    assert_eq!(4 + 8 + 16 * 33 + 16, 556);
    // Not in the table.
    let others = ["seb", "gvec", "nvec", "nseb", "move", "hold", "vote", "state", "dmd_ack"];
    assert_eq!(sum(&others), 62);
    // Errors and counters.
    assert_eq!(bits, BTreeMap::from([("counters".to_string(), 8 * 32), ("err".to_string(), 4)]));
}

#[test]
fn wake_counter_has_as_many_bits_as_it_needs() {
    if !has_rtl_of::<EpochManager>() {
        return;
    }
    for (wakeup, expected) in [(256, 8), (300, 9)] {
        let stc = Stc { wakeup, ..parameters("paper") };
        assert_eq!(bits(&(&stc).into())["wake_count"], expected, "{wakeup} cycles");
    }
}
