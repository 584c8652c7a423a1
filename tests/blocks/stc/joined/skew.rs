//! Messages that arrive at one CU much later than at another (specification 6, 2; section 10,
//! example 7).

use super::*;

/// The first cycle of a CU in which it shows this.
fn first(cu: &[epoch_agent::Out], is: fn(&epoch_agent::Out) -> bool) -> usize {
    cu.iter().position(is).expect("it happens")
}

/// The store of CU 0 waits until CU 1, which is late, is in the epoch.
fn check(bodies: Bodies, skewed: impl Fn(usize, Cu) -> Cu, down: impl Fn(usize) -> usize) {
    let stc = small(Variant::Es);
    let cu = |c| skewed(c, Cu::new((bodies.agent)(&stc, None), down(c), 0));
    let s = System::with((bodies.manager)(&stc, None), &stc, cu);
    let record = Record::of(s, 400, |cycle, s| {
        if cycle == 0 {
            s.store(0, 0, 0x010);
        }
    });
    let [near, far] = [0, 1].map(|c| record.cus[c].as_slice());
    assert!(first(far, |o| o.done) >= first(near, |o| o.done) + 40);
    assert!(first(near, |o| o.st.is_some()) > first(far, |o| o.done));
}

#[test]
fn no_store_is_issued_before_all_cus_are_in_the_epoch() {
    on_both(|bodies| check(bodies, |_, cu| cu, |c| 40 * c));
}

#[test]
fn nor_where_only_the_change_is_late() {
    on_both(|bodies| check(bodies, |c, cu| Cu { late: Chain::new(40 * c), ..cu }, |_| 0));
}
