//! Exact rates: bytes per cycle as a fraction, never floating point.

use super::Cycle;

/// `bytes` per `cycles`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Bytes.
    pub bytes: u64,
    /// In this many cycles.
    pub cycles: u64,
}

impl Rate {
    /// More than any messages of a cycle.
    pub const UNLIMITED: Self = Self::per_cycle(1 << 20);

    /// So many bytes in each cycle.
    pub const fn per_cycle(bytes: u64) -> Self {
        Self { bytes, cycles: 1 }
    }

    /// Cycles of so many bytes, rounded up.
    pub const fn cycles_of(&self, bytes: u64) -> Cycle {
        (bytes * self.cycles).div_ceil(self.bytes)
    }
}

/// A port of limited rate: when it is free next, in parts of a cycle, so that nothing is rounded
/// away.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    rate: Rate,
    /// First cycle in which a transfer may start, and parts of it that are taken, each 1 /
    /// `rate.bytes`.
    free_at: Cycle,
    parts: u64,
}

impl Port {
    pub const fn new(rate: Rate) -> Self {
        Self { rate, free_at: 0, parts: 0 }
    }

    /// First cycle in which a transfer may start.
    #[inline]
    pub fn free_at(&self) -> Cycle {
        self.free_at
    }

    /// Transfers `bytes` from cycle `now` on, or from when the port is free. Gives the first cycle
    /// after the last byte.
    #[inline]
    pub fn transfer(&mut self, now: Cycle, bytes: u64) -> Cycle {
        if self.free_at < now {
            (self.free_at, self.parts) = (now, 0);
        }
        self.parts += bytes * self.rate.cycles;
        // Most transfers take a cycle or two: no division.
        let mut left = 4;
        while self.parts >= self.rate.bytes {
            if left == 0 {
                self.free_at += self.parts / self.rate.bytes;
                self.parts %= self.rate.bytes;
                break;
            }
            left -= 1;
            self.free_at += 1;
            self.parts -= self.rate.bytes;
        }
        self.free_at + Cycle::from(self.parts != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_of_a_cycle_add_up() {
        let mut port = Port::new(Rate { bytes: 3, cycles: 1 });
        let ends: Vec<_> = (0..6).map(|_| port.transfer(0, 1)).collect();
        assert_eq!(ends, [1, 1, 1, 2, 2, 2]);
        assert_eq!(port.transfer(10, 4), 12);
        assert_eq!(port.free_at(), 11);
    }
}
