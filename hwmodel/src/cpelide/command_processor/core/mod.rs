//! The core: an instruction-set simulator of Ibex `small`, with its cycles.
//!
//! An instruction is executed whole in its first cycle in the ID stage; how long it takes, and in
//! which cycle it retires, is the answer. Only a load or store that does not end in a memory is
//! left open.

mod compressed;
mod csr;
mod decode;
pub mod follow;
#[cfg(test)]
mod tests;

use ports::cpelide::types::{IMEM_WORDS, Retired};

use super::memory::Memory;

use crate::state::State;
use csr::{Csrs, Write, cause};
use decode::{Kind, Op};

/// Half-words of IMEM: places at which an instruction may begin.
const PLACES: usize = 2 * IMEM_WORDS;
/// Where the first instruction stands.
const BOOT: u32 = 0x80;
/// Cycles of a division.
const DIVIDE: u32 = 37;

/// A load or store that the memories alone cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// Byte address.
    pub addr: u32,
    /// Bytes: 1, 2 or 4.
    pub bytes: u32,
    /// What is stored; `None` for a load.
    pub store: Option<u32>,
}

/// What an instruction has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It retires in its cycle `retires`, from 0, and the next begins `cycles` after it.
    Done { retires: u32, cycles: u32 },
    /// It waits for [`Core::finish`].
    Access(Access),
    /// It retires, and nothing follows.
    Sleep,
}

/// The core's registers.
#[derive(Clone, Debug)]
pub(super) struct Core {
    regs: [u32; 32],
    pc: u32,
    csrs: Csrs,
    /// The instruction at each half-word, once it was looked at.
    decoded: Box<[Op; PLACES]>,
    /// The instruction executed last.
    pub record: Retired,
    /// Of a load that waits: its register, and how it is extended.
    load: Option<(u8, Kind)>,
}

/// One that takes one cycle.
const ONE: Step = Step::Done { retires: 0, cycles: 1 };

impl Core {
    /// After reset.
    pub fn new() -> Self {
        let decoded = vec![Op::default(); PLACES].into_boxed_slice();
        Self {
            regs: [0; 32],
            pc: BOOT,
            csrs: Csrs::new(0),
            decoded: decoded.try_into().expect("of this length"),
            record: Retired::default(),
            load: None,
        }
    }

    /// What it executed last, and the registers that calls use.
    pub fn show_state(&self, state: &mut State) {
        state.part("last", |state| {
            state.bits("pc", 32, self.record.pc);
            state.bits("insn", 32, self.record.insn);
        });
        state.bits("ra", 32, self.regs[1]);
        state.bits("sp", 32, self.regs[2]);
    }

    /// The core leaves reset; `start` is the first cycle in which `mcycle` counts.
    pub fn start_at(&mut self, start: u64) {
        self.csrs = Csrs::new(start);
    }

    /// A word of IMEM is written: what was decoded of it is forgotten.
    pub fn forget(&mut self, word: usize) {
        for place in (2 * word).saturating_sub(1)..=2 * word + 1 {
            self.decoded[place] = Op::default();
        }
    }

    /// The instruction at `pc`.
    #[inline(always)]
    fn fetch(&mut self, memory: &Memory) -> Op {
        match self.decoded.get((self.pc >> 1) as usize) {
            Some(op) if op.kind != Kind::Unknown => *op,
            _ => self.decode(memory),
        }
    }

    #[cold]
    fn decode(&mut self, memory: &Memory) -> Op {
        let Some(low) = memory.half(self.pc) else { return Op::fetch_error() };
        let op = Op::decode(low, memory.half(self.pc + 2));
        self.decoded[(self.pc >> 1) as usize] = op;
        op
    }

