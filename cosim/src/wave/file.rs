//! A waveform being written, with its path for error messages.

use std::io;
use std::path::{Path, PathBuf};

use ports::Description;

use super::{Clock, Shown, WaveWriter};
use crate::body::BodyKind;
use crate::inspect::Window;
use crate::report::Mismatch;
use crate::sample::WindowCycle;

/// A waveform that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}", path = path.display())]
pub struct WaveError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A waveform being written. An error is reported at the end: it does not stop the run.
pub struct Wave {
    path: PathBuf,
    writer: WaveWriter,
    error: Option<io::Error>,
}

impl Wave {
    /// Creates the file, those of viewers beside it, and the folder that they lie in.
    pub fn create(path: &Path, clocks: Vec<Clock>, blocks: Vec<Shown>) -> Result<Self, WaveError> {
        let error = |source| WaveError { path: path.to_path_buf(), source };
        let writer = WaveWriter::create(path, clocks, blocks).map_err(error)?;
        Ok(Self { path: path.to_path_buf(), writer, error: None })
    }

    /// Cycles are those of another system from now on, which begins in this cycle of the file.
    pub fn count_from(&mut self, first_cycle: u64) {
        self.writer.first_cycle = first_cycle;
    }

    /// Writes one cycle of some of its blocks, by their places.
    pub fn cycle(&mut self, samples: &[(usize, &WindowCycle)]) {
        if self.error.is_none() {
            self.error = self.writer.cycle(samples).err();
        }
    }

    /// Has viewers show first where implementations differ.
    pub fn mark(&mut self, mismatch: &Mismatch) {
        self.writer.mark(mismatch);
    }

    /// Ends the file; returns its path.
    pub fn finish(self) -> Result<PathBuf, WaveError> {
        let Self { path, writer, error } = self;
        match error.map_or_else(|| writer.finish(), Err) {
            Ok(()) => Ok(path),
            Err(source) => Err(WaveError { path, source }),
        }
    }
}

/// Writes the waveform around a mismatch.
pub fn write_window(
    path: &Path,
    block: Description,
    window: &Window,
    mismatch: &Mismatch,
    clock: Clock,
) -> Result<PathBuf, WaveError> {
    let shown = Shown { inside: window.inside.clone(), ..Shown::ports(block, BodyKind::Lockstep) };
    // In the file the block stands alone.
    let mismatch = Mismatch { place: shown.place.clone(), ..mismatch.clone() };
    let mut wave = Wave::create(path, vec![clock], vec![shown])?;
    window.cycles.iter().for_each(|cycle| wave.cycle(&[(0, cycle)]));
    wave.mark(&mismatch);
    wave.finish()
}
