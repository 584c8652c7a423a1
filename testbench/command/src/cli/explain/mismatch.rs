//! A difference of model and RTL: port, registers, transaction, rule.

use bodies::Sources;
use cosim::Mismatch;
use cosim::flip::Flip;
use cosim::fold::{Style, fold};
use cosim::inspect::{Differing, Inspected};
use cosim::report::Transfer;

use super::rules::{Rule, Term, about, stem};
use super::{LABEL, line, source};

/// Registers that are listed.
const MOST_REGISTERS: usize = 8;
/// Rules that are quoted.
const MOST_RULES: usize = 3;

/// Prints the first difference in the block at this instance path.
pub fn tell(mismatch: &Mismatch, place: &str, flip: Option<&Flip>) {
    line("block", &format!("{place}, cycle {}", mismatch.cycle));
    if let Some(flip) = flip {
        let Flip { field, bit, cycle } = flip;
        let what = format!("bit {bit} of {field}, an output of the RTL, from cycle {cycle} on");
        line("flip", &format!("--flip {flip} planted a difference: it inverts {what}"));
    }
    for line in mismatch.assertions.lines() {
        super::line("assertion", line);
    }
    for (i, difference) in mismatch.differences.iter().enumerate() {
        let what = if i == 0 { "port" } else { "" };
        let (field, model, rtl) = (&difference.field, &difference.model, &difference.rtl);
        line(what, &format!("{field}  model {model}  rtl {rtl}"));
    }
    tell_registers(mismatch);
    let block = place.rsplit('/').next().unwrap_or(place);
    source::tell(mismatch, block);
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
    tell_rules(block, &terms(mismatch));
}

fn tell_registers(mismatch: &Mismatch) {
    match (&mismatch.first, &mismatch.inside) {
        (Some(Differing { cycle, is_first_seen, registers }), _) => {
            let before = mismatch.cycle - cycle;
            let since = if *is_first_seen { ", or before that" } else { "" };
            for (i, (name, model, rtl)) in registers.iter().take(MOST_REGISTERS).enumerate() {
                let when = format!("{name}  model {model}  rtl {rtl}");
                match i {
                    0 => line(
                        "registers",
                        &format!("{when}  from cycle {cycle} on{since}: {before} before"),
                    ),
                    _ => line("", &when),
                }
            }
            if registers.len() > MOST_REGISTERS {
                line("", &format!("and {} more", registers.len() - MOST_REGISTERS));
            }
        }
        (None, Some(Inspected::Missing(why))) => line("registers", why),
        _ => line("registers", "those of the same name agree up to this cycle"),
    }
}

/// A transfer as a line.
fn of(transfer: &Transfer) -> String {
    let fields = transfer.fields.iter().map(|(name, value)| match name.is_empty() {
        true => value.to_string(),
        false => format!("{name}={value}"),
    });
    let fields: Vec<_> = fields.collect();
    let said = transfer.meaning.as_ref().map_or(fields.join(" "), String::clone);
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

fn tell_rules(block: &str, terms: &[Term]) {
    let readme = Sources::current().ok().and_then(|sources| sources.readme(block));
    let Some(readme) = readme else { return line("rule", "the block has no README here") };
    let rules = about(&readme, terms, MOST_RULES);
    if rules.is_empty() {
        line("rule", &format!("none of {block}/README.md speaks of it"));
    }
    for Rule { section, line: number, text } in rules {
        line("rule", &format!("{block}/README.md:{number}, {section}"));
        println!("{}", fold(&format!("{:LABEL$}{text}", ""), LABEL, Style::Text));
    }
}
