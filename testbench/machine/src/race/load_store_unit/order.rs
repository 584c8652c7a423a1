//! Reports to the oracle of sequential consistency.

use crate::check::sequential::{Seen, Version, WaveOf, WriteId};
use crate::context::message::{Kind, Message};
use crate::context::transactions::Value;
use crate::engine::pool::Handle;
use crate::l1::Port;

/// Whose request it is.
pub(super) fn wave_of(port: &Port, request: Handle<Message>) -> WaveOf {
    let slot = usize::from(port.transaction(request).wave);
    WaveOf { cu: port.ctx.messages[request].from, slot }
}

/// Reports to the oracle what a load or atomic has read.
#[inline]
pub(super) fn record(
    port: &mut Port,
    request: Handle<Message>,
    version: Version,
    own: &[(WriteId, u128)],
    data: &[u8],
) {
    if port.ctx.sequential.is_some() {
        record_in(port, request, version, own, data);
    }
}

#[cold]
fn record_in(
    port: &mut Port,
    request: Handle<Message>,
    version: Version,
    own: &[(WriteId, u128)],
    data: &[u8],
) {
    let t = *port.transaction(request);
    if t.value == Value::Dropped {
        return;
    }
    let Message { tag, kind, from, to, .. } = port.ctx.messages[request];
    let cu = if kind == Kind::Read { from } else { to };
    let wave = WaveOf { cu, slot: usize::from(t.wave) };
    let seen = Seen { version, own };
    if let Some(order) = &mut port.ctx.sequential {
        order.read(wave, tag, (t.addr, t.mask), seen, data);
    }
}
