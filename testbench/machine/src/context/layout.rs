//! How many of what there are, and which number each has.

use crate::context::message::Unit;

/// What a unit is, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// A CU with its L1: chiplet, number in it.
    Core(u16, u16),
    /// An L2 bank.
    Bank(u16, u16),
    /// An L3 slice with its memory channel.
    Slice(u16, u16),
    /// A GPU's way to other GPUs and back.
    Gate(u16),
}

/// Shape of a machine. Chiplets are numbered through all GPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// GPUs.
    pub gpus: u16,
    /// Chiplets of a GPU.
    pub chiplets: u16,
    /// CUs of a chiplet.
    pub cores: u16,
    /// L2 banks of a chiplet.
    pub banks: u16,
    /// L3 slices of a chiplet.
    pub slices: u16,
    /// Bytes of a line, a power of 2, 16 to 128.
    pub line: u32,
    /// Bytes of a message's header inside a GPU.
    pub header_bytes: u32,
    /// Granule of data in a message: log2 of its bytes.
    pub sector_log: u32,
    /// Bytes that follow one another in an L2 bank before the next bank's turn: log2, at least that
    /// of a line.
    pub bank_log: u32,
    /// A hash permutes each round of lines over the slices.
    pub hashed: bool,
}

impl Layout {
    /// Chiplets of all GPUs.
    pub fn all_chiplets(&self) -> u16 {
        self.gpus * self.chiplets
    }

    fn per_chiplet(&self) -> u16 {
        self.cores + self.banks + self.slices
    }

    /// Units: those of each chiplet, then one gate for each GPU.
    pub fn units(&self) -> u16 {
        self.all_chiplets() * self.per_chiplet() + self.gpus
    }

    /// The unit of a CU.
    pub fn core(&self, chiplet: u16, core: u16) -> Unit {
        Unit(chiplet * self.per_chiplet() + core)
    }

    /// The number of a CU, counted through all chiplets.
    pub fn cu(&self, unit: Unit) -> u16 {
        unit.0 / self.per_chiplet() * self.cores + unit.0 % self.per_chiplet()
    }

    /// The unit of an L2 bank.
    pub fn bank(&self, chiplet: u16, bank: u16) -> Unit {
        Unit(chiplet * self.per_chiplet() + self.cores + bank)
    }

    /// The unit of an L3 slice.
    pub fn slice(&self, chiplet: u16, slice: u16) -> Unit {
        Unit(chiplet * self.per_chiplet() + self.cores + self.banks + slice)
    }

    /// The unit of a GPU's gate.
    pub fn gate(&self, gpu: u16) -> Unit {
        Unit(self.all_chiplets() * self.per_chiplet() + gpu)
    }

    /// Parts of each chiplet: its units, and behind them its command processor.
    pub fn parts_per_chiplet(&self) -> usize {
        usize::from(self.per_chiplet()) + 1
    }

    /// Place of a unit that is not a gate among the machine's parts, those of the first chiplet
    /// first.
    pub fn part_of(&self, unit: Unit) -> usize {
        let first = usize::from(self.chiplet_of(unit)) * self.parts_per_chiplet();
        first + usize::from(unit.0 % self.per_chiplet())
    }

    /// What a unit is.
    pub fn site(&self, unit: Unit) -> Site {
        let (chiplet, rest) = (unit.0 / self.per_chiplet(), unit.0 % self.per_chiplet());
        if chiplet >= self.all_chiplets() {
            Site::Gate(unit.0 - self.all_chiplets() * self.per_chiplet())
        } else if rest < self.cores {
            Site::Core(chiplet, rest)
        } else if rest < self.cores + self.banks {
            Site::Bank(chiplet, rest - self.cores)
        } else {
            Site::Slice(chiplet, rest - self.cores - self.banks)
        }
    }

    /// Name of a unit in reports and statistics.
    pub fn name(&self, unit: Unit) -> String {
        let place =
            |chiplet| format!("gpu{}.chiplet{}", chiplet / self.chiplets, chiplet % self.chiplets);
        match self.site(unit) {
            Site::Core(chiplet, i) => format!("{}.cu{i}", place(chiplet)),
            Site::Bank(chiplet, i) => format!("{}.l2.bank{i}", place(chiplet)),
            Site::Slice(chiplet, i) => format!("{}.l3.slice{i}", place(chiplet)),
            Site::Gate(gpu) => format!("gpu{gpu}.gate"),
        }
    }

