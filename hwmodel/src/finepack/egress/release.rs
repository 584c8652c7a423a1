//! MARKs and completions of releases, the same for all paths (specification 5.4 and 5.8 d, g).

use ports::finepack::types::error_code;

use super::{Config, In};

/// Releases of one GPU.
#[derive(Clone, Debug, Default)]
pub(super) struct Releases {
    dirty: u16,       // destinations stored to since the last release
    unsent: u16,      // destinations whose MARK is still to be sent
    outstanding: u16, // destinations whose MARK is not completed
    id: u8,
    active: bool,          // a system release is not done
    done: Option<u8>,      // `rel` of this cycle
    pub error: Option<u8>, // spurious completion in the last cycle
}

impl Releases {
    /// `rel`.
    pub fn done(&self) -> Option<u8> {
        self.done
    }

    /// True when nothing changes until a completion comes: no MARK is to be sent, no pulse is
    /// shown.
    pub fn is_idle(&self) -> bool {
        self.unsent == 0 && self.done.is_none() && self.error.is_none()
    }

    /// A store or atomic to `dest` is under way.
    pub fn touch(&mut self, dest: u8) {
        self.dirty |= 1 << dest;
    }

    /// Start of the cycle: takes the completion. Returns the new `rel` of a system release.
    pub fn begin(&mut self, i: &In, cfg: &Config) {
        self.done = None;
        self.error = None;
        let Some(dest) = i.cpl else { return };
        let bit = if u32::from(dest) < cfg.num_gpus { 1 << dest } else { 0 };
        if self.outstanding & bit == 0 {
            self.error = Some(error_code::SPURIOUS_COMPLETION);
        }
        self.outstanding &= !bit;
        if self.active && self.unsent == 0 && self.outstanding == 0 {
            self.active = false;
            self.done = Some(self.id);
        }
    }

    /// RELEASE_GPU: true when its pulse is set for the next cycle, false when it must wait.
    pub fn gpu_scope(&mut self, id: u8) -> bool {
        let free = self.done.is_none();
        if free {
            self.done = Some(id);
        }
        free
    }

    /// RELEASE_SYS whose earlier stores have all been sent: true when it may leave, having started
    /// or, without dirty destinations, ended. False while an earlier one is not done.
    pub fn system_scope(&mut self, id: u8) -> bool {
        if self.active || self.done.is_some() {
            return false;
        }
        if self.dirty == 0 {
            self.done = Some(id);
        } else {
            (self.unsent, self.dirty) = (self.dirty, 0);
            self.id = id;
            self.active = true;
        }
        true
    }

    /// The next MARK to be sent, as destination and id.
    pub fn mark(&self) -> Option<(u8, u8)> {
        (self.unsent != 0).then(|| (self.unsent.trailing_zeros() as u8, self.id))
    }

    /// The MARK shown by [`Self::mark`] is sent.
    pub fn mark_sent(&mut self) {
        let bit = self.unsent & self.unsent.wrapping_neg();
        self.unsent &= !bit;
        self.outstanding |= bit;
    }
}
