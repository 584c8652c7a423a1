//! The control and status registers of Ibex `small`, and its two privilege modes. (Ibex reference,
//! "Control and Status Registers"; no interrupts, no debugger, no PMP, no performance counters.)

/// Machine mode, as in `mstatus.mpp`.
const MACHINE: u32 = 3;
const USER: u32 = 0;

const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MCOUNTINHIBIT: u32 = 0x320;
const MSCRATCH: u32 = 0x340;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MTVAL: u32 = 0x343;
const CPUCTRLSTS: u32 = 0x7c0;
const MCYCLE: u32 = 0xb00;
const MINSTRET: u32 = 0xb02;
const MCYCLEH: u32 = 0xb80;
const MINSTRETH: u32 = 0xb82;

/// RV32IMC with user mode.
const MISA: u32 = 0x4010_1104;
/// lowRISC's number for Ibex.
const MARCHID: u32 = 22;

/// `mcause` of the traps.
pub mod cause {
    pub const FETCH_ERROR: u32 = 1;
    pub const ILLEGAL: u32 = 2;
    pub const BREAKPOINT: u32 = 3;
    pub const ECALL_FROM_USER: u32 = 8;
    pub const ECALL_FROM_MACHINE: u32 = 11;
}

/// What a CSR instruction does besides reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Nothing: set or clear with register or immediate 0.
    None,
    Value(u32),
    Set(u32),
    Clear(u32),
}

/// A 64-bit counter of cycles, which need not be touched in each.
#[derive(Clone, Copy, Debug, Default)]
struct CycleCounter {
    /// Its value in cycle `at`.
    value: u64,
    at: u64,
    stopped: bool,
}

impl CycleCounter {
    fn value(&self, now: u64) -> u64 {
        if self.stopped { self.value } else { self.value.wrapping_add(now.wrapping_sub(self.at)) }
    }

    /// What it shows from the next cycle on.
    fn set(&mut self, now: u64, value: u64) {
        (self.value, self.at) = (value, now + 1);
    }
}

/// The registers.
#[derive(Clone, Debug, Default)]
pub struct Csrs {
    mode: u32,
    mie_bit: bool,
    mpie: bool,
    mpp: u32,
    mprv: bool,
    tw: bool,
    mie: u32,
    mtvec: u32,
    mscratch: u32,
    mepc: u32,
    mcause: u32,
    mtval: u32,
    /// \[7\] a trap in a trap was seen, \[6\] one was entered and not left.
    cpuctrlsts: u32,
    cycles: CycleCounter,
    instret: u64,
    instret_stopped: bool,
}

impl Csrs {
    /// After reset; `start` is the first cycle in which `mcycle` counts.
    pub fn new(start: u64) -> Self {
        Self {
            mode: MACHINE,
            mpie: true,
            mpp: USER,
            mtvec: 1,
            cycles: CycleCounter { at: start, ..CycleCounter::default() },
            ..Self::default()
        }
    }

    /// An instruction retires; those that access these registers are counted by [`Csrs::access`].
    #[inline(always)]
    pub fn count_retired(&mut self) {
        self.instret = self.instret.wrapping_add(u64::from(!self.instret_stopped));
    }

    pub fn is_machine_mode(&self) -> bool {
        self.mode == MACHINE
    }

    /// `wfi` is illegal.
    pub fn traps_wfi(&self) -> bool {
        self.mode != MACHINE && self.tw
    }

    /// Reads register `number` in cycle `now`, and then writes it. `None`: the instruction is
    /// illegal. The flag says that the write flushes the pipeline.
    pub fn access(&mut self, number: u32, write: Write, now: u64) -> Option<(u32, bool)> {
        let read_only = number >> 10 == 3;
        if number >> 8 & 3 > self.mode || read_only && write != Write::None {
            return None;
        }
        let old = self.read(number, now)?;
        let before = self.instret;
        self.count_retired();
        let new = match write {
            Write::None => return Some((old, false)),
            Write::Value(value) => value,
            Write::Set(bits) => old | bits,
            Write::Clear(bits) => old & !bits,
        };
        let flushes = matches!(number, MSTATUS | MIE) && !matches!(write, Write::Clear(_));
        self.write(number, new, now, before);
        Some((old, flushes))
    }

