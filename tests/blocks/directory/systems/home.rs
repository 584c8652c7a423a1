//! A home L2: a directory, an infinite memory that is accessed in the order of the directory, and
//! what goes back to the GPUs in the order of the specification's section 6.

use std::collections::VecDeque;

use cosim::stimulus::Random;
use ports::directory::coherence_directory::{In, Inv, Out, Req, Rsp, cause, op};

use crate::directory::systems::counts::Counts;
use crate::directory::systems::directory::Directory;
use crate::directory::systems::egress::{Egress, MAX_AGE};
use crate::directory::systems::log::{Detail, Log};
use crate::directory::systems::messages::{Message, Reply, Request, What};
use crate::directory::systems::phase::Phase;
use crate::directory::systems::tracking::Tracking;
use crate::directory::systems::weakness::Weakness;
use crate::directory::systems::words::{Data, Word, Write, words};

/// Addresses below this mean nothing in any line.
const LOW: u32 = 64;

/// What a step of the home does to the others.
#[derive(Debug)]
pub enum Effect {
    Send {
        gpu: usize,
        message: Message,
    },
    /// A thread of the home gets its word.
    Read {
        thread: usize,
        word: Word,
        write: Write,
    },
    Atomic {
        thread: usize,
        reply: Reply,
    },
    /// The home's own write is done.
    Wrote {
        word: Word,
        write: Write,
    },
    /// The write has its place in the order.
    Ordered {
        write: Write,
        number: u64,
    },
    /// A fence needs no marker.
    Released {
        thread: usize,
    },
    /// The directory knows of the write of another GPU.
    Decided {
        gpu: usize,
        line: usize,
    },
}

pub struct Home {
    pub gpu: usize,
    pub directory: Box<dyn Directory>,
    /// By line of this home: address, ascending.
    pub addresses: Vec<u64>,
    /// Number of its first line in the system.
    pub first: usize,
    pub memory: Vec<Data>,
    /// By GPU: its requests on their way. The second channel is for the reads of a system that
    /// breaks rule 6.
    pub inbox: Vec<[VecDeque<Request>; 2]>,
    pub tracking: Tracking,
    weakness: Option<Weakness>,
    /// What the directory is shown until it accepts it.
    offered: Option<(Request, Req)>,
    accepted: u64,
    /// Accepted, without response, with their ids.
    asked: VecDeque<(u64, Request, u8)>,
    egress: Egress,
    /// FENCE requests without their job sent, with the GPU and the thread that release.
    fences: VecDeque<(u64, usize, usize)>,
    /// Markers that have not come back, by thread that releases.
    pub markers: Vec<u32>,
}

impl Home {
    pub fn new(
        gpu: usize,
        gpus: usize,
        threads: usize,
        directory: Box<dyn Directory>,
        addresses: Vec<u64>,
        first: usize,
        weakness: Option<Weakness>,
    ) -> Self {
        let lines = addresses.len();
        Self {
            gpu,
            directory,
            addresses,
            first,
            memory: vec![Data::default(); lines],
            inbox: vec![Default::default(); gpus],
            tracking: Tracking::new(lines),
            weakness,
            offered: None,
            accepted: 0,
            asked: VecDeque::new(),
            egress: Egress::new(weakness),
            fences: VecDeque::new(),
            markers: vec![0; threads],
        }
    }

    /// A GPU puts a request on its channel.
    pub fn send(&mut self, request: Request) {
        let split = self.weakness == Some(Weakness::SplitRequests) && request.what.is_read();
        self.inbox[request.gpu][usize::from(split)].push_back(request);
    }

    /// Nothing is inside or on its way here.
    pub fn is_quiet(&self) -> bool {
        let nothing = self.inbox.iter().flatten().all(VecDeque::is_empty) && self.egress.is_empty();
        nothing && self.offered.is_none() && self.directory.outputs().idle
    }

