//! TLPs for the de-packetizer: good ones of every kind, and every way to break one.

use hwmodel::Block;
use hwmodel::depacketizer::Depacketizer;
use ports::common::finepack_types::{
    BeatData, SubHeader, Tlp, TlpHeader, ingress_kind, requester_id, tlp_fmt, tlp_type,
};
use ports::depacketizer::{Config, In, Out};

use super::random::MaskForm;
use super::{Count, NewStimulus, Random, Statics, Stimulus};

crate::catalog::pair!(Depacketizer: ports::common::finepack_types::FinePack);

/// Largest payload of a packet.
const MOST_PAYLOAD: usize = 4096;

/// Bits of bytes 1, 2 and 15 of a header that the block does not look at, by the byte.
const RESERVED: [(usize, u8); 3] = [(1, 0b1100_1011), (2, 0b0011_1100), (15, 0b11)];
/// Bits of byte 1 that only an atomic has a use for.
const OPERATION: (usize, u8) = (1, 0b0011_0100);

/// What one phase draws. Chances are parts of 256.
#[derive(Clone, Debug)]
struct Phase {
    left: u32,
    valid: u32,
    ready: u32,
    fault: u32,
    /// Chance of a header whose reserved bits are not 0.
    reserved: u32,
    form: Option<MaskForm>,
    kinds: [u8; 3],
}

/// A way to break a TLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    AddressOverflow,
    UnknownType,
    WideRead,
    OddAtomic,
    LengthZero,
    LengthAboveLine,
    CrossesLine,
    ByteEnables,
    Poisoned,
    EndsEarly,
    EndsLate,
    ShortBeat,
    LongBeat,
    SopInside,
    NoSop,
    HeaderLength,
    TailBytes,
}

/// All of them, with their rows of the coverage.
const FAULTS: [(Fault, &str); 17] = [
    (Fault::AddressOverflow, "sent_address_overflow"),
    (Fault::UnknownType, "sent_unknown_type"),
    (Fault::WideRead, "sent_wide_read"),
    (Fault::OddAtomic, "sent_odd_atomic"),
    (Fault::LengthZero, "sent_length_zero"),
    (Fault::LengthAboveLine, "sent_length_above_line"),
    (Fault::CrossesLine, "sent_crosses_line"),
    (Fault::ByteEnables, "sent_byte_enables"),
    (Fault::Poisoned, "sent_poisoned"),
    (Fault::EndsEarly, "sent_ends_early"),
    (Fault::EndsLate, "sent_ends_late"),
    (Fault::ShortBeat, "sent_short_beat"),
    (Fault::LongBeat, "sent_long_beat"),
    (Fault::SopInside, "sent_sop_inside"),
    (Fault::NoSop, "sent_no_sop"),
    (Fault::HeaderLength, "sent_header_length"),
    (Fault::TailBytes, "sent_tail_bytes"),
];

/// A kind of TLP.
const PACK: u8 = 0;
const WRITE: u8 = 1;
const READ: u8 = 2;
const ATOMIC: u8 = 3;
const MARK: u8 = 4;

/// The stimulus.
#[derive(Clone, Debug)]
pub struct DepacketizerStimulus {
    config: Config,
    random: Random,
    phase: Phase,
    /// Payload of the TLP being cut into beats.
    payload: Vec<u8>,
    /// The beats of the TLP being sent, last one first.
    beats: Vec<Tlp>,
    held: Option<Tlp>,
    seen: Seen,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    beats: u64,
    stores: u64,
    beat_held: u64,
    store_held: u64,
    error: [u64; 16],
    kind: [u64; 4],
    fault: [u64; FAULTS.len()],
    /// Headers with a bit that is reserved, by the byte, and kinds of TLPs with one.
    reserved: [u64; RESERVED.len()],
    reserved_in: [u64; 4],
    largest_payload: u64,
}

impl DepacketizerStimulus {
    fn draw_phase(random: &mut Random) -> Phase {
        Phase {
            left: 64 + random.below(1024),
            valid: random.pick(&[256, 256, 160, 40]),
            ready: random.pick(&[256, 256, 200, 80, 8]),
            fault: random.pick(&[0, 8, 96, 256]),
            reserved: random.pick(&[0, 64, 256]),
            form: random.form(),
            kinds: random.pick(&[
                [PACK; 3],
                [PACK, PACK, MARK],
                [WRITE, READ, ATOMIC],
                [PACK, WRITE, READ],
            ]),
        }
    }

