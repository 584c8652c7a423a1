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
    let problem = "deadlocks: its threads must reach their barriers in the same order and equally \
                   often";
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
            "deadlocks: it waits for all {count} threads of the work-group, but P{} never reaches \
             it",
            absent.number
        ),
        (Ordering::Less, _) => {
            format!("deadlocks: it waits for {count} threads and {come} can arrive")
        }
        (Ordering::Greater, _) => format!(
            "waits for {count} threads and {come} can arrive: their grouping can vary, and a trace \
             holds the grouping of one run"
        ),
    };
    Err(words.error(&at.word, &problem))
}
