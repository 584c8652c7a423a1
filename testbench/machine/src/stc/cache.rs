//! The lines of an L1 under epochs (STC, table 1, section 4.2; STC specification 5.6): no line is
//! held of a band whose epoch it is.

use ports::stc::types::{Epoch, Stc};

use crate::cache::{Array, Shape, Way};

/// Lines, those that are fetched, and which sets have been looked at in this epoch.
#[derive(Debug)]
pub struct Cache {
    array: Array,
    ways: u32,
    band_bits: u32,
    /// Bits of an address that bands are made of.
    address: u64,
    epoch: Epoch,
    /// Of each set, for each band, its ways that hold a valid line of it.
    of_band: Vec<u64>,
    /// Of each set: it holds nothing of the bands that are granted.
    touched: Vec<bool>,
    untouched: u32,
    /// All sets below have been looked at.
    next: usize,
    pub counters: Counters,
}

/// Counters (specification, section 9).
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub loads: u64,
    pub hits: u64,
    pub uncached: u64,
    pub lazy: u64,
    pub sweep: u64,
    pub store: u64,
    pub demoted: u64,
    pub flash: u64,
}

/// What a load finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its line.
    Hit(Way),
    /// A way that its line may be fetched to.
    Room(Way),
    /// Its band is granted: it goes to the L2 and leaves nothing here.
    Uncached,
    /// All ways are being fetched.
    Full,
}

impl Cache {
    /// Empty, after reset.
    pub fn new(shape: Shape, stc: &Stc, epoch: Epoch) -> Self {
        Self {
            array: Array::new(shape),
            ways: shape.ways,
            band_bits: stc.band_bits,
            address: (1 << stc.addr_w) - 1,
            epoch,
            of_band: vec![0; (shape.sets << stc.band_bits) as usize],
            touched: vec![false; shape.sets as usize],
            untouched: shape.sets,
            next: 0,
            counters: Counters::default(),
        }
    }

    fn is_granted(&self, addr: u64) -> bool {
        self.epoch.granted((addr & self.address) as u32, self.band_bits)
    }

    /// The set and band of what a way holds, and its bit.
    fn place_of(&self, way: Way) -> (usize, u64) {
        let (set, number) = (way / self.ways, way % self.ways);
        let addr = (self.array.addr(way) & self.address) as u32;
        let band = self.epoch.band(addr, self.band_bits);
        (((set << self.band_bits) + band) as usize, 1 << number)
    }

    /// A new epoch: no set has been looked at in it.
    pub fn begin(&mut self, epoch: Epoch) {
        if epoch.seb != self.epoch.seb {
            let bands = 1 << self.band_bits;
            let sets: Vec<u64> = self
                .of_band
                .chunks(bands)
                .map(|set| set.iter().fold(0, |all, w| all | w))
                .collect();
            self.of_band.fill(0);
            self.epoch = epoch;
            for (set, left) in sets.into_iter().enumerate() {
                for number in ones(left) {
                    let (place, bit) = self.place_of(set as u32 * self.ways + number);
                    self.of_band[place] |= bit;
                }
            }
        }
        self.epoch = epoch;
        self.touched.fill(false);
        self.untouched = self.touched.len() as u32;
        self.next = 0;
    }

    /// Sets without a look-up in this epoch.
    pub fn unswept(&self) -> u64 {
        self.untouched.into()
    }

    /// Looks at so many of them, from the lowest on.
    pub fn sweep(&mut self, sets: u64) {
        for _ in 0..sets {
            while self.touched[self.next] {
                self.next += 1;
            }
            self.counters.sweep += self.touch(self.next);
        }
    }

    /// The first look at a set in an epoch drops its lines of the bands that are granted. Gives how
    /// many.
    fn touch(&mut self, set: usize) -> u64 {
        self.touched[set] = true;
        self.untouched -= 1;
        let (mut bands, mut lines) = (self.epoch.gvec, 0);
        while bands != 0 {
            let place = (set << self.band_bits) + bands.trailing_zeros() as usize;
            bands &= bands - 1;
            let mut left = std::mem::take(&mut self.of_band[place]);
            lines += u64::from(left.count_ones());
            while left != 0 {
                self.array.invalidate_clean(set as u32 * self.ways + left.trailing_zeros());
                left &= left - 1;
            }
        }
        lines
    }

    fn look(&mut self, addr: u64) {
        let set = self.array.set_of(addr) as usize;
        if !self.touched[set] {
            self.counters.lazy += self.touch(set);
        }
    }

    /// The valid line at an address.
    fn find(&self, addr: u64) -> Option<Way> {
        self.array.find(addr).filter(|&way| self.array.miss(way).is_none())
    }

    fn drop_way(&mut self, way: Way) {
        let (place, bit) = self.place_of(way);
        self.of_band[place] &= !bit;
        self.array.invalidate_clean(way);
    }

    /// A load looks for its line. `nocache`: its band was granted when the agent took it.
    pub fn load(&mut self, addr: u64, nocache: bool) -> Found {
        self.look(addr);
        if nocache || self.is_granted(addr) {
            if let Some(way) = self.find(addr) {
                self.drop_way(way);
            }
            return Found::Uncached;
        }
        match self.find(addr) {
            Some(way) => {
                self.array.touch(way);
                Found::Hit(way)
            }
            None => self.array.victim(addr).map_or(Found::Full, Found::Room),
        }
    }

    /// A store looks for its line, which goes.
    pub fn store(&mut self, addr: u64) {
        self.look(addr);
        if let Some(way) = self.find(addr) {
            self.drop_way(way);
            self.counters.store += 1;
        }
    }

    /// The bytes of a line.
    pub fn data(&self, way: Way) -> &[u8] {
        self.array.data(way)
    }

    /// A line is fetched to a way.
    pub fn fetch(&mut self, way: Way, addr: u64, tag: u32) {
        let (place, bit) = self.place_of(way);
        self.of_band[place] &= !bit;
        self.array.place(way, addr);
        self.array.hold(way, tag as usize);
    }

    /// A line that is fetched has come.
    pub fn fill(&mut self, way: Way, data: &[u8]) {
        self.array.fill(way, data);
        self.array.release(way);
        let (place, bit) = self.place_of(way);
        self.of_band[place] |= bit;
    }

    /// True where the epoch has come of a line that is fetched: what comes may be old and is not
    /// kept.
    pub fn demote(&mut self, way: Way) -> bool {
        let granted = self.is_granted(self.array.addr(way));
        if granted {
            self.array.release(way);
            self.array.invalidate_clean(way);
            self.counters.demoted += 1;
        }
        granted
    }

    /// Drops all lines. Nothing is being fetched.
    pub fn flash(&mut self) {
        self.of_band.fill(0);
        self.counters.flash += u64::from(self.array.invalidate_all_clean());
    }

    /// Valid lines of bands that are not granted: address and bytes.
    pub fn held(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let bands = 1 << self.band_bits;
        let of_band = self.of_band.iter().enumerate();
        let is_held = move |&(place, &ways): &(usize, &u64)| {
            ways != 0 && self.epoch.gvec >> (place % bands) & 1 == 0
        };
        let ways = move |(place, &ways): (usize, &u64)| {
            let set = (place / bands) as u32;
            ones(ways).map(move |number| set * self.ways + number)
        };
        of_band
            .filter(is_held)
            .flat_map(ways)
            .map(|way| (self.array.addr(way), self.array.data(way)))
    }
}

/// The set bits of a word, from the lowest on.
fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        lowest
    })
}
