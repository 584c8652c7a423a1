//! Random programs. They have no data races: kernels that may run at once never touch a byte that
//! one of them writes, and neither do the chiplets of a kernel.

use cosim::stimulus::Random;
use hwmodel::cpelide::chiplet_coherence_table::{Hidden, Parameters};

use crate::bytes::{Footprint, Touched, span};
use crate::layout::{Layout, PAGE, Structure};
use crate::profile::{self, Profile};
use crate::program::{Access, Homes, Item, Kernel, Kind, Label, Labels, Program};

/// Packets of a program.
const ITEMS: usize = 60;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let r = &mut random;
    let parameters = profile::parameters(r, seed);
    let mut profile = Profile::draw(r, parameters.chiplets as u32);
    // EVERY lives longer than entries only where labels are rare.
    if parameters.home_aware && r.chance(64) {
        profile.unlabelled = 220;
    }
    let structures = r.pick(&[1, 1, 1, 2, 3, 5, 8, 12, 14]);
    let layout = Layout::draw(r, structures, parameters.line);
    let mut draw = Draw { r, parameters, profile, layout, running: Vec::new() };
    let items = (0..ITEMS).map(|number| draw.item(number)).collect();
    let fetches_on_write = draw.r.chance(128);
    let homes = draw.r.pick(&[Homes::FirstTouch, Homes::Interleaved]);
    let homes = (parameters.hidden != Hidden::Nothing).then_some(homes);
    Program { seed, parameters, spots: draw.layout.spots, fetches_on_write, homes, items }
}

struct Draw<'a> {
    r: &'a mut Random,
    parameters: Parameters,
    profile: Profile,
    layout: Layout,
    running: Vec<Running>,
}

/// A kernel that may still run.
struct Running {
    stream: u8,
    /// Launches to come by which it has ended.
    life: u32,
    footprint: Footprint,
    accesses: Vec<Access>,
}

