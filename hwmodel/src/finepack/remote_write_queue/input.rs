//! The input FIFO of two places and the stage-2 register behind it (README rule 1).

use ports::finepack::types::{MAX_GPUS, Req, error_code, op, partition_of};

use super::rule::Rule;
use super::slot::Slot;
use super::table::NARROW;
use super::{Config, In, cost};
use crate::finepack::tlp_header::is_atomic_size;
use crate::state::{State, index_width};

/// Requests in order: the one in stage 2, then those of the FIFO. A request is written once and
/// never moved; only the counts say where it is.
#[derive(Debug, Default)]
pub(super) struct Input {
    slots: [Slot; 4],
    /// The oldest request, in stage 2 or the FIFO's head; counts modulo 256.
    oldest: u8,
    /// Where the next request goes; counts modulo 256.
    free: u8,
    /// Requests in the FIFO, 0 to 2.
    pub fifo: u8,
    /// Stage 2 holds a request.
    pub stage2: bool,
    narrow: bool,
    line_shift: u32,
    num_gpus: u8,
    sub_header_bytes: u32,
    /// `self_id_i` for which `routes` holds.
    self_id: u8,
    /// Partition of each GPU; `NO_ROUTE` for this GPU and those that do not exist.
    routes: [u8; MAX_GPUS],
    without: Option<Rule>,
}

const NO_ROUTE: u8 = u8::MAX;

impl Input {
    pub fn new(config: &Config, without: Option<Rule>) -> Self {
        let mut input = Self {
            narrow: config.line as usize <= NARROW,
            line_shift: config.line.ilog2(),
            num_gpus: config.num_gpus as u8,
            sub_header_bytes: config.sub_header_bytes,
            without,
            ..Self::default()
        };
        input.find_routes(0);
        input
    }

    #[inline(never)]
    fn find_routes(&mut self, self_id: u8) {
        self.self_id = self_id;
        self.routes = std::array::from_fn(|gpu| {
            let gpu = gpu as u8;
            let legal = gpu != self_id && gpu < self.num_gpus;
            if legal { partition_of(gpu, self_id) as u8 } else { NO_ROUTE }
        });
    }

    /// `req_ready_o`.
    #[inline(always)]
    pub fn ready(&self) -> bool {
        self.fifo < 2
    }

    /// The request in stage 2.
    #[inline(always)]
    pub fn current(&self) -> Option<&Slot> {
        if self.stage2 { Some(&self.slots[usize::from(self.oldest & 3)]) } else { None }
    }

    /// The registers of the input.
    pub fn show_state(&self, state: &mut State, config: &Config) {
        let stage2 = self.stage2;
        let slot = &self.slots[usize::from(self.oldest & 3)];
        state.part("fifo", |state| state.bits("count", 2, self.fifo));
        state.part("s2", |state| {
            // The RTL's is that of partition 0 where nobody looks at it.
            let part = if slot.op <= op::ATOMIC && slot.part != NO_ROUTE { slot.part } else { 0 };
            state.flag("valid", stage2);
            state.bits_while(stage2, "op", 3, slot.op);
            state.bits_while(stage2, "id", 8, slot.id);
            state.bits_while(stage2, "aop", 4, slot.aop);
            state.bits_while(stage2, "part", index_width(config.parts()), part);
            state.bits_while(stage2, "cost", 10, slot.size.cost);
            state.bits_while(stage2, "fault", 3, slot.faults >> 1);
        });
        state.bits_while(stage2, "s2_line", 64 - self.line_shift, slot.line);
        state.bits_while(stage2, "s2_mask", config.line, slot.mask);
    }

    /// One edge: stage 2 passes its request on if `leaves`, and the offered one is taken if ready.
    #[inline(always)]
    pub fn tick(&mut self, leaves: bool, i: &In) {
        let ready = self.ready();
        // No branch: nobody can foresee it. `leaves` implies `stage2`.
        let stays = self.stage2 & !leaves;
        let moves = !stays & (self.fifo > 0);
        self.oldest = self.oldest.wrapping_add(u8::from(leaves));
        self.stage2 = stays | moves;
        self.fifo -= u8::from(moves);
        if let (true, Some(req)) = (ready, &i.req) {
            self.fifo += 1;
            self.decode(req, i.self_id);
        }
    }

    #[inline(always)]
    fn decode(&mut self, req: &Req, self_id: u8) {
        if self_id != self.self_id {
            self.find_routes(self_id);
        }
        let slot = &mut self.slots[usize::from(self.free & 3)];
        self.free = self.free.wrapping_add(1);
        if self.narrow {
            slot.data.0[..NARROW].copy_from_slice(&req.data.0[..NARROW]);
        } else {
            slot.data = req.data;
        }
        slot.mask = req.mask;
        slot.line = req.addr >> self.line_shift;
        slot.size = cost::size(req.mask, self.sub_header_bytes);
        slot.op = req.op;
        slot.id = req.id;
        slot.aop = req.aop;
        slot.part = self.routes[usize::from(req.dest) % MAX_GPUS];
        slot.faults = 0;
        if req.op > op::LOAD || slot.part == NO_ROUTE || req.mask == 0 {
            slot.faults = faults_of(req, slot.part == NO_ROUTE);
            if let Some(rule) = self.without {
                forgive(slot, rule);
            }
        }
    }
}

/// Takes the fault away that `rule` is about.
#[cold]
fn forgive(slot: &mut Slot, rule: Rule) {
    let code = match (rule, slot.op) {
        (Rule::NoBytes, op::STORE | op::LOAD) => error_code::ZERO_MASK,
        (Rule::AtomicSize, op::ATOMIC) => error_code::ZERO_MASK,
        (Rule::Destination, _) => error_code::BAD_DEST,
        (Rule::AtomicOperation, op::ATOMIC) => error_code::BAD_OP,
        (Rule::Operation, op) if op > op::ATOMIC => error_code::BAD_OP,
        _ => return,
    };
    slot.faults &= !(1 << code);
    if rule == Rule::Destination && slot.part == NO_ROUTE {
        slot.part = 0;
    }
}

/// The request's faults, bit c for code c (README rule 2).
#[inline(never)]
fn faults_of(req: &Req, dest: bool) -> u16 {
    let (mask, operation) = match req.op {
        op::STORE | op::LOAD => (req.mask == 0, false),
        op::ATOMIC => (!is_atomic_size(req.mask), req.aop > 7),
        op::RELEASE_SYS | op::RELEASE_GPU => return 0,
        _ => return 1 << error_code::BAD_OP,
    };
    u16::from(mask) << error_code::ZERO_MASK
        | u16::from(dest) << error_code::BAD_DEST
        | u16::from(operation) << error_code::BAD_OP
}
