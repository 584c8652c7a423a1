//! TLPs for the de-packetizer: good ones of every kind, and every way to break one.

use hwmodel::finepack::depacketizer::Depacketizer;
use ports::finepack::depacketizer::{In, Out};
use ports::finepack::types::{BeatData, SubHeader, Tlp, TlpHeader, tlp_fmt, tlp_type};

use crate::stimulus::draws::variants;
use crate::stimulus::random::MaskForm;
use crate::stimulus::{Driver, Random, Stimulus, count};
use crate::{blocks, phase, seen};

crate::pair!(Depacketizer: ports::finepack::types::FinePack);

inventory::submit! { blocks::entry::<Inputs>("FinePack: checks TLPs and unpacks them into stores") }

/// Largest payload of a packet.
const MOST_PAYLOAD: usize = 4096;

/// Bits of bytes 1, 2 and 15 of a header that the block does not look at, by the byte.
const RESERVED: [(usize, u8); 3] = [(1, 0b1100_1011), (2, 0b0011_1100), (15, 0b11)];
/// Bits of byte 1 that only an atomic has a use for.
const OPERATION: (usize, u8) = (1, 0b0011_0100);

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(random: &mut Random) {
        left: u32 = 64 + random.below(1024),
        valid: u32 = random.pick(&[256, 256, 160, 40]),
        ready: u32 = random.pick(&[256, 256, 200, 80, 8]),
        fault: u32 = random.pick(&[0, 8, 96, 256]),
        /// Chance of an address less than a line below a multiple of 4 GB.
        carries: u32 = random.pick(&[0, 16, 128]),
        /// Chance of a header whose reserved bits are not 0.
        reserved: u32 = random.pick(&[0, 64, 256]),
        form: Option<MaskForm> = random.form(),
        kinds: [u8; 3] = random.pick(&[
            [PACK; 3],
            [PACK, PACK, MARK],
            [WRITE, READ, ATOMIC],
            [PACK, WRITE, READ],
        ]),
    }
}

variants! {
    /// A way to break a TLP; the coverage has a row for each, in their order.
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
        SplitSubHeader,
    }
}

/// A kind of TLP.
const PACK: u8 = 0;
const WRITE: u8 = 1;
const READ: u8 = 2;
const ATOMIC: u8 = 3;
const MARK: u8 = 4;

/// The stimulus.
pub struct Inputs {
    /// Payload of the TLP that is cut into beats.
    payload: Vec<u8>,
    /// The beats of the TLP that is sent, last one first.
    beats: Vec<Tlp>,
}

seen! {
    transfers: tlp, st;
    rows:
        kind["kind_write", "kind_read", "kind_atomic", "kind_mark"],
        tlp_held, st_held,
        error["", "", "", "", "err_4_address_overflow", "err_5_unknown_type", "err_6_sub_header",
            "err_7_truncated", "err_8_poisoned"],
        // Headers with a bit that is reserved, and kinds of TLPs with one.
        reserved["byte_1_reserved", "byte_2_reserved", "byte_15_reserved"],
        reserved_in["reserved_pack", "reserved_write", "reserved_read", "reserved_atomic"],
        pack_of_4096_bytes,
        // Bits 32 and up of an address that a carry changes; of a write also past the last address.
        pack_over_4_gb, write_over_4_gb, write_over_the_last_address,
        fault["sent_address_overflow", "sent_unknown_type", "sent_wide_read", "sent_odd_atomic",
            "sent_length_zero", "sent_length_above_line", "sent_crosses_line",
            "sent_byte_enables", "sent_poisoned", "sent_ends_early", "sent_ends_late",
            "sent_short_beat", "sent_long_beat", "sent_sop_inside", "sent_no_sop",
            "sent_header_length", "sent_tail_bytes", "sent_split_sub_header"],
}

impl Inputs {
    fn draw_tlp(&mut self, d: &mut Driver<Self>) {
        let kind = if d.random.chance(24) {
            d.random.below(5) as u8
        } else {
            d.random.pick(&d.phase.kinds)
        };
        let fault = d.random.chance(d.phase.fault).then(|| {
            let fault = d.random.pick(Fault::ALL);
            d.seen.fault[fault as usize] += 1;
            fault
        });
        self.payload.clear();
        let mut header = TlpHeader::new()
            .with_td(d.random.chance(128))
            .with_tag(d.random.word() as u8)
            .with_requester(d.random.word() as u16)
            .with_fmt(tlp_fmt::WITH_DATA);
        header = match kind {
            PACK => self.pack(d, header, fault),
            WRITE => self.write(d, header),
            READ => Self::read(d, header, fault),
            ATOMIC => self.atomic(d, header, fault),
            // MARK: a zero-length read.
            _ => header.with_fmt(tlp_fmt::NO_DATA).with_length_dw(1),
        };
        match fault {
            Some(Fault::UnknownType) => {
                // One bit off, or anything.
                let r = &mut d.random;
                match r.chance(128) {
                    true => header.set_tlp_type(header.tlp_type() ^ 1 << r.below(5)),
                    false => {
                        header.set_fmt(r.below(8) as u8);
                        header.set_tlp_type(r.below(32) as u8);
                    }
                }
            }
            Some(Fault::Poisoned) => header.set_ep(true),
            Some(Fault::ByteEnables) => {
                header.set_first_be(d.random.below(16) as u8);
                header.set_last_be(d.random.below(16) as u8);
            }
            Some(Fault::HeaderLength) => {
                // One bit off, or anything.
                let r = &mut d.random;
                header = match r.chance(128) {
                    true => header.with_length_dw((header.length_dw() & 1023) ^ 1 << r.below(10)),
                    false => header.with_length_dw(1 + r.below(1024)),
                }
            }
            _ => {}
        }
        if fault.is_none() {
            d.seen.pack_of_4096_bytes +=
                u64::from(kind == PACK && self.payload.len() == MOST_PAYLOAD);
            if d.random.chance(d.phase.reserved) {
                header = Self::set_reserved(d, header, kind);
            }
        }
        self.cut(d, header, fault);
    }

