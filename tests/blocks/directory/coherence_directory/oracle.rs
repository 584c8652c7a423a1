//! An untimed reference directory, after specification 4 and 5: sets of lists of maps.

use std::collections::{BTreeMap, BTreeSet};

use ports::directory::coherence_directory::{
    Config, Replacement, Req, Rsp, Variant, cause, err, op,
};

/// Sharers of the tracked lines of an entry. In hmg the key of all four is 0.
type Lines = BTreeMap<u64, BTreeSet<u8>>;

struct Entry {
    base: u64,
    lines: Lines,
    /// When it was allocated, and when it was allocated or used by another GPU.
    allocated: u64,
    used: u64,
}

/// One line of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub addr: u64,
    pub dest: u16,
    pub cause: u8,
}

/// The required response, error code and job of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub rsp: Rsp,
    pub code: Option<u8>,
    /// Empty: no job.
    pub job: Vec<Line>,
}

pub struct Oracle {
    config: Config,
    self_id: u8,
    sets: Vec<Vec<Option<Entry>>>,
    /// Ideal: sharers by line.
    flat: Lines,
    requests: u64,
}

fn mask(gpus: &BTreeSet<u8>) -> u16 {
    gpus.iter().map(|gpu| 1 << gpu).sum()
}

impl Oracle {
    pub fn new(config: &Config, self_id: u8) -> Self {
        let set = || (0..config.ways).map(|_| None).collect();
        let sets = (0..config.sets()).map(|_| set()).collect();
        Self { config: config.clone(), self_id, sets, flat: Lines::new(), requests: 0 }
    }

    fn place(&self, addr: u64) -> (u64, usize, u64) {
        let (line, range) = (u64::from(self.config.line), u64::from(self.config.range));
        let base = addr / range;
        let key = if self.config.variant == Variant::Hmg { 0 } else { addr % range / line };
        (base, (base % u64::from(self.config.sets())) as usize, key)
    }

    /// Sharers of a line; 0 when it is not tracked.
    pub fn sharers(&self, addr: u64) -> u16 {
        if self.config.variant == Variant::Ideal {
            return self.flat.get(&(addr / u64::from(self.config.line))).map_or(0, mask);
        }
        let (base, set, key) = self.place(addr);
        let entry = self.sets[set].iter().flatten().find(|entry| entry.base == base);
        entry.and_then(|entry| entry.lines.get(&key)).map_or(0, mask)
    }

    /// The number of the next request.
    pub fn next_seq(&self) -> u8 {
        (self.requests % 256) as u8
    }

    fn code(&self, req: &Req) -> Option<u8> {
        let covered = u64::from(self.config.ideal_lines) * u64::from(self.config.line);
        let ideal = self.config.variant == Variant::Ideal;
        match req.op {
            6.. => Some(err::OP),
            _ if u32::from(req.src) >= self.config.gpus => Some(err::SRC),
            op::RRD | op::RWR if req.src == self.self_id => Some(err::SRC),
            op::LRD | op::LWR if req.src != self.self_id => Some(err::SRC),
            op if op != op::FENCE && ideal && req.addr >= covered => Some(err::ADDR),
            _ => None,
        }
    }

    /// The lines of an entry, as a job sends them.
    fn lines(&self, base: u64, lines: &Lines, cause: u8) -> Vec<Line> {
        let (size, range) = (u64::from(self.config.line), u64::from(self.config.range));
        let line =
            |key: u64, gpus| Line { addr: base * range + key * size, dest: mask(gpus), cause };
        if self.config.variant == Variant::Hmg {
            return (0..4).map(|key| line(key, &lines[&0])).collect();
        }
        lines.iter().map(|(&key, gpus)| line(key, gpus)).collect()
    }

