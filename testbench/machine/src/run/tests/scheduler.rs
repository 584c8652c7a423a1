//! The CU that the scheduler `rr` gives a work-group to.

use super::*;
use crate::launch::{RoundRobin, Scheduler};

/// The first CU with room at or behind the pointer, which goes to the CU behind it (specification
/// 5.1 of the sharing-aware designs). No CU: the pointer stays.
#[test]
fn rr_goes_on_behind_the_last_cu_and_passes_those_without_room() {
    let mut machine = machine("stc-8cu-small", &[], program("stream", 4096));
    let mut scheduler = RoundRobin::default();
    let mut place = |full: &[usize]| {
        let has_room = |core| !full.contains(&core);
        let (group, core) = scheduler.choose(&mut machine.ctx, 7, 4, &has_room)?;
        assert_eq!(group, 7, "the number whose turn it is");
        scheduler.started(&mut machine.ctx, group, core);
        Some(core)
    };
    assert_eq!([(); 5].map(|()| place(&[])), [0, 1, 2, 3, 0].map(Some));
    assert_eq!([place(&[1, 2]), place(&[0])], [Some(3), Some(1)]);
    assert_eq!([place(&[0, 1, 2, 3]), place(&[])], [None, Some(2)]);
}
