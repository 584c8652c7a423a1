//! Traps and CSRs (rules 8, 9, 10; RISC-V privileged specification, chapter 3).

use duet_tests::parameters;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::cpelide::types::{Command, Retired};

use super::assembler::*;
use super::machine::{Machine, START};
use super::on_bodies;

/// Reads mcause, mepc, mtval, mstatus into x1 to x4 and halts.
fn handler() -> Code {
    let numbers = [(1, 0x342), (2, 0x341), (3, 0x343), (4, 0x300)];
    Code::default().words(&numbers.map(|(rd, number)| csr(2, rd, number, 0))).exit(0)
}

/// Runs a program whose handler is [`handler`]; gives the trap's record, and mcause, mepc, mtval,
/// mstatus.
fn trap_of(code: &Code, more: &[(u32, Code)], check: impl Fn(Retired, [u32; 4])) {
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::held(body, &config);
        machine.load(0, &handler());
        machine.load(START, code);
        for (addr, code) in more {
            machine.load(*addr, code);
        }
        machine.go();
        machine.run_to_exit();
        let trace: Vec<_> = machine.trace().into_iter().map(|(_, record)| record).collect();
        let at = trace.iter().position(|record| record.trap).expect("a trap");
        let values: Vec<_> = trace[at + 1..at + 5].iter().map(|record| record.wdata).collect();
        assert_eq!(trace[at + 1].pc, 0);
        check(trace[at], values.try_into().unwrap());
    });
}

/// MPP of machine mode; MPIE as MIE was.
const MACHINE: u32 = 0x1800;

#[test]
fn traps_report_cause_place_and_instruction() {
    let compressed = |half: u16| Code::default().halves(&[C_NOP, half]).words(&[nop()]);
    let plain = |word: u32| Code::default().words(&[nop(), word, nop()]);
    let cases = [
        (plain(ECALL), 4, 11, 0),
        (plain(EBREAK), 4, 3, 0),
        (plain(0xFFFF_FFFF), 4, 2, 0xFFFF_FFFF),
        (plain(0x7B20_0073), 4, 2, 0x7B20_0073), // dret
        (plain(csr(2, 1, 0xC00, 0)), 4, 2, csr(2, 1, 0xC00, 0)),
        (plain(csr(1, 1, 0xF14, 0)), 4, 2, csr(1, 1, 0xF14, 0)),
        (plain(ECALL | 1 << 7), 4, 2, ECALL | 1 << 7), // with a register
        (plain(MRET | 1 << 15), 4, 2, MRET | 1 << 15),
        (compressed(C_EBREAK), 2, 3, 0),
        (compressed(0), 2, 2, 0),
        (compressed(0x8002), 2, 2, 0x8002), // c.jr of x0
    ];
    for (code, offset, cause, value) in cases {
        trap_of(&code, &[], |record, told| {
            let insn = (code.image()[(offset / 4) as usize], offset % 4);
            let insn = match insn {
                (word, 0) => word,
                (word, _) => word >> 16,
            };
            let pc = START + offset;
            let shown = (record.pc, record.insn, record.order);
            assert_eq!(shown, (pc, insn, 2));
            assert_eq!((record.rd, record.wdata, record.mem_addr), (0, 0, 0));
            assert_eq!(told, [cause, pc, value, MACHINE]);
        });
    }
}

#[test]
fn fetch_outside_of_imem_traps_when_it_is_executed() {
    for target in [0x0001_0000, 0x0001_0002, 0x0800_0000, 0xFFFF_FFF0] {
        let code = Code::default().set(1, target).words(&[jalr(0, 1, 0)]);
        trap_of(&code, &[], |record, told| {
            assert_eq!((record.pc, record.insn), (target, 0));
            assert_eq!(told, [1, target, target, MACHINE]);
        });
    }
    // An instruction of 32 bits whose second half is outside: mtval tells of that half.
    let code = Code::default().set(1, 0xFFFE).words(&[jalr(0, 1, 0)]);
    let half = (0xFFFC, Code::default().halves(&[C_NOP, 0x0003]));
    trap_of(&code, &[half], |record, told| {
        assert_eq!((record.pc, record.insn), (0xFFFE, 0x0003));
        assert_eq!(told, [1, 0xFFFE, 0x1_0000, MACHINE]);
    });
    // The last one that fits does not trap, though what follows it is fetched.
    let code = Code::default().set(1, 0xFFFC).words(&[jalr(0, 1, 0)]);
    let back = (0xFFFC, Code::default().words(&[ECALL]));
    trap_of(&code, &[back], |_, told| assert_eq!(told[..2], [11, 0xFFFC]));
}

