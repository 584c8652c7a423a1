//! Rules that tests take away, to see that they find it.

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
    /// Every atomic is one; else only that which finds a race, and others are answered as a check
    /// without race.
    AtomicSyncs,
    /// The requests of an SM are served in their order; else its youngest is.
    QueueOrder,
}
