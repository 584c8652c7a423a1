//! Directed tests; figures come from the specification's text and worked examples.

mod errors;
mod flush;
mod one_bank;
mod random;
mod release;
mod store;

use ports::finepack::types::{Drain, Req, flush_cause, op};

use super::*;

/// The specification's default parameters.
fn paper() -> Config {
    Config {
        num_gpus: 4,
        entries: 64,
        line: 128,
        banks: 2,
        sub_header_bytes: 5,
        offset_width: 30,
        max_payload: 4096,
        order_queue_depth: 4,
    }
}

/// The specification's small parameters.
fn small() -> Config {
    Config {
        num_gpus: 3,
        entries: 4,
        line: 16,
        banks: 2,
        sub_header_bytes: 3,
        offset_width: 14,
        max_payload: 128,
        order_queue_depth: 2,
    }
}

/// A queue of GPU 0, its inputs, and the outputs of all cycles so far.
struct Bench {
    queue: RemoteWriteQueue,
    line: u64,
    /// Inputs of the next cycle; `req` and `cpl` are cleared after it.
    next: In,
    /// Outputs by cycle.
    out: Vec<Out>,
}

impl Bench {
    fn new(config: &Config) -> Self {
        let queue = RemoteWriteQueue::new(config).expect("legal parameters");
        let next = In { drain_ready: true, ..In::default() };
        Self { queue, line: config.line.into(), next, out: Vec::new() }
    }

    /// One cycle; returns its number.
    fn cycle(&mut self) -> usize {
        let shown = self.queue.outputs();
        let out = self.queue.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        self.next.req = None;
        self.next.cpl = None;
        self.out.push(out);
        self.out.len() - 1
    }

    fn cycles(&mut self, n: usize) {
        (0..n).for_each(|_| _ = self.cycle());
    }

    /// Runs up to and including `cycle`, whose outputs it returns.
    fn at(&mut self, cycle: usize) -> &Out {
        while self.out.len() <= cycle {
            self.cycle();
        }
        &self.out[cycle]
    }

    /// Offers a request until it is accepted; returns that cycle.
    fn send(&mut self, req: Req) -> usize {
        for _ in 0..1000 {
            self.next.req = Some(req);
            let cycle = self.cycle();
            if self.out[cycle].req_ready {
                return cycle;
            }
        }
        panic!("request is never accepted: {req:?}");
    }

    /// A store of `len` bytes to GPU 1; byte k of the line is `k + 1`.
    fn store(&mut self, addr: u64, len: u32) -> usize {
        self.send(access(op::STORE, self.line, addr, len))
    }

    /// A completion from GPU `gpu`; returns its cycle.
    fn complete(&mut self, gpu: u8) -> usize {
        self.next.cpl = Some(gpu);
        self.cycle()
    }

    /// All beats taken so far, with their cycles. `drain_ready` was 1 all the time.
    fn beats(&self) -> Vec<(usize, Drain)> {
        let beats = self.out.iter().enumerate().filter_map(|(n, o)| Some((n, o.drain?)));
        beats.collect()
    }

    /// Cycles with a flush of partition 0, and the cause.
    fn flushes(&self) -> Vec<(usize, u8)> {
        let causes = self.out.iter().enumerate().map(|(n, o)| (n, o.evt.flush_cause[0]));
        causes.filter(|&(_, cause)| cause != flush_cause::NONE).collect()
    }

    /// Number of cycles in which `evt.stall` was this.
    fn stalls(&self, stall: u8) -> usize {
        self.out.iter().filter(|o| o.evt.stall == stall).count()
    }
}

/// An access of `len` bytes to GPU 1.
fn access(op: u8, line: u64, addr: u64, len: u32) -> Req {
    let mask = (u128::MAX >> (128 - len)) << (addr % line);
    let data = std::array::from_fn(|k| if (k as u64) < line { k as u8 + 1 } else { 0 });
    Req { op, dest: 1, addr, mask, data: ports::Bytes(data), ..Req::default() }
}

