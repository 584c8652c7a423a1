//! A home with its directory, and GPUs that hold copies of its lines.

use std::sync::Arc;

use hwmodel::directory::coherence_directory::CoherenceDirectory;
use hwmodel::{Block, Model};
use ports::directory::coherence_directory::{Config, In, Req, cause, op};

use super::messages::{Copy, Down, Gpu, Held, Line, Up, Value};
use super::rules::Rule;
use super::setup::Setup;
use crate::space::{Broken, Space};
use crate::traced::{Replay, Traced};

/// The home is GPU 0.
const HOME: u8 = 0;
/// Messages of a channel to the home.
const UP: usize = 2;
/// With more messages in a channel from the home it takes no request.
const DOWN: usize = 1;

/// A stale copy is being invalidated.
pub const COVERED: &str = "each stale copy has a pending invalidation";
/// After a release no cache has what was stale before.
pub const RELEASED: &str = "no stale copy outlives a release";

/// The directory, and all that is held and under way.
#[derive(Clone, Debug, Hash)]
pub struct State {
    /// Nothing is inside between steps.
    directory: Arc<Traced<CoherenceDirectory>>,
    /// The newest value of each line: the order in which the home accesses it.
    home: Vec<Value>,
    /// GPU 1 and those that follow.
    gpus: Vec<Gpu>,
    /// A release is under way; once it has passed the home, GPUs that have not answered.
    release: Option<Option<u8>>,
    broken: Option<Broken>,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A GPU sends a read.
    Read(usize, Line),
    /// A GPU stores to all of a line; the L2 keeps it, or does not.
    Write(usize, Line, bool),
    /// A GPU sends an atomic.
    Atomic(usize, Line),
    /// A GPU's L2 drops a copy.
    Drop(usize, Line),
    /// A GPU releases.
    Release(usize),
    /// The home stores to a line.
    HomeWrite(Line),
    /// The home evicts the entry of a line.
    Evict(Line),
    /// The home takes a request out of a GPU's channel.
    Home(usize, usize),
    /// A GPU takes a message of the home.
    Take(usize, usize),
}

/// A setup to be searched.
pub struct Directory {
    setup: &'static Setup,
    config: Config,
    without: Option<Rule>,
}

impl Directory {
    /// With all rules, or without one.
    pub fn new(setup: &'static Setup, without: Option<Rule>) -> Self {
        Self { setup, config: setup.config(), without }
    }

    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    fn address(&self, line: Line) -> u64 {
        self.setup.lines[usize::from(line)] * u64::from(self.config.line)
    }

    /// A request goes through the directory, and all that it causes into the channels.
    fn request(&self, state: &mut State, op: u8, src: u8, line: Option<Line>) {
        let addr = line.map_or(0, |line| self.address(line));
        let directory = Arc::make_mut(&mut state.directory);
        let mut req = Some(Req { addr, id: 0, src, op });
        loop {
            let inputs =
                In { req, rsp_ready: true, inv_ready: true, self_id: HOME, ..In::default() };
            let out = directory.tick(&inputs);
            if out.req_ready {
                req = None;
            }
            if let Some(inv) = out.inv {
                let line = (0..self.setup.lines.len() as Line)
                    .find(|&line| self.address(line) == inv.addr);
                let message = match inv.cause {
                    cause::FENCE => Some(Down::Marker),
                    _ => line.map(Down::Invalidate),
                };
                for (at, gpu) in state.gpus.iter_mut().enumerate() {
                    if inv.dest >> (at + 1) & 1 == 1 {
                        gpu.down.extend(message.map(|message| (message, false)));
                    }
                }
            }
            if req.is_none() && directory.is_idle() {
                return;
            }
        }
    }

    /// A value that is not held.
    fn new_value(state: &State) -> Value {
        let is_held = |value: Value| {
            let holds = |gpu: &Gpu| {
                let up = |up: &Up| matches!(up, Up::Write(_, other) if *other == value);
                let down = |down: &(Down, bool)| matches!(down.0, Down::Fill(_, v) if v == value);
                let held = |held: &Held| {
                    held.copy.is_some_and(|copy| copy.value == value) || held.merges == Some(value)
                };
                gpu.up.iter().any(up) || gpu.down.iter().any(down) || gpu.held.iter().any(held)
            };
            state.home.contains(&value) || state.gpus.iter().any(holds)
        };
        (0..).find(|&value| !is_held(value)).expect("few values are held")
    }