/// Number, value after reset, writable bits, and bits that are 1 whatever is written.
const CSRS: [(u32, u32, u32, u32); 18] = [
    (0x300, 0x80, 0x0022_1888, 0),
    (0x301, 0x4010_1104, 0, 0x4010_1104),
    (0x304, 0, 0x7FFF_0888, 0),
    (0x305, 1, 0xFFFF_FF00, 1),
    (0x306, 0, 0, 0),
    (0x310, 0, 0, 0),
    (0x320, 0, 5, 0),
    (0x340, 0, 0xFFFF_FFFF, 0),
    (0x341, 0, 0xFFFF_FFFE, 0),
    (0x343, 0, 0xFFFF_FFFF, 0),
    (0x344, 0, 0, 0),
    (0x30A, 0, 0, 0),
    (0x31A, 0, 0, 0),
    (0x323, 0, 0, 0),
    (0x33F, 0, 0, 0),
    (0xB03, 0, 0, 0),
    (0xB1F, 0, 0, 0),
    (0xB9F, 0, 0, 0),
];

#[test]
fn csrs_keep_their_writable_bits() {
    let mut code = Code::default().set(1, 0xFFFF_FFFF);
    for (number, ..) in CSRS {
        code = code.words(&[
            csr(2, 2, number, 0),
            csr(1, 3, number, 1),
            csr(3, 4, number, 1),
            csr(2, 5, number, 0),
        ]);
    }
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        let trace = machine.trace();
        let of = |rd: u8| trace.iter().filter(move |(_, r)| r.insn & 0x7F == 0x73 && r.rd == rd);
        let values = |rd: u8| of(rd).map(|(_, r)| r.wdata).collect::<Vec<_>>();
        let expect = |of: fn((u32, u32, u32, u32)) -> u32| CSRS.map(of).to_vec();
        assert_eq!(values(2), expect(|(_, reset, _, _)| reset), "after reset");
        assert_eq!(values(3), expect(|(_, reset, _, _)| reset), "before the write");
        assert_eq!(values(4), expect(|(_, _, writable, ones)| writable | ones), "all written 1");
        assert_eq!(values(5), expect(|(_, _, _, ones)| ones), "all cleared");
    });
}

#[test]
fn mcause_keeps_the_cause_and_whether_it_is_an_interrupt() {
    // Written, read: internal interrupts have ones where external ones have zeros.
    let cases = [
        (0xFFFF_FFFF, 0xFFFF_FFFF),
        (0x8000_000B, 0x8000_000B),
        (0x7FFF_FFFF, 0x1F),
        (0x4000_0002, 2),
    ];
    let mut code = Code::default();
    for (write, _) in cases {
        code = code.set(1, write).words(&[csr(1, 0, 0x342, 1), csr(2, 2, 0x342, 0)]);
    }
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        let trace = machine.trace();
        let read = trace.iter().filter(|(_, r)| r.insn & 0x7F == 0x73 && r.rd == 2);
        assert_eq!(read.map(|(_, r)| r.wdata).collect::<Vec<_>>(), cases.map(|(_, read)| read));
    });
}

#[test]
fn mpp_of_a_mode_that_is_not_there_is_user_mode() {
    let mut code = Code::default();
    for mpp in [0x800, 0x1000, 0x1800] {
        code = code.set(1, mpp).words(&[csr(1, 0, 0x300, 1), csr(2, 2, 0x300, 0)]);
    }
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        let trace = machine.trace();
        let read = trace.iter().filter(|(_, r)| r.insn & 0x7F == 0x73 && r.rd == 2);
        assert_eq!(read.map(|(_, r)| r.wdata).collect::<Vec<_>>(), [0, 0, 0x1800]);
    });
}

#[test]
fn mret_returns_and_restores_the_interrupt_enable() {
    let code = Code::default()
        .set(1, 0x1808) // MIE, machine mode
        .words(&[csr(1, 0, 0x300, 1), ECALL, csr(2, 5, 0x300, 0)]);
    let trap = Code::default().words(&[
        csr(2, 6, 0x300, 0),
        csr(2, 7, 0x341, 0),
        addi(7, 7, 4),
        csr(1, 0, 0x341, 7),
        MRET,
    ]);
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &trap);
        machine.run_to_exit();
        let trace = machine.trace();
        let of =
            |rd: u8| trace.iter().find(|(_, r)| r.insn & 0x7F == 0x73 && r.rd == rd).unwrap().1;
        // In the handler MIE is 0 and MPIE what MIE was; after it MIE is that again, MPIE 1, MPP
        // user mode.
        assert_eq!((of(6).wdata, of(5).wdata), (0x1880, 0x0088));
        assert_eq!(of(5).pc, START + 16);
    });
}

#[test]
fn user_mode_has_no_csrs() {
    // mret without a trap before it returns to user mode.
    let code = Code::default().set(1, START + 20).words(&[
        csr(1, 0, 0x341, 1),
        MRET,
        nop(),
        csr(2, 5, 0x340, 0),
    ]);
    trap_of(&code, &[], |record, told| {
        assert_eq!(record.pc, START + 20);
        assert_eq!(told, [2, START + 20, csr(2, 5, 0x340, 0), 0x80]);
    });
    let code = Code::default().set(1, START + 16).words(&[csr(1, 0, 0x341, 1), MRET, ECALL]);
    trap_of(&code, &[], |_, told| assert_eq!(told, [8, START + 16, 0, 0x80]));
    let code = Code::default().set(1, START + 16).words(&[csr(1, 0, 0x341, 1), MRET, MRET]);
    trap_of(&code, &[], |_, told| assert_eq!(told, [2, START + 16, MRET, 0x80]));
    // MPRV falls with it, TW makes WFI illegal.
    let code = Code::default()
        .set(1, 0x0022_0000)
        .words(&[csr(2, 0, 0x300, 1)])
        .set(1, START + 28)
        .words(&[csr(1, 0, 0x341, 1), MRET, WFI]);
    trap_of(&code, &[], |_, told| assert_eq!(told, [2, START + 28, WFI, 0x0020_0080]));
}

