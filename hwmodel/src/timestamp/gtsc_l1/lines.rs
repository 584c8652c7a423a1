//! What is kept of a line: its lease, and stores to it that are under way (specification 5.3).

use ports::timestamp::types::BusRsp;

use crate::state::State;
use crate::timestamp::l1::cache::Cache;

/// The lines.
pub(super) type Lines = Cache<Lease>;

/// The lease of a line.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Lease {
    pub wts: u32,
    pub rts: u32,
    /// Stores under way; nobody reads the line meanwhile.
    pub lock: u8,
    /// The bank had newer bytes than this copy.
    pub bad: bool,
}

impl Lease {
    #[inline(always)]
    pub fn is_locked(&self) -> bool {
        self.lock > 0
    }

    /// A store is sent.
    pub fn lock(&mut self) {
        self.bad &= self.is_locked();
        self.lock += 1;
    }

    /// The oldest store is acknowledged. False: the line must go.
    pub fn unlock(&mut self, ack: &BusRsp) -> bool {
        self.lock = self.lock.saturating_sub(1);
        self.bad |= !ack.ok;
        if self.is_locked() {
            return true;
        }
        (self.wts, self.rts) = (ack.wts, ack.rts);
        !self.bad
    }
}

/// The registers.
pub(super) fn show_state(lines: &Lines, state: &mut State, line_w: u32, ts_w: u32) {
    lines.show_valid(state);
    for (place, (line, lease)) in lines.all().enumerate() {
        let held = line.is_some();
        state.bits_while(held, &format!("wts[{place}]"), ts_w, lease.wts);
        state.bits_while(held, &format!("rts[{place}]"), ts_w, lease.rts);
        // The RTL has tags, and these by sets.
        let line = line.unwrap_or_default();
        state.bits_while(held, &format!("line_of_place[{place}]"), line_w, line);
        state.bits_while(held, &format!("lock_of_place[{place}]"), 7, lease.lock);
        let bad = held && lease.is_locked();
        state.bits_while(bad, &format!("bad_of_place[{place}]"), 1, u8::from(lease.bad));
    }
}
