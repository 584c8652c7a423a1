//! Runs a program: which kernels run at once, when their accesses, evictions and operations happen.

use cosim::stimulus::Random;
use hwmodel::cpelide::chiplet_coherence_table::{Hidden, Outcome, Share, SyncMode};

use crate::bytes::Footprint;
use crate::failure::{Check, Failure};
use crate::invariants;
use crate::oracle::Oracle;
use crate::packets;
use crate::program::{Access, Item, Kernel, Kind, Program};
use crate::quality::Counts;
use crate::synchroniser::Synchroniser;

/// How a run is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup {
    /// What may go wrong.
    pub ignored: &'static [Check],
    /// Launches begin while the operations of others are not done, against the atomic section of
    /// 5.1.
    pub overlaps_launches: bool,
    /// Acquires do not wait for the releases of other chiplets, while kernels run.
    pub acquires_early: bool,
}

/// About how often time passes between two launches.
const CALLS_PER_LAUNCH: u32 = 3;

/// A kernel that has been launched and has not ended.
struct Active<'a> {
    item: &'a Item,
    kernel: &'a Kernel,
    tag: u8,
    /// Physical chiplets.
    chiplets: u16,
    /// Those that have not said DONE.
    missing: u16,
    footprint: Footprint,
    /// Accesses to come, by chiplet, the next one last.
    left: Vec<Vec<&'a Access>>,
    /// Launches since its own.
    age: u32,
    /// Its operations are done.
    started: bool,
}

struct Run<'a, 's> {
    oracle: Oracle<'a>,
    table: &'s mut dyn Synchroniser,
    active: Vec<Active<'a>>,
    random: Random,
    /// Which chiplets end a kernel early.
    ends: Random,
    setup: Setup,
    /// Operations of the last launch that are not done.
    pending: Option<Outcome>,
    /// Other GPUs run kernels.
    has_others: bool,
}

/// Runs a program. Errors: the first thing that is wrong.
pub fn run(
    program: &Program,
    table: &mut dyn Synchroniser,
    setup: Setup,
) -> Result<Counts, Failure> {
    let mut run = Run {
        oracle: Oracle::new(program, setup.ignored),
        table,
        active: Vec::new(),
        random: Random::new(program.seed),
        ends: Random::new(!program.seed),
        setup,
        pending: None,
        has_others: program.parameters.hidden == Hidden::OfSystem,
    };
    for item in &program.items {
        run.item(item)?;
    }
    run.end()?;
    Ok(run.oracle.quality.counts)
}

