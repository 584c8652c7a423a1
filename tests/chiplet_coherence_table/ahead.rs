//! Launches that are decided while the kernel before runs (specification 5.10): the operations,
//! messages and tables of one stream are those of firmware that does not look ahead; those of
//! several are what the reference decides in the order in which they come.

use std::collections::VecDeque;

use ::firmware::map::message;
use ::firmware::{Cached, Indexed, Layout, Paper};
use cosim::cpelide::{Native, Sent};
use cosim::stimulus::Random;
use duet_tests::firmware::{Core, Host, images, most_compared};
use hwmodel::cpelide::chiplet_coherence_table::ReferenceTable;

use crate::firmware::conf;
use crate::program::{Item, Kind, Program};
use crate::{generate, number, packets, programs};

/// Counters: cycles; decided ahead, and anew.
const CYCLES: usize = 8;
const AHEAD: usize = 12;
const ANEW: usize = 13;
/// Packet slots.
const SLOTS: usize = 4;

/// A launch as it was sent.
#[derive(Debug)]
struct Launched {
    slot: usize,
    tag: u8,
    chiplets: u16,
}

/// What came of one event.
#[derive(Debug, Default)]
struct Came {
    /// Releases and acquires before the signal, and after it or without one.
    after: [u16; 2],
    before: [u16; 2],
    launched: Option<Launched>,
    signals: Vec<u64>,
}

/// Firmware whose operations are done at once.
struct Machine<H> {
    host: H,
    sent: Vec<Sent>,
    signals: Vec<u64>,
    errors: Vec<u8>,
}

impl<H: Host> Machine<H> {
    fn new(host: H) -> Self {
        Self { host, sent: Vec::new(), signals: Vec::new(), errors: Vec::new() }
    }

    fn submit(&mut self, item: &Item) {
        let extension = packets::extension(item);
        let dispatch = packets::dispatch(item, &extension);
        // Bytes that no slot has.
        let long = if dispatch.truncated { vec![0; 5000] } else { Vec::new() };
        let extension = [&extension[..], &long[..]].concat();
        self.host.submit(&dispatch.packet, &extension, item.stream, item.chiplets);
    }

    fn done(&mut self, tag: u8, chiplets: u16) {
        for i in (0..16).filter(|i| chiplets >> i & 1 == 1) {
            self.host.receive(u64::from(message::DONE) | i << 4 | u64::from(tag) << 8);
        }
    }

    /// Runs until it waits for something else than acknowledgements.
    fn settle(&mut self) -> Came {
        let mut came = Came::default();
        let mut slot = 0;
        loop {
            let sent = self.host.run();
            let signals = self.host.signals();
            // What is asked for in one go with a signal is of the launch behind it.
            let operations = match came.signals.is_empty() && signals.is_empty() {
                true => &mut came.after,
                false => &mut came.before,
            };
            for &Sent { message: bits, chiplets, .. } in &sent {
                let (tag, a) = ((bits >> 8) as u8, bits >> 16 & 0xffff);
                match bits as u32 & 15 {
                    message::SYNC_REQ => {
                        operations[0] |= if a & 1 == 1 { chiplets } else { 0 };
                        operations[1] |= if a & 2 == 2 { chiplets } else { 0 };
                        for i in (0..16).filter(|i| chiplets >> i & 1 == 1) {
                            self.host
                                .receive(u64::from(message::ACK) | i << 4 | u64::from(tag) << 8);
                        }
                    }
                    message::WG_DESC => slot = a as usize,
                    message::LAUNCH_EN => {
                        came.launched = Some(Launched { slot, tag, chiplets });
                    }
                    _ => {}
                }
            }
            came.signals.extend(&signals);
            self.signals.extend(signals);
            self.errors.extend(self.host.errors());
            if sent.is_empty() {
                return came;
            }
            // A packet that waits behind another one has another slot.
            self.sent.extend(sent.into_iter().map(|sent| match sent.message as u32 & 15 {
                message::WG_DESC => Sent { message: sent.message & !0xffff_0000, ..sent },
                _ => sent,
            }));
        }
    }

    /// The counters that any order of decisions leaves the same.
    fn counters(&self) -> [u32; 16] {
        let mut counters = self.host.counters();
        [CYCLES, AHEAD, ANEW].into_iter().for_each(|at| counters[at] = 0);
        counters
    }
}

