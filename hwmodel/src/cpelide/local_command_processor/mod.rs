//! The local command processor of a chiplet (CPElide, MICRO'24, section III-C; cycle rules in
//! `rtl/cpelide/local_command_processor/README.md`).
//!
//! A message accepted in cycle t acts in t + 1 at the earliest; what is done in d is answered in d
//! + 1.

mod dispatch;
mod tags;
#[cfg(test)]
mod tests;

use ports::cpelide::local_command_processor::*;
use ports::cpelide::types::{LOCAL_QUEUE, Message, error_code, kind};
use ports::{ConfigError, Parameters};

use crate::block::{Block, Model};
use crate::common::fifo::Fifo;
use crate::cpelide::message::show_message;
use crate::state::{State, width_of};
use dispatch::Dispatch;
use tags::Tags;

/// Model of `rtl/cpelide/local_command_processor`.
#[derive(Clone, Debug)]
pub struct LocalCommandProcessor {
    /// Messages in the order of their arrival; the oldest is the head.
    queue: Fifo<Message, LOCAL_QUEUE>,
    head: Head,
    tags: Tags,
    launched: Dispatch,
    /// The message that is sent.
    up: Option<Message>,
}

/// How far the head of the queue has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Head {
    /// Not begun.
    #[default]
    New,
    /// The L2 has taken the operation.
    Syncing,
    /// The operation is done; its ACK, with these lines written back, waits.
    Synced(u32),
    /// The L1s were notified.
    Invalidating,
}

/// What the head of the queue asks for, by the rules on what is refused.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Operations of the L2.
    Sync(u8),
    /// A SYNC_REQ without operations.
    Nothing,
    Describe,
    Count,
    Launch,
    Refuse,
}

/// What becomes of the head at the end of a cycle.
enum Fate {
    Stays(Head),
    Leaves,
    /// It leaves when this message can be sent; until then it is as in `Head`.
    Answered(Message, Head),
}

impl LocalCommandProcessor {
    #[inline]
    fn act(&self) -> Option<(Act, Message)> {
        let message = self.queue.front()?;
        let tags = &self.tags;
        let tag = tags.known(message.tag);
        let act = match message.kind {
            kind::SYNC_REQ if message.a & 3 == 0 => Act::Nothing,
            kind::SYNC_REQ => Act::Sync((message.a & 3) as u8),
            kind::WG_DESC..=kind::LAUNCH_EN if tags.running.has(tag) => Act::Refuse,
            kind::WG_DESC => Act::Describe,
            kind::WG_COUNT => Act::Count,
            kind::LAUNCH_EN if tags.described.has(tag) && tags.counted.has(tag) => Act::Launch,
            _ => Act::Refuse,
        };
        Some((act, message))
    }

    /// One cycle of the head.
    fn step(&mut self, inputs: &In) -> Option<Fate> {
        let (act, message) = self.act()?;
        let Message { tag, a, b, .. } = message;
        let known = self.tags.known(tag);
        let ack = |b| Message { kind: kind::ACK, chiplet: 0, tag, a: a & 3, b };
        Some(match (act, self.head) {
            (Act::Nothing, head) => Fate::Answered(ack(0), head),
            (Act::Sync(_), Head::Synced(lines)) => Fate::Answered(ack(lines), self.head),
            (Act::Sync(_), Head::Syncing) => match inputs.l2_sync_done {
                Some(lines) => Fate::Answered(ack(lines), Head::Synced(lines)),
                None => Fate::Stays(Head::Syncing),
            },
            (Act::Sync(_), head) => {
                Fate::Stays(if inputs.l2_sync_ready { Head::Syncing } else { head })
            }
            (Act::Describe, _) => {
                let kernel = self.tags.kernel(known);
                (kernel.slot, kernel.first) = (a as u8, b);
                self.tags.described.set(known);
                Fate::Leaves
            }
            (Act::Count, _) => {
                self.tags.kernel(known).number = b;
                self.tags.counted.set(known);
                Fate::Leaves
            }
            (Act::Launch, _) if inputs.l1_inv_done => {
                if self.tags.launch(known) {
                    self.launched.push(known);
                }
                Fate::Leaves
            }
            (Act::Launch, _) => Fate::Stays(Head::Invalidating),
            (Act::Refuse, head) => {
                let a = error_code::PROTOCOL.into();
                let nack = Message { kind: kind::NACK, chiplet: 0, tag, a, b: 0 };
                Fate::Answered(nack, head)
            }
        })
    }
}

