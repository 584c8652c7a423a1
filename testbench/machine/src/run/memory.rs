//! What memory shows, and what a wrong byte ends a run with.

use super::{Machine, RunError};
use crate::Observer;
use crate::build::part::Part;
use crate::check::Wrong;
use crate::context::Context;

impl Machine {
    /// What kernels have written must be in memory, the last of them that of a launch.
    pub(super) fn look_at_memory(&mut self, launch: usize) -> Result<(), RunError> {
        let mut checker = std::mem::take(&mut self.ctx.check);
        let line = self.ctx.layout.line as usize;
        let (parts, ctx) = (&self.parts, &self.ctx);
        let home = |addr| ctx.layout.gpu_of(ctx.places.home(addr));
        let copies = |addr| match ctx.places.are_replicated() {
            true => ctx.places.others(home(addr), addr),
            false => 0,
        };
        // Private lines are written back when they go.
        let writes_back = self.system.sharing.l1 != "lru";
        let is_kept = |addr| writes_back && ctx.is_private(addr);
        checker.end_kernel(launch, ctx.now, line, is_kept, copies, |addr, gpu, to| {
            look(parts, ctx, (gpu.unwrap_or_else(|| home(addr)), addr), to);
        });
        self.ctx.check = checker;
        self.check()
    }

    /// An error where a wrong byte has been seen, or one that no order explains.
    #[inline(always)]
    pub(super) fn check(&self) -> Result<(), RunError> {
        let ctx = &self.ctx;
        if ctx.sequential.is_some() || ctx.timed.is_some() {
            self.check_order()?;
        }
        match &ctx.check.wrong {
            None => Ok(()),
            Some(wrong) => Err(self.wrong(wrong)),
        }
    }

    fn check_order(&self) -> Result<(), RunError> {
        let in_sequence = self.ctx.sequential.as_ref().and_then(|order| order.failure());
        let in_time = || self.ctx.timed.as_ref().and_then(|timed| timed.failure());
        match in_sequence.or_else(in_time) {
            None => Ok(()),
            Some(text) => Err(RunError::Inconsistent(text.to_string())),
        }
    }

    #[cold]
    fn wrong(&self, wrong: &Wrong) -> RunError {
        let who = match wrong.seen_by {
            Observer::Load(unit) => format!("a load of {}", self.ctx.layout.name(unit)),
            Observer::Atomic(unit) => format!("an atomic of {}", self.ctx.layout.name(unit)),
            Observer::Release(None) => "memory after the release".to_string(),
            Observer::Release(Some(gpu)) => format!("the copy of GPU {gpu} after the release"),
            Observer::Host => "the host".to_string(),
        };
        let (kernel, name) = &wrong.kernel;
        let possible: Vec<_> = wrong.possible.iter().map(|v| format!("{v:#04x}")).collect();
        let text = format!(
            "wrong value: byte {:#x} is {:#04x}, must be {} (cycle {}, kernel {kernel} {name}, \
             seen by {who})",
            wrong.addr,
            wrong.got,
            possible.join(" or "),
            wrong.cycle,
        );
        RunError::Wrong(text, Box::new(wrong.clone()))
    }
}

/// The L3 slice of a line on a chiplet, by its place among the parts.
pub(super) fn part_below(ctx: &Context, chiplet: u16, addr: u64) -> usize {
    ctx.layout.part_of(ctx.layout.slice(chiplet, ctx.layout.slice_of(addr)))
}

/// A GPU's copy of a line as an observer below the L2s sees it. The GPU is its home or has one.
pub(super) fn look(parts: &[Part], ctx: &Context, (gpu, addr): (u16, u64), to: &mut [u8]) {
    match &parts[part_below(ctx, ctx.places.on(gpu, addr), addr)] {
        Part::Slice(slice) => slice.look(&ctx.memory, addr, to),
        _ => unreachable!("a slice has its number"),
    }
}
