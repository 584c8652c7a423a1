//! Random programs for the command processor: instructions of all kinds, loads and stores
//! everywhere, the mailbox above all. They go round in a loop, and end in something that halts.

use hwmodel::cpelide::command_processor::encode::opcode::{AUIPC, JALR, LOAD, LUI, OP_IMM, SYSTEM};
use hwmodel::cpelide::command_processor::encode::{b_type, i_type, j_type, r_type, s_type};
use ports::cpelide::types::{mailbox, map};

use crate::draws;
use crate::stimulus::Random;

/// Words of a program, from address 0 on.
pub const WORDS: usize = 0x200;
/// Where the core boots.
const BOOT: u32 = 0x80;
/// Where a round begins, behind the addresses in their registers, a jump and two words of the end.
const START: u32 = BOOT + 4 * 15;
/// Random instructions end here.
const END: u32 = 4 * WORDS as u32 - 132;

/// Registers that hold addresses, so that most accesses end somewhere: at the end of DTCM and of
/// the private memory, with this much room for them; in the mailbox; around the end of a slot; in
/// IMEM.
const BASES: [(u32, u32); 5] = [
    (2, map::DTCM.0 + map::DTCM.1 - ROOM),
    (8, map::MAILBOX.0),
    (18, map::PMEM.0 + map::PMEM.1 - ROOM),
    (19, map::SLOTS.0 + 2 * map::SLOT_BYTES - 0x80),
    (20, 0x100),
];
const ROOM: u32 = 0x200;
const MAILBOX: u32 = 8;
/// Counts the rounds.
const ROUNDS: u32 = 30;
/// What the trap handler works with.
const SCRATCH: u32 = 31;

const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MSCRATCH: u32 = 0x340;
const MRET: u32 = 0x3020_0073;

/// Control and status registers that are there, and some that are not. Not `mtvec`: traps are to be
/// survived; and not the counters of cycles, whose values would differ where the specification lets
/// them.
const CSRS: [u32; 22] = [
    0x300, 0x301, 0x304, 0x306, 0x30a, 0x310, 0x320, 0x323, 0x341, 0x342, 0x343, 0x344, 0x3a0,
    0x7c0, 0x7a0, 0x7b0, 0xb00, 0xb02, 0xb80, 0xb82, 0xc00, 0xf12,
];

/// Mailbox registers, and how often each is read, and written. Not WAIT, see [`wait`].
const REGISTERS: [(u32, u32, u32); 21] = [
    (mailbox::ID, 1, 0),
    (mailbox::CONF, 1, 0),
    (mailbox::CYCLE, 1, 0),
    (mailbox::PKT_STAT, 4, 0),
    (mailbox::PKT_POP, 1, 10),
    (mailbox::PKT_META, 1, 0),
    (mailbox::PKT_META + 4, 1, 0),
    (mailbox::PKT_META + 12, 1, 0),
    (mailbox::TX_LO, 1, 6),
    (mailbox::TX_DST, 1, 6),
    (mailbox::TX_HI, 1, 12),
    (mailbox::TX_FREE, 3, 0),
    (mailbox::ACK_PEND, 4, 0),
    (mailbox::RX_STAT, 3, 0),
    (mailbox::RX_LO, 2, 0),
    (mailbox::RX_HI, 12, 0),
    (mailbox::SIG_LO, 1, 2),
    (mailbox::SIG_HI, 1, 2),
    (mailbox::ERROR, 1, 2),
    (mailbox::CNT + 32, 2, 2),
    (mailbox::CNT8_RUN, 1, 3),
];

draws! {
    /// How a program is mixed. Chances are parts of 256.
    pub struct Mix(r: &mut Random) {
        /// Of an access to the mailbox.
        pub mailbox: u32 = r.pick(&[16, 64, 128]),
        /// Of another load or store.
        pub memory: u32 = r.pick(&[8, 48, 96]),
        /// Of a branch or jump forward.
        pub jump: u32 = r.pick(&[4, 24, 64]),
        /// Of something that traps, or touches the registers of the machine mode.
        pub system: u32 = r.pick(&[0, 4, 16]),
        /// Of a multiplication or division.
        pub multiply: u32 = r.pick(&[2, 16]),
        /// Of a compressed instruction in place of one of the kinds above.
        pub compressed: u32 = r.pick(&[0, 64, 160]),
        /// Rounds before the end.
        pub rounds: u32 = r.pick(&[3, 5, 16, 100_000]),
    }
}

