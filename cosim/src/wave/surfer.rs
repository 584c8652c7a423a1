//! Surfer's command file, for `surfer FILE.vcd -c FILE.sucl`. It has no closed groups: registers
//! are left out.

use std::fmt::Write as _;

use super::layout::Layout;

/// What the file's name ends in.
pub const ENDING: &str = "sucl";
/// How it begins.
pub const MARK: &str = "# written beside the waveform";

/// The text.
pub fn text(_: &str, layout: &Layout) -> String {
    let mut text = format!("{MARK}\n");
    for clock in &layout.clocks {
        writeln!(text, "variable_add {}", clock.name).unwrap();
    }
    for group in layout.groups.iter().filter(|group| group.is_open) {
        if let Some(name) = &group.name {
            // A name is one word: a dot would end it.
            let is_plain = |c: char| c.is_ascii_alphanumeric();
            writeln!(text, "divider_add {}", name.replace(|c| !is_plain(c), "_")).unwrap();
        }
        for variable in &group.variables {
            writeln!(text, "variable_add {}", variable.path).unwrap();
        }
    }
    if let Some(time) = layout.mismatch {
        writeln!(text, "cursor_set {time}\ngoto_cursor").unwrap();
    }
    text
}
