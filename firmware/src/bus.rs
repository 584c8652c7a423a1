//! The firmware's only way to the outside.

use crate::map::{MAILBOX, PRIVATE, SLOT_BYTES, SLOTS, reg};

/// Loads and stores of 32-bit words by address of the memory map.
pub trait Bus {
    /// Loads an aligned word.
    fn load(&mut self, addr: u32) -> u32;

    /// Stores an aligned word.
    fn store(&mut self, addr: u32, value: u32);

    /// Loads four aligned words that follow each other.
    #[inline(always)]
    fn load4(&mut self, addr: u32) -> [u32; 4] {
        [self.load(addr), self.load(addr + 4), self.load(addr + 8), self.load(addr + 12)]
    }

    /// A mailbox register.
    #[inline(always)]
    fn get(&mut self, register: u32) -> u32 {
        self.load(MAILBOX + register)
    }

    /// Writes a mailbox register.
    #[inline(always)]
    fn set(&mut self, register: u32, value: u32) {
        self.store(MAILBOX + register, value);
    }

    /// A word of the private memory, by word number.
    #[inline(always)]
    fn private(&mut self, word: u32) -> u32 {
        self.load(PRIVATE + 4 * word)
    }

    /// Writes a word of the private memory.
    #[inline(always)]
    fn set_private(&mut self, word: u32, value: u32) {
        self.store(PRIVATE + 4 * word, value);
    }

    /// A word of a packet slot, by byte offset.
    #[inline(always)]
    fn packet(&mut self, slot: usize, offset: u32) -> u32 {
        self.load(SLOTS + slot as u32 * SLOT_BYTES + offset)
    }

    /// Four words of a packet slot.
    #[inline(always)]
    fn packet4(&mut self, slot: usize, offset: u32) -> [u32; 4] {
        self.load4(SLOTS + slot as u32 * SLOT_BYTES + offset)
    }

    /// Adds to a counter.
    fn count(&mut self, counter: u32, by: u32) {
        if by > 0 {
            let register = reg::CNT + 4 * counter;
            let value = self.get(register);
            self.set(register, value.wrapping_add(by));
        }
    }

    /// Raises a counter to a value.
    fn count_max(&mut self, counter: u32, value: u32) {
        let register = reg::CNT + 4 * counter;
        if self.get(register) < value {
            self.set(register, value);
        }
    }

    /// Starts (1) or stops (0) the hardware's count of cycles, counter 8.
    #[inline(always)]
    fn stopwatch(&mut self, running: u32) {
        self.set(reg::CNT8_RUN, running);
    }

    /// Reports an error.
    fn error(&mut self, code: u32) {
        self.set(reg::ERROR, code);
    }
}
