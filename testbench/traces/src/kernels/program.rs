//! What a program says of itself, its parameters, and what can be wrong with them.

use std::fmt;
use std::ops::RangeInclusive;

use thiserror::Error;

/// Parameters of a program. [`Program`] says what they mean there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Size of the problem.
    pub size: u32,
    /// Repetitions.
    pub iterations: u32,
    /// Seed of the input.
    pub seed: u64,
}

/// A parameter of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knob {
    /// What it counts.
    pub meaning: &'static str,
    /// Value unless stated.
    pub default: u32,
    /// Least legal value.
    pub min: u32,
    /// Greatest legal value.
    pub max: u32,
}

impl Knob {
    /// What it counts, its value unless stated, its legal values.
    pub(super) const fn new(
        meaning: &'static str,
        default: u32,
        legal: RangeInclusive<u32>,
    ) -> Self {
        Self { meaning, default, min: *legal.start(), max: *legal.end() }
    }
}

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name.
    pub name: &'static str,
    /// One line: what it does.
    pub about: &'static str,
    /// [`Params::size`].
    pub size: Knob,
    /// [`Params::iterations`].
    pub iterations: Knob,
    /// Bytes of device memory, in terms of size (n) and iterations.
    pub footprint: &'static str,
}

impl Program {
    /// Defaults, which make 20,000 to 100,000 accesses.
    pub fn params(&self) -> Params {
        Params { size: self.size.default, iterations: self.iterations.default, seed: 1 }
    }

    /// Looks for values beyond their limits.
    pub fn check<E>(&self, params: &Params) -> Result<(), KernelError<E>> {
        for (field, value, knob) in
            [("size", params.size, self.size), ("iterations", params.iterations, self.iterations)]
        {
            if value < knob.min || value > knob.max {
                return Err(KernelError::OutOfRange { program: self.name, field, value, knob });
            }
        }
        Ok(())
    }
}

/// Why a program did not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KernelError<E> {
    /// There is no such program.
    #[error("no program {name:?}: there are {known}")]
    UnknownProgram {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A parameter is beyond its limits.
    #[error("{field} = {value} for {program}: {knob}")]
    OutOfRange {
        /// Program.
        program: &'static str,
        /// Parameter.
        field: &'static str,
        /// Its value.
        value: u32,
        /// Its limits.
        knob: Knob,
    },
    /// The trace did not take it.
    #[error("{0}")]
    Record(#[from] E),
}

impl<E> KernelError<E> {
    /// The same with another error of the trace.
    pub(super) fn map<T>(self, record: impl FnOnce(E) -> T) -> KernelError<T> {
        match self {
            Self::UnknownProgram { name, known } => KernelError::UnknownProgram { name, known },
            Self::OutOfRange { program, field, value, knob } => {
                KernelError::OutOfRange { program, field, value, knob }
            }
            Self::Record(error) => KernelError::Record(record(error)),
        }
    }
}

impl fmt::Display for Knob {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "must be {} to {} ({})", self.min, self.max, self.meaning)
    }
}
