//! Loads on their way to the L1 (specification 5.5).

use ports::stc::types::{Load, LoadOut};

use crate::common::fifo::Fifo;
use crate::state::State;

/// Two places.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Loads(Fifo<LoadOut, 2>);

impl Loads {
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.0.is_full()
    }

    #[inline(always)]
    pub fn front(&self) -> Option<LoadOut> {
        self.0.front()
    }

    /// The L1 takes the first, if there is one.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Takes one; `nocache` stays as it is however long it waits.
    #[inline(always)]
    pub fn push(&mut self, Load { id, addr }: Load, nocache: bool) {
        self.0.push(LoadOut { nocache, id, addr });
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        state.bits("ld_count", 2, self.0.len() as u32);
    }
}
