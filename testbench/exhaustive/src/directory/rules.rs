//! Rules that can be taken away: what the directory says, or what stands around it must keep
//! (specification, section 6).

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// 5.2: a write invalidates the sharers of its line.
    WriteInvalidates,
    /// 5.2: an entry that goes invalidates the sharers of its lines.
    EvictInvalidates,
    /// 5.2: a remote atomic is a local write, which invalidates the requester too.
    AtomicIsLocal,
    /// 6, 2: fills and invalidations of a GPU share a FIFO.
    FillOrder,
    /// 6, 4: a store meets the fill that is under way.
    Merge,
    /// 6, 6: reads and write-throughs of a GPU share a FIFO.
    RequestOrder,
    /// 6, 7: the marker of a release stays behind invalidations.
    MarkerOrder,
}

/// By name, with the number of the configuration in which it is seen.
pub const RULES: &[(&str, Rule, usize)] = &[
    ("write-invalidates", Rule::WriteInvalidates, 0),
    ("evict-invalidates", Rule::EvictInvalidates, 1),
    ("atomic-is-local", Rule::AtomicIsLocal, 0),
    ("fill-order", Rule::FillOrder, 0),
    ("merge", Rule::Merge, 0),
    ("request-order", Rule::RequestOrder, 0),
    ("marker-order", Rule::MarkerOrder, 0),
];
