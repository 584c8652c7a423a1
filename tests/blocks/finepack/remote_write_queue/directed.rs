//! What random requests do not tell: cycles, turns, and what has no end.

use duet_tests::{Body, ones};
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{Config, In, Out};
use ports::finepack::types::{Req, drain_kind, flush_cause, op};

use super::Bodies;
use crate::finepack::{ensure, named};

/// Lines of 16 bytes, windows of 16 KiB.
const ADDR: u64 = 0x4000;
const TIMEOUT: u16 = 10;

/// GPU 0's queue of configuration `small`, and the outputs of all cycles.
struct Bench {
    body: Body<RemoteWriteQueue>,
    next: In,
    out: Vec<Out>,
}

impl Bench {
    fn new(bodies: &Bodies<RemoteWriteQueue>) -> Self {
        let body = (bodies.make)(&named::<Config>("small"));
        Self { body, next: In { drain_ready: true, ..In::default() }, out: Vec::new() }
    }

    fn cycle(&mut self) {
        self.out.push(self.body.tick(&self.next));
        (self.next.req, self.next.cpl) = (None, None);
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// Offers a request until it is accepted; returns that cycle.
    fn send(&mut self, req: Req) -> Result<usize, String> {
        for _ in 0..200 {
            self.next.req = Some(req);
            self.cycle();
            if self.out.last().is_some_and(|out| out.req_ready) {
                return Ok(self.out.len() - 1);
            }
        }
        Err(format!("{req:?} is never accepted"))
    }

    fn access(&mut self, op: u8, dest: u8, addr: u64) -> Result<usize, String> {
        let mask = ones((addr % 16) as u32, 4);
        self.send(Req { op, dest, addr, mask, ..Req::default() })
    }

    fn store(&mut self, addr: u64) -> Result<usize, String> {
        self.access(op::STORE, 1, addr)
    }

    fn release(&mut self, op: u8, id: u8) -> Result<usize, String> {
        self.send(Req { op, id, ..Req::default() })
    }

    /// Flushes of GPU 1's partition: the cycle that shows it, and the cause.
    fn flushes(&self) -> Vec<(usize, u8)> {
        let all = self.out.iter().map(|out| out.evt.flush_cause[0]).enumerate();
        all.filter(|&(_, cause)| cause != flush_cause::NONE).collect()
    }

    /// Releases that are done: the cycle, and the id.
    fn done(&self) -> Vec<(usize, u8)> {
        self.out.iter().enumerate().filter_map(|(cycle, out)| Some((cycle, out.rel?))).collect()
    }
}

/// A store that is accepted in t, and the last one, is flushed by its timeout in this cycle, which
/// the next shows (specification 5.8 e).
fn expires(t: usize) -> usize {
    t + 3 + usize::from(TIMEOUT)
}

pub fn timeouts(bodies: &Bodies<RemoteWriteQueue>) -> Result<(), String> {
    let same = |bench: &Bench, right: usize| {
        let (seen, right) = (bench.flushes(), vec![(right + 1, flush_cause::TIMEOUT)]);
        ensure(seen == right, || format!("flushes {seen:?}, not {right:?}"))
    };
    let mut bench = Bench::new(bodies);
    bench.next.timeout = TIMEOUT;
    // Another store, to the same line, and a load of another one.
    bench.store(ADDR)?;
    bench.run(4);
    let last = bench.store(ADDR + 4)?;
    bench.run(4);
    bench.access(op::LOAD, 1, ADDR + 0x1000)?;
    bench.run(40);
    same(&bench, expires(last))?;

    // Stage 2 is never empty in time.
    let mut bench = Bench::new(bodies);
    bench.next.timeout = TIMEOUT;
    bench.store(ADDR)?;
    let mut last = 0;
    for id in 0..20 {
        last = bench.release(op::RELEASE_GPU, id)?;
    }
    bench.run(40);
    same(&bench, last + 3)
}

/// Partitions take turns (5.8 c).
pub fn turns(bodies: &Bodies<RemoteWriteQueue>) -> Result<(), String> {
    let mut bench = Bench::new(bodies);
    bench.next.drain_ready = false;
    for dest in [1, 1, 1, 2, 2] {
        bench.access(op::LOAD, dest, ADDR)?;
    }
    bench.run(10);
    bench.next.drain_ready = true;
    let from = bench.out.len();
    bench.run(20);
    let beats = bench.out[from..].iter().filter_map(|out| Some(out.drain?.dest));
    let seen: Vec<_> = beats.collect();
    ensure(seen == [1, 2, 1, 2, 1], || format!("GPUs {seen:?}"))
}

/// A GPU release flushes nothing and waits for nothing (5.4).
pub fn gpu_releases(bodies: &Bodies<RemoteWriteQueue>) -> Result<(), String> {
    let mut bench = Bench::new(bodies);
    bench.store(ADDR)?;
    bench.release(op::RELEASE_SYS, 1)?;
    bench.store(ADDR)?;
    let accepted = bench.release(op::RELEASE_GPU, 2)?;
    bench.run(20);
    let (seen, flushes) = (bench.done(), bench.flushes().len());
    ensure(seen == [(accepted + 3, 2)] && flushes == 1, || format!("{seen:?}, {flushes} flushes"))
}

/// A GPU release in S2 in the cycle of the last completion is told of, too (5.8 d).
pub fn ends(bodies: &Bodies<RemoteWriteQueue>) -> Result<(), String> {
    for delay in 0..6 {
        let mut bench = Bench::new(bodies);
        bench.store(ADDR)?;
        bench.release(op::RELEASE_SYS, 1)?;
        while !bench.out.iter().any(|out| out.drain.is_some_and(|d| d.kind == drain_kind::MARK)) {
            ensure(bench.out.len() < 100, || "no MARK".into())?;
            bench.cycle();
        }
        bench.release(op::RELEASE_GPU, 2)?;
        bench.run(delay);
        bench.next.cpl = Some(1);
        bench.run(20);
        let mut seen: Vec<_> = bench.done().into_iter().map(|(_, id)| id).collect();
        seen.sort_unstable();
        ensure(seen == [1, 2], || format!("{seen:?} are done"))?;
    }
    Ok(())
}
