//! What a cycle was, by the specification's tables, for tests and stimuli.

/// Declares the rows, of which a cycle may be several, with their names.
macro_rules! rows {
    ($(#[$meta:meta])* pub enum Row { $($row:ident = $name:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Row {
            $(#[doc = concat!("`", $name, "`.")] $row),+
        }

        impl Row {
            /// The names of all rows, in their order.
            pub const NAMES: &[&str] = &[$($name),+];

            /// The bit that stands for it.
            pub fn bit(self) -> u128 {
                1 << self as u32
            }
        }
    };
}

rows! {
    /// A row of the tables of specification 5.1 to 5.3, 5.8 and 12, or why there was no action.
    pub enum Row {
        WalkServes = "walk_serves",
        WalkServesOld = "walk_serves_old",
        WalkDefers = "walk_defers",
        WalkDefersStale = "walk_defers_stale",
        WalkWaits = "walk_waits_for_room",
        Flush = "flush",
        FlushWrong = "flush_wrong",
        AnswerWaits = "answer_waits_for_room",
        FillStale = "fill_stale",
        FillLate = "fill_late",
        FillAfterStore = "fill_after_store",
        FillPresent = "fill_present",
        FillInvalidWay = "fill_invalid_way",
        FillEvicts = "fill_evicts",
        FillNoWay = "fill_no_way",
        FillAsks = "fill_asks",
        FillPicked = "fill_picked",
        FillNotKept = "fill_not_kept",
        PickWrong = "pick_wrong",
        RenewStale = "renew_stale",
        RenewAfterStore = "renew_after_store",
        RenewAbsent = "renew_absent",
        Renew = "renew",
        AckWithoutLock = "ack_without_lock",
        AckStale = "ack_stale",
        AckStillLocked = "ack_still_locked",
        AckEnds = "ack_ends",
        AckDrops = "ack_drops",
        AckOld = "ack_old",
        AckMeetsLease = "ack_meets_lease",
        PendingWalks = "pending_walks",
        PendingRenews = "pending_renews",
        PendingAsks = "pending_asks",
        PendingLocked = "pending_locked",
        RequestWaits = "request_waits_for_room",
        Ld1 = "ld1",
        Ld1Spin = "ld1_spin",
        Ld2Stale = "ld2_stale",
        Ld2AfterStore = "ld2_after_store",
        Ld2Full = "ld2_full",
        Ld3 = "ld3",
        Ld4 = "ld4",
        Ld5 = "ld5",
        Ld6 = "ld6",
        Ld7 = "ld7",
        St1 = "st1",
        St2Pending = "st2_pending",
        St2Older = "st2_older",
        St3 = "st3",
        St4Present = "st4_present",
        St4Locked = "st4_locked",
        St4Absent = "st4_absent",
        St5Present = "st5_present",
        St5Locked = "st5_locked",
        St5Absent = "st5_absent",
        StorePasses = "store_passes_miss",
        BadRequest = "bad_request",
        BadFill = "bad_fill",
        BadAck = "bad_ack",
    }
}
