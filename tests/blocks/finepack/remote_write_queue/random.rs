//! Random requests, a packetizer that stalls, and completions that come when they like.

use std::collections::VecDeque;

use duet_tests::{Body, ones};
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use ports::finepack::remote_write_queue::{Config, In, Out};
use ports::finepack::types::{LineData, Req, drain_kind, error_code, flush_cause, op};

use super::Bodies;
use super::reference::Reference;
use crate::finepack::{Random, ensure, named};

pub fn check(bodies: &Bodies<RemoteWriteQueue>) -> Result<(), String> {
    for name in ["small", "single-bank", "paper"] {
        let config: Config = named(name);
        let runs = if name == "paper" { bodies.runs / 4 } else { bodies.runs };
        for seed in 0..runs {
            let run = Run::new(&config, seed, (bodies.make)(&config));
            run.all().map_err(|wrong| format!("{name}, run {seed}: {wrong}"))?;
        }
    }
    Ok(())
}

/// A run, and what is under way in it.
struct Run {
    config: Config,
    random: Random,
    body: Body<RemoteWriteQueue>,
    reference: Reference,
    statics: In,
    /// A beat is taken, and a completion comes, once in so many cycles.
    drain_every: u64,
    complete_every: u64,
    /// GPU and release of MARKs that are sent and not completed.
    owed: VecDeque<(u8, u8)>,
    /// The release whose last MARK was completed in the cycle before.
    done: Option<u8>,
    /// A completion without MARK came in the cycle before.
    spurious: bool,
    /// The beat that was not taken in the cycle before.
    waits: Option<Out>,
    overwritten: u32,
    next_id: u8,
}

impl Run {
    fn new(config: &Config, seed: u64, body: Body<RemoteWriteQueue>) -> Self {
        let mut random = Random::new(seed);
        let self_id = random.below(config.num_gpus.into()) as u8;
        let acct = random.below(2) as u8;
        Self {
            reference: Reference::new(config, self_id, acct),
            config: config.clone(),
            body,
            statics: In { self_id, acct, ..In::default() },
            drain_every: random.pick(&[1, 1, 2, 8, 20]),
            complete_every: random.pick(&[1, 3, 30]),
            random,
            owed: VecDeque::new(),
            done: None,
            spurious: false,
            waits: None,
            overwritten: 0,
            next_id: 0,
        }
    }

    fn all(mut self) -> Result<(), String> {
        let Config { entries, num_gpus, banks, .. } = self.config;
        let rest = 60 + 2 * entries * num_gpus * banks;
        for _ in 0..10 {
            for _ in 0..20 + 2 * entries {
                let req = self.request();
                self.offer(req)?;
            }
            // Now and then all but what is open leaves, and the accounts are known.
            for _ in 0..rest {
                self.cycle(None, true)?;
            }
            self.accounts()?;
        }
        self.offer(Req { op: op::RELEASE_SYS, id: self.next_id, ..Req::default() })?;
        for _ in 0..2 * rest {
            self.cycle(None, true)?;
        }
        self.accounts()
    }

    fn request(&mut self) -> Req {
        let Config { line, entries, num_gpus, offset_width, .. } = self.config;
        let random = &mut self.random;
        let far = u64::from(random.once_in(3 * u64::from(entries)));
        let at = random.below(u64::from(entries) + 1) % (1 << (offset_width - line.ilog2()));
        let addr = ((5 + far) << offset_width) + at * u64::from(line) + random.below(line.into());
        let mask = random.mask(line);
        let mut data = LineData::default();
        data.0[..line as usize].fill_with(|| random.next() as u8 | 1);
        let dest = random.below(u64::from(num_gpus)) as u8;
        let id = self.next_id;
        let mut req = Req { op: op::STORE, dest, id, addr, mask, data, ..Req::default() };
        match random.below(64) {
            0..6 => req.op = op::LOAD,
            6..10 => {
                let len = random.pick(&[4, 8]);
                let first = u64::from(len) * random.below(u64::from(line / len));
                req.op = op::ATOMIC;
                req.aop = random.below(9) as u8;
                req.mask = ones(first as u32, len);
            }
            10 => (req.op, req.aop) = (op::ATOMIC, random.below(16) as u8),
            11..14 => req.op = op::RELEASE_SYS,
            14 | 15 => req.op = op::RELEASE_GPU,
            16 => req.op = 5 + random.below(3) as u8,
            17 => req.mask = 0,
            18 => (req.op, req.mask) = (op::LOAD, 0),
            19 => req.dest = random.below(16) as u8,
            20 => (req.dest, req.mask) = (self.statics.self_id, 0),
            _ => (),
        }
        // So that each release is known by its id.
        self.next_id = self.next_id.wrapping_add(1);
        req
    }

    fn offer(&mut self, req: Req) -> Result<(), String> {
        while self.random.once_in(4) {
            self.cycle(None, false)?;
        }
        for _ in 0..4000 {
            if self.cycle(Some(req), false)? {
                return Ok(());
            }
        }
        Err(format!("{req:?} is never accepted"))
    }

