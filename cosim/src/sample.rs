//! One cycle of a block as its observers get it.

use ports::Description;
use ports::image_words;

use crate::registers::Registers;
use crate::value::Value;

/// Cycles that a report and the waveform around a difference look back.
pub(crate) const HISTORY: usize = 32;

/// What can be seen inside a body beside its ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// Names and widths of the model's registers; empty without a model.
    pub registers: Vec<(String, u32)>,
    /// Which variables of the RTL are registers.
    pub of_rtl: Registers,
    /// The header of the RTL's trace; `None` without RTL that can be traced.
    pub trace: Option<String>,
}

/// One cycle of the waveform window, as images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowCycle {
    /// Rising edges since the end of reset.
    pub cycle: u64,
    /// Inputs.
    pub input: Vec<u32>,
    /// The model's outputs.
    pub model: Vec<u32>,
    /// The RTL's outputs.
    pub rtl: Vec<u32>,
    /// The model's registers in the order in which it shows them; empty unless
    /// internals were requested.
    pub registers: Vec<Option<Value>>,
    /// What the RTL's trace has of the cycle, likewise.
    pub trace: String,
}

impl WindowCycle {
    /// Room for the images of a cycle of this block.
    pub fn empty(block: &Description) -> Self {
        let output = vec![0; image_words(&block.outputs)];
        let input = vec![0; image_words(&block.inputs)];
        Self { input, model: output.clone(), rtl: output, ..Self::default() }
    }
}
