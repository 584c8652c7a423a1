//! Where the pages of memory lie.

use crate::context::copies::{Copies, Extent};
use crate::context::layout::Layout;
use crate::context::message::Unit;
use crate::context::pages::{PAGE, PageMap};

/// How pages get their home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The chiplet whose work-group touches the page first in the trace's order.
    FirstTouch,
    /// Pages go round all chiplets.
    Interleave,
    /// All pages of a buffer lie on the chiplets of one GPU, buffers go round the GPUs.
    Owner,
    /// By first touch, and other GPUs have copies, which get all stores.
    Replicated(Extent),
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
    /// Who has copies, where pages have any.
    copies: Option<Box<Copies>>,
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
            copies: None,
        }
    }

    /// From now on pages have copies.
    pub fn replicate(&mut self, copies: Copies) {
        self.copies = Some(Box::new(copies));
    }

    /// A buffer comes to be.
    pub fn add_buffer(&mut self, addr: u64, bytes: u64) {
        let owner = self.buffers % (self.chiplets / self.chiplets_per_gpu) * self.chiplets_per_gpu;
        for (i, page) in (addr..addr + bytes).step_by(PAGE as usize).enumerate() {
            let home = match self.placement {
                Placement::FirstTouch | Placement::Replicated(_) => continue,
                Placement::Interleave => (i % usize::from(self.chiplets)) as u16,
                Placement::Owner => owner + (i % usize::from(self.chiplets_per_gpu)) as u16,
            };
            *self.homes.get_mut(page) = home + 1;
        }
        self.buffers = self.buffers.wrapping_add(1);
    }

    /// True when work-groups decide.
    pub fn by_first_touch(&self) -> bool {
        matches!(self.placement, Placement::FirstTouch | Placement::Replicated(_))
    }

    /// A work-group of a chiplet is the first to touch a page.
    pub fn touch(&mut self, addr: u64, chiplet: u16) {
        let home = self.homes.get_mut(addr);
        if *home == 0 {
            *home = chiplet + 1;
        }
    }

    /// The chiplet on which the page of `addr` lies. A page that was not placed lies on chiplet
    /// 0.
    #[inline]
    pub fn home(&self, addr: u64) -> u16 {
        self.homes.get(addr).map_or(0, |home| home.saturating_sub(1))
    }

    /// True where pages have copies on several GPUs.
    pub fn are_replicated(&self) -> bool {
        self.copies.is_some()
    }

    /// The GPUs that have a line, its home among them: a bit for each.
    #[inline]
    pub fn holders(&self, addr: u64) -> u16 {
        let home = 1 << (self.home(addr) / self.chiplets_per_gpu);
        self.copies.as_ref().map_or(home, |copies| copies.holders(addr) | home)
    }

    /// The GPUs to whose copies a store by a CU of `gpu` is pushed.
    #[inline]
    pub fn others(&self, gpu: u16, addr: u64) -> u16 {
        self.holders(addr) & !(1 << gpu)
    }

    /// The chiplet on which a GPU finds the page of `addr`: of its own where it has a copy, else
    /// the home.
    #[inline(always)]
    pub fn near(&self, gpu: u16, addr: u64) -> u16 {
        match &self.copies {
            None => self.home(addr),
            Some(copies) => self.near_copy(copies, gpu, addr),
        }
    }

    #[inline(never)]
    fn near_copy(&self, copies: &Copies, gpu: u16, addr: u64) -> u16 {
        match copies.holders(addr) >> gpu & 1 {
            1 => self.on(gpu, addr),
            _ => self.home(addr),
        }
    }

    /// The chiplet of a GPU on which its copy of a page lies, if it has one: the same of each GPU.
    #[inline]
    pub fn on(&self, gpu: u16, addr: u64) -> u16 {
        gpu * self.chiplets_per_gpu + self.home(addr) % self.chiplets_per_gpu
    }

    /// The L3 slice in which a GPU finds a line.
    #[inline]
    pub fn slice(&self, layout: &Layout, gpu: u16, addr: u64) -> Unit {
        layout.slice(self.near(gpu, addr), layout.slice_of(addr))
    }
}