fn of_kind(op: u8, id: u8) -> Req {
    Req { op, id, ..Req::default() }
}

#[test]
fn illegal_parameters_are_refused_by_name() {
    let refused = |change: fn(&mut Config)| {
        let mut config = paper();
        change(&mut config);
        RemoteWriteQueue::new(&config).err().map(|e| e.name)
    };
    assert_eq!(refused(|_| ()), None);
    assert_eq!(refused(|c| c.num_gpus = 1), Some("num_gpus"));
    assert_eq!(refused(|c| c.num_gpus = 17), Some("num_gpus"));
    assert_eq!(refused(|c| c.entries = 48), Some("entries"));
    assert_eq!(refused(|c| c.line = 256), Some("line"));
    assert_eq!(refused(|c| c.banks = 3), Some("banks"));
    assert_eq!(refused(|c| c.sub_header_bytes = 7), Some("sub_header_bytes"));
    assert_eq!(refused(|c| c.offset_width = 22), Some("offset_width"));
    // 128 > 2^6
    assert_eq!(refused(|c| (c.sub_header_bytes, c.offset_width) = (2, 6)), Some("line"));
    assert_eq!(refused(|c| c.max_payload = 384), Some("max_payload")); // (128 / 2) * 6 + 4 = 388
    assert_eq!(refused(|c| c.max_payload = 388), None);
    assert_eq!(refused(|c| c.max_payload = 4098), Some("max_payload"));
    assert_eq!(refused(|c| c.order_queue_depth = 1), Some("order_queue_depth"));
}

#[test]
fn rtl_parameters_are_those_of_the_configuration() {
    let expected = [
        ("NumGpus", 4),
        ("Entries", 64),
        ("Line", 128),
        ("Banks", 2),
        ("SubHeaderBytes", 5),
        ("OffsetWidth", 30),
        ("MaxPayload", 4096),
        ("OrderQueueDepth", 4),
    ];
    assert_eq!(paper().rtl_parameters(), expected);
}

#[test]
fn reset_shows_full_credit_and_nothing_else() {
    let queue = RemoteWriteQueue::new(&small()).unwrap();
    let mut reset = Out { req_ready: true, ..Out::default() };
    reset.avail[..2].fill(128);
    assert_eq!(queue.outputs(), reset);
    assert!(queue.is_idle());
}

#[test]
fn idle_block_does_not_change() {
    let mut b = Bench::new(&small());
    b.store(0, 4);
    assert!(!b.queue.is_idle());
    b.cycles(3);
    assert!(b.queue.is_idle(), "a queued store waits for ever without a timeout");
    let shown = b.queue.outputs();
    b.cycles(3);
    assert_eq!(b.queue.outputs(), shown);

    let mut b = Bench::new(&small());
    b.next.timeout = 1000;
    b.store(0, 4);
    b.cycles(10);
    assert!(!b.queue.is_idle(), "the timer runs");
}

#[test]
fn state_line_names_request_partitions_and_drain() {
    let mut b = Bench::new(&small());
    b.next.drain_ready = false;
    b.store(0x4000, 4);
    b.send(access(op::LOAD, 16, 0x4000, 4));
    b.cycles(4);
    b.store(0x4010, 2);
    b.cycle();
    let mut line = String::new();
    b.queue.write_state(&mut line).unwrap();
    assert_eq!(
        line,
        "input.s2.valid=0x1 input.s2.cost=0x5 input.s2_line=0x401 input.s2_mask=0x3 \
         part[0].partition.fill.avail=0x80 part[0].partition.bank=0x1 \
         part[0].partition.dirty=0x1 part[0].partition.busy=0x1 \
         part[0].partition.drain_cnt=0x1 part[0].partition.drain_sum=0x7 \
         part[0].order_queue.count=0x1 part[1].partition.fill.avail=0x80 drain.rr=0x1 \
         drain.beat.valid=0x1 drain.beat.eop=0x1 drain.beat.dest=0x1 drain.beat.plen=0x7 \
         drain.left=0x1"
    );
}
