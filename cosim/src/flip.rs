//! A bit of the RTL's outputs that is inverted on purpose: a self-test of the comparison.

use hwmodel::{Block, Model};
use ports::Description;
use ports::{Leaf, Port, Ports, image_words, known_names};

use crate::lockstep::Lockstep;
use crate::value::{below, full_name, is_shown};

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
    /// A port, by its field of `Out` or by its RTL name, or a field of a port, such as `tlp.hdr`;
    /// the port with or without `_o`.
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

/// Bits of an output port that a name means.
struct Target<'a> {
    name: String,
    port: &'a Port,
    lsb: u32,
    width: u32,
}

/// The name of an output port without its direction.
fn stem(port: &Port) -> &str {
    port.name.strip_suffix("_o").unwrap_or(&port.name)
}

impl Flip {
    /// The bits that the name means: those of a port or of one of its fields.
    fn target<'a>(&self, block: &'a Description) -> Option<Target<'a>> {
        let ports = &block.outputs;
        let wanted = self.field.strip_suffix("_o").unwrap_or(&self.field);
        // In a channel the field's name means its payload, the last port of that field.
        let by_port = |p: &&Port| stem(p) == wanted;
        let whole = ports.iter().find(by_port).or(ports.iter().rfind(|p| p.field == wanted));
        if let Some(port) = whole {
            return Some(Target { name: port.name.clone(), port, lsb: 0, width: port.width });
        }
        let fields = ports.iter().flat_map(|port| port.leaves.iter().map(move |leaf| (port, leaf)));
        fields.filter(|(_, leaf)| !leaf.name.is_empty()).find_map(|(port, leaf)| {
            let names = [&port.name, stem(port), port.field];
            let is_meant = names.into_iter().any(|name| below(name, leaf) == self.field);
            let (name, lsb, width) = (full_name(port, leaf), leaf.lsb, leaf.width);
            is_meant.then_some(Target { name, port, lsb, width })
        })
    }

    /// True where the block has such an output.
    pub fn is_of(&self, block: &Description) -> bool {
        self.target(block).is_some()
    }

    /// The same flip by the name of the field in which the bit lies. Errors: no such field or bit,
    /// or a cycle beyond the `cycles` of the run.
    pub fn checked(&self, block: &Description, cycles: u64) -> Result<Self, FlipError> {
        let error = |what, value: String, limit| Err(FlipError { what, value, limit });
        let Some(Target { name, port, lsb, width }) = self.target(block) else {
            return error("field", self.field.clone(), self.one_of(block));
        };
        if self.bit >= width {
            let limit = format!("below {width}, the width of {name}");
            return error("bit", self.bit.to_string(), limit);
        }
        if self.cycle >= cycles {
            return error(
                "cycle",
                self.cycle.to_string(),
                format!("below {cycles}, the length of the run"),
            );
        }
        let bit = lsb + self.bit;
        let holds = |leaf: &&Leaf| (leaf.lsb..leaf.lsb + leaf.width).contains(&bit);
        Ok(match port.leaves.iter().find(holds) {
            Some(leaf) => {
                Self { field: below(stem(port), leaf), bit: bit - leaf.lsb, cycle: self.cycle }
            }
            None => Self { field: stem(port).to_string(), bit, cycle: self.cycle },
        })
    }

    /// The names that would do: those of the port's fields, where the name begins with a port.
    fn one_of(&self, block: &Description) -> String {
        let outer = self.field.split(['.', '[']).next().unwrap_or_default();
        let outer = outer.strip_suffix("_o").unwrap_or(outer);
        let port = block.outputs.iter().rfind(|p| stem(p) == outer || p.field == outer);
        let names: Vec<_> = match port.filter(|port| port.leaves.len() > 1) {
            Some(port) => port.leaves.iter().map(|leaf| below(stem(port), leaf)).collect(),
            None => block.outputs.iter().map(|port| stem(port).to_string()).collect(),
        };
        format!("one of {}", known_names(&self.field, names.iter().map(String::as_str), None))
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
        let Some(Target { port, lsb, .. }) = self.target(&block) else { return false };
        let mut image = vec![0; image_words(&block.outputs)];
        pair.outputs().store(pair.config(), &mut image);
        let shown = is_shown(&block.outputs, port, &image);
        if shown {
            let bit = lsb + self.bit;
            pair.rtl_mut().flip(port.word + bit as usize / 32, bit % 32);
        }
        shown
    }
}