    fn draw_tlp(&mut self) {
        let kind = if self.random.chance(24) {
            self.random.below(5) as u8
        } else {
            self.random.pick(&self.phase.kinds)
        };
        let fault = self.random.chance(self.phase.fault).then(|| {
            let i = self.random.below(FAULTS.len() as u32) as usize;
            self.seen.fault[i] += 1;
            FAULTS[i].0
        });
        self.payload.clear();
        let mut header = TlpHeader::new()
            .with_td(self.random.chance(128))
            .with_tag(self.random.word() as u8)
            .with_requester(requester_id(self.random.below(16) as u8))
            .with_fmt(tlp_fmt::WITH_DATA);
        header = match kind {
            PACK => self.pack(header, fault),
            WRITE => self.write(header),
            READ => self.read(header, fault),
            ATOMIC => self.atomic(header, fault),
            // MARK: a zero-length read.
            _ => header.with_fmt(tlp_fmt::NO_DATA).with_length_dw(1),
        };
        match fault {
            Some(Fault::UnknownType) => {
                header.set_fmt(self.random.below(8) as u8);
                header.set_tlp_type(self.random.below(32) as u8);
            }
            Some(Fault::Poisoned) => header.set_ep(true),
            Some(Fault::ByteEnables) => {
                header.set_first_be(self.random.below(16) as u8);
                header.set_last_be(self.random.below(16) as u8);
            }
            Some(Fault::HeaderLength) => {
                header = header.with_length_dw(1 + self.random.below(1024))
            }
            _ => {}
        }
        if fault.is_none() {
            self.seen.largest_payload +=
                u64::from(kind == PACK && self.payload.len() == MOST_PAYLOAD);
            if self.random.chance(self.phase.reserved) {
                header = self.set_reserved(header, kind);
            }
        }
        self.cut(header, fault);
    }

    /// Sets bits that the sender leaves 0, and that change nothing.
    fn set_reserved(&mut self, header: TlpHeader, kind: u8) -> TlpHeader {
        let mut bytes = header.into_bits().to_le_bytes();
        for (i, (byte, bits)) in RESERVED.into_iter().enumerate() {
            let set = self.random.word() as u8 & bits;
            bytes[byte] |= set;
            self.seen.reserved[i] += u64::from(set != 0);
        }
        if kind != ATOMIC {
            bytes[OPERATION.0] |= self.random.word() as u8 & OPERATION.1;
        }
        self.seen.reserved_in[usize::from(kind.min(ATOMIC))] += 1;
        TlpHeader::from_bits(u128::from_le_bytes(bytes))
    }

    fn pack(&mut self, header: TlpHeader, fault: Option<Fault>) -> TlpHeader {
        let (c, r) = (&self.config, &mut self.random);
        let mut base = r.word() >> c.offset_width << c.offset_width;
        if fault == Some(Fault::AddressOverflow) {
            // The sender never makes such a base: the receiver adds the offset and checks the sum.
            base = (u64::MAX - u64::from(r.below(4 * c.line))) & !3;
        }
        // Short packets mostly, now and then one of the largest payload.
        let largest = r.chance(8);
        let short = 1 + r.below(6 * (c.line + c.sub_header_bytes)) as usize;
        let most = if largest { MOST_PAYLOAD } else { short };
        let broken = r.below(4);
        loop {
            let mut mask = r.mask(c.line, self.phase.form);
            let line =
                (r.word() & ((1 << c.offset_width) - 1)) / u64::from(c.line) * u64::from(c.line);
            while mask != 0 {
                let first = mask.trailing_zeros();
                let len = (mask >> first).trailing_ones();
                mask &= mask.wrapping_add(1 << first);
                let mut len = len;
                let bytes = (c.sub_header_bytes + len) as usize;
                let room = most.saturating_sub(self.payload.len());
                if !self.payload.is_empty() && bytes > room {
                    if !largest || room <= c.sub_header_bytes as usize {
                        return Self::finish_pack(header, base, self.payload.len() as u32);
                    }
                    // The last store takes what is left.
                    len = room as u32 - c.sub_header_bytes;
                }
                let mut sub =
                    SubHeader::new().with_len(len as u16).with_offset(line + u64::from(first));
                if r.below(4) == broken {
                    match fault {
                        Some(Fault::LengthZero) => sub.set_len(0),
                        Some(Fault::LengthAboveLine) => {
                            sub.set_len((c.line + 1 + r.below(1023 - c.line)) as u16);
                        }
                        Some(Fault::CrossesLine) => {
                            sub.set_offset(line + u64::from(c.line - 1));
                            sub.set_len(2.max(len as u16));
                        }
                        _ => {}
                    }
                }
                self.payload.extend(&sub.into_bits().to_le_bytes()[..c.sub_header_bytes as usize]);
                for _ in 0..len {
                    self.payload.push(r.word() as u8);
                }
            }
        }
    }

