//! For each SM the writes of other SMs since its last synchronisation, and the copy that is sent to
//! it (specification 5.2).

use ports::race::types::MAX_SMS;

use super::Config;
use crate::common::bits::ones;
use crate::race::bloom::{Hash, Signature};
use crate::state::{State, width_of};

/// The signatures of all SMs.
#[derive(Clone, Debug)]
pub(super) struct Signatures {
    hash: Hash,
    active: Box<[Signature]>,
    outgoing: Box<[Signature]>,
    /// New bits since the last snapshot, at most `n_sat`.
    count: [u16; MAX_SMS],
    n_sat: u16,
    epoch: [u8; MAX_SMS],
    epoch_mask: u8,
    /// Bit i: the signature of SM i is full and must be sent.
    force_pend: u16,
}

impl Signatures {
    pub fn new(config: &Config) -> Self {
        let all = vec![Signature::new(config.m); config.n_sm as usize];
        Self {
            hash: Hash::new(config.m),
            active: all.clone().into(),
            outgoing: all.into(),
            count: [0; MAX_SMS],
            n_sat: config.n_sat as u16,
            epoch: [0; MAX_SMS],
            epoch_mask: (1 << config.epoch_w) - 1,
            force_pend: 0,
        }
    }

    #[inline(always)]
    pub fn force_pend(&self) -> u16 {
        self.force_pend
    }

    #[inline(always)]
    pub fn epoch(&self, sm: usize) -> u8 {
        self.epoch[sm]
    }

    /// The copy for an SM.
    #[inline(always)]
    pub fn outgoing(&self, sm: usize) -> &Signature {
        &self.outgoing[sm]
    }

    /// Another SM has written the granule.
    #[inline(always)]
    pub fn has(&self, sm: usize, key: u32) -> bool {
        self.active[sm].has(self.hash.indices(key))
    }

    /// Inserts the write of a granule in the signatures of `others`; for those of `copies` in the
    /// copy that is sent.
    #[inline(always)]
    pub fn insert(&mut self, others: u16, copies: u16, key: u32) {
        let indices = self.hash.indices(key);
        for sm in ones((others & !copies).into()) {
            if self.active[sm].insert(indices) && self.count[sm] < self.n_sat {
                self.count[sm] += 1;
                self.force_pend |= u16::from(self.count[sm] == self.n_sat) << sm;
            }
        }
        for sm in ones((others & copies).into()) {
            self.outgoing[sm].insert(indices);
        }
    }

    /// Ends the epoch of an SM. Behind the inserts of its cycle.
    #[inline(always)]
    pub fn snapshot(&mut self, sm: usize) {
        std::mem::swap(&mut self.active[sm], &mut self.outgoing[sm]);
        self.active[sm].clear();
        self.count[sm] = 0;
        self.force_pend &= !(1 << sm);
        self.epoch[sm] = (self.epoch[sm] + 1) & self.epoch_mask;
    }

    /// The registers of SM `sm`.
    pub fn show_state(&self, state: &mut State, sm: usize, config: &Config) {
        state.part("signature", |state| {
            state.bits("count", width_of(config.n_sat.into()), self.count[sm]);
            state.flag("force", self.force_pend >> sm & 1 != 0);
            self.active[sm].show_state(state, "active_used", "active");
            self.outgoing[sm].show_state(state, "outgoing_used", "outgoing");
        });
        state.part("response", |state| state.bits("epoch", config.epoch_w, self.epoch[sm]));
    }
}
