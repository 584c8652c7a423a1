//! What one GPU of the chain asks for: phases of random requests to its own ranges of the others'
//! memories, releases that it waits for or not, and how readily its memory takes accesses.

use cosim::stimulus::Random;
use cosim::stimulus::requests::{Pattern, Requester};
use ports::common::finepack_types::{FinePack, Req, op};

use super::oracle::{lines_per_end, windows};

/// What one phase draws. Chances are parts of 256.
#[derive(Clone, Debug)]
struct Phase {
    left: u32,
    request: u32,
    rogue: u32,
    memory: u32,
    pattern: Pattern,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Running,
    /// Nothing is offered until the release of this id is done.
    Waiting(u8),
    /// The last release is still to be offered.
    Stopping,
    /// The last release is offered or under way.
    LastRelease(u8),
    Done,
}

/// The requests of one GPU.
#[derive(Clone, Debug)]
pub struct Requests {
    requester: Requester,
    random: Random,
    phase: Phase,
    mode: Mode,
    held: Option<Req>,
    /// A release is being offered or under way that nobody waits for: it completes first.
    unwaited: u32,
}

impl Requests {
    /// Requests of GPU `gpu`.
    pub fn new(p: &FinePack, gpu: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let requester = Requester {
            self_id: gpu as u8,
            num_gpus: p.num_gpus,
            entries: p.entries,
            line: p.line,
            offset_width: p.offset_width,
            windows: windows(gpu),
            lines_per_end: lines_per_end(p),
            sub_header_bytes: p.sub_header_bytes,
            max_payload: p.max_payload,
        };
        let phase = Self::draw_phase(&mut random, &requester);
        Self { requester, random, phase, mode: Mode::Running, held: None, unwaited: 0 }
    }

    fn draw_phase(r: &mut Random, from: &Requester) -> Phase {
        Phase {
            left: 64 + r.below(24 * from.entries + 256),
            request: r.pick(&[256, 256, 200, 128, 24, 4]),
            rogue: r.pick(&[0, 0, 0, 2]),
            memory: r.pick(&[256, 256, 200, 96, 8]),
            pattern: Pattern::draw(r, from),
        }
    }

    /// From now on only the last release is offered.
    pub fn stop(&mut self) {
        if matches!(self.mode, Mode::Running) && self.held.is_none() {
            self.mode = Mode::Stopping;
        }
    }

    /// True when the last release is done.
    pub fn is_done(&self) -> bool {
        self.mode == Mode::Done
    }

    /// The request that is offered in this cycle. A held one stays.
    pub fn offer(&mut self) -> Option<Req> {
        if self.phase.left == 0 {
            self.phase = Self::draw_phase(&mut self.random, &self.requester);
        }
        self.phase.left -= 1;
        if self.held.is_none() {
            self.held = match self.mode {
                Mode::Running if self.random.chance(self.phase.request) => {
                    Some(self.phase.pattern.request(&mut self.random, &self.requester))
                }
                Mode::Stopping => {
                    let id = self.random.word() as u8;
                    self.mode = Mode::LastRelease(id);
                    Some(Req { op: op::RELEASE_SYS, id, ..Default::default() })
                }
                _ => None,
            };
        }
        self.held
    }

    /// True when this GPU's memory takes an access in this cycle.
    pub fn memory_ready(&mut self) -> bool {
        self.mode == Mode::Done || self.random.chance(self.phase.memory)
    }

    /// True when a broken TLP shall enter the link beside the path.
    pub fn wants_rogue(&mut self) -> bool {
        self.mode == Mode::Running && self.random.chance(self.phase.rogue)
    }

    /// Whom the broken TLP is for.
    pub fn rogue_dest(&mut self) -> u8 {
        self.requester.dest(&mut self.random)
    }

    /// The offered request was taken.
    pub fn accepted(&mut self, req: &Req) {
        self.held = None;
        match (req.op, self.mode) {
            (op::RELEASE_SYS, Mode::Running) => {
                if self.random.chance(160) {
                    self.mode = Mode::Waiting(req.id);
                } else {
                    self.unwaited += 1;
                }
            }
            (op::RELEASE_GPU, _) => self.unwaited += 1,
            _ => {}
        }
    }

    /// A release is done. True when this GPU has waited for it, so that all of its stores must have
    /// arrived. Releases of GPU scope may overtake; then the comparison waits for the next release.
    pub fn released(&mut self) -> bool {
        if self.unwaited > 0 {
            self.unwaited -= 1;
            return false;
        }
        match self.mode {
            Mode::Waiting(_) => self.mode = Mode::Running,
            Mode::LastRelease(_) => self.mode = Mode::Done,
            _ => return false,
        }
        true
    }
}
