//! For tests: a hook in each L2 bank that gives every line a version, kept beside the line and
//! carried by answers. The L1's side sees that a request never gets an older version of its line
//! than an answer before that request had, although lines are filled and evicted.

use machine::design::{
    BankHook, BankPort, Callbacks, CounterValues, Design, Handle, IssuePolicy, Kind, L1, Message,
    Packed, Port, SRC, Unit, Way, registered,
};
use std::collections::HashMap;

inventory::submit! { registered(DESIGN) }

const DESIGN: Design = Design {
    name: "test-bank",
    about: "for tests: src with versions of lines in L2 banks",
    core: |make| {
        let inner = (SRC.core)(make)?;
        Ok(Box::new(Reader { inner, seen: HashMap::new(), answers: 0 }))
    },
    bank: Some(|_| Ok(Box::new(Versions::default()))),
    ..SRC
};

#[derive(Debug, Default)]
struct Versions {
    /// Of the line in each way; 0 where there is none.
    lines: Vec<u64>,
    /// No line that is not here has a newer one.
    gone: u64,
    placed: u64,
    evicted: u64,
}

impl BankHook for Versions {
    fn place(&mut self, way: Way, _addr: u64) {
        let way = way as usize;
        self.lines.resize(self.lines.len().max(way + 1), 0);
        assert_eq!(self.lines[way], 0, "the line before has not left");
        self.lines[way] = self.gone + 1;
        self.placed += 1;
    }

    fn evict(&mut self, way: Way) {
        let version = std::mem::take(&mut self.lines[way as usize]);
        assert!(version > 0, "no line was here");
        self.gone = self.gone.max(version);
        self.evicted += 1;
    }

    fn answer(
        &mut self,
        port: &mut BankPort,
        way: Way,
        asked: &Message,
        answer: Handle<Message>,
        _line: &[u8],
    ) {
        let version = &mut self.lines[way as usize];
        *version += u64::from(asked.kind != Kind::Read);
        port.ctx.messages[answer].sideband = Packed::new(version, 64);
    }

    fn counters(&self, all: &mut CounterValues) {
        all.extend([("bank_lines_placed", self.placed), ("bank_lines_evicted", self.evicted)]);
    }
}

#[derive(Debug)]
struct Reader {
    inner: Box<dyn L1>,
    /// Of each line the versions of its answers with their cycles, by bank. An answer that waits
    /// for the L3 arrives behind answers to later requests.
    seen: HashMap<(Unit, u64), Vec<(u32, u64)>>,
    answers: u64,
}

impl L1 for Reader {
    fn request(&mut self, port: &mut Port, request: Handle<Message>) -> bool {
        self.inner.request(port, request)
    }

    fn answer(&mut self, port: &mut Port, message: Handle<Message>) {
        let Message { addr, from, sideband, born, .. } = port.ctx.messages[message];
        let version: u64 = sideband.get(64);
        // What an L3 or another GPU answers has none.
        if version > 0 {
            let seen = self.seen.entry((from, addr)).or_default();
            let before =
                seen.iter().filter(|(cycle, _)| *cycle < born).map(|(_, version)| *version);
            let newest = before.max().unwrap_or(0);
            assert!(newest <= version, "line {addr:#x} was {newest} and is {version}");
            seen.push((port.ctx.now as u32, version));
            self.answers += 1;
        }
        self.inner.answer(port, message);
    }

    fn acquire(&mut self, port: &mut Port, past: bool) -> bool {
        self.inner.acquire(port, past)
    }

    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    fn issue_policy(&self) -> IssuePolicy {
        self.inner.issue_policy()
    }

    fn tick(&mut self, port: &mut Port) {
        self.inner.tick(port);
    }

    fn counters(&self, all: &mut CounterValues) {
        self.inner.counters(all);
        all.push(("bank_answers", self.answers));
    }
}
