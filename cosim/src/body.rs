//! The bodies of a block, chosen by name where a system is built.

use hwmodel::{Block, ConfigError, Model};

use crate::lockstep::Lockstep;
use crate::report::RunName;
use crate::rtl::{Rtl, RtlError};

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

    /// Name, as in `--impl BLOCK=NAME`.
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

/// Why a body cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// An illegal parameter.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// No RTL body.
    #[error(transparent)]
    Rtl(#[from] RtlError),
}

/// A body of some block, whichever it is.
pub type AnyBody<M> = Box<dyn Block<In = <M as Block>::In, Out = <M as Block>::Out>>;

/// The body of block `M` after reset. `run` names the RTL's configuration, whose parameters `config` must
/// be, and the run in reports. Errors: an illegal parameter; no RTL body of this configuration.
pub fn body<M>(kind: BodyKind, run: &RunName, config: &M::Config) -> Result<AnyBody<M>, BodyError>
where
    M: Model<Config: 'static> + 'static,
    M::In: 'static,
    M::Out: 'static,
{
    let rtl = || Rtl::<M>::new(&run.config, config);
    Ok(match kind {
        BodyKind::Model => Box::new(M::new(config)?),
        BodyKind::Rtl => Box::new(rtl()?),
        BodyKind::Lockstep => {
            Box::new(Lockstep::new(run.clone(), config, M::new(config)?, rtl()?, 0))
        }
    })
}
