//! What a directory has decided, as its view shows it, and which invalidations it owes for that.

use std::collections::VecDeque;

use crate::directory::systems::directory::Directory;
use crate::directory::systems::messages::Request;

/// Invalidations of a line that the directory holds.
struct Owed {
    number: u64,
    addr: u64,
    /// By line of the home, and the GPUs that have ceased to be its sharers.
    line: usize,
    gpus: u16,
}

pub struct Tracking {
    /// By line of the home: its sharers.
    pub sharers: Vec<u16>,
    owed: VecDeque<Owed>,
    /// The request in stage S1, and the sharers that it leaves, by line: the view shows them from
    /// its acceptance on, the ports once S1 has ended.
    stage1: Option<(u64, Request)>,
    decided: Vec<u16>,
}

impl Tracking {
    pub fn new(lines: usize) -> Self {
        Self {
            sharers: vec![0; lines],
            owed: VecDeque::new(),
            stage1: None,
            decided: vec![0; lines],
        }
    }

    pub fn accepted(
        &mut self,
        number: u64,
        request: Request,
        directory: &dyn Directory,
        addresses: &[u64],
    ) {
        self.stage1 = Some((number, request));
        for (sharers, &addr) in self.decided.iter_mut().zip(addresses) {
            *sharers = directory.sharers(addr);
        }
    }

    /// The invalidation that the directory showed before the edge: what it no longer holds it does
    /// not owe, but has lost. Jobs leave in the order of requests, lines of a job in that of
    /// addresses.
    pub fn shown(&mut self, inv: Option<(u64, u64)>) {
        match inv {
            None => self.owed.clear(),
            Some(inv) => self.forget(|owed| owed < inv),
        }
    }

    /// The home has taken it.
    pub fn sent(&mut self, number: u64, addr: u64) {
        self.forget(|owed| owed <= (number, addr));
    }

    fn forget(&mut self, done: impl Fn((u64, u64)) -> bool) {
        while self.owed.front().is_some_and(|owed| done((owed.number, owed.addr))) {
            self.owed.pop_front();
        }
    }

    /// After an edge: S1 ends. Returns the request that was in it.
    pub fn decide(&mut self, addresses: &[u64]) -> Option<Request> {
        let (number, request) = self.stage1.take()?;
        let lines = addresses.iter().zip(&self.decided).zip(&mut self.sharers);
        for (line, ((&addr, &sharers), known)) in lines.enumerate() {
            let gpus = *known & !sharers;
            if gpus != 0 {
                self.owed.push_back(Owed { number, addr, line, gpus });
            }
            *known = sharers;
        }
        Some(request)
    }

    /// GPUs that the directory has as sharers of the line or is going to send an invalidation.
    pub fn knows(&self, line: usize) -> u16 {
        let owed = self.owed.iter().filter(|owed| owed.line == line);
        owed.fold(self.sharers[line], |gpus, owed| gpus | owed.gpus)
    }
}
