//! What a core has executed last, and why it can not go on: seen at its trace port alone, so it is
//! the same for the simulator and the RTL.

use std::fmt::Write;

use firmware::image::{ENTRY, IMEM_BYTES, Image, Symbols};
use firmware::map::{MAILBOX, reg};
use hwmodel::cpelide::command_processor::{Reached, effect};
use ports::cpelide::types::{Retired, error_code};

/// Instructions that a report lists.
const SHOWN: usize = 8;
/// Instructions without an access to the mailbox that are an endless loop. No launch needs a tenth:
/// the longest reads the private memory, 16 K words, some times.
pub(super) const ENDLESS: u64 = 1 << 22;

const MRET: u32 = 0x3020_0073;
const ECALL: u32 = 0x0000_0073;
const EBREAK: [u32; 2] = [0x0010_0073, 0x9002];

/// Why firmware cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It has trapped, or reached for what is in no memory.
    #[error("{0}")]
    Trap(String),
    /// It executes without an end.
    #[error("{0}")]
    Endless(String),
    /// It has written this status to EXIT.
    #[error("has halted with status {0}{1}")]
    Exit(u32, String),
}

/// What a core has executed last.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// Addresses, by number modulo their count.
    shown: [u32; SHOWN],
    retired: u64,
    last: Retired,
    /// The registers behind the last instruction, and what it has overwritten.
    registers: [u32; 32],
    overwritten: u32,
    /// `retired` at the last access to the mailbox.
    heard: u64,
    /// The mode may be another one than the machine's.
    has_left: bool,
    trap: Option<Retired>,
}

impl Trail {
    /// Sees what the trace port shows.
    #[inline]
    pub fn see(&mut self, trace: &Retired) {
        if trace.trap {
            self.trap.get_or_insert(*trace);
            return;
        }
        self.shown[self.retired as usize % SHOWN] = trace.pc;
        self.retired += 1;
        let register = &mut self.registers[usize::from(trace.rd)];
        self.overwritten = std::mem::replace(register, trace.wdata);
        if trace.mem_addr >= MAILBOX {
            self.heard = self.retired;
        }
        self.has_left |= trace.insn == MRET;
        self.last = *trace;
    }

    /// Whether it cannot go on, or does without an end.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.trap.is_some() || self.retired - self.heard > ENDLESS
    }

    /// Why it cannot go on, where `exit` is the status with which the core has halted; `endless` is
    /// said of one that has not.
    #[cold]
    pub fn fault(&self, exit: Option<u32>, image: &Image, endless: &str) -> Fault {
        let symbols = image.symbols();
        let last = self.list(&symbols);
        if let Some(trap) = &self.trap {
            let (number, name) = self.cause(trap);
            let (word, pc) = (word(trap.insn), symbols.describe(trap.pc));
            return Fault::Trap(format!(
                "traps at pc {pc}: mcause {number}, {name}; instruction word {word}{last}"
            ));
        }
        let Some(status) = exit else {
            return Fault::Endless(format!("{endless}{last}"));
        };
        let pc = self.next();
        let insn = pc.map(|pc| fetched(image, pc));
        let reached = pc.zip(insn).and_then(|(pc, insn)| effect(insn, pc, &self.registers).reached);
        match (pc, insn, reached) {
            (Some(pc), Some(insn), Some(reached)) if !exits(reached, status) => {
                let (word, pc) = (word(insn), symbols.describe(pc));
                let Reached { addr, bytes, is_store } = reached;
                let access = if is_store { "store" } else { "load" };
                let size = ["byte", "half-word", "word"][bytes.ilog2() as usize];
                let why = refused(reached);
                Fault::Trap(format!(
                    "halts at pc {pc}: {access} of a {size} at {addr:#x}, {why} (no mcause: loads \
                     and stores never trap); instruction word {word}{last}"
                ))
            }
            _ => Fault::Exit(status, last),
        }
    }

    /// Where the core goes on behind what has retired last.
    fn next(&self) -> Option<u32> {
        if self.retired == 0 {
            return Some(ENTRY);
        }
        let mut before = self.registers;
        before[usize::from(self.last.rd)] = self.overwritten;
        effect(self.last.insn, self.last.pc, &before).next
    }

    /// `mcause` of a trap, which the trace does not show: rule 36 of the block's README.
    fn cause(&self, trap: &Retired) -> (&'static str, &'static str) {
        let bytes = if trap.insn & 3 == 3 { 4 } else { 2 };
        let is_fetched = trap.pc.checked_add(bytes).is_some_and(|end| end <= IMEM_BYTES as u32);
        match trap.insn {
            _ if !is_fetched => ("1", "instruction access fault"),
            ECALL if self.has_left => ("8 or 11", "environment call from user or machine mode"),
            ECALL => ("11", "environment call from machine mode"),
            insn if EBREAK.contains(&insn) => ("3", "breakpoint"),
            _ => ("2", "illegal instruction"),
        }
    }

    /// The last instructions, the latest first.
    fn list(&self, symbols: &Symbols) -> String {
        let count = self.retired.min(SHOWN as u64);
        let mut text = String::new();
        for back in 1..=count {
            let pc = self.shown[(self.retired - back) as usize % SHOWN];
            let head = if back == 1 { "last retired:" } else { "before it:   " };
            let _ = write!(text, "\n  {head} pc {}", symbols.describe(pc));
        }
        if count == 0 {
            text += "\n  no instruction has retired";
        }
        text
    }
}

/// Whether an access is the one that ends the firmware with this status on purpose, or may be.
fn exits(reached: Reached, status: u32) -> bool {
    let is_exit = reached.is_store && reached.addr == MAILBOX + reg::EXIT && reached.bytes == 4;
    is_exit || status != u32::from(error_code::HALT)
}

/// Why the core halts at an access: rule 12 of the block's README.
fn refused(reached: Reached) -> &'static str {
    match reached.addr >> 28 {
        0 if reached.is_store && reached.addr < IMEM_BYTES as u32 => {
            "the instruction memory, which is only read"
        }
        2 if reached.is_store => "a packet slot, which is only read",
        4 => "which is no access that the mailbox has",
        _ => "outside the memory map",
    }
}

/// The instruction at an address of the image; a compressed one with 0 above.
fn fetched(image: &Image, pc: u32) -> u32 {
    let half = |at: u32| {
        let word = image.words.get(at as usize / 4).copied().unwrap_or(0);
        word >> (8 * (at & 2)) & 0xffff
    };
    let low = half(pc);
    if low & 3 == 3 { half(pc.wrapping_add(2)) << 16 | low } else { low }
}

/// An instruction word in its length.
fn word(insn: u32) -> String {
    match insn & 3 {
        3 => format!("{insn:#010x}"),
        _ => format!("{insn:#06x}"),
    }
}