    fn finish_pack(header: TlpHeader, base: u64, plen: u32) -> TlpHeader {
        let last_be = [0b1111, 0b0001, 0b0011, 0b0111][plen as usize % 4];
        header
            .with_tlp_type(tlp_type::FINEPACK)
            .with_address(base)
            .with_length_dw(plen.div_ceil(4))
            .with_last_be(last_be)
    }

    fn write(&mut self, header: TlpHeader) -> TlpHeader {
        let r = &mut self.random;
        let dw = if r.chance(8) { 1 + r.below(1024) } else { 1 + r.below(self.config.line) };
        for _ in 0..4 * dw {
            self.payload.push(r.word() as u8);
        }
        let first_be = r.pick(&[0b1111, 0b1110, 0b1000, 0b0110, 0b1001, 0]);
        let last_be = if dw == 1 { 0 } else { r.pick(&[0b1111, 0b0111, 0b0001, 0b0011, 0b1010]) };
        header
            .with_tlp_type(tlp_type::MEM)
            .with_address(r.word())
            .with_length_dw(dw)
            .with_first_be(first_be)
            .with_last_be(last_be)
    }

    fn read(&mut self, header: TlpHeader, fault: Option<Fault>) -> TlpHeader {
        let (c, r) = (&self.config, &mut self.random);
        let line_dw = c.line / 4;
        let first = r.below(line_dw);
        let mut dw = 1 + r.below(line_dw - first);
        if fault == Some(Fault::WideRead) {
            dw = line_dw - first + 1 + r.below(8);
        }
        let first_be = r.pick(&[0b1111, 0b1100, 0b1000, 0b0001]);
        let last_be = if dw == 1 { 0 } else { r.pick(&[0b1111, 0b0111, 0b0001]) };
        let line = r.word() / u64::from(c.line) * u64::from(c.line);
        header
            .with_fmt(tlp_fmt::NO_DATA)
            .with_tlp_type(tlp_type::MEM)
            .with_address(line + u64::from(4 * first))
            .with_length_dw(dw)
            .with_first_be(first_be)
            .with_last_be(last_be)
    }

    fn atomic(&mut self, header: TlpHeader, fault: Option<Fault>) -> TlpHeader {
        let r = &mut self.random;
        let ty = r.pick(&[tlp_type::FETCH_ADD, tlp_type::FETCH_ADD, tlp_type::SWAP, tlp_type::CAS]);
        let operands = if ty == tlp_type::CAS { 2 } else { 1 };
        let size: u64 = r.pick(&[4, 8]);
        let mut addr = r.word() / size * size;
        let mut bytes = size * operands;
        if fault == Some(Fault::OddAtomic) {
            match r.below(3) {
                // Values of 8 bytes off their alignment.
                0 => (addr, bytes) = (addr | 4, 8 * operands),
                // A length that no atomic has.
                1 => bytes = r.pick(&[12, 20]),
                // A length that only the other types have: cas with one value, others with two.
                _ => bytes = if ty == tlp_type::CAS { 4 } else { 16 },
            }
        }
        for _ in 0..bytes {
            self.payload.push(r.word() as u8);
        }
        let header = header.with_tlp_type(ty).with_address(addr).with_length_dw(bytes as u32 / 4);
        if ty == tlp_type::FETCH_ADD {
            header.with_tc(r.below(4) as u8).with_attr2(r.chance(128))
        } else {
            header
        }
    }

