//! The last cycle of a body, while every cycle is observed.

use hwmodel::Block;
use ports::Description;

use crate::registers;
use crate::sample::WindowCycle;
use crate::value::Value;

/// Keeps the images of a cycle, and what is inside where that is asked for.
#[derive(Debug)]
pub struct Recorder {
    /// The cycle that ended last.
    pub last: WindowCycle,
    inside: bool,
    /// The model's registers before the edge that is to come.
    next: Vec<Option<Value>>,
}

impl Recorder {
    /// For the ports of a block, and its insides where `inside`.
    pub fn new(block: &Description, inside: bool) -> Self {
        Self { last: WindowCycle::empty(block), inside, next: Vec::new() }
    }

    /// Looks at the model before an edge whose cycle is to be kept, where it was not
    /// [`Recorder::turn`] that ended the cycle before.
    pub fn look(&mut self, model: &impl Block) {
        if self.inside {
            self.next = registers::values(model);
        }
    }

    /// After an edge: the registers from before it are those of the cycle.
    pub fn turn(&mut self, model: &impl Block) {
        if self.inside {
            self.last.registers = std::mem::replace(&mut self.next, registers::values(model));
        }
    }
}
