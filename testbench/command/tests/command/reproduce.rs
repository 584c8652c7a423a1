//! `duet reproduce` as a command.

use crate::desk::Desk;

#[test]
fn unknown_paper_is_wrong_use_and_names_the_legal_ones() {
    let desk = Desk::on_any_build("reproduce");
    let message = "paper frc: must be one of cpelide, finepack, race-detection, rec, stc, all";
    desk.refuses(2, "reproduce frc", &[message]);
}
