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

/// What failed assertions of a block have printed, each with the path of its file.
pub fn assertions(text: &str, block: &str) -> String {
    let Ok(sources) = Sources::current() else { return text.to_string() };
    let files = sources.of_block(block).unwrap_or_default();
    let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
    let line = |line: &str| match place(line, &paths) {
        Some((path, number, what)) => shown(&sources, block, path, number, what),
        None => line.to_string(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

/// The file, line and message of what Verilator prints: `%Error: NAME:LINE: MESSAGE`.
fn place<'a, 'b>(text: &'a str, paths: &[&'b str]) -> Option<(&'b str, usize, &'a str)> {
    let (_, rest) = text.strip_prefix('%')?.split_once(": ")?;
    let (at, what) = rest.split_once(": ")?;
    let (name, number) = at.split_once(':')?;
    let path = paths.iter().find(|path| path.rsplit('/').next() == Some(name))?;
    Some((path, number.parse().ok()?, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_assertions_name_a_file_of_the_block() {
        let paths = ["common/duet_fifo.sv", "m/m.sv", "m/other_m.sv"];
        let text = "%Error: m.sv:149: Assertion failed in TOP.m.Fits: it: is full";
        let what = "Assertion failed in TOP.m.Fits: it: is full";
        assert_eq!(place(text, &paths), Some(("m/m.sv", 149, what)));
        for text in ["m.sv:1: text", "%Error: n.sv:1: text", "%Error: m.sv:x: text", "%Error: text"]
        {
            assert_eq!(place(text, &paths), None, "{text}");
        }
    }
}
