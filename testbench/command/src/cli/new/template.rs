//! The crates of `examples/` as templates: embedded, with other names and another path of duet.

use super::name::Name;
use super::source::Source;

/// What a text of a new crate is made of.
type Make = fn(&Name) -> String;

/// A crate of `examples/`.
pub struct Template {
    /// Path and content of each file.
    files: &'static [(&'static str, &'static str)],
    /// Names in the files, and what stands for each in a new crate.
    names: &'static [(&'static str, Make)],
    /// How much each crate that takes part in a cycle is optimised.
    optimised: &'static [(&'static str, u8)],
    /// The block of a new crate.
    block: Make,
    /// What a new crate has.
    of: Make,
    /// Arguments of a first run.
    example: Make,
}

macro_rules! files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$((
            $path,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../examples/",
                $folder,
                "/",
                $path
            )),
        )),+]
    };
}

/// What cargo and the command write into the crate.
const IGNORED: &str = "/target\n/out\n";

/// The versions that duet is tested with.
const LOCK: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"));

/// A block.
pub const BLOCK: Template = Template {
    files: files!["word_fifo":
        "Cargo.toml",
        "README.md",
        "configs/word_fifo.toml",
        "rtl/word_fifo/README.md",
        "rtl/word_fifo/word_fifo.sv",
        "src/main.rs",
        "src/model.rs",
        "src/ports.rs",
        "src/stimulus.rs",
        "tests/command.rs",
    ],
    names: &[
        ("word_fifo", |name| name.snake().to_string()),
        ("WordFifo", Name::camel),
        ("word-fifo", Name::kebab),
    ],
    optimised: &[("bodies", 1), ("cosim", 1), ("hwmodel", 1), ("ports", 1)],
    block: |name| name.snake().to_string(),
    of: |name| format!("block {}", name.snake()),
    example: |name| format!("cosim {} --cycles 100000", name.snake()),
};

/// An L1 design with a block.
pub const DESIGN: Template = Template {
    files: files!["request_limiter":
        "Cargo.toml",
        "README.md",
        "configs/request_limiter.toml",
        "rtl/request_limiter/README.md",
        "rtl/request_limiter/request_limiter.sv",
        "src/design.rs",
        "src/limiter/mod.rs",
        "src/limiter/model.rs",
        "src/limiter/ports.rs",
        "src/limiter/stimulus.rs",
        "src/main.rs",
        "tests/command.rs",
    ],
    names: &[
        ("request_limiter", |name| format!("{}_limiter", name.snake())),
        ("RequestLimiter", |name| format!("{}Limiter", name.camel())),
        ("request-limiter", Name::kebab),
        ("src-limited", Name::kebab),
    ],
    optimised: &[
        ("bodies", 1),
        ("cosim", 3),
        ("hwmodel", 3),
        ("machine", 3),
        ("ports", 3),
        ("traces", 3),
    ],
    block: |name| format!("{}_limiter", name.snake()),
    of: |name| format!("L1 design {} with block {}_limiter", name.kebab(), name.snake()),
    example: |name| {
        let (design, block) = (name.kebab(), name.snake());
        format!(
            "run --system cpelide-4-small --workload reuse --set l1.design={design} \
             --impl {block}_limiter=lockstep"
        )
    },
};

/// The crates that a new one is built of.
pub fn crates() -> impl Iterator<Item = &'static str> {
    LOCK.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
}

impl Template {
    /// The block of a crate of this name.
    pub fn block(&self, name: &Name) -> String {
        (self.block)(name)
    }

    /// What a crate of this name has.
    pub fn of(&self, name: &Name) -> String {
        (self.of)(name)
    }

    /// Arguments of its command for a first run.
    pub fn example(&self, name: &Name) -> String {
        (self.example)(name)
    }

