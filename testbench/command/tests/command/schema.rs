//! `duet schema`: results keep to it, and it names all that they hold.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::desk::Desk;
use crate::two_gpus::{REUSE, TWO_GPUS};

/// Compares a result with its schema.
fn keeps(desk: &Desk, schema: &str, result: &str) {
    let schema: Value =
        serde_json::from_str(&desk.duet(&format!("schema {schema}")).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let result = desk.json(result);
    let errors: Vec<_> = validator.iter_errors(&result).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let told = keys(&schema["properties"]);
    let unknown: Vec<_> = keys(&result).difference(&told).cloned().collect();
    assert!(unknown.is_empty(), "the schema does not name {unknown:?}");
    // What is required is required: without it the result is refused.
    for key in schema["required"].as_array().unwrap() {
        let mut less = result.clone();
        less.as_object_mut().unwrap().remove(key.as_str().unwrap());
        assert!(!validator.is_valid(&less), "{key}");
    }
}

#[test]
fn results_of_runs_keep_to_their_schema() {
    let desk = Desk::on_any_build("schema-run");
    desk.passes(&format!("run {TWO_GPUS} {REUSE} --json r.json"));
    keeps(&desk, "run", "r.json");
    assert!(desk.json("r.json").get("perturb").is_none());
    desk.passes(&format!("run {TWO_GPUS} {REUSE} --perturb 7 --json p.json"));
    keeps(&desk, "run", "p.json");
    assert_eq!(desk.json("p.json")["perturb"], 7);
    desk.refuses(3, &format!("run {TWO_GPUS} {REUSE} --max-cycles 5000 --json f.json"), &[]);
    keeps(&desk, "run", "f.json");
}

#[test]
fn results_of_figures_and_controls_keep_to_their_schema() {
    let desk = Desk::on_any_build("schema-figures");
    let left = desk.passes("reproduce finepack --json f.json --report f.html");
    let score = &desk.json("f.json")["score"];
    let [figures, shown] = ["figures", "shown"].map(|name| score[name].as_u64().unwrap());
    let told = format!("{figures} figures, {shown} shown, direction agrees in ");
    assert!(left.last_line().contains(&told), "{}", left.last_line());
    assert!(desk.read("f.html").starts_with("<!DOCTYPE html>"));
    keeps(&desk, "reproduce-finepack", "f.json");
    desk.passes("controls --quick rate-memory --json c.json");
    keeps(&desk, "controls", "c.json");
    for paper in ["cpelide", "race-detection", "rec", "stc"] {
        let schema = desk.duet(&format!("schema reproduce-{paper}")).stdout;
        let schema: Value = serde_json::from_str(&schema).unwrap();
        for key in ["paper", "verdict", "seed", "figures", "inputs"] {
            assert!(schema["properties"][key].is_object(), "{paper}: {key} in {schema}");
        }
    }
}

#[test]
fn results_of_both_bodies_keep_to_their_schema() {
    let Some(desk) = Desk::new("schema-rtl") else { return };
    desk.passes("cosim packetizer --cycles 2000 --json c.json");
    keeps(&desk, "cosim", "c.json");
    desk.refuses(1, "cosim packetizer --cycles 2000 --flip tlp@500 --json d.json", &[]);
    keeps(&desk, "cosim", "d.json");
    desk.passes(&format!("compare {TWO_GPUS} {REUSE} --perturb 7 --json m.json"));
    keeps(&desk, "compare", "m.json");
    assert_eq!(desk.json("m.json")["perturb"], 7);
}
