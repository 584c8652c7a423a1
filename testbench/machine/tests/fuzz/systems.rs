//! System files with other values, other fields, other text.

use machine::{Bodies, Machine, Options, System};
use traces::trace::{Reader, Recorder};
use traces::workloads::SplitMix64;

use super::{Came, mangle, pick};

/// Values that no field wants, and some that another one does.
const VALUES: [&str; 22] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "64",
    "127",
    "4096",
    "65535",
    "65536",
    "1048576",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "99999999999999999999",
    "1e400",
    "nan",
    "\"\"",
    "\"software\"",
    "true",
    "[]",
];
/// Units of a machine that is small enough to be built.
const MOST_UNITS: u64 = 512;
const MOST_CACHE: u64 = 1 << 26;

/// All presets, as their files say it.
pub fn seeds() -> Vec<String> {
    let text = |name: String| toml::to_string(&machine::systems::load(&name, &[]).unwrap());
    machine::systems::names().into_iter().map(|name| text(name).unwrap()).collect()
}

/// Changes a file, reads it, and builds what it says.
pub fn try_one(random: &mut SplitMix64, seeds: &[String]) -> Came {
    let mut text = pick(random, seeds).clone();
    for _ in 0..random.below(4) {
        text = change(random, &text, seeds);
    }
    let mut set = Vec::new();
    if random.below(3) == 0 {
        let fields = ["l2.bytes", "machine.gpus", "cu", "name", "x", "", ".", "l1.design.x"];
        let value = pick(random, &VALUES).trim_matches('"');
        set.push((pick(random, &fields).to_string(), value.to_string()));
    }
    let Ok(system) = System::parse("fuzz.toml", &text, &set) else { return Came::Refused };
    let again = toml::to_string(&system).unwrap();
    assert_eq!(System::parse("again.toml", &again, &[]).as_ref(), Ok(&system));
    let m = &system.machine;
    let (gpus, chiplets) = (u64::from(m.gpus), u64::from(m.chiplets));
    let units = m.cus + system.l2.banks + system.l3.slices;
    let cache = u64::from(m.cus) * u64::from(system.l1.bytes) + system.l2.bytes + system.l3.bytes;
    if gpus * chiplets * u64::from(units) <= MOST_UNITS && gpus * chiplets * cache <= MOST_CACHE {
        let program = Recorder::in_memory("nothing").unwrap().into_bytes().unwrap();
        let program = Reader::from_bytes(program, "nothing").unwrap();
        // Sizes that fit one by one may not fit together.
        if let Ok(mut machine) =
            Machine::new(&system, &Bodies::default(), program, Options::default())
        {
            machine.run().unwrap();
        }
    }
    Came::Accepted
}

fn change(random: &mut SplitMix64, text: &str, seeds: &[String]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let at = random.below(lines.len().max(1) as u64) as usize;
    let other = pick(random, seeds);
    match random.below(10) {
        0..4 if at < lines.len() => {
            if let Some((key, _)) = lines[at].split_once('=') {
                lines[at] = format!("{key}= {}", pick(random, &VALUES));
            }
        }
        4 if at < lines.len() => drop(lines.remove(at)),
        5 if at < lines.len() => lines.insert(at, lines[at].clone()),
        6 => {
            let others: Vec<_> = other.lines().collect();
            lines.insert(at, pick(random, &others).to_string());
        }
        7 => {
            // Deep, long, or both.
            let piece = pick(random, &["[", "a.", "{a=", "[[", "\"", "#", "x", "\n", "[a.b]\n"]);
            let count = 1 << random.below(18);
            lines.insert(at, format!("a = {}", piece.repeat(count)));
            if random.below(2) == 0 {
                lines[at] = format!("{}z = 1", piece.repeat(count));
            }
        }
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            mangle(random, &mut bytes, other.as_bytes());
            return String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    lines.join("\n") + "\n"
}