    /// Executes the instruction whose first cycle is `now`.
    #[inline]
    pub fn step(&mut self, memory: &mut Memory, now: u64) -> Step {
        let op = self.fetch(memory);
        let next = self.pc.wrapping_add(op.bytes);
        let order = self.record.order + 1;
        self.record = Retired { order, pc: self.pc, insn: op.raw, ..Retired::default() };
        let a = self.regs[usize::from(op.rs1)];
        let b = self.regs[usize::from(op.rs2)];
        use Kind::*;
        let value = match op.kind {
            Lui => op.imm,
            Auipc => self.pc.wrapping_add(op.imm),
            Addi => a.wrapping_add(op.imm),
            Slti => u32::from((a as i32) < op.imm as i32),
            Sltiu => u32::from(a < op.imm),
            Xori => a ^ op.imm,
            Ori => a | op.imm,
            Andi => a & op.imm,
            Slli => a << (op.imm & 31),
            Srli => a >> (op.imm & 31),
            Srai => (a as i32 >> (op.imm & 31)) as u32,
            Add => a.wrapping_add(b),
            Sub => a.wrapping_sub(b),
            Sll => a << (b & 31),
            Slt => u32::from((a as i32) < b as i32),
            Sltu => u32::from(a < b),
            Xor => a ^ b,
            Srl => a >> (b & 31),
            Sra => (a as i32 >> (b & 31)) as u32,
            Or => a | b,
            And => a & b,
            Beq => return self.branch(memory, a == b, op.imm, next),
            Bne => return self.branch(memory, a != b, op.imm, next),
            Blt => return self.branch(memory, (a as i32) < b as i32, op.imm, next),
            Bge => return self.branch(memory, a as i32 >= b as i32, op.imm, next),
            Bltu => return self.branch(memory, a < b, op.imm, next),
            Bgeu => return self.branch(memory, a >= b, op.imm, next),
            Lb | Lh | Lw | Lbu | Lhu => return self.load(memory, &op, a, next),
            Sb | Sh | Sw => return self.store(memory, &op, a, b, next),
            Jal => {
                let target = self.pc.wrapping_add(op.imm);
                self.write(op.rd, next);
                return self.jump(memory, target, 1, 2);
            }
            Jalr => {
                let target = a.wrapping_add(op.imm) & !1;
                self.write(op.rd, next);
                return self.jump(memory, target, 1, 2);
            }
            Mul | Mulh | Mulhsu | Mulhu | Div | Divu | Rem | Remu => {
                let (value, cycles) = multiply_divide(op.kind, a, b);
                self.write(op.rd, value);
                return self.retire(next, cycles - 1, cycles);
            }
            _ => return self.system(memory, &op, a, next, now),
        };
        self.write(op.rd, value);
        self.pc = next;
        self.csrs.count_retired();
        ONE
    }

    /// Writes a register of an instruction that retires.
    #[inline(always)]
    fn write(&mut self, rd: u8, value: u32) {
        let value = if rd == 0 { 0 } else { value };
        self.regs[usize::from(rd)] = value;
        (self.record.rd, self.record.wdata) = (rd, value);
    }

    #[inline(always)]
    fn retire(&mut self, next: u32, retires: u32, cycles: u32) -> Step {
        self.pc = next;
        self.csrs.count_retired();
        Step::Done { retires, cycles }
    }

    #[inline(always)]
    fn branch(&mut self, memory: &Memory, taken: bool, offset: u32, next: u32) -> Step {
        if taken {
            let target = self.pc.wrapping_add(offset);
            return self.jump(memory, target, 1, 3);
        }
        self.retire(next, 0, 1)
    }

    /// Goes on at `target`, after `cycles`, or one more.
    #[inline(always)]
    fn jump(&mut self, memory: &Memory, target: u32, retires: u32, cycles: u32) -> Step {
        self.csrs.count_retired();
        self.go(memory, target, retires, cycles)
    }

    #[inline(always)]
    fn go(&mut self, memory: &Memory, target: u32, retires: u32, cycles: u32) -> Step {
        self.pc = target;
        // Two fetches are needed before it can begin.
        let long = target & 2 != 0 && memory.half(target).is_none_or(|low| low & 3 == 3);
        Step::Done { retires, cycles: cycles + u32::from(long) }
    }

    #[inline(always)]
    fn load(&mut self, memory: &Memory, op: &Op, base: u32, next: u32) -> Step {
        let addr = base.wrapping_add(op.imm);
        let bytes = match op.kind {
            Kind::Lb | Kind::Lbu => 1,
            Kind::Lh | Kind::Lhu => 2,
            _ => 4,
        };
        self.record.mem_addr = addr;
        self.record.mem_rmask = (1 << bytes) - 1;
        self.pc = next;
        self.load = Some((op.rd, op.kind));
        match memory.load(addr, bytes) {
            Some((value, cycles)) => {
                self.finish(value);
                Step::Done { retires: cycles, cycles: cycles + 1 }
            }
            None => Step::Access(Access { addr, bytes, store: None }),
        }
    }

    #[inline(always)]
    fn store(&mut self, memory: &mut Memory, op: &Op, base: u32, value: u32, next: u32) -> Step {
        let addr = base.wrapping_add(op.imm);
        let (bytes, value) = match op.kind {
            Kind::Sb => (1, value & 0xff),
            Kind::Sh => (2, value & 0xffff),
            _ => (4, value),
        };
        self.record.mem_addr = addr;
        self.record.mem_wmask = (1 << bytes) - 1;
        self.record.mem_wdata = value;
        self.pc = next;
        self.load = None;
        match memory.store(addr, bytes, value) {
            Some(cycles) => {
                self.finish(0);
                Step::Done { retires: cycles, cycles: cycles + 1 }
            }
            None => Step::Access(Access { addr, bytes, store: Some(value) }),
        }
    }

