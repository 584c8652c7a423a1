//! Answers to the SMs: a header, then the chunks of the copy (specification 5.2).

use ports::race::types::{MAX_SMS, Rsp};

use super::signature::Signatures;
use super::{Counters, Rsps};
use crate::common::bits::ones;
use crate::common::counter::count;
use crate::state::State;

/// One register for each SM.
#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    /// Bit i: there is a beat for SM i; it is the last.
    valid: u16,
    last: u16,
    /// The beats; 0 if there is none.
    rsp: Rsps,
    /// Bit c: chunk c follows behind the beat.
    left: [u64; MAX_SMS],
}

impl Responses {
    #[inline(always)]
    pub fn valid(&self) -> u16 {
        self.valid
    }

    #[inline(always)]
    pub fn beats(&self) -> &Rsps {
        &self.rsp
    }

    /// SMs whose register is free for a header, if these beats are taken.
    #[inline(always)]
    pub fn free(&self, taken: u16) -> u16 {
        !self.valid | taken & self.last
    }

    /// SMs whose copy is being sent.
    pub fn streaming(&self) -> u16 {
        let chunks = (0..MAX_SMS).filter(|&sm| self.left[sm] != 0 || !self.rsp[sm].hdr);
        self.valid & chunks.map(|sm| 1 << sm).sum::<u16>()
    }

    /// These beats are taken. Before any `head` of the cycle.
    #[inline(always)]
    pub fn take(&mut self, taken: u16, signatures: &Signatures, counters: &mut Counters) {
        for sm in ones(taken.into()) {
            let (rsp, left) = (&mut self.rsp[sm], &mut self.left[sm]);
            let counter =
                if rsp.hdr { &mut counters.header_beats } else { &mut counters.chunk_beats };
            count(counter, true);
            if rsp.last {
                *rsp = Rsp::default();
                self.valid &= !(1 << sm);
                self.last &= !(1 << sm);
                continue;
            }
            let chunk = left.trailing_zeros();
            *left &= left.wrapping_sub(1);
            (rsp.hdr, rsp.last) = (false, *left == 0);
            (rsp.chunk, rsp.data) = (chunk as u8, signatures.outgoing(sm).chunk(chunk as usize));
            self.last |= u16::from(*left == 0) << sm;
        }
    }

    /// The header of an answer. With `sync` the copy was just made.
    #[inline(always)]
    pub fn head(&mut self, sm: usize, kind: u8, id: u8, sync: bool, signatures: &Signatures) {
        debug_assert!(self.valid >> sm & 1 == 0, "SM {sm} has an answer already");
        let left = if sync { signatures.outgoing(sm).chunks() } else { 0 };
        let (last, epoch) = (left == 0, signatures.epoch(sm));
        self.rsp[sm] = Rsp { hdr: true, last, kind, id, epoch, sync, ..Rsp::default() };
        self.left[sm] = left;
        self.valid |= 1 << sm;
        self.last |= u16::from(last) << sm;
    }

    /// The registers of SM `sm`.
    pub fn show_state(&self, state: &mut State, sm: usize) {
        let held = self.valid >> sm & 1 != 0;
        let Rsp { hdr, last, kind, id, sync, chunk, .. } = self.rsp[sm];
        state.flag("valid", held);
        state.bits_while(held, "hdr", 1, u8::from(hdr));
        state.bits_while(held, "last", 1, u8::from(last));
        state.bits_while(held, "kind", 3, kind);
        state.bits_while(held, "id", 8, id);
        state.bits_while(held, "sync", 1, u8::from(sync));
        state.bits_while(held, "chunk", 6, chunk);
        state.bits_while(held, "behind", 64, self.left[sm]);
    }
}
