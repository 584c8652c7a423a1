//! A bank with a pending fill at an acquire: what has been read before may be
//! old.

use super::*;
use crate::context::message::{Kind, MAX_LINE, Message, Sync};
use crate::engine::pool::Handle;
use crate::engine::{InletId, OutletId};

/// The line that is read.
const LINE: u64 = 0x10_0000;
/// Another line of the same bank.
const OTHER: u64 = 0x10_1000;

/// The caches and the memory of a chiplet; who else there is stands still and is played by the
/// test.
struct Bench {
    machine: Machine,
}

impl Bench {
    /// The L3 has no array and reads memory when a request reaches it; its answers take long.
    fn new(policy: &str) -> Self {
        let set = [
            ("machine.chiplets", "1"),
            ("machine.cus", "2"),
            ("l2.banks", "1"),
            ("l2.policy", policy),
            ("l2.bytes", "4096"),
            ("l2.ways", "4"),
            ("l2.latency", "2"),
            ("l3.bytes", "0"),
            ("l3.slices", "1"),
            ("l3.latency", "2"),
            ("memory.bytes", "64"),
            ("memory.cycles", "1"),
            ("memory.latency", "200"),
            ("network.latency", "2"),
            ("network.memory_latency", "40"),
        ];
        let mut machine = machine("cpelide-2-small", &set, program("stream", 4096));
        for part in &mut machine.parts {
            if !matches!(part, Part::Bank(_) | Part::Slice(_)) {
                *part = Part::Nothing;
            }
        }
        machine.options.visit_all = true;
        Self { machine }
    }

    fn outlet(&self, name: &str) -> OutletId {
        let at = self.machine.ctx.network.iter().position(|(spec, _)| spec.name == name);
        OutletId(at.unwrap_or_else(|| panic!("no outlet {name}")) as u32)
    }

    fn inlet(&self, name: &str) -> InletId {
        let network = &self.machine.ctx.network;
        (0..).map(InletId).find(|&id| network.inlet(id).name == name).unwrap()
    }

    fn step(&mut self, cycles: u32) {
        for _ in 0..cycles {
            // A component is always active.
            let at = self.machine.ctx.now + 1;
            self.machine.ctx.wheel.wake(ComponentId(0), at);
            self.machine.step().unwrap();
        }
    }

    fn send(&mut self, outlet: &str, message: Message) {
        let outlet = self.outlet(outlet);
        let ctx = &mut self.machine.ctx;
        assert!(ctx.may_send(outlet));
        let message = ctx.messages.put(message);
        ctx.send(outlet, message);
    }

    fn request(&mut self, kind: Kind, addr: u64, mask: u128, line: Option<u8>) {
        let ctx = &mut self.machine.ctx;
        let (from, to) = (ctx.layout.core(0, 0), ctx.layout.bank(0, 0));
        let line = line.map_or(Handle::NONE, |byte| ctx.payload(&[byte; MAX_LINE]));
        self.send(
            "gpu0.chiplet0.cu0.request",
            Message { kind, addr, mask, line, from, to, ..Message::default() },
        );
    }

    fn read(&mut self) {
        self.request(Kind::Read, LINE, 1, None);
    }

    fn sync(&mut self, sync: Sync) {
        let to = self.machine.ctx.layout.bank(0, 0);
        let kind = Kind::Sync(sync);
        self.send("gpu0.chiplet0.l2.bank0.orders", Message { kind, to, ..Message::default() });
    }

    /// Another chiplet's release reaches memory.
    fn set_memory(&mut self, byte: u8) {
        self.machine.ctx.memory.of_mut(0).write(LINE, &[byte; MAX_LINE]);
    }

    /// Waits for the next message of an inlet and takes it: its kind, and its first byte.
    fn wait(&mut self, inlet: &str, most: u32) -> (Kind, Option<u8>) {
        let inlet = self.inlet(inlet);
        for _ in 0..most {
            if self.machine.ctx.peek(inlet).is_some() {
                let message = self.machine.ctx.take(inlet);
                let Message { kind, line, .. } = self.machine.ctx.messages[message];
                let byte = line.is_some().then(|| self.machine.ctx.lines[line].0[0]);
                self.machine.ctx.drop_message(message);
                return (kind, byte);
            }
            self.step(1);
        }
        panic!("nothing comes in {most} cycles");
    }

    fn answer(&mut self) -> (Kind, Option<u8>) {
        self.wait("gpu0.chiplet0.cu0.answer.in", 1000)
    }

    fn has_answer(&self) -> bool {
        self.machine.ctx.peek(self.inlet("gpu0.chiplet0.cu0.answer.in")).is_some()
    }

    fn wait_for_sync(&mut self, most: u32) {
        assert_eq!(self.wait("gpu0.chiplet0.l2.bank0.done", most).0, Kind::SyncDone);
    }
}

const ACQUIRE: Sync = Sync { release: false, acquire: true };

#[test]
fn line_on_its_way_at_an_acquire_is_read_again_afterwards() {
    for policy in ["private", "home-forward"] {
        let mut bench = Bench::new(policy);
        bench.set_memory(1);
        bench.read();
        // The read has been served below, its data is on its way.
        bench.step(100);
        bench.sync(ACQUIRE);
        bench.set_memory(2);
        // The acquire is over first: it does not wait for data.
        let sets = 100;
        bench.wait_for_sync(sets);
        assert!(!bench.has_answer(), "{policy}: the fill came too early");
        // This one comes while the line is on its way, behind the acquire.
        bench.read();
        assert_eq!(bench.answer(), (Kind::Data, Some(1)), "{policy}: asked before the acquire");
        assert_eq!(bench.answer(), (Kind::Data, Some(2)), "{policy}: asked behind the acquire");
        // And this one after the fill.
        bench.read();
        assert_eq!(bench.answer(), (Kind::Data, Some(2)), "{policy}: asked last");
    }
}

/// Without an acquire the line stays: what the test above sees is the acquire's doing.
#[test]
fn line_on_its_way_at_a_release_stays() {
    let mut bench = Bench::new("private");
    bench.set_memory(1);
    bench.read();
    bench.step(100);
    bench.sync(Sync { release: true, acquire: false });
    bench.set_memory(2);
    bench.wait_for_sync(100);
    bench.read();
    for _ in 0..2 {
        assert_eq!(bench.answer(), (Kind::Data, Some(1)));
    }
}

/// The walk of a release and acquire has passed all sets and waits for its write-backs: what is
/// read now may be older than another release that comes before the acquire is over.
#[test]
fn line_asked_for_while_an_acquire_waits_for_write_backs_is_read_again_afterwards() {
    let mut bench = Bench::new("private");
    bench.set_memory(1);
    bench.request(Kind::Write, OTHER, 1, Some(7));
    assert_eq!(bench.answer().0, Kind::Ack);
    bench.sync(Sync { release: true, acquire: true });
    bench.read();
    // Past the sets and to memory; the write-back's acknowledgement is on its way.
    bench.step(70);
    bench.set_memory(2);
    bench.wait_for_sync(100);
    assert!(!bench.has_answer());
    assert_eq!(bench.answer(), (Kind::Data, Some(1)), "asked before the acquire was over");
    bench.read();
    assert_eq!(bench.answer(), (Kind::Data, Some(2)), "asked after it");
}