impl Draw<'_> {
    fn item(&mut self, number: usize) -> Item {
        let mut stream = self.r.below(self.profile.streams.len() as u32) as u8;
        if stream == 0 && self.profile.background && self.r.chance(160) {
            stream = 1 + self.r.below(2) as u8;
        }
        let bound = self.profile.streams[usize::from(stream)];
        let other = profile::mask(self.r, self.parameters.chiplets as u32);
        let chiplets = if self.r.chance(200) { bound } else { other };
        self.running.retain(|running| running.stream != stream && running.life > 0);

        let kind = match self.r.below(256) {
            n if n < self.profile.barriers => Kind::Barrier,
            n if n >= 254 => Kind::Malformed { packet_type: self.r.pick(&[0, 1, 2, 4, 5, 255]) },
            _ => Kind::Kernel(self.kernel(stream, chiplets)),
        };
        let is_barrier = matches!(kind, Kind::Barrier);
        let scope = |r: &mut Random, part: u32| r.chance(if is_barrier { 160 } else { part });
        let acquires = scope(self.r, self.profile.acquires);
        let releases = scope(self.r, self.profile.releases);
        let is_malformed = matches!(kind, Kind::Malformed { .. });
        let host_writes = if acquires && !is_malformed { self.host_writes() } else { Vec::new() };
        Item { number, stream, chiplets, acquires, releases, host_writes, kind }
    }

    fn host_writes(&mut self) -> Vec<Access> {
        let writes = self.r.below(5);
        (0..writes).filter_map(|_| self.access_in(0, u64::MAX, true)).collect()
    }

    fn kernel(&mut self, stream: u8, chiplets: u16) -> Kernel {
        let r = &mut *self.r;
        let bound = chiplets.count_ones();
        let scheduled = if r.chance(160) { bound } else { 1 + r.below(bound) };
        let background = self.profile.background && stream == 0;
        let life = if background { 16 } else { r.below(self.profile.life + 1) };
        let labels = if r.chance(self.profile.unlabelled) {
            use Labels::{BadMagic, NoExtension, TooManyChiplets, Truncated, Unknown};
            r.pick(&[
                NoExtension,
                NoExtension,
                Unknown,
                Unknown,
                Truncated,
                BadMagic,
                TooManyChiplets,
            ])
        } else {
            Labels::Known
        };
        let groups = r.pick(&[1, 3, 16, 1000]);
        let most = if r.chance(24) { 10 } else { self.profile.structures };
        let structures = 1 + r.below(most);
        let mut kernel = Kernel {
            scheduled: scheduled as u8,
            groups,
            labels,
            structures: Vec::new(),
            life,
            accesses: Vec::new(),
        };
        let runs_on = kernel.runs_on(chiplets);
        for _ in 0..structures {
            let beside = !background && self.r.chance(self.profile.beside);
            if !(beside && self.beside_running(&mut kernel, &runs_on)) {
                self.structure(&mut kernel, &runs_on, background);
            }
        }
        self.shuffle(&mut kernel.accesses);
        self.make_race_free(&mut kernel.accesses);
        for running in &mut self.running {
            running.life = running.life.saturating_sub(1);
        }
        let footprint = kernel.footprint(self.layout.spots.len());
        let accesses = kernel.accesses.clone();
        self.running.push(Running { stream, life, footprint, accesses });
        kernel
    }

    /// Adds a structure's label, and accesses within it.
    fn structure(&mut self, kernel: &mut Kernel, runs_on: &[u8], background: bool) {
        let r = &mut *self.r;
        let structures = &self.layout.structures;
        let at = r.below(structures.len() as u32) as usize;
        let structure = structures[at].clone();
        let writes = r.chance(128);
        let (mut base, mut length) = (structure.base, structure.length);
        // Some of its pages, or its neighbour too.
        if r.chance(16) && length > PAGE {
            base += PAGE;
            length -= PAGE;
        } else if let Some(next) = structures.get(at + 1).filter(|_| r.chance(8)) {
            length = next.base + next.length - base;
        }
        let end = base + length - 1;
        let mut cuts: Vec<u64> = structure.cuts.iter().map(|cut| structure.base + cut).collect();
        cuts.retain(|cut| (base..=end).contains(cut));
        cuts.extend([base, end + 1]);
        cuts.sort_unstable();
        cuts.dedup();

        let mut ranges = self.ranges(runs_on.len() as u8, &cuts, background);
        let mut may: Vec<(u8, u64, u64)> = ranges.clone();
        if ranges.is_empty() {
            may = (0..runs_on.len() as u8).map(|logical| (logical, base, end)).collect();
        }
        if self.r.chance(self.profile.faults) {
            if ranges.is_empty() || self.r.chance(128) {
                // Rounded down to the page.
                let into = self.r.below(length.min(PAGE) as u32);
                base += u64::from(into);
                length -= u64::from(into);
            } else {
                // Outside: each chiplet may touch all of it.
                ranges[0].2 = if self.r.chance(128) { end + 1 } else { base.wrapping_sub(1) };
                may = (0..runs_on.len() as u8).map(|logical| (logical, base, end)).collect();
            }
        }
        let label = Label { base, length, writes, ranges };
        kernel.structures.push(label);
        let whole = !self.r.chance(self.profile.exact);
        for (logical, start, end) in may {
            // A label may say more than is touched.
            if whole && self.r.chance(64) {
                continue;
            }
            let chiplet = runs_on[usize::from(logical)];
            for _ in 0..1 + self.r.below(self.profile.accesses) {
                let write = writes && self.r.chance(144);
                let access = self.access_in(start, end, write);
                let times = if background { 8 } else { 1 + self.r.below(3) as usize };
                let access = access.map(|access| Access { chiplet, ..access });
                kernel.accesses.extend(access.iter().cycle().take(times * access.iter().len()));
            }
        }
    }

    /// Adds a structure that a running kernel touches, of which this one touches one line on one
    /// chiplet: the line of the other's access, or another line on the same chiplet. False where
    /// that cannot be.
    fn beside_running(&mut self, kernel: &mut Kernel, runs_on: &[u8]) -> bool {
        let (r, line) = (&mut *self.r, self.parameters.line);
        let running: Vec<_> = self.running.iter().flat_map(|running| &running.accesses).collect();
        if running.is_empty() {
            return false;
        }
        let Access { chiplet, spot, .. } = *r.pick(&running);
        let (same_line, same_chiplet) =
            r.pick(&[(true, false), (true, false), (false, true), (false, true), (true, true)]);
        let fits = |&logical: &usize| (runs_on[logical] == chiplet) == same_chiplet;
        let logicals: Vec<_> = (0..runs_on.len()).filter(fits).collect();
        if logicals.is_empty() {
            return false;
        }
        let at = self.layout.spots[usize::from(spot)];
        let holds = |structure: &&Structure| structure.base + structure.length > at;
        let Some(structure) = self.layout.structures.iter().find(holds) else { return false };
        let Structure { base, length, .. } = *structure;
        let end = base + length - 1;
        let spots = self.layout.spots.iter().filter(|&&spot| (base..=end).contains(&spot));
        let other = r.pick(&spots.copied().collect::<Vec<_>>());
        let at = if same_line { at } else { other };
        let start = (at + u64::from(r.below(line as u32))).min(end);
        let last = (start + u64::from(r.below(8))).min(at + line - 1).min(end);
        let writes = r.chance(if same_chiplet { 80 } else { 144 });
        let logical = r.pick(&logicals);
        let ranges = vec![(logical as u8, start, last)];
        kernel.structures.push(Label { base, length, writes, ranges });
        let chiplet = runs_on[logical];
        for _ in 0..1 + self.r.below(self.profile.accesses) {
            let write = writes && self.r.chance(144);
            let access = self.access_in(start, last, write);
            kernel.accesses.extend(access.map(|access| Access { chiplet, ..access }));
        }
        true
    }

    /// Ranges of logical chiplets between cuts; none for a structure that all may touch.
    fn ranges(&mut self, logical: u8, cuts: &[u64], background: bool) -> Vec<(u8, u64, u64)> {
        let r = &mut *self.r;
        let pieces = cuts.len() - 1;
        let piece = |from: usize, to: usize| (cuts[from], cuts[to + 1] - 1);
        let some = |r: &mut Random| {
            let from = r.below(pieces as u32) as usize;
            let to = from + r.below((pieces - from) as u32) as usize;
            piece(from, to)
        };
        let mut ranges = Vec::new();
        let form = match r.below(256) {
            n if background => 5 + n % 2,
            n if self.profile.sparse && n < 200 => 5,
            n => n % 8,
        };
        match form {
            0 => {}
            // One piece each, perhaps not its own.
            1..3 => {
                let shift = if r.chance(128) { 0 } else { r.below(pieces as u32) as usize };
                for i in 0..pieces {
                    let (start, end) = piece((i + shift) % pieces, (i + shift) % pieces);
                    ranges.push(((i % usize::from(logical)) as u8, start, end));
                }
            }
            // Any runs of pieces, for some of the chiplets.
            3..5 => {
                for chiplet in 0..logical {
                    for _ in 0..r.pick(&[0, 1, 1, 2]) {
                        let (start, end) = some(r);
                        ranges.push((chiplet, start, end));
                    }
                }
            }
            5 => {
                let (start, end) = some(r);
                ranges.push((r.below(u32::from(logical)) as u8, start, end));
            }
            _ => {
                let (start, end) = piece(0, pieces - 1);
                let one = r.below(u32::from(logical)) as u8;
                let chosen = (0..logical).filter(|&chiplet| {
                    chiplet == one || r.chance(if background { 24 } else { 96 })
                });
                ranges.extend(chosen.map(|chiplet| (chiplet, start, end)));
            }
        }
        ranges
    }

    /// An access in one of the spots between two bytes, if there is one.
    fn access_in(&mut self, start: u64, end: u64, write: bool) -> Option<Access> {
        let (r, line) = (&mut *self.r, self.parameters.line);
        let spots = &self.layout.spots;
        let low = spots.partition_point(|&spot| spot + line <= start);
        let high = spots.partition_point(|&spot| spot <= end);
        if low >= high {
            return None;
        }
        let spot = low + r.below((high - low) as u32) as usize;
        let from = start.saturating_sub(spots[spot]);
        let to = (end - spots[spot]).min(line - 1);
        let (first, last) = if r.chance(if write { 16 } else { self.profile.wide }) {
            (from, to)
        } else {
            let first = from + u64::from(r.below((to - from + 1) as u32));
            (first, (first + u64::from(r.below(4))).min(to))
        };
        let (first, last) = (first as u8, last as u8);
        Some(Access { chiplet: 0, spot: spot as u16, first, last, write })
    }

    fn shuffle(&mut self, accesses: &mut [Access]) {
        for i in (1..accesses.len()).rev() {
            accesses.swap(i, self.r.below(i as u32 + 1) as usize);
        }
    }

    /// Leaves out accesses that race with others of the kernel, and most that would have to wait
    /// for another one.
    fn make_race_free(&mut self, accesses: &mut Vec<Access>) {
        let waits = self.r.chance(24);
        let mut kept: Vec<Access> = Vec::new();
        for access in accesses.iter() {
            let mask = span(usize::from(access.first), usize::from(access.last));
            let mut own = Touched::default();
            own.add(mask, access.write);
            let races = kept.iter().any(|other| {
                let mut touched = Touched::default();
                touched.add(other.mask(), other.write);
                other.chiplet != access.chiplet
                    && other.spot == access.spot
                    && touched.conflicts(&own)
            });
            let conflicts = |other: &Running| other.footprint.at(access.spot()).conflicts(&own);
            if !races && (waits || !self.running.iter().any(conflicts)) {
                kept.push(*access);
            }
        }
        *accesses = kept;
    }
}
