//! Messages that arrive at one CU much later than at another (specification 6, 2; section 10,
//! example 7).

use super::*;

/// The first cycle of a CU in a state.
fn first(cu: &Cu, is: fn(&epoch_agent::Out) -> bool) -> usize {
    cu.out.iter().position(is).expect("it happens")
}

fn check(mut s: System) {
    s.store(0, 0, 0x010);
    s.run_to(400);
    s.assert_no_errors();
    assert!(first(&s.cus[1], |o| o.done) >= first(&s.cus[0], |o| o.done) + 40);
    assert!(first(&s.cus[0], |o| o.st.is_some()) > first(&s.cus[1], |o| o.done));
}

#[test]
fn no_store_is_issued_before_all_cus_are_in_the_epoch() {
    let config = small(Variant::Es);
    check(System::with(&config, |c| Cu::new(&config, 40 * c, 0)));
}

#[test]
fn nor_where_only_the_change_is_late() {
    let config = small(Variant::Es);
    check(System::with(&config, |c| Cu { late: Link::new(40 * c), ..Cu::new(&config, 0, 0) }));
}
