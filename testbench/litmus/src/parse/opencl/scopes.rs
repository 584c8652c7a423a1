//! Behind the threads: `scopeTree (device (work_group P0 P1) (work_group P2))`, and regions of
//! locations, `x: global`.

use super::super::words::{Word, Words};
use super::super::writer::Writer;
use super::super::{ParseError, condition};
use super::{find_location, no_region};
use crate::test::Test;

const DEVICES: [&str; 3] = ["device", "dev", "gpu"];
const GROUPS: [&str; 4] = ["work_group", "workgroup", "wg", "cta"];
const WAVES: [&str; 7] = ["sub_group", "subgroup", "sg", "wave", "wavefront", "warp", "simd"];
const OTHERS: [&str; 6] = ["system", "all_svm_devices", "all_devices", "kernel", "work_item", "wi"];

/// Where a node of the tree stands.
#[derive(Clone, Copy, Default)]
struct Node {
    device: Option<u32>,
    group: Option<u32>,
    /// Waves are numbered, too: threads of one would be one thread of the machine.
    wave: Option<u32>,
}

struct Tree<'a> {
    threads: &'a mut [Writer],
    placed: Vec<bool>,
    waves: Vec<u32>,
    nodes: u32,
}

/// Reads what is there of both.
pub fn read(
    words: &mut Words,
    test: &Test,
    is_placed: bool,
    threads: &mut [Writer],
) -> Result<(), ParseError> {
    if ["scopeTree", "scopes"].iter().any(|word| words.pass_if(word)) {
        words.pass_if(":");
    }
    let first = words.peek();
    if first.text == "(" {
        if is_placed {
            return Err(words.error(
                &first,
                "starts a scope tree, but the threads already have \
                                            places",
            ));
        }
        let placed = vec![false; threads.len()];
        let mut tree = Tree { threads, placed, waves: Vec::new(), nodes: 0 };
        while words.peek().text == "(" {
            tree.node(words, Node::default())?;
        }
        if let Some(number) = tree.placed.iter().position(|is_placed| !is_placed) {
            let problem = format!("starts a scope tree without P{number}: must have all threads");
            return Err(words.error(&first, &problem));
        }
    }
    while !condition::begins(words) {
        let name = words.next();
        find_location(words, &name, &test.locations)?;
        words.must(":", ":, before the location's region")?;
        let region = words.next();
        if region.text != "global" {
            return Err(no_region(words, &region));
        }
        let _ = words.pass_if(";") || words.pass_if(",");
    }
    Ok(())
}

impl Tree<'_> {
    fn node(&mut self, words: &mut Words, mut at: Node) -> Result<(), ParseError> {
        words.must("(", "(")?;
        let name = words.next();
        let own = Some(self.nodes);
        self.nodes += 1;
        let is = |names: &[&str]| names.contains(&&name.text[..]);
        if is(&DEVICES) {
            at.device = own;
        } else if is(&GROUPS) {
            at.group = own;
        } else if is(&WAVES) {
            at.wave = own;
        } else if !is(&OTHERS) {
            let known = [&DEVICES[..], &GROUPS, &WAVES, &OTHERS].concat().join(", ");
            return Err(words.error(&name, &format!("must be a scope: one of {known}")));
        }
        loop {
            let word = words.peek();
            match &word.text[..] {
                "(" => self.node(words, at)?,
                ")" => {
                    words.next();
                    return Ok(());
                }
                _ => {
                    words.next();
                    self.thread(words, &word, at)?;
                }
            }
        }
    }

    fn thread(&mut self, words: &Words, word: &Word, at: Node) -> Result<(), ParseError> {
        let number = condition::thread(&word.text).filter(|_| word.text.starts_with('P'));
        let Some(number) = number.filter(|&number| number < self.threads.len()) else {
            let last = self.threads.len() - 1;
            return Err(words.error(word, &format!("must be a thread, P0 to P{last}, ( or )")));
        };
        if std::mem::replace(&mut self.placed[number], true) {
            return Err(words.error(word, "is already in the scope tree"));
        }
        if let Some(wave) = at.wave {
            if self.waves.contains(&wave) {
                let problem = "shares a sub-group with another thread, but each thread is a wave \
                               of its own";
                return Err(words.error(word, problem));
            }
            self.waves.push(wave);
        }
        let thread = &mut self.threads[number].thread;
        // Without a work-group it has one of its own: nodes have these numbers.
        thread.cta = at.group.unwrap_or(u32::MAX - number as u32);
        thread.gpu = at.device.unwrap_or(0);
        Ok(())
    }
}
