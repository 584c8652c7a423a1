//! The presets: systems of the papers, and their scaled-down twins.

use std::path::Path;

use crate::machine::{System, SystemError};

/// Presets, by name.
const PRESETS: [(&str, &str); 1] = [("cpelide-4", include_str!("../systems/cpelide-4.toml"))];

/// The preset or system file that `name` is, with some values replaced.
pub fn load(name: &str, set: &[(String, String)]) -> Result<System, SystemError> {
    if let Some((name, text)) = PRESETS.iter().find(|(preset, _)| *preset == name) {
        return System::parse(name, text, set);
    }
    let syntax = |message: String| SystemError::Syntax { file: name.to_string(), message };
    if Path::new(name).extension().is_none() {
        return Err(syntax(format!("is neither a file nor one of {}", names().join(", "))));
    }
    let text = std::fs::read_to_string(name).map_err(|e| syntax(e.to_string()))?;
    System::parse(name, &text, set)
}

/// Names of all presets.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}
