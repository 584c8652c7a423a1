//! Bad system files and names: an error that says where, never a panic.

use std::collections::BTreeSet;

use machine::systems;
use machine::{Bodies, Machine, Options, System};
use proptest::prelude::*;

use super::{preset, record};

const GOOD: &str = include_str!("../../../systems/stc-8cu.toml");

/// The message about the good file with `from` replaced by `to`.
fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    System::parse("m.toml", &text, &[]).expect_err(to).to_string()
}

/// Line of the good file that begins with `start`, from 1.
fn line(start: &str) -> usize {
    1 + GOOD.lines().position(|l| l.starts_with(start)).unwrap()
}

#[test]
fn bad_values_are_refused_with_file_and_line() {
    let at = |start: &str| format!("m.toml:{}: ", line(start));
    let message = refused("cus = 8 ", "cus = 0 ");
    assert_eq!(message, at("cus = ") + "machine.cus: 0 is not 1 to 512");
    let message = refused("bytes = 524288", "bytes = 524289");
    assert!(message.starts_with(&at("bytes = 524288")), "{message}");
    let message = refused("policy = \"home-forward\"", "policy = \"far\"");
    let place = at("policy = \"home");
    assert_eq!(message, place + "l2.policy: \"far\" is none of private, home-forward");
    let message = refused("bytes = 65536", "bytes = 4294967295");
    assert!(message.contains("l1.bytes: 4294967295 is not 1 to 1048576"), "{message}");
    let message = refused("latency = 100", "latency = 10001");
    assert!(message.contains("l2.latency: 10001 is not 1 to 10000"), "{message}");
}

#[test]
fn bad_syntax_is_refused_with_file_and_line() {
    for (from, to, start, words) in [
        ("cus = 8 ", "cus = 8\ncu5 = 8 ", "cus = ", "unknown field `cu5`"),
        ("cus = 8 ", "cus = \"8\" ", "cus = ", "invalid type: string"),
        ("cus = 8 ", "cus = -8 ", "cus = ", "invalid value"),
        ("cus = 8 ", "cus = 70000 ", "cus = ", "invalid value"),
        ("cus = 8 ", "cus = 8\ncus = 8 ", "cus = ", "duplicate key"),
        ("cus = 8 ", "cus = 8 8 ", "cus = ", "TOML parse error"),
        ("[l1]", "[l1", "[l1]", "table"),
        ("cus = 8 ", "# ", "[machine]", "missing field `cus`"),
    ] {
        let message = refused(from, to);
        assert!(message.starts_with("m.toml: "), "{message}");
        let (first, second) = (line(start), line(start) + 1);
        let place = |line: usize| message.contains(&format!("at line {line},"));
        assert!(place(first) || place(second), "line {first} in: {message}");
        assert!(message.contains(words), "{words:?} in: {message}");
    }
    assert!(refused("[l1]", "[l9]").contains("missing field `l1`"));
    assert!(refused("[l1]", "[ll]").ends_with("; did you mean l1?"));
    assert!(refused("waves = 40", "wave = 40").ends_with("; did you mean waves?"));
    let message = refused("[l1]", "[l9]\nbytes = 1\n\n[l1]");
    let place = format!("m.toml:{}: l9: there is no such section", line("[l1]"));
    assert!(message.starts_with(&place), "{message}");
    let long = "#".repeat((1 << 20) + 1);
    let message = System::parse("m.toml", &long, &[]).unwrap_err().to_string();
    assert_eq!(message, "m.toml: 1048577 bytes; at most 1048576");
}

#[test]
fn settings_are_checked_like_files() {
    let set = |key: &str, value: &str| {
        let pair = [(key.to_string(), value.to_string())];
        systems::load("stc-8cu-small", &pair).map_err(|e| e.to_string())
    };
    assert_eq!(set("machine.cus", "4").unwrap().machine.cus, 4);
    let message = set("machine.cus", "0").unwrap_err();
    assert_eq!(message, "stc-8cu-small: machine.cus: 0 is not 1 to 512");
    for value in ["x", "-1", "1.5", "65536", "9223372036854775808", "", "4 "] {
        let message = set("machine.cus", value).unwrap_err();
        let limit = "must be a whole number, 1 to 512";
        assert_eq!(message, format!("--set machine.cus={value}: {limit}"));
    }
    for (key, limit) in [
        ("l2.bytes", "a whole number, 1 to 268435456"),
        ("egress.timeout", "a whole number, 0 to 65535"),
        ("scale", "a number that divides the 8 CUs of a chiplet of stc-8cu"),
        ("cu.exclusive_lines", "true or false"),
        ("gpu_link.bytes_per_ns", "a number, 0.001 to 1024, up to six decimals"),
    ] {
        assert_eq!(set(key, "x").unwrap_err(), format!("--set {key}=x: must be {limit}"));
    }
    assert!(set("machine.nosuch", "1").unwrap_err().starts_with("--set machine.nosuch: "));
    assert!(set("machine", "1").is_err() && set("", "1").is_err() && set("a..b", "1").is_err());
}

