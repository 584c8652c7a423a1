//! All sockets of a system, by place.

use std::cell::{Ref, RefCell};
use std::fmt;
use std::rc::Rc;

use bodies::Request;
use hwmodel::Model;
use ports::Description;

use super::choice::{Choice, Pattern};
use super::shared::Shared;
use super::stand::{Seat, Stand};
use super::uses::BlockUse;
use super::watch::{WINDOW, Window};
use super::{Log, Socket};
use crate::body::{BodyError, BodyKind};
use crate::flip::Flip;
use crate::inspect;
use crate::report::{Mismatch, RunName};
use crate::sample::{Inside, WindowCycle};
use crate::wave::{Clock, Shown};

/// Where a socket is.
#[derive(Clone, Debug)]
pub struct At<'a> {
    /// Place of whatever it is in, as `gpu1/chiplet2/l2.bank0`; empty in a system of one.
    pub place: &'a str,
    /// Number of its clock among those of the system.
    pub clock: usize,
    /// Number of the component that ticks it.
    pub owner: u32,
}

/// A socket, as the register knows it.
struct Entry {
    place: String,
    clock: usize,
    owner: u32,
    seat: Rc<RefCell<dyn Seat>>,
}

/// Who sees cycles: each with its place in what [`Sockets::shown`] gave.
type SeeCycles = Box<dyn FnMut(&[(usize, &WindowCycle)])>;

/// An observed window of some sockets, in cycles of the system.
struct Watching {
    /// Numbers of the sockets, and the first cycle of each that has not been shown.
    sockets: Vec<(usize, u64)>,
    to: Option<u64>,
    /// The window has opened in one of them.
    opened: bool,
    see: SeeCycles,
}

/// All sockets of a system, in the order in which they were made. Numbers of cycles are those of
/// the system, whose clock is the first of its clocks, unless they say otherwise.
pub struct Sockets {
    choice: Choice,
    clocks: Vec<Clock>,
    entries: Vec<Entry>,
    shared: Rc<Shared>,
    /// Where the system is only planned: the RTL bodies that it needs.
    requests: Option<Vec<Request>>,
    watching: Option<Watching>,
}

/// A body that differs from the other, or whose assertion failed.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where it stands.
    pub place: String,
    /// The block.
    pub block: Description,
    /// Its clock.
    pub clock: Clock,
    /// The cycle of its clock.
    pub cycle: u64,
    /// The cycle of the system, where that is another clock.
    pub system_cycle: Option<u64>,
    /// What is wrong.
    pub text: String,
    /// Of two bodies: the report, and the cycles around the difference.
    pub mismatch: Option<(Mismatch, inspect::Window)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.mismatch {
            Some(_) => "model and RTL differ",
            None => "an assertion failed",
        };
        let Self { place, clock, cycle, system_cycle, .. } = self;
        write!(f, "{place}: {what} at cycle {}", system_cycle.unwrap_or(*cycle))?;
        match system_cycle {
            Some(_) => write!(f, ", {cycle} of {}", clock.name),
            None => Ok(()),
        }
    }
}

impl Sockets {
    /// For a system with these clocks, with the bodies that are chosen.
    pub fn new(choice: &Choice, clocks: Vec<Clock>) -> Self {
        Self {
            choice: choice.clone(),
            clocks,
            entries: Vec::new(),
            shared: Rc::default(),
            requests: None,
            watching: None,
        }
    }

    /// Likewise, but models stand in all sockets, and [`Sockets::requests`] tells which RTL bodies
    /// are needed.
    pub fn plan(choice: &Choice, clocks: Vec<Clock>) -> Self {
        Self { requests: Some(Vec::new()), ..Self::new(choice, clocks) }
    }

    /// The RTL bodies that a system needs that was planned.
    pub fn requests(&self) -> &[Request] {
        self.requests.as_deref().unwrap_or_default()
    }

