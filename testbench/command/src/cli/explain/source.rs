//! Where in the RTL a difference comes about: file and line.

use std::fs;

use bodies::Sources;
use cosim::Mismatch;
use cosim::inspect::Inspected;
use cosim::registers::model_name;

use super::line;
use super::rtl::{Place, Rtl};

/// Shows which line assigns what differs first, and before it which lines the user has changed.
pub fn tell(mismatch: &Mismatch, block: &str) {
    let Ok(sources) = Sources::current() else { return };
    let place = Rtl::of_block(&sources, block).and_then(|rtl| find(&rtl, mismatch, block));
    tell_changes(&sources, block, place.as_ref());
    if let Some(place) = place {
        line("source", &of(&sources, block, &place));
    }
}

/// What assigns the first register that differs, or the port's field where none does.
fn find(rtl: &Rtl, mismatch: &Mismatch, block: &str) -> Option<Place> {
    let registers = mismatch.first.iter().flat_map(|first| &first.registers);
    let mut registers = registers.filter_map(|(name, ..)| path_of(mismatch, name));
    let field = mismatch.differences.first().map(|first| &first.field);
    registers.find_map(|path| rtl.register(block, path)).or_else(|| rtl.output(block, field?))
}

/// The RTL's path of a register that both implementations have.
fn path_of<'a>(mismatch: &'a Mismatch, name: &str) -> Option<&'a str> {
    let Some(Inspected::Registers { rtl, .. }) = &mismatch.inside else { return None };
    rtl.iter().map(|(path, _)| path.as_str()).find(|path| model_name(path) == name)
}

/// A file of the run's RTL as lines.
fn lines(sources: &Sources, block: &str, path: &str) -> Option<Vec<String>> {
    let files = sources.of_block(block).ok()?;
    let file = files.into_iter().find(|file| file.path == path)?;
    Some(String::from_utf8_lossy(&file.content).lines().map(str::to_string).collect())
}

/// A line of a file as an editor can open it: in the user's folder where the file still is what
/// ran, else in the bundle. `what`: what is said of it.
fn shown(sources: &Sources, block: &str, path: &str, number: usize, what: &str) -> String {
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

/// A place, and what stands there.
fn of(sources: &Sources, block: &str, place: &Place) -> String {
    let text = lines(sources, block, &place.path).and_then(|l| l.get(place.line - 1).cloned());
    shown(sources, block, &place.path, place.line, text.unwrap_or_default().trim())
}

/// Shows where files differ from those in this program: the file of `place` before the others.
fn tell_changes(sources: &Sources, block: &str, place: Option<&Place>) {
    if sources.folder().is_none() {
        return;
    }
    let (Ok(files), built_in) = (sources.of_block(block), Sources::built_in()) else { return };
    let mut paths: Vec<_> = files.into_iter().map(|file| file.path).collect();
    paths.sort_by_key(|path| place.is_none_or(|place| place.path != *path));
    let mut label = "changed";
    for path in paths {
        let [now, before] = [sources, &built_in].map(|sources| lines(sources, block, &path));
        let (Some(now), Some(before)) = (now, before) else { continue };
        let Some([first, last]) = changed(&now, &before) else { continue };
        let what = match () {
            _ if first > last => "lines are missing before this one".to_string(),
            _ if first == last => now[first - 1].trim().to_string(),
            _ => format!("to line {last}"),
        };
        let text = shown(sources, block, &path, first, &what);
        line(label, &format!("{text} (this program's RTL differs)"));
        label = "";
    }
}

/// The lines, from 1, between those that both texts have at their beginning and at their end; the
/// first after the last where there are none left.
fn changed(now: &[String], before: &[String]) -> Option<[usize; 2]> {
    let same = |(a, b): &(&String, &String)| a == b;
    let head = now.iter().zip(before).take_while(same).count();
    let tail = now[head..].iter().rev().zip(before[head..].iter().rev()).take_while(same).count();
    let is_same = head + tail == now.len() && now.len() == before.len();
    (!is_same).then(|| [head + 1, now.len() - tail])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_those_between_the_same() {
        let lines = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        for (now, before, expected) in [
            ("a b c", "a b c", None),
            ("a x c", "a b c", Some([2, 2])),
            ("a x y c", "a b c", Some([2, 3])),
            ("a c", "a b c", Some([2, 1])),
            ("a b b c", "a b c", Some([3, 3])),
            ("x", "a b c", Some([1, 1])),
        ] {
            assert_eq!(changed(&lines(now), &lines(before)), expected, "{now}");
        }
    }
}
