//! Messages between a GPU's command processors and its chiplets: their answers, and the commands.

use ports::cpelide::local_command_processor as local;
use ports::cpelide::types::SLOTS;

use super::Global;
use crate::context::Context;
use crate::context::message::{Kind, Message, Packed, Sync, Synced, ToStart};

/// What a chiplet has said and its block has not heard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// The command to its L2, and lines that it wrote back.
    asked: Sync,
    synchronised: Option<u32>,
    pub(super) dropped: bool,
    /// Work-groups of each launch.
    pub(super) ended: [u32; SLOTS],
    /// The L1s are to be dropped, and no message could be sent.
    pub(super) drop_due: bool,
    /// Work-groups of its share of each launch that follow the one dispatched last.
    more: [u32; SLOTS],
}

impl Global {
    pub(super) fn hear(&mut self, ctx: &mut Context) {
        for (inlet, heard) in self.ports.from_chiplets.iter().zip(&mut self.heard) {
            while let Some(message) = ctx.peek(*inlet) {
                ctx.take(*inlet);
                let Message { kind, sideband, tag, .. } = ctx.messages[message];
                match kind {
                    Kind::SyncDone => {
                        let Synced { written, dropped } = sideband.get(());
                        heard.synchronised = Some(written);
                        let Sync { release, acquire } = heard.asked;
                        self.counters.idle_releases += u64::from(release && written == 0);
                        self.counters.idle_acquires += u64::from(acquire && !dropped);
                    }
                    Kind::AcquireL1 => heard.dropped = true,
                    Kind::GroupDone => heard.ended[tag as usize] += 1,
                    kind => unreachable!("{kind:?} is no answer of a chiplet"),
                }
                ctx.messages.free(message);
            }
        }
    }

    /// What the chiplets' command processors want of their chiplets.
    pub(super) fn obey(&mut self, ctx: &mut Context) {
        for (i, heard) in self.heard.iter_mut().enumerate() {
            let (out, own) = (&self.shown.locals[i], &mut self.inputs.chiplets[i]);
            let outlet = self.ports.to_chiplets[i];
            *own = local::In {
                l2_sync_done: heard.synchronised.take(),
                l1_inv_done: std::mem::take(&mut heard.dropped),
                ..local::In::default()
            };
            let ended = heard.ended.iter().position(|&ended| ended > 0);
            if let Some((launch, flight)) = ended.and_then(|at| Some((at, self.flights[at]?))) {
                heard.ended[launch] -= 1;
                self.groups = self.groups.saturating_sub(1);
                self.auditor.see_running(ctx.now, flight.tag);
                own.wg_done = Some(flight.tag);
            }
            let mut send = |message: Message| {
                let may = ctx.may_send(outlet);
                if may {
                    let message = ctx.messages.put(message);
                    ctx.send(outlet, message);
                }
                may
            };
            let of = |kind: Kind| Message { kind, ..Message::default() };
            heard.drop_due |= out.l1_inv;
            if heard.drop_due {
                heard.drop_due = !send(of(Kind::AcquireL1));
            }
            if let Some(op) = out.l2_sync {
                let sync = Sync { release: op & 1 == 1, acquire: op & 2 == 2 };
                heard.asked = sync;
                own.l2_sync_ready = send(of(Kind::Sync(sync)));
            }
            if let Some(group) = &out.wg {
                let kernel = self.auditor.kernel(group.tag).expect("it is launched");
                let launch = usize::from(kernel.launch);
                self.flights[launch].as_mut().expect("it is not complete").tag = group.tag;
                let end = self.auditor.end_of_share(group.tag, i as u8);
                let more = end - group.group - 1;
                let to_start = ToStart { group: kernel.first_group + group.group, more };
                let sideband = Packed::new(&to_start, ());
                let tag = kernel.launch.into();
                own.wg_ready = send(Message { sideband, tag, ..of(Kind::StartGroup) });
                if own.wg_ready {
                    // The first one of a share stands for all of them.
                    self.begun += u32::from(heard.more[launch] == 0);
                    self.groups += (1 + more).saturating_sub(heard.more[launch]);
                    heard.more[launch] = more;
                    self.auditor.see_running(ctx.now, group.tag);
                }
            }
        }
    }
}
