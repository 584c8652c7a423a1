//! A CU: its waves, its coalescer with slots for stores, its agent and its L1 (specification 5.7).

use std::collections::VecDeque;

use cosim::stimulus::Random;
use hwmodel::Block;
use ports::stc::epoch_agent::{In, Out};
use ports::stc::types::{Epoch, Load, LoadOut, Req, Store};

use super::failure::Check;
use super::l1::{Found, L1, Line, WORDS};
use super::l2::{Event, L2, Sent};
use super::setup::{Agent, Link, Op, Setup};
use super::weakness::Weakness;

/// A chain of registers.
pub struct Chain<T>(VecDeque<T>);

impl<T: Clone + Default> Chain<T> {
    pub fn new(registers: usize) -> Self {
        Self(vec![T::default(); registers].into())
    }

    /// One edge; returns what arrives in the cycle that it ends.
    pub fn pass(&mut self, value: T) -> T {
        self.0.push_back(value);
        self.0.pop_front().expect("it was just pushed")
    }
}

/// What the manager shows a CU.
#[derive(Clone, Copy, Default)]
pub struct Down {
    pub prep: bool,
    pub chg: bool,
    pub epoch: Epoch,
    pub dmd_ack: bool,
}

/// What a CU shows the manager.
#[derive(Clone, Copy, Default)]
pub struct Up {
    pub ready: bool,
    pub done: bool,
    pub req: Option<Req>,
}

struct Wave {
    program: Vec<Op>,
    next: usize,
    /// Not before this cycle.
    from: u64,
    /// Its loads and stores that are under way.
    pending: u32,
    /// By operation: its place in the order of the word.
    places: Vec<Option<u32>>,
}

/// An access that is under way.
#[derive(Clone, Copy)]
struct Access {
    wave: usize,
    op: usize,
    word: usize,
    issued: u64,
    /// The load may return what was before the host wrote.
    since: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    access: Access,
    /// Its number among the stores of its word.
    store: usize,
    atomic: bool,
    selections: u32,
    sent: bool,
    needs: u8,
}

/// A load before the L1.
struct Waiting {
    load: LoadOut,
    at: u64,
}

pub struct Cu {
    number: usize,
    body: Agent,
    /// What the agent shows in this cycle.
    pub out: Out,
    down: Chain<Down>,
    up: Chain<Up>,
    late: Chain<bool>,
    pub l1: L1,
    waves: Vec<Wave>,
    /// By line.
    under_way: Vec<u8>,
    slots: Vec<Option<Slot>>,
    last_slot: usize,
    loads: Vec<Option<Access>>,
    acks: VecDeque<u8>,
    before_l1: VecDeque<Waiting>,
    /// Stores that were taken and not acknowledged to the agent.
    pub sent: u32,
    st_stalls: u64,
    ld_stalls: u64,
    /// In this cycle.
    st_ready: bool,
    ld_ready: bool,
    /// Something was done.
    pub acted: bool,
    pub longest_wait: u32,
    pub loads_done: u64,
    pub hits: u64,
}

/// What all parts of a cycle see.
pub struct Shared<'a> {
    pub now: u64,
    pub setup: &'a Setup,
    pub random: &'a mut Random,
    pub l2: &'a mut L2,
    pub selections: u32,
}

type Checked = Result<(), (Check, String)>;

fn fail<T>(check: Check, text: impl Into<String>) -> Result<T, (Check, String)> {
    Err((check, text.into()))
}

impl Cu {
    pub fn new(setup: &Setup, number: usize) -> Self {
        let Link { down, up, late } = setup.links[number];
        let body = (setup.bodies.agent)(&setup.stc, setup.weakness);
        let out = body.outputs();
        let lines = setup.pool.lines.len();
        let waves = setup.programs[number].iter().map(|program| Wave {
            program: program.clone(),
            next: 0,
            from: 0,
            pending: 0,
            places: vec![None; program.len()],
        });
        Self {
            number,
            out,
            down: Chain::new(down),
            up: Chain::new(up),
            late: Chain::new(late),
            l1: L1::new(&setup.pool, setup.stc.band_bits, out.cer, setup.weakness),
            waves: waves.collect(),
            under_way: vec![0; lines],
            slots: vec![None; setup.stc.bsq_n as usize],
            last_slot: 0,
            loads: vec![None; 32],
            acks: VecDeque::new(),
            before_l1: VecDeque::new(),
            sent: 0,
            st_stalls: 0,
            ld_stalls: 0,
            st_ready: false,
            ld_ready: false,
            acted: false,
            longest_wait: 0,
            loads_done: 0,
            hits: 0,
            body,
        }
    }

    /// `out_q` of the agent.
    pub fn outstanding(&self) -> u32 {
        self.sent + u32::from(self.out.st.is_some())
    }

