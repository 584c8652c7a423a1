//! Programs of an experiment, recorded when the first run needs them, and held until the last has
//! ended.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use traces::trace::Reader;

use super::plan::{Accesses, Error, accesses, threads};
use super::{Input, record};

/// A program of an experiment, its buffers shifted by so many bytes.
#[derive(Clone, Copy)]
pub struct Program {
    /// Place among the inputs.
    pub at: usize,
    /// The input.
    pub input: Input,
    /// Bytes.
    pub shift: u64,
}

impl Program {
    fn key(&self) -> (usize, u64) {
        (self.at, self.shift)
    }
}

/// Its trace, while runs need it.
#[derive(Default)]
struct Slot {
    trace: Mutex<Option<Arc<[u8]>>>,
    /// Runs that have not ended.
    runs: AtomicUsize,
}

/// The programs of some runs.
pub struct Programs(BTreeMap<(usize, u64), Slot>);

impl Programs {
    /// Of these runs, each with its program.
    pub fn new(runs: impl Iterator<Item = Program>) -> Self {
        let mut all: BTreeMap<_, Slot> = BTreeMap::new();
        for program in runs {
            all.entry(program.key()).or_default().runs.fetch_add(1, Ordering::Relaxed);
        }
        Self(all)
    }

    /// The trace of a program.
    pub fn get(&self, program: Program) -> Result<Arc<[u8]>, Error> {
        let mut trace = self.0[&program.key()].trace.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trace) = &*trace {
            return Ok(trace.clone());
        }
        let bytes = record(&program.input, program.shift);
        let bytes: Arc<[u8]> = bytes.map_err(Error::at(program.input.program))?.into();
        Ok(trace.insert(bytes).clone())
    }

    /// A run of a program has ended.
    pub fn done(&self, program: Program) {
        let slot = &self.0[&program.key()];
        if slot.runs.fetch_sub(1, Ordering::Relaxed) == 1 {
            *slot.trace.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Accesses of each program, whatever its shift, by which times are told. `runs`: as at first.
    pub fn accesses(&self, runs: impl Iterator<Item = Program>) -> Result<Accesses, Error> {
        let mut firsts: BTreeMap<usize, Program> = BTreeMap::new();
        for program in runs {
            firsts.entry(program.at).or_insert(program);
        }
        let firsts: Vec<_> = firsts.into_values().collect();
        let next = AtomicUsize::new(0);
        let count = || {
            let mut counted = Vec::new();
            while let Some(&program) = firsts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let place = program.input.program;
                let trace = Reader::from_bytes(self.get(program)?, place);
                counted.push((program.at, accesses(&trace.map_err(Error::at(place))?)));
            }
            Ok(counted)
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..threads()).map(|_| scope.spawn(count)).collect();
            let counted = threads.into_iter().map(|thread| thread.join().expect("it ends"));
            let counted = counted.collect::<Result<Vec<Vec<_>>, Error>>()?;
            Ok(counted.into_iter().flatten().collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::input;
    use super::*;

    #[test]
    fn trace_is_recorded_once_and_goes_with_its_last_run() {
        let program = |shift| Program { at: 0, input: input("copy", "", 1024, 1), shift };
        let runs = || [program(0), program(0), program(1152)].into_iter();
        let programs = Programs::new(runs());
        let held = |shift| programs.0[&(0, shift)].trace.lock().unwrap().is_some();
        assert!(!held(0) && !held(1152));
        let accesses = programs.accesses(runs()).unwrap();
        assert!(accesses[&0] > 0 && accesses.len() == 1);
        assert!(held(0) && !held(1152));
        let [first, second] = [0, 0].map(|shift| programs.get(program(shift)).unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_ne!(programs.get(program(1152)).unwrap(), first);
        programs.done(program(0));
        assert!(held(0));
        programs.done(program(0));
        assert!(!held(0) && held(1152));
    }
}
