//! Requests to a local command processor, in and against the protocol, and a chiplet that answers
//! late.

use std::collections::VecDeque;

use hwmodel::cpelide::local_command_processor::LocalCommandProcessor;
use ports::cpelide::local_command_processor::{Config, In, Out};
use ports::cpelide::types::{Message, TAGS, kind};

use crate::stimulus::{Driver, Random, Stimulus, count};
use crate::{blocks, phase, seen};

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

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(random: &mut Random) {
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
pub struct Inputs {
    /// The tag that the episode's begin with.
    first_tag: u8,
    /// The large kernel of the long time: its tag and first work group.
    large: Option<(u8, u32)>,
    /// Messages to come.
    messages: VecDeque<Message>,
    /// Tags of the work groups that were taken and are not finished.
    working: Vec<u8>,
    /// Kernels by tag: with work groups taken and DONE not seen.
    running: [bool; TAGS],
    /// The L2 has taken an operation and is not done.
    syncing: bool,
    /// Requests for the L2 that were accepted and not answered.
    requests: u32,
}

/// Tags that are launched.
fn used(c: &Config) -> u32 {
    (USED << c.tag_w) / TAGS as u32
}

/// The bits of a tag that are looked at.
fn known(c: &Config) -> u8 {
    u8::MAX >> (8 - c.tag_w)
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
    /// The place of a tag, behind the episode's first one.
    fn place(&self, c: &Config, tag: u8) -> u32 {
        u32::from(tag.wrapping_sub(self.first_tag)) % (1 << c.tag_w)
    }

    /// The tag of a place. Its bits beyond `tag_w` are ignored.
    fn tag_of(&self, d: &mut Driver<Self>, place: u32) -> u8 {
        let (tag, beyond) = (self.first_tag.wrapping_add(place as u8), d.random.word() as u8);
        let known = known(&d.config);
        tag & known | beyond & !known
    }

    /// One of at most so many tags from a place on that are launched.
    fn tag(&self, d: &mut Driver<Self>, from: u32, tags: u32) -> u8 {
        let used = used(&d.config);
        let place = (from + d.random.below(tags.min(used))) % used;
        self.tag_of(d, place)
    }

    /// The messages of one request, or of one kernel.
    fn draw_messages(&mut self, d: &mut Driver<Self>) {
        let tag = self.tag(d, d.phase.from, d.phase.tags);
        let Driver { phase: p, random: r, .. } = d;
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
            // A kernel of any size runs for the rest of the episode.
            let ends = kind == kind::WG_COUNT && d.length >= SHORT;
            let b = if ends { message.b % 64 } else { message.b };
            self.messages.push_back(Message { kind, b, ..message });
        } else if r.chance(p.fault) {
            // A kernel of which something is missing.
            let any = 1 + r.below(6) as u8;
            let kinds = [kind::WG_DESC, kind::WG_COUNT, kind::LAUNCH_EN];
            let kept = (0..3).filter(|k| any >> k & 1 == 1);
            self.messages.extend(kept.map(|k| Message { kind: kinds[k], b: 1, ..message }));
            d.seen.incomplete_kernel += 1;
        } else if r.chance(p.sync) {
            self.messages.push_back(message);
        } else {
            let number = match d.length < SHORT && r.chance(p.huge) {
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
    fn draw_large(&mut self, d: &mut Driver<Self>, cycle: u64) {
        d.phase.left = 1;
        (d.phase.rx, d.phase.wg_ready, d.phase.wg_done) = (0, 256, 256);
        (d.phase.tx_ready, d.phase.l2_done, d.phase.l1_done) = (256, 256, 256);
        if cycle == ENDS && self.messages.is_empty() {
            let (tag, word) = (self.tag(d, 0, TAGS as u32), d.random.word());
            let of_kind = |kind, b| Message { kind, chiplet: 0, tag, a: word as u16, b };
            let first = (word >> 32) as u32;
            self.large = Some((tag & known(&d.config), first));
            self.messages.push_back(of_kind(kind::WG_DESC, first));
            self.messages.push_back(of_kind(kind::WG_COUNT, LARGE));
            self.messages.push_back(of_kind(kind::LAUNCH_EN, 0));
        }
        d.phase.rx = if self.messages.is_empty() { 0 } else { 256 };
    }

    fn draw_done(&mut self, d: &mut Driver<Self>) -> Option<u8> {
        let Driver { config: c, phase: p, random: r, .. } = d;
        if !self.working.is_empty() && r.chance(p.wg_done) {
            let at = r.below(self.working.len() as u32) as usize;
            return Some(self.working.swap_remove(at));
        }
        // A tag that does not run.
        if !r.chance(4) {
            return None;
        }
        let place = used(c) + r.below((1 << c.tag_w) - used(c));
        Some(self.tag_of(d, place))
    }

    fn draw_inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        if let Some(cycle) = d.long {
            self.draw_large(d, cycle);
        }
        let rx = d.offer(d.last.rx, d.before.rx_ready, d.phase.rx, |d| {
            if self.messages.is_empty() {
                self.draw_messages(d);
            }
            self.messages.pop_front().expect("messages are drawn")
        });
        let wg_done = self.draw_done(d);
        let Driver { phase: p, random: r, .. } = d;
        let lines = r.word() as u32;
        In {
            rx,
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
    fn count_messages(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let known = known(&d.config);
        let seen = &mut d.seen;
        if let Some(message) = count(input.rx, out.rx_ready, &mut seen.rx, &mut seen.rx_held) {
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
        let tx = count(out.tx, input.tx_ready, &mut seen.tx, &mut seen.tx_held);
        let Some(message) = tx else { return };
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

    fn observe(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        self.count_messages(d, input, out);
        let seen = &mut d.seen;
        // The operation ends while something else waits to be sent.
        let waits = out.tx.is_some() && !input.tx_ready;
        if self.syncing && input.l2_sync_done.is_some() {
            seen.answer_waits += u64::from(waits);
            self.syncing = false;
        }
        let ready = input.l2_sync_ready;
        let sync = count(out.l2_sync, ready, &mut seen.l2_sync, &mut seen.l2_sync_held);
        self.syncing |= sync.is_some();
        seen.l1_inv += u64::from(out.l1_inv);
        if let Some(wg) = count(out.wg, input.wg_ready, &mut seen.wg, &mut seen.wg_held) {
            self.working.push(wg.tag);
            let of_large = self.large.is_some_and(|(tag, first)| {
                tag == wg.tag && wg.group.wrapping_sub(first) > u32::from(u16::MAX)
            });
            seen.work_group_beyond_16_bits += u64::from(of_large);
            self.running[usize::from(wg.tag)] = true;
        }
        seen.several_kernels += u64::from(self.working.windows(2).any(|pair| pair[0] != pair[1]));
        match input.wg_done {
            Some(tag) if self.place(&d.config, tag) < used(&d.config) => d.seen.wg_done += 1,
            Some(_) => d.seen.done_of_no_kernel += 1,
            None => {}
        }
    }
}

impl Stimulus for Inputs {
    type Model = LocalCommandProcessor;

    type Phase = Phase;
    type Seen = Seen;

    fn start(d: &mut Driver<Self>) -> Self {
        let mut inputs = Self {
            first_tag: d.random.word() as u8,
            large: None,
            messages: VecDeque::new(),
            working: Vec::new(),
            running: [false; TAGS],
            syncing: false,
            requests: 0,
        };
        if d.random.chance(64) {
            // As if the messages before it had come before the reset.
            let tag = inputs.tag(d, 0, TAGS as u32);
            inputs.messages.push_back(Message { kind: kind::LAUNCH_EN, tag, ..Message::default() });
        }
        inputs
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let input = self.draw_inputs(d, out);
        self.observe(d, &input, out);
        input
    }
}
