//! Parameters and ports of the de-packetizer (`rtl/finepack/depacketizer/depacketizer.sv`).

use crate::finepack::types::{FinePack, Ingress, Tlp};
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
        /// `OutputDepth`: depth of the output buffer in lines, 2 to 64.
        pub output_depth = "OutputDepth",
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// Beats from the link.
        pub tlp: Option<Tlp> as (tlp_valid, tlp) = (c.beat,),
        /// The memory system takes the access.
        pub st_ready: bool = 1,
    }
}

ports! {
    /// Output ports, all registered.
    pub struct Out: Out (c: Config) {
        /// The TLP beat is taken.
        pub tlp_ready: bool = 1,
        /// Accesses to the destination's memory system.
        pub st: Option<Ingress> as (st_valid, st) = (c.line,),
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
    }
}
