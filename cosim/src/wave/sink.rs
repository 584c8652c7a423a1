//! The formats of waveforms: what writes a hierarchy of variables, and their changes in the order
//! of time.

use std::io::{self, Write};
use std::path::Path;

use files::PartFile;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use vcd::{IdCode, TimescaleUnit, VarType};

/// Writes a waveform. First scopes and variables, then [`Sink::begin`], then times and changes.
pub trait Sink {
    /// Opens a scope in the one that is open.
    fn scope(&mut self, name: &str) -> io::Result<()>;
    /// Closes it.
    fn upscope(&mut self) -> io::Result<()>;
    /// A variable of a signal in the open scope; several may be of one signal.
    fn variable(&mut self, name: &str, width: u32, signal: usize) -> io::Result<()>;
    /// Ends the declarations.
    fn begin(&mut self) -> io::Result<()>;
    /// From now on it is this time; later than the one before.
    fn time(&mut self, time: u64) -> io::Result<()>;
    /// A signal has these bits, as characters, highest first.
    fn change(&mut self, signal: usize, bits: &[u8]) -> io::Result<()>;
    /// Ends the file.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// The sink for a file, by its ending. `exponent`: a unit of time is 10 to the power of it, in
/// seconds.
pub fn create(path: &Path, exponent: i8) -> io::Result<Box<dyn Sink>> {
    let file = PartFile::create(path)?;
    Ok(match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fst")) {
        true => Box::new(Fst::new(file, exponent)?),
        false => Box::new(Vcd::new(file, exponent)?),
    })
}

/// Value change dump, the text format of the Verilog standard.
struct Vcd {
    to: vcd::Writer<PartFile>,
    /// By signal.
    signals: Vec<Option<IdCode>>,
}

impl Vcd {
    fn new(file: PartFile, exponent: i8) -> io::Result<Self> {
        let mut to = vcd::Writer::new(file);
        let (unit, least) = match exponent {
            -9.. => (TimescaleUnit::NS, -9),
            _ => (TimescaleUnit::PS, -12),
        };
        to.timescale(10u32.pow((exponent - least) as u32), unit)?;
        Ok(Self { to, signals: Vec::new() })
    }
}

impl Sink for Vcd {
    fn scope(&mut self, name: &str) -> io::Result<()> {
        self.to.add_module(name)
    }

    fn upscope(&mut self) -> io::Result<()> {
        self.to.upscope()
    }

    fn variable(&mut self, name: &str, width: u32, signal: usize) -> io::Result<()> {
        if self.signals.len() <= signal {
            self.signals.resize(signal + 1, None);
        }
        match self.signals[signal] {
            Some(id) => self.to.var_def(VarType::Wire, width, id, name, None)?,
            None => self.signals[signal] = Some(self.to.add_wire(width, name)?),
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        self.to.enddefinitions()
    }

    fn time(&mut self, time: u64) -> io::Result<()> {
        self.to.timestamp(time)
    }

    fn change(&mut self, signal: usize, bits: &[u8]) -> io::Result<()> {
        // The crate's own way writes bit by bit, which is slow on wide ports.
        let Some(id) = self.signals[signal] else { return Ok(()) };
        let to = self.to.writer();
        if bits.len() > 1 {
            to.write_all(b"b")?;
        }
        to.write_all(bits)?;
        if bits.len() > 1 {
            to.write_all(b" ")?;
        }
        writeln!(to, "{id}")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.to.writer().finish()
    }
}

/// Bytes of changes that are held before they are written.
const FST_BUFFER: usize = 64 << 20;

/// GTKWave's compressed format.
struct Fst {
    /// By signal.
    signals: Vec<Option<FstSignalId>>,
    /// Until the declarations have ended.
    header: Option<FstHeaderWriter<PartFile>>,
    /// From then on.
    body: Option<FstBodyWriter<PartFile>>,
}

fn fst_error(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        error => io::Error::other(error),
    }
}

impl Fst {
    fn new(file: PartFile, exponent: i8) -> io::Result<Self> {
        // A run is a function of configuration and seed, and so is its file: no date.
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: exponent,
            version: "duet".to_string(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let header = Some(FstHeaderWriter::new(file, &info).map_err(fst_error)?);
        Ok(Self { signals: Vec::new(), header, body: None })
    }

    fn header(&mut self) -> io::Result<&mut FstHeaderWriter<PartFile>> {
        let late = || io::Error::other("a declaration after the first change");
        self.header.as_mut().ok_or_else(late)
    }

    fn body(&mut self) -> io::Result<&mut FstBodyWriter<PartFile>> {
        let early = || io::Error::other("a change before the declarations have ended");
        self.body.as_mut().ok_or_else(early)
    }
}

impl Sink for Fst {
    fn scope(&mut self, name: &str) -> io::Result<()> {
        self.header()?.scope(name, "", FstScopeType::Module).map_err(fst_error)
    }

    fn upscope(&mut self) -> io::Result<()> {
        self.header()?.up_scope().map_err(fst_error)
    }

    fn variable(&mut self, name: &str, width: u32, signal: usize) -> io::Result<()> {
        if self.signals.len() <= signal {
            self.signals.resize(signal + 1, None);
        }
        let known = self.signals[signal];
        let kind = FstSignalType::bit_vec(width);
        let (wire, way) = (FstVarType::Wire, FstVarDirection::Implicit);
        let id = self.header()?.var(name, kind, wire, way, known).map_err(fst_error)?;
        self.signals[signal] = Some(id);
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        if let Some(header) = self.header.take() {
            self.body = Some(header.finish().map_err(fst_error)?);
        }
        Ok(())
    }

    fn time(&mut self, time: u64) -> io::Result<()> {
        let body = self.body()?;
        if body.size() > FST_BUFFER {
            body.flush().map_err(fst_error)?;
        }
        body.time_change(time).map_err(fst_error)
    }

    fn change(&mut self, signal: usize, bits: &[u8]) -> io::Result<()> {
        let Some(id) = self.signals[signal] else { return Ok(()) };
        self.body()?.signal_change(id, bits).map_err(fst_error)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        match self.body {
            Some(body) => body.finish().map_err(fst_error)?.finish(),
            None => Err(io::Error::other("the declarations have not ended")),
        }
    }
}
