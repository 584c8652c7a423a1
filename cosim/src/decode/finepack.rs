//! Messages of the FinePack blocks, TLP headers and sub-packets.

use ports::finepack::types::{
    SubHeader, TlpHeader, aop, drain_kind, ingress_kind, op, tlp_fmt, tlp_type,
};

use super::{Fields, name, ranges};

const OPS: &[(u8, &str)] = codes!(op: STORE, LOAD, ATOMIC, RELEASE_SYS, RELEASE_GPU);
const ATOMICS: [(u8, &str); 8] = [
    (aop::ADD, "add"),
    (aop::SWAP, "swap"),
    (aop::CAS, "compare and swap"),
    (aop::MIN, "min"),
    (aop::MAX, "max"),
    (aop::AND, "and"),
    (aop::OR, "or"),
    (aop::XOR, "xor"),
];
const DRAINS: &[(u8, &str)] = codes!(drain_kind: PACK, READ, ATOMIC, MARK);
const ACCESSES: &[(u8, &str)] = codes!(ingress_kind: WRITE, READ, ATOMIC, MARK);

fn atomic(fields: &Fields, is_atomic: bool) -> String {
    if is_atomic { format!(" {}", name(&ATOMICS, fields.get("aop"))) } else { String::new() }
}

pub fn request(f: &Fields) -> String {
    let op = f.get("op");
    let what = name(OPS, op) + &atomic(f, op == u64::from(op::ATOMIC));
    if op > u64::from(op::ATOMIC) {
        return format!("{what}, id {}", f.get("id"));
    }
    let (dest, id, addr) = (f.get("dest"), f.get("id"), f.get("addr"));
    format!("{what} to GPU {dest}, id {id}, {addr:#x}, bytes {}", ranges(f.wide("mask")))
}

/// ` first`, ` last`, of the beats of a packet.
fn edges(f: &Fields) -> String {
    let edge = |field, text: &str| if f.get(field) == 1 { text.to_string() } else { String::new() };
    edge("sop", " first") + &edge("eop", " last")
}

pub fn drain(f: &Fields) -> String {
    let (kind, dest, id) = (f.get("kind"), f.get("dest"), f.get("id"));
    let what = name(DRAINS, kind) + &atomic(f, kind == u64::from(drain_kind::ATOMIC));
    let of = format!("{what}{} for GPU {dest}, id {id}", edges(f));
    if kind == u64::from(drain_kind::MARK) {
        return of;
    }
    let place = format!("{of}, line {:#x}, bytes {}", f.get("line"), ranges(f.wide("mask")));
    if kind != u64::from(drain_kind::PACK) {
        return place;
    }
    format!("{place}, window {:#x}, {} B of payload in all", f.get("base"), f.get("plen"))
}

pub fn ingress(f: &Fields) -> String {
    let kind = f.get("kind");
    let what = name(ACCESSES, kind) + &atomic(f, kind == u64::from(ingress_kind::ATOMIC));
    let (src, tag) = (f.get("src"), f.get("tag"));
    let from = format!("{what} from requester {src:#06x}, tag {tag}");
    if kind == u64::from(ingress_kind::MARK) {
        return from;
    }
    format!("{from}, {:#x}, bytes {}", f.get("addr"), ranges(f.wide("mask")))
}

/// Memory requests with these type codes.
const TYPES: [(u8, &str); 5] = [
    (tlp_type::MEM, "memory"),
    (tlp_type::FETCH_ADD, "FetchAdd"),
    (tlp_type::SWAP, "Swap"),
    (tlp_type::CAS, "CAS"),
    (tlp_type::FINEPACK, "FinePack"),
];

