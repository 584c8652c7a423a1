//! The policy of an L1 in its socket (`sharing.l1 = "sharing-aware"`).

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::sharing::sharing_l1_policy::SharingL1Policy;
use ports::Parameters as _;
use ports::sharing::sharing_l1_policy::{Config, In};
use ports::sharing::types::{L1Fill, Place, Victim};

use super::parameters::{Parameters, SECTION, refused};
use super::rule::{self, Rule};
use super::{NAME, report, report_if};
use crate::build::make::{Made, Make};
use crate::cache::{Choice, Way, Ways};
use crate::config::ConfigError;
use crate::config::registry::registered;
use crate::config::resolved::Resolved;
use crate::context::Context;
use crate::context::message::Message;
use crate::engine::Cycle;
use crate::l1::{L1Policy, NewL1Policy, take_away};
use crate::statistics::CounterValues;

inventory::submit! {
    registered(NewL1Policy {
        name: NAME,
        about: "evicts shared lines first; does not install a shared line in a set of private \
                lines",
        sections: &[SECTION],
        check,
        new: Some(new),
    })
}

fn check(machine: &Resolved) -> Result<(), ConfigError> {
    let config = Config::from(&Parameters::of(machine.system)?.blocks);
    config.validate().map_err(|illegal| refused("sharing.l1", NAME, &illegal))
}

fn new(make: &mut Make) -> Made<dyn L1Policy> {
    let Parameters { blocks, without } = Parameters::of(make.system)?;
    let config = Config::from(&blocks);
    let name = format!("{} x {} lines, policy {}", config.l1_sets, config.l1_ways, config.l1_mgt);
    let mut block: Socket<SharingL1Policy> = make.socket(&name, &config)?;
    if let Some(Rule::L1(rule)) = without {
        take_away(rule::FIELD, &mut block, SharingL1Policy::without(&config, rule))?;
    }
    Ok(Box::new(Policy {
        place: make.place.clone(),
        block,
        ways: config.l1_ways,
        manages: config.l1_mgt == 1,
        inputs: In::default(),
        gone: VecDeque::new(),
        is_asked: false,
        is_shared: false,
        victim: None,
    }))
}

/// What the L1 does in a cycle is the block's input of that cycle: its edge is that of the CU's
/// next visit, and there is one in the next cycle.
#[derive(Debug)]
struct Policy {
    place: String,
    block: Socket<SharingL1Policy>,
    /// Of a set.
    ways: u32,
    /// It is no baseline.
    manages: bool,
    inputs: In,
    /// Lines that have gone, and that the block has not received: it receives one in a cycle.
    gone: VecDeque<Place>,
    /// It was notified of a filled line; whether that is shared; and where it goes.
    is_asked: bool,
    is_shared: bool,
    victim: Option<Victim>,
}

impl Policy {
    /// The edges of all cycles before this one.
    fn advance(&mut self, ctx: &mut Context) {
        let now: Cycle = ctx.now;
        if self.block.cycle() >= now {
            return;
        }
        if self.inputs != In::default() {
            self.block.tick(&std::mem::take(&mut self.inputs));
        }
        self.block.catch_up(now, &In::default());
        let shown = self.block.outputs();
        if let Some(victim) = shown.vic {
            self.check(ctx, &victim);
            self.victim = Some(victim);
        }
        report(ctx, &self.place, shown.err);
        self.inputs.inv = self.gone.pop_front();
        self.wake(ctx);
    }

    /// Only private data make private lines go that are not dead (P1).
    fn check(&self, ctx: &mut Context, victim: &Victim) {
        let Victim { dead, evict_private, .. } = *victim;
        let breaks = self.is_shared && evict_private && !dead;
        report_if(
            ctx,
            &self.place,
            breaks && self.manages,
            "a private line goes for a shared one (P1)",
        );
    }

    fn place(&self, way: Way) -> Place {
        Place { set: (way / self.ways) as u16, way: (way % self.ways) as u8 }
    }

    /// Has the CU visited when the block may have changed.
    fn wake(&self, ctx: &mut Context) {
        match self.inputs == In::default() && self.gone.is_empty() {
            true => ctx.wake_after(self.block.quiet_cycles()),
            false => ctx.wake_at(ctx.now + 1),
        }
    }
}

impl L1Policy for Policy {
    fn tick(&mut self, ctx: &mut Context) {
        self.advance(ctx);
    }

    fn choose(&mut self, ctx: &mut Context, answer: &Message, ways: Ways) -> Choice {
        self.advance(ctx);
        if let Some(Victim { install, way, .. }) = self.victim.take() {
            self.is_asked = false;
            return match install {
                true => Choice::Way(ways.first + Way::from(way)),
                false => Choice::Nowhere,
            };
        }
        // A way that the block thinks is taken must be no other line's when the block is notified.
        if !self.is_asked && self.gone.is_empty() {
            let set = (ways.first / self.ways) as u16;
            self.is_shared = answer.hint != 0;
            self.inputs.fill = Some(L1Fill { sf: self.is_shared, set });
            self.is_asked = true;
        }
        self.wake(ctx);
        Choice::NotYet
    }

    fn touch(&mut self, ctx: &mut Context, way: Way) {
        self.advance(ctx);
        assert!(self.inputs.touch.is_none(), "an L1 has one hit in a cycle");
        self.inputs.touch = Some(self.place(way));
        self.wake(ctx);
    }

    fn drop_line(&mut self, ctx: &mut Context, way: Way) {
        self.advance(ctx);
        let place = self.place(way);
        if self.inputs.flush {
            return;
        }
        if self.inputs.inv.is_none() {
            self.inputs.inv = Some(place);
        } else {
            self.gone.push_back(place);
            // The block is notified of the filled line later.
            if self.inputs.fill.take().is_some() {
                self.is_asked = false;
            }
        }
        self.wake(ctx);
    }

    fn drop_all(&mut self, ctx: &mut Context) {
        self.advance(ctx);
        self.inputs.flush = true;
        self.inputs.inv = None;
        self.gone.clear();
        self.wake(ctx);
    }

    fn counters(&self, all: &mut CounterValues) {
        let counters = self.block.outputs().counters;
        all.extend([
            ("sharing_touches", counters.touches.into()),
            ("sharing_fills_private", counters.fills_private.into()),
            ("sharing_fills_shared", counters.fills_shared.into()),
            ("sharing_bypass_shared", counters.bypass_shared.into()),
            ("sharing_evict_private", counters.evict_private.into()),
            ("sharing_evict_shared", counters.evict_shared.into()),
            ("sharing_evict_dead", counters.evict_dead.into()),
        ]);
    }
}
