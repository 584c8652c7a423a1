//! The blocks that have two bodies, by name, and what a command can ask of each.

use hwmodel::Model;
use ports::Description;

use crate::catalog::Pair;
use crate::runner::{self, Options, Outcome, RunError};
use crate::settings::{Chosen, FamilyEntry, StaticInput};
use crate::stimulus::{self, NewStimulus, Stimulus};

/// One block.
pub struct BlockEntry {
    /// Name, as in `rtl/` and `hwmodel`.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Static inputs that can be fixed.
    pub statics: &'static [StaticInput],
    /// Its named configurations.
    pub family: FamilyEntry,
    /// Lockstep run with these parameters.
    pub run: fn(&Chosen, &Options) -> Result<Outcome, RunError>,
    /// Parameters and ports with these parameters of its family.
    pub describe: fn(&Chosen) -> Description,
}

macro_rules! entries {
    ($($block:ident: $about:literal;)*) => {
        /// Every block with two bodies.
        pub const BLOCKS: &[BlockEntry] = &[$(entry::<stimulus::$block::Inputs>($about)),*];
    };
}

ports::for_each_block!(entries);

const fn entry<S: NewStimulus<Model: Pair>>(about: &'static str) -> BlockEntry {
    BlockEntry {
        name: <S::Model as Model>::NAME,
        about,
        statics: S::STATICS,
        family: FamilyEntry::of::<FamilyOf<S>>(),
        run: |chosen, options| {
            let config = S::Model::config(&chosen.parameters::<FamilyOf<S>>());
            runner::run::<S>(&chosen.name, &config, options)
        },
        describe: |chosen| {
            S::Model::describe(&S::Model::config(&chosen.parameters::<FamilyOf<S>>()))
        },
    }
}

type FamilyOf<S> = <<S as Stimulus>::Model as Pair>::Family;

/// The block of this name.
pub fn find(name: &str) -> Option<&'static BlockEntry> {
    BLOCKS.iter().find(|b| b.name == name)
}