/// A jump whose target is not written yet.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// Where the instruction stands, and what its offset counts from.
    at: u32,
    from: u32,
    /// The instruction with this offset.
    with: fn(u32, u32) -> u32,
    /// The instruction with offset 0.
    word: u32,
    /// Instructions that it skips.
    skips: u32,
}

/// A program being written, half-word by half-word.
struct Writer<'a> {
    words: &'a mut [u32; WORDS],
    at: u32,
    jumps: Vec<Jump>,
}

impl Writer<'_> {
    fn half(&mut self, value: u32) {
        let word = &mut self.words[(self.at / 4) as usize];
        let shift = 8 * (self.at & 2);
        *word = *word & !(0xffff << shift) | (value & 0xffff) << shift;
        self.at += 2;
    }

    fn word(&mut self, value: u32) {
        self.half(value);
        self.half(value >> 16);
    }

    fn all(&mut self, values: &[u32]) {
        values.iter().for_each(|&value| self.word(value));
    }

    /// An instruction is written: the jumps that have skipped enough end here.
    fn land(&mut self) {
        let here = self.at;
        for mut jump in std::mem::take(&mut self.jumps) {
            if jump.skips > 0 {
                jump.skips -= 1;
                self.jumps.push(jump);
            } else {
                self.at = jump.at;
                self.word((jump.with)(jump.word, here - jump.from));
                self.at = here;
            }
        }
    }
}

/// What ends a program.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// EXIT.
    Exit,
    /// An access that halts: the one with this number, modulo how many there are.
    Halt(usize),
    /// Sleep, or a loop.
    Never,
}

/// Writes a program.
pub fn write(r: &mut Random, mix: &Mix, end: End, words: &mut [u32; WORDS]) {
    words.fill(0);
    let mut w = Writer { words, at: 0, jumps: Vec::new() };
    handler(&mut w);
    w.at = BOOT;
    for (register, address) in BASES {
        w.all(&load_immediate(register, address));
    }
    // Those that end are not to take long: few programs are run.
    let rounds = if matches!(end, End::Never) { mix.rounds } else { 1 };
    w.all(&load_immediate(ROUNDS, rounds));
    w.word(j_type(0, 12));
    // Behind `wfi` where it does not sleep, or behind EXIT: nothing.
    w.all(&[last(r, end), j_type(0, 0)]);
    assert_eq!(w.at, START);
    w.word(i_type(OP_IMM, 0, ROUNDS, ROUNDS, 0xfff));
    w.word(b_type(1, ROUNDS, 0, 8));
    w.word(j_type(0, 0u32.wrapping_sub(16)));
    while w.at < END {
        instruction(r, mix, &mut w);
        w.land();
    }
    // What jumps near the end go to.
    for _ in 0..10 {
        w.word(0x0000_0013);
        w.land();
    }
    // In each round, whatever the mix: a message, a signal, the clock.
    send(r, &mut w);
    w.word(i_type(LOAD, 2, free(r), MAILBOX, mailbox::CYCLE));
    w.word(s_type(2, r.below(32), MAILBOX, mailbox::SIG_HI));
    w.word(j_type(0, START.wrapping_sub(w.at)));
}

/// Steps over the instruction that has trapped; after a fetch error the next round begins.
fn handler(w: &mut Writer) {
    let csrr = |csr| i_type(SYSTEM, 2, SCRATCH, 0, csr);
    let csrw = |csr| i_type(SYSTEM, 1, 0, SCRATCH, csr);
    let add = |imm| i_type(OP_IMM, 0, SCRATCH, SCRATCH, imm);
    w.all(&[
        csrw(MSCRATCH),
        csrr(MCAUSE),
        add(0xfff),
        b_type(0, SCRATCH, 0, 56), // fetch error
        csrr(MEPC),
        i_type(LOAD, 5, SCRATCH, SCRATCH, 0),
        i_type(OP_IMM, 7, SCRATCH, SCRATCH, 3),
        add(0xffd),
        b_type(0, SCRATCH, 0, 12), // a long one
        csrr(MEPC),
        j_type(0, 12),
        csrr(MEPC),
        add(2),
        add(2),
        csrw(MEPC),
        csrr(MSCRATCH),
        MRET,
        // Here a fetch error ends.
        i_type(OP_IMM, 0, SCRATCH, 0, START),
        j_type(0, 0u32.wrapping_sub(16)),
    ]);
}

