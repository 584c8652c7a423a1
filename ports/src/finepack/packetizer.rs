//! Parameters and ports of the packetizer (`rtl/finepack/packetizer/packetizer.sv`).

use crate::finepack::types::{Drain, FinePack, Tlp};
use crate::ports;

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: FinePack {
        /// `Line`: bytes of a line, 16 to 128, a power of 2.
        pub line = "Line",
        /// `SubHeaderBytes`: bytes of a sub-header, 2 to 6.
        pub sub_header_bytes = "SubHeaderBytes",
        /// `OffsetWidth`: bits of an offset, `8 * sub_header_bytes - 10`.
        pub offset_width = "OffsetWidth",
        /// `Beat`: bytes of a beat: 8, 16, 32, 64 or 128.
        pub beat = "Beat",
        /// `Ecrc`: 1 sets the header's TD bit.
        pub ecrc = "Ecrc",
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Beats from the remote write queue.
        pub drain: Option<Drain> as (drain_valid, drain) = (c.line,),
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
        pub drain_ready: bool = 1,
        /// Beats to the link.
        pub tlp: Option<Tlp> as (tlp_valid, tlp) = (c.beat,),
    }
}
