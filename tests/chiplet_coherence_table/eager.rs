//! Chiplets and a host that answer while the firmware runs: at any of its loads. Whatever comes in
//! between, the messages of one stream, and the tables where the firmware waits, are those of
//! firmware that is left alone until it waits.

use ::firmware::map::{self, message, reg};
use ::firmware::{Bus, Cached, Indexed, Layout, Paper, Processor};
use cosim::stimulus::Random;
use hwmodel::cpelide::chiplet_coherence_table::{Hidden, Parameters};

use crate::firmware::conf;
use crate::program::{Item, Kind, Program};
use crate::{generate, packets, programs};

/// Counters that depend on time: cycles; decided ahead, and anew.
const OF_TIME: [usize; 3] = [8, 12, 13];

/// What comes from outside.
#[derive(Clone, Copy, Debug)]
enum Event {
    Acknowledged(u16),
    Done(u64),
    /// The next packet, into the lowest free slot.
    Packet,
}

/// All that the firmware must do alike.
#[derive(Debug, Default, PartialEq)]
struct Told {
    sent: Vec<(u64, u16)>,
    signals: Vec<u64>,
    errors: Vec<u8>,
    /// Where it rests, and at the end.
    tables: Vec<Vec<u32>>,
    counters: [u32; 16],
}

/// What is around the firmware. Time is its loads.
struct World<'a> {
    items: std::iter::Peekable<std::slice::Iter<'a, Item>>,
    random: Random,
    /// Answers come at once, while it runs.
    is_eager: bool,
    conf: u32,
    loads: u64,
    agenda: Vec<(u64, Event)>,
    private: Vec<u32>,
    /// Words of a table.
    table: usize,
    slots: [Option<(Vec<u32>, u32)>; map::NUM_SLOTS],
    packets: u32,
    tx: [u32; 2],
    pending: u16,
    received: std::collections::VecDeque<u64>,
    /// Something has come since the firmware was called.
    has_come: bool,
    /// The packet behind the one that is not complete is handed over.
    is_next_there: bool,
    told: Told,
}

impl World<'_> {
    fn after(&mut self, most: u32, event: Event) {
        let delay = if self.is_eager { u64::from(self.random.below(most)) } else { u64::MAX };
        self.agenda.push((self.loads.saturating_add(delay), event));
    }

    /// What is due comes; of several the one that was planned first.
    fn advance(&mut self) {
        while let Some(at) = self.agenda.iter().position(|(at, _)| *at <= self.loads) {
            let (_, event) = self.agenda.remove(at);
            self.comes(event);
        }
    }

    fn comes(&mut self, event: Event) {
        self.has_come = true;
        match event {
            Event::Acknowledged(chiplets) => self.pending &= !chiplets,
            Event::Done(bits) => self.received.push_back(bits),
            Event::Packet => {
                let item = self.items.next().expect("it is there");
                let extension = packets::extension(item);
                let dispatch = packets::dispatch(item, &extension);
                let mut bytes = [&dispatch.packet[..], &extension].concat();
                bytes.resize(map::SLOT_BYTES as usize, 0);
                let word = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("4 bytes"));
                let words = bytes.chunks(4).map(word).collect();
                let meta = u32::from(item.chiplets) << 8
                    | (self.packets & 127) << 24
                    | if dispatch.truncated { map::TRUNCATED } else { 0 };
                self.packets += 1;
                let slot = self.slots.iter().position(Option::is_none).expect("one is free");
                self.slots[slot] = Some((words, meta));
            }
        }
    }

    /// The firmware waits. False where nothing comes any more.
    fn wake(&mut self) -> bool {
        if self.agenda.is_empty() {
            self.rest();
            if self.items.peek().is_none() {
                return false;
            }
            self.comes(Event::Packet);
            return true;
        }
        let first = self.agenda.iter().map(|(at, _)| *at).min().expect("some");
        self.loads = first;
        let at = self.agenda.iter().position(|(at, _)| *at == first).expect("it is there");
        let (_, event) = self.agenda.remove(at);
        self.comes(event);
        if !self.is_eager {
            self.loads = 0;
        }
        true
    }

    /// Nothing is under way.
    fn rest(&mut self) {
        self.told.tables.push(self.private[..self.table].to_vec());
    }

    /// Whether the host waits until nothing is under way before it submits this item.
    fn rests_before(item: &Item) -> bool {
        item.number.is_multiple_of(3) || !matches!(item.kind, Kind::Kernel(_))
    }

    fn transmit(&mut self, high: u32) {
        let (low, chiplets) = (self.tx[0], self.tx[1] as u16);
        let tag = u64::from(low >> 8 & 0xff) << 8;
        // A packet that is handed over early has another slot.
        let told = if low & 15 == message::WG_DESC { low & 0xffff } else { low };
        self.told.sent.push((u64::from(told) | u64::from(high) << 32, chiplets));
        match low & 15 {
            message::SYNC_REQ => {
                self.pending |= chiplets;
                self.after(300, Event::Acknowledged(chiplets));
            }
            message::LAUNCH_EN => {
                let most = [1, 200, 3000][self.random.below(3) as usize];
                for i in (0..16).filter(|i| chiplets >> i & 1 == 1) {
                    self.after(most, Event::Done(u64::from(message::DONE) | i << 4 | tag));
                }
                let next = self.items.peek().is_some_and(|next| !Self::rests_before(next));
                if self.is_eager && next && self.random.chance(128) {
                    self.is_next_there = true;
                    self.after(2000, Event::Packet);
                }
            }
            _ => {}
        }
    }

    /// A packet is complete.
    fn pop(&mut self, slot: usize) {
        self.slots[slot] = None;
        let next = self.items.peek().is_some_and(|next| !Self::rests_before(next));
        if !std::mem::take(&mut self.is_next_there) && next {
            self.after(100, Event::Packet);
        }
    }
}

