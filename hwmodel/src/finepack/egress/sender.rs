//! The output register: one TLP at a time, cut into beats.

use ports::finepack::types::{Tlp, TlpHeader};

/// Largest payload in bytes.
const MAX_PAYLOAD: usize = 4096;

/// One TLP and how far it has been taken. Loaded in cycle t, its first beat is shown in t+1; the
/// next TLP may be loaded in the cycle in which the last beat is taken, so that single-beat TLPs
/// follow each other in each cycle.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    beat: usize,
    payload: Box<[u8; MAX_PAYLOAD]>,
    len: usize,
    at: usize,
    hdr: TlpHeader,
    dest: u8,
    busy: bool,
}

impl Sender {
    /// An empty register, beats of `beat` bytes.
    pub fn new(beat: u32) -> Self {
        Self {
            beat: beat as usize,
            payload: vec![0; MAX_PAYLOAD].into_boxed_slice().try_into().expect("its length"),
            len: 0,
            at: 0,
            hdr: TlpHeader::default(),
            dest: 0,
            busy: false,
        }
    }

    /// True when a TLP may be loaded.
    pub fn is_free(&self) -> bool {
        !self.busy
    }

    /// `tlp`.
    pub fn beat(&self) -> Option<Tlp> {
        if !self.busy {
            return None;
        }
        let sop = self.at == 0;
        let bytes = &self.payload[self.at..self.len.min(self.at + self.beat)];
        let mut tlp = Tlp {
            sop,
            eop: self.len <= self.at + self.beat,
            dest: self.dest,
            hdr: if sop { self.hdr.into_bits() } else { 0 },
            nbytes: bytes.len() as u8,
            ..Tlp::default()
        };
        tlp.data.0[..bytes.len()].copy_from_slice(bytes);
        Some(tlp)
    }

    /// Start of the cycle: the beat shown is taken where `ready`.
    pub fn advance(&mut self, ready: bool) {
        if self.busy && ready {
            self.at += self.beat;
            self.busy = self.at < self.len;
        }
    }

    /// Loads a TLP; `len` bytes of payload, which the caller writes into the slice returned (zero
    /// before).
    pub fn load(&mut self, dest: u8, hdr: TlpHeader, len: usize) -> &mut [u8] {
        debug_assert!(self.is_free());
        (self.dest, self.hdr, self.len, self.at, self.busy) = (dest, hdr, len, 0, true);
        self.payload[..len].fill(0);
        &mut self.payload[..len]
    }
}
