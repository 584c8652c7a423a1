//! The kernels that run (section 5.5) and their tags.

use super::packet::Scope;

/// A running kernel. Which entries it touches stands in the rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// Tag, the lowest that was free.
    pub tag: u8,
    /// The chiplets that it was scheduled on.
    pub chiplets: u16,
    /// Launched without labels, or as if: it may touch anything.
    pub unlabelled: bool,
    /// What its end releases.
    pub release: Scope,
    /// Its completion signal, 0 for none.
    pub signal: u64,
}

/// The running kernels, in order of launch.
#[derive(Clone, Debug, Default, Hash)]
pub struct Running {
    /// The kernels.
    pub kernels: Vec<Kernel>,
}

impl Running {
    /// The lowest tag that no running kernel has (section 5.7). Panics when 256 kernels run.
    pub fn free_tag(&self) -> u8 {
        let free = |&tag: &u8| self.kernels.iter().all(|kernel| kernel.tag != tag);
        (0..=u8::MAX).find(free).expect("at most 255 other kernels run")
    }

    /// The chiplets of the kernel with this tag; none where it does not run.
    pub fn chiplets_of(&self, tag: u8) -> u16 {
        let kernel = self.kernels.iter().find(|kernel| kernel.tag == tag);
        kernel.map_or(0, |kernel| kernel.chiplets)
    }

    /// Takes the kernel of this tag off the list, if it is there.
    pub fn remove(&mut self, tag: u8) -> Option<Kernel> {
        let at = self.kernels.iter().position(|kernel| kernel.tag == tag)?;
        Some(self.kernels.remove(at))
    }
}
