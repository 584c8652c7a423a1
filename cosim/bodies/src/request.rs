//! Which body is wanted.

use std::fmt;

use ports::Description;

/// What a body has beside the block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// All its signals can be traced.
    pub trace: bool,
    /// Names that are defined while the RTL is read: what the RTL has for tests alone.
    pub defines: Vec<String>,
}

impl Variant {
    /// With signals that can be traced.
    pub fn traced() -> Self {
        Self { trace: true, ..Self::default() }
    }

    /// With a name defined.
    pub fn defining(name: &str) -> Self {
        Self { defines: vec![name.to_string()], ..Self::default() }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.trace.then_some("trace");
        let mut names = trace.into_iter().chain(self.defines.iter().map(String::as_str));
        match names.next() {
            Some(first) => f.write_str(first)?,
            None => return f.write_str("plain"),
        }
        names.try_for_each(|name| write!(f, " {name}"))
    }
}

/// A block with its parameters, and a variant of it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The block.
    pub block: Description,
    /// The variant.
    pub variant: Variant,
}

impl Request {
    /// The body of a block with these parameters.
    pub fn new(block: Description, variant: Variant) -> Self {
        Self { block, variant }
    }

    /// The parameters, as `Name=value` in the RTL's order.
    pub fn parameters(&self) -> String {
        let one = |(name, value): &(&str, u64)| format!("{name}={value}");
        self.block.parameters.iter().map(one).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.block.name, self.parameters())?;
        if self.variant == Variant::default() { Ok(()) } else { write!(f, " ({})", self.variant) }
    }
}
