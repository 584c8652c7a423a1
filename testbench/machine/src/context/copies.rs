//! Which GPUs have a copy of which lines (`placement.policy = "replicated"` and its kin).

use traces::trace::{self, Event, Instr, InstrKind, LANES, Reader};

use crate::context::pages::{PAGE, PageMap};

/// Where a page has copies beside that of its home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// On all GPUs.
    All,
    /// On those that read something of the page, some time in the program.
    Pages,
    /// Of each line, on those that read something of it.
    Lines,
}

/// The GPUs that hold copies of a page's lines.
type Holders = Option<Box<[u16]>>;

/// The GPUs that have copies of each line: a bit for each.
#[derive(Debug)]
pub struct Copies {
    line: u64,
    /// Of pages without an entry.
    usual: u16,
    pages: PageMap<Holders>,
}

impl Copies {
    /// Those of a program that `reader` reads from its first event on. `starts` gives the first
    /// work-group of each GPU, of a kernel with so many. A line that an atomic of the program
    /// changes has no copy but that of its home, which performs it.
    pub fn of_program(
        reader: &mut Reader,
        (extent, gpus, line): (Extent, u16, u32),
        starts: impl Fn(u32) -> Vec<u32>,
    ) -> Result<Self, trace::Error> {
        let mut found = Found { line: line.into(), pages: PageMap::default(), touched: Vec::new() };
        let totals = reader.totals();
        if extent != Extent::All || totals.atomics > 0 {
            found.look(reader, extent != Extent::All, starts)?;
        }
        let all = u16::MAX >> (16 - gpus);
        let usual = if extent == Extent::All { all } else { 0 };
        let mut copies = Self { line: line.into(), usual, pages: PageMap::default() };
        for &page in &found.touched {
            let Some(uses) = found.pages.get(page).and_then(Option::as_deref) else { continue };
            let readers = uses.iter().fold(0, |all, line| all | line.readers);
            let holders = uses.iter().map(|line| match (line.changed, extent) {
                (true, _) => 0,
                (false, Extent::All) => all,
                (false, Extent::Pages) => readers,
                (false, Extent::Lines) => line.readers,
            });
            *copies.pages.get_mut(page) = Some(holders.collect());
        }
        Ok(copies)
    }

    /// The GPUs that have a copy of a line, whether they are its home or not.
    #[inline]
    pub fn holders(&self, addr: u64) -> u16 {
        match self.pages.get(addr) {
            Some(Some(lines)) => lines[(addr % PAGE / self.line) as usize],
            _ => self.usual,
        }
    }
}

/// What a program does to a line.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    readers: u16,
    /// By atomics.
    changed: bool,
}

/// What was found of a program so far.
struct Found {
    line: u64,
    pages: PageMap<Option<Box<[Use]>>>,
    /// Pages that have an entry.
    touched: Vec<u64>,
}

impl Found {
    fn look(
        &mut self,
        reader: &mut Reader,
        loads: bool,
        starts: impl Fn(u32) -> Vec<u32>,
    ) -> Result<(), trace::Error> {
        let mut instr = Instr::default();
        let mut kernel = 0;
        while let Some(event) = reader.next_event()? {
            let Event::Kernel(head) = event else { continue };
            let starts = starts(head.groups);
            for number in 0..head.groups {
                let group = reader.group(kernel, number)?;
                // Of GPUs with no work-group the last begins where the next one does.
                let gpu = starts.partition_point(|&start| start <= number).saturating_sub(1) as u16;
                for warp in 0..group.warps() {
                    let mut cursor = group.cursor(warp);
                    while cursor.next(&group, &mut instr)? {
                        self.see(&instr, gpu, loads);
                    }
                }
            }
            kernel += 1;
        }
        Ok(())
    }

    fn see(&mut self, instr: &Instr, gpu: u16, loads: bool) {
        let is_atomic = match instr.kind {
            InstrKind::Load if loads => false,
            InstrKind::Atomic(_) => true,
            _ => return,
        };
        let mut last = u64::MAX;
        for lane in (0..LANES).filter(|lane| instr.lanes >> lane & 1 == 1) {
            let first = instr.addrs[lane] / self.line;
            let end = (instr.addrs[lane] + u64::from(instr.size) - 1) / self.line;
            for line in first..=end {
                if line != std::mem::replace(&mut last, line) {
                    let seen = self.of_line(line * self.line);
                    seen.readers |= 1 << gpu;
                    seen.changed |= is_atomic;
                }
            }
        }
    }

    fn of_line(&mut self, addr: u64) -> &mut Use {
        let lines = (PAGE / self.line) as usize;
        let page = self.pages.get_mut(addr);
        if page.is_none() {
            self.touched.push(addr / PAGE * PAGE);
        }
        let page = page.get_or_insert_with(|| vec![Use::default(); lines].into());
        &mut page[(addr % PAGE / self.line) as usize]
    }
}
