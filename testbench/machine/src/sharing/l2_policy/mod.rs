//! The policy of an L2 bank in its socket (`sharing.l2 = "sharing-aware"`).
//!
//! The block is notified of each access of a request to a line: of a cached line or a pending fill
//! before the request is performed or parked; of any other when a way is chosen.
//! What it has said of a request stands in the request's `hint` until the bank answers it.

mod block;

use std::collections::VecDeque;

use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::sharing::sharing_l2_policy::SharingL2Policy;
use ports::Parameters as _;
use ports::sharing::sharing_l2_policy::{Config, In};
use ports::sharing::types::{Action, Lookup, Place, act};

use super::NAME;
use super::parameters::{Parameters, SECTION, refused};
use super::rule::{self, Rule};
use super::users::Users;
use crate::build::make::{Made, Make};
use crate::cache::{Choice, Way, Ways};
use crate::config::ConfigError;
use crate::config::registry::registered;
use crate::config::resolved::Resolved;
use crate::context::Context;
use crate::context::layout::Site;
use crate::context::message::{Kind, Message, Unit};
use crate::engine::Cycle;
use crate::engine::pool::Handle;
use crate::l1::take_away;
use crate::l2::{BankHook, BankPort, NewL2Policy};
use crate::statistics::CounterValues;

inventory::submit! {
    registered(NewL2Policy {
        name: NAME,
        about: "evicts lines of one CU first; does not install lines of private memory",
        sections: &[SECTION],
        check,
        new: Some(new),
    })
}

fn check(machine: &Resolved) -> Result<(), ConfigError> {
    let config = Config::from(&Parameters::of(machine.system)?.blocks);
    config.validate().map_err(|illegal| refused("sharing.l2", NAME, &illegal))
}

fn new(make: &mut Make) -> Made<dyn BankHook> {
    let Parameters { blocks, without } = Parameters::of(make.system)?;
    let config = Config::from(&blocks);
    let name = format!("{} x {} lines, policy {}", config.l2_sets, config.l2_ways, config.l2_mgt);
    let mut block: Socket<SharingL2Policy> = make.socket(&name, &config)?;
    if let Some(Rule::L2(rule)) = without {
        take_away(rule::FIELD, &mut block, SharingL2Policy::without(&config, rule))?;
    }
    let lines = (config.l2_sets * config.l2_ways) as usize;
    Ok(Box::new(Policy {
        place: make.place.clone(),
        block,
        n_sm: config.n_sm,
        manages: config.l2_mgt == 1,
        of_others: make.system.machine.gpus > 1,
        ways: config.l2_ways,
        inputs: In::default(),
        lookup: None,
        pending: None,
        stalled: None,
        numbers: (0..config.l2_ways as u8).cycle().take(lines).collect(),
        lines: vec![Line::Absent; lines],
        shared: vec![None; lines],
        users: Users::new(lines),
        valid: 0,
        mshrs: (0..config.l2_mshr as u8).rev().collect(),
        filled: VecDeque::new(),
        gone: VecDeque::new(),
        gone_of: vec![0; config.l2_sets as usize],
    }))
}

/// `hint` of a request in the bank: the block has said nothing of it yet.
const UNKNOWN: u8 = 0;
/// Its line was here, and is private.
const PRIVATE: u8 = 1;
/// Its line was here, and is shared.
const SHARED: u8 = 2;
/// It waits for its line, of which the block says more when that has come.
const WAITS: u8 = 3;

/// What the block has of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Absent,
    /// Reserved, with this MSHR.
    Reserved(u8),
    Valid,
}

/// A request that is to be placed. No other is performed before it is, or passes.
#[derive(Clone, Copy, Debug)]
struct Pending {
    request: Handle<Message>,
    /// It is performed once it has a way: there is nothing to wait for.
    is_write: bool,
    mshr: u8,
    said: Option<Action>,
    /// The way that it has.
    way: Option<Way>,
}

