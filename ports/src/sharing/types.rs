//! Messages of the sharing-aware blocks (`rtl/sharing/sharing_types.svh`), and their parameters:
//! one path for all of it. Indices have as many bits as the greatest needs, at least 1.

pub use super::parameters::*;
use crate::message;

/// `Launch::mode`.
pub mod mode {
    /// Work-groups one by one, SMs in turn.
    pub const RR: u8 = 0;
    /// Groups of consecutive work-groups.
    pub const Q: u8 = 1;
    /// The same, and one by one once too few groups are left.
    pub const ADPT: u8 = 2;
    /// Pairs of consecutive work-groups, an SM's first time as many as it has slots.
    pub const BCS: u8 = 3;
}

/// `L2Action::act`.
pub mod act {
    /// The line is there.
    pub const HIT: u8 = 0;
    /// It is waited for.
    pub const MERGE: u8 = 1;
    /// It is fetched into a way.
    pub const ALLOC: u8 = 2;
    /// It is fetched, and not kept.
    pub const BYPASS: u8 = 3;
    /// Nothing has changed: to be asked again.
    pub const STALL: u8 = 4;
}

message! {
    /// A kernel's launch.
    pub struct Launch: "SHARING_LAUNCH_T" in "sharing_types.svh" () {
        /// See [`mode`].
        pub mode: u8 = 2,
        /// Work-groups.
        pub total: u32 = 32,
        /// Work-groups of a group.
        pub group: u16 = 16,
        /// Work-groups that an SM takes at a time.
        pub slots: u8 = 5,
    }
}

message! {
    /// A work-group goes to an SM.
    pub struct Assignment: "SHARING_ASSIGNMENT_T" in "sharing_types.svh" () {
        /// The next one belongs to the same burst.
        pub more: bool = 1,
        /// SM.
        pub sm: u8 = 4,
        /// Work-group.
        pub cta: u32 = 32,
    }
}

message! {
    /// A line of a cache.
    pub struct Place: "SHARING_PLACE_T" in "sharing_types.svh" (set_w: u32, way_w: u32) {
        /// Set.
        pub set: u16 = set_w,
        /// Way.
        pub way: u8 = way_w,
    }
}

message! {
    /// A line has come to an L1.
    pub struct L1Fill: "SHARING_L1_FILL_T" in "sharing_types.svh" (set_w: u32) {
        /// It is shared.
        pub sf: bool = 1,
        /// Set.
        pub set: u16 = set_w,
    }
}

message! {
    /// What an L1 does with it; all 0 where it is not kept.
    pub struct Victim: "SHARING_VICTIM_T" in "sharing_types.svh" (way_w: u32) {
        /// It is kept.
        pub install: bool = 1,
        /// The line that goes was thought to be dead.
        pub dead: bool = 1,
        /// A line goes.
        pub evict_valid: bool = 1,
        /// It is private.
        pub evict_private: bool = 1,
        /// The way that is taken.
        pub way: u8 = way_w,
    }
}

message! {
    /// A line has come to an L2 bank.
    pub struct L2Fill: "SHARING_L2_FILL_T" in "sharing_types.svh"
        (mshr_w: u32, set_w: u32, way_w: u32)
    {
        /// MSHR.
        pub mshr: u8 = mshr_w,
        /// Set.
        pub set: u16 = set_w,
        /// Way that was reserved for it.
        pub way: u8 = way_w,
    }
}

message! {
    /// An access to an L2 bank, when its tag has been looked up.
    pub struct Lookup: "SHARING_LOOKUP_T" in "sharing_types.svh"
        (mshr_w: u32, set_w: u32, way_w: u32)
    {
        /// To local memory.
        pub is_local: bool = 1,
        /// SM.
        pub sm: u8 = 4,
        /// The line is there.
        pub hit: bool = 1,
        /// It is waited for.
        pub mshr_hit: bool = 1,
        /// The MSHR that waits for it, or the free one that an `ALLOC` shall use.
        pub mshr: u8 = mshr_w,
        /// Set.
        pub set: u16 = set_w,
        /// Of a hit: the way.
        pub way: u8 = way_w,
    }
}

message! {
    /// What the bank does.
    pub struct Action: "SHARING_ACTION_T" in "sharing_types.svh" (way_w: u32) {
        /// See [`act`].
        pub act: u8 = 3,
        /// The line is shared.
        pub sf: bool = 1,
        /// A line goes.
        pub evict_valid: bool = 1,
        /// It is shared.
        pub evict_shared: bool = 1,
        /// Way of the line, or the one that is taken; else 0.
        pub way: u8 = way_w,
    }
}
