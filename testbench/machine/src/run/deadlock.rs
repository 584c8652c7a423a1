//! The wait-for chain when no component can continue.

use std::fmt::Write;

use crate::build::part::Part;
use crate::context::Context;
use crate::engine::ComponentId;

/// What designs say that they wait for, a line for each inlet in which a message waits although it
/// could be taken, and from one full outlet to the next who waits for whom, with the way back where
/// the deadlock is a cycle.
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
        text.push_str(
            "no message is in flight: a component waits for a message that was never \
                       sent\n",
        );
    }
    for &(inlet, message, outlet) in &stuck {
        let m = &ctx.messages[message];
        let (spec, held) = ctx.network.outlet(outlet);
        let _ = writeln!(
            text,
            "{}: first {:?} of line {:#x} from {} to {}, sent by {}, {held} of {} entries in use",
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
    let mut way = vec![ctx.network.inlet(first).name.clone()];
    loop {
        if let Some(known) = seen.iter().position(|&one| one == at) {
            return text + &draw(&way, known + 1);
        }
        seen.push(at);
        let Some((outlet, inlet)) = ctx.network.waited_for_by(at) else { break };
        let (spec, held) = ctx.network.outlet(outlet);
        way.push(format!("{}, {held} of {} entries in use", spec.name, spec.window));
        at = ctx.network.inlet(inlet).consumer;
    }
    text += &draw(&way, usize::MAX);
    let _ = writeln!(text, "     component {} waits for no outlet", at.0);
    text
}

/// Who waits for whom, one below the other: each waits for the next, the last for number `first`,
/// where there is that one.
fn draw(way: &[String], first: usize) -> String {
    let mut text = String::from("dependency chain: each waits for the next\n");
    for (number, name) in way.iter().enumerate() {
        let bar = match number {
            before if before < first => "  ",
            begin if begin == first => "+>",
            end if end + 1 == way.len() => "+-",
            _ => "| ",
        };
        let _ = writeln!(text, "  {bar} {name}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_drawn_with_its_way_back() {
        let way = ["a.in", "b.out", "c.out", "b.out"].map(String::from);
        assert_eq!(
            draw(&way, 1),
            "dependency chain: each waits for the next\n     a.in\n  +> b.out\n  |  c.out\n  +- \
             b.out\n"
        );
    }
}
