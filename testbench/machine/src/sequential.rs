//! Whether a run was sequentially consistent: one total order of a kernel's accesses in which each
//! wave's are in program order and each load returns the last write before it (race detection
//! specification, section 6).
//!
//! A design that promises it says in which order all writes stand, when each is performed, and
//! of each load which version of its line it has read. So a write is known by its number, never by
//! its value: programs store equal values. The order of writes is given; what is left of the
//! certificate are the loads' places in it. Each takes the first one that its wave and the writes
//! that it has seen allow, so nothing is searched: if that place is behind the next write to one of
//! its bytes, no other one will do.

use crate::message::Unit;

/// A write of the kernel that runs: a store or an atomic of a line. Counted from 1 as they are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId(pub u32);

/// A state of a line: after so many writes of it in this kernel were performed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Kernel. A load in a later one must not return it.
    pub kernel: u32,
    /// Performed writes.
    pub writes: u32,
}

/// A wave: its CU and its slot there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaveOf {
    pub cu: Unit,
    pub slot: usize,
}

/// What a load of some bytes of a line has read: a version of the line, changed by writes of the
/// same CU that the line's copy has seen, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub version: Version,
    pub own: &'a [(WriteId, u128)],
}

/// The oracle.
#[derive(Debug, Default)]
pub struct Sequential {}

impl Sequential {
    /// A kernel begins: nothing is under way, and all that was written is seen by all.
    pub fn begin_kernel(&mut self, kernel: u32) {
        let _ = kernel;
        todo!()
    }

    /// A work-group starts in a slot of a CU, with waves in these slots. `number`: of the kernel's
    /// groups.
    pub fn begin_group(&mut self, cu: Unit, group: usize, number: u32, waves: &[usize]) {
        let _ = (cu, group, number, waves);
        todo!()
    }

    /// All waves of a work-group that have not ended are at a barrier.
    pub fn barrier(&mut self, cu: Unit, group: usize) {
        let _ = (cu, group);
        todo!()
    }

    /// All its waves have ended, and all that they have asked for has been answered: the group's
    /// accesses get their places.
    pub fn end_group(&mut self, cu: Unit, group: usize) {
        let _ = (cu, group);
        todo!()
    }

    /// A wave issues an access of a line: the instruction at `place` of its list, the CU's
    /// transaction `tag`.
    pub fn issue(&mut self, wave: WaveOf, place: u32, tag: u32) {
        let _ = (wave, place, tag);
        todo!()
    }

    /// The access just issued was not taken.
    pub fn cancel(&mut self, wave: WaveOf) {
        let _ = wave;
        todo!()
    }

    /// A wave goes back to the instruction at `place`: what it has issued from there on has not
    /// happened.
    pub fn replay(&mut self, wave: WaveOf, place: u32) {
        let _ = (wave, place);
        todo!()
    }

    /// A store or atomic is sent. It gets its number.
    pub fn send(&mut self, wave: WaveOf, tag: u32, bytes: Option<&[u8]>) -> WriteId {
        let _ = (wave, tag, bytes);
        todo!()
    }

    /// It is the next one in the order of all writes.
    pub fn order(&mut self, write: WriteId) {
        let _ = write;
        todo!()
    }

    /// The line's version now.
    pub fn version(&self, line: u64) -> Version {
        let _ = line;
        todo!()
    }

    /// A write changes the bytes of `mask` of a line. `bytes`: the line's after it.
    pub fn perform(&mut self, write: WriteId, line: u64, mask: u128) {
        let _ = (write, line, mask);
        todo!()
    }

    /// What a load has read, or an atomic before it was performed: the bytes of `mask` of a line.
    /// `bytes`: the line's. A load that is answered again, or was dropped by a replay, is not said.
    pub fn read(
        &mut self,
        wave: WaveOf,
        tag: u32,
        (line, mask): (u64, u128),
        seen: Seen,
        bytes: &[u8],
    ) {
        let _ = (wave, tag, line, mask, seen, bytes);
        todo!()
    }

    /// The first access that no order explains, for a person.
    pub fn failure(&self) -> Option<&str> {
        None
    }
}
