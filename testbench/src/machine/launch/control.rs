//! The messages between command processors (CPElide specification 3.2): 64 bits, `[3:0]` type, `[7:4]`
//! chiplet, `[15:8]` kernel tag, `[31:16]` A, `[63:32]` B.

use crate::machine::message::Sync;

/// A message, without chiplet and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// 1, to a chiplet: L2 release, L2 acquire.
    SyncReq(Sync),
    /// 2, to a chiplet: packet slot, first work-group.
    WgDesc {
        /// Packet slot.
        slot: u16,
        /// First work-group.
        first: u32,
    },
    /// 3, to a chiplet: number of work-groups.
    WgCount(u32),
    /// 4, to a chiplet.
    LaunchEn,
    /// 8, from a chiplet: operations done, lines written back.
    Ack {
        /// Operations done.
        done: Sync,
        /// Lines written back.
        lines: u32,
    },
    /// 9, from a chiplet: all work-groups have ended here.
    Done,
}

impl Control {
    /// The message's bits.
    pub fn encode(self, chiplet: u16, tag: u8) -> u64 {
        let sync = |s: Sync| u16::from(s.release) | u16::from(s.acquire) << 1;
        let (kind, a, b) = match self {
            Self::SyncReq(s) => (1, sync(s), 0),
            Self::WgDesc { slot, first } => (2, slot, first),
            Self::WgCount(count) => (3, 0, count),
            Self::LaunchEn => (4, 0, 0),
            Self::Ack { done, lines } => (8, sync(done), lines),
            Self::Done => (9, 0, 0),
        };
        kind | u64::from(chiplet & 15) << 4
            | u64::from(tag) << 8
            | u64::from(a) << 16
            | u64::from(b) << 32
    }

    /// The message, its chiplet and its tag. None of an unknown type.
    pub fn decode(bits: u64) -> Option<(Self, u16, u8)> {
        let (a, b) = ((bits >> 16) as u16, (bits >> 32) as u32);
        let sync = Sync { release: a & 1 == 1, acquire: a & 2 == 2 };
        let message = match bits & 15 {
            1 => Self::SyncReq(sync),
            2 => Self::WgDesc { slot: a, first: b },
            3 => Self::WgCount(b),
            4 => Self::LaunchEn,
            8 => Self::Ack { done: sync, lines: b },
            9 => Self::Done,
            _ => return None,
        };
        Some((message, (bits >> 4 & 15) as u16, (bits >> 8) as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_the_specification_has_them() {
        let release = Sync { release: true, acquire: false };
        assert_eq!(Control::SyncReq(release).encode(3, 0x12), 0x0000_0000_0001_1231);
        let desc = Control::WgDesc { slot: 2, first: 0x89ab };
        assert_eq!(desc.encode(15, 0xff), 0x0000_89ab_0002_fff2);
        let ack = Control::Ack { done: Sync { release: true, acquire: true }, lines: 7 };
        assert_eq!(ack.encode(1, 0), 0x0000_0007_0003_0018);
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let both = Sync { release: true, acquire: true };
        for message in [
            Control::SyncReq(both),
            Control::WgDesc { slot: 3, first: u32::MAX },
            Control::WgCount(77),
            Control::LaunchEn,
            Control::Ack { done: both, lines: 131_072 },
            Control::Done,
        ] {
            assert_eq!(Control::decode(message.encode(9, 200)), Some((message, 9, 200)));
        }
        assert_eq!(Control::decode(0), None);
    }
}
