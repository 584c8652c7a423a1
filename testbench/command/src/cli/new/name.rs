//! The name of a new block or design.

use std::path::Path;

use cosim::blocks;

use super::keywords::{CARGO, RUST, SYSTEM_VERILOG, holds};
use super::template::{self, Template};
use crate::catalog;
use crate::cli::RTL;
use crate::cli::cosim::FINEPACK;

/// A legal name.
#[derive(Debug)]
pub struct Name(String);

impl Name {
    /// Errors: why a crate of this template cannot have the name.
    pub fn new(name: &str, template: &Template) -> Result<Self, String> {
        let new = Self(name.to_string());
        match new.problem(template) {
            Some(problem) => Err(format!("name {name}: {problem}")),
            None => Ok(new),
        }
    }

    /// Of the block, of its RTL and of the folder.
    pub fn snake(&self) -> &str {
        &self.0
    }

    /// Of types.
    pub fn camel(&self) -> String {
        let upper = |word: &str| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        };
        self.0.split('_').map(upper).collect()
    }

    /// Of the crate, its command, and the design.
    pub fn kebab(&self) -> String {
        self.0.replace('_', "-")
    }

    fn problem(&self, template: &Template) -> Option<String> {
        let name = &self.0[..];
        if !is_snake_case(name) {
            return Some(
                "must be snake_case, as my_block: 1 to 64 of a to z, 0 to 9 and single \
                 underscores between them, a letter first"
                    .to_string(),
            );
        }
        for (list, what) in [
            (RUST, "is a keyword of Rust"),
            (SYSTEM_VERILOG, "is a keyword of SystemVerilog"),
            (CARGO, "is a name that cargo or rustc uses"),
        ] {
            if holds(list, name) {
                return Some(what.to_string());
            }
        }
        for block in [name, &template.block(self)] {
            if block == FINEPACK || blocks::find(block).is_some() {
                return Some(format!("{block} is a block of this command"));
            }
            let is_own = |path: &&str| Path::new(path).file_stem().is_some_and(|s| s == block);
            let own = RTL.iter().map(|(path, _)| *path);
            if let Some(path) = own.into_iter().find(|path| is_own(path)) {
                return Some(format!("{block} is a module of this command: rtl/{path}"));
            }
        }
        let kebab = self.kebab();
        if catalog::protocols().iter().any(|entry| entry.name == kebab) {
            return Some(format!("{kebab} is a design or policy of this command"));
        }
        if template::crates().any(|of_duet| of_duet == kebab) {
            return Some(format!("{kebab} is a crate that duet is built of"));
        }
        let camel = self.camel();
        let clash = template.identifiers().any(|word| word == camel);
        clash.then(|| format!("the template has another use of {camel}"))
    }
}

fn is_snake_case(name: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9'));
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('_').all(is_word)
}