/// The instruction that ends the program.
fn last(r: &mut Random, end: End) -> u32 {
    let value = r.below(32);
    let halts = [
        s_type(2, value, 0, 0x100),                // IMEM
        s_type(2, value, MAILBOX, mailbox::ID),    // read only
        s_type(1, value, MAILBOX, mailbox::TX_LO), // not a word
        i_type(LOAD, 2, 10, MAILBOX, 0xc),         // not listed
        i_type(LOAD, 2, 10, MAILBOX, 0x28),        // the same, behind PKT_META
        i_type(LOAD, 2, 10, MAILBOX, 0xc4),        // behind the last register
        i_type(LOAD, 2, 10, 0, 0xffc),             // the last word of all
        s_type(2, value, 19, 0),                   // a slot
        i_type(LOAD, 2, 10, 2, ROOM),              // behind DTCM
        s_type(0, value, 2, ROOM),
        i_type(LOAD, 4, 10, 18, ROOM), // behind the private memory
        s_type(2, value, 18, ROOM),
    ];
    match end {
        End::Exit => s_type(2, value, MAILBOX, mailbox::EXIT),
        End::Halt(number) => halts[number % halts.len()],
        End::Never => r.pick(&[0x1050_0073, j_type(0, 0)]),
    }
}

fn instruction(r: &mut Random, mix: &Mix, w: &mut Writer) {
    if r.chance(mix.compressed) {
        return compressed(r, w);
    }
    let word = if r.chance(mix.mailbox) {
        match r.below(12) {
            0 => return wait(r, w),
            1 => return send(r, w),
            _ => mailbox_access(r),
        }
    } else if r.chance(mix.memory) {
        memory_access(r)
    } else if r.chance(mix.jump) {
        return jump(r, w);
    } else if r.chance(mix.system) {
        return system(r, w);
    } else if r.chance(mix.multiply) {
        r_type(1, r.below(8), free(r), r.below(32), r.below(32))
    } else {
        arithmetic(r)
    };
    w.word(word);
}

/// A register that may be written: no base, not the counter of rounds.
fn free(r: &mut Random) -> u32 {
    loop {
        let register = r.below(32);
        if register != ROUNDS && BASES.iter().all(|(base, _)| *base != register) {
            return register;
        }
    }
}

/// One that also keeps what is written.
fn kept(r: &mut Random) -> u32 {
    loop {
        let register = free(r);
        if register != 0 {
            return register;
        }
    }
}

fn arithmetic(r: &mut Random) -> u32 {
    let funct3 = r.below(8);
    let (rd, rs1, rs2) = (free(r), r.below(32), r.below(32));
    let alternative = if r.chance(128) { 0x20 } else { 0 };
    match (r.below(5), funct3) {
        (0, _) => r.word() as u32 & 0xffff_f000 | rd << 7 | r.pick(&[LUI, AUIPC]),
        (1 | 2, 0 | 5) => r_type(alternative, funct3, rd, rs1, rs2),
        (1 | 2, _) => r_type(0, funct3, rd, rs1, rs2),
        (_, 1) => i_type(OP_IMM, 1, rd, rs1, r.below(32)),
        (_, 5) => i_type(OP_IMM, 5, rd, rs1, r.below(32) | alternative << 5),
        _ => i_type(OP_IMM, funct3, rd, rs1, r.below(4096)),
    }
}

fn mailbox_access(r: &mut Random) -> u32 {
    let parts = REGISTERS.map(|(_, reads, writes)| [reads, writes]);
    let pick = r.weighted(parts.as_flattened());
    let (offset, ..) = REGISTERS[pick / 2];
    if pick % 2 == 1 {
        return s_type(2, r.below(32), MAILBOX, offset);
    }
    let part = r.chance(16);
    let (funct3, inside) = if part { (r.pick(&[0, 1, 4, 5]), r.below(3)) } else { (2, 0) };
    i_type(LOAD, funct3, free(r), MAILBOX, offset + inside)
}

/// Waits, and makes room before: a read of WAIT with all slots and the RX FIFO full would never
/// end.
fn wait(r: &mut Random, w: &mut Writer) {
    w.word(s_type(2, r.below(32), MAILBOX, mailbox::PKT_POP));
    w.word(i_type(LOAD, 2, free(r), MAILBOX, mailbox::RX_HI));
    w.word(i_type(LOAD, 2, free(r), MAILBOX, mailbox::WAIT));
}

