//! Traps, privilege, and the registers of the machine mode. What Ibex does beyond the privileged
//! manual was observed on its public package.

use super::*;

const MSTATUS: u32 = 0x300;
const MTVEC: u32 = 0x305;
const MCOUNTINHIBIT: u32 = 0x320;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MTVAL: u32 = 0x343;
const CPUCTRLSTS: u32 = 0x7c0;
const MCYCLE: u32 = 0xb00;
const MINSTRET: u32 = 0xb02;

impl Bench {
    /// Reads a CSR with an instruction at 0x400, and comes back.
    fn csr(&mut self, number: u32) -> u32 {
        let (pc, a0) = (self.core.pc, self.core.regs[10]);
        self.place(0x400, &[csrr(A0, number)]);
        self.core.pc = 0x400;
        self.step();
        let value = self.core.regs[10];
        assert!(!self.core.record.trap, "{number:#x}");
        (self.core.pc, self.core.regs[10]) = (pc, a0);
        value
    }

    /// Writes a CSR likewise.
    fn set_csr(&mut self, number: u32, value: u32) {
        let (pc, a0) = (self.core.pc, self.core.regs[10]);
        self.place(0x400, &[csrw(number, A0)]);
        (self.core.pc, self.core.regs[10]) = (0x400, value);
        self.step();
        assert!(!self.core.record.trap, "{number:#x}");
        (self.core.pc, self.core.regs[10]) = (pc, a0);
    }

    /// The last instruction has trapped; cause, address and value.
    fn trapped(&mut self) -> (u32, u32, u32) {
        let Retired { trap, rd, wdata, mem_addr, mem_rmask, .. } = self.core.record;
        assert!(trap);
        assert_eq!((rd, wdata, mem_addr, mem_rmask), (0, 0, 0, 0));
        (self.csr(MCAUSE), self.csr(MEPC), self.csr(MTVAL))
    }
}

#[test]
fn traps_go_to_address_0_and_say_why() {
    let cases = [
        (0xffff_ffff, 2, 0xffff_ffff),
        (0x0000_0000, 2, 0),
        (0x1234_6501, 2, 0x6501), // a compressed one: its half-word
        (ECALL, 11, 0),
        (EBREAK, 3, 0),
        (0x1234_9002, 3, 0), // c.ebreak
        (csrr(A0, 0x7b0), 2, csrr(A0, 0x7b0)),
    ];
    for (instruction, cause, value) in cases {
        let mut bench = Bench::new(&[instruction]);
        bench.step();
        assert_eq!(bench.core.pc, 0, "{instruction:#x}");
        assert_eq!(bench.trapped(), (cause, BOOT, value), "{instruction:#x}");
    }
}

#[test]
fn what_cannot_be_fetched_traps_when_it_is_executed() {
    for (pc, value) in [(0x1_0000, 0x1_0000), (0x1_0002, 0x1_0002), (0xffff_fffe, 0xffff_fffe)] {
        let mut bench = Bench::new(&[]);
        bench.core.pc = pc;
        bench.step();
        let Retired { insn, .. } = bench.core.record;
        assert_eq!((bench.trapped(), insn), ((1, pc, value), 0));
    }
    // The last half-word: a whole instruction, or the first half of one.
    let mut bench = Bench::new(&[]);
    bench.place(0xfffc, &[TWO_C_NOPS]);
    bench.core.pc = 0xfffe;
    bench.step();
    assert!(!bench.core.record.trap);
    let mut bench = Bench::new(&[]);
    bench.place(0xfffc, &[NOP << 16]);
    bench.core.pc = 0xfffe;
    bench.step();
    let Retired { insn, .. } = bench.core.record;
    assert_eq!((bench.trapped(), insn), ((1, 0xfffe, 0x1_0000), 0x13));
}

