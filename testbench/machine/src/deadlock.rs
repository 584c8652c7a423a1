//! Who waits for whom when nobody can go on.

use std::fmt::Write;

use super::context::Context;
use super::engine::ComponentId;
use super::part::Part;

/// What designs say that they wait for, a line for each inlet in which a message waits although it
/// could be taken, and the way from one full outlet to the next, which closes where the deadlock is
/// a cycle.
pub fn report(ctx: &Context, parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        let (name, waits) = match part {
            Part::Core(core) => (ctx.layout.name(core.unit()), core.l1().waits_for()),
            Part::Unit(unit) => ("unit".to_string(), unit.waits_for()),
            _ => continue,
        };
        if let Some(waits) = waits {
            let _ = writeln!(text, "{name}: {waits}");
        }
    }
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
