//! The host between kernels: it costs every design the same packets, the kernels around it release
//! and acquire for it, and where the time of launches went is counted in full.

use std::cell::RefCell;
use std::rc::Rc;

use machine::{Bodies, Machine, Options, Packet, System};
use traces::trace::{
    Access, AccessKind, Arg, ArgKind, KernelSpec, Key, Mode, Reader, Record, Recorder,
    ScheduleRange, Work,
};
use traces::workloads::SplitMix64;

use super::{Outcome, by_default, passes, system};

/// One GPU of four chiplets, whose decisions take no time.
fn chiplets(design: &str) -> System {
    let set = [("l2.design", design), ("command_processor.elide_cycles", "0")];
    system("cpelide-4-small", &set)
}

/// Every packet of a run.
fn packets(system: &System, program: &Reader) -> Vec<Packet> {
    let options = Options::default();
    let program = program.reopen().unwrap();
    let mut machine = Machine::new(system, &Bodies::default(), program, options).unwrap();
    let all = Rc::new(RefCell::new(Vec::new()));
    let to = all.clone();
    machine.on_packet(move |audited| to.borrow_mut().push(audited.packet.clone()));
    machine.run().unwrap_or_else(|e| panic!("{}: {e}", system.l2.design));
    drop(machine);
    Rc::into_inner(all).unwrap().into_inner()
}

/// Cycles from a kernel's packet to the first request to an L2 or the launch. With requests the
/// messages that say the work-groups come later: up to two to each chiplet.
fn costs(packets: &[Packet]) -> Vec<u64> {
    let cost = |p: &Packet| p.before.requested.or(p.enabled).unwrap() - p.submitted;
    packets.iter().map(cost).collect()
}

fn cost_the_same(one: &[Packet], other: &[Packet], what: &str) {
    let costs = [one, other].map(costs);
    let differs = |(a, b): (&u64, &u64)| a.abs_diff(*b) > 16;
    assert_eq!(costs[0].len(), costs[1].len(), "{what}");
    let at = costs[0].iter().zip(&costs[1]).position(differs);
    assert_eq!(at, None, "{what}: {costs:?}");
}

fn count(outcome: &Outcome, name: &str) -> u64 {
    let found = outcome.statistics.iter().find(|(n, _)| n == name);
    found.unwrap_or_else(|| panic!("no {name}")).1
}

/// The host reads a flag after each kernel of these programs. Under the table each of these looks
/// was a barrier of its own, which no other design had to send.
#[test]
fn looks_of_the_host_cost_every_design_the_same_packets() {
    for name in ["bfs", "sssp"] {
        let program = by_default(name);
        let base = packets(&chiplets("software"), &program);
        assert!(base.len() >= 10, "{name}");
        for design in ["cpelide", "hmg"] {
            let own = packets(&chiplets(design), &program);
            cost_the_same(&base, &own, &format!("{name}, {design}"));
            assert!(own.iter().all(|packet| packet.kernel.is_some()), "{name}, {design}: barriers");
        }
    }
}

/// A single chiplet has no peer to keep coherent: no decision is paid.
#[test]
fn launches_on_one_chiplet_cost_no_decision() {
    let program = by_default("bfs");
    let [base, own] = ["software", "cpelide"].map(|design| {
        packets(
            &system("cpelide-4-small", &[("machine.chiplets", "1"), ("l2.design", design)]),
            &program,
        )
    });
    cost_the_same(&base, &own, "one chiplet");
    let ends = [&base, &own].map(|packets| packets.last().unwrap().completed);
    assert!(ends[1] <= ends[0], "{ends:?}");
}

