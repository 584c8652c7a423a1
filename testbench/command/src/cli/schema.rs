//! `duet schema`: the JSON schema of a result that `--json` writes.
//!
//! ```text
//! $ duet schema cosim
//! {
//!   "$schema": "https://json-schema.org/draft/2020-12/schema",
//!   "title": "Cosim",
//!   "description": "The result of `duet cosim`.",
//! ...
//! ```

use clap::builder::{PossibleValue, PossibleValuesParser};
use reproductions::{controls, paper};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use super::{Failure, check, correlate, litmus, mutate, record};

/// Print the JSON schema of a result that --json writes
#[derive(clap::Args)]
pub struct Args {
    /// Whose result
    #[arg(value_name = "RESULT", value_parser = PossibleValuesParser::new(names()))]
    of: String,
}

/// A result, what it is if its name does not say so, and its schema.
type Result = (&'static str, &'static str, fn() -> Schema);

const RESULTS: [Result; 10] = [
    ("run", "", of::<record::Run>),
    ("cosim", "", of::<record::Cosim>),
    ("compare", "Of `duet compare` of model and RTL", of::<record::Compare>),
    ("compare-vary", "Of `duet compare --vary`", of::<record::Varied>),
    ("controls", "", of::<controls::Report>),
    ("correlate", "", of::<correlate::Report>),
    ("correlate-micro", "", of::<correlate::MicroReport>),
    ("check", "", of::<check::Report>),
    ("litmus", "", of::<litmus::Report>),
    ("mutate", "", of::<mutate::Report>),
];

/// How the result of `duet reproduce PAPER` is called.
const REPRODUCE: &str = "reproduce-";

fn names() -> Vec<PossibleValue> {
    let results = RESULTS.iter().map(|(name, about, _)| match *about {
        "" => PossibleValue::new(name),
        about => PossibleValue::new(name).help(about),
    });
    let papers = paper::all().into_iter().map(|paper| {
        let help = format!("Of `duet reproduce {}`", paper.name);
        PossibleValue::new(format!("{REPRODUCE}{}", paper.name)).help(help)
    });
    results.chain(papers).collect()
}

fn schema(name: &str) -> Option<Schema> {
    match name.strip_prefix(REPRODUCE) {
        Some(name) => {
            let paper = paper::all().into_iter().find(|paper| paper.name == name)?;
            Some((paper.schema)())
        }
        None => RESULTS.iter().find(|(of, ..)| *of == name).map(|(.., schema)| schema()),
    }
}

/// Of a result as it is written.
fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

pub fn run(args: &Args) -> std::result::Result<u8, Failure> {
    let schema = schema(&args.of).expect("the parser knows the names");
    let schema = serde_json::to_string_pretty(&schema);
    println!("{}", schema.map_err(Failure::environment)?);
    Ok(0)
}
