//! What is known of the kernels, by tag.

use ports::cpelide::local_command_processor::Config;
use ports::cpelide::types::TAGS;

use crate::state::State;

/// One bit for each tag.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits([u64; TAGS / 64]);

impl Bits {
    #[inline]
    pub fn has(&self, tag: u8) -> bool {
        self.0[usize::from(tag) / 64] >> (tag % 64) & 1 != 0
    }

    pub fn set(&mut self, tag: u8) {
        self.0[usize::from(tag) / 64] |= 1 << (tag % 64);
    }

    pub fn clear(&mut self, tag: u8) {
        self.0[usize::from(tag) / 64] &= !(1 << (tag % 64));
    }

    fn show_state(&self, state: &mut State, name: &str, tags: u32) {
        let words: [u32; TAGS / 32] =
            std::array::from_fn(|word| (self.0[word / 2] >> (32 * (word % 2))) as u32);
        state.words(name, tags, &words[..tags.div_ceil(32) as usize]);
    }

    /// The lowest tag whose bit is 1.
    pub fn lowest(&self) -> Option<u8> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word as u8 + self.0[word].trailing_zeros() as u8)
    }
}

/// A kernel's part on this chiplet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kernel {
    /// Packet slot.
    pub slot: u8,
    /// First work group.
    pub first: u32,
    /// Number of work groups.
    pub number: u32,
    /// Work groups that are not finished.
    pub left: u32,
}

/// The tables of all tags, by their bits that are looked at.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    tag_w: u32,
    pub kernels: Box<[Kernel; TAGS]>,
    /// WG_DESC and WG_COUNT came since the last launch.
    pub described: Bits,
    pub counted: Bits,
    /// Launched, and not finished.
    pub running: Bits,
    /// Finished, and DONE is not on its way.
    pub finished: Bits,
}

impl Tags {
    pub fn new(config: &Config) -> Self {
        Self {
            tag_w: config.tag_w,
            kernels: Box::new([Kernel::default(); TAGS]),
            described: Bits::default(),
            counted: Bits::default(),
            running: Bits::default(),
            finished: Bits::default(),
        }
    }

    /// How many there are, at most `TAGS`.
    pub fn count(&self) -> u32 {
        1 << self.tag_w
    }

    /// What of a tag is looked at.
    #[inline]
    pub fn known(&self, tag: u8) -> u8 {
        tag & (u8::MAX >> (8 - self.tag_w))
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        let tags = self.count();
        self.described.show_state(state, "described", tags);
        self.counted.show_state(state, "counted", tags);
        self.running.show_state(state, "running", tags);
        self.finished.show_state(state, "finished", tags);
    }

    pub fn kernel(&mut self, tag: u8) -> &mut Kernel {
        &mut self.kernels[usize::from(tag)]
    }

    /// The kernel starts. False when it has no work group here, and so is finished.
    pub fn launch(&mut self, tag: u8) -> bool {
        self.described.clear(tag);
        self.counted.clear(tag);
        let kernel = self.kernel(tag);
        kernel.left = kernel.number;
        let starts = kernel.left > 0;
        if starts {
            self.running.set(tag)
        } else {
            self.finished.set(tag)
        }
        starts
    }

    /// A work group is finished; only of a tag that is running.
    pub fn work_group_done(&mut self, tag: u8) {
        let kernel = self.kernel(tag);
        kernel.left -= 1;
        if kernel.left == 0 {
            self.running.clear(tag);
            self.finished.set(tag);
        }
    }
}