    pub fn request(&mut self, req: &Req) -> Answer {
        let mut answer = Answer::default();
        let rsp = &mut answer.rsp;
        (rsp.id, rsp.seq) = (req.id, (self.requests % 256) as u8);
        self.requests += 1;
        answer.code = self.code(req);
        if answer.code.is_some() {
            answer.rsp.err = true;
            return answer;
        }
        if req.op == op::FENCE {
            let gpus = (0..self.config.gpus as u8).filter(|&gpu| gpu != self.self_id);
            let dest = mask(&gpus.collect());
            answer.job.push(Line { addr: 0, dest, cause: cause::FENCE });
            return answer;
        }
        let before = self.sharers(req.addr);
        (answer.rsp.hit, answer.rsp.sharers) = (before != 0, before);
        match self.config.variant {
            Variant::Ideal => self.ideal(req, &mut answer),
            _ => self.entries(req, &mut answer),
        }
        answer
    }

    fn ideal(&mut self, req: &Req, answer: &mut Answer) {
        let number = req.addr / u64::from(self.config.line);
        let (remote, hit) = (matches!(req.op, op::RRD | op::RWR), answer.rsp.hit);
        answer.rsp.alloc = remote && !hit;
        let gpus = self.flat.entry(number).or_default();
        let gone = write(req, gpus);
        if gpus.is_empty() {
            self.flat.remove(&number);
        }
        if !gone.is_empty() {
            answer.job = self.lines(number, &Lines::from([(0, gone)]), cause::WRITE);
        }
    }

    fn entries(&mut self, req: &Req, answer: &mut Answer) {
        let (base, set, key) = self.place(req.addr);
        let way = self.sets[set].iter().position(|e| e.as_ref().is_some_and(|e| e.base == base));
        let remote = matches!(req.op, op::RRD | op::RWR);
        let Some(way) = way else {
            if remote {
                self.allocate(req, answer);
            }
            return;
        };
        if req.op == op::EVICT {
            let entry = self.sets[set][way].take().unwrap();
            answer.rsp.evicted = true;
            answer.job = self.lines(base, &entry.lines, cause::EVICT);
            return;
        }
        let now = self.requests;
        let entry = self.sets[set][way].as_mut().unwrap();
        if remote {
            entry.used = now;
        }
        let gpus = entry.lines.entry(key).or_default();
        let gone = write(req, gpus);
        if gpus.is_empty() {
            entry.lines.remove(&key);
        }
        if entry.lines.is_empty() {
            self.sets[set][way] = None;
        }
        if !gone.is_empty() {
            answer.job = self.lines(base, &Lines::from([(key, gone)]), cause::WRITE);
        }
    }

    fn allocate(&mut self, req: &Req, answer: &mut Answer) {
        let (base, set, key) = self.place(req.addr);
        let lru = self.config.replacement == Replacement::Lru;
        let age =
            |entry: &Option<Entry>| entry.as_ref().map(|e| if lru { e.used } else { e.allocated });
        // `None`, a free way, is less than all ages; the lowest free way is found.
        let ways = self.sets[set].iter().enumerate();
        let (way, _) = ways.min_by_key(|(_, entry)| age(entry)).unwrap();
        let now = self.requests;
        let lines = Lines::from([(key, BTreeSet::from([req.src]))]);
        let entry = Entry { base, lines, allocated: now, used: now };
        answer.rsp.alloc = true;
        if let Some(old) = self.sets[set][way].replace(entry) {
            answer.rsp.evicted = true;
            answer.job = self.lines(old.base, &old.lines, cause::EVICT);
        }
    }
}

/// Applies an access to a line's sharers; returns those that are invalidated.
fn write(req: &Req, gpus: &mut BTreeSet<u8>) -> BTreeSet<u8> {
    match req.op {
        op::RRD => {
            gpus.insert(req.src);
            BTreeSet::new()
        }
        op::LWR => std::mem::take(gpus),
        op::RWR => {
            let mut gone = std::mem::replace(gpus, BTreeSet::from([req.src]));
            gone.remove(&req.src);
            gone
        }
        _ => BTreeSet::new(),
    }
}
