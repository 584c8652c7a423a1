//! The scheduler of a chiplet's work-groups in its socket.

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::sharing::cta_scheduler::CtaScheduler;
use ports::Parameters as _;
use ports::sharing::cta_scheduler::{Config, In, Out};
use ports::sharing::types::{Launch, mode};

use super::parameters::{Parameters, SECTION, refused};
use super::report;
use super::rule::{self, Rule};
use crate::build::make::{Made, Make};
use crate::config::registry::registered;
use crate::config::{ConfigError, System};
use crate::context::Context;
use crate::l1::take_away;
use crate::launch::{Grid, NewScheduler, Scheduler};
use crate::statistics::CounterValues;

/// Submits a scheduler: its mode, and the work-groups of its groups; `ROW` for a row of the grid.
macro_rules! schedulers {
    ($($name:literal $about:literal $mode:ident $group:ident;)*) => { $(
        inventory::submit! {
            registered(NewScheduler {
                name: $name,
                about: $about,
                sections: &[SECTION],
                check: |machine| check(machine.system, $name),
                new: |make| new(make, mode::$mode, $group),
            })
        }
    )* };
}

/// A group is a row of the grid.
const ROW: u16 = 0;
const ONE: u16 = 1;
const EIGHT: u16 = 8;
const SIXTEEN: u16 = 16;

schedulers! {
    "rr_block" "as `rr`, implemented by the block of the sharing-aware schedulers" RR ONE;
    "q8" "assigns 8 consecutive work-groups to a CU" Q EIGHT;
    "q16" "assigns 16 consecutive work-groups to a CU" Q SIXTEEN;
    "qx" "assigns a row of the grid to a CU" Q ROW;
    "q8_adpt" "as `q8`; assigns the last work-groups singly" ADPT EIGHT;
    "q16_adpt" "as `q16`; assigns the last work-groups singly" ADPT SIXTEEN;
    "qx_adpt" "as `qx`; assigns the last work-groups singly" ADPT ROW;
    "bcs" "fills each CU at first, then assigns pairs of work-groups to a CU" BCS ONE;
}

fn check(system: &System, name: &str) -> Result<(), ConfigError> {
    let Parameters { blocks, .. } = Parameters::of_scheduler(system)?;
    let config = Config::from(&blocks);
    config.validate().map_err(|illegal| refused("cu.scheduler", name, &illegal))
}

fn new(make: &mut Make, mode: u8, group: u16) -> Made<dyn Scheduler> {
    let Parameters { blocks, without } = Parameters::of_scheduler(make.system)?;
    let config = Config::from(&blocks);
    let name = format!("{} SMs, {} slots", config.n_sm, config.slots);
    let mut block: Socket<CtaScheduler> = make.socket(&name, &config)?;
    if let Some(Rule::Scheduler(rule)) = without {
        take_away(rule::FIELD, &mut block, CtaScheduler::without(&config, rule))?;
    }
    Ok(Box::new(Scheduled {
        place: make.place.clone(),
        shown: block.outputs(),
        block,
        most: config.slots,
        mode,
        group,
        waits: None,
        first: 0,
        inputs: In::default(),
        ended: vec![0; config.n_sm as usize],
    }))
}

/// What a chiplet does in a cycle is the block's input of that cycle: its edge is that of the
/// chiplet's next visit.
#[derive(Debug)]
struct Scheduled {
    place: String,
    block: Socket<CtaScheduler>,
    /// What it shows in this cycle.
    shown: Out,
    /// Most work-groups of a CU.
    most: u32,
    mode: u8,
    group: u16,
    /// A launch that the block has not taken, and its first work-group: the kernel before runs.
    waits: Option<(Launch, u32)>,
    /// First work-group of the launch that it has taken.
    first: u32,
    inputs: In,
    /// Work-groups that have ended on each CU, and that the block has not received: it receives
    /// one of each in a cycle.
    ended: Vec<u32>,
}

impl Scheduled {
    /// Has the chiplet visited when the block may have changed.
    fn wake(&self, ctx: &mut Context) {
        match self.inputs == In::default() && self.ended.iter().all(|&ended| ended == 0) {
            true => ctx.wake_after(self.block.quiet_cycles()),
            false => ctx.wake_at(ctx.now + 1),
        }
    }
}

impl Scheduler for Scheduled {
    fn tick(&mut self, ctx: &mut Context) {
        if self.inputs != In::default() && self.block.cycle() < ctx.now {
            self.block.tick(&std::mem::take(&mut self.inputs));
        }
        self.block.catch_up(ctx.now, &In::default());
        self.shown = self.block.outputs();
        report(ctx, &self.place, self.shown.err);
        for (core, ended) in self.ended.iter_mut().enumerate().filter(|(_, ended)| **ended > 0) {
            self.inputs.done |= 1 << core;
            *ended -= 1;
        }
        if let Some((launch, first)) = self.waits.filter(|_| self.shown.launch_ready) {
            self.inputs.launch = Some(launch);
            (self.first, self.waits) = (first, None);
        }
        self.wake(ctx);
    }

    fn begin(&mut self, ctx: &mut Context, grid: &Grid) {
        let Grid { first, total, row, most } = *grid;
        let group = match self.group {
            ROW => u16::try_from(row).unwrap_or(u16::MAX),
            group => group,
        };
        let slots = most.min(self.most) as u8;
        self.waits = Some((Launch { mode: self.mode, total, group, slots }, first));
        ctx.wake_at(ctx.now + 1);
    }

    fn choose(
        &mut self,
        _ctx: &mut Context,
        _next: u32,
        _cores: usize,
        _has_room: &dyn Fn(usize) -> bool,
    ) -> Option<(u32, usize)> {
        let is_begun = self.waits.is_none() && self.inputs.launch.is_none();
        let given = self.shown.assignment.filter(|_| is_begun)?;
        Some((self.first + given.cta, given.sm.into()))
    }

    fn started(&mut self, ctx: &mut Context, _group: u32, _core: usize) {
        self.inputs.assignment_ready = true;
        ctx.wake_at(ctx.now + 1);
    }

    fn ended(&mut self, ctx: &mut Context, core: usize) {
        match self.inputs.done >> core & 1 {
            0 => self.inputs.done |= 1 << core,
            _ => self.ended[core] += 1,
        }
        ctx.wake_at(ctx.now + 1);
    }

    fn counters(&self, all: &mut CounterValues) {
        let counters = self.block.outputs().counters;
        all.extend([
            ("assigned", counters.assigned.into()),
            ("groups", counters.groups.into()),
            ("rr_phase_ctas", counters.rr_phase_ctas.into()),
            ("idle_sm_cycles", counters.idle_sm_cycles.into()),
        ]);
    }
}
