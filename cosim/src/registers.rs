//! Registers of a model by name, taken out of it for reports and waveforms. Not on the per-cycle
//! path.

mod written;

use std::collections::HashSet;

use bodies::Sources;
use hwmodel::{Block, State};

use crate::value::Value;

/// Names and widths of the registers that a model shows, in its order.
pub fn declared(model: &impl Block) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    model.show_state(&mut State::new(&mut |register| {
        found.push((register.name.to_string(), register.width));
    }));
    found
}

/// What they hold, in the same order; `None` while a register means nothing.
pub fn values(model: &impl Block) -> Vec<Option<Value>> {
    let mut found = Vec::new();
    model.show_state(&mut State::new(&mut |register| {
        let (width, value) = (register.width, register.value);
        found.push(value.map(|words| Value { width, words: words.to_vec() }));
    }));
    found
}

/// The name that a model gives to what the RTL has under this path below the block's instance
/// (`hwmodel::state`).
pub fn model_name(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for part in path.split('.').filter(|part| *part != "regs_q") {
        let part = part.strip_prefix("u_").or(part.strip_prefix("gen_")).unwrap_or(part);
        let (stem, index) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        if !name.is_empty() {
            name.push('.');
        }
        name += stem.strip_suffix("_q").unwrap_or(stem);
        name += index;
    }
    name
}

/// What the RTL's conventions call a register: a variable with the suffix `_q`.
fn is_named_so(part: &str) -> bool {
    stem(part).ends_with("_q")
}

/// A name without indices.
fn stem(part: &str) -> &str {
    part.split('[').next().unwrap_or(part)
}

/// Which variables of a block's RTL are registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Names that an `always_ff` assigns.
    written: HashSet<String>,
}

impl Registers {
    /// Of the RTL of this block as it is built now.
    pub fn of(block: &str) -> Self {
        let files = Sources::current().and_then(|sources| sources.of_block(block));
        let mut written = HashSet::new();
        for file in files.unwrap_or_default().iter().filter(|file| file.path.ends_with(".sv")) {
            written::add(&String::from_utf8_lossy(&file.content), &mut written);
        }
        Self { written }
    }

    /// True for a variable that is named so or assigned in an `always_ff`, or a field of one. The
    /// names of all modules of a block count together, ports excepted: these are compared as ports.
    pub fn has(&self, path: &str) -> bool {
        path.split('.').any(|part| {
            is_named_so(part) || (!part.ends_with("_o") && self.written.contains(stem(part)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_rtl_become_those_of_models() {
        for (path, name) in [
            ("gen_part[0].u_partition.fill_q.avail", "part[0].partition.fill.avail"),
            ("u_inject.regs_q.rest", "inject.rest"),
            ("u_fifo.mem_q[3].kind", "fifo.mem[3].kind"),
            ("regs_q.taken", "taken"),
            ("seq_q", "seq"),
        ] {
            assert_eq!(model_name(path), name);
            assert!(Registers::default().has(path));
        }
        let named = Registers::default();
        assert!(!named.has("u_fifo.count_o") && !named.has("u_q_unit.next"));
        let written = ["count", "regs", "valid_o"].map(String::from).into();
        let registers = Registers { written };
        for path in ["u_fifo.count", "count[3]", "regs.state", "seq_q"] {
            assert!(registers.has(path), "{path}");
        }
        assert!(!registers.has("u_count.next") && !registers.has("valid_o"));
        assert_eq!(model_name("u_fifo.count[3]"), "fifo.count[3]");
    }
}