impl Block for LocalCommandProcessor {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        let mut out = Out {
            rx_ready: !self.queue.is_full(),
            tx: self.up,
            wg: self.launched.offer(&self.tags),
            ..Out::default()
        };
        if self.head == Head::New {
            match self.act() {
                Some((Act::Sync(op), _)) => out.l2_sync = Some(op),
                Some((Act::Launch, _)) => out.l1_inv = true,
                _ => {}
            }
        }
        out
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let up_free = self.up.is_none() || inputs.tx_ready;
        // Who is running is what the registers say, for the head and for work groups that are done.
        let wg_done = inputs.wg_done.map(|tag| self.tags.known(tag));
        let wg_done = wg_done.filter(|&tag| self.tags.running.has(tag));
        if let (Some(wg), true) = (out.wg, inputs.wg_ready) {
            self.launched.take(wg.tag, &self.tags);
        }
        let fate = self.step(inputs);
        if let Some(tag) = wg_done {
            self.tags.work_group_done(tag);
        }
        if up_free {
            self.up = None;
        }
        let leaves = match fate {
            Some(Fate::Answered(message, _)) if up_free => {
                self.up = Some(message);
                true
            }
            Some(Fate::Leaves) => true,
            Some(Fate::Answered(_, head) | Fate::Stays(head)) => {
                self.head = head;
                false
            }
            None => false,
        };
        if leaves {
            self.queue.pop();
            self.head = Head::New;
        }
        if self.up.is_none()
            && let Some(tag) = self.tags.finished.lowest()
        {
            self.tags.finished.clear(tag);
            self.up = Some(Message { kind: kind::DONE, tag, ..Message::default() });
        }
        if let (Some(message), true) = (inputs.rx, out.rx_ready) {
            self.queue.push(message);
        }
        out
    }

    fn is_idle(&self) -> bool {
        let waits = matches!(self.head, Head::Syncing | Head::Invalidating);
        (self.queue.is_empty() || waits) && self.launched.is_empty() && self.up.is_none()
    }

    fn show_state(&self, state: &mut State) {
        let Self { queue, head, tags, launched, up } = self;
        state.part("queue", |state| {
            state.bits("count", width_of(LOCAL_QUEUE as u64), queue.len() as u32);
        });
        let synced = match head {
            Head::Synced(lines) => Some(*lines),
            _ => None,
        };
        // A request without operations waits in the RTL's register too, and here it has none.
        let nothing = matches!(self.act(), Some((Act::Nothing, _)));
        state.flag("taken", *head == Head::Syncing || synced.is_some());
        state.bits_while(!nothing, "done", 1, u8::from(synced.is_some()));
        state.bits_while(synced.is_some(), "wb", 32, synced.unwrap_or(0));
        state.flag("pulsed", *head == Head::Invalidating);
        let message = queue.front().unwrap_or_default();
        state.part("head", |state| show_message(&message, state, !queue.is_empty()));
        state.flag("up_valid", up.is_some());
        state.part("up", |state| show_message(&up.unwrap_or_default(), state, up.is_some()));
        state.part("dispatch", |state| launched.show_state(state, tags));
        state.part("tags", |state| tags.show_state(state));
    }
}

impl Model for LocalCommandProcessor {
    const NAME: &'static str = "local_command_processor";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            queue: Fifo::default(),
            head: Head::default(),
            tags: Tags::new(config),
            launched: Dispatch::default(),
            up: None,
        })
    }
}
