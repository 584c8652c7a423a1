//! The input FIFO of two places and the stage-2 register behind it (README rule 1).

use ports::finepack::types::{MAX_GPUS, Req, op, partition_of};

use super::choices::{BAD_DEST, BAD_OP, Choices, ZERO_MASK};
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
    /// `self_id_i` for which `others` and `routes` hold.
    self_id: u8,
    /// Bit g: GPU g exists and is not this one.
    others: u16,
    /// Partition of each other GPU; else 0.
    routes: [u8; MAX_GPUS],
}

impl Input {
    pub fn new(config: &Config) -> Self {
        let mut input = Self {
            narrow: config.line as usize <= NARROW,
            line_shift: config.line.ilog2(),
            num_gpus: config.num_gpus as u8,
            sub_header_bytes: config.sub_header_bytes,
            ..Self::default()
        };
        input.find_routes(0);
        input
    }

    #[inline(never)]
    fn find_routes(&mut self, self_id: u8) {
        self.self_id = self_id;
        let all = u16::MAX >> (MAX_GPUS - usize::from(self.num_gpus));
        self.others = all & !(1 << self_id);
        self.routes = std::array::from_fn(|gpu| {
            let is_other = self.others >> gpu & 1 != 0;
            if is_other { partition_of(gpu as u8, self_id) as u8 } else { 0 }
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
            let part = if slot.op <= op::ATOMIC { slot.part } else { 0 };
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

    /// One edge: the request in stage 2 leaves if `leaves`; the offered one is taken if ready.
    #[inline(always)]
    pub fn tick(&mut self, leaves: bool, inputs: &In, choices: &Choices) {
        let ready = self.ready();
        // No branch: it would be hard to predict. `leaves` implies `stage2`.
        let stays = self.stage2 & !leaves;
        let moves = !stays & (self.fifo > 0);
        self.oldest = self.oldest.wrapping_add(u8::from(leaves));
        self.stage2 = stays | moves;
        self.fifo -= u8::from(moves);
        if let (true, Some(req)) = (ready, &inputs.req) {
            self.fifo += 1;
            self.decode(req, inputs.self_id, choices);
        }
    }

    #[inline(always)]
    fn decode(&mut self, req: &Req, self_id: u8, choices: &Choices) {
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
        let is_other = self.others >> (req.dest & 0xF) & 1 != 0;
        if req.op > op::LOAD || !is_other || req.mask == 0 {
            let checks = choices.checks[usize::from(req.op & 7)];
            slot.faults = checks & faults_of(req, is_other);
        }
    }
}

/// What may be wrong with a request: each op is checked for some of it (README rule 2).
#[inline(never)]
fn faults_of(req: &Req, is_other: bool) -> u16 {
    let is_atomic = req.op == op::ATOMIC;
    let mask = if is_atomic { is_atomic_size(req.mask) } else { req.mask != 0 };
    let operation = if is_atomic { req.aop <= 7 } else { req.op <= op::RELEASE_GPU };
    let fault = |legal, fault| if legal { 0 } else { fault };
    fault(mask, ZERO_MASK) | fault(is_other, BAD_DEST) | fault(operation, BAD_OP)
}
