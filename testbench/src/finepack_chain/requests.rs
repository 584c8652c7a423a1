//! What one GPU of the chain asks for: phases of random requests to its own ranges of the others'
//! memories, releases that it waits for or not, and how readily its memory takes accesses.

use cosim::stimulus::Random;
use cosim::stimulus::random::MaskForm;
use hwmodel::common::finepack_types::{FinePack, LineData, Req, gpu_of, op};

use super::oracle::{WINDOWS, lines_per_end, window_base};

/// What one phase draws. Chances are parts of 256.
#[derive(Clone, Debug)]
struct Phase {
    left: u32,
    request: u32,
    other: u32,
    fault: u32,
    rogue: u32,
    memory: u32,
    form: Option<MaskForm>,
    lines: u32,
    far: u32,
    dest: Option<u8>,
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
    parameters: FinePack,
    gpu: usize,
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
        let phase = Self::draw_phase(&mut random, p, gpu);
        Self {
            parameters: p.clone(),
            gpu,
            random,
            phase,
            mode: Mode::Running,
            held: None,
            unwaited: 0,
        }
    }

    fn draw_phase(r: &mut Random, p: &FinePack, gpu: usize) -> Phase {
        let part = r.below(p.num_gpus - 1) as usize;
        Phase {
            left: 64 + r.below(24 * p.entries + 256),
            request: r.pick(&[256, 256, 200, 128, 24, 4]),
            other: r.pick(&[0, 0, 2, 16, 64]),
            fault: r.pick(&[0, 0, 4, 24]),
            rogue: r.pick(&[0, 0, 0, 2]),
            memory: r.pick(&[256, 256, 200, 96, 8]),
            form: if r.chance(128) { Some(r.pick(&MaskForm::ALL)) } else { None },
            lines: r.pick(&[1, 2, p.entries, 4 * p.entries]),
            far: r.pick(&[0, 0, 1, 32]),
            dest: if r.chance(96) { Some(gpu_of(part, gpu as u8)) } else { None },
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
            self.phase = Self::draw_phase(&mut self.random, &self.parameters, self.gpu);
        }
        self.phase.left -= 1;
        if self.held.is_none() {
            self.held = match self.mode {
                Mode::Running if self.random.chance(self.phase.request) => Some(self.draw()),
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
        gpu_of(self.random.below(self.parameters.num_gpus - 1) as usize, self.gpu as u8)
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

    fn draw(&mut self) -> Req {
        let (p, r) = (&self.parameters, &mut self.random);
        let part = r.below(p.num_gpus - 1) as usize;
        let dest = self.phase.dest.unwrap_or(gpu_of(part, self.gpu as u8));
        let window = if r.chance(self.phase.far) { u64::from(r.below(WINDOWS as u32)) } else { 0 };
        let line = u64::from(p.line);
        let near = u64::from(r.below(self.phase.lines)) % lines_per_end(p);
        let base = window_base(p, self.gpu, window);
        let at = if r.chance(8) { (1 << p.offb) - (near + 1) * line } else { near * line };
        let form = self.phase.form.unwrap_or_else(|| r.pick(&MaskForm::ALL));
        let mut req = Req {
            id: r.word() as u8,
            dest,
            addr: base + at + u64::from(r.below(p.line)),
            mask: r.mask(p.line, form),
            op: op::STORE,
            ..Default::default()
        };
        if r.chance(self.phase.other) {
            req.op = r.pick(&[
                op::LOAD,
                op::LOAD,
                op::ATOMIC,
                op::ATOMIC,
                op::RELEASE_SYS,
                op::RELEASE_GPU,
            ]);
        }
        if req.op == op::ATOMIC {
            let size = r.pick(&[4, 8]);
            req.mask = ((1u128 << size) - 1) << (size * r.below(p.line / size));
            req.aop = r.below(8) as u8;
        }
        let enabled = if req.op == op::STORE { req.mask } else { 0xffff };
        if matches!(req.op, op::STORE | op::ATOMIC) {
            req.data = random_line(r, p.line, enabled);
        }
        if req.op <= op::ATOMIC && r.chance(self.phase.fault) {
            match r.below(4) {
                0 => req.mask = 0,
                1 => req.dest = self.gpu as u8,
                2 => req.op = 5 + r.below(3) as u8,
                _ => req.dest = 15,
            }
        }
        req
    }
}

fn random_line(r: &mut Random, line: u32, mask: u128) -> LineData {
    let mut data = LineData::default();
    for i in (0..line as usize).filter(|i| mask >> i & 1 == 1) {
        data.0[i] = r.word() as u8;
    }
    data
}
