//! One evaluation of a Verilated block in each cycle, where its generated code allows it.
//!
//! A test bench evaluates with the clock low, so that the inputs settle, and again with the clock
//! high. Each evaluation settles the inputs first, so the first of the two adds nothing but
//! - the clock's last level, which the trigger of the rising edge compares with the present one,
//! - the settled values that assertions see: Verilator samples them before it settles the inputs.
//!
//! So one evaluation gives the same values where the rising edge is the only use of the clock, and
//! where the values are sampled after the inputs have settled. Generated code of any other form
//! keeps its two evaluations.

use std::fs;
use std::io;
use std::path::Path;

/// The class of a top.
const ROOT: &str = "Vbody___024root";

/// This file: what a library depends on beside the generated code.
pub const SOURCE: &str = include_str!("evaluation.rs");

/// Changes the generated classes in `folder` so that one evaluation is enough. Returns the variable
/// with the clock's last level; none where two evaluations are needed, and nothing is changed.
pub fn join(folder: &Path, classes: &[String]) -> io::Result<Option<String>> {
    let mut code = Vec::new();
    for file in classes {
        code.push(fs::read_to_string(folder.join(file))?);
    }
    let Some((last, changed)) = joined(&code) else { return Ok(None) };
    for (file, text) in classes.iter().zip(changed) {
        fs::write(folder.join(file), text)?;
    }
    Ok(Some(last))
}

/// The variable and the changed files.
fn joined(code: &[String]) -> Option<(String, Vec<String>)> {
    let last = last_level(code)?;
    let eval = format!("void {ROOT}___eval({ROOT}* vlSelf) {{\n");
    code.iter().any(|text| text.contains(&eval)).then_some(())?;
    let changed = code.iter().map(|text| sample_settled(text, &eval));
    Some((last, changed.collect::<Option<_>>()?))
}

/// The variable with the clock's last level, where the trigger of the rising edge is all that reads
/// the clock, and nothing but this edge and the fall of the reset triggers anything.
fn last_level(code: &[String]) -> Option<String> {
    const LAST: &str = "__Vtrigprevexpr___TOP__";
    let (clock, reset) = (format!("{LAST}clk_i__0"), format!("{LAST}rst_ni__0"));
    let words = || code.iter().flat_map(|text| text.split(|c: char| !is_part(c)));
    if words().any(|word| word.contains("__Vtrigprev") && word != clock && word != reset) {
        return None;
    }
    let edge = format!("(IData)(vlSelfRef.clk_i) & (~ (IData)(vlSelfRef.{clock}))");
    let other_uses = [
        format!("vlSelfRef.{clock} = vlSelfRef.clk_i;"),
        ", clk_i{vlSymsp->TOP.clk_i}".to_string(),
        "if (VL_UNLIKELY(((vlSelfRef.clk_i & 0xfeU)))) { Verilated::overWidthError(\"clk_i\");"
            .to_string(),
        "vlSelf->clk_i = VL_SCOPED_RAND_RESET_I(".to_string(),
        "is active: @(posedge clk_i)\\n".to_string(),
    ];
    let joined: Vec<_> = code.iter().flat_map(|text| text.split_whitespace()).collect();
    let joined = joined.join(" ");
    let known = other_uses
        .iter()
        .fold(joined.replacen(&edge, "", 1), |code, use_of_clock| code.replace(use_of_clock, ""));
    let is_read = known.split(|c: char| !is_part(c)).any(|word| word == "clk_i");
    (joined.contains(&edge) && !is_read).then_some(clock)
}

/// A character of an identifier.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A file in which values are sampled behind the loop that settles the inputs, if at all. None
/// where they are sampled in a way that is not known.
fn sample_settled(text: &str, eval: &str) -> Option<String> {
    let sample = format!("    {ROOT}___sample(vlSelf);\n");
    let settled = "    __VnbaIterCount = 0U;\n";
    match text.matches(sample.trim()).count() {
        0 => return Some(text.to_string()),
        1 => {}
        _ => return None,
    }
    let (before, eval_on) = text.split_at(text.find(eval)?);
    let (function, after) = eval_on.split_at(eval_on.find("\n}\n")?);
    let from = function.find(&sample)?;
    let to = from + function[from..].find(settled)?;
    let between = &function[from + sample.len()..to];
    Some([before, &function[..from], between, &sample, &function[to..], after].concat())
}

#[cfg(test)]
mod tests;
