//! Expected outputs of a directory for its accepted requests, compared cycle by cycle.

use std::collections::{BTreeSet, VecDeque};

use ports::directory::coherence_directory::{Config, Counters, In, MAX_POS, Out, Req, cause, op};

use super::oracle::{Answer, Line, Oracle};
use crate::checks::ensure;

/// Pending outputs of a directory: answers with the cycle of their request, error codes with the
/// cycle in which they are due, and lines of jobs; and the final counters.
pub struct Owed {
    pub config: Config,
    pub self_id: u8,
    pub oracle: Oracle,
    answers: VecDeque<(usize, Answer)>,
    codes: VecDeque<(usize, u8)>,
    invalidations: VecDeque<(u8, Line, bool)>,
    /// A line that was shown and not taken: it must stay.
    held: Option<Line>,
    job_credit: u32,
    rsp_credit: u32,
    /// Cycles at whose end a job credit returns from a request without a job.
    returning: VecDeque<usize>,
    pub counters: Counters,
    pub evictions: [u32; MAX_POS],
    pub touched: BTreeSet<u64>,
}

impl Owed {
    pub fn new(config: &Config, self_id: u8) -> Self {
        Self {
            config: config.clone(),
            self_id,
            oracle: Oracle::new(config, self_id),
            answers: VecDeque::new(),
            codes: VecDeque::new(),
            invalidations: VecDeque::new(),
            held: None,
            job_credit: config.jobs,
            rsp_credit: config.responses,
            returning: VecDeque::new(),
            counters: Counters::default(),
            evictions: [0; MAX_POS],
            touched: BTreeSet::new(),
        }
    }

    pub fn is_paid(&self) -> bool {
        self.answers.is_empty() && self.codes.is_empty() && self.invalidations.is_empty()
    }

    /// No line of a job is left.
    pub fn has_no_job(&self) -> bool {
        self.invalidations.is_empty()
    }

    /// A request is accepted.
    pub fn accept(&mut self, cycle: usize, req: &Req) {
        let answer = self.oracle.request(req);
        self.count(req, &answer);
        let line = u64::from(self.config.line);
        self.touched.insert(req.addr / line * line);
        self.job_credit -= 1;
        self.rsp_credit -= 1;
        if answer.job.is_empty() {
            self.returning.push_back(cycle + 1);
        }
        self.codes.extend(answer.code.map(|code| (cycle + 2, code)));
        let lines = answer.job.len();
        for (k, line) in answer.job.iter().enumerate() {
            self.invalidations.push_back((answer.rsp.seq, line.clone(), k + 1 == lines));
        }
        self.answers.push_back((cycle, answer));
    }

    /// The counters that follow from the answers alone, `ready_low_cycles` and `jobq_max` left out.
    fn count(&mut self, req: &Req, answer: &Answer) {
        if answer.rsp.err {
            return;
        }
        let c = &mut self.counters;
        let pair = match req.op {
            op::LRD => Some((&mut c.req_lrd, &mut c.hit_lrd)),
            op::RRD => Some((&mut c.req_rrd, &mut c.hit_rrd)),
            op::LWR => Some((&mut c.req_lwr, &mut c.hit_lwr)),
            op::RWR => Some((&mut c.req_rwr, &mut c.hit_rwr)),
            _ => None,
        };
        if let Some((requests, hits)) = pair {
            *requests += 1;
            *hits += u32::from(answer.rsp.hit);
        }
        c.alloc += u32::from(answer.rsp.alloc);
        let lines = answer.job.len();
        let messages = answer.job.iter().map(|line| line.dest.count_ones()).sum::<u32>();
        match answer.job.first().map(|line| line.cause) {
            Some(cause::WRITE) => {
                c.inv_lines_write += lines as u32;
                c.inv_msgs_write += messages;
            }
            Some(cause::EVICT) => {
                c.evict += 1;
                self.evictions[lines - 1] += 1;
                c.inv_lines_evict += lines as u32;
                c.inv_msgs_evict += messages;
            }
            _ => (),
        }
    }

    /// Compares the outputs of a cycle with the pending ones.
    pub fn see(&mut self, cycle: usize, inputs: &In, out: &Out) -> Result<(), String> {
        self.see_ready(cycle, out)?;
        self.see_response(cycle, inputs, out)?;
        self.see_invalidation(inputs, out)?;
        let code = self.codes.front().filter(|(due, _)| *due == cycle).map(|(_, code)| *code);
        self.codes.drain(..usize::from(code.is_some()));
        ensure(out.err == code, || format!("error {:?} instead of {code:?}", out.err))
    }

    /// Ready needs a credit of each kind, and an oldest job of an age of at most 95 requests.
    fn see_ready(&mut self, cycle: usize, out: &Out) -> Result<(), String> {
        let credits = self.job_credit > 0 && self.rsp_credit > 0;
        let seq = self.oracle.next_seq();
        let late = self.invalidations.front().is_some_and(|(of, ..)| seq.wrapping_sub(*of) >= 96);
        // The job of the request in S1 has no age yet.
        let ready = credits && !(late && out.inv.is_some());
        if self.returning.front() == Some(&cycle) {
            self.returning.pop_front();
            self.job_credit += 1;
        }
        ensure(out.req_ready == ready, || format!("req_ready is {}", out.req_ready))
    }

    fn see_response(&mut self, cycle: usize, inputs: &In, out: &Out) -> Result<(), String> {
        let due = self.answers.front().filter(|(asked, _)| asked + 2 <= cycle);
        let rsp = due.map(|(_, answer)| answer.rsp);
        ensure(out.rsp == rsp, || format!("response {:?} instead of {rsp:?}", out.rsp))?;
        if rsp.is_some() && inputs.rsp_ready {
            self.answers.pop_front();
            self.rsp_credit += 1;
        }
        Ok(())
    }

    fn see_invalidation(&mut self, inputs: &In, out: &Out) -> Result<(), String> {
        let Some(inv) = out.inv else {
            return ensure(self.held.is_none(), || "a line goes before it is taken".into());
        };
        let shown = Line { addr: inv.addr, dest: inv.dest, cause: inv.cause };
        let owed = self.invalidations.front();
        let (seq, line, last) = owed.ok_or_else(|| format!("{inv:?} without a job"))?;
        let same = (inv.seq, &shown, inv.last) == (*seq, line, *last);
        ensure(same, || format!("{inv:?} instead of {line:?} of {seq}, last: {last}"))?;
        ensure(inv.dest != 0 && inv.dest >> self.self_id & 1 == 0, || format!("{inv:?}"))?;
        self.held = Some(shown).filter(|_| !inputs.inv_ready);
        if inputs.inv_ready {
            self.job_credit += u32::from(*last);
            self.invalidations.pop_front();
        }
        Ok(())
    }
}
