//! What is injected in a cycle: a message's destinations, one after the other, or all at once.

use ports::cpelide::types::{Message, Tx};

use crate::cpelide::message::show_message;
use crate::state::State;

/// The destinations that a message has yet to be injected for: `rest_q`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Injection {
    /// Bit c = chiplet c, those that do not exist too. 0: nothing is held.
    pub rest: u16,
    /// All at once.
    pub broadcast: bool,
    pub message: Message,
}

impl Injection {
    /// A message that is accepted, and whether its broadcast bit is illegal. `all` has a 1 for each
    /// chiplet.
    pub fn of(tx: &Tx, all: u16) -> (Self, bool) {
        let broadcast = tx.bcast && tx.dst == all;
        (Self { rest: tx.dst, broadcast, message: tx.msg }, tx.bcast && !broadcast)
    }

    /// The registers.
    pub fn show_state(&self, state: &mut State) {
        let Self { rest, broadcast, message } = self;
        let holds = *rest != 0;
        state.bits("rest", 16, *rest);
        state.bits_while(holds, "bcast", 1, u8::from(*broadcast));
        state.part("msg", |state| show_message(message, state, holds));
    }

    /// The message for chiplet `c`.
    pub fn to(&self, c: usize) -> Message {
        Message { chiplet: c as u8, ..self.message }
    }
}
