//! Requests to a local command processor, in and against the protocol, and a chiplet that answers
//! late.

use std::collections::VecDeque;

use hwmodel::Block;
use hwmodel::cpelide::local_command_processor::LocalCommandProcessor;
use ports::cpelide::local_command_processor::{Config, In, Out};
use ports::cpelide::types::{Message, TAGS, kind};

use crate::blocks;
use crate::seen;
use crate::stimulus::draws::draws;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus};

crate::pair!(LocalCommandProcessor: ports::cpelide::types::Command);

inventory::submit! {
    blocks::entry::<Inputs>(
        "executes a chiplet's releases and acquires, dispatches its work-groups"
    )
}

/// Of 256 tags those of kernels, from one on that each episode draws; the others never run.
const USED: u32 = 200;
/// Cycles of an episode in which a kernel may go on until its end.
const SHORT: u64 = 2_000;
/// Cycles at the beginning of a long time in which kernels before the large one end.
const ENDS: u64 = 2_000;
/// Work groups of the large kernel: more than 16 bits count, and taken before the long time is
/// over.
const LARGE: u32 = 0x1_0000 + 100;

draws! {
    /// What one phase draws. Chances are parts of 256.
    struct Phase(random: &mut Random) {
        left: u32 = 64 + random.below(2048),
        rx: u32 = random.pick(&[256, 256, 128, 16]),
        tx_ready: u32 = random.pick(&[256, 256, 128, 8]),
        l2_ready: u32 = random.pick(&[256, 128, 16]),
        l2_done: u32 = random.pick(&[256, 64, 4]),
        l1_done: u32 = random.pick(&[256, 64, 8]),
        wg_ready: u32 = random.pick(&[256, 128, 16]),
        wg_done: u32 = random.pick(&[256, 128, 16]),
        /// Chance that the next messages are a request for the L2 and not a kernel.
        sync: u32 = random.pick(&[16, 64, 200]),
        /// Chance of a message against the protocol.
        fault: u32 = random.pick(&[0, 0, 8, 64, 160]),
        /// Tags in use, and which one is the first of them.
        tags: u32 = random.pick(&[1, 2, 8, TAGS as u32]),
        from: u32 = random.below(TAGS as u32),
        /// Most work groups of a kernel.
        groups: u32 = random.pick(&[1, 2, 4, 64, 2048]),
        /// Chance of a kernel that does not end before the next reset.
        huge: u32 = random.pick(&[0, 0, 0, 128]),
    }
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// The tag that the episode's begin with.
    first_tag: u8,
    /// The next reset comes soon.
    is_short: bool,
    /// The large kernel of the long time: its tag and first work group.
    large: Option<(u8, u32)>,
    /// Messages to come.
    messages: VecDeque<Message>,
    /// The first of them is offered.
    offered: bool,
    /// Tags of the work groups that were taken and are not finished.
    working: Vec<u8>,
    /// Kernels by tag: with work groups taken and DONE not seen.
    running: [bool; TAGS],
    /// The L2 has taken an operation and is not done.
    syncing: bool,
    /// Requests for the L2 that were accepted and not answered.
    requests: u32,
    seen: Seen,
}

seen! {
    transfers: rx, tx, l2_sync, wg, wg_done;
    rows:
        by_op["no_operation", "release", "acquire", "release_and_acquire"],
        second_request_waits, answer_waits, l2_sync_held, l1_inv, no_work_groups,
        incomplete_kernel, work_group_beyond_16_bits, several_kernels, message_to_running_kernel,
        done_of_no_kernel, ack, done, nack, rx_held, tx_held, wg_held,
}

impl Inputs {
    /// Tags that are launched.
    fn used(&self) -> u32 {
        (USED << self.config.tag_w) / TAGS as u32
    }

    /// The place of a tag, behind the episode's first one.
    fn place(&self, tag: u8) -> u32 {
        u32::from(tag.wrapping_sub(self.first_tag)) % (1 << self.config.tag_w)
    }

    /// The tag of a place. Its bits beyond `tag_w` are ignored.
    fn tag_of(&mut self, place: u32) -> u8 {
        let known = self.first_tag.wrapping_add(place as u8);
        let beyond = self.random.word() as u8;
        known & self.known() | beyond & !self.known()
    }

