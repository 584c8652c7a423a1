//! The order queues: per partition, what leaves it and in which order (README rule 12).

use ports::finepack::types::{MAX_PARTS, drain_kind};

use super::choices::Choices;

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
}

impl OrderQueues {
    pub fn new(depth: u32) -> Self {
        Self { rings: Default::default(), depth: depth as u8, pending: 0 }
    }

    /// True when one or two `tokens` more fit into the queue of `part`.
    #[inline(always)]
    pub fn has_room(&self, part: usize, tokens: u8, choices: &Choices) -> bool {
        let entries = if tokens == 2 { choices.two_tokens } else { tokens };
        self.rings[part].count + entries <= self.depth
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

    /// Appends a token of any other kind. A full queue loses it; the caller has looked for room.
    #[inline(always)]
    pub fn push(&mut self, part: usize, token: Token) {
        if self.rings[part].count < self.depth {
            *self.next(part) = token;
        }
    }

    /// Takes the token of `part` that leaves next; `part` must have one.
    #[inline(always)]
    pub fn pop(&mut self, part: usize, choices: &Choices) -> &Token {
        let ring = &mut self.rings[part];
        debug_assert!(ring.count > 0, "pop from an empty order queue");
        ring.count -= 1;
        if ring.count == 0 {
            self.pending &= !(1 << part);
        }
        let mut place = ring.head;
        if choices.oldest_leaves {
            ring.head = (ring.head + 1) % MAX_DEPTH as u8;
        } else {
            place += ring.count;
        }
        &ring.tokens[usize::from(place) % MAX_DEPTH]
    }
}
