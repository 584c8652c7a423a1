//! A message of the command-processor blocks that is held in registers.

use ports::cpelide::types::Message;

use crate::state::State;

/// Its fields as registers, which mean something while it is `held`.
pub(crate) fn show_message(message: &Message, state: &mut State, held: bool) {
    let Message { b, a, tag, chiplet, kind } = *message;
    state.bits_while(held, "kind", 4, kind);
    state.bits_while(held, "chiplet", 4, chiplet);
    state.bits_while(held, "tag", 8, tag);
    state.bits_while(held, "a", 16, a);
    state.bits_while(held, "b", 32, b);
}