    /// One cycle. Errors: a port shows what it must not.
    pub fn tick(
        &mut self,
        r: &mut Random,
        phase: &Phase,
        log: &mut Log,
        counts: &mut Counts,
        effects: &mut Vec<Effect>,
    ) -> Result<(), String> {
        if self.offered.is_none() {
            self.offered = self.next_request(r, phase);
        }
        let out = self.directory.outputs();
        let may_accept = self.egress.may_accept(self.accepted);
        let may_send = out.inv.is_none_or(|inv| self.egress.may_send(&inv, self.line(&inv)));
        let input = In {
            req: self.offered.filter(|_| may_accept).map(|(_, req)| req),
            rsp_ready: r.chance(phase.rsp_ready[self.gpu]),
            inv_ready: r.chance(phase.inv_ready[self.gpu]) && may_send,
            self_id: self.gpu as u8,
            hist_sel: 0,
        };
        let age = out.inv.map_or(0, |inv| self.accepted - self.number(inv.seq));
        counts.inv_waits += u64::from(!may_send);
        counts.old_fills += u64::from(!may_accept);
        counts.old_jobs += u64::from(age >= MAX_AGE && !out.req_ready);
        self.directory.tick(&input);
        self.check_body(&out)?;
        self.tracking.shown(out.inv.map(|inv| (self.number(inv.seq), inv.addr)));
        if let Some(inv) = out.inv.filter(|_| input.inv_ready) {
            self.invalidate(&inv, log, effects)?;
            counts.write_invs += u64::from(inv.cause == cause::WRITE);
            counts.evict_invs += u64::from(inv.cause == cause::EVICT);
        }
        if let Some(request) = self.tracking.decide(&self.addresses)
            && let (What::Write { line, .. }, true) = (request.what, request.gpu != self.gpu)
        {
            effects.push(Effect::Decided { gpu: request.gpu, line });
        }
        if let Some(rsp) = out.rsp.filter(|_| input.rsp_ready) {
            self.access(&rsp, effects)?;
        }
        if out.inv.is_none() {
            self.egress.sent_all_jobs();
        }
        if input.req.is_some() && out.req_ready {
            self.accept(log, effects);
        }
        if r.chance(phase.answer[self.gpu]) {
            self.answer(r, log, effects);
        }
        Ok(())
    }

    fn check_body(&self, out: &Out) -> Result<(), String> {
        if self.directory.failed() {
            let mut report = String::new();
            let _ = self.directory.write_failure(&mut report);
            return Err(report);
        }
        out.err.map_or(Ok(()), |code| Err(format!("error code {code}")))
    }

    /// The next request that comes out of a channel, or a wish of the home's own.
    fn next_request(&self, r: &mut Random, phase: &Phase) -> Option<(Request, Req)> {
        let speeds = &phase.request[self.gpu];
        let gpus = self.inbox.len();
        let first = r.below(gpus as u32) as usize;
        let mut channels =
            (0..gpus).map(|k| (first + k) % gpus).filter(|&gpu| r.chance(speeds[gpu]));
        let arrived = channels.find_map(|gpu| {
            let either = usize::from(self.inbox[gpu][1].is_empty());
            self.inbox[gpu][1 - either].front()
        });
        let request = match arrived {
            Some(request) => *request,
            None if r.chance(phase.evict) => {
                let line = self.first + r.below(self.addresses.len() as u32) as usize;
                Request { gpu: self.gpu, thread: 0, what: What::Evict { line } }
            }
            None => return None,
        };
        let local = request.gpu == self.gpu;
        let op = match request.what {
            What::Read(_) => [op::RRD, op::LRD][usize::from(local)],
            What::Write { .. } => [op::RWR, op::LWR][usize::from(local)],
            What::Atomic { .. } => op::LWR,
            What::Fence => op::FENCE,
            What::Evict { .. } => op::EVICT,
        };
        let src = if op == op::LWR { self.gpu } else { request.gpu } as u8;
        // A fence has no address.
        let line = request.what.line().map_or(0, |line| self.addresses[line - self.first]);
        let addr = line + u64::from(r.below(LOW));
        Some((request, Req { op, src, addr, id: r.word() as u8 }))
    }

    /// The number of a request, of which the directory shows 8 bits.
    fn number(&self, seq: u8) -> u64 {
        let age = (self.accepted as u8).wrapping_sub(1).wrapping_sub(seq);
        (self.accepted - 1).saturating_sub(age.into())
    }

    /// The line of an invalidation; none if it is unused.
    fn line(&self, inv: &Inv) -> Option<usize> {
        let at = self.addresses.binary_search(&inv.addr).ok();
        at.filter(|_| inv.cause != cause::FENCE).map(|at| self.first + at)
    }

