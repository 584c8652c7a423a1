//! Each paper's designs as the paper ran them: all fields of the system that it set, by one name.
//! `design=NAME` stands for them wherever a field can be set.

/// A design as its paper ran it, on the systems of the paper's family.
#[derive(Debug)]
pub struct Variant {
    /// Name.
    pub name: &'static str,
    /// What the design is.
    pub about: &'static str,
    /// Where its paper reports a gain, or what the paper compares it with.
    pub published: &'static str,
    /// Fields and their values.
    pub set: &'static [(&'static str, &'static str)],
}

impl Variant {
    /// Name, what it is, where it was published to win, fields.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        published: &'static str,
        set: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { name, about, published, set }
    }
}

/// One L2 for all CUs keeps its lines between kernels.
pub const KEPT: [(&str, &str); 2] =
    [("l2.design", "cpelide"), ("command_processor.elide_cycles", "0")];

/// These fields, and more.
macro_rules! kept {
    ($($setting:expr),* $(,)?) => {
        &[
            $crate::config::systems::KEPT[0],
            $crate::config::systems::KEPT[1],
            $($setting),*
        ]
    };
}
pub(crate) use kept;
