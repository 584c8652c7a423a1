//! What a design's parts are made with: the system file, sockets for their blocks, wires, and who
//! and where they are.

use std::any::Any;
use std::rc::Rc;

use cosim::body::BodyError;
use cosim::socket::{At, Socket, Sockets};
use hwmodel::Model;

use crate::config::registry;
use crate::config::{ConfigError, System};
use crate::context::message::Packed;
use crate::engine::{ComponentId, InletId, OutletId, WireId, Wires};
use crate::l1::{L1Policy, NewL1Policy};

/// Why a machine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A field of the system.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A block's body.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The firmware's image.
    #[error(transparent)]
    Image(#[from] firmware::image::ImageError),
}

/// A part of a design, or why the machine cannot have it.
pub type Made<T> = Result<Box<T>, BuildError>;

/// Number of the GPU's clock among a machine's.
pub const GPU_CLOCK: usize = 0;

/// Who is made: a CU's L1, an L2 bank or its hook, a GPU's unit; and what with.
pub struct Make<'a> {
    /// The system file.
    pub system: &'a System,
    /// Its chiplet, through all GPUs; 0 of a GPU's unit.
    pub chiplet: u16,
    /// Its number among its like: in its chiplet, or of its GPU.
    pub number: u16,
    /// Where its blocks stand, such as `gpu1/chiplet2/l2.bank0`.
    pub place: String,
    /// Who visits it.
    pub owner: ComponentId,
    /// The GPU's unit, where the L1 design has one.
    pub unit: Option<ComponentId>,
    /// All blocks.
    pub sockets: &'a mut Sockets,
    /// All wires.
    pub wires: &'a mut Wires<Packed>,
    /// Wires to and from the GPU's unit, in the order in which they were made.
    pub unit_wires: UnitWires,
    /// What parts share that talk to each other in no time.
    pub shared: &'a mut Vec<Rc<dyn Any>>,
}

/// Wires between a CU's L1, or a bank's hook, and the GPU's unit.
#[derive(Clone, Debug, Default)]
pub struct UnitWires {
    /// Those that the unit sees.
    pub to_unit: Vec<WireId>,
    /// Those that it shows.
    pub from_unit: Vec<WireId>,
}

impl Make<'_> {
    /// What the parts of a design in a GPU share, made by the first of them: for designs that are
    /// no hardware, and for queues at both ends of a channel. What it does must not depend on the
    /// order in which parts are visited.
    pub fn shared<T: 'static>(&mut self, new: impl FnOnce() -> T) -> Rc<T> {
        if let Some(shared) = self.shared.iter().find_map(|any| any.clone().downcast().ok()) {
            return shared;
        }
        let shared = Rc::new(new());
        self.shared.push(shared.clone());
        shared
    }

    /// A socket for a block of this part. `config`: how reports call its parameters.
    pub fn socket<M: Model + 'static>(
        &mut self,
        name: &str,
        config: &M::Config,
    ) -> Result<Socket<M>, BuildError> {
        let at = At { place: &self.place, clock: GPU_CLOCK, owner: self.owner.0 };
        Ok(self.sockets.socket(at, name, config)?)
    }

    /// What says which lines an L1 keeps, if anything does.
    pub fn l1_policy(&mut self) -> Result<Option<Box<dyn L1Policy>>, BuildError> {
        let policy: &NewL1Policy = registry::named(&self.system.sharing.l1)?;
        policy.new.map(|new| new(self)).transpose()
    }

    /// A wire to the GPU's unit, which the design must have, with so many registers.
    pub fn wire_to_unit(&mut self, registers: u32) -> WireId {
        let unit = self.unit.expect("the design has a unit");
        let wire = self.wires.add(unit, registers);
        self.unit_wires.to_unit.push(wire);
        wire
    }

    /// A wire from it.
    pub fn wire_from_unit(&mut self, registers: u32) -> WireId {
        let wire = self.wires.add(self.owner, registers);
        self.unit_wires.from_unit.push(wire);
        wire
    }
}

/// What a unit of a GPU is connected to: of each CU, and of each L2 bank that has a hook of the
/// design, its channels and the wires that it has made.
#[derive(Debug, Default)]
pub struct UnitPorts {
    /// CUs, in the order of their units.
    pub cores: Vec<UnitPort>,
    /// L2 banks; none where they have no hooks.
    pub banks: Vec<UnitPort>,
    /// Units of other GPUs, each by the name of its GPU's gate; where the design crosses to some.
    pub gate: Option<UnitPort>,
}

/// A unit's connection to a CU or bank.
#[derive(Clone, Debug)]
pub struct UnitPort {
    /// Messages to it.
    pub to: OutletId,
    /// Messages from it.
    pub from: InletId,
    /// Wires.
    pub wires: UnitWires,
}