    fn read(&self, number: u32, now: u64) -> Option<u32> {
        Some(match number {
            MSTATUS => {
                let [mie, mpie, mprv, tw] =
                    [self.mie_bit, self.mpie, self.mprv, self.tw].map(u32::from);
                mie << 3 | mpie << 7 | self.mpp << 11 | mprv << 17 | tw << 21
            }
            0x301 => MISA,
            MIE => self.mie,
            MTVEC => self.mtvec,
            MCOUNTINHIBIT => u32::from(self.cycles.stopped) | u32::from(self.instret_stopped) << 2,
            MSCRATCH => self.mscratch,
            MEPC => self.mepc,
            MCAUSE => self.mcause,
            MTVAL => self.mtval,
            CPUCTRLSTS => self.cpuctrlsts,
            MCYCLE => self.cycles.value(now) as u32,
            MCYCLEH => (self.cycles.value(now) >> 32) as u32,
            MINSTRET => self.instret as u32,
            MINSTRETH => (self.instret >> 32) as u32,
            0xf12 => MARCHID,
            // mcounteren, menvcfg, mstatush, menvcfgh, mip, secureseed; mvendorid, mimpid, mhartid,
            // mconfigptr; the events and counters that are not there.
            0x306 | 0x30a | 0x310 | 0x31a | 0x344 | 0x7c1 => 0,
            0xf11 | 0xf13 | 0xf14 | 0xf15 => 0,
            0x323..=0x33f | 0xb03..=0xb1f | 0xb83..=0xb9f => 0,
            _ => return None,
        })
    }

    /// `before` is the count of retired instructions without this one, which is not counted where
    /// it writes the counter.
    fn write(&mut self, number: u32, value: u32, now: u64, before: u64) {
        let bit = |at: u32| value >> at & 1 != 0;
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        match number {
            MSTATUS => {
                (self.mie_bit, self.mpie, self.mprv, self.tw) = (bit(3), bit(7), bit(17), bit(21));
                self.mpp = if value >> 11 & 3 == MACHINE { MACHINE } else { USER };
            }
            MIE => self.mie = value & 0x7fff_0888,
            MTVEC => self.mtvec = value & !0xff | 1,
            MCOUNTINHIBIT => {
                let shown = self.cycles.value(now);
                self.cycles.set(now, shown.wrapping_add(u64::from(!self.cycles.stopped)));
                self.cycles.stopped = bit(0);
                self.instret_stopped = bit(2);
            }
            MSCRATCH => self.mscratch = value,
            MEPC => self.mepc = value & !1,
            MCAUSE => {
                let (interrupt, internal) = (bit(31), value >> 30 == 3);
                let middle = if internal { 0x7fff_ffe0 } else { 0 };
                self.mcause = u32::from(interrupt) << 31 | middle | value & 31;
            }
            MTVAL => self.mtval = value,
            CPUCTRLSTS => self.cpuctrlsts = value & 0xc0,
            MCYCLE => self.cycles.set(now, low(self.cycles.value(now))),
            MCYCLEH => self.cycles.set(now, high(self.cycles.value(now))),
            MINSTRET => self.instret = low(before),
            MINSTRETH => self.instret = high(before),
            _ => {}
        }
    }

    /// Enters a trap; returns the address to go on at.
    pub fn trap(&mut self, cause: u32, pc: u32, value: u32) -> u32 {
        (self.mcause, self.mepc, self.mtval) = (cause, pc, value);
        (self.mpie, self.mie_bit, self.mpp) = (self.mie_bit, false, self.mode);
        self.mode = MACHINE;
        self.cpuctrlsts |= (self.cpuctrlsts & 0x40) << 1 | 0x40;
        self.mtvec & !0xff
    }

    /// Leaves a trap; returns the address to go on at.
    pub fn mret(&mut self) -> u32 {
        self.mode = self.mpp;
        self.mie_bit = self.mpie;
        self.mprv &= self.mpp == MACHINE;
        (self.mpie, self.mpp) = (true, USER);
        self.cpuctrlsts &= !0x40;
        self.mepc
    }
}
