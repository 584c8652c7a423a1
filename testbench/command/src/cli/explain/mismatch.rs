//! A difference of model and RTL: port, registers, transaction, rule.

use bodies::Sources;
use cosim::Mismatch;
use cosim::deviation::Deviation;
use cosim::flip::Flip;
use cosim::fold::{Style, fold};
use cosim::inspect::{Differing, Inspected};
use cosim::report::{ALL_0, Transfer};

use super::super::files_of_rtl;
use super::rules::{Rule, Term, about, named, stem};
use super::{LABEL, line, source};

/// Registers that are listed.
const MOST_REGISTERS: usize = 8;
/// Registers of one side alone that are listed.
const MOST_ONLY: usize = 3;
/// Rules that are quoted.
const MOST_RULES: usize = 3;

/// Prints the first difference in the block at this instance path.
pub fn report(
    mismatch: &Mismatch,
    place: &str,
    flip: Option<&Flip>,
    deviation: Option<&Deviation>,
) {
    line("block", &format!("{place}, cycle {}", mismatch.cycle));
    if let Some(flip) = flip {
        let Flip { field, bit, cycle } = flip;
        let what = format!("bit {bit} of {field}, an output of the RTL, from cycle {cycle} on");
        line("flip", &format!("--flip {flip} planted a difference: it inverts {what}"));
    }
    let block = place.rsplit('/').next().unwrap_or(place);
    for assertion in files_of_rtl::assertions(&mismatch.assertions, block).lines() {
        line("assertion", assertion);
    }
    for (i, difference) in mismatch.differences.iter().enumerate() {
        let what = if i == 0 { "port" } else { "" };
        let (field, model, rtl) = (&difference.field, &difference.model, &difference.rtl);
        line(what, &format!("{field}  model {model}  rtl {rtl}"));
    }
    report_registers(mismatch);
    let keys = source::report(mismatch, block, deviation);
    let [model, rtl] = &mismatch.carried;
    match (model, rtl) {
        (Some(model), Some(rtl)) if model == rtl => line("transaction", &of(model)),
        (model, rtl) => {
            let sides = [("model", model), ("rtl", rtl)];
            let shown = sides.into_iter().filter_map(|(side, t)| Some((side, t.as_ref()?)));
            for (i, (side, transfer)) in shown.enumerate() {
                let what = if i == 0 { "transaction" } else { "" };
                line(what, &format!("{side}: {}", of(transfer)));
            }
        }
    }
    for (i, parent) in parents(mismatch).into_iter().enumerate() {
        let what = if i == 0 { "came in as" } else { "" };
        line(what, &format!("cycle {}, {}", parent.cycle, of(parent)));
    }
    report_rules(block, &keys, &terms(mismatch));
}

fn report_registers(mismatch: &Mismatch) {
    match (&mismatch.first, &mismatch.inside) {
        (Some(first), _) => {
            let registers = &first.registers;
            for (i, (name, model, rtl)) in registers.iter().take(MOST_REGISTERS).enumerate() {
                let what = format!("{name}  model {model}  rtl {rtl}");
                match i {
                    0 => line("registers", &format!("{what}  {}", since(first, mismatch.cycle))),
                    _ => line("", &what),
                }
            }
            if registers.len() > MOST_REGISTERS {
                line("", &format!("and {} more", registers.len() - MOST_REGISTERS));
            }
            let inside = mismatch.inside.as_ref().map(Inspected::names).unwrap_or_default();
            inside.notes(MOST_ONLY).iter().for_each(|note| line("", note));
        }
        (None, Some(Inspected::Missing(why))) => line("registers", why),
        (None, Some(inside @ Inspected::Registers { .. })) => {
            line("registers", &agreement(inside));
        }
        (None, None) => line("registers", "not recorded"),
    }
}

/// From when on registers differ, seen from the mismatch in `cycle`.
fn since(first: &Differing, cycle: u64) -> String {
    let or_earlier = if first.is_first_seen { " or earlier" } else { "" };
    let distance = match cycle.saturating_sub(first.cycle) {
        0 => "the cycle of the mismatch".to_string(),
        1 => "1 cycle before the mismatch".to_string(),
        cycles => format!("{cycles} cycles before the mismatch"),
    };
    format!("differs from cycle {} on{or_earlier}, {distance}", first.cycle)
}

