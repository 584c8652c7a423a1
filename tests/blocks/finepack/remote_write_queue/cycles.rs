//! When the queue does what it does: the timing table and rules 2 to 13 of its README, on the model
//! and on the RTL.

use duet_tests::{Bench, Body, counting, on_both_bodies, ones};
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{In, Out};
use ports::finepack::types::{Drain, Req, drain_kind, error_code, flush_cause, op};

/// `Line` of the configurations here.
const LINE: u64 = 16;
const STALL_BANK: u8 = 0b01;
const STALL_ORDER: u8 = 0b10;

/// GPU 0's queue.
struct Queue {
    bench: Bench<Body<RemoteWriteQueue>>,
    /// Inputs of the next cycle; `req` and `cpl` are cleared after it.
    next: In,
}

/// Runs a check on both bodies.
fn on(config: &str, check: impl Fn(Queue)) {
    on_both_bodies::<RemoteWriteQueue>(config, |body| {
        let next = In { drain_ready: true, ..In::default() };
        check(Queue { bench: Bench::new(body), next });
    });
}

impl Queue {
    /// One cycle; returns its number.
    fn cycle(&mut self) -> usize {
        let cycle = self.bench.cycle(&self.next);
        (self.next.req, self.next.cpl) = (None, None);
        cycle
    }

    fn cycles(&mut self, n: usize) {
        (0..n).for_each(|_| _ = self.cycle());
    }

    /// Runs up to and including `cycle`; returns its outputs.
    fn at(&mut self, cycle: usize) -> Out {
        while self.bench.out.len() <= cycle {
            self.cycle();
        }
        self.bench.out[cycle]
    }

    /// Offers a request until it is accepted; returns that cycle.
    fn send(&mut self, req: Req) -> usize {
        for _ in 0..200 {
            self.next.req = Some(req);
            let cycle = self.cycle();
            if self.bench.out[cycle].req_ready {
                return cycle;
            }
        }
        panic!("the request is never accepted: {req:?}");
    }

    /// A store of `len` bytes to GPU 1.
    fn store(&mut self, addr: u64, len: u32) -> usize {
        self.send(access(op::STORE, 1, addr, len))
    }

    fn load(&mut self, addr: u64) -> usize {
        self.send(access(op::LOAD, 1, addr, 4))
    }

    fn release(&mut self, op: u8, id: u8) -> usize {
        self.send(Req { op, id, ..Req::default() })
    }

    /// A completion from a GPU; returns its cycle.
    fn complete(&mut self, gpu: u8) -> usize {
        self.next.cpl = Some(gpu);
        self.cycle()
    }

    /// The beats so far, with their cycles.
    fn beats(&self) -> Vec<(usize, Drain)> {
        let out = self.bench.out.iter().enumerate();
        out.filter_map(|(cycle, out)| Some((cycle, out.drain?))).collect()
    }

    /// Flushes of GPU 1's partition: the cycle that shows it, and the cause.
    fn flushes(&self) -> Vec<(usize, u8)> {
        let causes = self.bench.out.iter().map(|out| out.evt.flush_cause[0]).enumerate();
        causes.filter(|&(_, cause)| cause != flush_cause::NONE).collect()
    }

    /// Releases that are done: the cycle, and the id.
    fn done(&self) -> Vec<(usize, u8)> {
        let out = self.bench.out.iter().enumerate();
        out.filter_map(|(cycle, out)| Some((cycle, out.rel?))).collect()
    }

    fn never_stalls(&self) -> bool {
        self.bench.out.iter().all(|out| out.evt.stall == 0)
    }
}

fn access(op: u8, dest: u8, addr: u64, len: u32) -> Req {
    let mask = ones((addr % LINE) as u32, len);
    Req { op, dest, addr, mask, data: counting(mask, 1), ..Req::default() }
}

#[test]
fn reset_shows_full_credit_and_nothing_else() {
    on("small", |mut queue| {
        let mut reset = Out { req_ready: true, ..Out::default() };
        reset.avail[..2].fill(128);
        assert_eq!(queue.at(0), reset);
    });
}