    /// Sets bits that the sender leaves 0, and that change nothing.
    fn set_reserved(d: &mut Driver<Self>, header: TlpHeader, kind: u8) -> TlpHeader {
        let mut bytes = header.into_bits().to_le_bytes();
        for (i, (byte, bits)) in RESERVED.into_iter().enumerate() {
            let set = d.random.word() as u8 & bits;
            bytes[byte] |= set;
            d.seen.reserved[i] += u64::from(set != 0);
        }
        if kind != ATOMIC {
            bytes[OPERATION.0] |= d.random.word() as u8 & OPERATION.1;
        }
        d.seen.reserved_in[usize::from(kind.min(ATOMIC))] += 1;
        TlpHeader::from_bits(u128::from_le_bytes(bytes))
    }

    fn pack(&mut self, d: &mut Driver<Self>, header: TlpHeader, fault: Option<Fault>) -> TlpHeader {
        let Driver { config: c, random: r, phase: p, seen, .. } = d;
        let mut base = r.word() >> c.offset_width << c.offset_width;
        if r.chance(p.carries) {
            // A sender's base has no bits to carry from: this one lies less than a line below.
            base = r.boundary().wrapping_sub(4 * u64::from(1 + r.below(c.line / 4)));
        }
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
            let mut mask = r.mask(c.line, p.form);
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
                        if fault == Some(Fault::SplitSubHeader) {
                            // What the header promises behind the last store is no sub-header.
                            let most = MOST_PAYLOAD - self.payload.len();
                            let rest = 1 + r.below(c.sub_header_bytes - 1) as usize;
                            (0..rest.min(most)).for_each(|_| self.payload.push(r.word() as u8));
                        }
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
                let carried = base.checked_add(sub.offset()).map(|sum| sum >> 32 != base >> 32);
                seen.pack_over_4_gb += u64::from(carried == Some(true));
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

    fn write(&mut self, d: &mut Driver<Self>, header: TlpHeader) -> TlpHeader {
        let r = &mut d.random;
        let dw = if r.chance(8) { 1 + r.below(1024) } else { 1 + r.below(d.config.line) };
        for _ in 0..4 * dw {
            self.payload.push(r.word() as u8);
        }
        let mut addr = r.word();
        if r.chance(d.phase.carries) {
            addr = r.boundary().wrapping_sub(4 * u64::from(1 + r.below(dw)));
        }
        let carried = u64::from(4 * dw - 1).wrapping_add(addr & !3);
        match carried >> 32 != addr >> 32 {
            true if carried < addr => d.seen.write_over_the_last_address += 1,
            true => d.seen.write_over_4_gb += 1,
            false => {}
        }
        let first_be = r.pick(&[0b1111, 0b1110, 0b1000, 0b0110, 0b1001, 0]);
        let last_be = if dw == 1 { 0 } else { r.pick(&[0b1111, 0b0111, 0b0001, 0b0011, 0b1010]) };
        header
            .with_tlp_type(tlp_type::MEM)
            .with_address(addr)
            .with_length_dw(dw)
            .with_first_be(first_be)
            .with_last_be(last_be)
    }

    fn read(d: &mut Driver<Self>, header: TlpHeader, fault: Option<Fault>) -> TlpHeader {
        let (c, r) = (&d.config, &mut d.random);
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

    fn atomic(
        &mut self,
        d: &mut Driver<Self>,
        header: TlpHeader,
        fault: Option<Fault>,
    ) -> TlpHeader {
        let r = &mut d.random;
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
    fn cut(&mut self, d: &mut Driver<Self>, header: TlpHeader, fault: Option<Fault>) {
        let (c, r) = (&d.config, &mut d.random);
        let beat = c.beat as usize;
        match fault {
            Some(Fault::EndsLate) => {
                (0..=r.below(2 * c.beat)).for_each(|i| self.payload.push(i as u8 | 1))
            }
            Some(Fault::EndsEarly) => {
                let kept = r.below(self.payload.len() as u32 + 1) as usize;
                self.payload.truncate(kept);
            }
            // One byte less than the sub-packets need.
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
                // It is ignored.
                dest: r.word() as u8 & 15,
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

    fn observe(d: &mut Driver<Self>, input: &In, out: &Out) {
        let seen = &mut d.seen;
        count(input.tlp, out.tlp_ready, &mut seen.tlp, &mut seen.tlp_held);
        if let Some(st) = count(out.st, input.st_ready, &mut seen.st, &mut seen.st_held) {
            seen.kind[usize::from(st.kind)] += 1;
        }
        if let Some(code) = out.err {
            seen.error[usize::from(code)] += 1;
        }
    }
}

impl Stimulus for Inputs {
    type Model = Depacketizer;
    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self { payload: Vec::with_capacity(8192), beats: Vec::with_capacity(1024) }
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        let tlp = d.offer(d.last.tlp, d.before.tlp_ready, d.phase.valid, |d| {
            if self.beats.is_empty() {
                self.draw_tlp(d);
            }
            self.beats.pop().expect("a TLP has beats")
        });
        let input = In { tlp, st_ready: d.random.chance(d.phase.ready) };
        Self::observe(d, &input, out);
        input
    }
}
