//! The payload bytes between the beats that come in and the sub-packets that go out.

use ports::finepack::types::{BeatData, MAX_BEAT};

/// Bytes before the contents are moved back to the start. The RTL's window holds at most
/// `window_bytes`; the rest makes moves rare.
const SIZE: usize = 2048;
/// Bytes that may be read behind the oldest, whether they are held or not.
pub(super) const READ: usize = 8 + 128 + 16;

/// Bytes in order of arrival. `tlp_ready` keeps it within `window_bytes`.
#[derive(Clone, Debug)]
pub(super) struct Window {
    bytes: [u8; SIZE],
    head: usize,
    tail: usize,
}

impl Default for Window {
    fn default() -> Self {
        Self { bytes: [0; SIZE], head: 0, tail: 0 }
    }
}

impl Window {
    /// Bytes held: `window_q`.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.tail - self.head
    }

    /// Appends the first `n` bytes of a beat. Whole beats have a copy of fixed length each.
    #[inline(always)]
    pub fn push(&mut self, data: &BeatData, n: usize) {
        if self.tail + MAX_BEAT + READ > SIZE {
            self.rewind();
        }
        let room = &mut self.bytes[self.tail..];
        match n {
            0 => {}
            // What is written above `n` is overwritten by the next beat.
            1..=8 => room[..8].copy_from_slice(&data.0[..8]),
            9..=16 => room[..16].copy_from_slice(&data.0[..16]),
            17..=32 => room[..32].copy_from_slice(&data.0[..32]),
            33..=64 => room[..64].copy_from_slice(&data.0[..64]),
            _ => room[..MAX_BEAT].copy_from_slice(&data.0),
        }
        self.tail += n;
    }

    #[cold]
    fn rewind(&mut self) {
        self.bytes.copy_within(self.head..self.tail, 0);
        self.tail -= self.head;
        self.head = 0;
    }

    /// The oldest bytes, and behind them what happens to stand there.
    #[inline(always)]
    pub fn front(&self) -> &[u8; READ] {
        self.bytes[self.head..self.head + READ].try_into().expect("READ bytes")
    }

    /// Removes the oldest `n` bytes.
    #[inline(always)]
    pub fn remove(&mut self, n: usize) {
        self.head += n;
    }
}