#[test]
fn hit_shows_its_overwritten_bytes_three_cycles_after_accept() {
    on("small", |mut queue| {
        queue.store(0x4000, 4);
        let accepted = queue.store(0x4002, 8);
        let shown = [2, 3, 4].map(|n| queue.at(accepted + n).evt.overwritten);
        assert_eq!(shown, [0, 2, 0], "bytes 2 and 3 were enabled before");
    });
}

#[test]
fn one_store_is_accepted_every_cycle() {
    on("paper", |mut queue| {
        for n in 0..20 {
            assert_eq!(queue.store(4 * n, 4), n as usize);
        }
    });
}

#[test]
fn packet_drains_one_entry_each_cycle_then_one_idle_cycle() {
    on("small", |mut queue| {
        (0..3).for_each(|n| _ = queue.store(0x4000 + 16 * n, 2));
        queue.send(access(op::STORE, 2, 0x8000, 1));
        let accepted = queue.release(op::RELEASE_SYS, 1);
        queue.cycles(16);
        let beats = queue.beats();
        let seen: Vec<_> = beats
            .iter()
            .map(|(cycle, b)| (cycle - accepted, b.kind, b.dest, b.line, b.sop, b.eop))
            .collect();
        // The PACK of each partition, then the MARK of each.
        let (pack, mark) = (drain_kind::PACK, drain_kind::MARK);
        let expected = [
            (4, pack, 1, 0x400, true, false),
            (5, pack, 1, 0x401, false, false),
            (6, pack, 1, 0x402, false, true),
            (8, pack, 2, 0x800, true, true),
            (10, mark, 1, 0, true, true),
            (12, mark, 2, 0, true, true),
        ];
        assert_eq!(seen, expected);
    });
}

#[test]
fn input_holds_three_requests_while_stage_2_stalls() {
    on("small", |mut queue| {
        queue.next.drain_ready = false;
        // One in the sequencer, two in the order queue, one in S2, two in the FIFO.
        (0..6).for_each(|n| _ = queue.load(16 * n));
        queue.next.req = Some(access(op::LOAD, 1, 16 * 6, 4));
        let cycle = queue.cycle();
        let out = queue.bench.out[cycle];
        assert_eq!((out.req_ready, out.evt.stall), (false, STALL_ORDER));
        queue.next.drain_ready = true;
        queue.cycles(20);
        let beats = queue.beats();
        let lines: Vec<_> = beats.iter().filter(|(n, _)| *n > cycle).map(|(_, b)| b.line).collect();
        assert_eq!(lines, [0, 1, 2, 3, 4, 5]);
    });
}

#[test]
fn flush_waits_for_the_other_bank() {
    on("small", |mut queue| {
        queue.next.drain_ready = false;
        queue.store(0x4000, 4);
        queue.store(0x8000, 4); // flushes the first
        let accepted = queue.store(0xC000, 4); // would flush the second
        assert_eq!(queue.at(accepted + 3).evt.stall, STALL_BANK);
        assert_eq!(queue.at(accepted + 8).evt.stall, STALL_BANK);
        assert_eq!(queue.flushes().len(), 1);
        queue.next.drain_ready = true;
        let taken = queue.cycle();
        // The bank is free in taken+1; the flush is decided there, and shown in taken+2.
        assert_eq!(queue.at(taken + 1).evt.stall, STALL_BANK);
        assert_eq!(queue.at(taken + 2).evt.stall, 0);
        assert_eq!(queue.flushes()[1], (taken + 2, flush_cause::WINDOW));
    });
}

#[test]
fn flush_that_lacks_bank_and_order_queue_entries_shows_both() {
    on("small", |mut queue| {
        queue.next.drain_ready = false;
        queue.store(0x4000, 4);
        queue.store(0x8000, 4); // flushes the first; its token goes to the sequencer
        queue.load(0);
        let accepted = queue.load(0x8000); // needs a bank and two entries; one is free
        assert_eq!(queue.at(accepted + 5).evt.stall, STALL_BANK | STALL_ORDER);
    });
}