    fn invalidate(
        &mut self,
        inv: &Inv,
        log: &mut Log,
        effects: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let (number, line) = (self.number(inv.seq), self.line(inv));
        let mut dest = inv.dest;
        let message = if inv.cause == cause::FENCE {
            let fence = self.fences.pop_front().filter(|fence| fence.0 == number);
            let (_, gpu, thread) =
                fence.ok_or(format!("FENCE of request {number}, which is none"))?;
            if self.weakness == Some(Weakness::NoMarkerToReleaser) {
                dest &= !(1 << gpu);
            }
            self.markers[thread] += dest.count_ones();
            if dest == 0 {
                effects.push(Effect::Released { thread });
            }
            Some(Message::Marker { home: self.gpu, thread })
        } else {
            line.map(|line| Message::Inv { line })
        };
        for gpu in (0..self.inbox.len()).filter(|gpu| dest >> gpu & 1 == 1) {
            if let Some(message) = message {
                effects.push(Effect::Send { gpu, message });
            }
            if let Some(line) = line {
                log.note(line, gpu, "INV is sent to it", Detail::Number(number));
            }
        }
        self.tracking.sent(number, inv.addr);
        if inv.last {
            self.egress.sent_job(number);
        }
        Ok(())
    }

    /// The L2 accesses the data of a request when the directory has answered it.
    fn access(&mut self, rsp: &Rsp, effects: &mut Vec<Effect>) -> Result<(), String> {
        let Some((number, request, id)) = self.asked.pop_front() else {
            return Err("a response to nothing".into());
        };
        if (rsp.seq, rsp.id, rsp.err) != (number as u8, id, false) {
            return Err(format!("request {number}, id {id}: {rsp:?}"));
        }
        let Request { gpu, thread, what } = request;
        let local = gpu == self.gpu;
        let kept = match what {
            What::Write { .. } if !local => 1 << gpu,
            What::Write { .. } | What::Atomic { .. } => 0,
            _ => rsp.sharers,
        };
        if rsp.evicted || rsp.sharers & !kept != 0 || matches!(what, What::Fence) {
            self.egress.made_job(number);
        }
        let Some(line) = what.line() else { return Ok(()) };
        let data = &mut self.memory[line - self.first];
        let message = match what {
            What::Read(word) if local => {
                effects.push(Effect::Read { thread, word, write: data[word.at()] });
                return Ok(());
            }
            What::Read(_) => Message::Fill { line, data: *data },
            What::Write { mask, write, .. } => {
                for word in words(line, mask) {
                    data[word.at()] = write;
                    if local {
                        effects.push(Effect::Wrote { word, write });
                    }
                }
                return Ok(());
            }
            What::Atomic { word, write, waits } => {
                let old = std::mem::replace(&mut data[word.at()], write);
                let reply = Reply { word, old, write, waits };
                if local {
                    effects.push(Effect::Atomic { thread, reply });
                    return Ok(());
                }
                Message::Reply { thread, reply }
            }
            What::Fence | What::Evict { .. } => return Ok(()),
        };
        self.egress.give(number, message);
        Ok(())
    }

    fn accept(&mut self, log: &mut Log, effects: &mut Vec<Effect>) {
        let Some((request, req)) = self.offered.take() else { return };
        let (number, Request { gpu, thread, what }) = (self.accepted, request);
        self.accepted += 1;
        if !matches!(what, What::Evict { .. }) {
            let split = self.weakness == Some(Weakness::SplitRequests) && what.is_read();
            self.inbox[gpu][usize::from(split)].pop_front();
        }
        if let What::Write { write, .. } | What::Atomic { write, .. } = what {
            effects.push(Effect::Ordered { write, number });
        }
        if let What::Fence = what {
            self.fences.push_back((number, gpu, thread));
        }
        if gpu != self.gpu && matches!(what, What::Read(_) | What::Atomic { .. }) {
            self.egress.expect(number, request);
        }
        if let Some(line) = what.line() {
            const NAMES: [&str; 6] = ["LRD", "RRD", "LWR", "RWR", "EVICT", "FENCE"];
            log.note(line, gpu, NAMES[usize::from(req.op)], Detail::Number(number));
        }
        self.asked.push_back((number, request, req.id));
        self.tracking.accepted(number, request, &*self.directory, &self.addresses);
    }

    fn answer(&mut self, r: &mut Random, log: &mut Log, effects: &mut Vec<Effect>) {
        let Some((number, Request { gpu, what, .. }, message)) = self.egress.take(r) else {
            return;
        };
        effects.push(Effect::Send { gpu, message });
        if let Some(line) = what.line() {
            let what = if what.is_read() { "fill is sent to it" } else { "reply is sent to it" };
            log.note(line, gpu, what, Detail::Number(number));
        }
    }
}
