//! The answers of a race detection unit, beat by beat, and beats that it would never send.

use ports::Bytes;
use ports::race::access_validation_unit::{Config, Out, err};
use ports::race::types::{BEAT_BITS, Rsp, rsp_kind};

use super::phase::Phase;
use crate::stimulus::Random;

/// Kinds that change the epoch.
const SYNCS: [u8; 3] = [rsp_kind::RACE, rsp_kind::WACK, rsp_kind::FORCED];

/// A beat, and the error that it is.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    pub rsp: Rsp,
    pub fault: Option<u8>,
}

impl Beat {
    /// A chunk that counts, if a signature is loaded.
    fn is_chunk(&self) -> bool {
        !self.rsp.hdr && matches!(self.fault, None | Some(err::INDEX))
    }
}

/// The unit.
#[derive(Clone, Debug)]
pub struct Answers {
    /// Chunks of a signature.
    chunks: u32,
    mask: u8,
    /// What is shown.
    beat: Option<Beat>,
    /// The header whose chunks are loaded; the chunks that are left, as bits; those so far.
    loading: Option<Rsp>,
    rest: u64,
    sent: u32,
}

impl Answers {
    pub fn new(c: &Config) -> Self {
        let (chunks, mask) = (c.m / BEAT_BITS, (1u8 << c.epoch_w) - 1);
        Self { chunks, mask, beat: None, loading: None, rest: 0, sent: 0 }
    }

    /// No chunk of this answer has been taken.
    pub fn is_first(&self) -> bool {
        self.sent == 0
    }

    /// What is shown in this cycle. It stays until it is taken.
    pub fn beat(&mut self, r: &mut Random, p: &Phase, out: &Out) -> Option<Beat> {
        if self.beat.is_none() {
            let chance = if self.loading.is_some() { p.chunk } else { p.answer };
            if r.chance(chance) {
                self.beat = Some(match self.loading {
                    Some(header) if r.chance(p.wrong) => self.wrong_chunk(r, p, out, &header),
                    Some(header) => self.chunk(r, p, &header),
                    None if r.chance(p.wrong) => self.wrong_header(r, p, out),
                    None => self.header(r, p, out),
                });
            }
        }
        self.beat
    }

    /// The answer that ends with the beat that is shown, if that is taken.
    pub fn ends(&self) -> Option<Rsp> {
        let beat = self.beat.filter(|beat| beat.rsp.last)?;
        let whole = beat.rsp.hdr && beat.fault.is_none();
        if beat.is_chunk() { self.loading } else { whole.then_some(beat.rsp) }
    }

    /// What is shown is taken.
    pub fn taken(&mut self) {
        let Some(beat) = self.beat.take() else { return };
        if beat.is_chunk() {
            let next = self.loading.filter(|_| !beat.rsp.last);
            let own = if beat.fault.is_none() { 1 << beat.rsp.chunk } else { 0 };
            (self.loading, self.rest, self.sent) = (next, self.rest & !own, self.sent + 1);
        } else if beat.fault.is_none() {
            (self.loading, self.sent) = (Some(beat.rsp).filter(|header| !header.last), 0);
        }
    }

    fn header(&mut self, r: &mut Random, p: &Phase, out: &Out) -> Beat {
        let sync = r.chance(p.sync);
        let kind = if sync { r.pick(&SYNCS) } else { rsp_kind::NORACE };
        let last = !sync || r.chance(p.empty);
        if !last {
            let all = u64::MAX >> (64 - self.chunks);
            let one = 1 << r.below(self.chunks);
            let some = (0..self.chunks).fold(one, |s, c| s | u64::from(r.chance(p.chunks)) << c);
            self.rest = r.pick(&[some, some, some, one, all]);
        }
        let id = if kind == rsp_kind::FORCED { 0 } else { r.word() as u8 };
        let epoch = out.epoch.wrapping_add(sync.into()) & self.mask;
        let data = Bytes::default();
        let rsp = Rsp { hdr: true, last, kind, id, epoch, sync, chunk: 0, data };
        Beat { rsp, fault: None }
    }

