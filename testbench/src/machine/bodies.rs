//! Which body stands for each block that has two, and the parameters of those blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use cosim::body::{AnyBody, BodyError, BodyKind, Sight};
use cosim::command_processor::{Host, SyncMode, Times};
use cosim::report::RunName;
use cosim::verilated::Request;
use firmware_embed::Image;
use hwmodel::Model;
use hwmodel::coherence_directory::{self, CoherenceDirectory};
use hwmodel::command_processor::CommandProcessor;
use hwmodel::common::command_types::Command;
use hwmodel::common::finepack_types::FinePack;
use hwmodel::cp_crossbar::CpCrossbar;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::local_command_processor::LocalCommandProcessor;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;

use super::build::BuildError;
use super::config::{ConfigError, System};
use super::launch::Blocks;

/// Blocks of a machine that have two bodies.
pub const BLOCKS: [&str; 6] = [
    "remote_write_queue",
    "packetizer",
    "depacketizer",
    "coherence_directory",
    "cp_crossbar",
    "local_command_processor",
];

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

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, cp)| *cp == self).map_or("", |(name, _)| name)
    }
}

/// A choice of bodies, by block; the model where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bodies {
    blocks: BTreeMap<String, BodyKind>,
    /// What runs the firmware.
    pub cp: Cp,
    /// Its image, where that is not the default.
    pub image: Option<Arc<Image>>,
    /// What somebody wants to see of a block's bodies.
    sights: BTreeMap<String, Sight>,
}

impl Bodies {
    /// The same body for every block.
    pub fn all(kind: BodyKind) -> Self {
        let blocks = BLOCKS.iter().map(|block| (block.to_string(), kind)).collect();
        Self { blocks, ..Self::default() }
    }

    /// With this host of the firmware.
    pub fn with_cp(self, cp: Cp) -> Self {
        Self { cp, ..self }
    }

    /// Chooses a block's body. False where no such block is in any machine.
    pub fn choose(&mut self, block: &str, kind: BodyKind) -> bool {
        let known = BLOCKS.contains(&block);
        if known {
            self.blocks.insert(block.to_string(), kind);
        }
        known
    }

    /// Has all bodies of a block built so that this can be seen of them.
    pub fn look_at(&mut self, block: &str, sight: Sight) {
        self.sights.insert(block.to_string(), sight);
    }

    /// What is to be seen of a block.
    pub fn sight(&self, block: &str) -> Sight {
        self.sights.get(block).copied().unwrap_or_default()
    }

    /// The RTL body of `M` that is needed, if any is; `kind` is what stands for the block.
    fn request<M: Model>(&self, kind: BodyKind, config: &M::Config) -> Option<Request> {
        let request = || Request::of::<M>(config, self.sight(M::NAME).variant());
        (kind != BodyKind::Model).then(request)
    }

    /// The body of a block.
    pub fn of(&self, block: &str) -> BodyKind {
        self.blocks.get(block).copied().unwrap_or_default()
    }
}

/// The FinePack blocks of a machine.
pub struct FinePackBlocks {
    /// Their parameters.
    pub parameters: FinePack,
    run: RunName,
    bodies: Bodies,
}

impl FinePackBlocks {
    /// The configuration that the system names, for its number of GPUs and its links. Errors: there
    /// is none, or it is not legal for them.
    pub fn new(system: &System, bodies: &Bodies) -> Result<Self, ConfigError> {
        let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
        let catalog = cosim::Catalog::load().map_err(|e| error("egress.config", e.to_string()))?;
        let name = &system.egress.config;
        let named = catalog.finepack.get(name).ok_or_else(|| {
            let names: Vec<_> = catalog.finepack.keys().cloned().collect();
            error("egress.config", format!("{name:?} is none of {}", names.join(", ")))
        })?;
        let num_gpus = system.machine.gpus.into();
        let pcie_generation = system.gpu_link.generation;
        let parameters = FinePack { num_gpus, pcie_generation, ..system.finepack.over(named) };
        parameters.validate().map_err(|e| match e.name {
            "num_gpus" => error("machine.gpus", format!("{}: must be {}", e.value, e.limit)),
            name => error(&format!("finepack.{name}"), format!("{}: must be {}", e.value, e.limit)),
        })?;
        let run = RunName { config: name.clone(), seed: 0 };
        Ok(Self { parameters, run, bodies: bodies.clone() })
    }

    /// The RTL bodies of these blocks that are chosen.
    pub fn requests(&self, blocks: &[&str]) -> Vec<Request> {
        let p = &self.parameters;
        let bodies = &self.bodies;
        let kind = |name: &str| match blocks.contains(&name) {
            true => bodies.of(name),
            false => BodyKind::Model,
        };
        let all = [
            bodies.request::<RemoteWriteQueue>(kind(RemoteWriteQueue::NAME), &p.into()),
            bodies.request::<Packetizer>(kind(Packetizer::NAME), &p.into()),
            bodies.request::<Depacketizer>(kind(Depacketizer::NAME), &p.into()),
        ];
        all.into_iter().flatten().collect()
    }

