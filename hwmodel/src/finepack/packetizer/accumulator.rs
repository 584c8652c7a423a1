//! The bytes of a packet between the runs that come in and the beats that go out.

use ports::finepack::types::{MAX_BEAT, MAX_LINE};

/// Bytes before the contents are moved back to the start. The RTL's accumulator holds at most
/// `window_bytes`; the rest makes moves rare.
const SIZE: usize = 2048;
/// Room for the longest run with the longest sub-header, written in steps of [`STEP`].
const RUN: usize = 8 + MAX_LINE + STEP;
/// Short runs are copied in one step of this size: what lies behind their end is overwritten by
/// the next run.
pub(super) const STEP: usize = 16;

/// Bytes in order of arrival. `append` cycles keep it below `2 * beat + sub_header_bytes + line`.
#[derive(Clone, Debug)]
pub(super) struct Accumulator {
    bytes: [u8; SIZE],
    head: usize,
    tail: usize,
}

impl Default for Accumulator {
    fn default() -> Self {
        Self { bytes: [0; SIZE], head: 0, tail: 0 }
    }
}

impl Accumulator {
    /// Bytes held: `acc_q`.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.tail - self.head
    }

    /// Appends the low `sub_header_bytes` bytes of `sub_header` and then `len` bytes of `data` from
    /// `start`. `data` has [`STEP`] bytes behind the longest line.
    #[inline(always)]
    pub fn push(
        &mut self,
        sub_header: u64,
        sub_header_bytes: usize,
        data: &[u8; MAX_LINE + STEP],
        start: usize,
        len: usize,
    ) {
        if self.tail > SIZE - RUN - MAX_BEAT {
            self.rewind();
        }
        let room: &mut [u8; RUN] =
            (&mut self.bytes[self.tail..self.tail + RUN]).try_into().expect("RUN bytes");
        room[..8].copy_from_slice(&sub_header.to_le_bytes());
        if len <= STEP {
            room[sub_header_bytes..sub_header_bytes + STEP]
                .copy_from_slice(&data[start..start + STEP]);
        } else {
            room[sub_header_bytes..sub_header_bytes + len]
                .copy_from_slice(&data[start..start + len]);
        }
        self.tail += sub_header_bytes + len;
    }

    /// Appends the first `len` bytes of `data`: an atomic's operands.
    #[cold]
    pub fn push_operands(&mut self, data: &[u8], len: usize) {
        if self.tail > SIZE - RUN - MAX_BEAT {
            self.rewind();
        }
        self.bytes[self.tail..self.tail + len].copy_from_slice(&data[..len]);
        self.tail += len;
    }

    #[cold]
    fn rewind(&mut self) {
        self.bytes.copy_within(self.head..self.tail, 0);
        self.tail -= self.head;
        self.head = 0;
    }

    /// The `n` (0 to 8) oldest bytes, and zeros.
    #[inline(always)]
    pub fn short_beat(&self, n: usize) -> [u8; MAX_BEAT] {
        let word: [u8; 8] = self.bytes[self.head..self.head + 8].try_into().expect("8 bytes");
        let mask = if n == 0 { 0 } else { u64::MAX >> (64 - 8 * n) };
        let mut to = [0; MAX_BEAT];
        to[..8].copy_from_slice(&(u64::from_le_bytes(word) & mask).to_le_bytes());
        to
    }

    /// The `n` oldest bytes, and zeros.
    #[inline(always)]
    pub fn beat(&self, n: usize) -> [u8; MAX_BEAT] {
        let from: &[u8; MAX_BEAT] =
            self.bytes[self.head..self.head + MAX_BEAT].try_into().expect("a beat");
        let mut to = [0; MAX_BEAT];
        match n {
            32 => to[..32].copy_from_slice(&from[..32]),
            _ => to[..n].copy_from_slice(&from[..n]),
        }
        to
    }

    /// Removes the oldest `n` bytes.
    #[inline(always)]
    pub fn remove(&mut self, n: usize) {
        self.head += n;
        if self.head == self.tail {
            self.head = 0;
            self.tail = 0;
        }
    }
}
