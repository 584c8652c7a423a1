//! The epoch manager of a GPU.

use cosim::socket::Socket;
use hwmodel::stc::epoch_manager::EpochManager;
use hwmodel::{Block, Model};
use ports::stc::epoch_manager::{Config, In, Out};

use super::parameters::Parameters;
use super::{Down, Up};
use crate::build::make::{Made, Make, UnitPorts};
use crate::context::message::Packed;
use crate::context::{Context, Stop};
use crate::engine::{Cycle, WireId};
use crate::l1::GpuUnit;
use crate::statistics::CounterValues;

/// Makes the manager of a GPU.
pub fn new(make: &mut Make, ports: UnitPorts) -> Made<dyn GpuUnit> {
    let Parameters { blocks, name, .. } = Parameters::of(make.system)?;
    let config = Config::from(&blocks);
    let block = make.socket(&name, &config)?;
    let out = block.outputs();
    let wires = ports.cores.iter().map(|core| (core.wires.from_unit[0], core.wires.to_unit[0]));
    let shown = vec![Packed::default(); ports.cores.len()];
    let counters = Counters::default();
    Ok(Box::new(Manager {
        place: make.place.clone(),
        block,
        out,
        bands: config.bands(),
        wires: wires.collect(),
        shown,
        held: In::default(),
        counters,
    }))
}

#[derive(Debug)]
struct Manager {
    place: String,
    block: Socket<EpochManager>,
    /// What it shows in the cycle of its next edge.
    out: Out,
    bands: u32,
    /// To and from each agent.
    wires: Vec<(WireId, WireId)>,
    shown: Vec<Packed>,
    /// What agents show until they show something else.
    held: In,
    counters: Counters,
}

/// Specification, section 9.
#[derive(Debug, Default)]
struct Counters {
    transitions: u64,
    demands: u64,
    conflicts: u64,
    /// Messages to and from agents beside these.
    messages: u64,
    /// When the last epoch was over, while its change goes on; cycles of all changes, and most of
    /// one.
    since: Option<Cycle>,
    changing: u64,
    longest: u64,
    /// Changes to an epoch of so many bands.
    granted: [u64; 4],
}

/// More than any epoch lasts.
const LONGEST: Cycle = 1 << 16;
/// Bytes of a message between manager and agents (specification, section 9).
const MESSAGE_BYTES: u64 = 8;

impl GpuUnit for Manager {
    fn tick(&mut self, ctx: &mut Context) {
        let now = ctx.now;
        if self.block.cycle() > now {
            return;
        }
        if self.block.cycle() < now {
            self.block.catch_up(now, &self.held);
            self.out = self.block.outputs();
        }
        let mut inputs = In::default();
        for (c, &(_, wire)) in self.wires.iter().enumerate() {
            let Up { ready, done, req_valid, req } = ctx.see(wire).get(());
            inputs.ready |= u32::from(ready) << c;
            inputs.done |= u32::from(done) << c;
            if req_valid {
                inputs.req_valid |= 1 << c;
                inputs.req[c] = req;
                let counter = if req.kind {
                    &mut self.counters.conflicts
                } else {
                    &mut self.counters.demands
                };
                *counter += 1;
            }
        }
        self.held = In { ready: inputs.ready, done: inputs.done, ..In::default() };
        self.block.tick(&inputs);
        let before = std::mem::replace(&mut self.out, self.block.outputs());
        if let Some(code) = self.out.err {
            let problem = format!("{}/{}: error {code}", self.place, EpochManager::NAME);
            ctx.stop.get_or_insert(Stop::Block(problem));
        }
        self.count(now, &before);
        for (c, &(wire, _)) in self.wires.iter().enumerate() {
            let Out { dmd_ack, prep, chg, chg_info, .. } = self.out;
            let down = Down { dmd_ack: dmd_ack >> c & 1 == 1, prep, chg, chg_info };
            let down = Packed::new(&down, (self.bands,));
            if self.shown[c] != down {
                self.shown[c] = down;
                ctx.show(wire, down);
            }
        }
        // Nothing is demanded: it wakes only to count.
        let quiet = self.block.quiet_cycles();
        ctx.wake_after(if quiet > LONGEST { Cycle::MAX } else { quiet });
    }

    fn waits_for(&self) -> Option<String> {
        let Out { prep, chg, .. } = self.out;
        prep.then(|| {
            format!(
                "the epoch manager waits for {} of all agents",
                if chg { "done" } else { "ready" }
            )
        })
    }

    fn counters(&self, all: &mut CounterValues) {
        let (c, counters) = (&self.counters, &self.out.counters);
        let messages = c.messages + c.demands + c.conflicts;
        all.extend([
            ("epoch_wakes", counters.wakes.into()),
            ("epoch_wakes_idle", counters.wakes_idle.into()),
            ("epoch_selections", counters.selections.into()),
            ("epoch_skip_same", counters.skip_same.into()),
            ("epoch_conflicts_stale", counters.conf_stale.into()),
            ("epoch_conflicts_duplicate", counters.conf_dup.into()),
            ("epoch_votes_up", counters.votes_up.into()),
            ("epoch_votes_down", counters.votes_down.into()),
            ("epoch_transitions", c.transitions),
            ("epoch_transition_cycles", c.changing),
            ("epoch_longest_transition", c.longest),
            ("epoch_start_bit", self.out.chg_info.seb.into()),
            ("epoch_demands", c.demands),
            ("epoch_conflicts", c.conflicts),
            ("epoch_messages", messages),
            ("epoch_message_bytes", messages * MESSAGE_BYTES),
            ("epochs_of_1_band", c.granted[0]),
            ("epochs_of_2_bands", c.granted[1]),
            ("epochs_of_3_bands", c.granted[2]),
            ("epochs_of_4_bands", c.granted[3]),
        ]);
    }
}

impl Manager {
    /// The cycle after `now` has begun: what it shows, and what was shown `before`.
    fn count(&mut self, now: Cycle, before: &Out) {
        let (c, out, agents) = (&mut self.counters, &self.out, self.wires.len() as u64);
        c.messages += u64::from(out.dmd_ack.count_ones());
        if out.prep && !before.prep {
            // Prepare, ready, change, done.
            c.messages += 4 * agents;
            c.since = Some(now);
        }
        if out.chg && !before.chg {
            c.transitions += 1;
            let bands = out.chg_info.gvec.count_ones().clamp(1, 4);
            c.granted[bands as usize - 1] += 1;
        }
        // The manager is idle again in the cycle after the last agent shows nothing any more.
        let is_over = !before.prep && self.held.ready | self.held.done == 0;
        if let Some(since) = c.since.filter(|&since| is_over && since < now) {
            let cycles = now + 1 - since;
            c.changing += cycles;
            c.longest = c.longest.max(cycles);
            c.since = None;
        }
    }
}
