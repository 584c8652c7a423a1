//! `duet reproduce` as a command.

use std::process::Command;

#[test]
fn unknown_paper_is_wrong_use_and_names_the_legal_ones() {
    let output = Command::new(env!("CARGO_BIN_EXE_duet")).args(["reproduce", "frc"]).output();
    let output = output.expect("duet runs");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("paper frc: must be one of cpelide, finepack, rec, all"), "{message}");
}
