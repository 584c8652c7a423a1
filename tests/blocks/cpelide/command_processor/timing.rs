//! How many cycles each instruction takes, and in which one it shows on the trace (rules 8 and 10).

use std::cell::RefCell;

use duet_tests::parameters;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::command_processor::Config;
use ports::cpelide::types::{Command, Retired};

use super::assembler::*;
use super::machine::{MAILBOX, Machine, SLOTS, START};
use super::on_bodies;
use super::program::random_program;

const DTCM: u32 = 0x0800_0000;
const PMEM: u32 = 0x1000_0000;

/// Cycles of a record's instruction: those up to and including the one in which it retires, and
/// those after it until the next instruction's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cycles {
    to_retire: usize,
    after: usize,
}

/// Answer latency of a word of the data port.
fn latency(config: &Config, addr: u32) -> usize {
    match addr {
        0..=0xFFFF => 2,
        DTCM..=0x0800_3FFF => 1,
        PMEM..=0x1000_FFFF => config.private_latency as usize,
        _ => 4,
    }
}

/// Cycles of an instruction by rule 8. `next` is the one after it, `div_by_0` says that it divides
/// by 0. Access to WAIT and TX_HI may take longer.
fn cycles(config: &Config, record: &Retired, next: &Retired, div_by_0: bool) -> Cycles {
    let unaligned = usize::from(next.pc % 4 == 2 && next.insn & 3 == 3);
    let at = |to_retire, after| Cycles { to_retire, after };
    if record.trap {
        return at(1, 2 + unaligned);
    }
    let bytes = (record.mem_rmask | record.mem_wmask).count_ones();
    if bytes > 0 {
        let (addr, last) = (record.mem_addr, record.mem_addr + bytes - 1);
        let second = if addr / 4 == last / 4 { 0 } else { latency(config, last) };
        return at(latency(config, addr) + second + 1, 0);
    }
    let (insn, length) = match record.insn & 3 {
        3 => (record.insn, 4),
        _ => (expand_jump(record.insn as u16), 2),
    };
    let (opcode, funct3, funct7) = (insn & 0x7F, insn >> 12 & 7, insn >> 25);
    let csr_write = opcode == 0x73 && funct3 & 3 != 0 && (funct3 & 3 == 1 || insn >> 15 & 31 != 0);
    match opcode {
        0x63 if next.pc != record.pc + length => at(2, 1 + unaligned),
        0x67 | 0x6F => at(2, unaligned),
        0x33 if funct7 == 1 => match funct3 {
            0 => at(3, 0),
            1..=3 => at(4, 0),
            _ if div_by_0 => at(2, 0),
            _ => at(37, 0),
        },
        0x0F if funct3 == 1 => at(2, unaligned),
        0x73 if insn == MRET => at(1, 2 + unaligned),
        // csrrc does not stop the pipeline.
        0x73 if csr_write && funct3 & 3 != 3 && matches!(insn >> 20, 0x300 | 0x304) => at(1, 2),
        _ => at(1, 0),
    }
}

/// A compressed jump or branch as the opcode of what it means; 0 for all others.
fn expand_jump(half: u16) -> u32 {
    match (half & 3, half >> 13) {
        (1, 1 | 5) => 0x6F,
        (1, 6 | 7) => 0x63,
        // c.jr and c.jalr: no second register, and a first one.
        (2, 4) if half >> 2 & 31 == 0 && half >> 7 & 31 != 0 => 0x67,
        _ => 0,
    }
}

/// Checks the cycle of each record against that of the one before it. `zeros` are addresses of
/// divisions by 0.
fn check(config: &Config, trace: &[(usize, Retired)], zeros: &[u32]) {
    // The first instruction is in the ID stage in cycle 4.
    let mut first_cycle = 4;
    let mut before = None;
    for pair in trace.windows(2) {
        let [(shown, record), (_, next)] = pair else { unreachable!() };
        let cycles = cycles(config, record, next, zeros.contains(&record.pc));
        // The trace shows it one cycle later.
        let expected = first_cycle + cycles.to_retire;
        assert_eq!(*shown, expected, "{record:x?}, {cycles:?}, then {next:x?}; before {before:x?}");
        before = Some(record);
        first_cycle += cycles.to_retire + cycles.after;
    }
}

fn config(name: &str) -> Config {
    (&parameters::<Command>(name)).into()
}

