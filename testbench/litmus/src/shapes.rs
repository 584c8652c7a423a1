//! The known shapes, embedded.

use crate::parse::parse;
use crate::test::Test;

macro_rules! shapes {
    ($($name:literal)*) => {
        /// Name and text of each shape.
        pub const SHAPES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../shapes/", $name, ".litmus"))),)*];
    };
}

shapes! {
    "2+2W"
    "2+2W+cta+fences"
    "2+2W+fences"
    "Add"
    "Add+st"
    "CoRR"
    "CoRR+cta"
    "CoRR2"
    "CoRW"
    "CoRW+cta"
    "CoWR"
    "CoWR+cta"
    "CoWW"
    "Exch"
    "IRIW"
    "IRIW+cta+fences"
    "IRIW+fences"
    "ISA2"
    "ISA2+cta+fences"
    "ISA2+fences"
    "LB"
    "LB+cta+fences"
    "LB+fences"
    "MP"
    "MP+cta+bar"
    "MP+cta+fences"
    "MP+exch"
    "MP+fence+po"
    "MP+fences"
    "MP+narrow"
    "MP+po+fence"
    "MP+rel+acq"
    "R"
    "R+cta+fences"
    "R+fences"
    "RWC"
    "RWC+cta+fences"
    "RWC+fences"
    "S"
    "S+cta+fences"
    "S+fences"
    "SB"
    "SB+cta+fences"
    "SB+exch"
    "SB+fences"
    "WRC"
    "WRC+cta+fences"
    "WRC+fences"
}

/// All shapes.
pub fn all() -> Vec<Test> {
    let read = |(name, text): &(&str, &str)| {
        let test = parse(&format!("{name}.litmus"), text);
        test.unwrap_or_else(|problem| panic!("{problem}"))
    };
    SHAPES.iter().map(read).collect()
}