    /// A new socket, with the chosen body after reset. `run` names the parameters in reports.
    /// Errors: an illegal parameter; no RTL body can be built.
    pub fn socket<M: Model + 'static>(
        &mut self,
        at: At,
        run: &str,
        config: &M::Config,
    ) -> Result<Socket<M>, BodyError> {
        let slash = if at.place.is_empty() { "" } else { "/" };
        let place = format!("{}{slash}{}", at.place, M::NAME);
        let (mut kind, sight) = (self.choice.body(&place), self.choice.sight(&place));
        if let Some(requests) = &mut self.requests {
            let request = Request::new(M::describe(config), sight.variant());
            let is_new = || requests.iter().all(|one| one.to_string() != request.to_string());
            if kind != BodyKind::Model && is_new() {
                requests.push(request);
            }
            kind = BodyKind::Model;
        }
        let run = RunName { config: run.to_string(), seed: 0 };
        let (shared, number) = (self.shared.clone(), self.entries.len());
        let stand = Stand::<M>::new(kind, &run, config, sight, shared, number)?;
        let stand = Rc::new(RefCell::new(stand));
        let (clock, owner, seat) = (at.clock, at.owner, stand.clone());
        self.entries.push(Entry { place, clock, owner, seat });
        Ok(Socket(stand))
    }

    /// All places.
    pub fn places(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.place.clone()).collect()
    }

    /// Numbers of the sockets that a pattern means.
    pub fn matching(&self, pattern: &Pattern) -> Vec<usize> {
        (0..self.entries.len()).filter(|&at| pattern.matches(&self.entries[at].place)).collect()
    }

    /// Numbers of the first socket of each block.
    pub fn first_of_each(&self) -> Vec<usize> {
        let mut names = Vec::new();
        let is_first = |&at: &usize| {
            let name = self.block(at).name;
            let first = !names.contains(&name);
            names.push(name);
            first
        };
        (0..self.entries.len()).filter(is_first).collect()
    }

    /// The place of a socket.
    pub fn place(&self, number: usize) -> &str {
        &self.entries[number].place
    }

    /// The body that stands in a socket.
    pub fn kind(&self, number: usize) -> BodyKind {
        self.seat(number).kind()
    }

    /// The block of a socket.
    pub fn block(&self, number: usize) -> Description {
        self.seat(number).description()
    }

    /// Who ticks a socket.
    pub fn owner(&self, number: usize) -> u32 {
        self.entries[number].owner
    }

    /// Whether any socket is ticked.
    pub fn is_owner(&self, owner: u32) -> bool {
        self.entries.iter().any(|entry| entry.owner == owner)
    }

    fn seat(&self, number: usize) -> Ref<'_, dyn Seat + 'static> {
        self.entries[number].seat.borrow()
    }

    /// What each block has done until cycle `now` ended.
    pub fn uses(&self, now: u64) -> Vec<BlockUse> {
        let mut uses: Vec<BlockUse> = Vec::new();
        for entry in &self.entries {
            let seat = entry.seat.borrow();
            let transfers = seat.transfers();
            let one = BlockUse {
                name: seat.description().name,
                body: Some(seat.kind()),
                instances: 1,
                cycles: self.cycles(entry.clock, now + 1),
                busy: transfers.busy,
                last_transfer: transfers.last,
                transfers: transfers.counts(),
            };
            match uses.iter_mut().find(|all| all.name == one.name) {
                Some(all) => all.add(one),
                None => uses.push(one),
            }
        }
        uses
    }

    /// Cycles of a clock that have ended before cycle `now` of the system.
    pub fn cycles(&self, clock: usize, now: u64) -> u64 {
        let [own, system] = [clock, 0].map(|at| u128::from(self.clocks[at].megahertz));
        (u128::from(now) * own / system) as u64
    }

    /// Keeps each transfer from now on.
    pub fn start_logs(&mut self) {
        for entry in &self.entries {
            entry.seat.borrow_mut().transfers_mut().log = Some(Box::default());
        }
    }

    /// The transfers since then, by place.
    pub fn logs(&self) -> impl Iterator<Item = (&str, Ref<'_, Log>)> {
        self.entries.iter().filter_map(|entry| {
            let log = |seat: &dyn Seat| seat.transfers().log.is_some();
            let seat = entry.seat.borrow();
            log(&*seat).then(|| {
                let log = Ref::map(seat, |seat| &**seat.transfers().log.as_ref().expect("it is"));
                (&*entry.place, log)
            })
        })
    }

    /// Inverts a bit of an output of a socket in which two bodies stand, on the RTL's side, once,
    /// in the first cycle of the system from that of the flip on in which the field is compared: a
    /// self-test of the comparison. The owner must be visited in that cycle.
    pub fn flip(&mut self, number: usize, flip: Flip) {
        let entry = &self.entries[number];
        let cycle = self.cycles(entry.clock, flip.cycle);
        self.shared.watched.set(true);
        entry.seat.borrow_mut().watch().flip = Some(Flip { cycle, ..flip });
    }

    /// A flip is still to come.
    pub fn has_pending_flip(&self) -> bool {
        self.entries.iter().any(|entry| entry.seat.borrow().has_pending_flip())
    }

    /// What a waveform shows of these sockets, and their clocks. `inside`: with what is inside
    /// them.
    pub fn shown(&self, numbers: &[usize], inside: bool) -> (Vec<Clock>, Vec<Shown>) {
        // A clock that drives nothing that is shown is none of the file.
        let is_used = |&clock: &usize| numbers.iter().any(|&at| self.entries[at].clock == clock);
        let used: Vec<_> = (0..self.clocks.len()).filter(is_used).collect();
        let shown = numbers.iter().map(|&number| {
            let Entry { place, clock, seat, .. } = &self.entries[number];
            let mut seat = seat.borrow_mut();
            let inside = if inside { seat.look_inside() } else { Inside::default() };
            let clock = used.iter().position(|used| used == clock).expect("it is used");
            let ports = Shown::ports(seat.description(), seat.kind());
            Shown { place: place.clone(), clock, inside, ..ports }
        });
        let shown = shown.collect();
        (used.into_iter().map(|at| self.clocks[at].clone()).collect(), shown)
    }

    /// Shows the cycles of these sockets within a window. One without a first cycle is opened by
    /// the first transfer of those that have the clock of the first of them. The owners must be
    /// visited in the first cycle.
    pub fn watch(
        &mut self,
        numbers: &[usize],
        window: Window,
        see: impl FnMut(&[(usize, &WindowCycle)]) + 'static,
    ) {
        let opened = window.from.is_some();
        let clock = |number: usize| self.entries[number].clock;
        for &number in numbers.iter().filter(|&&n| opened || clock(n) == clock(numbers[0])) {
            self.set_window(number, window);
        }
        let sockets = numbers.iter().map(|&number| (number, 0)).collect();
        self.watching = Some(Watching { sockets, to: window.to, opened, see: Box::new(see) });
    }

    fn set_window(&self, number: usize, window: Window) {
        let entry = &self.entries[number];
        let of_clock = |at: Option<u64>| at.map(|at| self.cycles(entry.clock, at));
        let window = Window { from: of_clock(window.from), to: of_clock(window.to) };
        let length = self.cycles(entry.clock, WINDOW);
        self.shared.watched.set(true);
        entry.seat.borrow_mut().watch().set_window(window, length);
    }

    /// True where [`Sockets::show`] is to be called after each cycle.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.watching.is_some()
    }

    /// Shows what has ended in cycle `now`. Gives the sockets whose window opens with the next
    /// cycle: their owners must be visited in it.
    #[cold]
    pub fn show(&mut self, now: u64) -> Vec<usize> {
        let Some(mut watching) = self.watching.take() else { return Vec::new() };
        let seats: Vec<_> = watching.sockets.iter().map(|&(at, _)| self.seat(at)).collect();
        let mut fresh = Vec::new();
        for (place, ((_, next), seat)) in watching.sockets.iter_mut().zip(&seats).enumerate() {
            if let Some(cycle) = seat.last_cycle().filter(|cycle| cycle.cycle >= *next) {
                *next = cycle.cycle + 1;
                fresh.push((place, cycle));
            }
        }
        if !fresh.is_empty() {
            (watching.see)(&fresh);
        }
        drop(fresh);
        drop(seats);
        let mut opening = Vec::new();
        if let (false, Some(first)) = (watching.opened, self.shared.opened.take()) {
            watching.opened = true;
            let to = watching.to.or(Some(now + WINDOW));
            let numbers = watching.sockets.iter().map(|&(number, _)| number);
            opening.extend(numbers.filter(|&number| number != first));
            for &number in &opening {
                self.set_window(number, Window { from: Some(now + 1), to });
            }
        }
        self.watching = Some(watching);
        opening
    }

    /// True once something is wrong with a body.
    #[inline]
    pub fn have_failed(&self) -> bool {
        self.shared.failed.get()
    }

    /// True once what followed the first failure has been seen.
    #[cold]
    pub fn have_shown_failure(&self) -> bool {
        let over = |entry: &Entry| entry.seat.borrow().failed_at().is_some_and(|(_, seen)| seen);
        self.entries.iter().any(over)
    }

    /// The first failure in time.
    pub fn difference(&self) -> Option<Box<Difference>> {
        let failed = |entry| {
            let Entry { clock, seat, .. }: &Entry = entry;
            let (at, _) = seat.borrow().failed_at()?;
            Some((u128::from(at) * 1_000_000 / u128::from(self.clocks[*clock].megahertz), entry))
        };
        // Of several the first in the register.
        let (_, entry) = self.entries.iter().filter_map(failed).min_by_key(|(time, _)| *time)?;
        let seat = entry.seat.borrow();
        let cycle = seat.failed_at()?.0 - 1;
        let [own, system] = [entry.clock, 0].map(|at| u128::from(self.clocks[at].megahertz));
        // The cycle of the system in which that cycle of the clock begins.
        let begins = (u128::from(cycle + 1) * system).div_ceil(own) as u64 - 1;
        Some(Box::new(Difference {
            place: entry.place.clone(),
            block: seat.description(),
            clock: self.clocks[entry.clock].clone(),
            cycle,
            system_cycle: (entry.clock != 0).then_some(begins),
            text: seat.failure(),
            mismatch: seat.mismatch().map(|(found, window)| (found.clone(), window.clone())),
        }))
    }
}
