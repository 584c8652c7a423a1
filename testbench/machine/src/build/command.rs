//! The command processors of the GPUs: all have the same parameters.

use std::sync::Arc;

use cosim::cpelide::{Host, SyncMode, Times};
use cosim::socket::{At, Sockets};
use firmware::image::Image;
use ports::cpelide::types::{Command, TAGS};

use crate::build::make::{BuildError, GPU_CLOCK};
use crate::config::System;
use crate::config::bodies::{Bodies, Cp};
use crate::launch::Blocks;

/// What all of them are made of.
pub struct CommandProcessors {
    parameters: Command,
    chiplets: u16,
    times: Times,
    /// What runs on the core, where the firmware is not called directly.
    image: Option<Arc<Image>>,
}

impl CommandProcessors {
    /// With the system's parameters. A GPU of one chiplet has the crossbar of two. Errors: an image
    /// is wanted, and this build has none.
    pub fn new(system: &System, bodies: &Bodies, sync: SyncMode) -> Result<Self, BuildError> {
        let (c, chiplets) = (&system.command_processor, system.machine.chiplets);
        let image = match (bodies.cp(system), &bodies.image) {
            (Cp::Native, _) => None,
            (Cp::Core(_), Some(image)) => Some(image.clone()),
            (Cp::Core(_), None) => Some(Arc::new(Image::built()?)),
        };
        // The time of the table's operations, which decide between chiplets.
        let decides = sync == SyncMode::Cpelide && chiplets > 1;
        Ok(Self {
            parameters: Command {
                chiplets: u32::from(chiplets).max(2),
                unicast_latency: c.unicast_latency,
                broadcast_latency: c.broadcast_latency,
                private_latency: c.private_latency,
                clock_on: c.clock_on,
                clock_of: c.clock_of,
                tag_w: TAGS.ilog2(),
            },
            chiplets,
            times: Times {
                packet: c.packet_cycles,
                launch: if decides { c.elide_cycles } else { 0 },
            },
            image,
        })
    }

    /// The blocks of a GPU, which `owner` ticks. `conf`: the register CONF.
    pub fn blocks(
        &self,
        sockets: &mut Sockets,
        gpu: u16,
        owner: u32,
        conf: u32,
    ) -> Result<Blocks, BuildError> {
        let (parameters, run) = (&self.parameters, format!("{} chiplets", self.chiplets));
        let place = format!("gpu{gpu}");
        let at = At { place: &place, clock: GPU_CLOCK, owner };
        let host = match &self.image {
            Some(image) => {
                Host::core(sockets.socket(at.clone(), &run, &parameters.into())?, image, conf)?
            }
            None => Host::native(self.times),
        };
        let crossbar = sockets.socket(at, &run, &parameters.into())?;
        let local = |number: u16| {
            let place = format!("gpu{gpu}/chiplet{number}");
            sockets.socket(At { place: &place, clock: GPU_CLOCK, owner }, &run, &parameters.into())
        };
        let locals = (0..self.chiplets).map(local).collect::<Result<_, _>>()?;
        Ok(Blocks { host, crossbar, locals })
    }
}