    /// All its waves have ended, and nothing is under way.
    pub fn is_done(&self) -> bool {
        self.waves.iter().all(|wave| wave.next == wave.program.len() && wave.pending == 0)
    }

    /// The place of an operation in the order of its word.
    pub fn place(&self, wave: usize, op: usize) -> Option<u32> {
        self.waves[wave].places[op]
    }

    fn keeps(&self, s: &Shared, rule: Weakness) -> bool {
        s.setup.weakness != Some(rule)
    }

    /// A new cycle.
    pub fn begin(&mut self) {
        self.out = self.body.outputs();
        self.l1.begin(self.out.cer, self.out.cer_upd);
        self.acted = false;
    }

    fn end_access(&mut self, access: &Access) {
        self.waves[access.wave].pending -= 1;
        self.under_way[access.word / WORDS] -= 1;
        self.acted = true;
    }

    /// A load has its data.
    fn returns(&mut self, s: &mut Shared, id: u8, data: &Line) -> Checked {
        let Some(access) = self.loads[usize::from(id)].take() else {
            return fail(Check::Protocol, format!("a response to load {id}, which is free"));
        };
        let Access { wave, op, word, issued, since } = access;
        let place = data[word % WORDS];
        self.waves[wave].places[op] = Some(place);
        self.end_access(&access);
        self.loads_done += 1;
        let held = s.l2.held_since(word, place, since);
        if !held || !s.l2.follows_acked(word, place, issued) {
            let (cu, now) = (self.number, s.l2.place(word));
            return fail(
                Check::Stale,
                format!("CU {cu}, load of word {word} since cycle {issued}: {place}, is {now}"),
            );
        }
        Ok(())
    }

    /// A message from the L2, or what it has done.
    pub fn receive(&mut self, s: &mut Shared, event: Event) -> Checked {
        match event {
            Event::Read { id, line, cu } => {
                let (data, at) =
                    (s.l2.line(line), s.now + 1 + below(s.random, s.setup.timing.fill));
                s.l2.send(at, s.random.word(), Event::Fill { cu, id, line, data });
            }
            Event::Fill { id, line, data, .. } => {
                self.l1.fill(line, data);
                self.returns(s, id, &data)?;
            }
            Event::Write { cu, slot, store } => {
                let Sent { wave, op, word, number, atomic } = store;
                let early = !self.keeps(s, Weakness::EarlyAck);
                let place = s.l2.write(word, s.now);
                self.waves[wave].places[op] = Some(place);
                s.l2.written(word, number).place = Some(place);
                let ack = s.setup.timing.ack;
                if !early {
                    let at = s.now + below(s.random, ack);
                    s.l2.send(at, s.random.word(), Event::Ack { cu, slot });
                }
                if atomic {
                    let at = s.now + 1 + below(s.random, ack);
                    s.l2.send(at, s.random.word(), Event::Result { cu, slot });
                }
            }
            Event::Ack { slot, .. } => self.acks.push_back(slot),
            Event::Result { slot, .. } => self.completes(s, slot)?,
            Event::Host { .. } | Event::Flash => {}
        }
        Ok(())
    }

    /// One of what a slot waits for.
    fn completes(&mut self, s: &Shared, slot: u8) -> Checked {
        let index = usize::from(slot);
        let Some(store) = &mut self.slots[index] else {
            return fail(Check::Protocol, format!("a result for slot {slot}, which is free"));
        };
        store.needs = store.needs.saturating_sub(1);
        let Slot { access, atomic, needs, .. } = *store;
        let freed = atomic && s.setup.weakness == Some(Weakness::SlotFreedByAck);
        if needs == 0 || freed {
            self.slots[index] = None;
            self.end_access(&access);
        }
        Ok(())
    }

    /// What the agent issues to the L1 and the L2.
    fn take_issued(&mut self, s: &mut Shared) -> Checked {
        let timing = s.setup.timing;
        let stalls = |r: &mut Random, until: &mut u64| {
            if s.now >= *until && r.below(4096) < timing.stalls {
                *until = s.now + u64::from(r.below(60));
            }
            s.now >= *until
        };
        self.st_ready = stalls(s.random, &mut self.st_stalls) && s.random.chance(timing.st_ready);
        self.ld_ready = stalls(s.random, &mut self.ld_stalls)
            && s.random.chance(timing.ld_ready)
            && self.before_l1.len() < 2;
        if let (Some(st), true) = (self.out.st, self.st_ready) {
            let slot = self.slots[usize::from(st.slot)].as_mut();
            let Some(slot) = slot.filter(|slot| !slot.sent) else {
                return fail(Check::Protocol, format!("slot {} is issued, but free", st.slot));
            };
            if s.setup.pool.addr(slot.access.word) != st.addr {
                return fail(Check::Protocol, format!("slot {} has another address", st.slot));
            }
            slot.sent = true;
            let Slot { access: Access { wave, op, word, .. }, store: number, atomic, .. } = *slot;
            let store = Sent { wave, op, word, number, atomic };
            let waited = s.selections - slot.selections;
            self.longest_wait = self.longest_wait.max(waited);
            self.l1.store(word / WORDS);
            self.sent += 1;
            let at = s.now + 1 + below(s.random, timing.store);
            let (cu, slot) = (self.number, st.slot);
            s.l2.send(at, s.random.word(), Event::Write { cu, slot, store });
            if !self.keeps(s, Weakness::EarlyAck) {
                let at = s.now + 1 + below(s.random, timing.ack);
                s.l2.send(at, s.random.word(), Event::Ack { cu, slot });
            }
            self.acted = true;
        }
        if let (Some(load), true) = (self.out.ld, self.ld_ready) {
            let at = s.now + below(s.random, timing.lookup);
            self.before_l1.push_back(Waiting { load, at });
            self.acted = true;
        }
        Ok(())
    }

