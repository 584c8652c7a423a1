//! The bodies of a block: their names, what can be seen of them, and why one cannot be had.

use bodies::Variant;
use ports::ConfigError;

use crate::cpelide::Fault;
use crate::rtl::RtlError;

/// Which body stands for a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// The Rust model.
    #[default]
    Model,
    /// The Verilated RTL.
    Rtl,
    /// Both, compared in every cycle.
    Lockstep,
}

impl BodyKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Model, Self::Rtl, Self::Lockstep];

    /// Name, as in `--impl PATTERN=NAME`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rtl => "rtl",
            Self::Lockstep => "lockstep",
        }
    }

    /// The body of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What is observed of a body besides its ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// The signals of its RTL can be traced.
    pub inside: bool,
    /// Two bodies keep their insides from this cycle of theirs on, for the report of a difference.
    pub inspect_from: Option<u64>,
}

impl Sight {
    /// The RTL body that it needs.
    pub fn variant(self) -> Variant {
        match self.inside || self.inspect_from.is_some() {
            true => Variant::traced(),
            false => Variant::default(),
        }
    }
}

/// Why a body cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// An illegal parameter.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// No RTL body.
    #[error(transparent)]
    Rtl(#[from] RtlError),
    /// Firmware that does not start.
    #[error("the firmware image does not start: it {0}")]
    Image(Fault),
}
