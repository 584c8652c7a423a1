//! Merges the TLPs of all sources in front of each destination.

use std::collections::VecDeque;

use ports::finepack::types::Tlp;

use crate::common::bits::ones;

/// One destination's port.
#[derive(Clone, Copy, Debug, Default)]
struct Port {
    source: Option<usize>, // whose TLP is on the port
    next: usize,           // round robin: first source to look at
    waiting: u32,          // sources with a beat, a bit for each
}

impl Port {
    /// The source whose turn it is, of those with a beat.
    fn choose(&self) -> Option<usize> {
        let later = self.waiting & u32::MAX << self.next;
        let from = if later != 0 { later } else { self.waiting };
        (from != 0).then(|| from.trailing_zeros() as usize)
    }
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
    held: u32,  // beats in all queues
    shown: u32, // destinations that are shown a beat, a bit for each
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
            shown: 0,
        }
    }

    /// True where a beat of `source` for `dest` is taken in this cycle.
    #[inline]
    pub fn ready(&self, source: usize, dest: usize) -> bool {
        self.queues[dest * self.gpus + source].len() < self.queue_beats
    }

    /// The beat shown to `dest`.
    #[inline]
    pub fn output(&self, dest: usize) -> Option<&Tlp> {
        let source = self.ports[dest].source?;
        self.queues[dest * self.gpus + source].front()
    }

    /// The destinations that are shown a beat, a bit for each.
    #[inline]
    pub fn shown(&self) -> u32 {
        self.shown
    }

    /// True when no queue holds a beat: a tick without a beat changes nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// One clock edge. `inputs[s]`: the beat shown by the link of source `s`, where bit `s` of
    /// `shown` is set; it is taken where [`Self::ready`] holds. `ready[d]`: destination `d` takes
    /// the beat shown.
    pub fn tick(&mut self, inputs: &[Option<Tlp>], shown: u32, ready: &[bool]) {
        // Readiness is registered: what leaves in this cycle makes room in the next.
        let mut taken = 0;
        for source in ones(shown) {
            let beat = inputs[source].expect("the link shows it");
            taken |= u32::from(self.ready(source, usize::from(beat.dest))) << source;
        }
        let mut changed = 0;
        for dest in ones(self.shown).filter(|&dest| ready[dest]) {
            let source = self.ports[dest].source.expect("it shows a beat");
            let queue = &mut self.queues[dest * self.gpus + source];
            let Tlp { eop, .. } = queue.pop_front().expect("it shows a beat");
            let port = &mut self.ports[dest];
            port.waiting &= !(u32::from(queue.is_empty()) << source);
            self.held -= 1;
            changed |= 1 << dest;
            if eop {
                (port.source, port.next) = (None, (source + 1) % self.gpus);
            }
        }
        for source in ones(taken) {
            let beat = inputs[source].expect("it is taken");
            let dest = usize::from(beat.dest);
            self.queues[dest * self.gpus + source].push_back(beat);
            self.ports[dest].waiting |= 1 << source;
            self.held += 1;
            changed |= 1 << dest;
        }
        for dest in ones(changed) {
            let port = &mut self.ports[dest];
            port.source = port.source.or(port.choose());
            let shows = port.source.is_some_and(|source| port.waiting >> source & 1 == 1);
            self.shown = self.shown & !(1 << dest) | u32::from(shows) << dest;
        }
    }
}