    /// The bits of a tag that are looked at.
    fn known(&self) -> u8 {
        u8::MAX >> (8 - self.config.tag_w)
    }

    /// One of at most so many tags from a place on that are launched.
    fn tag(&mut self, from: u32, tags: u32) -> u8 {
        let used = self.used();
        let place = (from + self.random.below(tags.min(used))) % used;
        self.tag_of(place)
    }

    /// The messages of one request, or of one kernel.
    fn draw_messages(&mut self) {
        let tag = self.tag(self.phase.from, self.phase.tags);
        let (p, r) = (&self.phase, &mut self.random);
        let word = r.word();
        let message = Message {
            kind: kind::SYNC_REQ,
            chiplet: word as u8 & 15,
            tag,
            a: (word >> 8) as u16,
            b: (word >> 32) as u32,
        };
        if r.chance(p.fault) {
            let kind = r.below(16) as u8;
            self.messages.push_back(Message { kind, ..message });
        } else if r.chance(p.fault) {
            // A kernel of which something is missing.
            let any = 1 + r.below(6) as u8;
            let kinds = [kind::WG_DESC, kind::WG_COUNT, kind::LAUNCH_EN];
            let kept = (0..3).filter(|k| any >> k & 1 == 1);
            self.messages.extend(kept.map(|k| Message { kind: kinds[k], b: 1, ..message }));
            self.seen.incomplete_kernel += 1;
        } else if r.chance(p.sync) {
            self.messages.push_back(message);
        } else {
            let number = match self.is_short && r.chance(p.huge) {
                // Without its highest bit it is a small one, which soon shows.
                true => 1 << r.below(32) | r.below(4),
                false => r.below(p.groups + 1),
            };
            let order = r.chance(128);
            let desc = Message { kind: kind::WG_DESC, ..message };
            let count = Message { kind: kind::WG_COUNT, b: number, ..message };
            let enable = Message { kind: kind::LAUNCH_EN, ..message };
            self.messages.extend(if order { [desc, count, enable] } else { [count, desc, enable] });
        }
    }

    /// In a long time one kernel with many work groups, and no other.
    fn draw_large(&mut self, cycle: u64) {
        self.phase.left = 1;
        (self.phase.rx, self.phase.wg_ready, self.phase.wg_done) = (0, 256, 256);
        (self.phase.tx_ready, self.phase.l2_done, self.phase.l1_done) = (256, 256, 256);
        if cycle == ENDS && self.messages.is_empty() {
            let (tag, word) = (self.tag(0, TAGS as u32), self.random.word());
            let of_kind = |kind, b| Message { kind, chiplet: 0, tag, a: word as u16, b };
            let first = (word >> 32) as u32;
            self.large = Some((tag & self.known(), first));
            self.messages.push_back(of_kind(kind::WG_DESC, first));
            self.messages.push_back(of_kind(kind::WG_COUNT, LARGE));
            self.messages.push_back(of_kind(kind::LAUNCH_EN, 0));
        }
        self.phase.rx = if self.messages.is_empty() { 0 } else { 256 };
    }

    fn draw_done(&mut self) -> Option<u8> {
        let (p, r) = (&self.phase, &mut self.random);
        if !self.working.is_empty() && r.chance(p.wg_done) {
            let at = r.below(self.working.len() as u32) as usize;
            return Some(self.working.swap_remove(at));
        }
        // A tag that does not run.
        if !r.chance(4) {
            return None;
        }
        let used = self.used();
        let place = used + self.random.below((1 << self.config.tag_w) - used);
        Some(self.tag_of(place))
    }

    fn draw_inputs(&mut self, out: &Out) -> In {
        if let Some(cycle) = self.long.cycle() {
            self.draw_large(cycle);
        }
        if !self.offered && self.random.chance(self.phase.rx) {
            if self.messages.is_empty() {
                self.draw_messages();
            }
            self.offered = true;
        }
        let wg_done = self.draw_done();
        let (p, r) = (&self.phase, &mut self.random);
        let lines = r.word() as u32;
        In {
            rx: self.messages.front().copied().filter(|_| self.offered),
            tx_ready: r.chance(p.tx_ready),
            l2_sync_ready: r.chance(p.l2_ready),
            // Also when nothing was asked for: that is ignored.
            l2_sync_done: r.chance(p.l2_done).then_some(lines),
            l1_inv_done: r.chance(p.l1_done),
            wg_ready: r.chance(p.wg_ready) && (out.wg.is_some() || r.chance(128)),
            wg_done,
        }
    }

