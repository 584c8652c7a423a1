//! The controller of one channel.

use std::collections::VecDeque;

use ports::{ConfigError, Fields};

use crate::banks::{Bank, Banks, CLOSED};
use crate::mapping::{Mapping, Place};
use crate::parameters::{Page, Parameters, Policy, Refresh};
use crate::queue::{Entry, Queue};
use crate::{Command, Issued};

/// A request for one burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Returned in the completion.
    pub id: u64,
    /// Byte address, as the mapping expects it. A channel in it is ignored.
    pub address: u64,
    /// A write.
    pub is_write: bool,
}

/// A request's last data beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request's.
    pub id: u64,
    /// The request's.
    pub is_write: bool,
    /// First cycle after the last data beat. It is known when the column command is issued, so it
    /// is in the future.
    pub cycle: u64,
}

/// The queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Column commands issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// RD.
    pub reads: u64,
    /// WR.
    pub writes: u64,
    /// Column commands to a row that a request before them had opened.
    pub row_hits: u64,
    /// First column commands of a row that was opened in a closed bank.
    pub row_misses: u64,
    /// First column commands of a row for which another row was closed.
    pub row_conflicts: u64,
}

/// A rank's refresh: when it is due, and of which bank.
#[derive(Clone, Copy, Debug)]
struct Due {
    at: u64,
    bank: usize,
}

/// First refresh of a rank, numbered from 1. Ranks are staggered.
fn first_refresh(p: &Parameters, rank: u64) -> u64 {
    rank * u64::from(p.timing.refi) / u64::from(p.organization.all_ranks())
}

/// The controller of one channel.
#[derive(Clone, Debug)]
pub struct Controller {
    p: Parameters,
    policy: Policy,
    mapping: Mapping,
    banks: Banks,
    /// Of each rank.
    due: Vec<Due>,
    /// Cycles between two refreshes of a rank; none without refresh.
    interval: Option<u64>,
    /// Reads and writes.
    queues: [Queue; 2],
    writing: bool,
    /// Column commands since reads and writes last alternated.
    served: u32,
    row_bus: u64,
    /// First cycle that is not simulated.
    next: u64,
    /// First cycle in which a command can be issued.
    wake: u64,
    completions: VecDeque<Completion>,
    recorded: Option<Vec<Issued>>,
    counters: Counters,
}

impl Controller {
    /// An idle controller, all rows closed, at cycle 0. The mapping must be of the same
    /// organization.
    pub fn new(p: Parameters, policy: Policy, mapping: Mapping) -> Result<Self, ConfigError> {
        p.check()?;
        policy.check_fields()?;
        assert_eq!(mapping.organization, p.organization, "mapping of another organization");
        let refi = u64::from(p.timing.refi);
        let interval = match policy.refresh {
            Refresh::AllBank => Some(refi),
            Refresh::PerBank => Some(refi / u64::from(p.organization.rank_banks())),
            Refresh::Off => None,
        };
        let first = |rank| interval.map_or(u64::MAX, |_| first_refresh(&p, rank));
        let ranks = u64::from(p.organization.all_ranks());
        let due = (1..=ranks).map(|rank| Due { at: first(rank), bank: 0 });
        let banks = Banks::new(p);
        let queues =
            [policy.read_queue, policy.write_queue].map(|size| Queue::new(size, banks.of.len()));
        let requests = policy.read_queue + policy.write_queue;
        Ok(Self {
            p,
            policy,
            mapping,
            banks,
            due: due.collect(),
            interval,
            queues,
            writing: false,
            served: 0,
            row_bus: 0,
            next: 0,
            wake: 0,
            completions: VecDeque::with_capacity(requests as usize),
            recorded: None,
            counters: Counters::default(),
        })
    }

    /// Queues a request, which can be issued from cycle `now` on.
    pub fn enqueue(&mut self, now: u64, request: Request) -> Result<(), Full> {
        self.advance(now);
        let queue = &mut self.queues[usize::from(request.is_write)];
        if queue.is_full() {
            return Err(Full);
        }
        let place = self.mapping.place(request.address);
        let (bank, Place { row, column, .. }) = (self.banks.index(&place), place);
        let entry = Entry { id: request.id, since: self.next, bank, row, column };
        queue.push(entry, self.banks.of[bank].row == row);
        self.wake = self.wake.min(self.next);
        Ok(())
    }

    /// Simulates all cycles before `end`. Completions must be taken after each call.
    pub fn advance(&mut self, end: u64) {
        while self.wake.max(self.next) < end {
            let now = self.wake.max(self.next);
            self.wake = u64::MAX;
            self.step(now);
            self.next = now + 1;
        }
        self.next = self.next.max(end);
    }

