//! The command processor's firmware on its hosts: the worked examples of the specification, its
//! errors, full queues, and what launches cost.

mod cost;
mod errors;
mod examples;
mod hosts;
mod queues;