    /// The home executes the oldest request, or one that has overtaken others.
    fn home(&self, state: &mut State, at: usize, place: usize) {
        let src = at as u8 + 1;
        match state.gpus[at].up.remove(place) {
            Up::Read(line) => {
                self.request(state, op::RRD, src, Some(line));
                let value = state.home[usize::from(line)];
                state.gpus[at].down.push((Down::Fill(line, value), false));
            }
            Up::Write(line, value) => {
                state.home[usize::from(line)] = value;
                self.request(state, op::RWR, src, Some(line));
            }
            Up::Atomic(line) => {
                state.home[usize::from(line)] = Self::new_value(state);
                match self.keeps(Rule::AtomicIsLocal) {
                    true => self.request(state, op::LWR, HOME, Some(line)),
                    false => self.request(state, op::RWR, src, Some(line)),
                }
            }
            Up::Fence => {
                self.condemn(state);
                self.request(state, op::FENCE, src, None);
                let has_marker = |gpu: &Gpu| matches!(gpu.down.last(), Some((Down::Marker, _)));
                let gpus = state.gpus.iter().enumerate().filter(|(_, gpu)| has_marker(gpu));
                let notified = gpus.map(|(at, _)| 1 << at).sum();
                self.wait(state, notified);
            }
        }
    }

    /// A release passes the home: what is old now may not be there when it is complete.
    fn condemn(&self, state: &mut State) {
        for at in 0..state.gpus.len() {
            for line in 0..state.home.len() {
                let stale = Self::is_stale(state, at, line as Line);
                let gpu = &mut state.gpus[at];
                if let Some(copy) = &mut gpu.held[line].copy {
                    copy.condemned = stale;
                }
            }
            for (down, condemned) in &mut state.gpus[at].down {
                if let Down::Fill(line, value) = *down {
                    *condemned = value != state.home[usize::from(line)];
                }
            }
        }
    }

    /// A copy is older than the home's line: not of a store of its own that is under way.
    fn is_stale(state: &State, at: usize, line: Line) -> bool {
        let gpu = &state.gpus[at];
        let Some(copy) = gpu.held[usize::from(line)].copy else { return false };
        let own = Up::Write(line, copy.value);
        copy.value != state.home[usize::from(line)] && !gpu.up.contains(&own)
    }

    fn take(&self, state: &mut State, at: usize, place: usize) {
        let gpu = &mut state.gpus[at];
        match gpu.down.remove(place) {
            (Down::Fill(line, value), condemned) => {
                let held = &mut gpu.held[usize::from(line)];
                let merges = held.merges.take().filter(|_| self.keeps(Rule::Merge));
                held.reads = false;
                held.copy = Some(match merges {
                    Some(value) => Copy { value, condemned: false },
                    None => Copy { value, condemned },
                });
            }
            (Down::Invalidate(line), _) => gpu.held[usize::from(line)].copy = None,
            (Down::Marker, _) => {
                let left = state.release.flatten().unwrap_or_default() & !(1 << at);
                self.wait(state, left);
            }
        }
    }

    /// The release that has passed the home waits for these GPUs.
    fn wait(&self, state: &mut State, left: u8) {
        state.release = Some(Some(left));
        if left == 0 {
            state.release = None;
            self.complete(state);
        }
    }

    /// All GPUs have answered.
    fn complete(&self, state: &mut State) {
        for (at, gpu) in state.gpus.iter_mut().enumerate() {
            for (line, held) in gpu.held.iter_mut().enumerate() {
                let Some(copy) = &mut held.copy else { continue };
                if std::mem::take(&mut copy.condemned) {
                    let how = format!(
                        "GPU {} still has a copy of {} that was stale when the release passed the \
                         home",
                        at + 1,
                        name(line as Line)
                    );
                    state.broken = Some(Broken { property: RELEASED, how });
                }
            }
            gpu.down.iter_mut().for_each(|(_, condemned)| *condemned = false);
        }
    }

    /// Requests of a GPU that the home may take next.
    fn nexts(&self, up: &[Up]) -> Vec<usize> {
        let read = |up: &Up| matches!(up, Up::Read(_));
        let mut nexts: Vec<_> = (0..up.len().min(1)).collect();
        if !self.keeps(Rule::RequestOrder)
            && let Some(first) = up.first()
        {
            nexts.extend(up.iter().position(|other| read(other) != read(first)));
        }
        nexts
    }