/// Runs a program from its start until it halts, and checks the cycles of all that it does.
fn run(name: &str, code: &Code, trap: &Code, zeros: &[u32]) -> Vec<(usize, Retired)> {
    let (config, records) = (config(name), RefCell::new(Vec::new()));
    on_bodies::<CommandProcessor>(name, |body| {
        let mut machine = Machine::new(body, &config, code, trap);
        for _ in 0..1_000_000 {
            if machine.cycle().1.halted {
                break;
            }
        }
        assert!(machine.bench.out.last().is_some_and(|out| out.halted), "does not halt");
        let trace = machine.trace();
        check(&config, &trace, zeros);
        let order: Vec<_> = trace.iter().map(|(_, record)| record.order).collect();
        assert_eq!(order, (1..=trace.len() as u64).collect::<Vec<_>>());
        *records.borrow_mut() = trace;
    });
    records.into_inner()
}

#[test]
fn arithmetic_takes_its_cycles() {
    let mut code = Code::default().set(1, 0x8000_0000).set(2, 0xFFFF_FFFF);
    for funct3 in 0..8 {
        code = code.words(&[muldiv(funct3, 3, 1, 2), nop(), muldiv(funct3, 3, 2, 1)]);
    }
    let first_zero = START + 4 * code.image().len() as u32;
    for funct3 in 4..8 {
        code = code.words(&[muldiv(funct3, 3, 1, 0)]);
    }
    let zeros: Vec<_> = (0..4).map(|k| first_zero + 4 * k).collect();
    for name in ["small", "paper"] {
        run(name, &code.clone().exit(0), &Code::default(), &zeros);
    }
}

#[test]
fn loads_and_stores_take_the_cycles_of_their_regions() {
    let mut code = Code::default().set(1, 0x1234_5678);
    for base in [DTCM, PMEM] {
        code = code.set(9, base);
        for offset in 0..4 {
            for size in 0..3 {
                code = code.words(&[store(size, 1, offset, 9), load(size, 2, offset, 9)]);
            }
        }
        code = code.halves(&[C_SW, C_LW]);
    }
    for base in [0, SLOTS, MAILBOX] {
        code = code.set(9, base);
        for offset in 0..4 {
            code = code.words(&[load(0, 2, offset, 9), load(5, 2, offset, 9), lw(2, offset, 9)]);
        }
    }
    for name in ["small", "paper"] {
        run(name, &code.clone().exit(0), &Code::default(), &[]);
    }
}

#[test]
fn jumps_and_branches_take_more_cycles_to_an_unaligned_instruction_of_32_bits() {
    let code = Code::default()
        .words(&[beq(0, 0, 8), nop(), bne(0, 0, 8), jal(1, 8), nop(), beq(0, 0, 6)])
        .halves(&[C_NOP])
        .words(&[nop(), jal(1, 6)]) // to 0x9E: unaligned
        .halves(&[C_NOP])
        .words(&[nop(), bne(0, 1, 8)])
        .halves(&[C_NOP, C_NOP, C_NOP, c_j(4), C_NOP, c_j(4), C_NOP])
        .words(&[FENCE, FENCE_I])
        .halves(&[C_NOP])
        .words(&[FENCE_I, nop()])
        .halves(&[C_NOP]);
    for name in ["small", "paper"] {
        let trace = run(name, &code.clone().exit(0), &Code::default(), &[]);
        let unaligned = |(_, r): &&(usize, Retired)| r.pc % 4 == 2 && r.insn & 3 == 3;
        assert!(trace.iter().filter(unaligned).count() > 5 || trace.is_empty());
    }
}

#[test]
fn csr_instructions_and_traps_take_their_cycles() {
    let mut code = Code::default().set(1, 0x1888);
    for number in [0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0xB00, 0xB02] {
        for funct3 in [1, 2, 3, 5, 6, 7] {
            // mtvec must not move.
            let source = if number == 0x305 { 0 } else { 1 };
            code = code.words(&[csr(funct3, 2, number, source), csr(funct3 | 2, 2, number, 0)]);
        }
    }
    code = code.words(&[csr(5, 0, 0x305, 0)]);
    // With unaligned instructions behind them too.
    for _ in 0..2 {
        code = code.words(&[
            csr(1, 0, 0x304, 1),
            nop(),
            ECALL,
            nop(),
            EBREAK,
            nop(),
            0xFFFF_FFFF,
            nop(),
        ]);
        code = code.halves(&[C_NOP]);
    }
    code = code.halves(&[C_EBREAK, C_NOP]);
    let skip = Code::default()
        // Two bytes further where the instruction is compressed.
        .words(&[csr(2, 5, 0x341, 0), csr(2, 6, 0x342, 0), addi(7, 5, 4)])
        .words(&[csr(1, 0, 0x341, 7), MRET]);
    for name in ["small", "paper"] {
        run(name, &code.clone().words(&[nop(), nop()]).exit(0), &skip, &[]);
    }
}

#[test]
fn random_programs_take_their_cycles() {
    for seed in 0..40 {
        let program = random_program(seed);
        for name in ["small", "paper"] {
            run(name, &program.code.clone().exit(0), &program.trap, &program.zeros);
        }
    }
}
