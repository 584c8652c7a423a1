//! GPUs and homes, the channels between them, and the checks after every step.

mod threads;

use std::collections::VecDeque;

use cosim::stimulus::Random;

use crate::directory::systems::counts::Counts;
use crate::directory::systems::directory::Source;
use crate::directory::systems::failure::{Check, Failure};
use crate::directory::systems::history::Published;
use crate::directory::systems::home::{Effect, Home};
use crate::directory::systems::knowledge::Knowledge;
use crate::directory::systems::log::{Detail, Log};
use crate::directory::systems::messages::{Message, Token};
use crate::directory::systems::phase::Phase;
use crate::directory::systems::pool;
use crate::directory::systems::program::Op;
use crate::directory::systems::sharer::{Applied, Sharer};
use crate::directory::systems::weakness::Weakness;
use crate::directory::systems::words::WORDS;

/// Threads of a GPU.
const THREADS: usize = 3;
/// Most steps of releases that end in one step of the system.
const TOKENS: usize = 4;
/// Steps between rests.
const REST: u64 = 6000;
/// Steps in which everything in flight must come home.
const PATIENCE: u64 = 40_000;

/// A system, all of which follows from this.
#[derive(Clone, Debug)]
pub struct Setup {
    pub name: String,
    pub source: Source,
    pub homes: usize,
    pub seed: u64,
    pub weakness: Option<Weakness>,
    /// Checks that find nothing.
    pub ignored: &'static [Check],
}

struct Thread {
    gpu: usize,
    program: VecDeque<Op>,
    waits: bool,
    /// Its release, and the homes that have not answered.
    release: Option<(Published, usize)>,
}

pub struct System {
    setup: Setup,
    random: Random,
    phase: Phase,
    lines: Vec<std::ops::Range<usize>>,
    /// No more programs: the next rest comes.
    resting: bool,
    threads: Vec<Thread>,
    gpus: Vec<Sharer>,
    homes: Vec<Home>,
    tokens: Vec<Token>,
    /// By GPU and line: invalidations and write-throughs in flight.
    invs: Vec<Vec<u32>>,
    writes: Vec<Vec<u32>>,
    knowledge: Knowledge,
    log: Log,
    effects: Vec<Effect>,
    counts: Counts,
}

type Step<T = ()> = Result<T, Box<Failure>>;

impl System {
    pub fn new(setup: &Setup) -> Self {
        let mut random = Random::new(setup.seed);
        let config = setup.source.config();
        let gpus = config.gpus as usize;
        let threads = gpus * THREADS;
        let (mut homes, mut lines) = (Vec::new(), Vec::new());
        let mut first = 0;
        for gpu in 0..setup.homes {
            let addresses = pool::draw(&mut random, &config);
            lines.push(first..first + addresses.len());
            let directory = setup.source.make(gpu, setup.seed, setup.weakness);
            let next = first + addresses.len();
            let weakness = setup.weakness;
            homes.push(Home::new(gpu, gpus, threads, directory, addresses, first, weakness));
            first = next;
        }
        let of_thread: Vec<usize> = (0..threads).map(|thread| thread / THREADS).collect();
        let thread =
            |&gpu: &usize| Thread { gpu, program: VecDeque::new(), waits: false, release: None };
        Self {
            phase: Phase::draw(&mut random, &lines, gpus),
            lines,
            resting: false,
            threads: of_thread.iter().map(thread).collect(),
            gpus: (0..gpus).map(|_| Sharer::new(first, setup.homes)).collect(),
            homes,
            tokens: Vec::new(),
            invs: vec![vec![0; first]; gpus],
            writes: vec![vec![0; first]; gpus],
            knowledge: Knowledge::new(&of_thread, gpus, first * WORDS),
            log: Log::new(first),
            effects: Vec::new(),
            counts: Counts::default(),
            random,
            setup: setup.clone(),
        }
    }

    /// Runs with a rest now and then and at the end.
    pub fn run(mut self, steps: u64) -> Step<Counts> {
        while self.log.step < steps {
            let end = steps.min(self.log.step + REST);
            while self.log.step < end {
                self.step()?;
            }
            self.rest()?;
        }
        self.counts.steps = self.log.step;
        Ok(self.counts)
    }

