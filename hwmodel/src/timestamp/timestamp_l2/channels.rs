//! The four channels of a bank (specification 5.4).

use ports::timestamp::types::{BusReq, BusRsp, DramReq, DramRsp};

use crate::common::fifo::Fifo;
use crate::state::State;

/// Places of the FIFO of answers.
const ANSWERS: usize = 8;
/// Places of the FIFO of requests to memory.
const TO_MEMORY: usize = 4;

/// The FIFOs.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Channels {
    pub requests: Fifo<BusReq, 2>,
    pub filled: Fifo<DramRsp, 2>,
    to_memory: Fifo<DramReq, TO_MEMORY>,
    answers: Fifo<BusRsp, ANSWERS>,
    /// Bit i: an answer was written i + 1 cycles ago, which is not shown yet.
    young: u8,
    /// One was written in this cycle.
    wrote: bool,
}

impl Channels {
    /// Nothing is held.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
            && self.filled.is_empty()
            && self.to_memory.is_empty()
            && self.answers.is_empty()
    }

    /// The answer that is shown: one written in cycle c is from c + 3 on.
    #[inline(always)]
    pub fn answer(&self) -> Option<&BusRsp> {
        let young = self.young.count_ones() as usize;
        self.answers.peek().filter(|_| self.answers.len() > young)
    }

    /// The request to memory that is shown.
    #[inline(always)]
    pub fn to_memory(&self) -> Option<&DramReq> {
        self.to_memory.peek()
    }

    /// An answer may be written.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.answers.len() < ANSWERS
    }

    /// So many requests to memory may be.
    #[inline(always)]
    pub fn has_places(&self, places: usize) -> bool {
        self.to_memory.len() + places <= TO_MEMORY
    }

    #[inline(always)]
    pub fn send(&mut self, answer: BusRsp) {
        self.answers.push(answer);
        self.wrote = true;
    }

    #[inline(always)]
    pub fn ask_memory(&mut self, req: DramReq) {
        self.to_memory.push(req);
    }

    /// The end of a cycle in which these were taken, by what was shown.
    #[inline(always)]
    pub fn taken(&mut self, answer: bool, to_memory: bool) {
        if answer {
            self.answers.pop();
        }
        if to_memory {
            self.to_memory.pop();
        }
        self.young = self.young << 1 & 3 | u8::from(std::mem::take(&mut self.wrote));
    }

    /// Their registers.
    pub fn show_state(&self, state: &mut State) {
        let Self { requests, filled, to_memory, answers, .. } = self;
        state.bits("requests.fifo.count", 2, requests.len() as u8);
        state.bits("fills.fifo.count", 2, filled.len() as u8);
        state.bits("memory.count", 3, to_memory.len() as u8);
        state.part("answers", |state| {
            state.bits("young", 2, self.young);
            state.bits("held", 4, answers.len() as u8);
        });
    }
}
