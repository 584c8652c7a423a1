//! Egress paths of a GPU: what turns its accesses to other GPUs into TLPs (specification 7;
//! FinePack, HPCA'23, sections V and VI). All have the same ports, [`In`] and [`Out`], so that one
//! system can be run with each.
//!
//! | Path | Stores |
//! |---|---|
//! | [`P2p`] | one plain write for each run of bytes, at once |
//! | [`WriteCombine`] | merged by line first, evicted oldest first |
//! | [`Dma`] | local only; blocks are copied at the end of the kernel |
//! | [`Infinite`] | at the destination one cycle later, no link |
//! | [`ConfigPacket`] | one packet for each run, header fields configured beforehand |
//! | [`FinePackPath`] | remote write queue and packetizer |
//!
//! Common to all: a LOAD or ATOMIC travels behind the earlier stores that it could see; RELEASE_SYS
//! lets everything before it go, sends a MARK to each destination that was stored to since the last
//! release, and is done when all MARKs are completed. A second RELEASE_SYS waits for the first;
//! what lies between may proceed. Illegal requests are dropped with the error codes of
//! specification 12. A request accepted in cycle t is looked at in t+1 and its first beat is shown
//! in t+2 at the earliest ([`FinePackPath`]: t+6).

mod config_packet;
mod dma;
mod finepack;
mod front;
mod infinite;
mod output;
mod p2p;
mod release;
mod sender;
#[cfg(test)]
mod tests;
mod write_combine;

use ports::finepack::egress::{Config, In, Out};

pub use config_packet::{CFG_EXTRA, ConfigPacket};
pub use dma::{DMA_START, Descriptor, Dma};
pub use finepack::FinePackPath;
pub use infinite::Infinite;
pub use p2p::P2p;
pub use write_combine::WriteCombine;
