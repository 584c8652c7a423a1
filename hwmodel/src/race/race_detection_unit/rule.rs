//! Rules that tests disable, one at a time, to check that they find it.

use ports::race::types::req_kind;
use ports::race::types::rsp_kind::{NORACE, WACK};

use super::choices::{Answer, Choices, Order, SPECIFICATION};

/// A rule of the unit (specification 5.2, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Inserts go before the forced snapshot of their cycle; else it loses them.
    InsertFirst,
    /// The copy that is sent stands apart; else inserts during that time go into it.
    CopyApart,
    /// Checks are of the whole line; else of the granules of their `mask`.
    WholeLine,
    /// Every write is a synchronisation; else it is answered as a check without race.
    WriteSyncs,
    /// Every atomic is a synchronisation; else only an atomic that finds a race, and others are
    /// answered as a check without race.
    AtomicSyncs,
    /// The requests of an SM are served in their order; else the youngest is served.
    QueueOrder,
}

impl Choices {
    /// Those of a unit with the rule disabled.
    pub fn without(rule: Rule) -> Self {
        let mut choices = SPECIFICATION;
        let [write, atomic] = [req_kind::WRITE, req_kind::ATOM].map(usize::from);
        match rule {
            Rule::InsertFirst => choices.inserts_first = false,
            Rule::CopyApart => choices.copy_apart = false,
            Rule::WholeLine => choices.whole_line = false,
            Rule::WriteSyncs => choices.answers[write] = Answer { clean: NORACE, race: NORACE },
            Rule::AtomicSyncs => choices.answers[atomic] = Answer { clean: NORACE, race: WACK },
            Rule::QueueOrder => choices.order = Order::Youngest,
        }
        choices
    }
}