impl<'a> Run<'a, '_> {
    fn item(&mut self, item: &'a Item) -> Result<(), Failure> {
        // Its own source, so that leaving out other items changes little.
        self.random = Random::new(self.oracle.program.seed << 16 ^ item.number as u64);
        self.oracle.now = item.number;
        let spots = self.oracle.program.spots.len();
        let footprint = match &item.kind {
            Kind::Kernel(kernel) => kernel.footprint(spots),
            _ => Footprint::new(spots),
        };
        self.make_way(item, &footprint)?;
        self.progress()?;
        if item.acquires {
            let running: Vec<_> = self.active.iter().map(|active| &active.footprint).collect();
            for access in &item.host_writes {
                self.oracle.host_write(access, &running);
            }
        }
        let extension = packets::extension(item);
        let outcome = self.table.launch(&packets::dispatch(item, &extension));
        self.check_outcome(item, &outcome)?;
        let earlier = self.pending.take();
        if let Kind::Kernel(kernel) = &item.kind {
            self.oracle.quality.launch();
            self.add(item, kernel, footprint, outcome.tag.unwrap_or(0));
            if self.setup.overlaps_launches && earlier.is_none() && self.random.chance(128) {
                self.pending = Some(outcome);
                return Ok(());
            }
        }
        self.operate(&outcome)?;
        // Without a table, barriers have no operations.
        let is_kernel = outcome.tag.is_some();
        if is_kernel || self.oracle.program.parameters.sync_mode == SyncMode::Cpelide {
            self.oracle.acquired();
        }
        if let Some(active) = self.active.last_mut().filter(|_| is_kernel) {
            active.started = true;
        }
        self.check_invariants()?;
        if matches!(item.kind, Kind::Barrier) && item.releases {
            self.host_reads()?;
        }
        self.progress()?;
        self.check_invariants()?;
        self.complete(earlier)
    }

    fn add(&mut self, item: &'a Item, kernel: &'a Kernel, footprint: Footprint, tag: u8) {
        for active in &mut self.active {
            active.age += 1;
        }
        let mut left = vec![Vec::new(); self.oracle.program.parameters.chiplets];
        for access in kernel.accesses.iter().rev() {
            left[usize::from(access.chiplet)].push(access);
        }
        let runs_on = kernel.runs_on(item.chiplets);
        let chiplets = runs_on.iter().fold(0, |mask, chiplet| mask | 1 << chiplet);
        let (age, started) = (0, false);
        let missing = chiplets;
        self.active.push(Active {
            item,
            kernel,
            tag,
            chiplets,
            missing,
            footprint,
            left,
            age,
            started,
        });
    }

    /// Ends the kernels that must have ended before an item: those of its stream, those that it
    /// would race with, and the old ones.
    fn make_way(&mut self, item: &Item, footprint: &Footprint) -> Result<(), Failure> {
        loop {
            let in_way = |active: &Active| {
                active.item.stream == item.stream
                    || active.footprint.conflicts(footprint)
                    || active.started && active.age >= active.kernel.life
            };
            let Some(at) = self.active.iter().position(in_way) else { return Ok(()) };
            if !self.active[at].started {
                let pending = self.pending.take();
                self.complete(pending)?;
            }
            self.finish(at)?;
            self.oracle.now = item.number;
        }
    }

    /// Does the operations of a launch that was overtaken.
    fn complete(&mut self, pending: Option<Outcome>) -> Result<(), Failure> {
        let Some(outcome) = pending else { return Ok(()) };
        self.operate(&outcome)?;
        let own = |active: &&mut Active| !active.started && Some(active.tag) == outcome.tag;
        if let Some(active) = self.active.iter_mut().find(own) {
            active.started = true;
        }
        Ok(())
    }

    /// A kernel ends.
    fn finish(&mut self, at: usize) -> Result<(), Failure> {
        while self.step(at)? {}
        let Active { item, tag, .. } = self.active.remove(at);
        self.oracle.now = item.number;
        let outcome = self.table.finish(tag);
        if outcome.signal != packets::signal(item) {
            self.oracle.fails(Check::Outcome, || format!("end of kernel: {outcome:?}"))?;
        }
        self.operate(&outcome)?;
        if item.releases {
            self.host_reads()?;
        }
        Ok(())
    }

    /// The next access of some chiplet of a kernel. False where there is none.
    fn step(&mut self, at: usize) -> Result<bool, Failure> {
        let Active { item, left, .. } = &mut self.active[at];
        let first = self.random.below(left.len() as u32) as usize;
        let chiplets = left.len();
        for chiplet in (0..chiplets).map(|i| (first + i) % chiplets) {
            if let Some(access) = left[chiplet].pop() {
                self.oracle.access(item.number, access)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A chiplet that has no accesses of a kernel left may say so, unless it is the last.
    fn end_on_some(&mut self, at: usize) {
        let Active { tag, missing, left, .. } = &mut self.active[at];
        let chiplet = self.ends.below(left.len() as u32) as usize;
        let rest = *missing & !(1 << chiplet);
        if rest != *missing && rest != 0 && left[chiplet].is_empty() {
            *missing = rest;
            self.table.done_on(*tag, 1 << chiplet);
        }
    }

    /// Time passes.
    fn progress(&mut self) -> Result<(), Failure> {
        for at in 0..self.active.len() {
            let Active { kernel, started, age, left, .. } = &self.active[at];
            if *started {
                // Spread over the kernel's life.
                let accesses: usize = left.iter().map(Vec::len).sum();
                let times = CALLS_PER_LAUNCH * (1 + kernel.life.saturating_sub(*age));
                for _ in 0..(accesses as u32 + self.random.below(times)) / times {
                    self.step(at)?;
                }
                self.end_on_some(at);
            }
        }
        if self.random.chance(80) {
            self.oracle.evict(&mut self.random);
        }
        if self.has_others && self.random.chance(96) {
            let running: Vec<_> = self.active.iter().map(|active| &active.footprint).collect();
            self.oracle.other_gpu(&mut self.random, &running)?;
        }
        Ok(())
    }

    /// The operations of an outcome, while running kernels go on.
    fn operate(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        let Outcome { release, acquire, .. } = *outcome;
        if (release | acquire) & !self.oracle.program.parameters.all_chiplets() != 0 {
            return self.oracle.fails(Check::Outcome, || format!("absent chiplet: {outcome:?}"));
        }
        self.oracle.count(release, acquire);
        // A kernel that runs on an acquired chiplet may fetch lines again before others have
        // released them.
        let may_fetch = |active: &Active| active.started && active.chiplets & acquire != 0;
        if self.active.iter().any(may_fetch) && !self.setup.acquires_early {
            self.each_chiplet(release, |oracle, chiplet| oracle.operate(chiplet, true, false))?;
        }
        self.each_chiplet(release | acquire, |oracle, chiplet| {
            oracle.operate(chiplet, release >> chiplet & 1 == 1, acquire >> chiplet & 1 == 1)
        })
    }

    /// Chiplets in any order.
    fn each_chiplet(
        &mut self,
        mut left: u16,
        operate: impl Fn(&mut Oracle, usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        while left != 0 {
            let nth = self.random.below(left.count_ones()) as usize;
            let chiplet = (0..16).filter(|i| left >> i & 1 == 1).nth(nth).unwrap_or(0);
            left &= !(1 << chiplet);
            operate(&mut self.oracle, chiplet)?;
            if left != 0 && self.random.chance(128) {
                self.progress()?;
            }
        }
        Ok(())
    }

    fn host_reads(&mut self) -> Result<(), Failure> {
        let running: Vec<_> = self.active.iter().map(|active| &active.footprint).collect();
        self.oracle.host_reads(&running)
    }

    fn check_outcome(&self, item: &Item, outcome: &Outcome) -> Result<(), Failure> {
        let is_right = match &item.kind {
            Kind::Barrier => {
                let signal = outcome.signal == packets::signal(item);
                signal && outcome.tag.is_none() && !outcome.rejected
            }
            Kind::Malformed { .. } => {
                let nothing = outcome.release | outcome.acquire == 0 && outcome.tag.is_none();
                let signal = outcome.signal == packets::signal(item);
                nothing && signal && outcome.rejected && outcome.errors == [5]
            }
            Kind::Kernel(kernel) => {
                let shares = shares(kernel.groups, &kernel.runs_on(item.chiplets));
                // The lowest free tag.
                let taken = |tag: u8| self.active.iter().any(|active| active.tag == tag);
                let tag = (0..=255).find(|&tag| !taken(tag));
                outcome.signal == 0 && outcome.tag == tag && outcome.shares == shares
            }
        };
        if is_right {
            return Ok(());
        }
        self.oracle.fails(Check::Outcome, || format!("{outcome:x?}"))
    }

    /// Counters of section 9 that can be seen from outside.
    fn check_counters(&self) -> Result<(), Failure> {
        let found = self.table.counters();
        let Counts { launches, releases, acquires, baseline, .. } = self.oracle.quality.counts;
        let elided = [acquires, releases].map(|sent| baseline.saturating_sub(sent));
        let expected =
            [launches, acquires, elided[0], releases, elided[1]].map(|count| count as u32);
        if found[..5] == expected {
            return Ok(());
        }
        self.oracle.fails(Check::Outcome, || format!("counters {found:?}, not {expected:?}"))
    }

    fn check_invariants(&self) -> Result<(), Failure> {
        let parameters = &self.oracle.program.parameters;
        if parameters.sync_mode != SyncMode::Cpelide || self.setup.overlaps_launches {
            return Ok(());
        }
        // Where EVERY cannot be seen, any line may be an unlabelled kernel's.
        let (image, every) = (self.table.image(), self.table.every().unwrap_or(true));
        let found = invariants::check(&image, every, self.oracle.program, &self.oracle.caches);
        found.or_else(|what| self.oracle.fails(Check::Invariant, || what))
    }

    /// All kernels end, and a barrier ends the program.
    fn end(&mut self) -> Result<(), Failure> {
        let pending = self.pending.take();
        self.complete(pending)?;
        while !self.active.is_empty() {
            self.finish(0)?;
        }
        let number = self.oracle.program.items.last().map_or(0, |item| item.number + 1);
        self.oracle.now = number;
        let barrier = Item {
            number,
            stream: 0,
            chiplets: self.oracle.program.parameters.all_chiplets(),
            acquires: false,
            releases: true,
            host_writes: Vec::new(),
            kind: Kind::Barrier,
        };
        let outcome = self.table.launch(&packets::dispatch(&barrier, &[]));
        // No L2 is filled again.
        self.has_others = false;
        self.operate(&outcome)?;
        self.host_reads()?;
        let Program { parameters, spots, .. } = self.oracle.program;
        if parameters.sync_mode == SyncMode::Cpelide {
            let holds =
                |chiplet| (0..spots.len()).any(|spot| self.oracle.caches.held(chiplet, spot) != 0);
            if (0..parameters.chiplets).any(holds) {
                self.oracle.fails(Check::End, || "an L2 is not empty".into())?;
            }
            let every = self.table.every().unwrap_or(false);
            if every || self.table.image().iter().any(|&byte| byte != 0) {
                self.oracle.fails(Check::End, || "the table is not empty".into())?;
            }
        }
        self.check_counters()
    }
}

/// The pieces of a grid: equal, the remainder to the last.
fn shares(groups: u32, chiplets: &[u8]) -> Vec<Share> {
    let number = chiplets.len() as u32;
    let mut shares = Vec::new();
    let mut first = 0;
    for (i, &chiplet) in (1..).zip(chiplets) {
        let next = if i == number { groups } else { groups / number * i };
        shares.push(Share { chiplet, first, groups: next - first });
        first = next;
    }
    shares
}