    fn is_quiet(&self) -> bool {
        self.tokens.is_empty()
            && self.threads.iter().all(|thread| thread.program.is_empty() && !thread.waits)
            && self.gpus.iter().all(Sharer::is_quiet)
            && self.homes.iter().all(Home::is_quiet)
    }

    /// Lets everything in flight come home, and compares copies with memory.
    fn rest(&mut self) -> Step {
        self.resting = true;
        self.phase = self.phase.clone().quiet();
        let begin = self.log.step;
        while !self.is_quiet() {
            self.step()?;
            if self.log.step > begin + PATIENCE {
                let waiting = self.threads.iter().position(|thread| thread.waits);
                let gpu = waiting.map_or(0, |thread| self.threads[thread].gpu);
                let expected = "an end of all that was asked for";
                return self.fail(Check::Progress, gpu, 0, expected, &format!("{waiting:?} waits"));
            }
        }
        for line in 0..self.lines.last().map_or(0, |lines| lines.end) {
            let home = self.home(line);
            let memory = self.homes[home].memory[line - self.lines[home].start];
            for gpu in 0..self.gpus.len() {
                if let Some(copy) = self.gpus[gpu].copy(line).filter(|copy| **copy != memory) {
                    let found = format!("a copy with {copy:?}");
                    let expected = format!("nothing but {memory:?}");
                    self.fail(Check::AtRest, gpu, line, &expected, &found)?;
                }
            }
        }
        self.counts.rests += 1;
        self.resting = false;
        self.phase.left = 0;
        Ok(())
    }

    fn step(&mut self) -> Step {
        if !self.resting {
            if self.phase.left == 0 {
                self.phase = Phase::draw(&mut self.random, &self.lines, self.gpus.len());
            }
            self.phase.left -= 1;
        }
        for thread in 0..self.threads.len() {
            if !self.threads[thread].waits && self.random.chance(self.phase.issue) {
                self.issue(thread)?;
            }
        }
        for home in 0..self.homes.len() {
            self.tick_home(home)?;
        }
        for gpu in 0..self.gpus.len() {
            self.tick_gpu(gpu)?;
        }
        for _ in 0..self.tokens.len().min(TOKENS) {
            if self.random.chance(self.phase.token) {
                let at = self.random.below(self.tokens.len() as u32) as usize;
                let token = self.tokens.swap_remove(at);
                self.arrive(token);
            }
        }
        self.check_sharers()?;
        self.log.step += 1;
        Ok(())
    }

    fn home(&self, line: usize) -> usize {
        self.lines.iter().position(|lines| lines.contains(&line)).expect("each line has a home")
    }

    fn tick_home(&mut self, home: usize) -> Step {
        let Self { homes, random, phase, log, counts, effects, .. } = self;
        let ticked = homes[home].tick(random, phase, log, counts, effects);
        if let Err(found) = ticked {
            let line = self.lines[home].start;
            self.fail(Check::Ports, home, line, "legal outputs of the directory", &found)?;
        }
        let mut effects = std::mem::take(&mut self.effects);
        for effect in effects.drain(..) {
            self.apply(home, effect)?;
        }
        self.effects = effects;
        Ok(())
    }

    fn apply(&mut self, home: usize, effect: Effect) -> Step {
        match effect {
            Effect::Send { gpu, message } => {
                if let Message::Inv { line } = message {
                    self.invs[gpu][line] += 1;
                }
                self.gpus[gpu].channels[home].push_back(message);
            }
            Effect::Read { thread, word, write } => {
                self.returned(thread, word, write, "reads memory:")?;
            }
            Effect::Atomic { thread, reply } => self.replied(thread, reply)?,
            Effect::Wrote { word, write } => self.knowledge.seen(home, word, write),
            Effect::Ordered { write, number } => self.knowledge.history.order(write, number),
            Effect::Released { thread } => self.tokens.push(Token::Released { thread }),
            Effect::Decided { gpu, line } => self.writes[gpu][line] -= 1,
        }
        Ok(())
    }

