//! Where the insides of two RTL bodies of one block first differ, signal by signal: of a body that
//! is wrong, and one that agrees with the model under the same inputs.

use std::collections::{BTreeSet, HashMap};

use crate::inspect::Window;
use crate::wave::Internals;

/// Signals that differ in the first cycle in which any does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The cycle.
    pub cycle: u64,
    /// It is the first that was looked at: they may have differed before.
    pub is_first_seen: bool,
    /// Their paths below the block's instance, as the reference has them.
    pub signals: Vec<String>,
    /// What the reference's signals hold in the cycle, by path: bits as characters, highest first.
    pub values: HashMap<String, Vec<u8>>,
    /// Likewise in the cycle before; nothing where that was not looked at.
    pub before: HashMap<String, Vec<u8>>,
}

/// A signal that both have.
struct Pair {
    reference: usize,
    other: usize,
    /// Its highest bit in the other's signal, which may be a whole struct or array; of an array
    /// with its elements in both orders, of which a netlist may have either.
    offsets: [usize; 2],
}

/// The first deviation of a body from a reference, among the signals that both have under one name.
/// None where they agree. Where one of them has a struct or an array as a whole, its bits are taken
/// apart as the other has them.
pub fn first(other: &Window, reference: &Window) -> Option<Deviation> {
    let mut theirs = Internals::apart(other.inside.trace.as_deref()?);
    let mut ours = Internals::apart(reference.inside.trace.as_deref()?);
    let pairs = pairs(&ours, &theirs);
    let both = reference.cycles.iter().filter_map(|cycle| {
        Some((cycle, other.cycles.iter().find(|other| other.cycle == cycle.cycle)?))
    });
    for (at, (our, their)) in both.enumerate() {
        drop(ours.take(&our.trace));
        drop(theirs.take(&their.trace));
        let differs = |pair: &Pair| {
            let bits = ours.bits(pair.reference);
            let others = theirs.bits(pair.other);
            pair.offsets.iter().all(|&offset| {
                let others = &others[offset..offset + bits.len()];
                bits != others && !bits.contains(&b'x') && !others.contains(&b'x')
            })
        };
        let found: BTreeSet<_> =
            pairs.iter().filter(|pair| differs(pair)).map(|pair| pair.reference).collect();
        if !found.is_empty() {
            let named = ours.variables.iter().filter(|variable| found.contains(&variable.signal));
            let signals = named.map(|variable| variable.path()).collect();
            let (cycle, is_first_seen) = (our.cycle, at == 0);
            let before = if is_first_seen { HashMap::new() } else { values(reference, cycle - 1) };
            let values = values(reference, cycle);
            return Some(Deviation { cycle, is_first_seen, signals, values, before });
        }
    }
    None
}

/// What the signals of a body hold in a cycle.
fn values(window: &Window, cycle: u64) -> HashMap<String, Vec<u8>> {
    let Some(header) = window.inside.trace.as_deref() else { return HashMap::new() };
    let mut internals = Internals::new(header);
    for kept in window.cycles.iter().take_while(|kept| kept.cycle <= cycle) {
        drop(internals.take(&kept.trace));
    }
    let named = internals.variables.iter().map(|v| (v.path(), internals.bits(v.signal)));
    named.collect()
}

