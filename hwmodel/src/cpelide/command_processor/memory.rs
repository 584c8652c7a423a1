//! The memories of the core, and what an access to each costs (specification 3.4).

use ports::cpelide::types::map;

/// Cycles from an access to its answer.
const IMEM_LAT: u32 = 2;
const DTCM_LAT: u32 = 1;

const IMEM_BYTES: usize = map::IMEM.1 as usize;
const DTCM_BYTES: usize = map::DTCM.1 as usize;
const PMEM_BYTES: usize = map::PMEM.1 as usize;

/// IMEM, DTCM and the private memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    imem: Box<[u8; IMEM_BYTES]>,
    dtcm: Box<[u8; DTCM_BYTES]>,
    pmem: Box<[u8; PMEM_BYTES]>,
    private_latency: u32,
}

impl Memory {
    /// All zero.
    pub fn new(private_latency: u32) -> Self {
        Self { imem: zeros(), dtcm: zeros(), pmem: zeros(), private_latency }
    }

    /// The half-word of IMEM at an even address. `None` outside.
    #[inline(always)]
    pub fn half(&self, addr: u32) -> Option<u16> {
        let bytes = self.imem.get(addr as usize..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    /// Loads a word of the image.
    pub fn load_image(&mut self, word: u16, value: u32) {
        let at = 4 * usize::from(word);
        self.imem[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// The bytes from `addr` on, zero-extended, and the cycles to the last answer. `None` where not
    /// all lie in one memory.
    #[inline(always)]
    pub fn load(&self, addr: u32, bytes: u32) -> Option<(u32, u32)> {
        let (memory, first, latency): (&[u8], _, _) = match addr >> 24 {
            0x08 => (&self.dtcm[..], map::DTCM.0, DTCM_LAT),
            0x10 => (&self.pmem[..], map::PMEM.0, self.private_latency),
            0x00 => (&self.imem[..], map::IMEM.0, IMEM_LAT),
            _ => return None,
        };
        let from = memory.get((addr - first) as usize..)?;
        let value = match bytes {
            1 => u32::from(*from.first()?),
            2 => u32::from(u16::from_le_bytes(*from.first_chunk()?)),
            _ => u32::from_le_bytes(*from.first_chunk()?),
        };
        Some((value, latency << u32::from(crosses(addr, bytes))))
    }

    /// Stores the low bytes of `value`; cycles to the last answer. `None`, and nothing is stored,
    /// where not all lie in one memory that can be written.
    #[inline(always)]
    pub fn store(&mut self, addr: u32, bytes: u32, value: u32) -> Option<u32> {
        let (memory, first, latency): (&mut [u8], _, _) = match addr >> 24 {
            0x08 => (&mut self.dtcm[..], map::DTCM.0, DTCM_LAT),
            0x10 => (&mut self.pmem[..], map::PMEM.0, self.private_latency),
            _ => return None,
        };
        let at = (addr - first) as usize;
        let to = memory.get_mut(at..at + bytes as usize)?;
        to.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Some(latency << u32::from(crosses(addr, bytes)))
    }
}

/// The access takes two words.
#[inline(always)]
fn crosses(addr: u32, bytes: u32) -> bool {
    (addr & 3) + bytes > 4
}

fn zeros<const N: usize>() -> Box<[u8; N]> {
    vec![0; N].into_boxed_slice().try_into().expect("of this length")
}
