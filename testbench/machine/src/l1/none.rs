//! No L1: every request goes below.

use super::{Design, IssuePolicy, L1, Port, src};
use crate::config::memory_model::{Fences, MemoryModel};
use crate::config::registry::registered;
use crate::context::message::Message;
use crate::engine::pool::Handle;

inventory::submit! { registered(DESIGN) }

pub const DESIGN: Design = Design {
    name: "none",
    about: "no L1: every access goes to the L2",
    promises: MemoryModel::Rc,
    fences: Fences::Gpu,
    asks_policy: false,
    core: |_| Ok(Box::new(NoL1)),
    ..src::DESIGN
};

/// Nothing is held, so nothing is ever old.
#[derive(Debug, Default)]
pub struct NoL1;

impl L1 for NoL1 {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        port.send(request)
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        port.finish_with(message);
    }

    fn acquire(&mut self, _port: &mut Port, _past: bool) -> bool {
        true
    }

    fn issue_policy(&self) -> IssuePolicy {
        IssuePolicy { concurrent_kernels: true, ..IssuePolicy::default() }
    }
}
