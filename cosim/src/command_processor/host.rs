//! What runs the firmware of a GPU: the ports are the same, the cycles are those of the host.

use firmware_embed::Image;
use hwmodel::Block;
use hwmodel::command_processor::{CommandProcessor, Config, In, Out};

use super::timed::{Timed, Times};
use crate::body::{AnyBody, Body, BodyError, BodyKind, Sight};
use crate::report::RunName;

/// Cycles in which an image must have come to wait for its first packet.
pub(crate) const BOOT: u32 = 100_000;

/// A host of the firmware.
#[derive(Debug)]
pub enum Host {
    /// Called directly, with the paper's times.
    Native(Box<Timed>),
    /// The command processor with an image: the instruction-set simulator is its model, the core
    /// its RTL.
    Core(Box<AnyBody<CommandProcessor>>),
}

impl Host {
    /// Calls the firmware.
    pub fn native(times: Times) -> Self {
        Self::Native(Box::new(Timed::new(times)))
    }

    /// Loads an image and lets it start, up to where it waits for a packet; from then on its cycles
    /// are counted. `conf`: the register CONF. Errors: there is no such body; the image does not
    /// come so far.
    pub fn core(
        kind: BodyKind,
        run: &RunName,
        config: &Config,
        image: &Image,
        conf: u32,
    ) -> Result<Self, BodyError> {
        Self::core_seen(kind, run, config, image, conf, Sight::default())
    }

    /// Likewise, as somebody wants to see it.
    pub fn core_seen(
        kind: BodyKind,
        run: &RunName,
        config: &Config,
        image: &Image,
        conf: u32,
        sight: Sight,
    ) -> Result<Self, BodyError> {
        let mut body = AnyBody::<CommandProcessor>::with(kind, run, config, sight)?;
        for (addr, &word) in (0..).zip(&image.words) {
            let (imem_addr, imem_data) = (addr, word);
            body.tick(&In {
                conf,
                core_hold: true,
                imem_we: true,
                imem_addr,
                imem_data,
                ..In::default()
            });
        }
        let mut cycles = image.words.len() as u32;
        // Before its first instruction the core is as silent as when it waits.
        let waits = |body: &AnyBody<CommandProcessor>| {
            body.last_transfer().is_some() && body.quiet_cycles() == u64::MAX
        };
        while !(waits(&body) && cycles.is_multiple_of(config.clock_of)) {
            body.tick(&In { conf, ..In::default() });
            cycles += 1;
            let exit = body.outputs().exit;
            if exit.is_some() || cycles > BOOT {
                return Err(BodyError::Image(exit));
            }
        }
        body.restart();
        Ok(Self::Core(Box::new(body)))
    }

    /// The block, where there is one.
    pub fn body(&self) -> Option<&AnyBody<CommandProcessor>> {
        match self {
            Self::Native(_) => None,
            Self::Core(body) => Some(body),
        }
    }

    /// The same, to be watched.
    pub fn body_mut(&mut self) -> Option<&mut AnyBody<CommandProcessor>> {
        match self {
            Self::Native(_) => None,
            Self::Core(body) => Some(body),
        }
    }

    /// What the ports show before the next edge.
    pub fn outputs(&self) -> Out {
        match self {
            Self::Native(host) => host.outputs(),
            Self::Core(body) => body.outputs(),
        }
    }

    /// One edge of the chiplets' clock. Returns the outputs of the cycle that it ends.
    pub fn tick(&mut self, inputs: &In) -> Out {
        match self {
            Self::Native(host) => host.tick(inputs),
            Self::Core(body) => body.tick(inputs),
        }
    }

    /// True when nothing happens until something comes.
    pub fn is_idle(&self) -> bool {
        match self {
            Self::Native(host) => host.is_idle(),
            Self::Core(body) => body.quiet_cycles() == u64::MAX,
        }
    }

    /// Lets cycles pass in which nothing comes: a multiple of [`Host::pattern`], so that the
    /// processor's clock stands where it would.
    pub fn skip(&mut self, cycles: u64) {
        match self {
            Self::Native(host) => host.skip(cycles),
            Self::Core(body) => body.skip(cycles),
        }
    }

    /// Length of the pattern of the clock enable.
    pub fn pattern(&self) -> u32 {
        match self {
            Self::Native(_) => 1,
            Self::Core(body) => body.config().clock_of,
        }
    }
}
