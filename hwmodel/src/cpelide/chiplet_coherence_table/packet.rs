//! AQL packets (specification, section 3.6; barrier-AND: section 5.8). Any bytes are a packet: what
//! is wrong with them is a code of section 12.

use super::bytes::{u16_at, u32_at, u64_at};
use super::error;
use super::extension::{Block, Labels};
use super::parameters::Parameters;
use super::reasons::Unlabelled;

/// What the packet processor hands over: a packet, and what came with it.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch<'a> {
    /// The AQL packet.
    pub packet: [u8; 64],
    /// The extension block at the packet's address; empty where that is 0.
    pub extension: &'a [u8],
    /// The extension block was longer than a packet slot and is cut off.
    pub truncated: bool,
    /// Number of the stream. The table does not need it.
    pub stream: u8,
    /// The chiplets bound to the stream.
    pub chiplets: u16,
}

/// The memory scope of a fence, as far as the table tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// None or agent: lazy.
    Agent,
    /// System: the host sees it, or has written.
    System,
}

/// A kernel to launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDispatch {
    /// Before it.
    pub acquire: Scope,
    /// After it.
    pub release: Scope,
    /// Written when it has ended and released; 0 for none.
    pub signal: u64,
    /// Work-groups of the grid.
    pub groups: u32,
    /// The physical chiplets that it runs on, logical chiplet 0 first.
    pub scheduled: Vec<u8>,
    /// What it touches, or that this is unknown.
    pub labels: Labels,
    /// Codes of what is wrong with the extension block, in its order.
    pub errors: Vec<u8>,
}

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Type 2.
    Kernel(KernelDispatch),
    /// Type 3, without dependencies.
    Barrier {
        /// Before the packets that follow.
        acquire: Scope,
        /// After those before.
        release: Scope,
        /// Written when it is done; 0 for none.
        signal: u64,
    },
    /// Not carried out; its completion signal is written all the same.
    Rejected {
        /// Why.
        code: u8,
        /// The completion signal; 0 for none.
        signal: u64,
    },
}

const KERNEL_DISPATCH: u8 = 2;
const BARRIER_AND: u8 = 3;

impl Packet {
    /// Reads a packet; `every`: the flag EVERY is set. Total: no bytes make it panic.
    pub fn parse(dispatch: &Dispatch, every: bool, parameters: &Parameters) -> Self {
        let packet = &dispatch.packet;
        let header = u16_at(packet, 0);
        let [acquire, release] = [scope(header >> 9), scope(header >> 11)];
        let signal = u64_at(packet, 56);
        let rejected = |code| Self::Rejected { code, signal };
        match header as u8 {
            KERNEL_DISPATCH => {}
            BARRIER_AND if (0..5).all(|i| u64_at(packet, 8 + 8 * i) == 0) => {
                return Self::Barrier { acquire, release, signal };
            }
            _ => return rejected(error::PACKET),
        }
        let Some(groups) = groups(packet) else { return rejected(error::PACKET) };
        let stream = dispatch.chiplets & parameters.all_chiplets();
        if stream == 0 {
            return rejected(error::CHIPLETS);
        }
        let bound: Vec<u8> = (0..16).filter(|i| stream >> i & 1 == 1).collect();
        let block = if u64_at(packet, 48) == 0 {
            Block::unlabelled(bound, Unlabelled::NoBlock)
        } else {
            let needless = match acquire {
                Scope::System => release == Scope::System,
                Scope::Agent => every,
            };
            Block::parse(dispatch, bound, needless && parameters.home_aware, parameters)
        };
        let Block { scheduled, labels, errors } = block;
        Self::Kernel(KernelDispatch { acquire, release, signal, groups, scheduled, labels, errors })
    }
}

/// The undefined value 3 counts as system, which is never wrong.
fn scope(bits: u16) -> Scope {
    if bits & 0b11 >= 2 { Scope::System } else { Scope::Agent }
}

/// Work-groups of the grid: of each dimension, as many as hold its work-items. `None` where a
/// dimension of the grid or of the work-groups is 0, or where they are more than a WG_COUNT message
/// can say.
fn groups(packet: &[u8; 64]) -> Option<u32> {
    let mut groups: u32 = 1;
    for i in 0..3 {
        let (size, grid) = (u32::from(u16_at(packet, 4 + 2 * i)), u32_at(packet, 12 + 4 * i));
        if size == 0 || grid == 0 {
            return None;
        }
        groups = groups.checked_mul(grid.div_ceil(size))?;
    }
    Some(groups)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes that are often near a good block: its header, structures that begin on pages, ranges
    /// near them.
    pub fn block() -> impl Strategy<Value = Vec<u8>> {
        let header = (0u8..4, 0u8..6, 0u16..6, 0u8..2, 0u16..400);
        (header, proptest::collection::vec(any::<u64>(), 0..60)).prop_map(|(header, words)| {
            let (structures, chiplets, ranges, flags, bytes) = header;
            let mut block = b"CPE1\x01\x00".to_vec();
            block.extend(bytes.to_le_bytes());
            block.extend([structures, chiplets]);
            block.extend(ranges.to_le_bytes());
            block.extend([flags, 0, 0, 0]);
            block.extend(words.iter().flat_map(|word| (word >> (word % 64)).to_le_bytes()));
            block
        })
    }

    fn dispatches<'a>(packet: &[u8], extension: &'a [u8], chiplets: u16) -> Dispatch<'a> {
        let packet = packet.try_into().unwrap();
        Dispatch { packet, extension, truncated: chiplets & 64 != 0, stream: 0, chiplets }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_packet(
            packet in proptest::collection::vec(any::<u8>(), 64),
            extension in prop_oneof![proptest::collection::vec(any::<u8>(), 0..200), block()],
            chiplets: u16,
            kind in 0u8..6,
            line in prop_oneof![Just(64), Just(128)],
            (every, home_aware) in any::<(bool, bool)>(),
        ) {
            let parameters = Parameters { line, home_aware, ..Parameters::DEFAULT };
            let mut packet = packet;
            Packet::parse(&dispatches(&packet, &extension, chiplets), every, &parameters);
            packet[0] = kind;
            let dispatch = dispatches(&packet, &extension, chiplets);
            let parsed = Packet::parse(&dispatch, every, &parameters);
            if let Packet::Kernel(kernel) = parsed {
                prop_assert!(!kernel.scheduled.is_empty());
                let known = matches!(kernel.labels, Labels::Known(_));
                prop_assert!(known || kernel.errors.len() <= 4);
            }
        }
    }

    #[test]
    fn groups_are_rounded_up_in_each_dimension() {
        let mut packet = [0; 64];
        packet[4..10].copy_from_slice(&[64, 0, 2, 0, 1, 0]);
        packet[12..24].copy_from_slice(&[65, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0]);
        assert_eq!(groups(&packet), Some(2 * 3 * 7));
        packet[8] = 0;
        assert_eq!(groups(&packet), None);
    }

    #[test]
    fn only_scope_system_differs() {
        assert_eq!([0, 1, 2, 3].map(scope), {
            use Scope::{Agent, System};
            [Agent, Agent, System, System]
        });
    }
}
