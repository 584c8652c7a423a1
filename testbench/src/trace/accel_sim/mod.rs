//! Traces of Accel-Sim.
use std::path::Path;

use super::{Error, Record};

/// Imports.
pub fn import(list: &Path, record: &mut impl Record<Error = Error>) -> Result<(), Error> {
    let _ = (list, record);
    Ok(())
}
