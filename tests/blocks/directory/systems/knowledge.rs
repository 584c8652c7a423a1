//! What each thread and each L2 knows of every word, and so what a read may no longer return.

use std::rc::Rc;

use crate::directory::systems::history::{History, Published};
use crate::directory::systems::words::{Word, Write};

/// How a thread has learned of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// It, or an access of its GPU, has seen or made it.
    #[default]
    Own,
    /// It saw this write, whose thread had released what it knew.
    Flag(Write),
    /// It released an atomic for which it had not waited.
    Release,
}

/// The newest write of a word that a thread knows.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    write: Write,
    origin: Origin,
}

#[derive(Debug)]
struct Reader {
    gpu: usize,
    known: Vec<Known>,
    /// By thread: its last release that this one knows.
    joined: Vec<u64>,
    /// Its own last release that is complete: part of what its writes tell.
    published: Option<Rc<Published>>,
    releases: u64,
    recent: Vec<Word>,
    /// Atomics for which it did not wait: the next release makes them visible to itself, too.
    unanswered: Vec<(Word, Write)>,
}

/// A read returned something older than this.
#[derive(Clone, Copy, Debug)]
pub struct Stale {
    pub known: Write,
    pub origin: Origin,
}

pub struct Knowledge {
    pub history: History,
    readers: Vec<Reader>,
    /// By GPU and word: the newest write that its accesses have seen or made.
    seen: Vec<Vec<Write>>,
}

impl Knowledge {
    /// `threads` has the GPU of each.
    pub fn new(threads: &[usize], gpus: usize, words: usize) -> Self {
        let reader = |&gpu| Reader {
            gpu,
            known: vec![Known::default(); words],
            joined: vec![0; threads.len()],
            published: None,
            releases: 0,
            recent: Vec::new(),
            unanswered: Vec::new(),
        };
        Self {
            history: History::new(),
            readers: threads.iter().map(reader).collect(),
            seen: vec![vec![Write::default(); words]; gpus],
        }
    }

    /// A new write of a thread.
    pub fn issue(&mut self, thread: usize) -> Write {
        let reader = &self.readers[thread];
        self.history.issue(reader.gpu, reader.published.clone())
    }

    /// The thread has made a write.
    pub fn wrote(&mut self, thread: usize, word: Word, write: Write) {
        let reader = &mut self.readers[thread];
        reader.known[word.0] = Known { write, origin: Origin::Own };
        reader.recent.push(word);
    }

    /// The thread has issued an atomic and does not wait for the reply.
    pub fn unanswered(&mut self, thread: usize, word: Word, write: Write) {
        let reader = &mut self.readers[thread];
        reader.unanswered.push((word, write));
        reader.recent.push(word);
    }

    /// A write is from now on what the GPU's own accesses see.
    pub fn seen(&mut self, gpu: usize, word: Word, write: Write) {
        let seen = &mut self.seen[gpu][word.0];
        if self.history.older(*seen, write) {
            *seen = write;
        }
    }

    /// A read of the thread's GPU has come to `write`.
    pub fn read(&mut self, thread: usize, word: Word, write: Write) -> Result<Vec<Word>, Stale> {
        let gpu = self.readers[thread].gpu;
        let known = self.seen[gpu][word.0];
        if self.history.older(write, known) {
            return Err(Stale { known, origin: Origin::Own });
        }
        self.seen[gpu][word.0] = write;
        self.learned(thread, word, write)
    }

    /// The thread has got `write`. Returns the words of which it now knows more, if their writer
    /// told by this.
    pub fn learned(&mut self, thread: usize, word: Word, write: Write) -> Result<Vec<Word>, Stale> {
        let known = self.readers[thread].known[word.0];
        if self.history.older(write, known.write) {
            return Err(Stale { known: known.write, origin: known.origin });
        }
        self.readers[thread].known[word.0] = Known { write, origin: Origin::Own };
        Ok(self.join(thread, write))
    }

    fn join(&mut self, thread: usize, flag: Write) -> Vec<Word> {
        let Self { history, readers, .. } = self;
        let reader = &mut readers[thread];
        let news = history.published(flag);
        let Some(news) = news.filter(|news| reader.joined[news.thread] < news.number) else {
            return Vec::new();
        };
        reader.joined[news.thread] = news.number;
        let mut learned = Vec::new();
        for (at, (known, &write)) in reader.known.iter_mut().zip(&news.known).enumerate() {
            if history.older(known.write, write) {
                *known = Known { write, origin: Origin::Flag(flag) };
                if news.recent.contains(&Word(at)) {
                    learned.push(Word(at));
                }
            }
        }
        learned
    }

    /// What a release of the thread that starts now will have made visible.
    pub fn release(&mut self, thread: usize) -> Published {
        let Self { history, readers, .. } = self;
        let reader = &mut readers[thread];
        reader.releases += 1;
        let mut known: Vec<_> = reader.known.iter().map(|known| known.write).collect();
        for (word, write) in reader.unanswered.drain(..) {
            if history.older(known[word.0], write) {
                known[word.0] = write;
            }
        }
        let recent = std::mem::take(&mut reader.recent);
        Published { thread, number: reader.releases, known, recent }
    }

    /// It is complete.
    pub fn released(&mut self, published: Published) {
        let Self { history, readers, .. } = self;
        let reader = &mut readers[published.thread];
        for (known, &write) in reader.known.iter_mut().zip(&published.known) {
            if history.older(known.write, write) {
                *known = Known { write, origin: Origin::Release };
            }
        }
        reader.joined[published.thread] = published.number;
        reader.published = Some(Rc::new(published));
    }
}