/// Words of a program's table.
fn words(program: &Program) -> usize {
    let n = program.parameters.chiplets;
    (2 + 2 * n + usize::from(n == 16)) * program.parameters.table_entries
}

/// The item's packet may wait behind a kernel: a barrier asks what else is queued.
fn may_wait(item: &Item) -> bool {
    !matches!(item.kind, Kind::Barrier)
}

/// One stream, with and without looking ahead. Gives how many launches were decided ahead.
fn compare<H: Host>(program: &Program, host: impl Fn(bool) -> H) -> u32 {
    let mut plain = Machine::new(host(false));
    let mut ahead = Machine::new(host(true));
    let words = words(program);
    let items: Vec<_> = program.items.iter().collect();
    // The kernel that runs, and whether the packet behind it is handed over.
    let (mut running, mut handed_over): (Option<Launched>, _) = (None, false);
    for (at, item) in items.iter().enumerate() {
        if let Some(Launched { tag, chiplets, .. }) = running.take() {
            plain.done(tag, chiplets);
            plain.settle();
            ahead.done(tag, chiplets);
        }
        plain.submit(item);
        running = plain.settle().launched;
        let mut came = ahead.settle();
        if !handed_over {
            ahead.submit(item);
            came = ahead.settle();
        }
        let launched = [&running, &came.launched].map(|l| l.as_ref().map(|l| (l.tag, l.chiplets)));
        assert_eq!(launched[0], launched[1], "{program}");
        let images = [&plain, &ahead].map(|machine| &machine.host.private()[..words]);
        assert!(images[0] == images[1], "tables after packet {at} differ\n{program}");
        assert_eq!(plain.sent, ahead.sent, "packet {at}\n{program}");
        assert_eq!(plain.signals, ahead.signals, "{program}");
        assert_eq!(plain.errors, ahead.errors, "{program}");
        assert_eq!(plain.counters(), ahead.counters(), "{program}");
        let next = items.get(at + 1).filter(|next| running.is_some() && may_wait(next));
        handed_over = next.is_some();
        if let Some(next) = next {
            ahead.submit(next);
            let came = ahead.settle();
            assert!(came.launched.is_none() && came.signals.is_empty(), "too early\n{program}");
        }
    }
    assert_eq!(ahead.host.counters()[ANEW], 0, "{program}");
    ahead.host.counters()[AHEAD]
}

fn one_stream(seed: u64) -> Program {
    let mut program = generate::program(seed);
    program.items.iter_mut().for_each(|item| item.stream = 0);
    program
}

fn same_as_without<L: Layout>() {
    let mut decided = 0;
    for seed in 1..=programs() {
        let program = one_stream(seed);
        decided +=
            compare(&program, |ahead| Native::<L>::new(conf(&program.parameters, ahead).bits()));
    }
    println!("{decided} launches decided ahead");
    assert!(decided > 1000);
}

#[test]
fn one_stream_is_the_same_with_the_table_in_fast_memory() {
    same_as_without::<Cached>();
}

#[test]
fn one_stream_is_the_same_with_an_index() {
    same_as_without::<Indexed>();
}

#[test]
fn one_stream_is_the_same_in_the_papers_layout() {
    same_as_without::<Paper>();
}

/// Model and RTL in lockstep.
#[test]
fn one_stream_is_the_same_on_the_core() {
    let images = images();
    for seed in 1..=number("DUET_CORE_PROGRAMS", crate::CORE_PROGRAMS) {
        let Some((_, image)) = images.get(seed as usize % images.len().max(1)) else { return };
        let program = one_stream(seed);
        compare(&program, |ahead| {
            let conf = conf(&program.parameters, ahead).bits();
            Core::new(most_compared(), "small", image, conf)
        });
    }
}

/// A packet that is queued.
struct Queued<'a> {
    item: &'a Item,
    /// Where its kernel runs.
    running: Option<(u8, u16)>,
}

