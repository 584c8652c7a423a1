//! Who waits for whom when nobody can go on.

use std::fmt::Write;

use super::context::Context;
use super::engine::ComponentId;

/// A line for each inlet in which a message waits although it could be taken, and the way from one
/// full outlet to the next, which closes where the deadlock is a cycle.
pub fn report(ctx: &Context) -> String {
    let mut text = String::new();
    let stuck: Vec<_> = ctx.network.stuck(ctx.now).collect();
    if stuck.is_empty() {
        text.push_str("no message is under way: a component waits for one that was never sent\n");
    }
    for &(inlet, message, outlet) in &stuck {
        let m = &ctx.messages[message];
        let (spec, held) = ctx.network.outlet(outlet);
        let _ = writeln!(
            text,
            "{}: first {:?} of line {:#x} from {} to {}, sent by {}, of which {held} of {} are \
             held",
            ctx.network.inlet(inlet).name,
            m.kind,
            m.addr,
            ctx.layout.name(m.from),
            ctx.layout.name(m.to),
            spec.name,
            spec.window,
        );
    }
    let Some(&(first, ..)) = stuck.first() else { return text };
    let mut seen: Vec<ComponentId> = Vec::new();
    let mut at = ctx.network.inlet(first).consumer;
    let mut way = ctx.network.inlet(first).name.clone();
    while !seen.contains(&at) {
        seen.push(at);
        let Some((outlet, inlet)) = ctx.network.waited_for_by(at) else {
            let _ = writeln!(text, "{way} -> component {} waits for no outlet", at.0);
            return text;
        };
        way = format!("{way} -> {}", ctx.network.outlet(outlet).0.name);
        at = ctx.network.inlet(inlet).consumer;
    }
    let _ = writeln!(text, "{way} -> and round again");
    text
}
