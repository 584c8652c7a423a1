//! Codes in the fields of FinePack messages and headers (`rtl/finepack/finepack_pkg.sv`).

/// `Req::op`: what a request asks for. 3 bits; 5 to 7 are illegal (error code 3).
pub mod op {
    /// Store the enabled bytes.
    pub const STORE: u8 = 0;
    /// Load the enabled bytes.
    pub const LOAD: u8 = 1;
    /// Atomic read-modify-write of 4 or 8 bytes.
    pub const ATOMIC: u8 = 2;
    /// System-scope release: a fence, or the end of a kernel.
    pub const RELEASE_SYS: u8 = 3;
    /// GPU-scope release: no effect on the queue.
    pub const RELEASE_GPU: u8 = 4;
}

/// `Req::aop`: the atomic operation. 4 bits; 8 to 15 are illegal (error code 3).
pub mod aop {
    /// Fetch and add.
    pub const ADD: u8 = 0;
    /// Unconditional swap.
    pub const SWAP: u8 = 1;
    /// Compare and swap: the operands are the compare value, then the new value.
    pub const CAS: u8 = 2;
    /// Signed minimum.
    pub const MIN: u8 = 3;
    /// Signed maximum.
    pub const MAX: u8 = 4;
    /// Bitwise and.
    pub const AND: u8 = 5;
    /// Bitwise or.
    pub const OR: u8 = 6;
    /// Bitwise exclusive or.
    pub const XOR: u8 = 7;
}

/// `Drain::kind`: what a beat of the drain channel carries. 2 bits.
pub mod drain_kind {
    /// One entry of a FinePack packet.
    pub const PACK: u8 = 0;
    /// A load, as a plain memory read.
    pub const READ: u8 = 1;
    /// An atomic.
    pub const ATOMIC: u8 = 2;
    /// The zero-length read whose completion shows that all earlier stores have arrived.
    pub const MARK: u8 = 3;
}

/// `Ingress::kind`: what the de-packetizer hands to the memory system. 2 bits.
pub mod ingress_kind {
    /// Write the enabled bytes.
    pub const WRITE: u8 = 0;
    /// Read the enabled bytes.
    pub const READ: u8 = 1;
    /// Atomic read-modify-write; the operands stand in bytes 0 to 15.
    pub const ATOMIC: u8 = 2;
    /// Complete this mark.
    pub const MARK: u8 = 3;
}

/// Why a partition was flushed: `Evt::flush_cause`, 3 bits, in the order of specification 5.3.
pub mod flush_cause {
    /// No flush.
    pub const NONE: u8 = 0;
    /// The store lies outside the address window of the packet.
    pub const WINDOW: u8 = 1;
    /// The store does not fit into what is left of the payload.
    pub const FULL_PAYLOAD: u8 = 2;
    /// All entries are in use.
    pub const FULL_ENTRIES: u8 = 3;
    /// A load overlaps a queued store.
    pub const LOAD_HIT: u8 = 4;
    /// An atomic overlaps a queued store.
    pub const ATOMIC_HIT: u8 = 5;
    /// A system-scope release.
    pub const RELEASE: u8 = 6;
    /// No store for `timeout` cycles.
    pub const TIMEOUT: u8 = 7;
    /// Their names, by code.
    pub const NAMES: [&str; 8] =
        ["none", "window", "payload", "entries", "load", "atomic", "release", "timeout"];
}

/// Error codes on `err_code`, 4 bits (specification 12).
pub mod error_code {
    /// A store, load or atomic without enabled bytes, or an atomic of an illegal size or alignment.
    pub const ZERO_MASK: u8 = 1;
    /// The destination is this GPU or does not exist.
    pub const BAD_DEST: u8 = 2;
    /// The operation, or the atomic operation, does not exist.
    pub const BAD_OP: u8 = 3;
    /// Base plus offset exceeds 64 bits.
    pub const ADDR_OVERFLOW: u8 = 4;
    /// Unknown format or type of a TLP.
    pub const BAD_TYPE: u8 = 5;
    /// Length of a sub-packet is 0 or above a line, or the sub-packet crosses a line.
    pub const BAD_SUBHEADER: u8 = 6;
    /// The bytes of a TLP end before or after what its header says.
    pub const TRUNCATED: u8 = 7;
    /// The TLP is marked as poisoned.
    pub const POISONED: u8 = 8;
    /// A completion that no mark waits for.
    pub const SPURIOUS_COMPLETION: u8 = 9;
}

/// `acct`: what a hit subtracts from the available payload (specification 5.2).
pub mod acct {
    /// New bytes and new runs only.
    pub const EXACT: u8 = 0;
    /// The whole cost of the store, as the paper's text has it.
    pub const PAPER: u8 = 1;
}

/// `TlpHeader::tlp_type`.
pub mod tlp_type {
    /// Memory read or write.
    pub const MEM: u8 = 0b00000;
    /// Fetch-and-add, and with `aop` in the header every atomic that PCIe has no type for.
    pub const FETCH_ADD: u8 = 0b01100;
    /// Unconditional swap.
    pub const SWAP: u8 = 0b01101;
    /// Compare and swap.
    pub const CAS: u8 = 0b01110;
    /// FinePack packet, an unassigned encoding.
    pub const FINEPACK: u8 = 0b01111;
}

/// `TlpHeader::fmt`, 4 DW forms.
pub mod tlp_fmt {
    /// 4 DW header, no data.
    pub const NO_DATA: u8 = 0b001;
    /// 4 DW header, with data.
    pub const WITH_DATA: u8 = 0b011;
}