#[test]
fn csrs_that_are_not_there_are_illegal() {
    let machine =
        [0x321, 0x322, 0x3A0, 0x3B0, 0x747, 0x757, 0x7A0, 0x7A3, 0x7A8, 0x7B0, 0x7B3, 0xB01, 0xB81];
    let others = [0x100, 0x180, 0x5A8, 0x600, 0xC00, 0xC01, 0xC02, 0xC80, 0xF10, 0xF16];
    for number in machine.into_iter().chain(others) {
        let insn = csr(2, 1, number, 0);
        trap_of(&Code::default().words(&[insn]), &[], |_, told| {
            assert_eq!(told[..3], [2, START, insn])
        });
    }
}

#[test]
fn read_only_csrs_identify_the_core() {
    let numbers = [0xF11, 0xF12, 0xF13, 0xF14, 0xF15];
    let code = Code::default().words(&numbers.map(|number| csr(2, 2, number, 0)));
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        let trace = machine.trace();
        let read = trace.iter().filter(|(_, r)| r.rd == 2).map(|(_, r)| r.wdata);
        // marchid of Ibex.
        assert_eq!(read.collect::<Vec<_>>(), [0, 22, 0, 0, 0]);
    });
}

#[test]
fn fences_are_legal_whatever_their_other_fields() {
    let code = Code::default().words(&[0xFFF1_808F, 0x8001_908F, nop()]);
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &Code::default());
        machine.run_to_exit();
        let trace = machine.trace();
        let first: Vec<_> = trace[..3].iter().map(|(_, r)| (r.pc, r.trap, r.rd)).collect();
        assert_eq!(first, [(0x80, false, 0), (0x84, false, 0), (0x88, false, 0)]);
    });
}

#[test]
fn counters_of_cycles_and_instructions_can_be_read_and_written() {
    let code = Code::default()
        .words(&[csr(2, 1, 0xB00, 0), csr(2, 2, 0xB02, 0), ECALL, csr(2, 3, 0xB02, 0)])
        .set(4, 1000)
        .words(&[
            csr(1, 0, 0xB00, 4),
            csr(2, 5, 0xB00, 0),
            csr(1, 0, 0xB02, 4),
            csr(2, 6, 0xB02, 0),
        ])
        // A high half that is written holds up its counter for that cycle.
        .words(&[csr(1, 0, 0xB80, 4), csr(2, 7, 0xB00, 0), csr(2, 8, 0xB80, 0)])
        // From the next cycle on they stand.
        .words(&[
            csr(6, 0, 0x320, 5),
            csr(2, 9, 0xB00, 0),
            nop(),
            csr(2, 10, 0xB00, 0),
            csr(2, 11, 0xB02, 0),
        ]);
    let trap =
        Code::default().words(&[csr(2, 31, 0x341, 0), addi(31, 31, 4), csr(1, 0, 0x341, 31), MRET]);
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let mut machine = Machine::new(body, &config, &code.clone().exit(0), &trap);
        machine.run_to_exit();
        let trace = machine.trace();
        let read = |rd: u8| {
            let (shown, record) = trace.iter().find(|(_, r)| r.rd == rd).expect("it retires");
            // In its only cycle.
            (shown - 1, record.wdata as usize)
        };
        // Cycles from 1 on; instructions that have retired before, and an ECALL does not.
        assert_eq!(read(1), (4, 3));
        assert_eq!(read(2).1, 1);
        assert_eq!(read(3).1, 2 + 4);
        assert_eq!(read(5).1, 1000);
        assert_eq!(read(6).1, 1000);
        let written = read(5).0;
        assert_eq!(read(7).1, 1000 + read(7).0 - written - 1);
        assert_eq!(read(8).1, 1000);
        assert_eq!(read(9).1, 1000 + read(9).0 - written - 1);
        assert_eq!(read(10).1, read(9).1);
        assert_eq!(read(11).1, 1000 + 5);
    });
}

#[test]
fn wfi_shows_and_stops_the_core() {
    on_bodies::<CommandProcessor>("small", |body| {
        let config = (&parameters::<Command>("small")).into();
        let code = Code::default().words(&[nop(), WFI]).exit(0);
        let mut machine = Machine::new(body, &config, &code, &Code::default());
        machine.run(1000);
        let trace = machine.trace();
        assert_eq!(trace.len(), 2);
        assert_eq!((trace[1].0, trace[1].1.insn, trace[1].1.trap), (6, WFI, false));
        let out = machine.bench.out.last().unwrap();
        assert!(!out.halted && out.rx_ready && out.aql_ready);
    });
}