    /// One cycle; with `all` beats are taken and MARKs completed as they come. True: the request
    /// is accepted.
    fn cycle(&mut self, req: Option<Req>, all: bool) -> Result<bool, String> {
        let out = self.body.outputs();
        self.look(&out)?;
        let takes = all || self.random.once_in(self.drain_every);
        let (cpl, done, spurious) = self.completion(all);
        let inputs = In { req, drain_ready: takes, cpl, ..self.statics };
        self.body.tick(&inputs);
        ensure(!self.body.failed(), || "an assertion of the RTL fails".into())?;
        self.waits = (out.drain.is_some() && !takes).then_some(out);
        if let (Some(beat), true) = (out.drain, takes) {
            ensure(beat.dest != self.statics.self_id, || format!("{beat:?}"))?;
            let part = self.reference.part_of(beat.dest);
            let expected = self.reference.parts.get_mut(part).and_then(|p| p.beats.pop_front());
            ensure(expected == Some(beat), || format!("{beat:?}, not {expected:?}"))?;
            if beat.kind == drain_kind::MARK {
                self.owed.push_back((beat.dest, beat.id));
            }
        }
        (self.done, self.spurious) = (done, spurious);
        let accepted = req.filter(|_| out.req_ready);
        if let Some(req) = &accepted {
            self.reference.take(req);
        }
        Ok(accepted.is_some())
    }

    /// A completion, the release that it ends, and whether no MARK waits for it.
    fn completion(&mut self, all: bool) -> (Option<u8>, Option<u8>, bool) {
        if !self.owed.is_empty() && (all || self.random.once_in(self.complete_every)) {
            let at = self.random.below(self.owed.len() as u64) as usize;
            let (gpu, id) = self.owed.remove(at).expect("one of them");
            let mut waits = self.reference.releases.iter_mut();
            let release = waits.find(|release| release.id == id && release.marks > 0);
            let done = release.and_then(|release| {
                release.marks -= 1;
                (release.marks == 0).then_some(id)
            });
            return (Some(gpu), done, false);
        }
        if self.random.once_in(16) {
            let known = self.reference.releases.is_empty();
            let others = if known { 16 } else { 1 };
            let gpu = (u64::from(self.statics.self_id) + self.random.below(others)) % 16;
            return (Some(gpu as u8), None, true);
        }
        (None, None, false)
    }

    /// What a cycle shows besides the beats that are taken.
    fn look(&mut self, out: &Out) -> Result<(), String> {
        if let Some(before) = &self.waits {
            let (now, before) = (out.drain, before.drain);
            ensure(now == before, || format!("{before:?} becomes {now:?} untaken"))?;
        }
        self.overwritten += u32::from(out.evt.overwritten);
        for (p, part) in self.reference.parts.iter_mut().enumerate() {
            let cause = out.evt.flush_cause[p];
            if cause != flush_cause::NONE {
                let expected = part.causes.pop_front();
                ensure(expected == Some(cause), || format!("cause {cause}, not {expected:?}"))?;
            }
        }
        let (err, lost, spurious) = (out.err, out.evt.err_lost, self.spurious);
        let right = match err {
            None => !spurious && !lost,
            Some(error_code::SPURIOUS_COMPLETION) => spurious && !lost,
            Some(code) => {
                let fault = self.reference.faults.pop_front();
                fault.is_some_and(|(lowest, others)| code == lowest && lost == (others || spurious))
            }
        };
        ensure(right, || format!("{err:?}, lost {lost}, spurious {spurious}"))?;
        let releases = &mut self.reference.releases;
        if let Some(id) = self.done {
            ensure(out.rel == Some(id), || format!("release {id} is done, not {:?}", out.rel))?;
        }
        if let Some(id) = out.rel {
            let at = releases.iter().position(|release| release.id == id && release.marks == 0);
            let at = at.ok_or_else(|| format!("release {id} is not done: {releases:?}"))?;
            releases.remove(at);
        }
        Ok(())
    }

    /// Everything has left that can, and the accounts are right.
    fn accounts(&self) -> Result<(), String> {
        let out = self.body.outputs();
        for (p, part) in self.reference.parts.iter().enumerate() {
            ensure(part.beats.is_empty(), || format!("{:?} does not come", part.beats[0]))?;
            ensure(part.causes.is_empty(), || format!("no flush for {:?}", part.causes))?;
            let (shown, right) = ((out.occ[p], out.avail[p]), self.reference.account(p));
            ensure(shown == right, || format!("account {p} is {shown:?}, not {right:?}"))?;
        }
        let Reference { faults, releases, overwritten, .. } = &self.reference;
        ensure(faults.is_empty(), || format!("no error {faults:?}"))?;
        ensure(releases.is_empty(), || format!("never done: {releases:?}"))?;
        let shown = self.overwritten;
        ensure(shown == *overwritten, || format!("{shown} bytes overwritten, not {overwritten}"))
    }
}
