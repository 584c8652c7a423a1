//! One evaluation where the generated code is of the known form, two elsewhere.

use super::*;

const SAMPLE: &str = "    Vbody___024root___sample(vlSelf);\n";
const CODE: &str = "\
void Vbody___024root___eval_triggers_vec__act(Vbody___024root* vlSelf) {
    vlSelfRef.__VactTriggered[0U] = (((~ (IData)(vlSelfRef.rst_ni)) 
        & (IData)(vlSelfRef.__Vtrigprevexpr___TOP__rst_ni__0)) | ((IData)(vlSelfRef.clk_i) 
        & (~ (IData)(vlSelfRef.__Vtrigprevexpr___TOP__clk_i__0))));
    vlSelfRef.__Vtrigprevexpr___TOP__clk_i__0 = vlSelfRef.clk_i;
}

void Vbody___024root___eval(Vbody___024root* vlSelf) {
    IData __VnbaIterCount;
    Vbody___024root___sample(vlSelf);
    settle the inputs;
    __VnbaIterCount = 0U;
    clock;
}

void Vbody___024root___sample(Vbody___024root* vlSelf) {
}
";

fn join_one(code: &str) -> Option<String> {
    let (last, mut changed) = joined(&[code.to_string(), "other class".to_string()])?;
    assert_eq!((last.as_str(), changed.len()), ("__Vtrigprevexpr___TOP__clk_i__0", 2));
    assert_eq!(changed.pop().unwrap(), "other class");
    changed.pop()
}

#[test]
fn values_are_sampled_after_the_inputs_have_settled() {
    let changed = join_one(CODE).expect("the usual form");
    let order = format!("Count;\n    settle the inputs;\n{SAMPLE}    __VnbaIterCount = 0U;\n");
    assert!(changed.contains(&order), "{changed}");
    assert_eq!(changed.len(), CODE.len());
}

#[test]
fn code_without_assertions_stays_as_it_is() {
    let code = CODE.replace(SAMPLE, "");
    assert_eq!(join_one(&code), Some(code));
}

/// A gated clock, a latch, another edge, and forms of other versions of Verilator.
#[test]
fn other_code_keeps_two_evaluations() {
    let trigger = "& (~ (IData)(vlSelfRef.__Vtrigprevexpr___TOP__clk_i__0))";
    let changes = [
        ("    clock;\n", "    gated = vlSelfRef.clk_i & vlSelfRef.enable;\n"),
        ("    clock;\n", "    if (vlSymsp->TOP.clk_i) vlSelfRef.latch = 1;\n"),
        ("    clock;\n", "    vlSelfRef.__Vtrigprevexpr___TOP__top__DOT__gated__0 = 0;\n"),
        (trigger, "!= (IData)(vlSelfRef.__Vtrigprevexpr___TOP__clk_i__0)"),
        (trigger, "& (~ (IData)(vlSelfRef.__Vtrigrprev__TOP__clk_i))"),
        ("    __VnbaIterCount = 0U;\n", ""),
        ("___eval(", "___evaluate("),
        ("    settle the inputs;\n", SAMPLE),
    ];
    for (from, to) in changes {
        let code = CODE.replacen(from, to, 1);
        assert_ne!(code, CODE);
        assert_eq!(join_one(&code), None, "{from} -> {to}");
    }
}
