//! What passed over one link, in exact bytes.

use ports::finepack::types::MAX_GPUS;

use super::framing::{SCALE, Split, WireClass};

/// Sums since reset. Replayed TLPs count in `replays`, `replay_wire` and `busy_cycles` only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// TLPs sent.
    pub tlps: u64,
    /// TLPs sent that are FinePack packets.
    pub packets: u64,
    /// TLPs sent that carry stores: FinePack packets and plain writes.
    pub store_tlps: u64,
    /// Of these, plain writes of fewer than [`SMALL`] bytes.
    pub small_writes: u64,
    /// Wire bytes of TLPs with stores and of configuration packets, in units of 1/[`SCALE`] byte:
    /// all that stores cost, without MARKs, loads and atomics.
    pub store_wire: u64,
    /// Wire bytes in units of 1/[`SCALE`] byte.
    pub wire: u64,
    /// The same by destination GPU.
    pub wire_to: [u64; MAX_GPUS],
    /// Outer headers, bytes.
    pub header_bytes: u64,
    /// Sub-headers, bytes.
    pub subheader_bytes: u64,
    /// Sub-headers, number: runs of bytes in FinePack packets.
    pub subheaders: u64,
    /// Stored bytes and atomic operands.
    pub data_bytes: u64,
    /// Padding to a DW, and bytes of a plain write that its byte enables disable.
    pub padding_bytes: u64,
    /// Copies that the receiver refused (`crc_error`) and the link sent again.
    pub replays: u64,
    /// Wire bytes of these copies, in units of 1/[`SCALE`] byte.
    pub replay_wire: u64,
    /// Cycles in which at least one byte was on the wire.
    pub busy_cycles: u64,
    /// Cycles in which a TLP could have started but for the receiver's credits.
    pub blocked_cycles: u64,
    /// Context mode: store packets whose base is not the one last configured. 0 unless the sender
    /// is wrong.
    pub context_errors: u64,
}

/// Bytes of a transfer below which FinePack calls it small (section I).
const SMALL: u32 = 32;

impl Counters {
    /// Adds one TLP to a GPU.
    pub(super) fn add(&mut self, split: &Split, dest: u8) {
        self.tlps += 1;
        self.packets += u64::from(split.class == WireClass::FinePack);
        let carries = matches!(split.class, WireClass::FinePack | WireClass::Write);
        self.store_tlps += u64::from(carries);
        self.small_writes += u64::from(split.class == WireClass::Write && split.data < SMALL);
        if carries || split.class == WireClass::Context {
            self.store_wire += split.wire;
        }
        self.wire += split.wire;
        self.wire_to[usize::from(dest)] += split.wire;
        self.header_bytes += u64::from(split.header);
        self.subheader_bytes += u64::from(split.subheader);
        self.subheaders += u64::from(split.subheaders);
        self.data_bytes += u64::from(split.data);
        self.padding_bytes += u64::from(split.padding);
    }

    /// All bytes on the wire, rounded up to a byte.
    pub fn wire_bytes(&self) -> u64 {
        self.wire.div_ceil(SCALE)
    }

    /// Wire bytes that stores cost, rounded up to a byte.
    pub fn store_wire_bytes(&self) -> u64 {
        self.store_wire.div_ceil(SCALE)
    }

    /// Framing, sequence numbers, ECRC, LCRC and flit overhead: what the other sums leave.
    pub fn framing_bytes(&self) -> u64 {
        let named = self.header_bytes + self.subheader_bytes + self.data_bytes + self.padding_bytes;
        self.wire_bytes() - named
    }

    /// `proto_bytes` of specification 9: everything but data.
    pub fn proto_bytes(&self) -> u64 {
        self.wire_bytes() - self.data_bytes
    }
}
