//! Designs for tests, one for each thing that an L1 design may install. All contain `src`; what
//! they add changes no value, and where it need not take time no cycle either. They show how a hook
//! is used.

pub mod agent;
pub mod bank;
pub mod fence;
pub mod hold;
pub mod queue;
pub mod speculate;
pub mod through;
pub mod unit;