    /// A block's body.
    pub fn body<M>(&self) -> Result<AnyBody<M>, BodyError>
    where
        M: Model<Config: for<'a> From<&'a FinePack>>,
    {
        let sight = self.bodies.sight(M::NAME);
        AnyBody::with(self.bodies.of(M::NAME), &self.run, &(&self.parameters).into(), sight)
    }
}

/// The directories beside a machine's L2 banks: all have the same parameters.
pub struct DirectoryBlocks {
    parameters: coherence_directory::Config,
    run: RunName,
    bodies: Bodies,
}

impl DirectoryBlocks {
    /// With these parameters, which must be valid.
    pub fn new(parameters: coherence_directory::Config, bodies: &Bodies) -> Self {
        let coherence_directory::Config { variant, gpus, entries, ways, range, .. } = &parameters;
        let config =
            format!("{variant:?}, {gpus} nodes, {entries} entries, {ways} ways, {range} B");
        let run = RunName { config: config.to_lowercase(), seed: 0 };
        Self { parameters, run, bodies: bodies.clone() }
    }

    /// The RTL body, if it is chosen.
    pub fn request(&self) -> Option<Request> {
        let kind = self.bodies.of(CoherenceDirectory::NAME);
        self.bodies.request::<CoherenceDirectory>(kind, &self.parameters)
    }

    /// A bank's directory.
    pub fn body(&self) -> Result<AnyBody<CoherenceDirectory>, BodyError> {
        let name = CoherenceDirectory::NAME;
        let (kind, sight) = (self.bodies.of(name), self.bodies.sight(name));
        AnyBody::with(kind, &self.run, &self.parameters, sight)
    }
}

/// The command processors of a machine's GPUs: all have the same parameters.
pub struct CommandBlocks {
    parameters: Command,
    chiplets: usize,
    times: Times,
    bodies: Bodies,
    image: Option<Arc<Image>>,
}

impl CommandBlocks {
    /// With the system's parameters. A GPU of one chiplet has the crossbar of two. Errors: an image
    /// is wanted, and this build has none.
    pub fn new(system: &System, bodies: &Bodies, sync: SyncMode) -> Result<Self, BuildError> {
        let (c, chiplets) = (&system.command_processor, system.machine.chiplets);
        let parameters = Command {
            chiplets: u32::from(chiplets).max(2),
            unicast_latency: c.unicast_latency,
            broadcast_latency: c.broadcast_latency,
            private_latency: c.private_latency,
            clock_on: c.clock_on,
            clock_of: c.clock_of,
        };
        let image = match bodies.cp {
            Cp::Native => None,
            Cp::Core(_) => Some(match &bodies.image {
                Some(image) => image.clone(),
                None => Arc::new(Image::built()?),
            }),
        };
        Ok(Self {
            parameters,
            chiplets: chiplets.into(),
            times: Times {
                packet: c.packet_cycles,
                launch: if sync == SyncMode::Cpelide { c.elide_cycles } else { 0 },
            },
            bodies: bodies.clone(),
            image,
        })
    }

    /// Those of a GPU. `conf`: the register CONF.
    pub fn blocks(&self, conf: u32) -> Result<Blocks, BuildError> {
        let host = match (self.bodies.cp, &self.image) {
            (Cp::Core(kind), Some(image)) => {
                let config = (&self.parameters).into();
                let sight = self.bodies.sight(CommandProcessor::NAME);
                Host::core_seen(kind, &self.run(), &config, image, conf, sight)?
            }
            _ => Host::native(self.times),
        };
        let local = |_| self.body::<LocalCommandProcessor>();
        Ok(Blocks {
            host,
            crossbar: self.body::<CpCrossbar>()?,
            locals: (0..self.chiplets).map(local).collect::<Result<_, _>>()?,
        })
    }

    fn body<M>(&self) -> Result<AnyBody<M>, BuildError>
    where
        M: Model<Config: for<'a> From<&'a Command>>,
    {
        let (kind, sight) = (self.bodies.of(M::NAME), self.bodies.sight(M::NAME));
        Ok(AnyBody::with(kind, &self.run(), &(&self.parameters).into(), sight)?)
    }

    /// The RTL bodies that are chosen.
    pub fn requests(&self) -> Vec<Request> {
        let (p, bodies) = (&self.parameters, &self.bodies);
        let core = match bodies.cp {
            Cp::Core(kind) => kind,
            Cp::Native => BodyKind::Model,
        };
        let (crossbar, local) =
            (bodies.of(CpCrossbar::NAME), bodies.of(LocalCommandProcessor::NAME));
        let all = [
            bodies.request::<CommandProcessor>(core, &p.into()),
            bodies.request::<CpCrossbar>(crossbar, &p.into()),
            bodies.request::<LocalCommandProcessor>(local, &p.into()),
        ];
        all.into_iter().flatten().collect()
    }

    fn run(&self) -> RunName {
        RunName { config: format!("{} chiplets", self.chiplets), seed: 0 }
    }
}
