//! The kernels that run, with what they use (specification 5.5). There is one packet slot for each.

use crate::bitmap::Bitmap;
use crate::map::NUM_SLOTS;

/// One kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernel {
    /// Chiplets on which it runs; 0 where there is none.
    pub chiplets: u16,
    /// Chiplets that have not said DONE.
    pub missing: u16,
    /// Tag of its messages.
    pub tag: u8,
    /// It has no labels.
    pub unlabelled: bool,
    /// Its table entries.
    pub entries: Bitmap,
}

/// All of them, by packet slot.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    pub kernels: [Kernel; NUM_SLOTS],
    /// Number of kernels that run.
    pub len: usize,
}

impl Running {
    /// None.
    pub const NEW: Self = Self {
        kernels: [Kernel {
            chiplets: 0,
            missing: 0,
            tag: 0,
            unlabelled: false,
            entries: Bitmap::EMPTY,
        }; NUM_SLOTS],
        len: 0,
    };

    /// Chiplets on which an entry is in use.
    #[inline]
    pub fn users(&self, entry: usize) -> u16 {
        if self.len == 0 {
            return 0;
        }
        let uses = |kernel: &&Kernel| kernel.chiplets != 0 && kernel.entries.contains(entry);
        self.kernels.iter().filter(uses).fold(0, |all, kernel| all | kernel.chiplets)
    }

    /// True while a kernel uses any entry.
    pub fn use_any(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.chiplets != 0 && !kernel.entries.is_empty())
    }

    /// True while an unlabelled kernel runs.
    pub fn any_unlabelled(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.chiplets != 0 && kernel.unlabelled)
    }

    /// The users of an entry use another one instead.
    pub fn moved(&mut self, from: usize, to: usize) {
        for kernel in self.kernels.iter_mut().filter(|kernel| kernel.entries.contains(from)) {
            kernel.entries.remove(from);
            kernel.entries.insert(to);
        }
    }

    /// The lowest tag that no kernel has.
    pub fn free_tag(&self) -> u8 {
        let used = |tag: &u8| self.kernels.iter().any(|k| k.chiplets != 0 && k.tag == *tag);
        (0..=u8::MAX).find(|tag| !used(tag)).unwrap_or(0)
    }

    /// A kernel starts; its entries are set already.
    pub fn start(&mut self, slot: usize, chiplets: u16, tag: u8, unlabelled: bool) {
        let kernel = &mut self.kernels[slot];
        (kernel.chiplets, kernel.missing) = (chiplets, chiplets);
        (kernel.tag, kernel.unlabelled) = (tag, unlabelled);
        self.len += 1;
    }

    /// A kernel has ended.
    pub fn end(&mut self, slot: usize) {
        self.kernels[slot] = Kernel::default();
        self.len -= 1;
    }
}
