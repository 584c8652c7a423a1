//! What beats stand for: accesses and errors (specification 5.6, 12). It knows no cycles.

use ports::finepack::depacketizer::Config;
use ports::finepack::types::{Ingress, Tlp, aop, error_code, ingress_kind};

/// Accesses and errors, each in their order.
#[derive(Debug, Default)]
pub struct Decoded {
    pub accesses: Vec<Ingress>,
    pub errors: Vec<u8>,
}

/// A header, byte by byte.
#[derive(Clone, Copy)]
struct Header([u8; 16]);

/// What a header announces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pack,
    Write,
    Read,
    Mark,
    Atomic,
}

impl Header {
    fn dws(self) -> u64 {
        let coded = u64::from(self.0[2] & 3) << 8 | u64::from(self.0[3]);
        if coded == 0 { 1024 } else { coded }
    }

    fn address(self) -> u64 {
        u64::from_be_bytes(std::array::from_fn(|k| self.0[8 + k])) & !3
    }

    /// First and Last BE.
    fn enables(self) -> (u8, u8) {
        (self.0[7] & 0xF, self.0[7] >> 4)
    }

    fn operands(self) -> u64 {
        if self.0[0] & 0x1F == 0b01110 { 2 } else { 1 }
    }

    fn access(self, kind: u8, line: u64) -> Ingress {
        Ingress {
            kind,
            src: u16::from_be_bytes([self.0[4], self.0[5]]),
            tag: self.0[6],
            addr: line,
            ..Ingress::default()
        }
    }

    /// What it announces. Error: the code of its fault.
    fn kind(self, line: u64) -> Result<Kind, u8> {
        let address = self.address();
        let kind = match self.0[0] {
            0b011_01111 => match self.enables() {
                (0, 0b1111 | 0b0111 | 0b0011 | 0b0001) => Kind::Pack,
                _ => return Err(error_code::TRUNCATED),
            },
            0b011_00000 => Kind::Write,
            0b001_00000 if self.dws() == 1 && self.0[7] == 0 => Kind::Mark,
            0b001_00000 if address % line + 4 * self.dws() <= line => Kind::Read,
            0b011_01100..=0b011_01110 => {
                let size = 4 * self.dws() / self.operands();
                let even = self.dws().is_multiple_of(self.operands());
                if !(even && (size == 4 || size == 8) && address.is_multiple_of(size)) {
                    return Err(error_code::BAD_TYPE);
                }
                Kind::Atomic
            }
            _ => return Err(error_code::BAD_TYPE),
        };
        if self.0[2] & 0x40 != 0 { Err(error_code::POISONED) } else { Ok(kind) }
    }

    /// Payload bytes that must come.
    fn payload(self, kind: Kind) -> usize {
        let whole = 4 * self.dws() as usize;
        match kind {
            Kind::Pack => whole - (4 - self.enables().1.count_ones() as usize),
            Kind::Write | Kind::Atomic => whole,
            Kind::Read | Kind::Mark => 0,
        }
    }
}

/// A packet whose beats come.
struct Packet {
    header: Header,
    kind: Result<Kind, u8>,
    bytes: Vec<u8>,
    /// What its header leaves for later beats.
    left: usize,
    bad: bool,
    /// Its later beats are dropped.
    closed: bool,
}

pub struct Decoder<'a> {
    config: &'a Config,
    line: u64,
    out: Decoded,
}

/// What these beats stand for.
pub fn decode(config: &Config, beats: &[Tlp]) -> Decoded {
    let line = config.line.into();
    let mut decoder = Decoder { config, line, out: Decoded::default() };
    let mut open: Option<Packet> = None;
    for beat in beats {
        if beat.sop {
            if let Some(mut packet) = open.take() {
                packet.bad = true;
                decoder.packet(&packet);
            }
            let header = Header(beat.hdr.to_le_bytes());
            let kind = header.kind(decoder.line);
            let left = kind.map_or(0, |kind| header.payload(kind));
            let (bytes, bad, closed) = (Vec::new(), false, kind.is_err());
            open = Some(Packet { header, kind, bytes, left, bad, closed });
        }
        let Some(packet) = &mut open else {
            decoder.out.errors.push(error_code::TRUNCATED);
            continue;
        };
        decoder.beat(packet, beat);
        if beat.eop {
            decoder.packet(packet);
            open = None;
        }
    }
    decoder.out
}

