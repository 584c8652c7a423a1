//! What a home has yet to put on the channels to the GPUs, and what must go before what.

use std::collections::VecDeque;

use cosim::stimulus::Random;
use ports::directory::coherence_directory::Inv;

use crate::directory::systems::messages::{Message, Request};
use crate::directory::systems::weakness::Weakness;

/// Most requests that are accepted after one whose fill data has not been sent (rule 2).
pub const MAX_AGE: u64 = 96;

/// A fill or a reply, from the acceptance of its request until it is sent.
struct Unsent {
    number: u64,
    request: Request,
    /// Once the data was accessed.
    message: Option<Message>,
}

pub struct Egress {
    weakness: Option<Weakness>,
    unsent: Vec<Unsent>,
    /// Requests that made a job which is not sent.
    jobs: VecDeque<u64>,
    /// The last of them whose job is.
    finished: Option<u64>,
}

impl Egress {
    pub fn new(weakness: Option<Weakness>) -> Self {
        Self { weakness, unsent: Vec::new(), jobs: VecDeque::new(), finished: None }
    }

    pub fn is_empty(&self) -> bool {
        self.unsent.is_empty()
    }

    /// A request was accepted that will have a fill or a reply.
    pub fn expect(&mut self, number: u64, request: Request) {
        self.unsent.push(Unsent { number, request, message: None });
    }

    /// Here it is.
    pub fn give(&mut self, number: u64, message: Message) {
        let unsent = self.unsent.iter_mut().find(|unsent| unsent.number == number);
        unsent.expect("it is expected").message = Some(message);
    }

    /// The response to a request tells that it made a job.
    pub fn made_job(&mut self, number: u64) {
        self.jobs.push_back(number);
    }

    /// The last line of a job is sent.
    pub fn sent_job(&mut self, number: u64) {
        self.finished = Some(number);
    }

    /// The directory shows no invalidation: no job, since a job shows not later than its request's
    /// response.
    pub fn sent_all_jobs(&mut self) {
        self.jobs.clear();
    }

    /// Whether a request may be accepted after this many: no fill is so old that 8 bits of its
    /// number cannot be compared with those of an invalidation.
    pub fn may_accept(&self, accepted: u64) -> bool {
        let fills = self.unsent.iter().filter(|unsent| unsent.request.what.is_read());
        let oldest = fills.map(|unsent| unsent.number).min();
        let young = oldest.is_none_or(|oldest| accepted - oldest < MAX_AGE);
        young || self.weakness == Some(Weakness::OldFills)
    }

    /// Whether all fills of the line that go to the same GPU for requests before this one are sent.
    /// Rule 2 in its weakest form: fills of other lines wait for nothing.
    pub fn may_send(&self, inv: &Inv, line: Option<usize>) -> bool {
        let waits = self.unsent.iter().any(|Unsent { number, request, .. }| {
            let before = (1..128).contains(&inv.seq.wrapping_sub(*number as u8));
            let here = request.what.line() == line && inv.dest >> request.gpu & 1 == 1;
            request.what.is_read() && before && here
        });
        !waits || self.weakness == Some(Weakness::EarlyInv)
    }

    /// Any fill or reply that may go.
    pub fn take(&mut self, r: &mut Random) -> Option<(u64, Request, Message)> {
        while self.jobs.front().is_some_and(|&job| Some(job) <= self.finished) {
            self.jobs.pop_front();
        }
        let count = self.unsent.len();
        let first = r.below(count.max(1) as u32) as usize;
        let mut all = (0..count).map(|k| (first + k) % count);
        let at = all.find(|&at| self.may_go(&self.unsent[at]))?;
        let Unsent { number, request, message } = self.unsent.swap_remove(at);
        Some((number, request, message?))
    }

    /// A fill waits for nothing, a reply for the jobs of its request and of all before it: the copy
    /// of its requester may have lost its sharer bit to any of them.
    fn may_go(&self, unsent: &Unsent) -> bool {
        let (number, fill) = (unsent.number, unsent.request.what.is_read());
        let last = match self.weakness {
            Some(Weakness::EarlyReply) => true,
            Some(Weakness::ReplyAfterOwnInvOnly) => !self.jobs.contains(&number),
            _ => self.jobs.front().is_none_or(|&job| job > number),
        };
        unsent.message.is_some() && (fill || last)
    }
}
