//! The TLP of a packet, from its drain beats (specification 3.5, 3.6).

use ports::finepack::packetizer::Config;
use ports::finepack::types::{Drain, aop, drain_kind};

use crate::finepack::runs;

/// A TLP as it goes over the link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    pub dest: u8,
    /// Byte 0 is sent first.
    pub header: [u8; 16],
    pub payload: Vec<u8>,
}

/// The TLP of the beats from `sop` to `eop`.
pub fn tlp(config: &Config, self_id: u8, beats: &[Drain]) -> Sent {
    let first = &beats[0];
    let line = first.line * u64::from(config.line);
    let mut header = [0; 16];
    header[2] = 0x80 * config.ecrc as u8;
    header[5] = self_id << 4;
    header[6] = first.id;
    let mut payload = Vec::new();
    let (length, address) = match first.kind {
        drain_kind::PACK => {
            header[0] = 0b011_01111;
            beats.iter().for_each(|beat| entry(config, beat, &mut payload));
            header[7] = [0xF0, 0x10, 0x30, 0x70][payload.len() % 4];
            (payload.len().div_ceil(4), first.base)
        }
        drain_kind::READ => {
            header[0] = 0b001_00000;
            let enables = |dw: u32| (first.mask >> (4 * dw)) as u8 & 0xF;
            let enabled: Vec<_> = (0..32).filter(|&dw| enables(dw) != 0).collect();
            let (from, to) = (enabled[0], enabled[enabled.len() - 1]);
            header[7] = enables(from) | if to > from { enables(to) << 4 } else { 0 };
            ((to - from + 1) as usize, line + u64::from(4 * from))
        }
        drain_kind::ATOMIC => {
            let (from, size) = runs(first.mask)[0];
            let operands = if first.aop == aop::CAS { 2 * size } else { size };
            payload.extend(&first.data.0[..operands]);
            header[0] = match first.aop {
                aop::SWAP => 0b011_01101,
                aop::CAS => 0b011_01110,
                _ => {
                    header[1] = first.aop >> 1 << 4 | (first.aop & 1) << 2;
                    0b011_01100
                }
            };
            (operands / 4, line + from as u64)
        }
        _ => {
            header[0] = 0b001_00000;
            (1, 0)
        }
    };
    header[2] |= (length >> 8) as u8 & 3;
    header[3] = length as u8;
    header[8..].copy_from_slice(&(address & !3).to_be_bytes());
    Sent { dest: first.dest, header, payload }
}

/// The sub-packets of an entry.
fn entry(config: &Config, beat: &Drain, payload: &mut Vec<u8>) {
    let line = beat.line * u64::from(config.line);
    for (first, len) in runs(beat.mask) {
        let offset = line + first as u64 - beat.base;
        let header = offset << 10 | len as u64;
        payload.extend(&header.to_le_bytes()[..config.sub_header_bytes as usize]);
        payload.extend(&beat.data.0[first..first + len]);
    }
}
