//! Parameters and ports of the work-group scheduler
//! (`rtl/sharing/cta_scheduler/cta_scheduler.sv`).

use crate::sharing::types::{Assignment, Launch, Sharing};
use crate::{message, ports};

crate::parameters! {
    /// Parameters, one for each RTL parameter.
    pub struct Config: Sharing {
        /// `NSm`: SMs, 1 to 16.
        pub n_sm = "NSm",
        /// `Slots`: work-group slots of an SM, 1 to 16.
        pub slots = "Slots",
        /// `CtaW`: bits of a work-group's number, 2 to 32; higher bits of `total` are ignored.
        pub cta_w = "CtaW",
    }
}

/// `err_code_o` (specification section 12).
pub mod err {
    /// A launch with `group` = 0.
    pub const GROUP: u8 = 1;
    /// A launch with `slots` = 0 or above `Slots`.
    pub const SLOTS: u8 = 2;
    /// A work-group ends on an SM whose slots are all free.
    pub const DONE: u8 = 3;
}

message! {
    /// Events since reset, modulo 2^32 (specification section 9).
    pub struct Counters: "CTA_SCHEDULER_CNT_T" in "cta_scheduler_types.svh" () {
        /// Work-groups assigned.
        pub assigned: u32 = 32,
        /// Groups started.
        pub groups: u32 = 32,
        /// `adpt`: work-groups assigned one by one, as few groups were left.
        pub rr_phase_ctas: u32 = 32,
        /// SMs without a work-group, summed over Run cycles.
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