#[test]
fn trap_and_mret_save_and_restore_the_mode() {
    let mut bench = Bench::new(&[ECALL]);
    assert_eq!(bench.csr(MSTATUS), 0x80, "after reset: mpie, mpp = user");
    bench.set_csr(MSTATUS, 0x8);
    bench.step();
    assert_eq!(bench.csr(MSTATUS), 0x1880, "mpp = machine, mpie = mie, mie = 0");
    assert_eq!(bench.csr(CPUCTRLSTS), 0x40);
    bench.set_csr(MEPC, 0x201);
    bench.place(0, &[MRET]);
    bench.step();
    assert_eq!(bench.core.pc, 0x200);
    assert_eq!((bench.csr(MSTATUS), bench.csr(CPUCTRLSTS)), (0x88, 0));
    // A trap in a trap is noted.
    bench.place(0x200, &[ECALL]);
    bench.place(0, &[ECALL]);
    bench.run(2);
    assert_eq!(bench.csr(CPUCTRLSTS), 0xc0);
}

#[test]
fn user_mode_may_not_touch_the_machine() {
    let user = |instruction| {
        let mut bench = Bench::new(&[MRET]);
        bench.set_csr(MEPC, 0x100);
        bench.place(0x100, &[instruction]);
        bench.run(2);
        bench
    };
    for instruction in [csrr(A0, MSTATUS), csrr(A0, 0xf14), csrw(0x340, A0), MRET] {
        assert_eq!(user(instruction).trapped(), (2, 0x100, instruction));
    }
    assert_eq!(user(ECALL).trapped(), (8, 0x100, 0));
    assert!(!user(NOP).core.record.trap);
    // wfi is refused where mstatus.tw says so.
    let mut bench = Bench::new(&[MRET]);
    bench.set_csr(MEPC, 0x100);
    bench.set_csr(MSTATUS, 1 << 21);
    bench.place(0x100, &[WFI]);
    bench.run(2);
    assert_eq!(bench.trapped(), (2, 0x100, WFI));
}

#[test]
fn wfi_sleeps() {
    let mut bench = Bench::new(&[WFI]);
    assert_eq!(bench.core.step(&mut bench.memory, 0), Step::Sleep);
    assert!(!bench.core.record.trap);
}

#[test]
fn registers_keep_the_bits_that_they_have() {
    let mut bench = Bench::new(&[]);
    let kept = [
        (MSTATUS, 0xffff_ffff, 0x0022_1888),
        (MSTATUS, 0x0000_0800, 0), // mpp = supervisor is none
        (0x304, 0xffff_ffff, 0x7fff_0888),
        (MTVEC, 0xffff_ffff, 0xffff_ff01),
        (MTVEC, 0, 1),
        (0x340, 0xdead_beef, 0xdead_beef),
        (MEPC, 0xffff_ffff, 0xffff_fffe),
        (MCAUSE, 0xffff_ffff, 0xffff_ffff),
        (MCAUSE, 0x4000_0027, 7),
        (MCAUSE, 0x8000_0027, 0x8000_0007),
        (MTVAL, 0x1234_5679, 0x1234_5679),
        (MCOUNTINHIBIT, 0xffff_ffff, 5),
        (CPUCTRLSTS, 0xffff_ffff, 0xc0),
        (0x301, 0, 0x4010_1104),
        (0x306, 1, 0),
        (0x344, 1, 0),
        (0x7c1, 1, 0),
        (0xb03, 1, 0),
        (0x323, 1, 0),
    ];
    for (number, written, read) in kept {
        bench.set_csr(number, written);
        assert_eq!(bench.csr(number), read, "{number:#x} = {written:#x}");
    }
    for (number, value) in [(0xf11, 0), (0xf12, 22), (0xf13, 0), (0xf14, 0), (0xf15, 0)] {
        assert_eq!(bench.csr(number), value, "{number:#x}");
    }
}