/// Whatever a design does at a kernel's end, L2 walks, fences, the way to other GPUs, is in
/// `release_cycles`: with the cycles before the launch and those of the kernel it makes the run.
#[test]
fn launch_kernel_and_release_are_the_whole_run() {
    let parts = ["launch", "kernel", "release"].map(|part| format!("launch.{part}_cycles"));
    for design in ["software", "cpelide", "directory", "hmg", "rec", "ideal"] {
        for gpus in ["1", "2"] {
            let set = [("machine.gpus", gpus), ("machine.chiplets", "2"), ("l2.design", design)];
            let system = system("cpelide-4-small", &set);
            let outcome = passes(&system, &by_default("bfs"));
            let own = parts.each_ref().map(|part| count(&outcome, part));
            let (sum, cycles) = (own.iter().sum::<u64>(), outcome.cycles);
            let what = format!("{design}, {gpus} GPUs: {own:?} of {cycles}");
            if gpus == "1" {
                assert_eq!(sum, cycles, "{what}");
            } else {
                // One waits until the other has ended, too.
                assert!((cycles..=2 * cycles).contains(&sum), "{what}");
            }
            assert_eq!(count(&outcome, "launch.barriers"), 0, "{what}");
        }
    }
}

/// A GPU without work-groups of a kernel gets a barrier, which is a packet like others.
#[test]
fn barriers_are_counted_as_packets() {
    let mut play = Play::new();
    play.kernel([0; 4], [0; 4]);
    let set = [("machine.gpus", "8"), ("machine.chiplets", "1"), ("l2.design", "cpelide")];
    let outcome = passes(&system("cpelide-4-small", &set), &play.record());
    // Four work-groups: all are the last GPU's.
    assert_eq!(["packets", "barriers"].map(|n| count(&outcome, &format!("launch.{n}"))), [8, 7]);
}

const CHIPLETS: usize = 4;
const PART: u64 = 256;
const BYTES: u64 = CHIPLETS as u64 * PART;

/// A program of four work-groups: each of its kernels copies parts of one buffer into parts of
/// another, adding 1 to each word.
struct Play {
    recorder: Recorder<std::io::Cursor<Vec<u8>>>,
    from: u64,
    to: u64,
    words: [Vec<u32>; 2],
    kernels: u32,
}

impl Play {
    fn new() -> Self {
        let mut recorder = Recorder::in_memory("play").unwrap();
        let [from, to] = ["from", "to"].map(|name| recorder.alloc(name, BYTES).unwrap());
        let words = [0; 2].map(|_| vec![0; BYTES as usize / 4]);
        Self { recorder, from, to, words, kernels: 0 }
    }

    /// Work-group i reads part `reads[i]`, and writes part `writes[i]`.
    fn kernel(&mut self, reads: [u64; CHIPLETS], writes: [u64; CHIPLETS]) {
        let label = |addr: u64, mode, parts: [u64; CHIPLETS]| {
            let range = |(group, part): (u32, u64)| ScheduleRange {
                first_group: group,
                last_group: group,
                addr: addr + part * PART,
                bytes: PART,
            };
            let ranges = (0..).zip(parts).map(range).collect();
            let kind = ArgKind::Buffer { addr, bytes: BYTES, mode, ranges };
            Arg { name: "buffer".to_string(), kind }
        };
        let args =
            vec![label(self.from, Mode::Read, reads), label(self.to, Mode::ReadWrite, writes)];
        let (grid, local) = ([CHIPLETS as u32, 1, 1], [1, 1, 1]);
        let name = format!("k{}", self.kernels);
        self.kernels += 1;
        self.recorder
            .begin_kernel(KernelSpec { name, grid, local, args, ..KernelSpec::default() })
            .unwrap();
        for (read, write) in reads.into_iter().zip(writes) {
            self.recorder.begin_group().unwrap();
            for word in 0..PART / 4 {
                let at = |part: u64| part * PART + word * 4;
                let value = self.words[0][at(read) as usize / 4];
                self.access(2 * word, AccessKind::Load, self.from + at(read), value);
                self.access(2 * word + 1, AccessKind::Store, self.to + at(write), value + 1);
                self.words[1][at(write) as usize / 4] = value + 1;
            }
            self.recorder.end_group().unwrap();
        }
        self.recorder.end_kernel().unwrap();
    }

