//! Rules that can be taken away: the directory's own, or what stands around it must keep
//! (specification, section 6).

use hwmodel::directory::coherence_directory;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Of the directory.
    Block(coherence_directory::Rule),
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
    ("reader-is-sharer", Rule::Block(coherence_directory::Rule::ReaderIsSharer), 0),
    ("reader-joins", Rule::Block(coherence_directory::Rule::ReaderJoins), 4),
    ("writer-is-sharer", Rule::Block(coherence_directory::Rule::WriterIsSharer), 0),
    ("local-write-invalidates", Rule::Block(coherence_directory::Rule::LocalWriteInvalidates), 0),
    ("remote-write-invalidates", Rule::Block(coherence_directory::Rule::RemoteWriteInvalidates), 4),
    ("victim-invalidates", Rule::Block(coherence_directory::Rule::VictimInvalidates), 1),
    ("evict-invalidates", Rule::Block(coherence_directory::Rule::EvictInvalidates), 3),
    ("every-line", Rule::Block(coherence_directory::Rule::EveryLine), 3),
    ("all-of-group", Rule::Block(coherence_directory::Rule::AllOfGroup), 2),
    ("fence-to-releaser", Rule::Block(coherence_directory::Rule::FenceToReleaser), 0),
    ("atomic-is-local", Rule::AtomicIsLocal, 0),
    ("fill-order", Rule::FillOrder, 0),
    ("merge", Rule::Merge, 0),
    ("request-order", Rule::RequestOrder, 0),
    ("marker-order", Rule::MarkerOrder, 0),
];