    fn chunk(&mut self, r: &mut Random, p: &Phase, header: &Rsp) -> Beat {
        // None is left behind chunks against the rules.
        let any = 1 << r.below(self.chunks);
        let rest = if self.rest == 0 { any } else { self.rest };
        let (chunk, data) = (rest.trailing_zeros() as u8, bits(r, p.density));
        let last = rest.is_power_of_two();
        Beat { rsp: Rsp { hdr: false, last, chunk, data, ..*header }, fault: None }
    }

    /// While nothing is loaded.
    fn wrong_header(&mut self, r: &mut Random, p: &Phase, out: &Out) -> Beat {
        let Beat { mut rsp, .. } = self.header(r, p, out);
        let fault = match r.below(4) {
            0 => {
                rsp.hdr = false;
                (rsp.chunk, rsp.data) = (r.below(64) as u8, bits(r, p.density));
                Some(err::CHUNK)
            }
            1 => {
                (rsp.kind, rsp.sync, rsp.last) = match r.below(4) {
                    0 => (rsp_kind::NORACE, true, r.chance(128)),
                    1 => (rsp_kind::NORACE, false, false),
                    2 => (r.pick(&SYNCS), false, r.chance(128)),
                    _ => (4 + r.below(4) as u8, r.chance(128), r.chance(128)),
                };
                let any = r.below(32) as u8;
                rsp.epoch = r.pick(&[rsp.epoch, rsp.epoch, any]);
                Some(err::KIND)
            }
            2 => {
                let (e, mask) = (rsp.epoch, self.mask);
                let (near, far) = (e.wrapping_sub(1) & mask, e.wrapping_add(1) & mask);
                let wide = if mask < 31 { e ^ (mask + 1) } else { e ^ 1 };
                rsp.epoch = r.pick(&[near, far, wide]);
                Some(err::EPOCH)
            }
            // It is ignored.
            _ => {
                (rsp.chunk, rsp.data) = (r.below(64) as u8, bits(r, p.density));
                None
            }
        };
        Beat { rsp, fault }
    }

    /// While a signature is loaded.
    fn wrong_chunk(&mut self, r: &mut Random, p: &Phase, out: &Out, header: &Rsp) -> Beat {
        let legal = self.chunk(r, p, header);
        let mut rsp = legal.rsp;
        match r.below(3) {
            0 => {
                let rest = self.rest;
                let draw = r.pick(&[Self::header, Self::wrong_header]);
                let other = draw(self, r, p, out);
                self.rest = rest;
                Beat { rsp: Rsp { hdr: true, ..other.rsp }, fault: Some(err::HEADER) }
            }
            1 if self.chunks < 64 => {
                let any = self.chunks + r.below(64 - self.chunks);
                (rsp.chunk, rsp.last) = (r.pick(&[any, self.chunks]) as u8, r.chance(64));
                Beat { rsp, fault: Some(err::INDEX) }
            }
            // Any order; again; the last one early. The header has the rest.
            _ => {
                rsp.chunk = r.below(self.chunks) as u8;
                rsp.last = r.chance(32);
                (rsp.kind, rsp.id) = (r.below(8) as u8, r.word() as u8);
                (rsp.epoch, rsp.sync) = (r.below(32) as u8, r.chance(128));
                Beat { rsp, fault: None }
            }
        }
    }
}

/// Bits of a signature: single ones, a quarter, half, three quarters, seven eighths, or all.
fn bits(r: &mut Random, density: u32) -> Bytes<32> {
    let mut data = Bytes::default();
    for word in data.0.chunks_exact_mut(8) {
        let (a, b, c) = (r.word(), r.word(), r.word());
        let bits = match density {
            0 => 1 << (a & 63),
            1 => a & b,
            2 => a,
            3 => a | b,
            4 => a | b | c,
            _ => u64::MAX,
        };
        word.copy_from_slice(&bits.to_le_bytes());
    }
    data.0[0] |= u8::from(data.0.iter().all(|byte| *byte == 0));
    data
}
