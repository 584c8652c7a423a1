//! The paths of sampled requests through the machine: which parts of their latency they spend
//! where.

use crate::context::layout::{Layout, Site};
use crate::context::message::{Kind, Message, Unit};
use crate::engine::{ComponentId, Cycle, Network, OutletId};

/// Most requests that are kept. Where a run has more, half of those that are kept are left out, as
/// often as needed.
const MOST_REQUESTS: usize = 1024;
/// Most events of a request: one that has more is left out.
const MOST_EVENTS: usize = 24;

/// What a request does in a part of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// In the L1, before it leaves the CU.
    L1,
    /// In the arrays of the L2 bank or L3 slice that answers.
    Array,
    /// In the network of a chiplet.
    Network,
    /// On a link between chiplets, and from its end to the receiver.
    Link,
    /// At the input of a component.
    Queue,
    /// In a miss register of an L2 bank.
    Mshr,
    /// In an L3 slice that reads memory for it.
    Memory,
    /// Between GPUs: in an egress path, on the link, at its home GPU, and back.
    OtherGpu,
}

impl Wait {
    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::Array => "array",
            Self::Network => "network",
            Self::Link => "link",
            Self::Queue => "queue",
            Self::Mshr => "MSHR",
            Self::Memory => "memory",
            Self::OtherGpu => "other GPU",
        }
    }
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What happens.
    pub wait: Wait,
    /// The component.
    pub place: String,
    /// First cycle.
    pub from: Cycle,
    /// First cycle behind it.
    pub to: Cycle,
}

/// A request of a CU, from its issue to its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// load, store or atomic.
    pub kind: &'static str,
    /// Byte address of its line.
    pub addr: u64,
    /// The CU.
    pub cu: String,
    /// Cycle of its issue.
    pub from: Cycle,
    /// Cycle in which its answer is at the CU.
    pub to: Cycle,
    /// All of it in order, without gaps.
    pub parts: Vec<Part>,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// It, what it waits for, or its answer is sent, and may be taken from a cycle on.
    Sent(OutletId, Unit, Cycle),
    /// It waits in a miss register of the component that has received it.
    Parked,
}

/// A request on its path or at its end.
#[derive(Clone, Debug)]
struct Path {
    id: u16,
    hash: u64,
    kind: Kind,
    addr: u64,
    cu: Unit,
    from: Cycle,
    to: Option<Cycle>,
    events: Vec<(Cycle, Event)>,
}

/// Sampled requests.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    kept: Vec<Path>,
    /// Number of the last one that was kept, from 1: the mark in its messages.
    last: u16,
    /// Bits of a request's hash that must be 0.
    mask: u64,
    /// Requests that each unit has sent so far, and all together.
    sent: Vec<u64>,
    all: u64,
}