#[test]
fn timeouts_of_several_partitions_share_a_cycle() {
    on("small", |mut queue| {
        queue.next.timeout = 6;
        queue.store(0x4000, 4);
        queue.send(access(op::STORE, 2, 0x4000, 4));
        // Both timers are above the limit when these have left S2.
        (0..8).for_each(|id| _ = queue.release(op::RELEASE_GPU, id));
        queue.cycles(60);
        let both = [flush_cause::TIMEOUT; 2];
        let shared = queue.bench.out.iter().filter(|out| out.evt.flush_cause[..2] == both);
        assert_eq!(shared.count(), 1);
    });
}

#[test]
fn completion_in_the_cycle_of_the_push_is_code_9() {
    on("small", |mut queue| {
        queue.store(0x4000, 4);
        let accepted = queue.release(op::RELEASE_SYS, 1);
        queue.at(accepted + 1);
        assert_eq!(queue.complete(1), accepted + 2);
        assert_eq!(queue.at(accepted + 3).err, Some(error_code::SPURIOUS_COMPLETION));
        queue.cycles(10);
        let last = queue.complete(1);
        queue.cycles(3);
        assert_eq!(queue.done(), [(last + 1, 1)]);
    });
}

#[test]
fn release_without_anything_to_wait_for_is_done_three_cycles_after_accept() {
    on("small", |mut queue| {
        for op in [op::RELEASE_GPU, op::RELEASE_SYS] {
            let accepted = queue.release(op, 0x42);
            queue.cycles(8);
            assert_eq!(queue.done().last(), Some(&(accepted + 3, 0x42)));
        }
        assert_eq!((queue.done().len(), queue.beats()), (2, vec![]));
    });
}

#[test]
fn second_release_waits_for_the_first_without_a_stall() {
    on("small", |mut queue| {
        queue.store(0x4000, 4);
        queue.release(op::RELEASE_SYS, 1);
        queue.store(0x4000, 4);
        queue.release(op::RELEASE_SYS, 2);
        queue.cycles(20);
        // The store behind the first release has proceeded.
        assert_eq!(queue.bench.out.last().unwrap().occ[0], 1);
        assert!(queue.never_stalls());
        let first = queue.complete(1);
        // The second starts in the cycle of the first one's pulse; its flush shows a cycle later.
        assert_eq!(queue.at(first + 1).occ[0], 1);
        assert_eq!(queue.at(first + 2).evt.flush_cause[0], flush_cause::RELEASE);
        queue.cycles(10);
        let second = queue.complete(1);
        queue.cycles(3);
        assert_eq!(queue.done(), [(first + 1, 1), (second + 1, 2)]);
    });
}

#[test]
fn gpu_release_gives_way_to_the_pulse_of_a_system_release() {
    on("small", |mut queue| {
        queue.store(0x4000, 4);
        queue.release(op::RELEASE_SYS, 1);
        queue.cycles(12);
        // In S2 in the cycle of the last completion.
        let accepted = queue.release(op::RELEASE_GPU, 2);
        queue.cycle();
        assert_eq!(queue.complete(1), accepted + 2);
        queue.cycles(5);
        assert_eq!(queue.done(), [(accepted + 3, 1), (accepted + 4, 2)]);
        assert!(queue.never_stalls());
    });
}

#[test]
fn release_serves_partitions_as_they_become_ready() {
    on("small", |mut queue| {
        queue.next.drain_ready = false;
        // GPU 1: one bank drains, the other is filled. GPU 2: one is filled.
        queue.store(0x4000, 4);
        queue.store(0x8000, 4);
        queue.send(access(op::STORE, 2, 0x4000, 4));
        let accepted = queue.release(op::RELEASE_SYS, 5);
        let out = queue.at(accepted + 3);
        assert_eq!(out.evt.flush_cause[..2], [flush_cause::NONE, flush_cause::RELEASE]);
        assert_eq!(out.evt.stall, STALL_BANK);
        queue.next.drain_ready = true;
        let mark = |queue: &Queue| {
            queue.beats().iter().map(|(_, b)| *b).find(|b| b.kind == drain_kind::MARK)
        };
        while mark(&queue).is_none() {
            queue.cycle();
        }
        let first = mark(&queue).unwrap().dest;
        queue.complete(first);
        queue.cycles(20);
        assert_eq!(queue.done(), []);
        let last = queue.complete(3 - first);
        queue.cycles(3);
        assert_eq!(queue.done(), [(last + 1, 5)]);
    });
}

