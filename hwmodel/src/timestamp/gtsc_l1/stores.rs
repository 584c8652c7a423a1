//! What is kept of a store or an atomic under way.

use crate::state::State;
use crate::timestamp::l1::stores;

/// The store table.
pub(super) type Stores = stores::Stores<Store>;

/// One of them.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Store {
    pub warp: u8,
    pub id: u8,
    pub line: u64,
    /// It has locked its line.
    pub lock: bool,
    /// A flush has passed.
    pub stale: bool,
}

/// The registers.
pub(super) fn show_state(stores: &Stores, state: &mut State, line_w: u32) {
    state.flags("valid", stores.all().map(|(valid, _)| valid));
    for (entry, (valid, store)) in stores.all().enumerate() {
        let Store { warp, id, line, lock, stale } = *store;
        state.bits_while(valid, &format!("warp[{entry}]"), 6, warp);
        state.bits_while(valid, &format!("id[{entry}]"), 8, id);
        state.bits_while(valid, &format!("line[{entry}]"), line_w, line);
        // The RTL holds it bit by bit.
        state.bits_while(valid, &format!("holds[{entry}]"), 1, u8::from(lock && !stale));
    }
}
