//! Parameters and ports of the scheduler of work-groups
//! (`rtl/sharing/cta_scheduler/cta_scheduler.sv`).

use crate::sharing::types::{Assignment, Launch, Sharing};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Sharing {
        /// `NSm`: SMs, 1 to 16.
        pub n_sm = "NSm",
        /// `Slots`: most work-groups on an SM, 1 to 16.
        pub slots = "Slots",
        /// `CtaW`: bits of a work-group's number, 2 to 32; a launch's `total` is its low ones.
        pub cta_w = "CtaW",
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A launch with groups of no work-group.
    pub const GROUP: u8 = 1;
    /// A launch whose SMs take no work-group, or more than there are slots.
    pub const SLOTS: u8 = 2;
    /// A work-group has ended on an SM that has none.
    pub const DONE: u8 = 3;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "CTA_SCHEDULER_CNT_T" in "cta_scheduler_types.svh" () {
        /// Work-groups given.
        pub assigned: u32 = 32,
        /// Groups begun.
        pub groups: u32 = 32,
        /// Work-groups given one by one because too few groups were left.
        pub rr_phase_ctas: u32 = 32,
        /// Of each cycle of a kernel the SMs that have no work-group.
        pub idle_sm_cycles: u32 = 32,
    }
}

ports! {
    /// Input ports.
    pub struct In: In (c: Config) {
        /// A kernel's launch.
        pub launch: Option<Launch> as (launch_valid, launch) = (),
        /// Bit s: a work-group of SM s has ended.
        pub done: u16 = c.n_sm,
        /// The assignment is taken.
        pub assignment_ready: bool = 1,
    }
}

ports! {
    /// Output ports, all functions of registers.
    pub struct Out: Out (c: Config) {
        /// The launch is taken.
        pub launch_ready: bool = 1,
        /// A work-group goes to an SM.
        pub assignment: Option<Assignment> as (assignment_valid, assignment) = (),
        /// Pulse: all work-groups have ended.
        pub launch_done: bool = 1,
        /// Pulse: error code.
        pub err: Option<u8> as (err_valid, err_code) = 4,
        /// Events since reset.
        pub counters: Counters = (),
    }
}
