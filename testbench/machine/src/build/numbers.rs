//! Which component has which number.

use crate::context::layout::{Layout, Site};
use crate::context::message::Unit;
use crate::engine::ComponentId;

/// Components stand in this order: for each chiplet its CUs, L2 banks, L3 slices and command
/// processor; for each GPU its command processor; the links between chiplets; the L1 design's unit
/// of each GPU, if it has one; the combiners of each chiplet; what joins the GPUs.
pub struct Numbers {
    pub layout: Layout,
    /// Links between chiplets.
    pub links: u32,
    /// L1 designs' units.
    pub units: u32,
    /// Combiners of a chiplet.
    pub combiners: u32,
}

impl Numbers {
    fn per_chiplet(&self) -> u32 {
        self.layout.parts_per_chiplet() as u32
    }

    /// CUs, banks and slices stand in the order of their units.
    pub fn unit(&self, unit: Unit) -> ComponentId {
        match self.layout.site(unit) {
            Site::Gate(_) => self.gate(),
            _ => ComponentId(self.layout.part_of(unit) as u32),
        }
    }

    /// The chiplet with which a component stands: of a link the one that it leaves, of what a GPU
    /// has once its first, of what joins GPUs that of the first of them.
    pub fn chiplet(&self, id: ComponentId) -> u16 {
        let layout = &self.layout;
        if id.0 < self.global(0).0 {
            (id.0 / self.per_chiplet()) as u16
        } else if id.0 < self.link(0).0 {
            (id.0 - self.global(0).0) as u16 * layout.chiplets
        } else if id.0 < self.gpu_unit(0).0 {
            (id.0 - self.link(0).0) as u16 / (layout.chiplets - 1)
        } else if id.0 < self.combiner(0, 0).0 {
            (id.0 - self.gpu_unit(0).0) as u16 * layout.chiplets
        } else if id.0 < self.gate().0 {
            ((id.0 - self.combiner(0, 0).0) / self.combiners) as u16
        } else {
            0
        }
    }

    pub fn local(&self, chiplet: u16) -> ComponentId {
        ComponentId((u32::from(chiplet) + 1) * self.per_chiplet() - 1)
    }

    pub fn global(&self, gpu: u16) -> ComponentId {
        ComponentId(u32::from(self.layout.all_chiplets()) * self.per_chiplet() + u32::from(gpu))
    }

    /// The link of this number.
    pub fn link(&self, number: u32) -> ComponentId {
        ComponentId(self.global(self.layout.gpus).0 + number)
    }

    /// A GPU's unit of the L1 design.
    pub fn gpu_unit(&self, gpu: u16) -> ComponentId {
        self.link(self.links + u32::from(gpu))
    }

    /// A combiner of a chiplet.
    pub fn combiner(&self, chiplet: u16, number: u32) -> ComponentId {
        self.link(self.links + self.units + u32::from(chiplet) * self.combiners + number)
    }

    pub fn gate(&self) -> ComponentId {
        self.combiner(self.layout.all_chiplets(), 0)
    }
}
