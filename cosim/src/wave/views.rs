//! The files beside a waveform: for each viewer one, with what it shows at first.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use files::PartFile;

use super::layout::Layout;
use super::{save_file, surfer};

/// The ending of each file's name, and how one that stands there begins if it is not the user's.
pub const BESIDE: [(&str, &str); 2] =
    [(save_file::ENDING, save_file::MARK), (surfer::ENDING, surfer::MARK)];
/// Its text, for the waveform of this name.
const TEXTS: [fn(&str, &Layout) -> String; 2] = [save_file::text, surfer::text];

/// Those being written: none where the user has saved one, and where the waveform goes to a device.
pub struct Views([Option<PartFile>; 2]);

impl Views {
    /// Creates them beside `waves`.
    pub fn create(waves: &Path) -> io::Result<Self> {
        let mut files = [None, None];
        for ((ending, mark), file) in BESIDE.into_iter().zip(&mut files) {
            let path = waves.with_extension(ending);
            let is_foreign = fs::read(&path).is_ok_and(|text| !text.starts_with(mark.as_bytes()));
            if !is_foreign && !files::is_stream(waves) {
                *file = Some(PartFile::create(&path)?);
            }
        }
        Ok(Self(files))
    }

    /// Writes them.
    pub fn finish(self, waves: &Path, layout: &Layout) -> io::Result<()> {
        let name = waves.file_name().map_or_else(Default::default, |n| n.to_string_lossy());
        for (file, text) in self.0.into_iter().zip(TEXTS) {
            if let Some(mut file) = file {
                file.write_all(text(&name, layout).as_bytes())?;
                file.finish()?;
            }
        }
        Ok(())
    }
}