    /// Names of all CUs, by unit; those of other units that come before are there too.
    pub fn names(&self) -> Vec<String> {
        let last = self.core(self.all_chiplets() - 1, self.cores - 1);
        (0..=last.0).map(|unit| self.name(Unit(unit))).collect()
    }

    /// Chiplet of a unit that is not a gate.
    #[inline]
    pub fn chiplet_of(&self, unit: Unit) -> u16 {
        unit.0 / self.per_chiplet()
    }

    /// GPU of a chiplet.
    pub fn gpu_of(&self, chiplet: u16) -> u16 {
        chiplet / self.chiplets
    }

    /// The L2 bank, within a chiplet, of a line. Banks take turns; each round of theirs begins with
    /// another one, so that strides of a power of 2 do not meet in a few.
    #[inline]
    pub fn bank_of(&self, addr: u64) -> u16 {
        let turn = addr >> self.bank_log;
        let (round, _) = divide(turn, self.banks);
        divide(turn + first_bank(round), self.banks).1
    }

    /// The L3 slice, within a chiplet, of a line.
    #[inline]
    pub fn slice_of(&self, addr: u64) -> u16 {
        let line = addr >> self.line.trailing_zeros();
        match self.hashed {
            true => permuted(line, self.slices.into()) as u16,
            false => divide(line, self.slices).1,
        }
    }
}

/// Quotient and rest. Most divisors are powers of 2, and a division costs the host ten times as
/// much as what is done for those.
#[inline]
fn divide(number: u64, by: u16) -> (u64, u16) {
    match by.is_power_of_two() {
        true => (number >> by.trailing_zeros(), number as u16 & (by - 1)),
        false => (number / u64::from(by), (number % u64::from(by)) as u16),
    }
}

/// With which bank a round of turns begins, but for whole rounds: a hash, by multiples of the
/// golden ratio.
#[inline]
pub fn first_bank(round: u64) -> u64 {
    round.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

/// The place of a line, by its number, among `places` that take turns: each round of turns is
/// permuted by its hash.
pub fn permuted(line: u64, places: u32) -> u32 {
    let (round, turn) = (line / u64::from(places), (line % u64::from(places)) as u32);
    let hash = (first_bank(round) ^ first_bank(round) >> 16) as u32;
    match places.is_power_of_two() {
        true => turn ^ hash & (places - 1),
        false => ((u64::from(turn) + u64::from(hash)) % u64::from(places)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_takes_all_places_and_strides_take_many() {
        for places in [1, 2, 3, 20, 64, 400] {
            for round in [0, 1, 2, 1000, 1 << 40] {
                let first = round * u64::from(places);
                let mut seen: Vec<_> =
                    (0..places.into()).map(|i| permuted(first + i, places)).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..places), "{places} places, round {round}");
            }
            for log in 0..20 {
                let mut lines = vec![0; places as usize];
                let count = 64 * u64::from(places);
                (0..count).for_each(|i| lines[permuted(i << log, places) as usize] += 1);
                let most = lines.into_iter().max().expect("places");
                assert!(most <= 128, "a stride of {} lines over {places}: {most}", 1u64 << log);
            }
        }
    }

    #[test]
    fn every_unit_has_one_site() {
        let layout = Layout {
            gpus: 2,
            chiplets: 3,
            cores: 5,
            banks: 4,
            slices: 2,
            line: 64,
            header_bytes: 8,
            sector_log: 5,
            bank_log: 6,
            hashed: false,
        };
        for unit in (0..layout.units()).map(Unit) {
            let again = match layout.site(unit) {
                Site::Core(chiplet, i) => layout.core(chiplet, i),
                Site::Bank(chiplet, i) => layout.bank(chiplet, i),
                Site::Slice(chiplet, i) => layout.slice(chiplet, i),
                Site::Gate(gpu) => layout.gate(gpu),
            };
            assert_eq!(again, unit);
        }
        // 5 + 4 + 2 units of each chiplet, and its command processor.
        assert_eq!(layout.part_of(layout.core(1, 0)), 12);
        assert_eq!(layout.part_of(layout.slice(5, 1)), 5 * 12 + 10);
        assert_eq!(layout.name(layout.bank(4, 1)), "gpu1.chiplet1.l2.bank1");
    }
}
