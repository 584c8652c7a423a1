//! Designs for tests, one for each thing that an L1 design may install. All contain `src`; what
//! they add changes no value, and where it need not take time no cycle either. They show how a hook
//! is used.

mod agent;
mod bank;
mod cross;
mod fence;
mod hold;
mod keep;
mod ordered;
mod queue;
mod speculate;
mod through;
mod tokens;
mod unit;
