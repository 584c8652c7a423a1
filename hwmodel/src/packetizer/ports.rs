//! Parameters and ports of the packetizer (`rtl/packetizer/packetizer.sv`).

use crate::common::finepack_types::{Drain, FinePack, Tlp};
use crate::ports;

/// Parameters, one for each RTL parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `Line`: bytes of a line, 16 to 128, a power of 2.
    pub line: u32,
    /// `Sh`: bytes of a sub-header, 2 to 6.
    pub sh: u32,
    /// `OffB`: bits of an offset, `8 * sh - 10`.
    pub offb: u32,
    /// `Beat`: bytes of a beat: 8, 16, 32, 64 or 128.
    pub beat: u32,
    /// `EcrcEn`: 1 sets the header's TD bit.
    pub ecrc_en: u32,
}

impl From<&FinePack> for Config {
    fn from(p: &FinePack) -> Self {
        let FinePack { line, sh, offb, beat, ecrc_en, .. } = *p;
        Self { line, sh, offb, beat, ecrc_en }
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Beats from the remote write queue.
        pub drn: Option<Drain> as (drn_valid, drn) = (c.line,),
        /// The link takes the TLP beat.
        pub tlp_ready: bool = 1,
        /// This GPU; static.
        pub self_id: u8 = 4,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The drain beat is taken.
        pub drn_ready: bool = 1,
        /// Beats to the link.
        pub tlp: Option<Tlp> as (tlp_valid, tlp) = (c.beat,),
    }
}
