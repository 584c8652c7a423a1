//! What the core is about, from cycle to cycle: instructions, and word accesses of those that leave
//! the memories.

use ports::cpelide::types::error_code;

use super::core::Step;
use super::mailbox::Wrote;
use super::transfer::{Target, Transfer};
use super::{CommandProcessor, NEVER};

/// Cycles from a grant to the one in which slots and mailbox act.
const ACTS: u64 = 3;

/// What the core is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Held in reset, asleep, or halted.
    Stopped,
    /// An instruction begins.
    Begins,
    /// A word access is granted.
    Grant(Transfer),
    /// A word access to slots or mailbox acts.
    Act(Transfer, Target),
}

impl State {
    /// Its number in waveforms.
    pub fn number(self) -> u8 {
        match self {
            Self::Stopped => 0,
            Self::Begins => 1,
            Self::Grant(_) => 2,
            Self::Act(..) => 3,
        }
    }
}

impl CommandProcessor {
    /// What the core does in this cycle.
    #[inline]
    pub(super) fn advance(&mut self, conf: u32) {
        match self.state {
            State::Begins => match self.core.step(&mut self.memory, self.cycle) {
                Step::Done { retires, cycles } => {
                    self.trace_at = self.cycle + u64::from(retires) + 1;
                    self.next = self.cycle + u64::from(cycles);
                }
                Step::Access(access) => self.grant(Transfer::new(access)),
                Step::Sleep => {
                    self.trace_at = self.cycle + 1;
                    self.stop();
                }
            },
            State::Grant(transfer) => self.grant(transfer),
            State::Act(transfer, target) => self.act(transfer, target, conf),
            State::Stopped => self.next = NEVER,
        }
    }

    fn stop(&mut self) {
        (self.state, self.next) = (State::Stopped, NEVER);
    }

    fn halt(&mut self, status: u32) {
        self.stop();
        self.exit = Some(status);
    }

    fn grant(&mut self, mut transfer: Transfer) {
        match transfer.target(&mut self.memory) {
            Target::Memory(cycles) => self.answered(transfer, self.cycle + u64::from(cycles)),
            Target::Halt => {
                self.mailbox.show_error(error_code::HALT);
                self.halt(error_code::HALT.into());
            }
            target => {
                self.state = State::Act(transfer, target);
                self.next = self.cycle + ACTS;
            }
        }
    }

    fn act(&mut self, mut transfer: Transfer, target: Target, conf: u32) {
        match (target, transfer.stored()) {
            (Target::Mailbox(offset), Some(value)) => match self.mailbox.write(offset, value) {
                Wrote::Done => {}
                Wrote::Waits => return self.next = NEVER,
                Wrote::Exit(status) => return self.halt(status),
            },
            (Target::Mailbox(offset), None) => match self.mailbox.read(offset, conf, self.cycle) {
                Some(value) => transfer.answer(value),
                None => return self.next = NEVER,
            },
            (Target::Slots(offset), _) => transfer.answer(self.mailbox.packets.word(offset)),
            (Target::Memory(_) | Target::Halt, _) => {}
        }
        self.answered(transfer, self.cycle + 1);
    }

    /// A word access is answered in this cycle: on to the next word, or the next instruction.
    fn answered(&mut self, transfer: Transfer, cycle: u64) {
        if let Some(second) = transfer.next() {
            (self.state, self.next) = (State::Grant(second), cycle);
            return;
        }
        self.core.finish(transfer.value());
        self.trace_at = cycle + 1;
        (self.state, self.next) = (State::Begins, cycle + 1);
    }

    /// An access that waits is tried again.
    pub(super) fn wake(&mut self) {
        if self.next == NEVER && matches!(self.state, State::Act(..)) {
            self.next = self.cycle;
        }
    }
}
