//! Wires between components: what one shows in registers another sees in the next cycle, or as many
//! later as registers stand between them. They have no back-pressure and carry the same value until
//! it is changed.

use std::collections::VecDeque;

use super::{ComponentId, Cycle, Wheel};

/// A wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireId(u32);

#[derive(Debug)]
struct Wire<T> {
    reader: ComponentId,
    registers: u32,
    /// What the reader sees, and from when on it sees something else.
    seen: T,
    coming: VecDeque<(Cycle, T)>,
}

/// All wires of a machine. They show the default after reset.
#[derive(Debug)]
pub struct Wires<T> {
    wires: Vec<Wire<T>>,
}

impl<T: Copy + Default + PartialEq> Default for Wires<T> {
    fn default() -> Self {
        Self { wires: Vec::new() }
    }
}

impl<T: Copy + Default + PartialEq> Wires<T> {
    /// A wire that `reader` sees, with so many registers on it.
    pub fn add(&mut self, reader: ComponentId, registers: u32) -> WireId {
        let coming = VecDeque::with_capacity(registers as usize + 2);
        self.wires.push(Wire { reader, registers, seen: T::default(), coming });
        WireId(self.wires.len() as u32 - 1)
    }

    /// Shows a value from the next cycle on. The reader is visited when it sees another one.
    pub fn set(&mut self, wheel: &mut Wheel, wire: WireId, now: Cycle, value: T) {
        let wire = &mut self.wires[wire.0 as usize];
        let last = wire.coming.back().map_or(wire.seen, |(_, last)| *last);
        if last != value {
            let at = now + 1 + Cycle::from(wire.registers);
            wire.coming.push_back((at, value));
            wheel.wake(wire.reader, at);
        }
    }

    /// What is seen now.
    pub fn get(&mut self, wire: WireId, now: Cycle) -> T {
        let wire = &mut self.wires[wire.0 as usize];
        while let Some(&(at, value)) = wire.coming.front()
            && at <= now
        {
            wire.seen = value;
            wire.coming.pop_front();
        }
        wire.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_seen_one_cycle_and_the_registers_later() {
        let mut wheel = Wheel::new(1);
        let mut wires = Wires::default();
        let [direct, far] = [0, 2].map(|registers| wires.add(ComponentId(0), registers));
        for (cycle, value) in [(0, 1), (1, 2), (2, 2), (3, 0)] {
            wires.set(&mut wheel, direct, cycle, value);
            wires.set(&mut wheel, far, cycle, value);
            // In the cycle in which it is set it is not visible, in every order of ticks.
            let before = [0, 1, 2, 2][cycle as usize];
            assert_eq!(wires.get(direct, cycle), before);
        }
        let seen: Vec<u32> = (3..8).map(|cycle| wires.get(far, cycle)).collect();
        assert_eq!(seen, [1, 2, 2, 0, 0]);
        assert_eq!(wheel.next(), Some(1));
    }
}
