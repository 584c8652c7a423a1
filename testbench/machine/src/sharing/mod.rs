//! Sharing-aware scheduling and caching (Tabbakh's thesis, chapter 2) at the machine's extension
//! points: the next work-group, the line that goes for another, and no line at all.

mod counted;
mod l1_policy;
mod l2_policy;
mod parameters;
mod rule;
mod scheduler;
mod systems;
mod users;

use crate::context::{Context, Stop};

/// The policies' name.
const NAME: &str = "sharing-aware";

/// What a block says must be right: `is_wrong` ends the run. `what` is said.
fn report_if(ctx: &mut Context, place: &str, is_wrong: bool, what: &str) {
    if is_wrong {
        let problem = format!("{place}: wrong output of the sharing-aware block: {what}");
        ctx.stop.get_or_insert(Stop::Block(format!("{problem}, cycle {}", ctx.now)));
    }
}

/// A block's error code ends the run: the component around it is wrong.
fn report(ctx: &mut Context, place: &str, code: Option<u8>) {
    if let Some(code) = code {
        let problem = format!("{place}: the sharing-aware block reports error code {code}");
        ctx.stop.get_or_insert(Stop::Block(format!("{problem}, cycle {}", ctx.now)));
    }
}
