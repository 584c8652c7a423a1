//! Which work-group a chiplet starts next, and on which CU (`cu.scheduler`).

use std::fmt::Debug;

/// A chiplet's scheduler.
pub trait Scheduler: Debug {
    /// The work-group to start now, and its CU, of which `has_room` tells whether a work-group
    /// fits. `next`: the number whose turn it is; a scheduler that takes another one must give each
    /// number of a kernel once. None when nothing is to be started now.
    fn choose(
        &self,
        next: u32,
        cores: usize,
        has_room: &dyn Fn(usize) -> bool,
    ) -> Option<(u32, usize)>;

    /// It is started.
    fn started(&mut self, group: u32, core: usize);
}

/// Makes a scheduler.
pub type NewScheduler = fn() -> Box<dyn Scheduler>;

/// All schedulers, by `cu.scheduler`.
pub const SCHEDULERS: &[(&str, NewScheduler)] = &[("rr", || Box::new(RoundRobin::default()))];

/// The next work-group goes to the next CU in turn that has room.
#[derive(Debug, Default)]
struct RoundRobin {
    turn: usize,
}

impl Scheduler for RoundRobin {
    fn choose(
        &self,
        next: u32,
        cores: usize,
        has_room: &dyn Fn(usize) -> bool,
    ) -> Option<(u32, usize)> {
        let turn = self.turn % cores;
        let order = (turn..cores).chain(0..turn);
        order.into_iter().find(|&core| has_room(core)).map(|core| (next, core))
    }

    fn started(&mut self, _group: u32, core: usize) {
        self.turn = core + 1;
    }
}
