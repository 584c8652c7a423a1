//! What is under way between a home and another GPU, and what their L2s hold.

/// A line of the home's memory.
pub type Line = u8;
/// A value of a line. Values that are no longer held are used again.
pub type Value = u8;

/// From a GPU to the home, in one FIFO (specification 6, 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Up {
    /// A read.
    Read(Line),
    /// A write-through.
    Write(Line, Value),
    /// An atomic, which the home executes.
    Atomic(Line),
    /// The marker of a release.
    Fence,
}

/// From the home to a GPU, in one FIFO (specification 6, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Down {
    /// What was read.
    Fill(Line, Value),
    /// A line to be dropped.
    Invalidate(Line),
    /// The marker of a release.
    Marker,
}

/// A line in the L2 of a GPU that is not its home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// Its value.
    pub value: Value,
    /// It was old when the release that is under way passed the home.
    pub condemned: bool,
}

/// What a GPU knows of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Held {
    /// Its L2 has it.
    pub copy: Option<Copy>,
    /// A read is under way.
    pub reads: bool,
    /// Stored since: it goes into the fill (specification 6, 4).
    pub merges: Option<Value>,
}

/// A GPU that is not the home, and its channels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gpu {
    /// By line.
    pub held: Vec<Held>,
    /// To the home.
    pub up: Vec<Up>,
    /// From the home. A fill is condemned as a copy is.
    pub down: Vec<(Down, bool)>,
}