/// What the bank does in a cycle is the block's input of that cycle: its edge is that of the bank's
/// next visit, and there is one in the next cycle.
#[derive(Debug)]
struct Policy {
    place: String,
    block: Socket<SharingL2Policy>,
    n_sm: u32,
    /// It is no baseline.
    manages: bool,
    /// The last SM stands for other GPUs.
    of_others: bool,
    /// Of a set.
    ways: u32,
    inputs: In,
    /// Whose access was shown in this cycle, and to which way, other than the pending one's.
    lookup: Option<(Handle<Message>, Way)>,
    pending: Option<Pending>,
    /// A request that all ways of its set were reserved for; none has been filled since.
    stalled: Option<Handle<Message>>,
    /// Of each way the block's number of it in its set.
    numbers: Vec<u8>,
    lines: Vec<Line>,
    /// Of a line that has come: whether it was shared then.
    shared: Vec<Option<bool>>,
    users: Users,
    /// Lines that are valid in the block.
    valid: usize,
    /// Free MSHRs.
    mshrs: Vec<u8>,
    /// Lines that have come, and lines that have gone, that the block has not been told of: it
    /// receives one in a cycle. And how many of each set have gone.
    filled: VecDeque<Way>,
    gone: VecDeque<Way>,
    gone_of: Vec<u32>,
}

impl Policy {
    /// A way as the block calls it.
    fn number_of(&self, way: Way) -> Place {
        Place { set: (way / self.ways) as u16, way: self.numbers[way as usize] }
    }

    /// The way of a number of the block.
    fn way_of(&self, set: u16, number: u8) -> Way {
        let first = Way::from(set) * self.ways;
        let numbers = &self.numbers[first as usize..][..self.ways as usize];
        let at = numbers.iter().position(|&other| other == number);
        first + at.expect("a way of the block") as Way
    }

    /// The SM that a request is counted for: a bank of another chiplet counts as the first of its
    /// CUs.
    fn sm(&self, ctx: &Context, from: Unit) -> u8 {
        let layout = &ctx.layout;
        let (chiplet, core) = match layout.site(from) {
            Site::Core(chiplet, core) => (chiplet, core),
            Site::Bank(chiplet, _) | Site::Slice(chiplet, _) => (chiplet, 0),
            Site::Gate(_) => return (self.n_sm - 1) as u8,
        };
        let all = self.n_sm - u32::from(self.of_others);
        let number = u32::from(chiplet % layout.chiplets) * u32::from(layout.cores);
        // Of an L2 that its chiplet's CUs alone ask for.
        ((number + u32::from(core)) % all) as u8
    }

    /// Shows the block a request's access to a line that is here or on its way, if none was shown
    /// in this cycle.
    fn look_up(&mut self, ctx: &Context, request: Handle<Message>, at: Way) {
        if self.inputs.lk.is_some() {
            return;
        }
        let Place { set, way } = self.number_of(at);
        let (mshr_hit, mshr) = match self.lines[at as usize] {
            Line::Reserved(mshr) => (true, mshr),
            _ => (false, 0),
        };
        let (hit, way) = if mshr_hit { (false, 0) } else { (true, way) };
        let Message { addr, from, .. } = ctx.messages[request];
        let (sm, is_local) = (self.sm(ctx, from), ctx.is_private(addr));
        self.inputs.lk = Some(Lookup { is_local, sm, hit, mshr_hit, mshr, set, way });
        self.lookup = Some((request, at));
    }

    /// Whether an access of the request was shown in this cycle.
    fn is_shown(&self, request: Handle<Message>) -> bool {
        self.lookup.is_some_and(|(shown, _)| shown == request)
    }

    /// Whether the block has said what a request needs to know, whose line is in `way`.
    fn knows(&mut self, ctx: &Context, request: Handle<Message>, way: Way) -> bool {
        match ctx.messages[request].hint {
            UNKNOWN if !self.is_shown(request) => self.look_up(ctx, request, way),
            UNKNOWN => {}
            WAITS => return self.shared[way as usize].is_some(),
            _ => return true,
        }
        false
    }

    /// Whether another request is to be placed.
    fn must_wait(&self, request: Handle<Message>) -> bool {
        self.pending.is_some_and(|pending| pending.request != request)
    }
}

impl BankHook for Policy {
    fn tick(&mut self, port: &mut BankPort) {
        self.advance(port.ctx);
    }

    fn quiet_cycles(&self) -> Cycle {
        match self.inputs == In::default() && self.gone.is_empty() && self.filled.is_empty() {
            true => self.block.quiet_cycles(),
            false => 0,
        }
    }