/// What is compared where no register differs, and what is not.
fn agreement(inside: &Inspected) -> String {
    let names = inside.names();
    let text = match names.alike {
        0 => "model and RTL have no register of one name".to_string(),
        1 => "the 1 register that model and RTL name alike agrees up to this cycle".to_string(),
        alike => {
            format!("the {alike} registers that model and RTL name alike agree up to this cycle")
        }
    };
    [vec![text], names.notes(MOST_ONLY)].concat().join("; ")
}

/// A transfer as a line.
fn of(transfer: &Transfer) -> String {
    let fields = transfer.fields.iter().map(|(name, value)| match name.is_empty() {
        true => value.to_string(),
        false => format!("{name}={value}"),
    });
    let fields: Vec<_> = fields.collect();
    let all = if fields.is_empty() { ALL_0.to_string() } else { fields.join(" ") };
    let said = transfer.meaning.clone().unwrap_or(all);
    format!("{}: {said}", transfer.port)
}

/// Fields that identify a transaction.
const NAMES: [&str; 6] = ["addr", "line", "tag", "id", "base", "token"];

/// The last transfers into the block that have a name with the transaction in common.
fn parents(mismatch: &Mismatch) -> Vec<&Transfer> {
    let [model, rtl] = &mismatch.carried;
    let names = |transfer: &Transfer| -> Vec<(String, Vec<u32>)> {
        let named = transfer.fields.iter().filter_map(|(name, value)| {
            let last = name.rsplit('.').next().unwrap_or(name);
            NAMES.contains(&last).then(|| (last.to_string(), value.words.clone()))
        });
        named.collect()
    };
    let own: Vec<_> = model.iter().chain(rtl).flat_map(names).collect();
    let is_parent = |past: &&Transfer| {
        past.port.ends_with("_i") && names(past).iter().any(|name| own.contains(name))
    };
    let mut found: Vec<_> = mismatch.past.iter().filter(is_parent).collect();
    found.sort_by_key(|past| std::cmp::Reverse(past.cycle));
    found.truncate(3);
    found
}

/// Addresses that the transaction and its parents have, with the first byte that is meant.
pub fn addresses(mismatch: &Mismatch) -> Vec<u64> {
    let transfers = mismatch.carried.iter().flatten().chain(parents(mismatch));
    let addresses = transfers.filter_map(|transfer| {
        let (_, addr) = transfer.fields.iter().find(|(name, _)| name == "addr")?;
        let words = addr.words.iter().take(2).enumerate();
        Some(words.fold(0, |sum, (i, word)| sum | u64::from(*word) << (32 * i)))
    });
    let mut all: Vec<_> = addresses.filter(|&addr| addr != 0).collect();
    all.dedup();
    all
}

/// What the README may call what differs.
fn terms(mismatch: &Mismatch) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut add = |name: &str, weight: u32| {
        let name = stem(name);
        if !name.is_empty() && terms.iter().all(|term| term.name != name) {
            terms.push(Term { name, weight });
        }
    };
    if let Some(first) = mismatch.differences.first() {
        let (port, field) = first.field.split_once('.').unwrap_or((&first.field, ""));
        let port = port.split('[').next().unwrap_or(port);
        add(port, 6);
        field.split('.').for_each(|part| add(part, 3));
        let channel = stem(port);
        for end in ["_valid", "_ready"] {
            if let Some(channel) = channel.strip_suffix(end) {
                add(channel, 2);
            }
        }
    }
    for (name, ..) in mismatch.first.iter().flat_map(|first| &first.registers).take(4) {
        for part in name.split('.') {
            add(part.split('[').next().unwrap_or(part), 4);
        }
    }
    for word in mismatch.assertions.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        add(word, 1);
    }
    terms
}

