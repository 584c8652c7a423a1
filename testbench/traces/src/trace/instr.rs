//! One memory instruction of a warp.

/// Lanes of a warp in a trace. A machine with narrower warps splits it.
pub const LANES: usize = 64;

/// What an atomic does to memory when it is replayed (`old` -> new). Arithmetic wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum AtomicOp {
    /// old + operand.
    #[default]
    Add,
    /// Signed minimum.
    Min,
    /// Signed maximum.
    Max,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand: exchange, and compare-and-swap that stored.
    Exchange,
}

impl AtomicOp {
    /// From the number of the variant.
    pub fn from_code(code: u8) -> Option<Self> {
        const ALL: [AtomicOp; 9] = [
            AtomicOp::Add,
            AtomicOp::Min,
            AtomicOp::Max,
            AtomicOp::UMin,
            AtomicOp::UMax,
            AtomicOp::And,
            AtomicOp::Or,
            AtomicOp::Xor,
            AtomicOp::Exchange,
        ];
        ALL.get(usize::from(code)).copied()
    }

    /// The low `size` bytes of a value, 1 to 8.
    pub fn truncate(value: u64, size: u8) -> u64 {
        value & u64::MAX >> (64 - 8 * u32::from(size.clamp(1, 8)))
    }

    /// The low `size` bytes of a value, 1 to 8, as a signed number.
    pub fn sign_extend(value: u64, size: u8) -> i64 {
        let shift = 64 - 8 * u32::from(size.clamp(1, 8));
        (value << shift) as i64 >> shift
    }

    /// What a location of `size` bytes, 1 to 8, holds afterwards.
    pub fn apply(self, old: u64, operand: u64, size: u8) -> u64 {
        let signed = |value| Self::sign_extend(value, size);
        let unsigned = |value| Self::truncate(value, size);
        let new = match self {
            Self::Add => old.wrapping_add(operand),
            Self::Min => signed(old).min(signed(operand)) as u64,
            Self::Max => signed(old).max(signed(operand)) as u64,
            Self::UMin => unsigned(old).min(unsigned(operand)),
            Self::UMax => unsigned(old).max(unsigned(operand)),
            Self::And => old & operand,
            Self::Or => old | operand,
            Self::Xor => old ^ operand,
            Self::Exchange => operand,
        };
        unsigned(new)
    }

    /// True when the order of several of them does not matter to the final value.
    pub fn commutes(self) -> bool {
        self != Self::Exchange
    }
}

/// Kind of an instruction, in the order of their codes in the file: so accesses of one place are
/// ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum InstrKind {
    /// Reads; the values are those that the program saw.
    #[default]
    Load,
    /// Writes the values.
    Store,
    /// All warps of the work-group meet.
    Barrier,
    /// Earlier accesses of the warp are ordered before later ones, at system scope.
    Fence,
    /// Read-modify-write; the values are the operands, `olds` what the program saw.
    Atomic(AtomicOp),
}

/// What a warp executes between two accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Work {
    /// Instructions, those below among them.
    pub instructions: u32,
    /// Special functions: divisions, square roots, trigonometry.
    pub special: u32,
    /// Accesses of local memory.
    pub local: u32,
    /// Passes of local memory that these take: more than `local` where banks conflict.
    pub passes: u32,
    /// Instructions of the longest chain in which each reads the result of the one before.
    pub chain: Chain,
}

/// A chain of dependent instructions, by the class that determines their latency. All 0: unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain {
    /// Arithmetic.
    pub arithmetic: u32,
    /// Special functions.
    pub special: u32,
    /// Accesses of local memory.
    pub local: u32,
}

impl Work {
    /// So many instructions of which nothing else is known.
    pub fn of(instructions: u32) -> Self {
        Self { instructions, ..Self::default() }
    }

    /// The most of each: what a warp takes whose lanes do either.
    pub fn max(self, other: Self) -> Self {
        let (a, b) = (self.chain, other.chain);
        Self {
            instructions: self.instructions.max(other.instructions),
            special: self.special.max(other.special),
            local: self.local.max(other.local),
            passes: self.passes.max(other.passes),
            chain: Chain {
                arithmetic: a.arithmetic.max(b.arithmetic),
                special: a.special.max(b.special),
                local: a.local.max(b.local),
            },
        }
    }

    /// The number of its instructions is all that is known.
    pub fn is_plain(&self) -> bool {
        *self == Self::of(self.instructions)
    }
}

/// When the value of a load, or the old value of an atomic, is first read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FirstUse {
    /// The trace does not say.
    #[default]
    Unknown,
    /// By the warp's n-th instruction after this one, from 1; accesses count as well.
    After(u32),
    /// By none.
    Never,
}

impl FirstUse {
    /// Of a warp whose lanes read it so: nothing is known where one is unknown.
    pub fn earlier(self, other: Self) -> Self {
        self.min(other)
    }
}

/// A decoded instruction. Reused, so that decoding allocates nothing.
#[derive(Clone, Debug)]
pub struct Instr {
    /// What it does.
    pub kind: InstrKind,
    /// What the warp has executed since its last memory access.
    pub work: Work,
    /// When the value is first read.
    pub first_use: FirstUse,
    /// Bytes of each lane: 1, 2, 4, 8 or 16.
    pub size: u8,
    /// Active lanes.
    pub lanes: u64,
    /// Lanes whose load, or whose atomic's old value, is racy; the others are determined.
    pub racy: u64,
    /// Byte address of each active lane.
    pub addrs: [u64; LANES],
    /// Each lane's address is `size` behind that of the lane before it: known when it was decoded.
    pub is_run: bool,
    /// Value of each active lane at `size * lane`.
    pub values: [u8; 16 * LANES],
    /// Old value of each active lane of an atomic, at `size * lane`.
    pub olds: [u8; 8 * LANES],
}

impl Instr {
    /// The value of a lane.
    #[inline]
    pub fn value(&self, lane: usize) -> &[u8] {
        let size = usize::from(self.size);
        &self.values[size * lane..][..size]
    }

    /// The value of a lane, to set it. The size must be set.
    #[inline]
    pub fn value_mut(&mut self, lane: usize) -> &mut [u8] {
        let size = usize::from(self.size);
        &mut self.values[size * lane..][..size]
    }

    /// The old value of a lane of an atomic.
    #[inline]
    pub fn old(&self, lane: usize) -> &[u8] {
        let size = usize::from(self.size);
        &self.olds[size * lane..][..size]
    }

    /// The old value of a lane of an atomic, to set it. The size must be set.
    #[inline]
    pub fn old_mut(&mut self, lane: usize) -> &mut [u8] {
        let size = usize::from(self.size);
        &mut self.olds[size * lane..][..size]
    }
}

impl Default for Instr {
    fn default() -> Self {
        Self {
            kind: InstrKind::Load,
            work: Work::default(),
            first_use: FirstUse::Unknown,
            size: 0,
            lanes: 0,
            racy: 0,
            addrs: [0; LANES],
            is_run: false,
            values: [0; 16 * LANES],
            olds: [0; 8 * LANES],
        }
    }
}
