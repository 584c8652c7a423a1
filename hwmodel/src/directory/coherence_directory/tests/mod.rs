//! Directed tests; figures come from the specification's text and worked examples.

mod age;
mod counters;
mod credits;
mod errors;
mod parameters;
mod replacement;
mod sweep;
mod timing;
mod transitions;

use super::*;

/// The specification's default parameters with fewer entries: 4 sets.
fn rec() -> Config {
    Config {
        variant: Variant::Rec,
        gpus: 4,
        entries: 32,
        ways: 8,
        line: 64,
        range: 1024,
        address_width: 48,
        replacement: Replacement::Lru,
        jobs: 8,
        responses: 4,
        ideal_lines: 64,
    }
}

fn hmg() -> Config {
    Config { variant: Variant::Hmg, range: 256, replacement: Replacement::Fifo, ..rec() }
}

fn baseline() -> Config {
    Config { variant: Variant::Baseline, range: 64, replacement: Replacement::Fifo, ..rec() }
}

fn ideal() -> Config {
    Config { variant: Variant::Ideal, range: 64, ..rec() }
}

/// One of each variant.
fn variants() -> [Config; 4] {
    [rec(), hmg(), baseline(), ideal()]
}

/// The variants with entries.
fn with_entries() -> [Config; 3] {
    [rec(), hmg(), baseline()]
}

/// A directory after its sweep, its inputs, and the outputs of all cycles since.
struct Bench {
    dir: CoherenceDirectory,
    /// Inputs of the next cycle; `req` is cleared after it.
    next: In,
    /// Outputs by cycle, from 0 after the sweep.
    out: Vec<Out>,
}

impl Bench {
    /// The directory of GPU 0.
    fn new(config: &Config) -> Self {
        Self::of_gpu(config, 0)
    }

    fn of_gpu(config: &Config, self_id: u8) -> Self {
        Self::after_sweep(CoherenceDirectory::new(config).expect("legal parameters"), self_id)
    }

    /// With an array whose ways 0 and 1 have base 0.
    fn corrupt(config: &Config, self_id: u8) -> Self {
        Self::after_sweep(CoherenceDirectory::corrupt(config).expect("two ways"), self_id)
    }

    fn after_sweep(mut dir: CoherenceDirectory, self_id: u8) -> Self {
        let next = In { rsp_ready: true, inv_ready: true, self_id, ..In::default() };
        while !dir.outputs().req_ready {
            dir.tick(&next);
        }
        Self { dir, next, out: Vec::new() }
    }

    /// One cycle; returns its number.
    fn cycle(&mut self) -> usize {
        let shown = self.dir.outputs();
        let out = self.dir.tick(&self.next);
        assert_eq!(shown, out, "tick must return the outputs of the cycle that it ends");
        self.next.req = None;
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

    /// Sends a request and waits until it is done. Returns its response and its invalidations.
    fn run(&mut self, req: Req) -> (Rsp, Vec<Inv>) {
        let first = self.send(req);
        while !self.dir.outputs().idle {
            self.cycle();
        }
        let rsp = self.out[first..].iter().find_map(|out| out.rsp).expect("a response");
        (rsp, self.out[first..].iter().filter_map(|out| out.inv).collect())
    }

    /// Offers a request in each of `cycles` cycles; returns those in which it was accepted.
    fn offer(&mut self, cycles: usize, mut req: impl FnMut(usize) -> Req) -> Vec<usize> {
        let (mut accepted, mut next) = (Vec::new(), 0);
        for _ in 0..cycles {
            self.next.req = Some(req(next));
            let cycle = self.cycle();
            if self.out[cycle].req_ready {
                accepted.push(cycle);
                next += 1;
            }
        }
        accepted
    }

    /// All responses so far, with their cycles.
    fn responses(&self) -> Vec<(usize, Rsp)> {
        self.out.iter().enumerate().filter_map(|(n, out)| Some((n, out.rsp?))).collect()
    }

    /// All invalidations so far, with their cycles.
    fn invalidations(&self) -> Vec<(usize, Inv)> {
        self.out.iter().enumerate().filter_map(|(n, out)| Some((n, out.inv?))).collect()
    }
}

fn req(op: u8, src: u8, addr: u64) -> Req {
    Req { addr, id: 0, src, op }
}

/// Requests to the directory of GPU 0.
fn lrd(addr: u64) -> Req {
    req(op::LRD, 0, addr)
}

fn rrd(src: u8, addr: u64) -> Req {
    req(op::RRD, src, addr)
}

fn lwr(addr: u64) -> Req {
    req(op::LWR, 0, addr)
}

fn rwr(src: u8, addr: u64) -> Req {
    req(op::RWR, src, addr)
}

fn evict(addr: u64) -> Req {
    req(op::EVICT, 0, addr)
}

fn fence(src: u8) -> Req {
    req(op::FENCE, src, 0)
}

/// Line address, destinations and `last` of each invalidation.
fn lines(invalidations: &[Inv]) -> Vec<(u64, u16, bool)> {
    invalidations.iter().map(|inv| (inv.addr, inv.dest, inv.last)).collect()
}