    /// The lookup of this cycle.
    fn look_up(&mut self, s: &mut Shared) -> Checked {
        // The sweep has the tags every second cycle at least.
        if self.out.sweep && s.now.is_multiple_of(2) {
            return Ok(());
        }
        if self.before_l1.front().is_none_or(|waiting| waiting.at > s.now) {
            return Ok(());
        }
        let Some(waiting) = self.before_l1.pop_front() else { return Ok(()) };
        let LoadOut { nocache, id, addr } = waiting.load;
        let Some(access) = self.loads[usize::from(id)] else {
            return fail(Check::Protocol, format!("load {id} is free"));
        };
        let line = access.word / WORDS;
        match self.l1.look_up(line, addr, nocache, s.random.below(2)) {
            Found::Hit(data) => {
                self.hits += 1;
                self.returns(s, id, &data)?;
            }
            Found::Miss => {
                let at = s.now + 1 + below(s.random, s.setup.timing.read);
                let event = Event::Read { cu: self.number, id, line };
                s.l2.send(at, s.random.word(), event);
            }
            Found::Blocked => {
                let at = s.now + 1 + below(s.random, 8);
                self.before_l1.push_back(Waiting { at, ..waiting });
            }
        }
        Ok(())
    }

    /// A wave's next operation, if it can go on.
    fn step(&mut self, s: &mut Shared, wave: usize, inputs: &mut In) {
        let Wave { program, next, from, pending, .. } = &mut self.waves[wave];
        let Some(&op) = program.get(*next).filter(|_| *from <= s.now) else { return };
        let (number, release) = (*next, s.setup.weakness != Some(Weakness::NoRelease));
        match op {
            Op::Fence if *pending != 0 && release => return,
            Op::Fence => {}
            Op::Delay(cycles) => *from = s.now + u64::from(cycles),
            Op::Load(word) | Op::Store(word) | Op::Atomic(word) => {
                let line = word / WORDS;
                let many = s.setup.weakness == Some(Weakness::ManyPerLine);
                if self.under_way[line] != 0 && !many {
                    return;
                }
                let since = s.l2.open(line).unwrap_or(s.now);
                let access = Access { wave, op: number, word, issued: s.now, since };
                let addr = s.setup.pool.addr(word);
                if let Op::Load(_) = op {
                    let free = self.loads.iter().position(Option::is_none);
                    let Some(id) = free.filter(|_| inputs.ld.is_none() && self.out.ld_ready) else {
                        return;
                    };
                    self.loads[id] = Some(access);
                    inputs.ld = Some(Load { id: id as u8, addr });
                } else {
                    let slots = self.slots.len();
                    let free = (1..=slots).map(|n| (self.last_slot + n) % slots);
                    let free = free.into_iter().find(|&slot| self.slots[slot].is_none());
                    let Some(slot) = free.filter(|_| inputs.st.is_none()) else { return };
                    self.last_slot = slot;
                    let atomic = op == Op::Atomic(word);
                    self.slots[slot] = Some(Slot {
                        access,
                        store: s.l2.issued(word),
                        atomic,
                        selections: s.selections,
                        sent: false,
                        needs: 1 + u8::from(atomic),
                    });
                    inputs.st = Some(Store { slot: slot as u8, addr });
                }
                self.waves[wave].pending += 1;
                self.under_way[line] += 1;
            }
        }
        self.waves[wave].next += 1;
        self.acted = true;
    }

