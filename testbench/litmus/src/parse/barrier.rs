//! Barriers that complete in every run, in the same way.

use std::cmp::Ordering;

use super::ParseError;
use super::words::Words;
use super::writer::{Use, Writer};
use crate::meeting::Meetings;
use crate::test::{Step, Test};

/// Refuses others.
pub fn check(words: &Words, test: &Test, threads: &[Writer]) -> Result<(), ParseError> {
    for writer in threads {
        writer.barriers.iter().try_for_each(|at| counts(words, writer, at, threads))?;
    }
    let Err((thread, step)) = Meetings::find(test) else { return Ok(()) };
    let is_barrier = |step: &&Step| matches!(step, Step::Barrier(_));
    let before = test.threads[thread].steps[..step].iter().filter(is_barrier).count();
    let problem = "waits for ever: the threads that meet there must come to their barriers in the \
                   same order, and equally often";
    Err(words.error(&threads[thread].barriers[before].word, problem))
}

/// That as many threads use a barrier as meet there.
fn counts(words: &Words, of: &Writer, at: &Use, threads: &[Writer]) -> Result<(), ParseError> {
    let place = |writer: &Writer| (writer.thread.gpu, writer.thread.cta);
    let uses = |writer: &&&Writer| writer.barriers.iter().any(|other| other.number == at.number);
    let group: Vec<_> = threads.iter().filter(|other| place(other) == place(of)).collect();
    let come = group.iter().filter(uses).count();
    let count = at.count.map_or(group.len(), |count| count as usize);
    let problem = match (come.cmp(&count), group.iter().find(|writer| !uses(writer))) {
        (Ordering::Equal, _) => return Ok(()),
        (Ordering::Less, Some(absent)) if at.count.is_none() => format!(
            "waits for ever: it is of all {count} threads of the work-group, and P{} never comes",
            absent.number
        ),
        (Ordering::Less, _) => format!("waits for ever: {count} threads meet there, {come} come"),
        (Ordering::Greater, _) => format!(
            "{count} threads meet there, {come} come: which of them meet may change, and a trace \
             has the meetings of one run"
        ),
    };
    Err(words.error(&at.word, &problem))
}
