//! The parameters of the blocks between GPUs.

use ports::common::finepack_types::FinePack;

use crate::config::{ConfigError, System};

/// Those of the configuration that the system names, for its number of GPUs and its links. Errors:
/// there is none, or it is not legal for them.
pub fn parameters(system: &System) -> Result<FinePack, ConfigError> {
    let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
    let catalog = cosim::Catalog::load().map_err(|e| error("egress.config", e.to_string()))?;
    let name = &system.egress.config;
    let named = catalog.finepack.get(name).ok_or_else(|| {
        let names: Vec<_> = catalog.finepack.keys().cloned().collect();
        error("egress.config", format!("{name:?} is none of {}", names.join(", ")))
    })?;
    let num_gpus = system.machine.gpus.into();
    let pcie_generation = system.gpu_link.generation;
    let parameters = FinePack { num_gpus, pcie_generation, ..system.finepack.over(named) };
    parameters.validate().map_err(|e| match e.name {
        "num_gpus" => error("machine.gpus", format!("{}: must be {}", e.value, e.limit)),
        name => error(&format!("finepack.{name}"), format!("{}: must be {}", e.value, e.limit)),
    })?;
    Ok(parameters)
}
