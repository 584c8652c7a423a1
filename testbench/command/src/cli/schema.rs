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

use reproductions::{controls, cpelide, finepack, gtsc, race_detection, rec, sharing_aware, stc};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use super::{Failure, check, litmus, mutate, record};

/// Print the JSON schema of a result that --json writes
#[derive(clap::Args)]
pub struct Args {
    /// Whose result
    #[arg(value_name = "RESULT")]
    of: Of,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Of {
    Run,
    Cosim,
    /// Of `duet compare` of model and RTL
    Compare,
    /// Of `duet compare --vary`
    CompareVary,
    Controls,
    Check,
    Litmus,
    Mutate,
    /// Of `duet reproduce cpelide`
    ReproduceCpelide,
    /// Of `duet reproduce finepack`
    ReproduceFinepack,
    /// Of `duet reproduce gtsc`
    ReproduceGtsc,
    /// Of `duet reproduce race-detection`
    ReproduceRaceDetection,
    /// Of `duet reproduce rec`
    ReproduceRec,
    /// Of `duet reproduce sharing-aware`
    ReproduceSharingAware,
    /// Of `duet reproduce stc`
    ReproduceStc,
}

impl Of {
    fn schema(self) -> Schema {
        match self {
            Self::Run => of::<record::Run>(),
            Self::Cosim => of::<record::Cosim>(),
            Self::Compare => of::<record::Compare>(),
            Self::CompareVary => of::<record::Varied>(),
            Self::Controls => of::<controls::Report>(),
            Self::Check => of::<check::Report>(),
            Self::Litmus => of::<litmus::Report>(),
            Self::Mutate => of::<mutate::Report>(),
            Self::ReproduceCpelide => of::<cpelide::Report>(),
            Self::ReproduceFinepack => of::<finepack::Report>(),
            Self::ReproduceGtsc => of::<gtsc::Report>(),
            Self::ReproduceRaceDetection => of::<race_detection::Report>(),
            Self::ReproduceRec => of::<rec::Report>(),
            Self::ReproduceSharingAware => of::<sharing_aware::Report>(),
            Self::ReproduceStc => of::<stc::Report>(),
        }
    }
}

/// Of a result as it is written.
fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    let schema = serde_json::to_string_pretty(&args.of.schema());
    println!("{}", schema.map_err(Failure::environment)?);
    Ok(0)
}
