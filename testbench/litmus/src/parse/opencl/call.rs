//! Calls of OpenCL's atomics, fences and barriers.

use ports::did_you_mean;
use traces::trace::AtomicOp;

use super::super::ParseError;
use super::super::words::{Word, Words};
use super::super::writer::{Around, Held, Use, Writer};
use super::statement::{Parameters, expression, location};
use crate::test::{Change, Scope, Step};

/// What a function does.
#[derive(Clone, Copy)]
enum Does {
    Load,
    Store,
    Change(AtomicOp),
    Subtract,
    CompareSwap,
    Fence,
    /// `mem_fence`: of the work-group.
    GroupFence,
    Barrier,
}

/// Each also with `_explicit` behind it, but for fences and barriers.
const FUNCTIONS: [(&str, Does); 16] = [
    ("atomic_load", Does::Load),
    ("atomic_store", Does::Store),
    ("atomic_init", Does::Store),
    ("atomic_exchange", Does::Change(AtomicOp::Exchange)),
    ("atomic_fetch_add", Does::Change(AtomicOp::Add)),
    ("atomic_fetch_sub", Does::Subtract),
    ("atomic_fetch_or", Does::Change(AtomicOp::Or)),
    ("atomic_fetch_xor", Does::Change(AtomicOp::Xor)),
    ("atomic_fetch_and", Does::Change(AtomicOp::And)),
    ("atomic_fetch_min", Does::Change(AtomicOp::Min)),
    ("atomic_fetch_max", Does::Change(AtomicOp::Max)),
    ("atomic_compare_exchange_strong", Does::CompareSwap),
    ("atomic_work_item_fence", Does::Fence),
    ("mem_fence", Does::GroupFence),
    ("barrier", Does::Barrier),
    ("work_group_barrier", Does::Barrier),
];

const ORDERS: [(&str, Around); 5] = [
    ("memory_order_relaxed", Around::NONE),
    ("memory_order_acquire", Around::ACQUIRE),
    ("memory_order_release", Around::RELEASE),
    ("memory_order_acq_rel", Around::BOTH),
    // Behind a store no later load may come first: a fence on both sides.
    ("memory_order_seq_cst", Around::BOTH),
];

const LOADS: [(&str, Around); 3] = [ORDERS[0], ORDERS[1], ORDERS[4]];
const STORES: [(&str, Around); 3] = [ORDERS[0], ORDERS[2], ORDERS[4]];

/// None: no other thread is in it.
const SCOPES: [(&str, Option<Scope>); 5] = [
    ("memory_scope_work_item", None),
    ("memory_scope_work_group", Some(Scope::Cta)),
    ("memory_scope_device", Some(Scope::Gpu)),
    ("memory_scope_all_svm_devices", Some(Scope::Sys)),
    ("memory_scope_all_devices", Some(Scope::Sys)),
];

fn find(name: &str) -> Option<(Does, bool)> {
    let plain = name.strip_suffix("_explicit");
    let is_like = |&&(known, does): &&(&str, Does)| {
        let has_both = !matches!(does, Does::Fence | Does::GroupFence | Does::Barrier);
        known == name || has_both && plain == Some(known)
    };
    FUNCTIONS.iter().find(is_like).map(|&(_, does)| (does, plain.is_some()))
}

/// Whether a function of this name is called here.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// The error of a function that is not.
pub fn unknown(words: &Words, word: &Word) -> ParseError {
    if word.text.starts_with("atomic_compare_exchange_weak") {
        let problem = "can fail spuriously, and the machine's never does: must be \
                       atomic_compare_exchange_strong";
        return words.error(word, problem);
    }
    let names = FUNCTIONS.map(|(name, _)| name);
    let near = did_you_mean(word.text.trim_end_matches("_explicit"), names.iter().copied());
    let names = names.join(", ");
    words.error(word, &format!("must be one of {names}, or one of these with _explicit{near}"))
}

