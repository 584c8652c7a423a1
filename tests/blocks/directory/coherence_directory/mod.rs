//! The coherence directory, model and RTL: worked examples of the directory
//! specification, its rates, its error codes, and random requests. Expected values come from the
//! specification's text.

mod duplicate;
mod errors;
mod examples;
mod oracle;
mod owed;
mod random;
mod rates;

use duet_tests::{Bench, Body, on_both_bodies};
use hwmodel::directory::coherence_directory::CoherenceDirectory;
use ports::directory::coherence_directory::{In, Inv, Out, Req, Rsp, op};

/// A directory after its sweep. `rsp_ready` and `inv_ready` are always 1.
struct Directory {
    /// Cycle 0 is the first after the sweep.
    bench: Bench<Body<CoherenceDirectory>>,
    self_id: u8,
    /// Requests that were accepted.
    accepted: usize,
}

/// The outputs that a request caused, from an idle directory to an idle directory.
struct Done {
    rsp: Rsp,
    inv: Vec<Inv>,
    err: Option<u8>,
}

impl Done {
    /// Hit, alloc, evicted, and the sharers before.
    fn told(&self) -> (bool, bool, bool, u16) {
        (self.rsp.hit, self.rsp.alloc, self.rsp.evicted, self.rsp.sharers)
    }

    /// Cause, line address, destinations and `last` of each invalidation.
    fn sent(&self) -> Vec<(u8, u64, u16, bool)> {
        self.inv.iter().map(|inv| (inv.cause, inv.addr, inv.dest, inv.last)).collect()
    }
}

impl Directory {
    /// Sweeps the directory of GPU `self_id`.
    fn new(mut body: Body<CoherenceDirectory>, self_id: u8) -> Self {
        while !body.outputs().req_ready {
            body.tick(&quiet(self_id));
        }
        Self { bench: Bench::new(body), self_id, accepted: 0 }
    }

    /// One cycle, in which `req` is offered; returns its outputs.
    fn cycle(&mut self, req: Option<Req>) -> Out {
        let cycle = self.bench.cycle(&In { req, ..quiet(self.self_id) });
        let out = self.bench.out[cycle];
        self.accepted += usize::from(req.is_some() && out.req_ready);
        out
    }

    /// Number of EVICT jobs of `lines` lines.
    fn evictions_of(&mut self, lines: u8) -> u32 {
        self.bench.cycle(&In { hist_sel: lines - 1, ..quiet(self.self_id) });
        self.bench.body.outputs().hist
    }

    /// Offers a request in the next cycle, in which it must be accepted; returns that cycle.
    fn send(&mut self, req: Req) -> usize {
        assert!(self.cycle(Some(req)).req_ready, "{req:?} is not accepted at once");
        self.bench.out.len() - 1
    }

    /// Sends a request to an idle directory and waits until it is idle again. Checks the cycles
    /// (specification 5.1: response, error and first line in t + 2, one line per cycle), `id` and
    /// `seq`.
    fn run(&mut self, req: Req) -> Done {
        let seq = (self.accepted % 256) as u8;
        let req = Req { id: seq ^ 0xA5, ..req };
        let t = self.send(req);
        while !self.cycle(None).idle {
            assert!(self.bench.out.len() < t + 100, "never idle after {req:?}");
        }
        let (mut rsps, mut invs, mut errs) = (vec![], vec![], vec![]);
        for (cycle, out) in self.bench.out.iter().enumerate().skip(t + 1) {
            rsps.extend(out.rsp.map(|rsp| (cycle, rsp)));
            invs.extend(out.inv.map(|inv| (cycle, inv)));
            errs.extend(out.err.map(|err| (cycle, err)));
        }
        assert_eq!(rsps.iter().map(|r| r.0).collect::<Vec<_>>(), [t + 2], "response of {req:?}");
        assert!(invs.iter().map(|i| i.0).eq((t + 2..).take(invs.len())), "{req:?}: {invs:?}");
        assert!(errs.iter().all(|e| e.0 == t + 2) && errs.len() < 2, "{req:?}: {errs:?}");
        let rsp = rsps[0].1;
        assert_eq!((rsp.id, rsp.seq, rsp.reserved), (req.id, seq, 0));
        let inv: Vec<_> = invs.into_iter().map(|(_, inv)| inv).collect();
        assert!(inv.iter().all(|inv| inv.seq == seq), "{req:?}: {inv:?}");
        Done { rsp, inv, err: errs.first().map(|e| e.1) }
    }

    /// Runs a request that must cause no error and no job.
    fn quietly(&mut self, req: Req) {
        let done = self.run(req);
        assert!(!done.rsp.err && done.inv.is_empty() && done.err.is_none(), "{req:?}");
    }
}

/// Inputs without a request.
fn quiet(self_id: u8) -> In {
    In { rsp_ready: true, inv_ready: true, self_id, ..In::default() }
}

/// Runs `check` on model and RTL as the directory of GPU 0.
fn on_both(config: &str, check: impl Fn(Directory)) {
    on_both_bodies::<CoherenceDirectory>(config, |body| check(Directory::new(body, 0)));
}

fn req(op: u8, src: u8, addr: u64) -> Req {
    Req { addr, id: 0, src, op }
}

fn rrd(src: u8, addr: u64) -> Req {
    req(op::RRD, src, addr)
}

fn rwr(src: u8, addr: u64) -> Req {
    req(op::RWR, src, addr)
}

/// Requests of home GPU 0.
fn lrd(addr: u64) -> Req {
    req(op::LRD, 0, addr)
}

fn lwr(addr: u64) -> Req {
    req(op::LWR, 0, addr)
}

fn evict(addr: u64) -> Req {
    req(op::EVICT, 0, addr)
}
