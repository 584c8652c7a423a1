//! `duet schema`: results keep to it, and it names all that they hold.

use serde_json::Value;

use crate::desk::Desk;
use crate::two_gpus::{REUSE, TWO_GPUS};

/// What of a value breaks a schema: the words of JSON schema that ours have, and no others. (A
/// crate for all of them costs a hundred others.)
struct Checker<'a> {
    root: &'a Value,
    broken: Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, place: &str) {
        let Some(words) = schema.as_object() else { return };
        for (word, limit) in words {
            let holds = match &word[..] {
                "$schema" | "$defs" | "title" | "description" | "format" => true,
                "properties" | "additionalProperties" | "readOnly" | "default" => true,
                "$ref" => {
                    let path = limit.as_str().unwrap().strip_prefix('#').unwrap();
                    let target = self.root.pointer(path).unwrap();
                    self.check(target, value, place);
                    true
                }
                "type" => {
                    let of = |name: &Value| match name.as_str().unwrap() {
                        "object" => value.is_object(),
                        "array" => value.is_array(),
                        "string" => value.is_string(),
                        "integer" => value.is_u64(),
                        "number" => value.is_number(),
                        "boolean" => value.is_boolean(),
                        "null" => value.is_null(),
                        other => panic!("type {other}"),
                    };
                    limit.as_array().map_or_else(|| of(limit), |names| names.iter().any(of))
                }
                "minimum" => value.is_null() || value.as_f64() >= limit.as_f64(),
                "maximum" => value.is_null() || value.as_f64() <= limit.as_f64(),
                "enum" => limit.as_array().unwrap().contains(value),
                "const" => limit == value,
                "required" => {
                    let keys = limit.as_array().unwrap().iter().map(|key| key.as_str().unwrap());
                    keys.into_iter().all(|key| value.get(key).is_some())
                }
                "items" => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(limit, item, &format!("{place}[{at}]"));
                    }
                    true
                }
                "anyOf" | "oneOf" => limit.as_array().unwrap().iter().any(|schema| {
                    let mut one = Checker { root: self.root, broken: Vec::new() };
                    one.check(schema, value, place);
                    one.broken.is_empty()
                }),
                other => panic!("{place}: the check does not know {other}"),
            };
            if !holds {
                self.broken.push(format!("{place}: {value} breaks {word} {limit}"));
            }
        }
        for (key, field) in value.as_object().into_iter().flatten() {
            let of_key = schema.pointer(&format!("/properties/{key}"));
            match of_key.or(schema.get("additionalProperties")) {
                Some(of_key) => self.check(of_key, field, &format!("{place}.{key}")),
                // One of a schema that is referred to is checked there.
                None if words.contains_key("properties") => {
                    self.broken.push(format!("{place}.{key} is not named"));
                }
                None => {}
            }
        }
    }
}

fn broken(schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker { root: schema, broken: Vec::new() };
    checker.check(schema, value, "");
    checker.broken
}

/// Compares a result with its schema.
pub fn keeps(desk: &Desk, schema: &str, result: &str) {
    let text = desk.duet(&format!("schema {schema}")).stdout;
    let schema: Value = serde_json::from_str(&text).unwrap();
    let result = desk.json(result);
    assert_eq!(broken(&schema, &result), [""; 0]);
    // Each field is one that must be, or the check would see nothing.
    for (key, field) in result.as_object().unwrap() {
        let mut less = result.clone();
        less.as_object_mut().unwrap().remove(key);
        assert_eq!(broken(&schema, &less).is_empty(), key == "perturb", "without {key}");
        if !field.is_null() {
            less[key] = if field.is_boolean() { 1.into() } else { true.into() };
            assert!(!broken(&schema, &less).is_empty(), "{key} = true");
        }
    }
    // A field that the schema does not name is found.
    let mut more = result.clone();
    more["nosuch"] = 1.into();
    assert_eq!(broken(&schema, &more), [".nosuch is not named"]);
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
    desk.passes("controls --quick rate-memory-stores --json c.json");
    keeps(&desk, "controls", "c.json");
    for paper in ["cpelide", "finepack", "gtsc", "race-detection", "rec", "sharing-aware", "stc"] {
        let schema = desk.duet(&format!("schema reproduce-{paper}")).stdout;
        let schema: Value = serde_json::from_str(&schema).unwrap();
        for key in ["paper", "verdict", "seed", "figures", "inputs", "summary"] {
            assert!(schema["properties"][key].is_object(), "{paper}: {key} in {schema}");
        }
    }
}

#[test]
fn results_of_what_varies_keep_to_their_schema() {
    let desk = Desk::on_any_build("schema-vary");
    let vary = "--vary l2.design=software,none --perturbed 1";
    let left = desk.duet(&format!("compare --system cpelide-4-small {REUSE} {vary} --json v.json"));
    assert_eq!(left.status, 4, "{}", left.stderr);
    keeps(&desk, "compare-vary", "v.json");
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
