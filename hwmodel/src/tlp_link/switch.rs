//! Merges the TLPs of all sources in front of each destination.

use std::collections::VecDeque;

use ports::common::finepack_types::Tlp;

/// One destination's port.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    source: Option<usize>, // whose TLP is on the port
    next: usize,           // round robin: first source to look at
    held: u32,             // beats of all sources
}

/// Switch between the links: one queue for each pair of source and destination, so that a TLP waits
/// only for its own destination, and one port for each destination, one beat per cycle. TLPs of
/// several sources are merged whole, round robin (specification 5.7).
///
/// A beat taken in cycle t is shown at an idle port in t+1. A full queue is not ready; the
/// link of that source then holds this beat and all behind it.
#[derive(Clone, Debug)]
pub struct Switch {
    gpus: usize,
    queue_beats: usize,
    queues: Vec<VecDeque<Tlp>>, // [dest * gpus + source]
    ports: Vec<Port>,
    held: u32, // beats in all queues
}

impl Switch {
    /// A switch for `gpus` GPUs with `queue_beats` beats for each pair, at least 2.
    pub fn new(gpus: usize, queue_beats: usize) -> Self {
        assert!(queue_beats >= 2, "queue_beats = {queue_beats}: must be at least 2");
        Self {
            gpus,
            queue_beats,
            queues: vec![VecDeque::new(); gpus * gpus],
            ports: vec![Port::default(); gpus],
            held: 0,
        }
    }

    /// True where a beat of `source` for `dest` is taken in this cycle.
    pub fn ready(&self, source: usize, dest: usize) -> bool {
        self.queues[dest * self.gpus + source].len() < self.queue_beats
    }

    /// The beat shown to `dest`.
    pub fn output(&self, dest: usize) -> Option<&Tlp> {
        let source = self.ports[dest].source?;
        self.queues[dest * self.gpus + source].front()
    }

    /// The destinations that are shown a beat, a bit for each.
    pub fn shown(&self) -> u32 {
        if self.is_empty() {
            return 0;
        }
        (0..self.gpus).map(|dest| u32::from(self.output(dest).is_some()) << dest).sum()
    }

    /// True when no queue holds a beat: a tick without a beat changes nothing.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// One clock edge. `inputs[s]`: the beat shown by the link of source `s`, taken where
    /// [`Self::ready`] holds; `ready[d]`: destination `d` takes the beat shown.
    pub fn tick(&mut self, inputs: &[Option<Tlp>], ready: &[bool]) {
        // Readiness is registered: what leaves in this cycle makes room in the next.
        let mut taken: u32 = 0;
        for (source, beat) in inputs.iter().enumerate() {
            if let Some(beat) = beat {
                taken |= u32::from(self.ready(source, usize::from(beat.dest))) << source;
            }
        }
        for (dest, &ready) in ready.iter().enumerate() {
            let Some(source) = self.ports[dest].source.filter(|_| ready) else { continue };
            let queue = &mut self.queues[dest * self.gpus + source];
            let Some(&Tlp { eop, .. }) = queue.front() else { continue };
            queue.pop_front();
            let port = &mut self.ports[dest];
            port.held -= 1;
            self.held -= 1;
            if eop {
                (port.source, port.next) = (None, (source + 1) % self.gpus);
            }
        }
        while taken != 0 {
            let source = taken.trailing_zeros() as usize;
            taken &= taken - 1;
            let beat = inputs[source].expect("it is taken");
            self.queues[usize::from(beat.dest) * self.gpus + source].push_back(beat);
            self.ports[usize::from(beat.dest)].held += 1;
            self.held += 1;
        }
        for (dest, port) in self.ports.iter_mut().enumerate() {
            if port.source.is_none() && port.held > 0 {
                let queues = &self.queues[dest * self.gpus..][..self.gpus];
                let mut order = (0..self.gpus).map(|k| (port.next + k) % self.gpus);
                port.source = order.find(|&s| !queues[s].is_empty());
            }
        }
    }
}