    /// The rest of the cycle, behind the messages from the L2.
    pub fn cycle(&mut self, s: &mut Shared, down: Down) -> Checked {
        let mut inputs = In { sweep_done: self.l1.is_swept(), ..In::default() };
        self.take_issued(s)?;
        (inputs.st_ready, inputs.ld_ready) = (self.st_ready, self.ld_ready);
        self.look_up(s)?;
        self.l1.end(self.out.sweep);
        if let Some(slot) = self.acks.pop_front() {
            inputs.wa_valid = true;
            self.sent -= 1;
            if let Some(Slot { access, store, .. }) = self.slots[usize::from(slot)] {
                s.l2.written(access.word, store).acked = Some(s.now);
            }
            self.completes(s, slot)?;
        }
        let first = s.random.below(self.waves.len() as u32) as usize;
        for n in 0..self.waves.len() {
            self.step(s, (first + n) % self.waves.len(), &mut inputs);
        }
        let Down { prep, chg, epoch, dmd_ack } = self.down.pass(down);
        inputs.chg = self.late.pass(chg) && chg;
        (inputs.prep, inputs.chg_info, inputs.dmd_ack) = (prep, epoch, dmd_ack);
        self.body.tick(&inputs);
        let mut report = String::new();
        if self.body.failed() {
            let _ = self.body.write_failure(&mut report);
            return fail(Check::Error, report);
        }
        Ok(())
    }

    /// What reaches the manager.
    pub fn up(&mut self) -> Up {
        let Out { ready, done, req, .. } = self.out;
        self.up.pass(Up { ready, done, req })
    }

    /// What must hold of the agent in this cycle.
    pub fn invariants(&mut self, s: &Shared, before: &Out) -> Checked {
        let (cu, out) = (self.number, self.out);
        if let Some(code) = out.err {
            return fail(Check::Error, format!("agent {cu}: error {code}"));
        }
        let (st, ld) = (before.st.filter(|_| !self.st_ready), before.ld.filter(|_| !self.ld_ready));
        if st.is_some() && st != out.st || ld.is_some() && ld != out.ld {
            return fail(Check::Protocol, format!("agent {cu}: a valid fell"));
        }
        let granted = |st: Store| out.cer.granted(st.addr, s.setup.stc.band_bits);
        if !out.st.is_none_or(granted) {
            return fail(Check::Er2, format!("CU {cu} writes outside its epoch"));
        }
        if out.ready && self.outstanding() != 0 {
            return fail(Check::Er2, format!("CU {cu} is ready with stores under way"));
        }
        if let Some((check, line)) = self.l1.broken.take() {
            return fail(check, format!("CU {cu} hits or installs line {line} in its epoch"));
        }
        Ok(())
    }

    /// A valid line outside its epoch is what the L2 has.
    pub fn coherent(&self, s: &Shared) -> Checked {
        for (line, data) in self.l1.valid() {
            let open = s.l2.open(line).is_some();
            for (k, place) in data.iter().enumerate() {
                let word = WORDS * line + k;
                let addr = s.setup.pool.addr(word);
                let writable = self.out.cer.granted(addr, s.setup.stc.band_bits);
                if !open && !writable && *place != s.l2.place(word) {
                    let (cu, now) = (self.number, s.l2.place(word));
                    let text = format!("CU {cu} holds word {word} as {place}, is {now}");
                    return fail(Check::Coherent, text);
                }
            }
        }
        Ok(())
    }

    /// No store has waited for longer than specification 6, 4 allows.
    pub fn waits(&self, s: &Shared) -> Checked {
        let stc = &s.setup.stc;
        let bound = 2 * stc.bsq_n * (2 * (1 << stc.band_bits) + 1);
        let blocked = self.slots.iter().flatten().filter(|slot| !slot.sent);
        let longest = blocked.map(|slot| s.selections - slot.selections).max().unwrap_or(0);
        if longest.max(self.longest_wait) > bound && stc.seb_on_wrap == 1 {
            return fail(Check::Wait, format!("CU {}: {longest} selections", self.number));
        }
        Ok(())
    }

    /// Each wave's accesses to a word are in program order.
    pub fn in_order(&self) -> Checked {
        for (n, wave) in self.waves.iter().enumerate() {
            let mut last = std::collections::BTreeMap::new();
            for (op, place) in wave.program.iter().zip(&wave.places) {
                let (Op::Load(word) | Op::Store(word) | Op::Atomic(word)) = *op else { continue };
                let Some(place) = *place else {
                    return fail(Check::Order, format!("{op:?} of wave {n} has no result"));
                };
                let last = last.entry(word).or_insert(0);
                let read = matches!(op, Op::Load(_));
                if place < *last || place == *last && !read {
                    let cu = self.number;
                    return fail(Check::Order, format!("CU {cu}, wave {n}: {op:?} is {place}"));
                }
                *last = place;
            }
        }
        Ok(())
    }

    /// The agent has no store left.
    pub fn is_empty(&self) -> bool {
        self.out.empty
    }
}

fn below(random: &mut Random, most: u32) -> u64 {
    random.below(most.max(1)).into()
}
