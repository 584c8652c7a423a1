//! TLPs that no FinePack sender makes: they reach the receiver's error codes inside the chain. Each
//! is broken before its first store, so the memories must not change.

use cosim::stimulus::Random;
use ports::common::finepack_types::{
    BeatData, FinePack, SubHeader, Tlp, TlpHeader, requester_id, tlp_fmt, tlp_type,
};

/// One broken TLP of GPU `source` for `dest`, as beats.
pub fn tlp(r: &mut Random, p: &FinePack, source: u8, dest: u8) -> Vec<Tlp> {
    let mut payload = vec![0; (p.sub_header_bytes + 4) as usize];
    let mut header = TlpHeader::new()
        .with_fmt(tlp_fmt::WITH_DATA)
        .with_tlp_type(tlp_type::FINEPACK)
        .with_td(p.ecrc == 1)
        .with_requester(requester_id(source))
        .with_address(1 << p.offset_width);
    let mut sub = SubHeader::new().with_len(4);
    match r.below(5) {
        0 => header = header.with_tlp_type(0b11111),
        1 => header = header.with_ep(true),
        2 => sub = sub.with_len(0),
        // Base plus offset leaves 64 bits.
        3 => {
            header = header.with_address(u64::MAX);
            sub = sub.with_offset(8);
        }
        // Longer than the packet.
        _ => sub = sub.with_len(8),
    }
    payload[..p.sub_header_bytes as usize]
        .copy_from_slice(&sub.into_bits().to_le_bytes()[..p.sub_header_bytes as usize]);
    let plen = payload.len() as u32;
    header = header
        .with_length_dw(plen.div_ceil(4))
        .with_last_be([0b1111, 0b0001, 0b0011, 0b0111][plen as usize % 4]);
    let chunks: Vec<_> = payload.chunks(p.beat as usize).collect();
    let beat = |(i, bytes): (usize, &&[u8])| {
        let mut data = BeatData::default();
        data.0[..bytes.len()].copy_from_slice(bytes);
        let (sop, eop) = (i == 0, i + 1 == chunks.len());
        let hdr = if sop { header.into_bits() } else { 0 };
        Tlp { sop, eop, dest, hdr, nbytes: bytes.len() as u8, data }
    };
    chunks.iter().enumerate().map(beat).collect()
}