/// Reads a call from its `(` on. `beside`: the variable that gets its result, or a barrier's label.
pub fn read(
    words: &mut Words,
    function: &Word,
    beside: Option<&Word>,
    (parameters, writer): (&Parameters, &mut Writer),
) -> Result<(), ParseError> {
    let (does, is_explicit) = find(&function.text).expect("the caller has checked");
    words.must("(", "(, before arguments")?;
    let result = |writer: &mut Writer| beside.map(|name| writer.load_into(&name.text));
    match does {
        Does::Load => {
            let location = location(words, parameters)?;
            let (around, scope) = order(words, is_explicit, &LOADS)?;
            let name = beside.map_or("unused", |name| &name.text);
            let register = writer.load_into(name);
            writer.access(Step::Load { register, location }, around, scope);
        }
        Does::Store => {
            no_result(words, function, beside)?;
            let location = location(words, parameters)?;
            comma(words)?;
            let value = expression(words, writer)?;
            let (around, scope) = order(words, is_explicit, &STORES)?;
            writer.access(Step::Store { location, value }, around, scope);
        }
        Does::Change(_) | Does::Subtract => {
            let location = location(words, parameters)?;
            comma(words)?;
            let operand = expression(words, writer)?;
            let (around, scope) = order(words, is_explicit, &ORDERS)?;
            let change = match does {
                Does::Change(op) => Change::Op(op, operand),
                _ => Change::Op(AtomicOp::Add, operand.wrapping_neg()),
            };
            let register = result(writer);
            writer.access(Step::Atomic { change, register, location }, around, scope);
        }
        Does::CompareSwap => {
            let location = location(words, parameters)?;
            comma(words)?;
            words.must("&", "&, before the variable that holds the expected value")?;
            let variable = words.next();
            let expected = writer.number_in(words, &variable, &variable.text)?;
            comma(words)?;
            let new = expression(words, writer)?;
            let mut around = Around::BOTH;
            if is_explicit {
                comma(words)?;
                around = one_of(words, &ORDERS)?;
            }
            // The order of a failure is no stronger, and the machine's fences stand there anyway.
            let (_, scope) = order(words, is_explicit, &LOADS)?;
            // The variable gets what was found: where it is what was expected, it stays.
            let register = writer.load_into_own(&variable.text);
            if let Some(name) = beside {
                writer.set(&name.text, Held::Swapped { register, expected });
            }
            let change = Change::CompareSwap { expected, new };
            let register = Some(register);
            writer.access(Step::Atomic { change, register, location }, around, scope);
        }
        Does::Fence => {
            no_result(words, function, beside)?;
            let is_global = flags(words)?;
            let (around, scope) = order(words, true, &ORDERS)?;
            let orders = around.before || around.behind;
            if let Some(scope) = scope.filter(|_| is_global && orders) {
                writer.fence(scope);
            }
        }
        Does::GroupFence => {
            no_result(words, function, beside)?;
            if flags(words)? {
                writer.fence(Scope::Cta);
            }
        }
        Does::Barrier => {
            if !flags(words)? {
                let problem = "orders only local memory: must have CLK_GLOBAL_MEM_FENCE, because \
                               the machine's barrier orders all memory";
                return Err(words.error(function, problem));
            }
            if words.pass_if(",") {
                one_of(words, &SCOPES)?;
            }
            let label = beside.map_or("", |label| &label.text);
            let text =
                format!("{label}{}{}", if label.is_empty() { "" } else { ": " }, function.text);
            let number = writer.label(label);
            writer.barrier(Use { number, count: None, word: Word { text, line: function.line } });
        }
    }
    words.must(")", "), after arguments")
}

/// The order and the scope at a call's end; without them, sequentially consistent on the device.
fn order(
    words: &mut Words,
    is_explicit: bool,
    known: &[(&str, Around)],
) -> Result<(Around, Option<Scope>), ParseError> {
    if !is_explicit {
        return Ok((Around::BOTH, Some(Scope::Gpu)));
    }
    comma(words)?;
    let around = one_of(words, known)?;
    let scope = if words.pass_if(",") { one_of(words, &SCOPES)? } else { Some(Scope::Gpu) };
    Ok((around, scope))
}

/// `CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE`: whether the first is there.
fn flags(words: &mut Words) -> Result<bool, ParseError> {
    const FLAGS: [(&str, bool); 3] = [
        ("CLK_GLOBAL_MEM_FENCE", true),
        ("CLK_LOCAL_MEM_FENCE", false),
        ("CLK_IMAGE_MEM_FENCE", false),
    ];
    let mut is_global = one_of(words, &FLAGS)?;
    while words.pass_if("|") {
        is_global |= one_of(words, &FLAGS)?;
    }
    Ok(is_global)
}

fn one_of<T: Copy>(words: &mut Words, known: &[(&str, T)]) -> Result<T, ParseError> {
    let word = words.next();
    let found = known.iter().find(|(name, _)| *name == word.text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        let near = did_you_mean(&word.text, names.iter().copied());
        words.error(&word, &format!("must be one of {}{near}", names.join(", ")))
    })
}

fn no_result(words: &Words, function: &Word, beside: Option<&Word>) -> Result<(), ParseError> {
    match beside {
        None => Ok(()),
        Some(_) => Err(words.error(function, "has no result")),
    }
}

fn comma(words: &mut Words) -> Result<(), ParseError> {
    words.must(",", ",, before the next argument")
}
