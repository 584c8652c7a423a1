//! The order queues: per partition, what leaves it and in which order (README rule 12).

use ports::finepack::types::{MAX_PARTS, drain_kind};

use super::rule::Rule;

/// Deepest order queue.
const MAX_DEPTH: usize = 16;

/// One thing to send. A token of kind PACK (DRAIN in the specification) has no other fields: what
/// it sends stays with the bank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token {
    /// See [`drain_kind`].
    pub kind: u8,
    pub id: u8,
    pub aop: u8,
    pub line: u64,
    pub mask: u128,
    pub operands: [u8; 16],
}

#[derive(Clone, Debug, Default)]
struct Ring {
    tokens: [Token; MAX_DEPTH],
    head: u8,
    count: u8,
}

/// The order queues of all partitions.
#[derive(Debug)]
pub(super) struct OrderQueues {
    rings: [Ring; MAX_PARTS],
    depth: u8,
    /// Bit p: partition p has a token.
    pub pending: u16,
    without: Option<Rule>,
}

impl OrderQueues {
    pub fn new(depth: u32, without: Option<Rule>) -> Self {
        Self { rings: Default::default(), depth: depth as u8, pending: 0, without }
    }

    /// True when `tokens` more fit into the queue of `part`.
    #[inline(always)]
    pub fn has_room(&self, part: usize, tokens: u8) -> bool {
        let tokens = if self.without == Some(Rule::BothPlaces) { 1 } else { tokens };
        self.rings[part].count + tokens <= self.depth
    }

    pub fn len(&self, part: usize) -> u8 {
        self.rings[part].count
    }

    #[inline(always)]
    fn next(&mut self, part: usize) -> &mut Token {
        self.pending |= 1 << part;
        let ring = &mut self.rings[part];
        debug_assert!(ring.count < self.depth, "push into a full order queue");
        let place = ring.head + ring.count;
        ring.count += 1;
        &mut ring.tokens[usize::from(place) % MAX_DEPTH]
    }

    /// Appends a DRAIN token.
    #[inline(always)]
    pub fn push_drain(&mut self, part: usize) {
        self.next(part).kind = drain_kind::PACK;
    }

    /// Appends a token of any other kind.
    #[inline(always)]
    pub fn push(&mut self, part: usize, token: Token) {
        if self.without == Some(Rule::BothPlaces) && !self.has_room(part, 1) {
            return;
        }
        *self.next(part) = token;
    }

    /// Takes the oldest token of `part`, which must have one.
    #[inline(always)]
    pub fn pop(&mut self, part: usize) -> &Token {
        let ring = &mut self.rings[part];
        debug_assert!(ring.count > 0, "pop from an empty order queue");
        let token = &ring.tokens[usize::from(ring.head) % MAX_DEPTH];
        if self.without == Some(Rule::QueueOrder) && ring.count > 1 {
            ring.count -= 1;
            return &ring.tokens[usize::from(ring.head + ring.count) % MAX_DEPTH];
        }
        ring.head = (ring.head + 1) % MAX_DEPTH as u8;
        ring.count -= 1;
        if ring.count == 0 {
            self.pending &= !(1 << part);
        }
        token
    }
}
