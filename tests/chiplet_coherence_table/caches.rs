//! Write-back L2s over one L3, byte by byte. A byte's value is the number of the store that wrote
//! it.
//!
//! They are private, or lines have homes (specification, part 6, `home_forward`): only the home's
//! L2 holds a line, every access of any GPU goes there, and stores of others than the home are
//! written through to L3.

use hwmodel::cpelide::chiplet_coherence_table::Parameters;

use crate::bytes::{Mask, each};
use crate::layout::PAGE;
use crate::program::{Homes, Program};

/// The bytes of a line; as many as a line has are used.
type Data = [u16; 128];

/// A spot's line in one L2.
#[derive(Clone, Debug)]
struct Line {
    valid: Mask,
    dirty: Mask,
    data: Data,
}

/// What an access or an operation found wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A load or the host found an old value.
    Stale { spot: usize, byte: usize, found: u16, expected: u16 },
    /// An acquire met a dirty line.
    Dirty { spot: usize },
}

/// Where lines have homes: those of the spots, by page.
#[derive(Clone, Debug)]
struct Home {
    /// The page's number.
    page: u64,
    /// `None` until the page is touched first.
    chiplet: Option<usize>,
}

/// All L2s, the L3, and what the program has written.
#[derive(Clone, Debug)]
pub struct Caches {
    spots: usize,
    /// All bytes of a line.
    whole: Mask,
    fetches_on_write: bool,
    /// By spot; `None` where L2s are private.
    homes: Option<Vec<Home>>,
    /// By chiplet, then spot.
    l2: Vec<Line>,
    l3: Vec<Data>,
    truth: Vec<Data>,
    stores: u16,
}

impl Caches {
    /// Those of a program, before it.
    pub fn new(program: &Program) -> Self {
        let Parameters { chiplets, line, .. } = program.parameters;
        let spots = program.spots.len();
        let absent = Line { valid: 0, dirty: 0, data: [0; 128] };
        let homes = program.homes.map(|homes| {
            let home = |at: &u64| {
                let page = at / PAGE;
                let interleaved = homes == Homes::Interleaved;
                Home { page, chiplet: interleaved.then_some((page % chiplets as u64) as usize) }
            };
            program.spots.iter().map(home).collect()
        });
        Self {
            spots,
            whole: Mask::MAX >> (128 - line),
            fetches_on_write: program.fetches_on_write,
            homes,
            l2: vec![absent; chiplets * spots],
            l3: vec![[0; 128]; spots],
            truth: vec![[0; 128]; spots],
            stores: 0,
        }
    }

    fn chiplet(&mut self, chiplet: usize) -> &mut [Line] {
        &mut self.l2[chiplet * self.spots..][..self.spots]
    }

    fn line(&self, chiplet: usize, spot: usize) -> &Line {
        &self.l2[chiplet * self.spots + spot]
    }

    fn fetch(&mut self, chiplet: usize, spot: usize) {
        let line = &mut self.l2[chiplet * self.spots + spot];
        if line.valid == 0 {
            line.data = self.l3[spot];
        } else {
            for byte in each(self.whole & !line.valid) {
                line.data[byte] = self.l3[spot][byte];
            }
        }
        line.valid = self.whole;
    }

    /// The L2 that an access of this chiplet goes to. It is the first to touch a page without a
    /// home.
    pub fn reached(&mut self, chiplet: usize, spot: usize) -> usize {
        let Some(homes) = &mut self.homes else { return chiplet };
        let Home { page, chiplet: home } = homes[spot];
        home.unwrap_or_else(|| {
            let same = homes.iter_mut().filter(|home| home.page == page);
            same.for_each(|home| home.chiplet = Some(chiplet));
            chiplet
        })
    }

    /// Loads of these bytes. Errors: one is not the last value written.
    pub fn read(&mut self, chiplet: usize, spot: usize, mask: Mask) -> Result<(), Wrong> {
        let l2 = self.reached(chiplet, spot);
        self.read_in(l2, spot, mask)
    }

    fn read_in(&mut self, l2: usize, spot: usize, mask: Mask) -> Result<(), Wrong> {
        if mask & !self.line(l2, spot).valid != 0 {
            self.fetch(l2, spot);
        }
        compare(&self.line(l2, spot).data, &self.truth[spot], spot, mask)
    }