#[test]
fn unknown_names_are_refused_with_those_that_there_are() {
    let message = systems::load("nosuch", &[]).unwrap_err().to_string();
    let all = format!("(duet list systems shows all {})", systems::names().len());
    assert!(message.contains(&all), "{message}");
    let message = systems::load("stc-8cu-smal", &[]).unwrap_err().to_string();
    assert!(message.contains("nor one of stc-8cu-small, "), "{message}");
    assert!(
        systems::load("nosuch.toml", &[]).unwrap_err().to_string().starts_with("nosuch.toml: ")
    );
    assert!(systems::load("stc-8cu-small-small", &[]).is_err());
}

/// One change to a text of lines.
#[derive(Clone, Debug)]
enum Change {
    /// A line goes.
    Drop(usize),
    /// A line stands twice.
    Double(usize),
    /// Two lines change places.
    Swap(usize, usize),
    /// What stands behind a line's `=`.
    Value(usize, String),
    /// A character is put into a line.
    Insert(usize, usize, char),
    /// The text ends in the middle of a line.
    Cut(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..GOOD.lines().count();
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (0u32..40).prop_map(|n| n.to_string()),
        (0u32..40).prop_map(|n| (1u64 << n).to_string()),
    ];
    let odd = prop::sample::select(vec![
        "-1",
        "1.5",
        "nan",
        "true",
        "\"\"",
        "[]",
        "{}",
        "[[1]]",
        "{a = 1}",
        "\"software\"",
        "0x10",
        "1979-05-27",
        "99999999999999999999",
        "'",
        "\"\"\"",
        "=",
    ]);
    let value = prop_oneof![4 => number, 1 => odd.prop_map(String::from)];
    let character = prop_oneof![prop::char::range(' ', '~'), any::<char>()];
    prop_oneof![
        1 => at.clone().prop_map(Change::Drop),
        1 => at.clone().prop_map(Change::Double),
        1 => (at.clone(), at.clone()).prop_map(|(a, b)| Change::Swap(a, b)),
        6 => (at.clone(), value).prop_map(|(at, v)| Change::Value(at, v)),
        2 => (at.clone(), 0usize..40, character).prop_map(|(a, k, c)| Change::Insert(a, k, c)),
        1 => (at, 0usize..40).prop_map(|(a, k)| Change::Cut(a, k)),
    ]
}

fn apply(lines: &mut Vec<String>, change: Change) {
    let count = lines.len().max(1);
    let inside = |line: &String, at: usize| line.char_indices().nth(at).map_or(line.len(), |c| c.0);
    match change {
        _ if lines.is_empty() => {}
        Change::Drop(at) => drop(lines.remove(at % count)),
        Change::Double(at) => lines.insert(at % count, lines[at % count].clone()),
        Change::Swap(a, b) => lines.swap(a % count, b % count),
        Change::Value(at, value) => {
            let line = &mut lines[at % count];
            if let Some((key, _)) = line.split_once('=') {
                *line = format!("{key}= {value}");
            }
        }
        Change::Insert(at, k, c) => {
            let line = &mut lines[at % count];
            line.insert(inside(line, k), c);
        }
        Change::Cut(at, k) => {
            lines.truncate(at % count + 1);
            let line = lines.last_mut().expect("one is left");
            line.truncate(inside(line, k));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1000)
    })]

    /// A changed file is either refused, with its name and a line, or parsed, and can be tried.
    #[test]
    fn changed_files_are_refused_or_build(changes in prop::collection::vec(change(), 1..4)) {
        let empty = record(|_| {});
        let mut lines: Vec<String> = GOOD.lines().map(String::from).collect();
        changes.into_iter().for_each(|change| apply(&mut lines, change));
        match System::parse("m.toml", &lines.join("\n"), &[]) {
            Ok(system) => {
                let m = &system.machine;
                let cus = u32::from(m.gpus) * u32::from(m.chiplets) * u32::from(m.cus);
                if cus <= 64 && system.network.queue <= 64 {
                    // Errors are as good as a machine here.
                    let (trace, options) = (empty.reopen().unwrap(), Options::default());
                    drop(Machine::new(&system, &Bodies::default(), trace, options));
                }
            }
            Err(error) => {
                let text = error.to_string();
                prop_assert!(text.starts_with("m.toml"), "{}", text);
                let placed = text[6..].starts_with(':') && text.contains(" line ");
                let numbered = text[7..].starts_with(|c: char| c.is_ascii_digit());
                prop_assert!(placed || numbered, "{}", text);
            }
        }
    }
}

