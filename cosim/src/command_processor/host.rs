//! What runs the firmware of a GPU: the ports are the same, the cycles are those of the host.

use firmware_embed::Image;
use hwmodel::Block;
use hwmodel::command_processor::CommandProcessor;
use ports::command_processor::{In, Out};

use super::timed::{Timed, Times};
use crate::body::BodyError;
use crate::socket::Socket;

/// Cycles in which an image must have come to wait for its first packet.
pub(crate) const BOOT: u32 = 100_000;

/// A host of the firmware.
#[derive(Debug)]
pub enum Host {
    /// Called directly, with the paper's times.
    Native(Box<Timed>),
    /// The command processor with an image: the instruction-set simulator is its model, the core
    /// its RTL.
    Core(Box<Socket<CommandProcessor>>),
}

impl Host {
    /// Calls the firmware.
    pub fn native(times: Times) -> Self {
        Self::Native(Box::new(Timed::new(times)))
    }

    /// Loads an image into a block after reset and lets it start, up to where it waits for a
    /// packet; from then on its cycles are counted. `conf`: the register CONF. Errors: the image
    /// does not come so far.
    pub fn core(
        mut socket: Socket<CommandProcessor>,
        image: &Image,
        conf: u32,
    ) -> Result<Self, BodyError> {
        for (addr, &word) in (0..).zip(&image.words) {
            let (imem_addr, imem_data) = (addr, word);
            socket.tick(&In {
                conf,
                core_hold: true,
                imem_we: true,
                imem_addr,
                imem_data,
                ..In::default()
            });
        }
        let clock_of = socket.config().clock_of;
        let mut cycles = image.words.len() as u32;
        // Before its first instruction the core is as silent as when it waits.
        let waits = |socket: &Socket<_>| {
            socket.last_transfer().is_some() && socket.quiet_cycles() == u64::MAX
        };
        while !(waits(&socket) && cycles.is_multiple_of(clock_of)) {
            socket.tick(&In { conf, ..In::default() });
            cycles += 1;
            let exit = socket.outputs().exit;
            if exit.is_some() || cycles > BOOT {
                return Err(BodyError::Image(exit));
            }
        }
        socket.restart();
        Ok(Self::Core(Box::new(socket)))
    }

    /// The block, where there is one.
    pub fn socket(&self) -> Option<&Socket<CommandProcessor>> {
        match self {
            Self::Native(_) => None,
            Self::Core(socket) => Some(socket),
        }
    }

    /// What the ports show before the next edge.
    pub fn outputs(&self) -> Out {
        match self {
            Self::Native(host) => host.outputs(),
            Self::Core(socket) => socket.outputs(),
        }
    }

    /// One edge of the chiplets' clock. Returns the outputs of the cycle that it ends.
    pub fn tick(&mut self, inputs: &In) -> Out {
        match self {
            Self::Native(host) => host.tick(inputs),
            Self::Core(socket) => socket.tick(inputs),
        }
    }

    /// How many cycles pass in which nothing happens unless something comes.
    pub fn quiet_cycles(&self) -> u64 {
        match self {
            Self::Native(host) => host.quiet_cycles(),
            Self::Core(socket) => socket.quiet_cycles(),
        }
    }

    /// Lets the cycles before `now` pass, in which nothing came.
    pub fn catch_up(&mut self, now: u64, idle: &In) {
        match self {
            Self::Native(host) => host.catch_up(now),
            Self::Core(socket) => socket.catch_up(now, idle),
        }
    }
}