    /// One store to these bytes. Returns its number.
    pub fn write(&mut self, chiplet: usize, spot: usize, mask: Mask) -> u16 {
        let l2 = self.reached(chiplet, spot);
        self.write_in(l2, spot, mask, l2 != chiplet)
    }

    fn write_in(&mut self, l2: usize, spot: usize, mask: Mask, through: bool) -> u16 {
        if self.fetches_on_write && self.line(l2, spot).valid != self.whole {
            self.fetch(l2, spot);
        }
        let line = &mut self.l2[l2 * self.spots + spot];
        line.valid |= mask;
        for byte in each(mask) {
            line.data[byte] = self.stores + 1;
        }
        if through {
            line.dirty &= !mask;
            return self.host_write(spot, mask);
        }
        line.dirty |= mask;
        self.stores += 1;
        for byte in each(mask) {
            self.truth[spot][byte] = self.stores;
        }
        self.stores
    }

    fn home(&self, spot: usize) -> Option<usize> {
        self.homes.as_ref()?[spot].chiplet
    }

    /// Another GPU loads these bytes, through the home's L2 where the page has one. Errors: one is
    /// not the last value written.
    pub fn other_gpu_reads(&mut self, spot: usize, mask: Mask) -> Result<(), Wrong> {
        let mask = mask & self.whole;
        match self.home(spot) {
            Some(home) => self.read_in(home, spot, mask),
            None => self.host_read(spot, mask),
        }
    }

    /// Another GPU stores to these bytes. Returns the store's number.
    pub fn other_gpu_writes(&mut self, spot: usize, mask: Mask) -> u16 {
        match self.home(spot) {
            Some(home) => self.write_in(home, spot, mask, true),
            None => self.host_write(spot, mask),
        }
    }

    /// The host loads these bytes. Errors: one is not the last value written.
    pub fn host_read(&self, spot: usize, mask: Mask) -> Result<(), Wrong> {
        compare(&self.l3[spot], &self.truth[spot], spot, mask & self.whole)
    }

    /// The host stores to these bytes. Returns the store's number.
    pub fn host_write(&mut self, spot: usize, mask: Mask) -> u16 {
        self.stores += 1;
        for byte in each(mask) {
            self.l3[spot][byte] = self.stores;
            self.truth[spot][byte] = self.stores;
        }
        self.stores
    }

    fn write_back(&mut self, chiplet: usize, spot: usize) {
        let line = &mut self.l2[chiplet * self.spots + spot];
        for byte in each(line.dirty) {
            self.l3[spot][byte] = line.data[byte];
        }
        line.dirty = 0;
    }

    /// The L2 gives up a line.
    pub fn evict(&mut self, chiplet: usize, spot: usize) {
        self.write_back(chiplet, spot);
        self.chiplet(chiplet)[spot].valid = 0;
    }

    /// Writes all dirty bytes back; the lines stay.
    pub fn release(&mut self, chiplet: usize) {
        for spot in 0..self.spots {
            self.write_back(chiplet, spot);
        }
    }

    /// Invalidates all bytes that are clean. Errors: some are not; they stay.
    pub fn acquire(&mut self, chiplet: usize) -> Result<(), Wrong> {
        let mut result = Ok(());
        for (spot, line) in self.chiplet(chiplet).iter_mut().enumerate() {
            line.valid = line.dirty;
            if line.dirty != 0 {
                result = Err(Wrong::Dirty { spot });
            }
        }
        result
    }

    /// The bytes of a spot that a chiplet holds.
    pub fn held(&self, chiplet: usize, spot: usize) -> Mask {
        self.line(chiplet, spot).valid
    }

    /// Those of them that are dirty.
    pub fn dirty(&self, chiplet: usize, spot: usize) -> Mask {
        self.line(chiplet, spot).dirty
    }

    /// Those of them that are older than what the program has written.
    pub fn old(&self, chiplet: usize, spot: usize) -> Mask {
        let Line { valid, data, .. } = self.line(chiplet, spot);
        let truth = &self.truth[spot];
        each(*valid)
            .filter(|&byte| data[byte] != truth[byte])
            .fold(0, |mask, byte| mask | 1 << byte)
    }
}

fn compare(found: &Data, expected: &Data, spot: usize, mask: Mask) -> Result<(), Wrong> {
    for byte in each(mask) {
        if found[byte] != expected[byte] {
            let (found, expected) = (found[byte], expected[byte]);
            return Err(Wrong::Stale { spot, byte, found, expected });
        }
    }
    Ok(())
}