    /// The next completion, in order of column commands.
    pub fn completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    /// The next cycle in which a command can be issued. None without requests.
    pub fn next_event(&self) -> Option<u64> {
        let idle = self.queues.iter().all(|queue| queue.used() == 0);
        (!idle).then(|| self.wake.max(self.next))
    }

    /// Records commands from now on, for a checker.
    pub fn record(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// Recorded commands since the last call.
    pub fn commands(&mut self) -> impl Iterator<Item = Issued> {
        self.recorded.as_mut().into_iter().flat_map(|commands| commands.drain(..))
    }

    /// Column commands so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Refreshes that are due up to a cycle, simulated or not. A refresh is issued as soon as its
    /// banks allow.
    pub fn refreshes(&self, now: u64) -> u64 {
        let Some(interval) = self.interval else { return 0 };
        let firsts = (1..=self.due.len() as u64).map(|rank| first_refresh(&self.p, rank));
        firsts.map(|first| now.checked_sub(first).map_or(0, |past| past / interval + 1)).sum()
    }

    /// Examines the next cycle, even if no command can be issued in it.
    #[cfg(test)]
    pub(crate) fn examine(&mut self) {
        self.wake = self.next;
    }

    /// Whether a cycle has come; otherwise the controller wakes in it.
    #[inline]
    fn reached(&mut self, cycle: u64, now: u64) -> bool {
        if cycle > now {
            self.wake = self.wake.min(cycle);
        }
        cycle <= now
    }

    /// One cycle.
    fn step(&mut self, now: u64) {
        self.alternate(now);
        let mut blocked = 0;
        let mut row = self.refresh(now, &mut blocked);
        let mut hits = 0;
        if self.p.organization.dual_bus || (!row && self.reached(self.row_bus, now)) {
            let column = self.column(now, blocked, &mut hits);
            row |= column && !self.p.organization.dual_bus;
        }
        if !row && self.reached(self.row_bus, now) && !self.open(now, blocked | hits) {
            self.close_idle(now, blocked);
        }
    }

    /// Whether the oldest request of a queue is over the age cap.
    fn starves(&mut self, queue: usize, now: u64) -> bool {
        let Some(oldest) = self.queues[queue].oldest() else { return false };
        let at = oldest.since + u64::from(self.policy.age_cap);
        self.reached(at, now)
    }

    /// Decides between reads and writes.
    fn alternate(&mut self, now: u64) {
        let starves = [self.starves(0, now), self.starves(1, now)];
        let [reads, writes] = [0, 1].map(|queue| self.queues[queue].used());
        let policy = &self.policy;
        let batch = self.served >= policy.write_high - policy.write_low;
        let change = if self.writing {
            let drained = writes <= policy.write_low && !starves[1];
            writes == 0 || (reads > 0 && (drained || (starves[0] && batch)))
        } else {
            let wanted = writes >= policy.write_high || starves[1];
            writes > 0 && (reads == 0 || (wanted && (!starves[0] || batch)))
        };
        if change {
            self.writing = !self.writing;
            self.served = 0;
        }
    }

    /// Blocks banks that are due, and issues at most one command for them.
    fn refresh(&mut self, now: u64, blocked: &mut u64) -> bool {
        let in_rank = self.p.organization.rank_banks() as usize;
        let mut issued = false;
        for rank in 0..self.due.len() {
            let Due { at, bank } = self.due[rank];
            if !self.reached(at, now) {
                continue;
            }
            let (of, close, refresh) = if self.policy.refresh == Refresh::AllBank {
                *blocked |= (u64::MAX >> (64 - in_rank)) << (rank * in_rank);
                (rank * in_rank..(rank + 1) * in_rank, Command::PrechargeAll, Command::RefreshAll)
            } else {
                let bank = rank * in_rank + bank;
                *blocked |= 1 << bank;
                (bank..bank + 1, Command::Precharge, Command::RefreshBank)
            };
            if issued {
                continue;
            }
            let banks = &self.banks.of[of.clone()];
            let open = banks.iter().filter(|bank| bank.row != CLOSED).map(|bank| bank.precharge);
            let closed = banks.iter().map(|bank| bank.activate).max();
            let (ready, command) = match open.max() {
                Some(ready) => (ready, close),
                None => (closed.expect("a rank has banks"), refresh),
            };
            if self.reached(ready.max(self.row_bus), now) {
                self.issue(now, command, of.start, 0, 0);
                issued = true;
                if let Some(interval) = self.interval.filter(|_| command == refresh) {
                    let next = (bank + of.len()) % in_rank;
                    self.due[rank] = Due { at: at + interval, bank: next };
                }
            }
        }
        issued
    }

    /// Those of some banks in which a command is legal. The controller wakes for the others.
    fn ready(&mut self, mut banks: u64, now: u64, first: impl Fn(&Bank) -> u64) -> u64 {
        let mut ready = 0;
        while banks > 0 {
            let bank = banks.trailing_zeros();
            banks &= banks - 1;
            let legal = self.reached(first(&self.banks.of[bank as usize]), now);
            ready |= u64::from(legal) << bank;
        }
        ready
    }

    /// Issues the oldest legal row hit. Finds banks with row hits.
    fn column(&mut self, now: u64, blocked: u64, hits: &mut u64) -> bool {
        let queue = usize::from(self.writing);
        *hits = self.queues[queue].hits & !blocked;
        if self.starves(queue, now)
            && let Some(oldest) = self.queues[queue].oldest()
            && self.banks.of[oldest.bank].row != oldest.row
        {
            *hits &= !(1 << oldest.bank);
        }
        let ready = self.ready(*hits, now, |bank| bank.column[queue]);
        if ready == 0 {
            return false;
        }
        let banks = &self.banks.of;
        let taken = self.queues[queue].take(ready, |bank| banks[bank].row);
        let Entry { id, bank, row, column, .. } = taken.expect("a bank with a hit has an entry");
        let t = &self.p.timing;
        let latency = if self.writing { t.cwl } else { t.cl } + t.bl;
        self.completions.push_back(Completion {
            id,
            is_write: self.writing,
            cycle: now + u64::from(latency),
        });
        self.served += 1;
        let command = if self.writing { Command::Write } else { Command::Read };
        self.issue(now, command, bank, row, column);
        true
    }

    /// Opens the row of the oldest request of a bank, or closes the row before it.
    fn open(&mut self, now: u64, without: u64) -> bool {
        let queue = &self.queues[usize::from(self.writing)];
        let ready = self.ready(queue.waiting & !without, now, |bank| match bank.row {
            CLOSED => bank.activate,
            _ => bank.precharge,
        });
        let oldest = self.queues[usize::from(self.writing)].oldest_of(ready);
        let Some(Entry { bank, row, .. }) = oldest else { return false };
        match self.banks.of[bank].row {
            CLOSED => self.issue(now, Command::Activate, bank, row, 0),
            _ => {
                self.issue(now, Command::Precharge, bank, 0, 0);
                self.banks.of[bank].conflict = true;
            }
        }
        true
    }

    /// Closes a row by the row policy.
    fn close_idle(&mut self, now: u64, blocked: u64) {
        if self.policy.page == Page::Open {
            return;
        }
        let without = blocked | self.queues[0].hits | self.queues[1].hits;
        let all = u64::MAX >> (64 - self.banks.of.len());
        let ready = self.ready(all & !without, now, |bank| match bank.row {
            CLOSED => u64::MAX,
            _ => bank.precharge,
        });
        if ready > 0 {
            self.issue(now, Command::Precharge, ready.trailing_zeros() as usize, 0, 0);
        }
    }

    /// Issues a command.
    fn issue(&mut self, now: u64, command: Command, bank: usize, row: u32, column: u32) {
        self.wake = now + 1;
        if matches!(command, Command::Read | Command::Write) {
            let Bank { fresh, conflict, .. } = self.banks.of[bank];
            self.counters.row_hits += u64::from(!fresh);
            self.counters.row_misses += u64::from(fresh && !conflict);
            self.counters.row_conflicts += u64::from(fresh && conflict);
        }
        self.banks.issue(now, command, bank, row);
        if !self.p.organization.dual_bus || !matches!(command, Command::Read | Command::Write) {
            let activate = command == Command::Activate;
            self.row_bus = now + if activate { u64::from(self.p.timing.act_cycles) } else { 1 };
        }
        let (count, queues) = (&mut self.counters, &mut self.queues);
        match command {
            Command::Activate => queues.iter_mut().for_each(|queue| queue.opened(bank, row)),
            Command::Precharge => queues.iter_mut().for_each(|queue| queue.closed(bank)),
            Command::PrechargeAll => {
                let banks = bank..bank + self.p.organization.rank_banks() as usize;
                queues.iter_mut().for_each(|queue| banks.clone().for_each(|at| queue.closed(at)));
            }
            Command::Read => count.reads += 1,
            Command::Write => count.writes += 1,
            Command::RefreshAll | Command::RefreshBank => {}
        }
        if let Some(recorded) = &mut self.recorded {
            let place = self.banks.place(bank, row, column);
            recorded.push(Issued { cycle: now, command, place });
        }
    }
}
