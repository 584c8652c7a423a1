//! Registers of a model by name, taken out of it for reports and waveforms. Not on the per-cycle
//! path.

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

/// True for what the RTL's conventions call a register: a variable with the suffix `_q`, or a field
/// of one.
pub fn is_register(path: &str) -> bool {
    path.split('.').any(|part| part.split('[').next().is_some_and(|stem| stem.ends_with("_q")))
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
            assert!(is_register(path));
        }
        assert!(!is_register("u_fifo.count_o") && !is_register("u_q_unit.next"));
    }
}