/// Sends a message of a kind that there is, in one of three to all chiplets at once.
fn send(r: &mut Random, w: &mut Writer) {
    let register = kept(r);
    let kind = r.pick(&[1, 1, 2, 3, 4]);
    w.word(i_type(OP_IMM, 0, register, 0, r.below(256) << 4 | kind));
    w.word(s_type(2, register, MAILBOX, mailbox::TX_LO));
    let all = r.pick(&[0, 0, 0x1_0000]);
    w.all(&load_immediate(register, all | r.below(1 << 16)));
    w.word(s_type(2, register, MAILBOX, mailbox::TX_DST));
    w.word(s_type(2, register, MAILBOX, mailbox::TX_HI));
}

/// Near a base that is no mailbox; half of them anywhere in a word.
fn memory_access(r: &mut Random) -> u32 {
    let near = r.below(0x100);
    let offset = if r.chance(128) { near } else { near & !3 };
    if r.chance(128) {
        let base = r.pick(&[2, 18, 19, 20]);
        return i_type(LOAD, r.pick(&[0, 1, 2, 2, 4, 5]), free(r), base, offset);
    }
    s_type(r.pick(&[0, 1, 2, 2]), r.below(32), r.pick(&[2, 18]), offset)
}

/// Forward over a few instructions; now and then into the middle of something.
fn jump(r: &mut Random, w: &mut Writer) {
    let at = w.at;
    let skips = r.below(8);
    let amiss = if r.chance(4) { 2 } else { 0 };
    let jump = match r.below(4) {
        0 => Jump { at, from: at, with: |w, o| w | j_type(0, o), word: j_type(free(r), 0), skips },
        1 => {
            let register = kept(r);
            // auipc: its own address.
            w.word(register << 7 | AUIPC);
            let word = i_type(JALR, 0, free(r), register, 0);
            Jump { at: at + 4, from: at, with: |w, o| w | o << 20, word, skips }
        }
        _ => {
            let funct3 = r.pick(&[0, 1, 4, 5, 6, 7]);
            let word = b_type(funct3, r.below(32), r.below(32), 0);
            Jump { at, from: at, with: |w, o| w | b_type(0, 0, 0, o) & !0x63, word, skips }
        }
    };
    w.word(jump.word);
    w.jumps.push(Jump { from: jump.from + amiss, ..jump });
}

fn system(r: &mut Random, w: &mut Writer) {
    match r.below(8) {
        0 => w.word(r.pick(&[0x0000_0073, 0x0010_0073, 0x7b20_0073, 0xffff_ffff, 0x0000_2063])),
        1 => w.word(r.pick(&[0x0ff0_000f, 0x0000_100f])),
        2 => {
            // To the instruction behind, in the mode that mstatus says.
            let register = kept(r);
            w.word(register << 7 | AUIPC);
            w.word(i_type(OP_IMM, 0, register, register, 16));
            w.word(i_type(SYSTEM, 1, 0, register, MEPC));
            w.word(MRET);
        }
        3 => {
            // Into the void, by a register that is 0 or all ones.
            let register = kept(r);
            w.word(i_type(OP_IMM, 0, register, 0, 0xffc));
            w.word(i_type(JALR, 0, free(r), register, r.pick(&[0, 2])));
        }
        _ => {
            let csr = r.pick(&CSRS);
            w.word(i_type(SYSTEM, r.below(8), free(r), r.below(32), csr));
        }
    }
}

/// Any that neither jumps, nor writes what must stay, nor goes to memory but by the stack pointer.
fn compressed(r: &mut Random, w: &mut Writer) {
    loop {
        let c = r.below(1 << 16);
        let rd = c >> 7 & 31;
        let rd_kept = rd == ROUNDS || BASES.iter().any(|(base, _)| *base == rd);
        let fine = match (c & 3, c >> 13) {
            (3, _) => false,
            // c.addi4spn writes one of eight; the loads and stores by a register go anywhere.
            (0, 0) => c >> 2 & 7 != 0,
            (0, 2 | 6) => false,
            (1, 1 | 5 | 6 | 7) => false,
            (1, 4) => c >> 7 & 7 != 0,
            (1, _) => !rd_kept,
            // c.swsp; a jump by a register.
            (2, 6) => true,
            (2, 4) => !rd_kept && c >> 2 & 31 != 0,
            (2, _) => !rd_kept,
            _ => true,
        };
        if fine {
            return w.half(c);
        }
    }
}

fn load_immediate(register: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    let high = value.wrapping_sub(low as u32);
    [high | register << 7 | LUI, i_type(OP_IMM, 0, register, register, low as u32 & 0xfff)]
}
