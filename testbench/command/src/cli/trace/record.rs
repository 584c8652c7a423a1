//! `duet trace capture`: runs an OpenCL program and makes its trace.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitStatus;

use files::Folder;
use traces::opencl::{self, Tools};

use super::Failure;
use super::make::{checked, convert, made};

impl From<opencl::Error> for Failure {
    fn from(error: opencl::Error) -> Self {
        Failure::environment(error)
    }
}

pub fn run(output: &Path, program: &[OsString], gpu: bool) -> Result<u8, Failure> {
    let folder = Folder::new().map_err(|e| Failure::environment(format!("plugin: {e}")))?;
    let plugin = Tools::find()?.plugin(folder.path())?;
    capture(output, &name_of(program), program, &plugin, gpu)?;
    made(output, &BTreeMap::new())
}

/// Runs a program and makes its trace, which gets this name.
pub fn capture(
    output: &Path,
    name: &str,
    program: &[OsString],
    plugin: &Path,
    gpu: bool,
) -> Result<(), Failure> {
    checked(output, name, |work, trace| {
        let prefix = work.path().join("raw");
        eprintln!("duet: {name} runs in Oclgrind, which records each access");
        let status = opencl::run(program, plugin, &prefix, gpu)?;
        let ended = describe(status);
        if !prefix.with_extension("bin").exists() {
            let program = Path::new(&program[0]).display();
            return Err(Failure::usage(format!("{program} used no OpenCL memory and {ended}")));
        }
        convert(&prefix, trace, name).map_err(|failure| match status.success() {
            true => failure,
            false => Failure { message: format!("{}; {name} {ended}", failure.message), ..failure },
        })?;
        // Some programs abort when all their kernels have run, so the trace may be whole.
        eprintln!("duet: {name} {ended}");
        Ok(())
    })
}

/// The name of what runs: of a script or a module its own, not the interpreter's; behind `env`, of
/// the program there.
fn name_of(program: &[OsString]) -> String {
    let stem = |path: &OsString| {
        Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned()
    };
    let words: Vec<_> = program.iter().map(|word| word.to_string_lossy()).collect();
    let file = Path::new(&program[0]).file_name().unwrap_or_default().to_string_lossy();
    let is_option = |word: &&str| word.starts_with('-');
    if file == "env" {
        let mut rest = 1;
        while let Some(word) = words.get(rest) {
            match &**word {
                "-u" | "--unset" | "-C" | "--chdir" => rest += 2,
                word if is_option(&word) || word.contains('=') => rest += 1,
                _ => return name_of(&program[rest..]),
            }
        }
        return stem(&program[0]);
    }
    let interpreter = file.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !["python", "pypy", "perl", "ruby", "bash", "dash", "sh"].contains(&interpreter) {
        return stem(&program[0]);
    }
    let mut rest = 1;
    while let Some(word) = words.get(rest) {
        match &**word {
            "-m" if interpreter.starts_with("py") => {
                let module = words.get(rest + 1);
                return module.map_or_else(|| stem(&program[0]), |module| module.to_string());
            }
            // The program is no file, or the interpreter reads it from its input.
            "-c" | "-e" | "-" => break,
            "-W" | "-X" => rest += 2,
            word if is_option(&word) => rest += 1,
            _ => return stem(&program[rest]),
        }
    }
    stem(&program[0])
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn a_capture_is_named_after_what_runs() {
        let cases = [
            ("./vector_add 64", "vector_add"),
            ("/opt/bin/bfs.exe graph.txt", "bfs"),
            ("python3 x.py 12", "x"),
            ("/usr/bin/python3.11 -u -W ignore scripts/sum.py", "sum"),
            ("python3 -m pyopencl.examples", "pyopencl.examples"),
            ("python3 -c print()", "python3"),
            ("env FOO=1 -u BAR python3 x.py", "x"),
            ("env -i ./bfs", "bfs"),
            ("bash run.sh", "run"),
            ("./wrapper.sh ./bfs", "wrapper"),
            ("shiny -x", "shiny"),
        ];
        for (line, name) in cases {
            let words: Vec<_> = line.split(' ').map(Into::into).collect();
            assert_eq!(name_of(&words), name, "{line}");
        }
    }
}
