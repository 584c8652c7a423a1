//! `duet trace capture`: runs an OpenCL program and makes its trace.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

use files::{Folder, PartFile};
use traces::opencl::{self, Tools};
use traces::trace::{Reader, verify};

use super::{Failure, WRONG_VALUE, convert, made};

impl From<opencl::Error> for Failure {
    fn from(error: opencl::Error) -> Self {
        Failure::environment(error)
    }
}

pub fn run(output: &Path, program: &[OsString]) -> Result<u8, Failure> {
    let tools = Tools::find()?;
    let parent = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let failure = |error| Failure::environment(format!("{}: {error}", parent.display()));
    fs::create_dir_all(parent).map_err(failure)?;
    // Where the trace goes there is room.
    let work = Folder::new_in(parent).map_err(failure)?;

    // Before the program runs for long.
    let unwritten = |error| Failure::environment(format!("{}: {error}", output.display()));
    let mut whole = PartFile::create(output).map_err(unwritten)?;

    let plugin = tools.plugin(work.path())?;
    let prefix = work.path().join("raw");
    let status = opencl::run(program, &plugin, &prefix)?;
    let ended = describe(status);
    if !prefix.with_extension("bin").exists() {
        let program = Path::new(&program[0]).display();
        return Err(Failure::usage(format!("{program} used no OpenCL memory and {ended}")));
    }

    let name = Path::new(&program[0]).file_stem().unwrap_or_default().to_string_lossy();
    let trace = work.path().join("trace");
    convert(&prefix, &trace, &name).map_err(|failure| match status.success() {
        true => failure,
        false => Failure { message: format!("{}; {name} {ended}", failure.message), ..failure },
    })?;
    let mut reader = Reader::open(&trace)?;
    let outcome = verify(&mut reader)?;
    if outcome.wrong > 0 {
        let what =
            format!("{name}: {} captured values do not follow from its stores", outcome.wrong);
        return Err(Failure::new(WRONG_VALUE, [vec![what], outcome.described].concat().join("\n")));
    }
    let copied = io::copy(&mut fs::File::open(&trace).map_err(failure)?, &mut whole);
    copied.and_then(|_| whole.finish()).map_err(unwritten)?;
    // Some programs abort when all their kernels have run, so the trace may be whole.
    eprintln!("duet: {name} {ended}");
    made(output)
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => status.to_string(),
    }
}