fn pairs(ours: &Internals, theirs: &Internals) -> Vec<Pair> {
    let of_theirs: HashMap<_, _> = theirs
        .variables
        .iter()
        .map(|v| (v.path(), (v.signal, theirs.bits(v.signal).len())))
        .collect();
    let mut pairs = Vec::new();
    // Of each whole that the other body has the parts of the reference: a field or an element, and
    // its signal. A trace has them from the highest bits down.
    let mut wholes: Vec<(String, Vec<(String, usize)>)> = Vec::new();
    for variable in &ours.variables {
        let (path, width) = (variable.path(), ours.bits(variable.signal).len());
        match of_theirs.get(&path) {
            Some(&(other, theirs)) if theirs == width => {
                pairs.push(Pair { reference: variable.signal, other, offsets: [0; 2] });
            }
            Some(_) => {}
            None => {
                let parts = parts(&path);
                let whole = (1..parts.len()).rev().map(|n| (n, parts[..n].concat()));
                let mut whole = whole.filter(|(_, whole)| of_theirs.contains_key(whole));
                let Some((n, whole)) = whole.next() else { continue };
                let part = (parts[n].clone(), variable.signal);
                match wholes.last_mut() {
                    Some((last, of_it)) if *last == whole => of_it.push(part),
                    _ => wholes.push((whole, vec![part])),
                }
            }
        }
    }
    for (whole, parts) in wholes {
        let (other, width) = of_theirs[&whole];
        let mut elements: Vec<&str> = parts.iter().map(|(element, _)| element.as_str()).collect();
        elements.dedup();
        let is_array = elements.iter().all(|element| element.starts_with('['));
        let of_element = width / elements.len().max(1);
        let (mut offset, mut apart) = (0, Vec::new());
        for (_, reference) in &parts {
            let (element, inner) = (offset / of_element.max(1), offset % of_element.max(1));
            let turned = (elements.len() - 1).saturating_sub(element) * of_element + inner;
            let offsets = if is_array { [offset, turned] } else { [offset; 2] };
            apart.push(Pair { reference: *reference, other, offsets });
            offset += ours.bits(*reference).len();
        }
        if offset == width {
            pairs.extend(apart);
        }
    }
    pairs
}

/// A path in parts: names and indices, `a.b[1].c` as `a`, `.b`, `[1]`, `.c`.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for c in path.chars() {
        match parts.last_mut() {
            Some(part) if c != '.' && c != '[' => part.push(c),
            _ => parts.push(c.to_string()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Inside, WindowCycle};

    fn window(variables: &str, cycles: &[&str]) -> Window {
        let scopes = "$scope module i_block $end\n";
        let trace = format!("{scopes}{variables}$upscope $end\n$enddefinitions $end\n");
        let cycles = cycles.iter().zip(7..).map(|(trace, cycle)| WindowCycle {
            cycle,
            trace: trace.to_string(),
            ..WindowCycle::default()
        });
        let cycles = cycles.collect();
        Window { inside: Inside { trace: Some(trace), ..Inside::default() }, cycles }
    }

    const PARTS: &str = "\
$var wire 1 a go $end
$scope module regs_q $end
$var wire 2 b kind $end
$scope module at[1] $end
$var wire 1 d x $end
$upscope $end
$scope module at[0] $end
$var wire 1 c x $end
$upscope $end
$upscope $end
";
    const WHOLE: &str = "$var wire 1 ! go $end\n$var wire 4 % regs_q [3:0] $end\n";

    #[test]
    fn parts_of_a_struct_are_compared_with_the_whole() {
        let ours = window(PARTS, &["0a\nb10 b\n1c\n0d\n", "1a\n", "0c\n"]);
        assert_eq!(first(&window(WHOLE, &["0!\nb1001 %\n", "1!\n", "b1000 %\n"]), &ours), None);
        let theirs = window(WHOLE, &["0!\nb1001 %\n", "1!\nb1011 %\n", "b1000 %\n"]);
        let found = first(&theirs, &ours).expect("a deviation");
        assert_eq!((found.cycle, found.is_first_seen), (8, false));
        assert_eq!(found.signals, ["regs_q.at[1].x"]);
        assert_eq!((&found.before["go"][..], &found.values["go"][..]), (&b"0"[..], &b"1"[..]));
    }

    #[test]
    fn elements_of_an_array_differ_where_they_do_in_both_orders() {
        let parts = "$var wire 2 a m[0] $end\n$var wire 2 b m[1] $end\n";
        let ours = window(parts, &["b00 a\nb01 b\n", "b10 a\n"]);
        let whole = "$var wire 4 a m $end\n";
        for (then, expected) in
            [("b1001 a\n", None), ("b0110 a\n", None), ("b1010 a\n", Some("m[1]"))]
        {
            let found = first(&window(whole, &["b0001 a\n", then]), &ours);
            let found = found.map(|found| (found.cycle, found.signals));
            assert_eq!(found, expected.map(|name| (8, vec![name.to_string()])), "{then}");
        }
    }

    #[test]
    fn signals_of_another_width_are_not_compared() {
        let ours = window(PARTS, &["0a\nb10 b\n1c\n0d\n"]);
        let theirs =
            window("$var wire 2 a go $end\n$var wire 3 b regs_q $end\n", &["b11 a\nb111 b\n"]);
        assert_eq!(first(&theirs, &ours), None);
    }
}