/// Several streams beside the reference, which gets each launch and each end when it comes.
/// Gives how many launches were decided ahead, and how many decisions were made anew.
fn replay(program: &Program, host: impl Host) -> [u32; 2] {
    let mut random = Random::new(program.seed);
    let mut machine = Machine::new(host);
    let mut reference = ReferenceTable::new(program.parameters).expect("legal");
    let mut streams: Vec<VecDeque<&Item>> = vec![VecDeque::new(); 3];
    // A barrier looks at all streams: it has tests of its own.
    for item in program.items.iter().filter(|item| may_wait(item)) {
        streams[usize::from(item.stream) % 3].push_back(item);
    }
    let mut slots: [Option<Queued>; SLOTS] = [const { None }; SLOTS];
    loop {
        let of = |stream: usize| {
            slots.iter().flatten().filter(move |q| usize::from(q.item.stream) % 3 == stream)
        };
        // None holds all slots.
        let may_come = |s: &usize| !streams[*s].is_empty() && of(*s).count() < 2;
        let has_room = slots.iter().any(Option::is_none);
        let coming: Vec<_> = (0..3).filter(|s| has_room && may_come(s)).collect();
        let runs = |q: &Option<Queued>| q.as_ref().is_some_and(|q| q.running.is_some());
        let running: Vec<_> = (0..SLOTS).filter(|&slot| runs(&slots[slot])).collect();
        if coming.is_empty() && running.is_empty() {
            break;
        }
        if !coming.is_empty() && (running.is_empty() || random.chance(160)) {
            let stream = coming[random.below(coming.len() as u32) as usize];
            let item = streams[stream].pop_front().expect("it has one");
            let slot = slots.iter().position(Option::is_none).expect("there is room");
            machine.submit(item);
            slots[slot] = Some(Queued { item, running: None });
        } else {
            let slot = running[random.below(running.len() as u32) as usize];
            let queued = slots[slot].take().expect("it runs");
            let (tag, chiplets) = queued.running.expect("it runs");
            machine.done(tag, chiplets);
            let outcome = reference.finish(tag);
            let came = machine.settle();
            assert_eq!([outcome.release, outcome.acquire], came.after, "{program}");
            assert_eq!(came.signals[0], outcome.signal, "{program}");
            see(&mut slots, came, &mut reference, program);
        }
        let came = machine.settle();
        see(&mut slots, came, &mut reference, program);
    }
    let image: Vec<u8> =
        machine.host.private()[..words(program)].iter().flat_map(|w| w.to_le_bytes()).collect();
    assert!(reference.image() == image, "tables at the end differ\n{program}");
    let mut counters = reference.counters();
    counters[CYCLES] = 0;
    assert_eq!(counters, machine.counters(), "{program}");
    [AHEAD, ANEW].map(|at| machine.host.counters()[at])
}

/// What was launched or rejected.
fn see(
    slots: &mut [Option<Queued>; SLOTS],
    came: Came,
    reference: &mut ReferenceTable,
    program: &Program,
) {
    // Packets that are rejected leave at once.
    for slot in slots.iter_mut() {
        let is_over =
            |q: &Queued| q.running.is_none() && came.signals.contains(&packets::signal(q.item));
        if slot.as_ref().is_some_and(is_over) {
            let item = slot.take().expect("seen").item;
            let extension = packets::extension(item);
            assert!(reference.launch(&packets::dispatch(item, &extension)).rejected, "{program}");
        }
    }
    let Some(Launched { slot, tag, chiplets }) = came.launched else { return };
    let queued = slots[slot].as_mut().expect("its packet is there");
    queued.running = Some((tag, chiplets));
    let extension = packets::extension(queued.item);
    let outcome = reference.launch(&packets::dispatch(queued.item, &extension));
    assert_eq!(outcome.tag, Some(tag), "{program}");
    // Without a signal before it all is the launch's.
    let [release, acquire] = [0, 1].map(|i| match came.signals.is_empty() {
        true => came.after[i],
        false => came.before[i],
    });
    assert_eq!([outcome.release, outcome.acquire], [release, acquire], "{program}");
}

#[test]
fn streams_decide_as_the_reference_in_the_order_of_their_launches() {
    let mut counts = [0; 2];
    for seed in 1..=programs() {
        let program = generate::program(seed);
        let conf = conf(&program.parameters, true).bits();
        let own = match seed % 3 {
            0 => replay(&program, Native::<Cached>::new(conf)),
            1 => replay(&program, Native::<Indexed>::new(conf)),
            _ => replay(&program, Native::<Paper>::new(conf)),
        };
        (0..2).for_each(|i| counts[i] += own[i]);
    }
    let [ahead, anew] = counts;
    println!("{ahead} launches decided ahead, {anew} decisions made anew");
    assert!(ahead > 1000 && anew > 1000);
}
