//! Rules of the sharing-aware blocks that a machine can be made without (`sharing_aware.without`),
//! to see what each is for (specification 8).

use hwmodel::sharing::{cta_scheduler, sharing_l1_policy, sharing_l2_policy};

use crate::config::ConfigError;

/// A rule of a block's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Scheduler(cta_scheduler::Rule),
    L1(sharing_l1_policy::Rule),
    L2(sharing_l2_policy::Rule),
}

/// All rules by name.
const RULES: [(&str, Rule); 8] = [
    ("free-slot", Rule::Scheduler(cta_scheduler::Rule::FreeSlot)),
    ("free-for-burst", Rule::Scheduler(cta_scheduler::Rule::FreeForBurst)),
    ("first-group", Rule::Scheduler(cta_scheduler::Rule::FirstGroup)),
    ("keep-private", Rule::L1(sharing_l1_policy::Rule::KeepPrivate)),
    ("touch-clears", Rule::L1(sharing_l1_policy::Rule::TouchClears)),
    ("mshr-owner", Rule::L2(sharing_l2_policy::Rule::MshrOwner)),
    ("local-bypass", Rule::L2(sharing_l2_policy::Rule::LocalBypass)),
    ("fill-first", Rule::L2(sharing_l2_policy::Rule::FillFirst)),
];

/// The field.
pub const FIELD: &str = "sharing_aware.without";

/// What may stand in it.
pub fn names() -> Vec<String> {
    RULES.iter().map(|(name, _)| name.to_string()).collect()
}

/// The rule of a name; none for "". Errors: there is none of the name.
pub fn named(name: &str) -> Result<Option<Rule>, ConfigError> {
    match name {
        "" => Ok(None),
        name => crate::config::choose(FIELD, name, &RULES).map(Some),
    }
}
