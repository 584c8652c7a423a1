//! What runs the firmware of a GPU: the ports are the same, the cycles are those of the host.

use firmware::image::Image;
use hwmodel::Block;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::command_processor::{In, Out};

use super::timed::{Timed, Times};
use super::trail::{ENDLESS, Fault, Trail};
use crate::body::BodyError;
use crate::socket::Socket;

/// Cycles in which an image must have come to wait for its first packet.
const BOOT: u32 = 100_000;

/// A host of the firmware.
#[derive(Debug)]
pub enum Host {
    /// Called directly, with the paper's times.
    Native(Box<Timed>),
    /// The command processor with an image: the instruction-set simulator is its model, the core
    /// its RTL.
    Core(Box<Core>),
}

/// The command processor, and what its firmware has executed last.
#[derive(Debug)]
pub struct Core {
    socket: Socket<CommandProcessor>,
    trail: Trail,
    image: Image,
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
        let mut trail = Trail::default();
        let clock_of = socket.config().clock_of;
        let mut cycles = image.words.len() as u32;
        // Before its first instruction the core is as silent as when it waits.
        let waits = |socket: &Socket<_>| {
            socket.last_transfer().is_some() && socket.quiet_cycles() == u64::MAX
        };
        while !(waits(&socket) && cycles.is_multiple_of(clock_of)) {
            let out = socket.tick(&In { conf, ..In::default() });
            if let Some(trace) = &out.trace {
                trail.see(trace);
            }
            cycles += 1;
            let exit = socket.outputs().exit;
            if exit.is_some() || cycles > BOOT || trail.is_lost() {
                let endless = format!("does not wait for a packet within {BOOT} cycles");
                return Err(BodyError::Image(trail.fault(exit, image, &endless)));
            }
        }
        socket.restart();
        Ok(Self::Core(Box::new(Core { socket, trail, image: image.clone() })))
    }

    /// Whether the firmware has trapped, or executes without an end. One that has halted shows it.
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Native(_) => false,
            Self::Core(core) => core.trail.is_lost(),
        }
    }

    /// Why it cannot go on, where it is an image.
    pub fn fault(&self) -> Option<Fault> {
        let Self::Core(core) = self else { return None };
        let Core { socket, trail, image } = &**core;
        let endless = format!("executes {ENDLESS} instructions without an access to the mailbox");
        Some(trail.fault(socket.outputs().exit, image, &endless))
    }

    /// The block, where there is one.
    pub fn socket(&self) -> Option<&Socket<CommandProcessor>> {
        match self {
            Self::Native(_) => None,
            Self::Core(core) => Some(&core.socket),
        }
    }

    /// What the ports show before the next edge.
    pub fn outputs(&self) -> Out {
        match self {
            Self::Native(host) => host.outputs(),
            Self::Core(core) => core.socket.outputs(),
        }
    }

    /// One edge of the chiplets' clock. Returns the outputs of the cycle that it ends.
    pub fn tick(&mut self, inputs: &In) -> Out {
        match self {
            Self::Native(host) => host.tick(inputs),
            Self::Core(core) => {
                let out = core.socket.tick(inputs);
                if let Some(trace) = &out.trace {
                    core.trail.see(trace);
                }
                out
            }
        }
    }

    /// How many cycles pass in which nothing happens unless something comes.
    pub fn quiet_cycles(&self) -> u64 {
        match self {
            Self::Native(host) => host.quiet_cycles(),
            Self::Core(core) => core.socket.quiet_cycles(),
        }
    }

    /// Lets the cycles before `now` pass, in which nothing came.
    pub fn catch_up(&mut self, now: u64, idle: &In) {
        match self {
            Self::Native(host) => host.catch_up(now),
            Self::Core(core) => {
                core.socket.catch_up(now, idle);
            }
        }
    }
}
