//! The command processor's firmware on its hosts: the worked examples of the specification, its errors, its counters.

mod core;
mod cost;
mod driver;
mod errors;
mod examples;
mod hosts;