impl Bus for World<'_> {
    fn load(&mut self, addr: u32) -> u32 {
        self.loads += 1;
        self.advance();
        let place = |offset: u32| offset as usize / 4;
        match addr {
            map::PRIVATE..map::SLOTS => self.private[place(addr - map::PRIVATE)],
            map::SLOTS..map::MAILBOX => {
                let at = addr - map::SLOTS;
                let slot = self.slots[(at / map::SLOT_BYTES) as usize].as_ref();
                slot.expect("it is valid").0[place(at % map::SLOT_BYTES)]
            }
            _ => match addr - map::MAILBOX {
                reg::CONF => self.conf,
                reg::PKT_STAT => {
                    (0..).zip(&self.slots).fold(0, |m, (i, s)| m | u32::from(s.is_some()) << i)
                        | self.oldest() << 8
                }
                at @ reg::PKT_META..reg::TX_LO => {
                    let slot = &self.slots[place(at - reg::PKT_META)];
                    slot.as_ref().map_or(0, |(_, meta)| *meta)
                }
                reg::ACK_PEND => self.pending.into(),
                reg::RX_STAT => self.received.len() as u32,
                reg::RX_LO => self.received.front().map_or(0, |&m| m as u32),
                reg::RX_HI => self.received.pop_front().map_or(0, |m| (m >> 32) as u32),
                at @ reg::CNT..reg::CNT8_RUN => self.told.counters[place(at - reg::CNT)],
                other => unreachable!("the firmware reads no register {other:#x}"),
            },
        }
    }

    fn store(&mut self, addr: u32, value: u32) {
        match addr {
            map::PRIVATE..map::SLOTS => self.private[(addr - map::PRIVATE) as usize / 4] = value,
            _ => match addr - map::MAILBOX {
                reg::PKT_POP => self.pop(value as usize),
                reg::TX_LO => self.tx[0] = value,
                reg::TX_DST => self.tx[1] = value,
                reg::TX_HI => self.transmit(value),
                reg::SIG_LO => self.told.signals.push(value.into()),
                reg::SIG_HI => {}
                reg::ERROR => self.told.errors.push(value as u8),
                at @ reg::CNT..reg::CNT8_RUN => {
                    self.told.counters[(at - reg::CNT) as usize / 4] = value;
                }
                reg::CNT8_RUN => {}
                other => unreachable!("the firmware writes no register {other:#x}"),
            },
        }
    }
}

impl World<'_> {
    /// The slot with the oldest packet: of two the one whose number is lower.
    fn oldest(&self) -> u32 {
        let number =
            |slot: &Option<(Vec<u32>, u32)>| slot.as_ref().map(|(_, meta)| meta >> 24 & 127);
        let valid = (0..).zip(&self.slots).filter_map(|(i, slot)| Some((number(slot)?, i)));
        let (newest, all) = (self.packets.wrapping_sub(1), valid);
        all.max_by_key(|(number, _)| newest.wrapping_sub(*number) & 127).map_or(0, |(_, i)| i)
    }
}

/// Runs a program of one stream.
fn run<L: Layout>(program: &Program, is_eager: bool) -> (Told, [u32; 2]) {
    let Parameters { chiplets: n, table_entries, .. } = program.parameters;
    let mut world = World {
        items: program.items.iter().peekable(),
        random: Random::new(program.seed),
        is_eager,
        conf: conf(&program.parameters, is_eager && program.seed.is_multiple_of(2)).bits(),
        loads: 0,
        agenda: Vec::new(),
        private: vec![0; map::PRIVATE_BYTES as usize / 4],
        table: (2 + 2 * n + usize::from(n == 16)) * table_entries,
        slots: [const { None }; map::NUM_SLOTS],
        packets: 0,
        tx: [0; 2],
        pending: 0,
        received: std::collections::VecDeque::new(),
        has_come: false,
        is_next_there: false,
        told: Told::default(),
    };
    let mut processor = Box::new(Processor::<L>::NEW);
    while std::mem::take(&mut world.has_come) || world.wake() {
        processor.poll(&mut world);
    }
    let of_time = [12, 13].map(|at| world.told.counters[at]);
    OF_TIME.into_iter().for_each(|at| world.told.counters[at] = 0);
    (world.told, of_time)
}

fn same_as_alone<L: Layout>(change: impl Fn(&mut Program)) {
    let mut tables = 0;
    for seed in 1..=programs() {
        let mut program = generate::program(seed);
        change(&mut program);
        program.items.iter_mut().for_each(|item| item.stream = 0);
        let (alone, _) = run::<L>(&program, false);
        let (eager, _) = run::<L>(&program, true);
        assert_eq!(alone.sent, eager.sent, "{program}");
        assert!(alone.tables == eager.tables, "tables differ\n{program}");
        assert_eq!(alone, eager, "{program}");
        tables += alone.tables.len();
    }
    assert!(tables > 1000, "{tables}");
}

/// Lines have one copy, and the host looks often.
fn home_aware(program: &mut Program) {
    let Parameters { hidden, home_aware, .. } = &mut program.parameters;
    (*hidden, *home_aware) = (Hidden::OfGpu, true);
    for item in &mut program.items {
        item.acquires |= item.number % 4 < 2;
        item.releases |= item.number % 4 == 1;
    }
}

#[test]
fn answers_in_between_change_nothing() {
    same_as_alone::<Cached>(|_| {});
    same_as_alone::<Paper>(|_| {});
}

#[test]
fn answers_in_between_change_nothing_where_lines_have_one_copy() {
    same_as_alone::<Cached>(home_aware);
    same_as_alone::<Indexed>(home_aware);
}