impl Decoder<'_> {
    fn beat(&self, packet: &mut Packet, beat: &Tlp) {
        let (n, size) = (usize::from(beat.nbytes), self.config.beat as usize);
        if packet.closed {
            return;
        }
        let fits = n <= packet.left && (packet.left > 0 || beat.sop);
        if fits && (n == size || beat.eop && n < size) {
            packet.bytes.extend(&beat.data.0[..n]);
            packet.left -= n;
            packet.bad |= beat.eop && packet.left > 0;
        } else {
            (packet.bad, packet.closed) = (true, true);
        }
    }

    fn packet(&mut self, packet: &Packet) {
        if let Err(code) = self.parse(packet) {
            self.out.errors.push(code);
        }
    }

    fn parse(&mut self, packet: &Packet) -> Result<(), u8> {
        let Packet { header, bytes, bad, .. } = packet;
        let kind = packet.kind?;
        let truncated = Err(error_code::TRUNCATED);
        match kind {
            Kind::Pack => self.sub_packets(packet, header.payload(kind))?,
            Kind::Write => {
                let all = header.payload(kind);
                let mut from = 0;
                while from < all {
                    let address = header.address().wrapping_add(from as u64);
                    let to = all.min(from + (self.line - address % self.line) as usize);
                    if to > bytes.len() {
                        return truncated;
                    }
                    self.part_of_write(*header, bytes, from, to);
                    from = to;
                }
            }
            Kind::Atomic if bytes.len() < header.payload(kind) => return truncated,
            Kind::Atomic => self.atomic(*header, bytes),
            Kind::Read | Kind::Mark if *bad => return truncated,
            Kind::Read | Kind::Mark => self.read(*header, kind),
        }
        if *bad { truncated } else { Ok(()) }
    }

    fn sub_packets(&mut self, packet: &Packet, all: usize) -> Result<(), u8> {
        let (sh, bytes) = (self.config.sub_header_bytes as usize, &packet.bytes);
        let mut at = 0;
        while at < all {
            if all - at < sh || bytes.len() - at < sh {
                return Err(error_code::TRUNCATED);
            }
            let mut header = [0; 8];
            header[..sh].copy_from_slice(&bytes[at..at + sh]);
            let header = u64::from_le_bytes(header);
            let len = (header & 0x3FF) as usize;
            let sum = packet.header.address().checked_add(header >> 10);
            let address = sum.ok_or(error_code::ADDR_OVERFLOW)?;
            let first = (address % self.line) as usize;
            if len == 0 || first + len > self.line as usize {
                return Err(error_code::BAD_SUBHEADER);
            }
            if at + sh + len > all.min(bytes.len()) {
                return Err(error_code::TRUNCATED);
            }
            let data = &bytes[at + sh..at + sh + len];
            let mut access = packet.header.access(ingress_kind::WRITE, address - first as u64);
            access.mask = duet_tests::ones(first as u32, len as u32);
            access.data.0[first..first + len].copy_from_slice(data);
            self.out.accesses.push(access);
            at += sh + len;
        }
        Ok(())
    }

    /// Bytes `from` to `to` of a plain write, of one line.
    fn part_of_write(&mut self, header: Header, bytes: &[u8], from: usize, to: usize) {
        let address = header.address().wrapping_add(from as u64);
        let mut access = header.access(ingress_kind::WRITE, address & !(self.line - 1));
        for (k, &byte) in bytes.iter().enumerate().take(to).skip(from) {
            if self.enables(header, k) {
                let at = (address % self.line) as usize + k - from;
                access.mask |= 1 << at;
                access.data.0[at] = byte;
            }
        }
        self.out.accesses.push(access);
    }

    /// Byte `k` of a write's or read's DWs is enabled.
    fn enables(&self, header: Header, k: usize) -> bool {
        let (first, last) = header.enables();
        let dws = header.dws() as usize;
        let enables = match k / 4 {
            0 => first,
            dw if dw + 1 == dws => last,
            _ => 0xF,
        };
        enables >> (k % 4) & 1 == 1
    }

    fn read(&mut self, header: Header, kind: Kind) {
        let address = header.address();
        let is_mark = kind == Kind::Mark;
        let to = if is_mark { ingress_kind::MARK } else { ingress_kind::READ };
        let mut access = header.access(to, address & !(self.line - 1));
        for k in (0..4 * header.dws() as usize).filter(|&k| !is_mark && self.enables(header, k)) {
            access.mask |= 1 << (address % self.line + k as u64);
        }
        self.out.accesses.push(access);
    }

    fn atomic(&mut self, header: Header, bytes: &[u8]) {
        let address = header.address();
        let size = 4 * header.dws() / header.operands();
        let mut access = header.access(ingress_kind::ATOMIC, address & !(self.line - 1));
        access.mask = duet_tests::ones((address % self.line) as u32, size as u32);
        access.aop = match header.0[0] & 0x1F {
            0b01101 => aop::SWAP,
            0b01110 => aop::CAS,
            _ => (header.0[1] >> 4 & 3) << 1 | header.0[1] >> 2 & 1,
        };
        access.data.0[..bytes.len()].copy_from_slice(bytes);
        self.out.accesses.push(access);
    }
}
