//! Requests to the manager: demands of bands for blocked stores, and conflicts of loads with them
//! (specification 5.4, 5.5; STC, sections 4.3 and 4.4).

use ports::stc::types::{MAX_BANDS, Req, kind};

use super::Config;
use super::choices::Change;
use super::queue::Queue;
use crate::state::State;

/// Requests to send, and those that were sent in this epoch.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Demands {
    /// `filter_q`: bands that were demanded for a blocked store.
    filter: u32,
    /// `dpend_q`: demands that are to be sent, with the slot of a store.
    pend: u32,
    slot: [u8; MAX_BANDS],
    conf_sent: bool,
    conf_pend: bool,
    conf_addr: u32,
    /// `dmd_due_q`: demands without acknowledgement.
    due: u8,
}

impl Demands {
    /// The request of this cycle.
    #[inline(always)]
    pub fn front(&self, queue: &Queue) -> Option<Req> {
        if self.pend != 0 {
            let slot = self.slot[self.pend.trailing_zeros() as usize % MAX_BANDS];
            return Some(Req { kind: kind::DEMAND, addr: queue.addr(slot) });
        }
        self.conf_pend.then_some(Req { kind: kind::CONFLICT, addr: self.conf_addr })
    }

    /// No acknowledgement is due.
    #[inline(always)]
    pub fn none_due(&self) -> bool {
        self.due == 0
    }

    /// The request of this cycle is sent, and perhaps another acknowledged. Before the others.
    #[inline(always)]
    pub fn send(&mut self, acknowledged: bool) {
        let demand = self.pend != 0;
        self.pend &= self.pend.wrapping_sub(1);
        self.conf_pend &= demand;
        match (demand, acknowledged && self.due != 0) {
            (true, false) => self.due = self.due.saturating_add(1),
            (false, true) => self.due -= 1,
            _ => {}
        }
    }

    /// A load may be served from the L1. The first of an epoch whose band has a blocked store is a
    /// conflict. Before the stores of its cycle.
    #[inline(always)]
    pub fn load(&mut self, band: u32, addr: u32) {
        if self.filter >> band & 1 != 0 && !self.conf_sent {
            (self.conf_pend, self.conf_sent, self.conf_addr) = (true, true, addr);
        }
    }

    /// A store of this band is blocked.
    #[inline(always)]
    pub fn store(&mut self, band: u32, slot: u8) {
        if self.filter >> band & 1 == 0 {
            self.filter |= 1 << band;
            self.pend |= 1 << band;
            self.slot[band as usize % MAX_BANDS] = slot;
        }
    }

    /// An epoch begins: every band will be demanded anew. Behind all others.
    pub fn change(&mut self, change: &Change) {
        (self.pend, self.conf_sent, self.conf_pend) = (0, false, false);
        if change.clears_filter {
            self.filter = 0;
        }
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        let bands = config.bands();
        state.bits("filter", bands, self.filter);
        state.bits("dpend", bands, self.pend);
        for (band, slot) in self.slot[..bands as usize].iter().enumerate() {
            let pends = self.pend >> band & 1 != 0;
            state.bits_while(pends, &format!("dslot[{band}]"), config.slot_w(), *slot);
        }
        state.flag("conf_sent", self.conf_sent);
        state.flag("conf_pend", self.conf_pend);
        state.bits_while(self.conf_sent, "conf_addr", 32, self.conf_addr);
        state.bits("dmd_due", 8, self.due);
    }
}
