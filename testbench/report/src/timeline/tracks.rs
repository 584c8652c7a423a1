//! Tracks of a timeline, and their events.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::Run;

/// A track: a process, and a thread in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    pid: u32,
    tid: u32,
}

/// All tracks and events so far.
pub struct Tracks {
    clock_mhz: u64,
    gpus: u32,
    /// By process and name.
    known: HashMap<(u32, String), Track>,
    /// Tracks of each process.
    tids: HashMap<u32, u32>,
    events: Vec<Value>,
}

impl Tracks {
    /// The processes of a run.
    pub fn new(run: &Run) -> Self {
        let gpus = run.shape[0];
        let clock_mhz = run.clock_mhz.max(1).into();
        let mut tracks = Self {
            clock_mhz,
            gpus,
            known: HashMap::new(),
            tids: HashMap::new(),
            events: Vec::new(),
        };
        for gpu in 0..gpus {
            tracks.name("process_name", gpu, 0, &format!("GPU {gpu}"));
        }
        tracks.name("process_name", tracks.components(), 0, "components, sampled requests");
        tracks.name("process_name", tracks.counters(), 0, "counters");
        tracks
    }

    /// The process of components.
    pub fn components(&self) -> u32 {
        self.gpus
    }

    /// The process of counters.
    pub fn counters(&self) -> u32 {
        self.gpus + 1
    }

    fn name(&mut self, what: &str, pid: u32, tid: u32, name: &str) {
        let args = json!({"name": name});
        self.events.push(json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args}));
    }

    /// The track of this name in a process. Tracks stand in the order in which they are asked for.
    pub fn track(&mut self, pid: u32, name: &str) -> Track {
        if let Some(track) = self.known.get(&(pid, name.to_string())) {
            return *track;
        }
        let tids = self.tids.entry(pid).or_default();
        *tids += 1;
        let tid = *tids;
        self.name("thread_name", pid, tid, name);
        let (what, args) = ("thread_sort_index", json!({"sort_index": tid}));
        self.events.push(json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args}));
        let track = Track { pid, tid };
        self.known.insert((pid, name.to_string()), track);
        track
    }

    /// A cycle, in nanoseconds.
    fn ns(&self, cycle: u64) -> u64 {
        (u128::from(cycle) * 1000 / u128::from(self.clock_mhz)) as u64
    }

    /// A cycle, in the format's unit.
    fn us(&self, cycle: u64) -> f64 {
        self.ns(cycle) as f64 / 1000.0
    }

    /// Something takes from one cycle to another.
    pub fn span(
        &mut self,
        Track { pid, tid }: Track,
        name: &str,
        [from, to]: [u64; 2],
        args: Value,
    ) {
        let dur = self.ns(to.max(from)) - self.ns(from);
        let event = json!({"ph": "X", "name": name, "cat": "duet", "pid": pid, "tid": tid,
                           "ts": self.us(from), "dur": dur as f64 / 1000.0, "args": args});
        self.events.push(event);
    }

    /// An arrow begins (`s`), goes on (`t`) or ends (`f`) at the span that is there in this cycle.
    pub fn flow(&mut self, Track { pid, tid }: Track, ph: &str, id: usize, cycle: u64) {
        let event = json!({"ph": ph, "name": "path", "cat": "path", "id": id, "pid": pid,
                           "tid": tid, "ts": self.us(cycle), "bp": "e"});
        self.events.push(event);
    }

    /// The value of a counter from a cycle on.
    pub fn count(&mut self, name: &str, cycle: u64, args: Value) {
        let event = json!({"ph": "C", "name": name, "pid": self.counters(),
                           "ts": self.us(cycle), "args": args});
        self.events.push(event);
    }

    /// All of them.
    pub fn into_events(self) -> Vec<Value> {
        self.events
    }
}

/// Of spans that overlap: as many tracks as are needed, so that those of one do not.
#[derive(Default)]
pub struct Lanes(Vec<u64>);

impl Lanes {
    /// The lane of the next span, which begins no earlier than those before.
    pub fn take(&mut self, [from, to]: [u64; 2]) -> usize {
        let free = self.0.iter().position(|end| *end <= from);
        let lane = free.unwrap_or(self.0.len());
        match free {
            Some(lane) => self.0[lane] = to,
            None => self.0.push(to),
        }
        lane
    }
}

/// The name of a lane.
pub fn lane_name(name: &str, lane: usize) -> String {
    if lane == 0 { name.to_string() } else { format!("{name}, {}", lane + 1) }
}