#[test]
fn registers_that_are_not_there_are_illegal() {
    let missing = [
        0x0, 0x100, 0x302, 0x321, 0x3a0, 0x3b0, 0x5a8, 0x747, 0x7a0, 0x7b0, 0xb01, 0xb20, 0xb81,
        0xc00,
    ];
    for number in missing {
        let mut bench = Bench::new(&[csrr(A0, number)]);
        bench.step();
        assert!(bench.core.record.trap, "{number:#x}");
    }
    // What is read only may be read by all instructions, and written by none.
    for (funct3, rs1, legal) in
        [(2, 0, true), (3, 0, true), (6, 0, true), (1, 0, false), (2, 10, false)]
    {
        let mut bench = Bench::new(&[csr(funct3, A1, 0xf14, rs1)]);
        bench.step();
        assert_eq!(bench.core.record.trap, !legal);
    }
}

#[test]
fn csr_instructions_read_then_write_set_or_clear() {
    let mut bench = Bench::new(&[
        csr(1, A1, 0x340, A0),
        csr(2, A2, 0x340, A0),
        csr(3, A1, 0x340, T0),
        csr(5, A2, 0x340, 21),
        csr(6, A1, 0x340, 10),
        csr(7, A2, 0x340, 1),
        csr(2, T1, 0x340, ZERO),
    ]);
    (bench.core.regs[10], bench.core.regs[5]) = (0xff00, 0x0f00);
    let old: Vec<_> = (0..7)
        .map(|_| {
            bench.step();
            bench.core.record.wdata
        })
        .collect();
    assert_eq!(old, [0, 0xff00, 0xff00, 0xf000, 21, 31, 30]);
}

#[test]
fn counters_count_cycles_and_retired_instructions() {
    let mut bench = Bench::new(&[NOP, lw(A0, A0, 0), csrr(A1, MINSTRET), csrr(A2, MCYCLE)]);
    bench.core.regs[10] = 0x0800_0000;
    bench.run(4);
    // The first cycle in which mcycle counts was cycle 0; nop 1, lw 2, csrr 1 cycles.
    assert_eq!((bench.core.regs[11], bench.core.regs[12]), (2, 4));
    // Traps do not retire, but a refused mret or dret is counted.
    let mut bench = Bench::new(&[]);
    for (instruction, counted) in
        [(ECALL, 0), (EBREAK, 0), (0, 0), (csrr(A0, 0x7b0), 0), (0x7b20_0073, 1)]
    {
        let before = bench.csr(MINSTRET);
        bench.place(BOOT, &[instruction]);
        bench.core.pc = BOOT;
        bench.step();
        assert!(bench.core.record.trap);
        assert_eq!(bench.csr(MINSTRET), before + 1 + counted, "{instruction:#x}");
    }
}

#[test]
fn counters_stop_and_are_written() {
    let mut bench = Bench::new(&[]);
    bench.set_csr(MINSTRET, 100);
    assert_eq!(bench.csr(MINSTRET), 100, "what writes it is not counted");
    assert_eq!(bench.csr(MINSTRET), 101);
    bench.set_csr(MCYCLE, 100);
    assert_eq!(bench.csr(MCYCLE), 100);
    assert_eq!(bench.csr(MCYCLE), 101);
    bench.set_csr(MCOUNTINHIBIT, 5);
    let stopped = (bench.csr(MCYCLE), bench.csr(MINSTRET));
    // Six have retired since minstret was 100.
    assert_eq!(stopped, (103, 106), "the instruction that stops them is counted");
    bench.run(5);
    assert_eq!((bench.csr(MCYCLE), bench.csr(MINSTRET)), stopped);
    bench.set_csr(MCOUNTINHIBIT, 0);
    assert_eq!(bench.csr(MCYCLE), 103);
    assert_eq!(bench.csr(MINSTRET), 107);
    // The halves.
    bench.set_csr(MCYCLE + 0x80, 7);
    bench.set_csr(MCYCLE, u32::MAX);
    assert_eq!(bench.csr(MCYCLE + 0x80), 7);
    assert_eq!((bench.csr(MCYCLE + 0x80), bench.csr(MCYCLE)), (8, 1));
    bench.set_csr(MINSTRET, u32::MAX);
    bench.set_csr(MINSTRET + 0x80, 3);
    assert_eq!((bench.csr(MINSTRET + 0x80), bench.csr(MINSTRET)), (3, 0));
}
