//! The blocks that have a model and RTL, and what a command can ask of each. A block registers
//! itself beside its stimulus, in this crate or in another that the program is linked with:
//! `inventory::submit! { blocks::entry::<Inputs>("what it is") }`.

use std::panic::Location;

use hwmodel::Model;
use ports::Description;

use crate::catalog::Pair;
use crate::renamed;
use crate::runner::{self, Options, Outcome, RunError};
use crate::settings::{Chosen, FamilyEntry, StaticInput};
use crate::stimulus::Stimulus;

/// One block.
pub struct BlockEntry {
    /// Name, as in `rtl/` and `hwmodel`.
    pub name: &'static str,
    /// Where it is registered.
    pub place: &'static Location<'static>,
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

inventory::collect!(BlockEntry);

/// A block: its stimulus, and what it is in one line.
#[track_caller]
pub const fn entry<S: Stimulus<Model: Pair>>(about: &'static str) -> BlockEntry {
    BlockEntry {
        name: <S::Model as Model>::NAME,
        place: Location::caller(),
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

/// Every block with a model and RTL, by name.
pub fn all() -> Vec<&'static BlockEntry> {
    let mut all: Vec<_> = inventory::iter::<BlockEntry>.into_iter().collect();
    all.sort_by_key(|block| block.name);
    all
}

/// Checks that no two blocks have one name. Errors: the name and both places.
pub fn check_names() -> Result<(), String> {
    ports::check_unique("block", all().into_iter().map(|block| (block.name, block.place)))
}

/// The block of this name, or that had it before.
pub fn find(name: &str) -> Option<&'static BlockEntry> {
    let name = renamed::block(name);
    all().into_iter().find(|block| block.name == name)
}