/// The rules that the tags name, then those that have the terms.
fn report_rules(block: &str, keys: &[String], terms: &[Term]) {
    let Ok(sources) = Sources::current() else { return };
    let Some(readme) = sources.readme(block) else {
        return line("rule", "the block has no README here");
    };
    let mut rules: Vec<(&str, Rule, Vec<Rule>)> = Vec::new();
    let mut add = |of, rule: Rule, nested: Vec<Rule>| {
        if rules.iter().all(|(block, known, _)| *block != of || known.line != rule.line) {
            rules.push((of, rule, nested));
        }
    };
    for key in keys {
        // Of another block where the key begins with its name.
        let other =
            key.split_once(' ').and_then(|(other, key)| Some((sources.readme(other)?, other, key)));
        let found = match other {
            Some((readme, other, key)) => named(&readme, key).map(|found| (other, found)),
            None => named(&readme, key).map(|found| (block, found)),
        };
        if let Some((of, (rule, nested))) = found {
            add(of, rule, nested);
        }
    }
    about(&readme, terms, MOST_RULES).into_iter().for_each(|rule| add(block, rule, Vec::new()));
    if rules.is_empty() {
        line("rule", &format!("none of {}/README.md concerns it", sources.place(block)));
    }
    for (block, rule, nested) in rules.into_iter().take(MOST_RULES) {
        let Rule { section, line: number, .. } = &rule;
        line("rule", &format!("{}/README.md:{number}, {section}", sources.place(block)));
        for Rule { text, .. } in [rule].iter().chain(&nested) {
            println!("{}", fold(&format!("{:LABEL$}{text}", ""), LABEL, Style::Text));
        }
    }
}

#[cfg(test)]
mod tests {
    use cosim::value::Value;

    use super::*;

    #[test]
    fn a_register_differs_since_a_cycle_before_the_mismatch() {
        let first =
            |cycle, is_first_seen| Differing { cycle, is_first_seen, registers: Vec::new() };
        for (first, at, expected) in [
            (first(151, false), 151, "differs from cycle 151 on, the cycle of the mismatch"),
            (first(150, false), 151, "differs from cycle 150 on, 1 cycle before the mismatch"),
            (first(9439, false), 9453, "differs from cycle 9439 on, 14 cycles before the mismatch"),
            (
                first(8, true),
                10,
                "differs from cycle 8 on or earlier, 2 cycles before the mismatch",
            ),
        ] {
            assert_eq!(since(&first, at), expected);
        }
    }

    #[test]
    fn agreement_counts_names_and_lists_what_only_the_rtl_has() {
        let value = Value { width: 1, words: vec![0] };
        let inside = |declared: &[&str], rtl: &[&str]| Inspected::Registers {
            declared: declared.iter().map(|name| name.to_string()).collect(),
            model: Vec::new(),
            rtl: rtl.iter().map(|path| (path.to_string(), value.clone())).collect(),
        };
        for (declared, rtl, expected) in [
            (
                &["fifo.mem[0]", "fifo.mem[1]", "taken"][..],
                &["u_fifo.mem_q[0]", "u_fifo.mem_q[1]", "regs_q.taken"][..],
                "the 2 registers that model and RTL name alike agree up to this cycle",
            ),
            (
                &["a"],
                &["a_q"],
                "the 1 register that model and RTL name alike agrees up to this cycle",
            ),
            (
                &["a"],
                &["b_q[0]", "b_q[1]", "u_c.d_q"],
                "model and RTL have no register of one name; only in the RTL: b_q, u_c.d_q; only \
                 in the model: a",
            ),
            (
                &["a", "b"],
                &["a_q", "b_q", "c_q", "d_q", "e_q", "f_q", "g_q"],
                "the 2 registers that model and RTL name alike agree up to this cycle; only in the \
                 RTL: c_q, d_q, e_q and 2 more",
            ),
            (&[], &[], "model and RTL have no register of one name"),
        ] {
            assert_eq!(agreement(&inside(declared, rtl)), expected);
        }
    }

    #[test]
    fn a_payload_of_zeros_is_said_to_be_one() {
        let fields = vec![("id".to_string(), Value { width: 8, words: vec![3] })];
        let transfer = Transfer { cycle: 1, port: "a_i".into(), fields, meaning: None };
        assert_eq!(of(&transfer), "a_i: id=0x03");
        assert_eq!(of(&Transfer { fields: Vec::new(), ..transfer }), "a_i: all fields 0");
    }
}
