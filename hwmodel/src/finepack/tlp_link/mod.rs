//! Link between GPUs: one serialiser for each GPU's egress port ([`TlpLink`]), and the merge of all
//! sources in front of each destination ([`Switch`]). Cycle model only, no RTL body (specification
//! 5.7; FinePack, HPCA'23, sections II-B and V).
//!
//! Where it pushes back: a destination that is not ready fills its queue of [`Switch`]; a full
//! queue holds the link's oldest arrived TLP; a link without room for TLPs in flight (the
//! receiver's credits) starts none; a full input buffer lowers `tlp_ready`.

mod counters;
mod fabric;
mod framing;
mod link;
mod switch;
#[cfg(test)]
mod tests;

pub use counters::Counters;
pub use fabric::Fabric;
pub use framing::{Framing, SCALE, Split, WireClass, coherence_bytes, completion_bytes};
pub use link::{Config, In, LINK_LAT, LINK_LAT_SMALL, Out, Sent, TlpLink};
pub use switch::Switch;