    fn access(&mut self, pc: u64, kind: AccessKind, addr: u64, value: u32) {
        let key = Key { pc: pc as u32, ..Key::default() };
        let bytes = &value.to_le_bytes()[..];
        self.recorder
            .access(&Access {
                item: 0,
                key,
                kind,
                addr,
                bytes,
                work: Work::of(1),
                ..Access::default()
            })
            .unwrap();
    }

    /// The buffers change places.
    fn turn(&mut self) {
        std::mem::swap(&mut self.from, &mut self.to);
        self.words.swap(0, 1);
    }

    fn host_write(&mut self, value: u32) {
        let words = vec![value; BYTES as usize / 4];
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.recorder.host_write(self.from, &bytes).unwrap();
        self.words[0] = words;
    }

    fn host_read(&mut self) {
        self.recorder.host_read(self.to, BYTES).unwrap();
    }

    /// Another buffer takes the place of the one that is read.
    fn renew(&mut self) {
        self.recorder.free(self.from).unwrap();
        self.from = self.recorder.alloc("new", BYTES).unwrap();
        self.words[0].fill(0);
    }

    fn record(self) -> Reader {
        Reader::from_bytes(self.recorder.into_bytes().unwrap(), "play").unwrap()
    }
}

/// By section 5.6: the last kernel before the host releases what is dirty, the first one after the
/// host has changed memory acquires what is held, and no packet is without a kernel.
#[test]
fn kernels_beside_the_host_release_and_acquire_for_it() {
    let own = [0, 1, 2, 3];
    let mut play = Play::new();
    play.kernel(own, own);
    play.host_read();
    // Reading changes nothing that an L2 holds.
    play.kernel(own, own);
    play.recorder.alloc("other", 64).unwrap();
    play.host_write(5);
    play.kernel(own, own);
    play.kernel(own, own);
    play.renew();
    play.kernel(own, own);
    let packets = packets(&chiplets("cpelide"), &play.record());
    let sent = |p: &Packet| [&p.before, &p.after].map(|o| (o.release.count(), o.acquire.count()));
    let (none, release) = ((0, 0), (4, 0));
    // What the host's change makes them acquire is clean.
    let expected =
        [[none, release], [none, release], [(0, 4), none], [none, release], [none, release]];
    assert_eq!(packets.iter().map(sent).collect::<Vec<_>>(), expected);
    assert!(packets.iter().all(|packet| packet.kernel.is_some()));
}

/// Random programs with looks of the host, changes, and buffers that come and go: whatever a load
/// or the host sees is compared.
#[test]
fn host_and_chiplets_see_what_they_must() {
    let mut random = SplitMix64::new(1);
    for program in 0..40 {
        let mut play = Play::new();
        for _ in 0..25 {
            match random.below(12) {
                0 => play.host_read(),
                1 => play.host_write(random.below(1 << 16) as u32),
                2 => play.renew(),
                3..6 => play.turn(),
                _ => {
                    let turn = random.below(4);
                    // Each reads any part, and writes one of its own.
                    let reads = [0; CHIPLETS].map(|_| random.below(4));
                    play.kernel(reads, [0, 1, 2, 3].map(|part| (part + turn) % 4));
                }
            }
        }
        let program = (program, play.record());
        for gpus in ["1", "2"] {
            for policy in ["private", "home-forward"] {
                let each = if gpus == "1" { "4" } else { "2" };
                let set = [
                    ("machine.gpus", gpus),
                    ("machine.chiplets", each),
                    ("l2.design", "cpelide"),
                    ("l2.policy", policy),
                ];
                let system = system("cpelide-4-small", &set);
                super::run(&system, &program.1, Options::default())
                    .unwrap_or_else(|e| panic!("program {}, {gpus}, {policy}: {e}", program.0));
            }
        }
    }
}
