//! Where the pages of memory lie.

use super::layout::Layout;
use super::message::Unit;
use super::pages::{PAGE, PageMap};

/// How pages get their home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The chiplet whose work-group touches the page first in the trace's order.
    FirstTouch,
    /// Pages go round all chiplets.
    Interleave,
    /// All pages of a buffer lie on the chiplets of one GPU, buffers go round the GPUs.
    Owner,
}

/// The home of each page: a chiplet, and with it its GPU.
#[derive(Debug)]
pub struct Places {
    placement: Placement,
    chiplets: u16,
    chiplets_per_gpu: u16,
    /// Chiplet + 1; 0 is not placed.
    homes: PageMap<u16>,
    buffers: u16,
}

impl Places {
    /// Nothing is placed.
    pub fn new(placement: Placement, layout: &Layout) -> Self {
        Self {
            placement,
            chiplets: layout.all_chiplets(),
            chiplets_per_gpu: layout.chiplets,
            homes: PageMap::default(),
            buffers: 0,
        }
    }

    /// A buffer comes to be.
    pub fn add_buffer(&mut self, addr: u64, bytes: u64) {
        let owner = self.buffers % (self.chiplets / self.chiplets_per_gpu) * self.chiplets_per_gpu;
        for (i, page) in (addr..addr + bytes).step_by(PAGE as usize).enumerate() {
            let home = match self.placement {
                Placement::FirstTouch => continue,
                Placement::Interleave => (i % usize::from(self.chiplets)) as u16,
                Placement::Owner => owner + (i % usize::from(self.chiplets_per_gpu)) as u16,
            };
            *self.homes.get_mut(page) = home + 1;
        }
        self.buffers = self.buffers.wrapping_add(1);
    }

    /// True when work-groups decide.
    pub fn by_first_touch(&self) -> bool {
        self.placement == Placement::FirstTouch
    }

    /// A work-group of a chiplet is the first to touch a page.
    pub fn touch(&mut self, addr: u64, chiplet: u16) {
        let home = self.homes.get_mut(addr);
        if *home == 0 {
            *home = chiplet + 1;
        }
    }

    /// The chiplet on which the page of `addr` lies. A page that nobody has placed lies on chiplet
    /// 0.
    #[inline]
    pub fn home(&self, addr: u64) -> u16 {
        self.homes.get(addr).map_or(0, |home| home.saturating_sub(1))
    }

    /// The L3 slice that holds a line.
    #[inline]
    pub fn slice(&self, layout: &Layout, addr: u64) -> Unit {
        layout.slice(self.home(addr), layout.slice_of(addr))
    }
}