    /// The last access of a load or store is answered, with this value in the low bytes.
    #[inline(always)]
    pub fn finish(&mut self, value: u32) {
        self.csrs.count_retired();
        if let Some((rd, kind)) = self.load {
            let value = match kind {
                Kind::Lb => value as i8 as u32,
                Kind::Lh => value as i16 as u32,
                Kind::Lbu => value & 0xff,
                Kind::Lhu => value & 0xffff,
                _ => value,
            };
            self.record.mem_rdata = value;
            self.write(rd, value);
        }
    }

    /// What is neither arithmetic nor memory nor a jump.
    #[inline(never)]
    fn system(&mut self, memory: &Memory, op: &Op, a: u32, next: u32, now: u64) -> Step {
        let from_machine = self.csrs.is_machine_mode();
        match op.kind {
            Kind::Fence => self.retire(next, 0, 1),
            Kind::FenceI => self.jump(memory, next, 1, 2),
            Kind::Mret if from_machine => {
                let target = self.csrs.mret();
                self.jump(memory, target, 0, 3)
            }
            // Ibex counts these as retired though they trap.
            Kind::Mret | Kind::Dret => {
                self.csrs.count_retired();
                self.trap(memory, cause::ILLEGAL, op.raw)
            }
            Kind::Wfi if self.csrs.traps_wfi() => {
                self.csrs.count_retired();
                self.trap(memory, cause::ILLEGAL, op.raw)
            }
            Kind::Wfi => Step::Sleep,
            Kind::Ecall if from_machine => self.trap(memory, cause::ECALL_FROM_MACHINE, 0),
            Kind::Ecall => self.trap(memory, cause::ECALL_FROM_USER, 0),
            Kind::Ebreak => self.trap(memory, cause::BREAKPOINT, 0),
            Kind::FetchError => self.trap(memory, cause::FETCH_ERROR, self.pc),
            Kind::FetchErrorPlus2 => self.trap(memory, cause::FETCH_ERROR, self.pc + 2),
            Kind::Csrw | Kind::Csrs | Kind::Csrc => self.csr(memory, op, a, next, now),
            Kind::Csrwi | Kind::Csrsi | Kind::Csrci => {
                self.csr(memory, op, op.rs1.into(), next, now)
            }
            _ => self.trap(memory, cause::ILLEGAL, op.raw),
        }
    }

    fn csr(&mut self, memory: &Memory, op: &Op, operand: u32, next: u32, now: u64) -> Step {
        let write = match op.kind {
            Kind::Csrw | Kind::Csrwi => Write::Value(operand),
            // Register 0 and immediate 0 write nothing; a register that holds 0 does.
            _ if op.rs1 == 0 => Write::None,
            Kind::Csrs | Kind::Csrsi => Write::Set(operand),
            _ => Write::Clear(operand),
        };
        match self.csrs.access(op.imm, write, now) {
            Some((old, flushes)) => {
                self.write(op.rd, old);
                self.pc = next;
                Step::Done { retires: 0, cycles: if flushes { 3 } else { 1 } }
            }
            None => self.trap(memory, cause::ILLEGAL, op.raw),
        }
    }

    fn trap(&mut self, memory: &Memory, cause: u32, value: u32) -> Step {
        self.record.trap = true;
        let target = self.csrs.trap(cause, self.pc, value);
        self.go(memory, target, 0, 3)
    }
}

/// Result and cycles.
#[inline(always)]
fn multiply_divide(kind: Kind, a: u32, b: u32) -> (u32, u32) {
    let (signed_a, signed_b) = (i64::from(a as i32), i64::from(b as i32));
    let high = |product: i64| ((product >> 32) as u32, 4);
    let divide = if b == 0 { 2 } else { DIVIDE };
    match kind {
        Kind::Mul => (a.wrapping_mul(b), 3),
        Kind::Mulh => high(signed_a * signed_b),
        Kind::Mulhsu => high(signed_a * i64::from(b)),
        Kind::Mulhu => (((u64::from(a) * u64::from(b)) >> 32) as u32, 4),
        Kind::Div if b == 0 => (u32::MAX, divide),
        Kind::Div => ((a as i32).wrapping_div(b as i32) as u32, divide),
        Kind::Divu => (a.checked_div(b).unwrap_or(u32::MAX), divide),
        Kind::Rem if b == 0 => (a, divide),
        Kind::Rem => ((a as i32).wrapping_rem(b as i32) as u32, divide),
        _ => (a.checked_rem(b).unwrap_or(a), divide),
    }
}