    /// Counts the messages that go in and out.
    fn count_messages(&mut self, input: &In, out: &Out) {
        let known = self.known();
        let seen = &mut self.seen;
        match input.rx {
            Some(message) if out.rx_ready => {
                seen.rx += 1;
                let Message { kind, tag, a, .. } = message;
                let runs = self.running[usize::from(tag & known)];
                if kind == kind::SYNC_REQ {
                    seen.by_op[usize::from(a & 3)] += 1;
                    seen.second_request_waits += u64::from(self.requests > 0 && self.syncing);
                    self.requests += 1;
                }
                let kernel = (kind::WG_DESC..=kind::LAUNCH_EN).contains(&kind);
                seen.message_to_running_kernel += u64::from(kernel && runs);
                seen.no_work_groups += u64::from(kind == kind::WG_COUNT && message.b == 0);
            }
            Some(_) => seen.rx_held += 1,
            None => {}
        }
        let Some(message) = out.tx else { return };
        if !input.tx_ready {
            seen.tx_held += 1;
            return;
        }
        seen.tx += 1;
        match message.kind {
            kind::ACK => {
                seen.ack += 1;
                self.requests -= 1;
            }
            kind::DONE => {
                seen.done += 1;
                self.running[usize::from(message.tag)] = false;
            }
            _ => seen.nack += 1,
        }
    }

    fn observe(&mut self, input: &In, out: &Out) {
        self.count_messages(input, out);
        let seen = &mut self.seen;
        // The operation ends while something else waits to be sent.
        let waits = out.tx.is_some() && !input.tx_ready;
        if self.syncing && input.l2_sync_done.is_some() {
            seen.answer_waits += u64::from(waits);
            self.syncing = false;
        }
        if out.l2_sync.is_some() {
            if input.l2_sync_ready {
                seen.l2_sync += 1;
                self.syncing = true;
            } else {
                seen.l2_sync_held += 1;
            }
        }
        seen.l1_inv += u64::from(out.l1_inv);
        match out.wg {
            Some(wg) if input.wg_ready => {
                seen.wg += 1;
                self.working.push(wg.tag);
                let of_large = self.large.is_some_and(|(tag, first)| {
                    tag == wg.tag && wg.group.wrapping_sub(first) > u32::from(u16::MAX)
                });
                seen.work_group_beyond_16_bits += u64::from(of_large);
                self.running[usize::from(wg.tag)] = true;
            }
            Some(_) => seen.wg_held += 1,
            None => {}
        }
        seen.several_kernels += u64::from(self.working.windows(2).any(|pair| pair[0] != pair[1]));
        match input.wg_done {
            Some(tag) if self.place(tag) < self.used() => self.seen.wg_done += 1,
            Some(_) => self.seen.done_of_no_kernel += 1,
            None => {}
        }
    }
}

impl Stimulus for Inputs {
    type Model = LocalCommandProcessor;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        (self.first_tag, self.is_short) = (self.random.word() as u8, cycles < SHORT);
        self.large = None;
        self.messages.clear();
        self.working.clear();
        self.running = [false; TAGS];
        (self.offered, self.syncing, self.requests) = (false, false, 0);
        self.phase = Phase::draw(&mut self.random);
        if self.random.chance(64) {
            // As if the messages before it had come before the reset.
            let tag = self.tag(self.phase.from, self.phase.tags);
            self.messages.push_back(Message { kind: kind::LAUNCH_EN, tag, ..Message::default() });
        }
    }

    fn inputs(&mut self, out: &<LocalCommandProcessor as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Phase::draw(&mut self.random);
        }
        self.phase.left -= 1;
        let input = self.draw_inputs(out);
        self.observe(&input, out);
        if input.rx.is_some() && out.rx_ready {
            self.messages.pop_front();
            self.offered = false;
        }
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Phase::draw(&mut random);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            first_tag: 0,
            is_short: false,
            large: None,
            messages: VecDeque::new(),
            offered: false,
            working: Vec::new(),
            running: [false; TAGS],
            syncing: false,
            requests: 0,
            seen: Seen::default(),
        }
    }
}