    /// Messages of the home that a GPU may take next.
    fn arrivals(&self, down: &[(Down, bool)]) -> Vec<usize> {
        let kind = |down: &Down| match down {
            Down::Fill(..) => 0,
            Down::Invalidate(_) => 1,
            Down::Marker => 2,
        };
        let mut arrivals: Vec<_> = (0..down.len().min(1)).collect();
        let Some((first, _)) = down.first() else { return arrivals };
        if !self.keeps(Rule::FillOrder) && kind(first) != 2 {
            let other = 1 - kind(first);
            arrivals.extend(down.iter().position(|(down, _)| kind(down) == other));
        }
        if !self.keeps(Rule::MarkerOrder) && kind(first) != 2 {
            arrivals.extend(down.iter().position(|(down, _)| kind(down) == 2));
        }
        arrivals
    }

    fn describe_sharers(&self, state: &State) -> String {
        let tracked: Vec<_> = (0..state.home.len() as Line)
            .filter_map(|line| {
                let sharers = state.directory.sharers(self.address(line))?;
                let of = (0..16).filter(|gpu| sharers >> gpu & 1 == 1);
                let of: Vec<_> = of.map(|gpu| format!("{gpu}")).collect();
                Some(format!("{} in GPU {}", name(line), of.join(" and ")))
            })
            .collect();
        match tracked.is_empty() {
            true => "the directory then tracks nothing".into(),
            false => format!("the directory then tracks {}", tracked.join(", ")),
        }
    }
}

fn name(line: Line) -> char {
    char::from(b'x' + line)
}

fn describe_up(up: Up) -> String {
    match up {
        Up::Read(line) => format!("read of {}", name(line)),
        Up::Write(line, value) => format!("write-through of {} = {value}", name(line)),
        Up::Atomic(line) => format!("atomic on {}", name(line)),
        Up::Fence => "release".into(),
    }
}

impl Space for Directory {
    type State = State;
    type Step = Step;

    fn start(&self, is_traced: bool) -> State {
        let lines = self.setup.lines.len();
        let directory = match self.without {
            Some(Rule::Block(rule)) => CoherenceDirectory::without(&self.config, rule),
            _ => CoherenceDirectory::new(&self.config),
        };
        let mut directory = Traced::new(directory, self.config.clone(), is_traced);
        while !directory.is_idle() {
            directory.tick(&In { self_id: HOME, ..In::default() });
        }
        let gpu = Gpu { held: vec![Held::default(); lines], ..Gpu::default() };
        State {
            directory: Arc::new(directory),
            home: (0..lines as Value).collect(),
            gpus: vec![gpu; self.config.gpus as usize - 1],
            release: None,
            broken: None,
        }
    }

    fn replays(&self, state: &State) -> Vec<Replay> {
        state.directory.replay("the home".into()).into_iter().collect()
    }

    fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        if self.broken(state).is_some() {
            return;
        }
        let lines = 0..state.home.len() as Line;
        let has_room = state.gpus.iter().all(|gpu| gpu.down.len() <= DOWN);
        for (at, gpu) in state.gpus.iter().enumerate() {
            for place in self.arrivals(&gpu.down) {
                steps.push(Step::Take(at, place));
            }
            if has_room {
                steps.extend(self.nexts(&gpu.up).into_iter().map(|place| Step::Home(at, place)));
            }
            for line in lines.clone() {
                let held = &gpu.held[usize::from(line)];
                if held.copy.is_some() {
                    steps.push(Step::Drop(at, line));
                }
                if gpu.up.len() == UP {
                    continue;
                }
                if held.copy.is_none() && !held.reads {
                    steps.push(Step::Read(at, line));
                }
                steps.push(Step::Write(at, line, true));
                if held.copy.is_none() {
                    steps.push(Step::Write(at, line, false));
                }
                steps.push(Step::Atomic(at, line));
            }
            if gpu.up.len() < UP && state.release.is_none() && self.setup.releases {
                steps.push(Step::Release(at));
            }
        }
        if has_room {
            steps.extend(lines.clone().map(Step::HomeWrite));
        }
        if has_room && self.setup.evicts {
            steps.extend(lines.map(Step::Evict));
        }
    }

    fn after(&self, state: &State, step: &Step) -> Option<State> {
        let mut state = state.clone();
        match *step {
            Step::Read(at, line) => {
                state.gpus[at].held[usize::from(line)].reads = true;
                state.gpus[at].up.push(Up::Read(line));
            }
            Step::Write(at, line, keeps) => {
                let value = Self::new_value(&state);
                let gpu = &mut state.gpus[at];
                let held = &mut gpu.held[usize::from(line)];
                if keeps {
                    held.copy = Some(Copy { value, condemned: false });
                }
                if held.reads {
                    held.merges = Some(value);
                }
                gpu.up.push(Up::Write(line, value));
            }
            Step::Atomic(at, line) => state.gpus[at].up.push(Up::Atomic(line)),
            Step::Drop(at, line) => state.gpus[at].held[usize::from(line)].copy = None,
            Step::Release(at) => {
                state.gpus[at].up.push(Up::Fence);
                state.release = Some(None);
            }
            Step::HomeWrite(line) => {
                state.home[usize::from(line)] = Self::new_value(&state);
                self.request(&mut state, op::LWR, HOME, Some(line));
            }
            Step::Evict(line) => self.request(&mut state, op::EVICT, HOME, Some(line)),
            Step::Home(at, place) => self.home(&mut state, at, place),
            Step::Take(at, place) => self.take(&mut state, at, place),
        }
        Some(state)
    }

    fn broken(&self, state: &State) -> Option<Broken> {
        if state.broken.is_some() {
            return state.broken.clone();
        }
        for (at, gpu) in state.gpus.iter().enumerate() {
            for line in 0..state.home.len() as Line {
                let covered = gpu.down.iter().any(|(down, _)| *down == Down::Invalidate(line));
                if Self::is_stale(state, at, line) && !covered {
                    let how = format!(
                        "GPU {} has a stale copy of {} without a pending invalidation",
                        at + 1,
                        name(line)
                    );
                    return Some(Broken { property: COVERED, how });
                }
            }
        }
        None
    }

    fn is_drained(&self, state: &State) -> bool {
        state.release.is_none()
            && state.gpus.iter().all(|gpu| gpu.up.is_empty() && gpu.down.is_empty())
    }

    fn describe(&self, before: &State, step: &Step, after: &State) -> String {
        let gpu = |at: usize| format!("GPU {}", at + 1);
        let sharers = || self.describe_sharers(after);
        match *step {
            Step::Read(at, line) => format!("{} sends a read of {}", gpu(at), name(line)),
            Step::Write(at, line, keeps) => {
                let sent = after.gpus[at].up.last().expect("a write was sent");
                let kept = if keeps { "keeps it and " } else { "" };
                format!(
                    "{} stores to {}, {kept}sends a {}",
                    gpu(at),
                    name(line),
                    describe_up(*sent)
                )
            }
            Step::Atomic(at, line) => format!("{} sends an atomic on {}", gpu(at), name(line)),
            Step::Drop(at, line) => format!("{} drops its copy of {}", gpu(at), name(line)),
            Step::Release(at) => format!("{} sends a release", gpu(at)),
            Step::HomeWrite(line) => {
                let value = after.home[usize::from(line)];
                format!("the home stores {} = {value}; {}", name(line), sharers())
            }
            Step::Evict(line) => {
                format!("the home evicts the entry of {}; {}", name(line), sharers())
            }
            Step::Home(at, place) => {
                let what = describe_up(before.gpus[at].up[place]);
                format!("the home executes the {what} of {}; {}", gpu(at), sharers())
            }
            Step::Take(at, place) => match before.gpus[at].down[place].0 {
                Down::Fill(line, value) => {
                    let merged = match after.gpus[at].held[usize::from(line)].copy {
                        Some(copy) if copy.value != value => {
                            ", but keeps the bytes of its own \
                                                              store"
                        }
                        _ => "",
                    };
                    format!("{} receives the fill {} = {value}{merged}", gpu(at), name(line))
                }
                Down::Invalidate(line) => {
                    format!("{} receives the invalidation of {}", gpu(at), name(line))
                }
                Down::Marker => format!("{} answers the release", gpu(at)),
            },
        }
    }
}