    /// Identifiers in the sources, but for the template's own names.
    pub fn identifiers(&self) -> impl Iterator<Item = &'static str> {
        let sources = self.files.iter().filter(|(path, _)| path.ends_with(".rs"));
        let lines = sources.flat_map(|(_, text)| text.lines());
        let code = lines.filter(|line| !line.trim_start().starts_with("//"));
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = code.flat_map(move |line| line.split(move |c| !is_part(c)));
        words.filter(|word| self.names.iter().all(|(own, _)| own != word))
    }

    /// Path and content of each file of a new crate.
    pub fn files(&self, name: &Name, source: &Source) -> Vec<(String, String)> {
        let each = self.files.iter().map(|(path, text)| {
            let text = self.renamed(text, name);
            let text = if *path == "Cargo.toml" { self.manifest(&text, source) } else { text };
            (self.renamed(path, name), text)
        });
        let others = [(".gitignore", IGNORED), ("Cargo.lock", LOCK)];
        each.chain(others.map(|(path, text)| (path.to_string(), text.to_string()))).collect()
    }

    /// The text with the new names. A new name may hold one of the template's.
    fn renamed(&self, mut text: &str, name: &Name) -> String {
        let mut all = String::new();
        let first = |text: &str| {
            let found =
                self.names.iter().filter_map(|(own, new)| Some((text.find(own)?, own, new)));
            found.min_by_key(|(at, ..)| *at)
        };
        while let Some((at, own, new)) = first(text) {
            all += &text[..at];
            all += &new(name);
            text = &text[at + own.len()..];
        }
        all + text
    }

    /// `Cargo.toml` of a crate outside duet's workspace.
    fn manifest(&self, text: &str, source: &Source) -> String {
        let mut all = String::new();
        for line in text.lines().skip_while(|line| line.starts_with('#')) {
            match line.split_once("path = \"../../") {
                Some((before, rest)) => {
                    let (path, after) = rest.split_once('"').expect("a path ends");
                    all += &format!("{before}{}{after}\n", source.dependency(path));
                }
                None => all += &format!("{line}\n"),
            }
        }
        all += "
# A workspace of its own, wherever the crate lies. To make it a member of yours, remove all below.
[workspace]

# Most of duet takes no part in a cycle: without optimisation it is built in a third of the time.
[profile.release]
lto = \"off\"

[profile.release.package.\"*\"]
opt-level = 0
";
        for (name, level) in self.optimised {
            all += &format!("\n[profile.release.package.{name}]\nopt-level = {level}\n");
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The files below a folder, by path.
    fn below(folder: &Path, root: &Path, into: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => below(&path, root, into),
                false => {
                    into.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_string());
                }
            }
        }
    }

    #[test]
    fn every_file_of_an_example_is_in_its_template() {
        for (folder, template) in [("word_fifo", BLOCK), ("request_limiter", DESIGN)] {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
            let mut there = BTreeSet::new();
            below(&root, &root, &mut there);
            let embedded: BTreeSet<_> =
                template.files.iter().map(|(path, _)| path.to_string()).collect();
            assert_eq!(embedded, there);
        }
    }

    /// A name that holds the template's is not replaced twice.
    #[test]
    fn new_crate_has_the_new_names_and_none_of_the_template() {
        let source = Source::Clone("/duet".to_string());
        for (template, new) in [
            (BLOCK, "my_word_fifo"),
            (BLOCK, "a"),
            (DESIGN, "my_src_limited"),
            (DESIGN, "my_request_limiter"),
        ] {
            let name = Name::new(new, &template).unwrap();
            let text: String = template
                .files(&name, &source)
                .into_iter()
                .filter(|(path, _)| path != "Cargo.lock")
                .map(|(path, text)| path + "\n" + &text)
                .collect();
            let mut rest = text.clone();
            for (_, new) in template.names {
                assert!(text.contains(&new(&name)));
                rest = rest.replace(&new(&name), "");
            }
            for (own, _) in template.names {
                assert!(!rest.contains(own), "{new}: {own} in {rest}");
            }
            assert!(!rest.contains("../.."), "{rest}");
        }
    }
}