/// A TLP header in words (PCIe base specification 4.0, section 2.2.1).
pub fn header(bits: u128) -> String {
    let h = TlpHeader::from_bits(bits);
    let what = match (h.tlp_type(), h.fmt()) {
        (tlp_type::MEM, tlp_fmt::WITH_DATA) => "MWr".to_string(),
        (tlp_type::MEM, tlp_fmt::NO_DATA) if h.first_be() == 0 && h.length_dw() == 1 => {
            "MARK (MRd of no byte)".to_string()
        }
        (tlp_type::MEM, tlp_fmt::NO_DATA) => "MRd".to_string(),
        (of_type, fmt) => match fmt {
            tlp_fmt::WITH_DATA | tlp_fmt::NO_DATA => name(&TYPES, of_type.into()),
            _ => format!("Fmt {fmt:#05b} Type {of_type:#07b}"),
        },
    };
    let poisoned = if h.ep() { ", poisoned" } else { "" };
    format!(
        "{what}, {} DW, requester {:#06x}, tag {}, BE {:04b}/{:04b}, {:#x}{poisoned}",
        h.length_dw(),
        h.requester(),
        h.tag(),
        h.first_be(),
        h.last_be(),
        h.address()
    )
}

pub fn tlp(f: &Fields) -> String {
    let of = format!("{} B{} for GPU {}", f.get("nbytes"), edges(f), f.get("dest"));
    if f.get("sop") == 1 { format!("{of}: {}", header(f.wide("hdr"))) } else { of }
}

/// Follows the beats of a TLP stream, and finds the sub-headers in FinePack packets.
#[derive(Clone, Debug, Default)]
pub struct SubPackets {
    /// Bytes of a sub-header.
    size: usize,
    /// The packet is FinePack's; payload bytes of it to come.
    left: usize,
    /// Bytes of the current sub-packet's data to come.
    data: usize,
    /// Bytes of a sub-header that has begun.
    begun: Vec<u8>,
}

impl SubPackets {
    /// With sub-headers of `size` bytes.
    pub fn new(size: usize) -> Self {
        Self { size, ..Self::default() }
    }

    /// The sub-headers that end in this beat, in words; empty in other TLPs.
    pub fn beat(&mut self, f: &Fields) -> String {
        if f.get("sop") == 1 {
            let h = TlpHeader::from_bits(f.wide("hdr"));
            let is_packed = h.tlp_type() == tlp_type::FINEPACK;
            // The last DW's byte enables say how many bytes of it are payload.
            let last = 4 - h.last_be().count_ones() as usize;
            self.left = if is_packed { 4 * h.length_dw() as usize - last } else { 0 };
            (self.data, self.begun) = (0, Vec::new());
        }
        let mut found = Vec::new();
        for byte in f.bytes("data").into_iter().take(f.get("nbytes") as usize) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if self.data > 0 {
                self.data -= 1;
                continue;
            }
            self.begun.push(byte);
            if self.begun.len() == self.size {
                let mut bits = [0; 8];
                bits[..self.size].copy_from_slice(&self.begun);
                let header = SubHeader::from_bits(u64::from_le_bytes(bits));
                found.push(format!("{} B at +{:#x}", header.len(), header.offset()));
                self.data = header.len().into();
                self.begun.clear();
            }
        }
        found.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_show_type_length_and_address() {
        let h = TlpHeader::new()
            .with_requester(0x20)
            .with_tag(7)
            .with_first_be(0b1111)
            .with_last_be(0b0011)
            .with_address(0x4000)
            .with_length_dw(3)
            .with_fmt(tlp_fmt::WITH_DATA);
        let of = |h: TlpHeader| header(h.into_bits());
        let rest = "3 DW, requester 0x0020, tag 7, BE 1111/0011, 0x4000";
        assert_eq!(of(h.with_tlp_type(tlp_type::FINEPACK)), format!("FinePack, {rest}"));
        assert_eq!(of(h.with_tlp_type(tlp_type::CAS)), format!("CAS, {rest}"));
        assert_eq!(of(h), format!("MWr, {rest}"));
        assert_eq!(of(h.with_ep(true)), format!("MWr, {rest}, poisoned"));
        let read = h.with_fmt(tlp_fmt::NO_DATA);
        assert_eq!(of(read), format!("MRd, {rest}"));
        let mark = read.with_length_dw(1).with_first_be(0).with_last_be(0);
        assert!(of(mark).starts_with("MARK (MRd of no byte), 1 DW"));
        assert!(of(h.with_fmt(0b111)).starts_with("Fmt 0b111 Type 0b00000, 3 DW"));
    }
}
