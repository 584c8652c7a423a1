//! A bit of the RTL's outputs that is inverted on purpose: a self-test of whoever compares.

use hwmodel::{Block, Model};
use ports::Description;
use ports::{Port, Ports, did_you_mean, image_words};

use crate::lockstep::Lockstep;
use crate::value::is_shown;

/// A flip that names something that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--flip {what} = {value}: must be {limit}")]
pub struct FlipError {
    /// Which part of it.
    pub what: &'static str,
    /// Its value.
    pub value: String,
    /// What would do.
    pub limit: String,
}

/// One output bit that is inverted on the RTL side, as `FIELD[BIT]@CYCLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Field of `Out`, or RTL port name, with or without `_o`.
    pub field: String,
    /// Bit of the field; of the payload in a channel.
    pub bit: u32,
    /// From this cycle on, at the first one in which the field is compared.
    pub cycle: u64,
}

impl std::fmt::Display for Flip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]@{}", self.field, self.bit, self.cycle)
    }
}

impl Flip {
    /// The output port that the flip means, if the block has it.
    pub fn port<'a>(&self, block: &'a Description) -> Option<&'a Port> {
        let wanted = self.field.strip_suffix("_o").unwrap_or(&self.field);
        let by_port = |p: &&Port| p.name.strip_suffix("_o") == Some(wanted);
        // In a channel the field's name means its payload, the last port of that field.
        let ports = &block.outputs;
        ports.iter().find(by_port).or(ports.iter().rfind(|p| p.field == wanted))
    }

    /// Errors: no such field or bit, or a cycle beyond the `cycles` of the run.
    pub fn check(&self, block: &Description, cycles: u64) -> Result<(), FlipError> {
        let error = |what, value: String, limit| Err(FlipError { what, value, limit });
        let Some(port) = self.port(block) else {
            let names: Vec<_> =
                block.outputs.iter().filter_map(|p| p.name.strip_suffix("_o")).collect();
            let near = did_you_mean(&self.field, names.iter().copied());
            return error(
                "field",
                self.field.clone(),
                format!("one of {}{near}", names.join(", ")),
            );
        };
        if self.bit >= port.width {
            let limit = format!("below {}, the width of {}", port.width, port.name);
            return error("bit", self.bit.to_string(), limit);
        }
        if self.cycle >= cycles {
            return error(
                "cycle",
                self.cycle.to_string(),
                format!("below {cycles}, the length of the run"),
            );
        }
        Ok(())
    }

    /// The error of a run that ended before the field was shown: nothing was inverted, so that a
    /// pass would say nothing about the comparison.
    pub fn never_shown(&self, cycles: u64) -> FlipError {
        let limit =
            format!("before the last cycle that shows {}; the run has {cycles} cycles", self.field);
        FlipError { what: "cycle", value: self.cycle.to_string(), limit }
    }

    /// Inverts the bit on the RTL side of `pair` in this cycle, if what it belongs to is shown;
    /// false where it is not.
    pub fn apply<M: Model>(&self, pair: &mut Lockstep<M>) -> bool {
        let block = M::describe(pair.config());
        let Some(port) = self.port(&block) else { return false };
        let mut image = vec![0; image_words(&block.outputs)];
        pair.outputs().store(pair.config(), &mut image);
        let shown = is_shown(&block.outputs, port, &image);
        if shown {
            pair.rtl_mut().flip(port.word + self.bit as usize / 32, self.bit % 32);
        }
        shown
    }
}
