//! The programs that are measured, as OpenCL programs that Oclgrind captures.

use std::fs;
use std::path::{Path, PathBuf};

use files::Folder;
use traces::opencl::{self, Tools};

use super::super::trace::capture;
use super::super::{Failure, output};

/// A file of `testbench/correlation/`.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../correlation/", $name)))
    };
}

/// All that measures a GPU, and that a capture needs.
pub const FILES: [(&str, &str); 10] = [
    file!("Makefile"),
    file!("kernels.cl"),
    file!("suite.h"),
    file!("opencl.h"),
    file!("capture.cpp"),
    file!("cuda.h"),
    file!("programs.cu"),
    file!("micro.cu"),
    file!("measure.py"),
    file!("h100.json"),
];

/// Changes with what is captured, and how.
pub fn version() -> u32 {
    opencl::version(&["kernels.cl", "suite.h", "opencl.h", "capture.cpp"].map(text).concat())
}

/// A file by its name.
fn text(name: &str) -> &'static str {
    let file = FILES.iter().find(|(known, _)| *known == name);
    file.expect("it is in the list").1
}

/// Whether a program is one of the suite.
pub fn is_known(program: &str) -> bool {
    text("suite.h").contains(&format!("name == \"{program}\""))
}

/// Writes all files.
pub fn write(folder: &Path) -> Result<(), Failure> {
    FILES.iter().try_for_each(|(name, text)| output::write_file(&folder.join(name), text))
}

/// The OpenCL host, built, and the plugin that records it.
pub struct Host {
    folder: Folder,
    plugin: PathBuf,
}

impl Host {
    /// Builds it. Errors: a tool is missing.
    pub fn build() -> Result<Self, Failure> {
        let tools = Tools::find()?;
        let folder = Folder::new().map_err(|e| Failure::environment(format!("capture: {e}")))?;
        write(folder.path())?;
        let plugin = tools.plugin(folder.path())?;
        let [source, host] = ["capture.cpp", "capture"].map(|name| folder.path().join(name));
        let mut compiler = tools.compiler();
        compiler.args(["-std=c++17", "-O2"]).arg(source).arg("-o").arg(host).arg("-lOpenCL");
        tools.compile("the host of the programs", compiler)?;
        Ok(Self { folder, plugin })
    }

    /// Captures a program with these sizes.
    pub fn capture(
        &self,
        name: &str,
        program: &str,
        sizes: [u32; 2],
        trace: &Path,
    ) -> Result<(), Failure> {
        if let Some(folder) = trace.parent() {
            let failure = |e| Failure::environment(format!("{}: {e}", folder.display()));
            fs::create_dir_all(folder).map_err(failure)?;
        }
        let [host, kernels] = ["capture", "kernels.cl"].map(|name| self.folder.path().join(name));
        let [n, m] = sizes.map(|size| size.to_string().into());
        let words = [host.into(), kernels.into(), program.into(), n, m];
        capture(trace, name, &words, &self.plugin, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_suite_are_known() {
        assert!(is_known("copy1") && is_known("chase"));
        assert!(!is_known("copy") && !is_known("copy1\""));
    }
}
