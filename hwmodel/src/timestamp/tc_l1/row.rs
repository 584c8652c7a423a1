//! What a cycle was, by the specification's tables.

use crate::timestamp::l1::rows::rows;

rows! {
    /// A row of the tables of specification 5.1 to 5.3 and 12, or why there was no action.
    pub enum Row {
        WalkServes = "walk_serves",
        WalkDefers = "walk_defers",
        WalkWaits = "walk_waits_for_room",
        Flush = "flush",
        AnswerWaits = "answer_waits_for_room",
        FillAfterStore = "fill_after_store",
        FillLate = "fill_late",
        FillPresent = "fill_present",
        FillInvalidWay = "fill_invalid_way",
        FillEvicts = "fill_evicts",
        FillAsks = "fill_asks",
        FillPicked = "fill_picked",
        FillNotKept = "fill_not_kept",
        PickWrong = "pick_wrong",
        PendingAsks = "pending_asks",
        RequestWaits = "request_waits_for_room",
        Ld1 = "ld1",
        Ld2AfterStore = "ld2_after_store",
        Ld2Full = "ld2_full",
        Ld3 = "ld3",
        Ld4 = "ld4",
        Ld6 = "ld6",
        Ld7 = "ld7",
        St1 = "st1",
        St2Older = "st2_older",
        St3 = "st3",
        St4Present = "st4_present",
        St4Absent = "st4_absent",
        St5Present = "st5_present",
        St5Absent = "st5_absent",
        StorePasses = "store_passes_miss",
        BadRequest = "bad_request",
        BadFill = "bad_fill",
        Ack = "ack",
        AckMeetsLease = "ack_meets_lease",
        BadAck = "bad_ack",
    }
}