    fn may_perform(
        &mut self,
        port: &mut BankPort,
        request: Handle<Message>,
        way: Option<Way>,
    ) -> bool {
        if self.must_wait(request) {
            return false;
        }
        // A line that is not here is asked for when its way is chosen.
        way.is_none_or(|way| self.knows(port.ctx, request, way))
    }

    fn may_wait(&mut self, port: &mut BankPort, request: Handle<Message>, way: Way) -> bool {
        if self.must_wait(request) {
            return false;
        }
        port.ctx.messages[request].hint == WAITS || self.knows(port.ctx, request, way)
    }

    fn next(&mut self, port: &mut BankPort, request: Handle<Message>, way: Option<Way>) {
        let is_new = port.ctx.messages[request].hint == UNKNOWN && !self.is_shown(request);
        if let Some(way) = way.filter(|_| is_new && self.pending.is_none()) {
            self.look_up(port.ctx, request, way);
        }
    }

    fn choose(
        &mut self,
        port: &mut BankPort,
        request: Handle<Message>,
        ways: Ways,
        may_pass: bool,
    ) -> Choice {
        if let Some(Pending { request: asked, said, .. }) = self.pending {
            let Some(said) = said.filter(|_| asked == request) else { return Choice::NotYet };
            if said.act != act::ALLOC {
                return Choice::Nowhere;
            }
            port.ctx.messages[request].hint = WAITS;
            return self.take(ways).map_or(Choice::NotYet, Choice::Way);
        }
        let set = ways.first / self.ways;
        let is_free = self.inputs.lk.is_none() && self.gone_of[set as usize] == 0;
        if !is_free || ways.free == 0 || self.stalled == Some(request) {
            return Choice::NotYet;
        }
        let Some(mshr) = self.mshrs.pop() else { return Choice::NotYet };
        let Message { addr, from, kind, .. } = port.ctx.messages[request];
        let is_local = may_pass && port.ctx.is_private(addr);
        let sm = self.sm(port.ctx, from);
        let set = set as u16;
        self.inputs.lk =
            Some(Lookup { is_local, sm, hit: false, mshr_hit: false, mshr, set, way: 0 });
        let is_write = kind == Kind::Write;
        self.pending = Some(Pending { request, is_write, mshr, said: None, way: None });
        Choice::NotYet
    }

    fn place(&mut self, way: Way, _addr: u64) {
        let pending = self.pending.take().expect("its way was chosen");
        if pending.is_write {
            self.come(way);
        }
    }

    fn fill(&mut self, port: &mut BankPort, way: Way) {
        self.advance(port.ctx);
        if let Line::Reserved(_) = self.lines[way as usize] {
            self.come(way);
        }
    }

    fn evict(&mut self, way: Way) {
        // The block knows of the line that goes for the pending one.
        if self.pending.is_none_or(|pending| pending.way != Some(way)) {
            self.gone.push_back(way);
            self.gone_of[(way / self.ways) as usize] += 1;
        }
    }

    fn answer(
        &mut self,
        port: &mut BankPort,
        way: Way,
        asked: &Message,
        answer: Handle<Message>,
        _line: &[u8],
    ) {
        let is_shared = match asked.hint {
            WAITS => self.shared[way as usize] == Some(true),
            hint => hint == SHARED,
        };
        port.ctx.messages[answer].hint = u8::from(is_shared && asked.kind == Kind::Read);
    }

    fn pass(&mut self, port: &mut BankPort, request: Handle<Message>) {
        port.ctx.messages[request].hint = UNKNOWN;
        if !self.must_wait(request) {
            self.pending = None;
        }
    }

    fn counters(&self, all: &mut CounterValues) {
        let counters = self.block.outputs().counters;
        all.extend([
            ("sharing_hits", counters.hits.into()),
            ("sharing_merges", counters.merges.into()),
            ("sharing_allocs", counters.allocs.into()),
            ("sharing_bypasses", counters.bypasses.into()),
            ("sharing_stalls", counters.stalls.into()),
            ("sharing_sf_set", counters.sf_set.into()),
            ("sharing_evict_private", counters.evict_private.into()),
            ("sharing_evict_shared", counters.evict_shared.into()),
            ("sharing_users", self.users.counted),
            ("sharing_reuses", self.users.reuses[0]),
            ("sharing_late_reuses", self.users.reuses[1]),
        ]);
    }
}