/// A hash of a request: its CU, and its number there.
fn hash(cu: Unit, number: u64) -> u64 {
    let mixed = (u64::from(cu.0) << 48 ^ number).wrapping_add(1);
    let mixed = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

impl Paths {
    /// A CU sends a request in cycle `now`. Gives its mark, 0 where it is not sampled.
    #[cold]
    pub(crate) fn choose(&mut self, now: Cycle, message: &Message) -> u16 {
        let cu = usize::from(message.from.0);
        self.sent.resize(self.sent.len().max(cu + 1), 0);
        self.sent[cu] += 1;
        self.all += 1;
        let hash = hash(message.from, self.sent[cu]);
        if hash & self.mask != 0 || self.last == u16::MAX {
            return 0;
        }
        if self.kept.len() == MOST_REQUESTS {
            self.mask = self.mask << 1 | 1;
            let mask = self.mask;
            self.kept.retain(|path| path.hash & mask == 0);
            if hash & mask != 0 {
                return 0;
            }
        }
        self.last += 1;
        let waited = (now as u32).wrapping_sub(message.born);
        self.kept.push(Path {
            id: self.last,
            hash,
            kind: message.kind,
            addr: message.addr,
            cu: message.from,
            from: now - Cycle::from(waited),
            to: None,
            events: Vec::new(),
        });
        self.last
    }

    fn of(&mut self, mark: u16) -> Option<&mut Path> {
        let at = self.kept.binary_search_by_key(&mark, |path| path.id).ok()?;
        Some(&mut self.kept[at]).filter(|path| path.to.is_none())
    }

    fn add(&mut self, mark: u16, now: Cycle, event: Event) {
        if let Some(path) = self.of(mark)
            && path.events.len() <= MOST_EVENTS
        {
            path.events.push((now, event));
        }
    }

    /// A message with a mark is sent through an outlet to a unit, and may be taken from cycle
    /// `visible` on if nothing is before it.
    #[cold]
    pub(crate) fn sent(
        &mut self,
        now: Cycle,
        mark: u16,
        (outlet, to): (OutletId, Unit),
        visible: Cycle,
    ) {
        self.add(mark, now, Event::Sent(outlet, to, visible));
    }

    /// The component that has received it puts it into a miss register.
    #[cold]
    pub(crate) fn parked(&mut self, now: Cycle, mark: u16) {
        self.add(mark, now, Event::Parked);
    }

    /// Its answer is at the CU.
    #[cold]
    pub(crate) fn ended(&mut self, now: Cycle, mark: u16) {
        if let Some(path) = self.of(mark) {
            path.to = Some(now);
        }
    }

    /// Requests that CUs have sent, sampled or not.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Those that were sampled and answered, by time of issue, and by CU.
    /// `has_l3`: L3 slices have arrays.
    pub(crate) fn collect(&self, network: &Network, layout: &Layout, has_l3: bool) -> Vec<Request> {
        let mut kept: Vec<_> = self.kept.iter().collect();
        kept.sort_by_key(|path| (path.from, path.cu, path.hash));
        let whole = |path: &&Path| path.events.len() <= MOST_EVENTS;
        let request = |path: &Path| {
            let to = path.to?;
            Some(Request {
                kind: match path.kind {
                    Kind::Read => "load",
                    Kind::Write => "store",
                    _ => "atomic",
                },
                addr: path.addr,
                cu: layout.name(path.cu),
                from: path.from,
                to,
                parts: parts(path, to, (network, layout), has_l3),
            })
        };
        kept.into_iter().filter(whole).filter_map(request).collect()
    }
}

/// The name of a component in that of its outlet or inlet: without the network's.
fn component(port: &str) -> String {
    let port = port.strip_suffix(".in").unwrap_or(port);
    port.rsplit_once('.').map_or(port, |(component, _)| component).to_string()
}

/// Adds a part, of `to - from` cycles, unless that is 0.
fn add(parts: &mut Vec<Part>, wait: Wait, place: String, [from, to]: [Cycle; 2]) {
    if from < to {
        parts.push(Part { wait, place, from, to });
    }
}

/// The path between its events: each ends what was before.
fn parts(
    path: &Path,
    end: Cycle,
    (network, layout): (&Network, &Layout),
    has_l3: bool,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let first = path.events.first().map_or(end, |(at, _)| *at);
    add(&mut parts, Wait::L1, layout.name(path.cu), [path.from, first]);
    // Where it is.
    let mut place = layout.name(path.cu);
    for (number, &(now, event)) in path.events.iter().enumerate() {
        let next = path.events.get(number + 1).map_or(end, |(at, _)| *at);
        match event {
            Event::Sent(outlet, to, visible) => {
                let (sender, receiver) = network.ends(outlet, to);
                let from = component(&sender.name);
                let visible = visible.min(next);
                if from.starts_with("link.") {
                    add(&mut parts, Wait::Link, from, [now, visible]);
                } else {
                    let left = (now + Cycle::from(sender.array)).min(visible);
                    add(&mut parts, Wait::Array, from.clone(), [now, left]);
                    add(&mut parts, Wait::Network, from, [left, visible]);
                }
                place = component(&receiver.name);
                let wait = match is_slice(&place) {
                    // Without an array it is the memory's controller.
                    true if !has_l3 => Wait::Memory,
                    _ if place.ends_with(".gate") => Wait::OtherGpu,
                    _ => Wait::Queue,
                };
                add(&mut parts, wait, place.clone(), [visible, next]);
            }
            Event::Parked => {
                let wait = if is_slice(&place) { Wait::Memory } else { Wait::Mshr };
                add(&mut parts, wait, place.clone(), [now, next]);
            }
        }
    }
    parts
}

fn is_slice(place: &str) -> bool {
    place.contains(".l3.slice")
}

/// Whether a message is a request that its CU, the component `sender`, sends: it may be sampled.
pub fn is_request(message: &Message, layout: &Layout, sender: ComponentId) -> bool {
    matches!(message.kind, Kind::Read | Kind::Write | Kind::Atomic(_))
        && matches!(layout.site(message.from), Site::Core(..))
        && layout.part_of(message.from) == sender.0 as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many there are: at most so many, from the whole run, and the same again in another
    /// order of CUs.
    #[test]
    fn samples_do_not_depend_on_the_order_of_cus() {
        let run = |cus: [u16; 4]| {
            let mut paths = Paths::default();
            for now in 0..20_000 {
                for cu in cus {
                    let from = Unit(cu);
                    let born = now as u32;
                    let mark = paths.choose(now, &Message { from, born, ..Message::default() });
                    paths.ended(now + 9, mark);
                }
            }
            let mut kept: Vec<_> = paths.kept.iter().map(|p| (p.from, p.cu, p.to)).collect();
            kept.sort();
            (kept, paths.all())
        };
        let (kept, all) = run([0, 1, 2, 3]);
        assert_eq!(all, 80_000);
        assert!((MOST_REQUESTS / 4..=MOST_REQUESTS).contains(&kept.len()), "{}", kept.len());
        assert!(kept.iter().any(|(from, ..)| *from > 18_000));
        assert!(kept.iter().all(|(from, _, to)| *to == Some(from + 9)));
        assert_eq!(run([3, 1, 0, 2]), (kept, all));
    }
}
