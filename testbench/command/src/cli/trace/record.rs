//! `duet trace capture`: runs an OpenCL program and makes its trace.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;

use traces::opencl::{self, Tools};

use super::Failure;
use super::make::{checked, convert};

impl From<opencl::Error> for Failure {
    fn from(error: opencl::Error) -> Self {
        Failure::environment(error)
    }
}

pub fn run(output: &Path, program: &[OsString]) -> Result<u8, Failure> {
    let tools = Tools::find()?;
    let name = Path::new(&program[0]).file_stem().unwrap_or_default().to_string_lossy();
    checked(output, &name, |work, trace| {
        let plugin = tools.plugin(work.path())?;
        let prefix = work.path().join("raw");
        let status = opencl::run(program, &plugin, &prefix)?;
        let ended = describe(status);
        if !prefix.with_extension("bin").exists() {
            let program = Path::new(&program[0]).display();
            return Err(Failure::usage(format!("{program} used no OpenCL memory and {ended}")));
        }
        convert(&prefix, trace, &name).map_err(|failure| match status.success() {
            true => failure,
            false => Failure { message: format!("{}; {name} {ended}", failure.message), ..failure },
        })?;
        // Some programs abort when all their kernels have run, so the trace may be whole.
        eprintln!("duet: {name} {ended}");
        Ok(())
    })
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => status.to_string(),
    }
}