// Rule 8, `Banks` = 1: `single-bank` has windows of 64 bytes, a payload of 64 bytes, sub-headers of
// 2 bytes and an order queue of three entries.

#[test]
fn flush_of_a_store_happens_at_once_and_the_store_waits_for_the_only_bank() {
    on("single-bank", |mut queue| {
        queue.next.drain_ready = false;
        queue.store(0x40, 4);
        let accepted = queue.store(0x80, 4);
        let out = queue.at(accepted + 3);
        assert_eq!(
            (out.evt.flush_cause[0], out.occ[0], out.avail[0]),
            (flush_cause::WINDOW, 0, 64)
        );
        assert_eq!(queue.at(accepted + 4).evt.stall, STALL_BANK);
        assert_eq!(queue.at(accepted + 9).evt.stall, STALL_BANK);
        queue.next.drain_ready = true;
        let taken = queue.cycle();
        assert!(queue.bench.out[taken].drain.unwrap().eop);
        // The bank is free in taken+1; the store is written there, and shown in taken+2.
        let (before, after) = (queue.at(taken + 1), queue.at(taken + 2));
        assert_eq!((before.occ[0], before.evt.stall), (0, STALL_BANK));
        assert_eq!((after.occ[0], after.evt.stall, after.avail[0]), (1, 0, 64 - 6));
        assert_eq!(queue.flushes().len(), 1, "the cause counts once");
    });
}

#[test]
fn store_to_an_empty_partition_waits_for_the_only_bank() {
    on("single-bank", |mut queue| {
        queue.next.drain_ready = false;
        queue.store(0x40, 4);
        queue.load(0x40);
        let accepted = queue.store(0x40, 4);
        let out = queue.at(accepted + 8);
        assert_eq!((out.evt.stall, out.occ[0]), (STALL_BANK, 0));
    });
}

#[test]
fn loads_flush_the_only_bank_and_leave_at_once() {
    on("single-bank", |mut queue| {
        queue.next.drain_ready = false;
        queue.store(0x40, 4);
        let accepted = queue.load(0x40);
        // While the bank drains the partition is empty.
        queue.load(0x40);
        queue.cycles(8);
        assert_eq!(queue.flushes(), [(accepted + 3, flush_cause::LOAD_HIT)]);
        assert!(queue.never_stalls());
    });
}

#[test]
fn flush_of_the_only_bank_needs_an_order_queue_entry() {
    on("single-bank", |mut queue| {
        queue.next.drain_ready = false;
        queue.store(0x40, 4);
        // The first goes to the sequencer, the others fill the order queue.
        (0..4).for_each(|n| _ = queue.load(0x100 + 16 * n));
        let accepted = queue.store(0x80, 4);
        assert_eq!(queue.at(accepted + 5).evt.stall, STALL_ORDER);
        assert_eq!(queue.flushes(), []);
        queue.next.drain_ready = true;
        queue.cycles(20);
        assert_eq!(queue.flushes().len(), 1);
        assert_eq!(queue.bench.out.last().unwrap().occ[0], 1);
    });
}

#[test]
fn timeout_flushes_the_only_bank() {
    on("single-bank", |mut queue| {
        queue.next.timeout = 5;
        let accepted = queue.store(0x40, 4);
        queue.cycles(20);
        // The timer begins in accepted+3.
        assert_eq!(queue.flushes(), [(accepted + 3 + 5 + 1, flush_cause::TIMEOUT)]);
    });
}
