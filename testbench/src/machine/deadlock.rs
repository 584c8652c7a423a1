//! Who waits for whom when nobody can go on.

use std::fmt::Write;

use super::context::Context;
use super::engine::ComponentId;

/// A line for each channel in which a message waits although it could be taken, and the way from one full
/// channel to the next, which closes where the deadlock is a cycle.
pub fn report(ctx: &Context) -> String {
    let mut text = String::new();
    let stuck: Vec<_> = ctx.channels.stuck(ctx.now).collect();
    if stuck.is_empty() {
        text.push_str("no message is under way: a component waits for one that was never sent\n");
    }
    for &(channel, message) in &stuck {
        let m = &ctx.messages[message];
        let spec = ctx.channels.spec(channel);
        let (held, room) = (ctx.channels.len(channel), spec.capacity);
        let _ = writeln!(
            text,
            "{}: {held} of {room} held; first {:?} of line {:#x} from {} to {}",
            spec.name,
            m.kind,
            m.addr,
            ctx.layout.name(m.from),
            ctx.layout.name(m.to)
        );
    }
    let Some(&(first, _)) = stuck.first() else { return text };
    let mut seen: Vec<ComponentId> = Vec::new();
    let mut at = ctx.channels.spec(first).consumer;
    let mut way = ctx.channels.spec(first).name.clone();
    while !seen.contains(&at) {
        seen.push(at);
        let Some(next) = ctx.channels.waited_for_by(at) else {
            let _ = writeln!(text, "{way} -> component {} waits for no channel", at.0);
            return text;
        };
        way = format!("{way} -> {}", ctx.channels.spec(next).name);
        at = ctx.channels.spec(next).consumer;
    }
    let _ = writeln!(text, "{way} -> and round again");
    text
}
