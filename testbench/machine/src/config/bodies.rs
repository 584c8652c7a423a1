//! Which body stands in which socket of a machine, and what runs the firmware.

use std::sync::Arc;

use cosim::body::BodyKind;
use cosim::socket::{Choice, Pattern};
use firmware::image::Image;
use hwmodel::Model;
use hwmodel::cpelide::command_processor::CommandProcessor;

use crate::config::System;

/// What runs the firmware of the command processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cp {
    /// It is called directly.
    #[default]
    Native,
    /// Its image runs in the instruction-set simulator, on the RTL core, or on both.
    Core(BodyKind),
}

impl Cp {
    /// All hosts, by `--cp`.
    pub const ALL: [(&str, Self); 4] = [
        ("native", Self::Native),
        ("iss", Self::Core(BodyKind::Model)),
        ("rtl", Self::Core(BodyKind::Rtl)),
        ("lockstep", Self::Core(BodyKind::Lockstep)),
    ];

    /// Names of `command_processor.host`.
    pub(crate) const HOSTS: [(&str, Self); 2] =
        [("native", Self::Native), ("core", Self::Core(BodyKind::Model))];

    /// What a system runs its firmware on.
    fn of(system: &System) -> Self {
        let host = Self::HOSTS.iter().find(|(name, _)| *name == system.command_processor.host);
        host.map_or(Self::Native, |(_, cp)| *cp)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, cp)| *cp == self).map_or("", |(name, _)| name)
    }
}

/// A choice of bodies, by place; the model where nothing is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// Which body stands where, and what is observed of it.
    pub choice: Choice,
    /// What runs the firmware, where that is not what the system says.
    cp: Option<Cp>,
    /// Its image, where that is not the default.
    pub image: Option<Arc<Image>>,
}

impl Bodies {
    /// The same body for every block.
    pub fn all(kind: BodyKind) -> Self {
        Self { choice: Choice::all(kind), ..Self::default() }
    }

    /// With this body of a block, or of those that a pattern of places means.
    pub fn with(mut self, places: &str, kind: BodyKind) -> Self {
        self.choice.choose(Pattern::new(places), kind);
        self
    }

    /// With this host of the firmware.
    pub fn with_cp(mut self, cp: Cp) -> Self {
        self.cp = Some(cp);
        match cp {
            Cp::Native => self,
            Cp::Core(kind) => self.with(CommandProcessor::NAME, kind),
        }
    }

    /// Whether every block of a system is a model: no Verilated library is needed.
    pub fn are_models(&self, system: &System) -> bool {
        self.choice.is_empty() && matches!(self.cp(system), Cp::Native | Cp::Core(BodyKind::Model))
    }

    /// What runs the firmware of a system: what was chosen, else `command_processor.host`.
    pub fn cp(&self, system: &System) -> Cp {
        self.cp.unwrap_or_else(|| Cp::of(system))
    }
}
