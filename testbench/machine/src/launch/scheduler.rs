//! Which work-group a chiplet starts next, and on which CU (`cu.scheduler`).

use std::fmt::Debug;

use crate::registry::Named;

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

/// A scheduler by name. It is known once it is submitted.
pub struct NewScheduler {
    /// Its name, `cu.scheduler`.
    pub name: &'static str,
    /// Makes one.
    pub new: fn() -> Box<dyn Scheduler>,
}

inventory::collect!(NewScheduler);

impl Named for NewScheduler {
    const FIELD: &'static str = "cu.scheduler";

    fn name(&self) -> &'static str {
        self.name
    }
}

inventory::submit! { NewScheduler { name: "rr", new: || Box::new(RoundRobin::default()) } }

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
