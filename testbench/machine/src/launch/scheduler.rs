//! Which work-group a chiplet starts next, and on which CU (`cu.scheduler`).

use std::fmt::Debug;

use crate::build::make::{Made, Make};
use crate::config::ConfigError;
use crate::config::registry::{kind, registered};
use crate::config::resolved::Resolved;
use crate::config::section::Section;
use crate::context::Context;
use crate::statistics::CounterValues;

/// A kernel's work-groups on a chiplet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of the first; the others follow it.
    pub first: u32,
    /// How many.
    pub total: u32,
    /// Work-groups of a row of the kernel's grid.
    pub row: u32,
    /// How many a CU has room for when it has no other.
    pub most: u32,
}

/// A chiplet's scheduler.
pub trait Scheduler: Debug {
    /// The chiplet is visited, and has started nothing in this cycle: a block has the edges of
    /// those before.
    fn tick(&mut self, _ctx: &mut Context) {}

    /// A kernel's work-groups are to be started. All of the kernel before have been; they need not
    /// have ended.
    fn begin(&mut self, _ctx: &mut Context, _grid: &Grid) {}

    /// The work-group to start now, and its CU, of which `has_room` tells whether a work-group
    /// fits. `next`: the number whose turn it is; a scheduler that takes another one must give each
    /// number of a kernel once. None when nothing is to be started now: it is asked again in each
    /// visit, and one that does not wait for the end of a work-group has the chiplet visited.
    fn choose(
        &mut self,
        ctx: &mut Context,
        next: u32,
        cores: usize,
        has_room: &dyn Fn(usize) -> bool,
    ) -> Option<(u32, usize)>;

    /// It is started.
    fn started(&mut self, ctx: &mut Context, group: u32, core: usize);

    /// A work-group has ended.
    fn ended(&mut self, _ctx: &mut Context, _core: usize) {}

    /// Counters by name.
    fn counters(&self, _all: &mut CounterValues) {}
}

/// A scheduler by name. It is known once it is submitted.
pub struct NewScheduler {
    /// Its name, `cu.scheduler`.
    pub name: &'static str,
    /// One line for `duet list`.
    pub about: &'static str,
    /// Sections of the system file that are its own.
    pub sections: &'static [Section],
    /// What it needs of a system. Errors name the field, and say why.
    pub check: fn(&Resolved) -> Result<(), ConfigError>,
    /// Makes that of a chiplet.
    pub new: fn(&mut Make) -> Made<dyn Scheduler>,
}

kind!(NewScheduler, "cu.scheduler");

inventory::submit! {
    registered(NewScheduler {
        name: "rr",
        about: "assigns the next work-group to the next CU, round-robin, that can hold it",
        sections: &[],
        check: |_| Ok(()),
        new: |_| Ok(Box::new(RoundRobin::default())),
    })
}

/// The next work-group goes to the next CU in turn that has room.
#[derive(Debug, Default)]
pub struct RoundRobin {
    turn: usize,
}

impl Scheduler for RoundRobin {
    fn choose(
        &mut self,
        _ctx: &mut Context,
        next: u32,
        cores: usize,
        has_room: &dyn Fn(usize) -> bool,
    ) -> Option<(u32, usize)> {
        let turn = self.turn % cores;
        let order = (turn..cores).chain(0..turn);
        order.into_iter().find(|&core| has_room(core)).map(|core| (next, core))
    }

    fn started(&mut self, _ctx: &mut Context, _group: u32, core: usize) {
        self.turn = core + 1;
    }
}
