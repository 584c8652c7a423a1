//! What threads do, and what they get.

use std::collections::VecDeque;

use super::{Step, System};
use crate::directory::systems::counts::Counts;
use crate::directory::systems::failure::Check;
use crate::directory::systems::home::Home;
use crate::directory::systems::knowledge::{Origin, Stale};
use crate::directory::systems::log::Detail;
use crate::directory::systems::messages::{Reply, Request, What};
use crate::directory::systems::program::{self, Op};
use crate::directory::systems::sharer::{Lookup, Stored};
use crate::directory::systems::weakness::Weakness;
use crate::directory::systems::words::{Word, Write, words};

/// Requests of a GPU on their way to one home, after which it issues no more.
const WINDOW: usize = 12;

impl System {
    pub(super) fn issue(&mut self, thread: usize) -> Step {
        let gpu = self.threads[thread].gpu;
        if self.threads[thread].program.is_empty() && !self.resting {
            self.threads[thread].program = program::draw(&mut self.random, &self.phase);
        }
        let full = |home: &Home| home.inbox[gpu].iter().map(VecDeque::len).sum::<usize>() >= WINDOW;
        if self.homes.iter().any(full) {
            return Ok(());
        }
        match self.threads[thread].program.pop_front() {
            None => Ok(()),
            Some(Op::Read(word)) => self.read(thread, word),
            Some(Op::Write { line, mask }) => {
                self.write(thread, line, mask);
                Ok(())
            }
            Some(Op::Atomic { word, waits }) => {
                let write = self.knowledge.issue(thread);
                self.threads[thread].waits = waits;
                self.counts.atomics += 1;
                self.log.note(word.line(), gpu, "atomic writes", Detail::Is(word, write));
                if !waits {
                    self.knowledge.unanswered(thread, word, write);
                }
                let what = What::Atomic { word, write, waits };
                self.send(word.line(), Request { gpu, thread, what });
                Ok(())
            }
            Some(Op::Release) => {
                self.release(thread);
                Ok(())
            }
        }
    }

    fn send(&mut self, line: usize, request: Request) {
        let home = self.home(line);
        self.homes[home].send(request);
    }

    fn read(&mut self, thread: usize, word: Word) -> Step {
        let (gpu, line) = (self.threads[thread].gpu, word.line());
        let local = self.home(line) == gpu;
        let lookup = if local { Lookup::Miss } else { self.gpus[gpu].read(thread, word) };
        match lookup {
            Lookup::Hit(write) => {
                self.counts.read_hits += 1;
                return self.returned(thread, word, write, "reads its copy:");
            }
            Lookup::Waits => self.counts.read_waits += 1,
            Lookup::Miss => {
                let count = [&mut self.counts.read_misses, &mut self.counts.local_reads];
                *count[usize::from(local)] += 1;
                self.send(line, Request { gpu, thread, what: What::Read(word) });
            }
        }
        self.threads[thread].waits = true;
        Ok(())
    }

    fn write(&mut self, thread: usize, line: usize, mask: u8) {
        let gpu = self.threads[thread].gpu;
        let write = self.knowledge.issue(thread);
        for word in words(line, mask) {
            self.knowledge.wrote(thread, word, write);
        }
        if self.home(line) == gpu {
            self.counts.local_writes += 1;
            self.log.note(line, gpu, "writes", Detail::Wrote(mask, write));
        } else {
            let merges = self.setup.weakness != Some(Weakness::NoMerge);
            let Counts { write_hits, write_merges, write_allocates, write_misses, .. } =
                &mut self.counts;
            let (count, what) = match self.gpus[gpu].write(line, mask, write, merges) {
                Stored::Hit => (write_hits, "writes its copy and through:"),
                Stored::Merged => (write_merges, "writes a pending fill and through:"),
                Stored::Allocated => (write_allocates, "writes a new copy and through:"),
                Stored::Passed => (write_misses, "writes through:"),
            };
            *count += 1;
            self.writes[gpu][line] += 1;
            self.log.note(line, gpu, what, Detail::Wrote(mask, write));
            for word in words(line, mask) {
                self.knowledge.seen(gpu, word, write);
            }
        }
        self.send(line, Request { gpu, thread, what: What::Write { line, mask, write } });
    }

    fn release(&mut self, thread: usize) {
        let gpu = self.threads[thread].gpu;
        let weakness = self.setup.weakness;
        let fenced = |home: &Home| match weakness {
            Some(Weakness::FenceToOwnHomeOnly) => home.gpu == gpu,
            Some(Weakness::NoFenceToOwnHome) => home.gpu != gpu,
            _ => true,
        };
        let published = self.knowledge.release(thread);
        let mut left = 0;
        for home in self.homes.iter_mut().filter(|home| fenced(home)) {
            home.send(Request { gpu, thread, what: What::Fence });
            left += 1;
        }
        if left == 0 {
            self.knowledge.released(published);
            return;
        }
        self.threads[thread].release = Some((published, left));
        self.threads[thread].waits = true;
    }

    /// A read has its result.
    pub(super) fn returned(
        &mut self,
        thread: usize,
        word: Word,
        write: Write,
        what: &'static str,
    ) -> Step {
        let gpu = self.threads[thread].gpu;
        self.log.note(word.line(), gpu, what, Detail::Is(word, write));
        let learned = self.knowledge.read(thread, word, write);
        self.learned(thread, word, write, learned)
    }

    /// An atomic has its reply.
    pub(super) fn replied(&mut self, thread: usize, reply: Reply) -> Step {
        let Reply { word, old, write, waits } = reply;
        let gpu = self.threads[thread].gpu;
        self.log.note(word.line(), gpu, "atomic has the reply", Detail::Is(word, old));
        if waits {
            let learned = self.knowledge.learned(thread, word, old);
            self.learned(thread, word, old, learned)?;
            self.knowledge.wrote(thread, word, write);
        }
        self.knowledge.seen(gpu, word, write);
        Ok(())
    }

    fn learned(
        &mut self,
        thread: usize,
        word: Word,
        found: Write,
        learned: Result<Vec<Word>, Stale>,
    ) -> Step {
        self.threads[thread].waits = false;
        match learned {
            Ok(learned) => {
                self.counts.flags_seen += u64::from(!learned.is_empty());
                self.counts.learned += learned.len() as u64;
                for op in program::verify(&mut self.random, &learned) {
                    self.threads[thread].program.push_front(op);
                }
                Ok(())
            }
            Err(Stale { known, origin }) => {
                let gpu = self.threads[thread].gpu;
                let (check, how) = match origin {
                    Origin::Own => (Check::Coherence, "its GPU has seen or made it".to_string()),
                    Origin::Flag(flag) => {
                        let how = format!("thread {thread} saw write {}, before which", flag.0);
                        (Check::MessagePassing, format!("{how} it was released"))
                    }
                    Origin::Release => (Check::MessagePassing, "it was released".to_string()),
                };
                let expected = format!("word {} = write {} or later: {how}", word.at(), known.0);
                self.fail(check, gpu, word.line(), &expected, &format!("write {}", found.0))
            }
        }
    }
}
