//! The parameters of the blocks between GPUs.

use cosim::catalog::Family;
use ports::common::finepack_types::{FinePack, offset_bits};

use crate::config::{ConfigError, System, choose};

/// What follows from the machine and from other parameters.
pub const FIXED: [&str; 3] = ["num_gpus", "offset_width", "pcie_generation"];

/// Those of the configuration that the system names, for its number of GPUs and its links. Errors:
/// there is none, or it is not legal for them.
pub fn parameters(system: &System) -> Result<FinePack, ConfigError> {
    let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
    let all: Vec<_> = FinePack::named().into_iter().collect();
    let all: Vec<_> = all.iter().map(|(name, named)| (name.as_str(), named)).collect();
    let named = choose("egress.config", &system.egress.config, &all)?;
    let num_gpus = system.machine.gpus.into();
    let pcie_generation = system.gpu_link.generation;
    let named = FinePack { num_gpus, pcie_generation, ..named.clone() };
    let mut parameters = system.parameters("finepack", &named, &FIXED)?;
    if parameters.sub_header_bytes != named.sub_header_bytes {
        // One that is too small is refused by its name.
        parameters.offset_width = offset_bits(parameters.sub_header_bytes.clamp(2, 6));
    }
    parameters.validate().map_err(|e| match e.name {
        "num_gpus" => error("machine.gpus", format!("{}: must be {}", e.value, e.limit)),
        name => error(&format!("finepack.{name}"), format!("{}: must be {}", e.value, e.limit)),
    })?;
    Ok(parameters)
}