#[test]
fn every_preset_is_what_its_text_says_after_a_round_trip() {
    for name in systems::names() {
        let system = preset(&name);
        let text = toml::to_string(&system).unwrap();
        assert_eq!(System::parse(&name, &text, &[]).unwrap(), system, "{name}");
    }
}

/// What a value stands on: `systems show` says it of each.
#[test]
fn a_shown_system_loads_as_itself_and_each_value_has_its_source() {
    let set = |pairs: &[(&str, &str)]| -> Vec<_> {
        pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    };
    let mut cases: Vec<_> = systems::names().into_iter().map(|name| (name, set(&[]))).collect();
    cases.push(("stc-8cu".into(), set(&[("l1.design", "stc-mb"), ("stc.wakeup", "200")])));
    cases.push(("fermi-16sm-small".into(), set(&[("l1.design", "race-spec")])));
    cases.push(("finepack-4gpu".into(), set(&[("finepack.beat", "64")])));
    for (name, set) in cases {
        let system = systems::load(&name, &set).unwrap();
        let text = systems::show(&name, &set).unwrap();
        assert_eq!(System::parse("new.toml", &text, &[]).unwrap(), system, "{name} {set:?}");
        for line in text.lines().filter(|line| line.contains(" = ") && !line.starts_with("# ")) {
            let (_, source) = line.split_once("# ").unwrap_or_else(|| panic!("{name}: {line}"));
            assert!(!source.is_empty(), "{name}: {line}");
        }
        // What is commented out can be set, and changes nothing: it is the value that holds.
        let on: Vec<_> = text
            .lines()
            .map(|l| l.strip_prefix('#').filter(|l| !l.starts_with(' ')).unwrap_or(l))
            .collect();
        let whole = System::parse("whole.toml", &on.join("\n"), &[]).unwrap();
        for section in machine::own_sections(&system) {
            assert_eq!(whole.section(section), system.section(section), "{name} {}", section.name);
            let given = whole.given(section).map_or(0, |given| given.len());
            assert_eq!(given, section.free().count(), "{name}: {}", section.name);
        }
    }
}

#[test]
fn every_field_of_a_section_is_declared_with_meaning_and_source() {
    let mut fields = 0;
    for design in machine::names("l1.design") {
        let mut system = preset("stc-8cu-small");
        system.l1.design = design.to_string();
        for section in machine::own_sections(&system) {
            let table = (section.default)(&system).unwrap();
            let declared: BTreeSet<_> =
                section.fields.iter().copied().flatten().map(|field| field.key).collect();
            let keys: BTreeSet<_> = table.keys().map(String::as_str).collect();
            assert_eq!(declared, keys, "{design}: [{}]", section.name);
            for field in section.fields.iter().copied().flatten() {
                let is_told = !field.about.trim().is_empty() && !field.source.is_empty();
                assert!(is_told, "{design}: {}.{}", section.name, field.key);
                fields += 1;
            }
        }
    }
    assert!(fields > 100, "only {fields} fields of designs");
}

#[test]
fn an_entry_of_a_directory_lies_in_one_bank() {
    let load = |set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        systems::load("rec-4gpu-small", &set).map(|_| ()).map_err(|e| e.to_string())
    };
    let small = ("l2.interleave", "512");
    assert_eq!(load(&[small]), Ok(()));
    assert_eq!(load(&[small, ("l2.design", "hmg")]), Ok(()));
    assert_eq!(
        load(&[small, ("l2.design", "rec")]).unwrap_err(),
        "rec-4gpu-small: l2.interleave: 512: must be at least 1024, the bytes that an entry covers \
         with l2.design = rec"
    );
    for (value, problem) in [
        ("32", "32: must be at least machine.line, where machine.line = 64"),
        ("96", "96 is not a power of 2, 32 to 4096"),
    ] {
        let message = load(&[("l2.interleave", value)]).unwrap_err();
        assert_eq!(message, format!("rec-4gpu-small: l2.interleave: {problem}"));
    }
}

