//! Releases and acquires of a bank.

use ports::timestamp::types::sync;

use super::Bank;
use crate::context::Context;
use crate::context::message::{Kind, Packed, Synced};

/// A release or acquire of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syncing {
    /// To be begun.
    Wanted(u8),
    /// It goes on, or what it has written is on its way.
    Begun(u8),
    /// The block is done with it.
    Walked(u8),
}

impl Bank {
    /// What release or acquire comes next.
    pub(super) fn next_sync(&mut self, ctx: &mut Context) -> Option<u8> {
        if self.syncing.is_none() {
            let command = ctx.receive(self.spec.ports.commands);
            if let Some(command) = command {
                let Kind::Sync(asked) = ctx.messages[command].kind else {
                    unreachable!("a command")
                };
                self.command = Some((command, self.counters.write_backs));
                let how = if asked.acquire { sync::ACQUIRE } else { sync::RELEASE };
                self.syncing = Some(Syncing::Wanted(how));
            } else if self.is_old && ctx.has(self.spec.ports.requests) {
                // The host writes without a wake-up.
                self.syncing = Some(Syncing::Wanted(sync::ACQUIRE));
            } else if !self.performed.is_empty() {
                self.syncing = Some(Syncing::Wanted(sync::RELEASE));
            }
        }
        let Some(Syncing::Wanted(how)) = self.syncing else { return None };
        if self.out.sync_ready {
            self.owed.append(&mut self.performed);
            self.syncing = Some(Syncing::Begun(how));
        }
        Some(how)
    }

    /// A release or acquire is over when memory has all that it has written.
    pub(super) fn finish_sync(&mut self, ctx: &mut Context) {
        let Some(Syncing::Walked(how)) = self.syncing else { return };
        if self.unacknowledged > 0 || !ctx.may_send(self.spec.ports.answers) {
            return;
        }
        if let Some(answer) = self.owed.pop() {
            ctx.send(self.spec.ports.answers, answer);
            ctx.wake_at(ctx.now + 1);
            return;
        }
        let dropped = how == sync::ACQUIRE;
        if let Some((command, before)) = self.command {
            if !ctx.may_send(self.spec.ports.done) {
                return;
            }
            let written = (self.counters.write_backs - before) as u32;
            self.counters.released += u64::from(written);
            let synced = Synced { written, dropped };
            let message = &mut ctx.messages[command];
            (message.kind, message.sideband) = (Kind::SyncDone, Packed::new(&synced, ()));
            ctx.send(self.spec.ports.done, command);
        }
        if dropped {
            ctx.written_past += 1;
            self.is_old = false;
        }
        (self.command, self.syncing) = (None, None);
    }
}
