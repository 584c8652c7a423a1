//! The lines of an L1: tags, data, leases, locks and order of use (specification 5.3).

use std::hash::{Hash, Hasher};

use ports::timestamp::types::{BusRsp, LineData};

use super::action::Place;
use super::time::Time;
use crate::state::{MAX_WIDTH, State};

/// The lease of a line.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Lease {
    /// G-TSC: logical time of the line's last write. TC: 0.
    pub wts: u32,
    /// End of the lease. G-TSC: the last time at which the line may be read. TC: the first cycle in
    /// which it may not.
    pub rts: u32,
    /// G-TSC: stores to the line in flight. No load hits while there are any.
    pub lock: u8,
    /// G-TSC: the copy is dropped when its lock is released.
    pub bad: bool,
}

impl Lease {
    #[inline(always)]
    pub fn is_locked(&self) -> bool {
        self.lock > 0
    }

    /// A store is sent.
    pub fn lock(&mut self) {
        self.bad &= self.is_locked();
        self.lock += 1;
    }

    /// A store is acknowledged. The last acknowledgement gives the line its lease.
    pub fn unlock(&mut self, ack: &BusRsp) {
        self.lock = self.lock.saturating_sub(1);
        self.bad |= !ack.ok;
        if !self.is_locked() {
            (self.wts, self.rts) = (ack.wts, ack.rts);
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Line {
    valid: bool,
    line: u64,
    /// [`Lines::uses`] at the line's last use.
    used: u64,
    lease: Lease,
}

/// Set-associative lines. A place is an index: set * ways + way.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    sets: u64,
    ways: usize,
    lines: Box<[Line]>,
    data: Box<[LineData]>,
    /// Uses so far.
    uses: u64,
}

impl Lines {
    /// Hashes the valid lines and the order of use in each set. Under TC all leases that are over
    /// hash alike; under G-TSC `now` is 0.
    pub fn hash_at<H: Hasher>(&self, now: u32, hasher: &mut H) {
        for (place, at) in self.lines.iter().enumerate() {
            at.valid.hash(hasher);
            if at.valid {
                let set = &self.lines[place - place % self.ways..][..self.ways];
                let older = set.iter().filter(|other| other.valid && other.used < at.used).count();
                let lease = Lease { rts: at.lease.rts.max(now), ..at.lease };
                (at.line, older, &self.data[place], lease).hash(hasher);
            }
        }
    }

    pub fn new(sets: u32, ways: u32) -> Self {
        let places = (sets * ways) as usize;
        Self {
            sets: sets.into(),
            ways: ways as usize,
            lines: vec![Line::default(); places].into(),
            data: vec![LineData::default(); places].into(),
            uses: 0,
        }
    }

    /// The place of a way of the line's set.
    #[inline(always)]
    pub fn place(&self, line: u64, way: usize) -> usize {
        (line & (self.sets - 1)) as usize * self.ways + way
    }

    /// The way of a place.
    #[inline(always)]
    pub fn way(&self, place: usize) -> u8 {
        (place % self.ways) as u8
    }

    #[inline(always)]
    fn set(&self, line: u64) -> &[Line] {
        let first = self.place(line, 0);
        &self.lines[first..first + self.ways]
    }

    /// The place of a present line.
    #[inline(always)]
    pub fn find(&self, line: u64) -> Option<usize> {
        let way = self.set(line).iter().position(|at| at.valid && at.line == line)?;
        Some(self.place(line, way))
    }

    #[inline(always)]
    pub fn lease(&self, place: usize) -> &Lease {
        &self.lines[place].lease
    }

    #[inline(always)]
    pub fn lease_mut(&mut self, place: usize) -> &mut Lease {
        &mut self.lines[place].lease
    }

    #[inline(always)]
    pub fn data(&self, place: usize) -> &LineData {
        &self.data[place]
    }

    #[inline(always)]
    pub fn data_mut(&mut self, place: usize) -> &mut LineData {
        &mut self.data[place]
    }

    /// Makes the line the most recently used of its set.
    #[inline(always)]
    pub fn touch(&mut self, place: usize) {
        self.uses += 1;
        self.lines[place].used = self.uses;
    }

    /// Bit w: way w of the line's set is invalid or unlocked.
    pub fn replaceable(&self, line: u64) -> u16 {
        let ways = self.set(line).iter().enumerate();
        ways.map(|(way, at)| u16::from(!at.valid || !at.lease.is_locked()) << way).sum()
    }

    /// The victim: the lowest invalid way, else the least recently used one of `ways`.
    pub fn victim(&self, line: u64, ways: u16) -> Place {
        let set = self.set(line);
        if let Some(way) = set.iter().position(|at| !at.valid) {
            return Place::Invalid(self.place(line, way));
        }
        let candidates = (0..self.ways).filter(|way| ways >> way & 1 == 1);
        let oldest = candidates.min_by_key(|&way| set[way].used);
        oldest.map_or(Place::NoWay, |way| Place::Evicts(self.place(line, way)))
    }

    /// Installs a line, which counts as a use.
    pub fn install(&mut self, place: usize, line: u64, lease: Lease, data: &LineData) {
        self.lines[place] = Line { valid: true, line, used: 0, lease };
        self.data[place] = *data;
        self.touch(place);
    }

    /// Drops the line of a place.
    pub fn drop(&mut self, place: usize) {
        self.lines[place].valid = false;
    }

    /// Drops all lines.
    pub fn clear(&mut self) {
        self.lines.iter_mut().for_each(|at| at.valid = false);
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, time: Time, line_w: u32, ts_w: u32) {
        let places = self.lines.len();
        if places <= MAX_WIDTH as usize {
            state.flags("valid", self.lines.iter().map(|at| at.valid));
        }
        for (place, at) in self.lines.iter().enumerate() {
            let Line { valid, line, lease, .. } = *at;
            let (wts, rts) = time.fields(&lease);
            state.bits_while(valid, &format!("wts[{place}]"), ts_w, wts);
            state.bits_while(valid, &format!("rts[{place}]"), ts_w, rts);
            // The RTL stores tags, locks and bad bits by set.
            state.bits_while(valid, &format!("line_of_place[{place}]"), line_w, line);
            if time.is_gtsc {
                state.bits_while(valid, &format!("lock_of_place[{place}]"), 7, lease.lock);
                let bad = valid && lease.is_locked();
                state.bits_while(bad, &format!("bad_of_place[{place}]"), 1, u8::from(lease.bad));
            }
        }
    }
}