    fn tick_gpu(&mut self, gpu: usize) -> Step {
        for home in 0..self.homes.len() {
            if self.random.chance(self.phase.message[home][gpu]) {
                let Some(message) = self.gpus[gpu].channels[home].pop_front() else { continue };
                match message {
                    Message::Marker { home, thread }
                        if self.setup.weakness == Some(Weakness::MarkerBeforeBanks) =>
                    {
                        self.tokens.push(Token::Returned { home, thread });
                    }
                    _ => self.gpus[gpu].arrive(message),
                }
            }
        }
        for bank in 0..self.gpus[gpu].banks.len() {
            if self.random.chance(self.phase.banks[gpu][bank])
                && let Some(message) = self.gpus[gpu].banks[bank].pop_front()
            {
                self.apply_message(gpu, &message)?;
            }
        }
        if self.random.chance(self.phase.drop_copy) {
            let all = self.lines.last().map_or(0, |lines| lines.end) as u32;
            let line = self.random.below(all) as usize;
            if self.gpus[gpu].drop_copy(line) {
                self.counts.dropped_copies += 1;
                self.log.note(line, gpu, "evicts its copy", Detail::None);
            }
        }
        Ok(())
    }

    fn apply_message(&mut self, gpu: usize, message: &Message) -> Step {
        match self.gpus[gpu].apply(message) {
            Applied::Filled(waiters) => {
                self.counts.fills += 1;
                for (thread, word, write) in waiters {
                    self.returned(thread, word, write, "reads a fill:")?;
                }
            }
            Applied::Invalidated(hit) => {
                let line = message.line().expect("an invalidation has a line");
                self.invs[gpu][line] -= 1;
                let Counts { inv_hits, inv_misses, .. } = &mut self.counts;
                *(if hit { inv_hits } else { inv_misses }) += 1;
                let what = if hit { "INV drops its copy" } else { "INV finds no copy" };
                self.log.note(line, gpu, what, Detail::None);
            }
            Applied::Replied => {
                if let Message::Reply { thread, reply } = *message {
                    self.replied(thread, reply)?;
                }
            }
            Applied::Marker { home, thread } => self.tokens.push(Token::Returned { home, thread }),
            Applied::Part => {}
        }
        Ok(())
    }

    fn arrive(&mut self, token: Token) {
        match token {
            Token::Returned { home, thread } => {
                let left = &mut self.homes[home].markers[thread];
                *left -= 1;
                if *left == 0 {
                    self.tokens.push(Token::Released { thread });
                }
            }
            Token::Released { thread } => {
                let release = &mut self.threads[thread].release;
                let (published, left) = release.take().expect("it waits for this");
                if left > 1 {
                    *release = Some((published, left - 1));
                    return;
                }
                self.knowledge.released(published);
                self.threads[thread].waits = false;
                self.counts.releases += 1;
            }
        }
    }

    /// Specification section 8: every L2 copy outside the home has its bit set, or an INV for it,
    /// or a write-through of it from that GPU, is in flight.
    fn check_sharers(&mut self) -> Step {
        for home in 0..self.homes.len() {
            let lines = self.lines[home].clone();
            for line in lines.clone() {
                let known = &self.homes[home].tracking;
                for gpu in 0..self.gpus.len() {
                    let in_flight = self.invs[gpu][line] + self.writes[gpu][line];
                    if self.gpus[gpu].copy(line).is_some()
                        && in_flight == 0
                        && known.sharers[line - lines.start] >> gpu & 1 == 0
                        && known.knows(line - lines.start) >> gpu & 1 == 0
                    {
                        let sharers = known.sharers[line - lines.start];
                        let found = format!("sharers {sharers:#b}, nothing in flight");
                        let expected = "its copy is known to the directory";
                        return self.fail(Check::LostSharer, gpu, line, expected, &found);
                    }
                }
            }
        }
        Ok(())
    }

    fn fail(&self, check: Check, gpu: usize, line: usize, expected: &str, found: &str) -> Step {
        if self.setup.ignored.contains(&check) {
            return Ok(());
        }
        let Setup { name, homes, seed, .. } = &self.setup;
        let home = self.home(line);
        let address = self.homes[home].addresses[line - self.lines[home].start];
        Err(Box::new(Failure {
            check,
            step: self.log.step,
            system: format!("{name}, {homes} homes, seed {seed}"),
            gpu,
            line: format!("line {address:#x} of home {home}"),
            expected: expected.to_string(),
            found: found.to_string(),
            events: self.log.of(line),
        }))
    }
}
