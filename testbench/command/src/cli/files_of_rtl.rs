//! Lines of the RTL, by a path that an editor can open.

use std::fs;

use bodies::Sources;

/// A file of the run's RTL as lines.
pub fn lines(sources: &Sources, block: &str, path: &str) -> Option<Vec<String>> {
    let files = sources.of_block(block).ok()?;
    let file = files.into_iter().find(|file| file.path == path)?;
    Some(String::from_utf8_lossy(&file.content).lines().map(str::to_string).collect())
}

/// A line of a file as an editor can open it: in the user's folder where the file still is what
/// ran, else in the bundle. `what`: what is said of it.
pub fn shown(sources: &Sources, block: &str, path: &str, number: usize, what: &str) -> String {
    let own = sources.shown(path);
    let text = fs::read(&own).ok().filter(|_| own != path);
    let text =
        text.map(|text| String::from_utf8_lossy(&text).lines().map(str::to_string).collect());
    match sources.folder() {
        Some(_) if text.is_none() || text != lines(sources, block, path) => {
            format!("{path}:{number} in the bundle: {what}")
        }
        _ => format!("{own}:{number}: {what}"),
    }
}