/// What the L2 design brings counts, not what the file says: by `--set` and in a file alike.
#[test]
fn limits_are_of_what_the_machine_will_use() {
    let message =
        refused_with("cpelide-4-small", "l2.design=cpelide command_processor.home_aware=true");
    let limit = "must be false unless l2.policy = home-forward, with no directory";
    assert_eq!(message, format!("cpelide-4-small: command_processor.home_aware: true: {limit}"));
    let directories = ["directory", "hmg", "rec", "ideal"];
    for design in directories {
        let set =
            format!("l2.design={design} l2.policy=home-forward command_processor.home_aware=true");
        let message = refused_with("cpelide-4-small", &set);
        assert!(
            message.ends_with(&format!("command_processor.home_aware: true: {limit}")),
            "{message}"
        );
        let system = systems::load("cpelide-4-small", &[]).unwrap();
        let text = toml::to_string(&system).unwrap();
        let text = text
            .replace("home_aware = false", "home_aware = true")
            .replace("policy = \"private\"", "policy = \"home-forward\"")
            .replacen("design = \"software\"", &format!("design = \"{design}\""), 1);
        let line = 1 + text.lines().position(|line| line.starts_with("home_aware")).unwrap();
        let message = System::parse("m.toml", &text, &[]).expect_err(design).to_string();
        assert_eq!(message, format!("m.toml:{line}: command_processor.home_aware: true: {limit}"));
    }
    let set = "l2.design=cpelide l2.policy=home-forward command_processor.home_aware=true";
    assert_eq!(refusal("cpelide-4-small", set), None);
}

/// Limits of blocks whose parameters follow from the machine are said by its fields.
#[test]
fn limits_of_blocks_are_said_by_fields_of_the_file() {
    let banks = "l1.design=gtsc-rc l2.design=own l2.policy=home-forward l2.ways=2 l2.banks=32 \
                 l2.bytes=131072 machine.line=128 l1.ways=2 l1.bytes=2048";
    let message = refused_with("fermi-16sm", banks);
    let expected = "fermi-16sm: l2.banks: 32: L2 banks of a GPU, rounded up to a power of 2, 32: \
                    must be a power of 2, 1 to 16 with l1.design = gtsc-rc";
    assert_eq!(message, expected);
    let message = refused_with("cpelide-4-small", "machine.gpus=16 l2.design=hmg");
    let nodes = "64 chiplets of 16 GPUs: must be 1 to 16 with l2.design = hmg";
    assert_eq!(message, format!("cpelide-4-small: machine.chiplets: {nodes}"));
    let text = toml::to_string(&systems::load("rec-4gpu-small", &[]).unwrap()).unwrap();
    let text = text.replacen("[finepack]\n", "[finepack]\nmax_payload = 28\n", 1);
    let message = System::parse("m.toml", &text, &[]).unwrap_err().to_string();
    let line = 1 + text.lines().position(|line| line.starts_with("max_payload")).unwrap();
    assert!(
        message.starts_with(&format!("m.toml:{line}: finepack.max_payload: 28: must be")),
        "{message}"
    );
}

/// What is no regular file with something in it is not read.
#[test]
fn folders_devices_and_files_that_are_empty_or_huge_are_refused() {
    let refused = |name: &str| systems::load(name, &[]).expect_err(name).to_string();
    let folder = std::env::temp_dir().join(format!("duet-system-files-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("x.toml")).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    for name in [path(""), path("x.toml")] {
        assert_eq!(refused(&name), format!("{name}: is a folder; a system file is a TOML file"));
    }
    let file = path("y.toml");
    for text in ["", " \n\n"] {
        std::fs::write(&file, text).unwrap();
        let message = format!("{file}: is empty; `duet systems new` writes a system file");
        assert_eq!(refused(&file), message);
    }
    // Sparse: nothing reads it.
    std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(refused(&file), format!("{file}: {} bytes; at most 1048576", 1u64 << 40));
    std::fs::write(path("plain"), GOOD).unwrap();
    assert_eq!(systems::load(&path("plain"), &[]).unwrap(), preset("stc-8cu"));
    #[cfg(unix)]
    {
        let special =
            "is a special file, such as a device or pipe; a system file is a regular file";
        assert_eq!(refused("/dev/null"), format!("/dev/null: {special}"));
        let socket = path("socket.toml");
        let _held = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(refused(&socket), format!("{socket}: {special}"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The message of what refuses a preset with some values replaced.
fn refusal(name: &str, set: &str) -> Option<String> {
    let pairs = set.split_whitespace().map(|pair| pair.split_once('=').unwrap());
    let set: Vec<_> = pairs.map(|(k, v)| (k.to_string(), v.to_string())).collect();
    systems::load(name, &set).err().map(|error| error.to_string())
}

fn refused_with(name: &str, set: &str) -> String {
    refusal(name, set).unwrap_or_else(|| panic!("{name} with {set} is accepted"))
}
