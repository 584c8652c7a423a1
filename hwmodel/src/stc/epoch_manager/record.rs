//! Demanded bands, and votes on the direction in which the epoch bits move: ERV, ETV and votes
//! (specification 5.2; STC, sections 4.3 and 4.4).

use ports::stc::types::MAX_BANDS;

use super::{Config, Counters, Epoch};
use crate::common::counter::count;
use crate::state::State;

/// Demands and votes, by band.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Record {
    /// `erv_v_q`: the band is demanded.
    pub v: u32,
    /// `erv_addr_q`: the address of the first demand.
    pub addr: [u32; MAX_BANDS],
    /// The band has voted since `vote` was cleared, so that many CUs in one conflict count once.
    pub etv: u32,
    /// Positive: upwards.
    pub vote: i32,
}

impl Record {
    /// A demand, in the order of the CUs; the address of the first stays.
    #[inline(always)]
    pub fn demand(&mut self, band: u32, addr: u32) {
        if self.v >> band & 1 == 0 {
            self.v |= 1 << band;
            self.addr[band as usize % MAX_BANDS] = addr;
        }
    }

    /// A conflict, in the order of the CUs, before what the edge clears and sets. At a change
    /// (`changes`) it is stale.
    pub fn conflict(
        &mut self,
        config: &Config,
        epoch: &Epoch,
        changes: bool,
        addr: u32,
        counters: &mut Counters,
    ) {
        let band = epoch.band(addr, config.band_bits);
        if changes || self.v >> band & 1 == 0 {
            return count(&mut counters.conf_stale, true);
        }
        if self.etv >> band & 1 != 0 {
            return count(&mut counters.conf_dup, true);
        }
        self.etv |= 1 << band;
        let vote = vote(config, epoch.seb, addr ^ self.addr[band as usize % MAX_BANDS]);
        self.vote += vote;
        count(&mut counters.votes_up, vote > 0);
        count(&mut counters.votes_down, vote < 0);
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        let bands = config.bands();
        state.bits("erv_v", bands, self.v);
        for (band, addr) in self.addr[..bands as usize].iter().enumerate() {
            let demanded = self.v >> band & 1 != 0;
            state.bits_while(demanded, &format!("erv_addr[{band}]"), 32, *addr);
        }
        state.bits("etv", bands, self.etv);
        state.bits("vote", config.band_bits + 2, self.vote as u32);
    }
}

/// The move that separates two addresses of one band that differ in these bits: -1 down, 1 up, 0
/// none.
fn vote(config: &Config, seb: u8, differ: u32) -> i32 {
    let differ = u64::from(differ);
    let low = if config.adapt_cmp == 0 { config.seb_min } else { 0 };
    let below = (1 << seb) - (1u64 << low);
    if differ & below != 0 {
        -1
    } else {
        i32::from(differ >> (u32::from(seb) + config.band_bits) != 0)
    }
}