    /// Cuts the payload into beats, breaking the rules of beats where the fault says so.
    fn cut(&mut self, header: TlpHeader, fault: Option<Fault>) {
        let (c, r) = (&self.config, &mut self.random);
        let beat = c.beat as usize;
        match fault {
            Some(Fault::EndsLate) => {
                (0..=r.below(2 * c.beat)).for_each(|i| self.payload.push(i as u8 | 1))
            }
            Some(Fault::EndsEarly) => {
                let kept = r.below(self.payload.len() as u32 + 1) as usize;
                self.payload.truncate(kept);
            }
            // One byte less or more than the sub-packets need: the rest is shorter than a
            // sub-header.
            Some(Fault::TailBytes) => {
                self.payload.pop();
            }
            _ => {}
        }
        let count = self.payload.len().div_ceil(beat).max(1);
        self.beats.clear();
        for i in 0..count {
            let bytes = &self.payload[i * beat..self.payload.len().min((i + 1) * beat)];
            let mut data = BeatData::default();
            data.0[..bytes.len()].copy_from_slice(bytes);
            let sop = i == 0;
            self.beats.push(Tlp {
                sop,
                eop: i + 1 == count,
                dest: 0,
                hdr: if sop { header.into_bits() } else { 0 },
                nbytes: bytes.len() as u8,
                data,
            });
        }
        let any = r.below(count as u32) as usize;
        match fault {
            Some(Fault::ShortBeat) => {
                let beat = &mut self.beats[any];
                beat.nbytes = beat.nbytes.saturating_sub(1 + r.below(3) as u8);
                beat.data.0[usize::from(beat.nbytes)..].fill(0);
            }
            Some(Fault::LongBeat) => self.beats[any].nbytes = c.beat as u8 + 1 + r.below(100) as u8,
            Some(Fault::SopInside) => {
                // The next TLP's sop comes while this one is open.
                self.beats[count - 1].eop = false;
            }
            Some(Fault::NoSop) => {
                self.beats[0].sop = false;
                self.beats[0].hdr = 0;
            }
            _ => {}
        }
        self.beats.reverse();
    }

    fn observe(&mut self, input: &In, out: &Out) {
        let seen = &mut self.seen;
        if input.tlp.is_some() {
            *(if out.tlp_ready { &mut seen.beats } else { &mut seen.beat_held }) += 1;
        }
        if let Some(st) = &out.st {
            if input.st_ready {
                seen.stores += 1;
                seen.kind[usize::from(st.kind)] += 1;
            } else {
                seen.store_held += 1;
            }
        }
        if let Some(code) = out.err {
            seen.error[usize::from(code)] += 1;
        }
    }
}

impl Stimulus for DepacketizerStimulus {
    type Model = Depacketizer;

    fn restart(&mut self, _cycles: u64) {
        self.held = None;
        self.beats.clear();
        self.phase = Self::draw_phase(&mut self.random);
    }

    fn inputs(&mut self, out: &<Depacketizer as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Self::draw_phase(&mut self.random);
        }
        self.phase.left -= 1;
        if self.held.is_none() && self.random.chance(self.phase.valid) {
            if self.beats.is_empty() {
                self.draw_tlp();
            }
            self.held = self.beats.pop();
        }
        let input = In { tlp: self.held, st_ready: self.random.chance(self.phase.ready) };
        if out.tlp_ready {
            self.held = None;
        }
        self.observe(&input, out);
        input
    }

    fn transfers(&self) -> Vec<Count> {
        vec![("tlp", self.seen.beats), ("st", self.seen.stores)]
    }

    fn coverage(&self) -> Vec<Count> {
        let s = &self.seen;
        let mut rows = vec![
            ("kind_write", s.kind[usize::from(ingress_kind::WRITE)]),
            ("kind_read", s.kind[usize::from(ingress_kind::READ)]),
            ("kind_atomic", s.kind[usize::from(ingress_kind::ATOMIC)]),
            ("kind_mark", s.kind[usize::from(ingress_kind::MARK)]),
            ("tlp_held", s.beat_held),
            ("st_held", s.store_held),
            ("err_4_address_overflow", s.error[4]),
            ("err_5_unknown_type", s.error[5]),
            ("err_6_sub_header", s.error[6]),
            ("err_7_truncated", s.error[7]),
            ("err_8_poisoned", s.error[8]),
        ];
        let reserved = ["byte_1_reserved", "byte_2_reserved", "byte_15_reserved"];
        rows.extend(reserved.into_iter().zip(s.reserved));
        let kinds = ["reserved_pack", "reserved_write", "reserved_read", "reserved_atomic"];
        rows.extend(kinds.into_iter().zip(s.reserved_in));
        rows.push(("pack_of_4096_bytes", s.largest_payload));
        rows.extend(FAULTS.iter().zip(s.fault).map(|((_, row), count)| (*row, count)));
        rows
    }
}

impl NewStimulus for DepacketizerStimulus {
    fn new(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Self::draw_phase(&mut random);
        let mut new = Self {
            config: config.clone(),
            random,
            phase,
            payload: Vec::with_capacity(8192),
            beats: Vec::with_capacity(1024),
            held: None,
            seen: Seen::default(),
        };
        new.restart(0);
        new
    }
}
