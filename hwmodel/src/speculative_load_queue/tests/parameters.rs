//! Limits of the parameters (specification 2), and the state after reset.

use super::*;

#[test]
fn illegal_parameters_are_refused() {
    let cases = [
        (Config { slq_n: 0, vlanes: 1 }, "slq_n"),
        (Config { slq_n: 257, vlanes: 1 }, "slq_n"),
        (Config { slq_n: 4, vlanes: 0 }, "vlanes"),
        (Config { slq_n: 4, vlanes: 9 }, "vlanes"),
    ];
    for (config, name) in cases {
        assert_eq!(SpeculativeLoadQueue::new(&config).unwrap_err().name, name);
    }
}

#[test]
fn after_reset_all_is_0_but_what_is_ready() {
    let expected = Out { alloc_ready: true, empty: true, ..Out::default() };
    for config in [config(), wide(), Config { slq_n: 256, vlanes: 8 }] {
        assert_eq!(body(&config).outputs(), expected);
    }
}
