//! The stateful alternative to FinePack: base and common fields go ahead in a configuration packet.

use ports::finepack::types::{MAX_GPUS, SubHeader, op};

use super::front::{line_addr, lowest_run, run_mask};
use super::output::Output;
use super::{Config, In, Out};
use crate::block::Block;
use crate::finepack::tlp_header::PACKET;

/// Bytes of sequence number, LCRC and ECRC of a packet without outer header (specification 7,
/// `CFG_EXTRA`; FinePack section VI-B gives 10).
pub const CFG_EXTRA: u32 = 10;

/// Each run of a store is a packet of its own: sub-header and bytes, without outer header. When a
/// store lies outside the window last configured for its destination, a configuration packet with
/// the new base goes first (specification 7, `config-packet`; FinePack section VI-B). Nothing is
/// merged: like [`super::P2p`] with shorter headers.
///
/// The header beside a store packet in the TLP stream is what the receiver restores from its
/// context register, so a de-packetizer reads it as a FinePack packet of one run. The link, in
/// context mode ([`crate::finepack::tlp_link::Framing::cfg_extra`]), does not charge it and ends
/// configuration packets.
#[derive(Clone, Debug)]
pub struct ConfigPacket {
    q: Output,
    window: [Option<u64>; MAX_GPUS], // base last configured for each destination
    tag: [u8; MAX_GPUS],             // packets sent to each destination
}

impl ConfigPacket {
    /// The state after reset: no window is configured.
    pub fn new(cfg: &Config) -> Self {
        Self { q: Output::new(cfg), window: [None; MAX_GPUS], tag: [0; MAX_GPUS] }
    }

    /// Sends the next packet of a store.
    fn store(&mut self, i: &In) {
        let Self { q, window, tag } = self;
        let Some(&req) = q.front.head() else { return };
        let dest = usize::from(req.dest);
        let line = line_addr(&req, &q.cfg);
        let base = line >> q.cfg.offset_width << q.cfg.offset_width;
        if window[dest] != Some(base) {
            window[dest] = Some(base);
            q.sender.load(req.dest, q.headers(i).context(tag[dest], base), 0);
            return;
        }
        let (first, len) = lowest_run(req.mask);
        let (from, sub_header_bytes, bytes) =
            (first as usize, q.cfg.sub_header_bytes as usize, len as usize);
        let sub = SubHeader::new().with_len(len as u16).with_offset(line - base + u64::from(first));
        let hdr = q.headers(i).packet(tag[dest], base, q.cfg.sub_header_bytes + len, &PACKET);
        let payload = q.sender.load(req.dest, hdr, sub_header_bytes + bytes);
        payload[..sub_header_bytes]
            .copy_from_slice(&sub.into_bits().to_le_bytes()[..sub_header_bytes]);
        payload[sub_header_bytes..].copy_from_slice(&req.data.0[from..from + bytes]);
        tag[dest] = tag[dest].wrapping_add(1);
        q.releases.touch(req.dest);
        q.front.clear(run_mask(first, len));
    }
}

impl Block for ConfigPacket {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.q.outputs()
    }

    fn tick(&mut self, i: &In) -> Out {
        let out = self.outputs();
        match self.q.begin(i) {
            Some(req) if req.op != op::STORE => self.q.other(i, &req),
            Some(_) if self.q.sender.is_free() => self.store(i),
            _ => {}
        }
        self.q.end(i, &out);
        out
    }

    fn is_idle(&self) -> bool {
        self.q.is_idle()
    }
}
