//! A file being written.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::temporary::Temporary;

/// Most symbolic links on the way to a file, as in Linux.
const MOST_LINKS: usize = 40;

/// A file being written under a name of its own in the folder where it will lie, so that runs with
/// the same results do not meet. A symbolic link is followed. A device or FIFO gets the bytes once
/// they are whole: some formats are not written from front to back.
#[derive(Debug)]
pub struct PartFile {
    file: BufWriter<File>,
    /// None once it is finished.
    to: Option<Target>,
}

/// Where the bytes go.
#[derive(Debug)]
enum Target {
    /// The temporary name, and the one that it gets.
    Name(Temporary, PathBuf),
    Stream(File),
}

/// True for what is there and neither a file nor a folder, such as a device or a FIFO; nothing is
/// put beside it.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| is_stream_in(path, &found))
}

/// Names of what is open, which may be a file; it is written as the stream that it is.
const OPEN: [&str; 4] = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];

fn is_stream_in(path: &Path, found: &Metadata) -> bool {
    let is_open = OPEN.iter().any(|open| path.starts_with(open));
    !found.is_dir() && (is_open || !found.is_file())
}

/// Removes the file that is at this path, as one that will be written there would replace it. A
/// stream is left alone.
pub fn clear(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && !is_stream_in(path, &found) => {
            let removed = may_write(path).and_then(|()| fs::remove_file(fs::canonicalize(path)?));
            // Another run with the same results may have been faster.
            removed.or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
        }
        _ => Ok(()),
    }
}

/// A file that may not be written is not replaced either.
fn may_write(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).open(path).map(drop)
}

impl PartFile {
    /// Creates the file, and the folder that it lies in. An error where it cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.file_name().is_none() || path.as_os_str().as_bytes().ends_with(b"/") {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let (file, to) = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if is_stream_in(path, &found) => {
                (tempfile::tempfile()?, Target::Stream(stream(path, &found)?))
            }
            found => {
                let known = found.and_then(|_| may_write(path));
                match known.and_then(|()| fs::canonicalize(path)) {
                    Ok(path) => beside(path)?,
                    // Or gone by now: another run with the same results has begun.
                    Err(e) if e.kind() == io::ErrorKind::NotFound => beside(target_of(path)?)?,
                    Err(e) => return Err(e),
                }
            }
        };
        Ok(Self { file: BufWriter::new(file), to: Some(to) })
    }

    /// Gives it its name.
    pub fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match self.to.take() {
            Some(Target::Name(part, path)) => part.rename(&path),
            Some(Target::Stream(mut stream)) => {
                let file = self.file.get_mut();
                file.rewind()?;
                io::copy(file, &mut stream)?;
                stream.flush()
            }
            None => Ok(()),
        }
    }
}

/// Opens a stream. Our own are used as they are: each keeps its place where it is a file.
fn stream(path: &Path, found: &Metadata) -> io::Result<File> {
    for own in [io::stdout().as_fd(), io::stderr().as_fd()] {
        let own = File::from(own.try_clone_to_owned()?);
        let known = own.metadata()?;
        if (known.dev(), known.ino()) == (found.dev(), found.ino()) {
            return Ok(own);
        }
    }
    OpenOptions::new().append(true).open(path)
}

/// Where a file that does not exist yet will lie: links may lead there.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// A new file in the folder of this one, which is made where it is missing.
fn beside(path: PathBuf) -> io::Result<(File, Target)> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let (file, part) = Temporary::make(|| {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".duet-").suffix(".part").permissions(Permissions::from_mode(0o666));
        builder.tempfile_in(folder)?.keep().map_err(|e| e.error)
    })?;
    Ok((file, Target::Name(part, path)))
}

impl Seek for PartFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for PartFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.flush()?;
        self.file.get_mut().read(bytes)
    }
}
