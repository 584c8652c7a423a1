//! The parameters of a machine's blocks of timestamp coherence, and which machines can have them.

use cosim::catalog::Family;
use ports::Limit::Names;
use ports::timestamp::gtsc_rst;
use ports::timestamp::types::{Protocol, Timestamp, bus_op, rsp_op};
use ports::{ConfigError as Illegal, Fields, Parameters as _, fields};

use super::rule::{self, Rule};
use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::config::section::{Section, defaults};
use crate::config::{ConfigError, System};

fields! {
    /// What the machine has beside the blocks.
    struct Besides of Self {
        /// A disabled rule (ablation); empty: none.
        without: String = Names(rule::names), "", "specification 8.2";
    }
}

/// Section `[timestamp]`.
pub const SECTION: Section = Section {
    name: "timestamp",
    about: "Timestamp coherence: L1s, L2 banks and the reset of timestamps. Sizes of caches and \
            numbers of CUs and waves follow from the machine. `ts_w` is at most 25 in a machine \
            because an answer carries two timestamps in 64 bits.",
    fields: &[Timestamp::FIELDS, Besides::FIELDS],
    fixed: &[
        "n_sm", "warps", "line", "line_w", "l1_sets", "l1_ways", "l1_mshr", "l2_banks", "l2_sets",
        "l2_ways", "l2_mshr", "protocol",
    ],
    default: |system| {
        let mut table = defaults(&blocks(system));
        table.extend(defaults(&Besides { without: String::new() }));
        Ok(table)
    },
};

/// Most bits of a timestamp: what an answer says is in one word.
const MOST_TS_W: u32 = 25;

/// Those of the blocks.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub blocks: Timestamp,
    /// The rule that is not kept.
    pub without: Option<Rule>,
    /// How reports call them.
    pub name: String,
}

/// Bits of the address of a line: what the blocks can have.
const LINE_W: u32 = 40;

/// The protocol of a design.
fn protocol(design: &str) -> Protocol {
    match design {
        "tc-weak" => Protocol::Tcw,
        "tc-strong" => Protocol::Tcs,
        _ => Protocol::Gtsc,
    }
}

/// The paper's, for the machine.
fn blocks(system: &System) -> Timestamp {
    let paper = Timestamp::named().remove("paper").expect("it has a name");
    let System { machine: m, l1, l2, cu, .. } = system;
    // What other GPUs ask for is one SM's more.
    let others = u32::from(m.gpus > 1);
    let sets = |bytes: u64, ways: u32| {
        u32::try_from(bytes / u64::from(ways.max(1)) / u64::from(m.line)).unwrap_or(u32::MAX)
    };
    Timestamp {
        n_sm: u32::from(m.chiplets) * u32::from(m.cus) + others,
        warps: cu.waves,
        line: m.line,
        line_w: LINE_W,
        l1_sets: sets(l1.bytes.into(), l1.ways),
        l1_ways: l1.ways,
        l1_mshr: l1.misses,
        // A bank numbers its lines itself.
        l2_banks: 1,
        l2_sets: sets(l2.bytes / u64::from(l2.banks.max(1)), l2.ways),
        l2_ways: l2.ways,
        l2_mshr: l2.misses,
        protocol: protocol(&l1.design),
        ..paper
    }
}

impl Parameters {
    /// Those of section `[timestamp]`, for the design and the machine. Errors: the blocks cannot
    /// have these.
    pub fn of(system: &System) -> Result<Self, ConfigError> {
        let design = &system.l1.design;
        let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
        let blocks: Timestamp = system.parameters(&SECTION)?;
        let Besides { without } = system.parameters(&SECTION)?;
        let without = rule::named(&without, design)?;
        if blocks.ts_w > MOST_TS_W {
            let problem = format!("{}: must be at most {MOST_TS_W} in a machine", blocks.ts_w);
            return Err(error("timestamp.ts_w", problem));
        }
        blocks.validate().map_err(|Illegal { name, value, limit }| {
            let with = format!("with l1.design = {design}");
            let of = |field: &str, what: &str| {
                error(field, format!("{what}, {value}: must be {limit} {with}"))
            };
            match name {
                "n_sm" => of("machine.cus", "CUs of a GPU, plus one that stands for other GPUs"),
                "warps" => of("cu.waves", "waves of a CU"),
                "line" => of("machine.line", "bytes of a line"),
                "l1_sets" => of("l1.bytes", "sets of an L1"),
                "l1_ways" => of("l1.ways", "ways of an L1"),
                "l1_mshr" => of("l1.misses", "MSHRs of an L1"),
                "l2_sets" => of("l2.bytes", "sets of an L2 bank"),
                "l2_ways" => of("l2.ways", "ways of an L2 bank"),
                "l2_mshr" => of("l2.misses", "MSHRs of an L2 bank"),
                name => error(&format!("timestamp.{name}"), format!("{value}: must be {limit}")),
            }
        })?;
        let name = format!("{design}, {} SMs, {} warps", blocks.n_sm, blocks.warps);
        Ok(Self { blocks, without, name })
    }
    /// Those of the reset of a GPU's timestamps: it has all banks of the GPU, and its CUs alone.
    pub fn of_reset(&self, system: &System) -> gtsc_rst::Config {
        let m = &system.machine;
        let of_gpu = |parts: u16| u32::from(m.chiplets) * u32::from(parts);
        gtsc_rst::Config::from(&Timestamp {
            n_sm: of_gpu(m.cus),
            l2_banks: of_gpu(system.l2.banks).next_power_of_two(),
            ..self.blocks.clone()
        })
    }
}

/// Bytes of timestamps in messages, by operation (specification, table 3.1 and section 9).
#[derive(Clone, Copy, Debug)]
pub struct TimestampBytes {
    requests: [u8; 4],
    answers: [u8; 4],
}

impl TimestampBytes {
    /// Those of a protocol: none in a request of TC, and in an answer an expiry of 32 bits.
    pub fn of(blocks: &Timestamp) -> Self {
        if blocks.protocol != Protocol::Gtsc {
            return Self { requests: [0; 4], answers: [4; 4] };
        }
        let field = blocks.ts_w.div_ceil(8) as u8;
        let (mut requests, mut answers) = ([2 * field; 4], [2 * field; 4]);
        // An atomic needs no `wts`, as it leaves no copy in its L1. A renewal is an `rts`.
        requests[usize::from(bus_op::ATOM)] = field;
        answers[usize::from(rsp_op::RNW)] = field;
        Self { requests, answers }
    }

    #[inline]
    pub fn of_request(&self, op: u8) -> u8 {
        self.requests[usize::from(op & 3)]
    }

    #[inline]
    pub fn of_answer(&self, op: u8) -> u8 {
        self.answers[usize::from(op & 3)]
    }
}

/// One bank has the timestamps of a line, and one block resets those of a GPU.
pub fn check(machine: &Resolved) -> Result<(), ConfigError> {
    let Resolved { system, l1, policy, .. } = *machine;
    let (m, design) = (&system.machine, l1.name);
    let error = |field: &str, problem: String| Err(ConfigError { field: field.into(), problem });
    if (m.chiplets > 1 || m.gpus > 1) && policy == Policy::Private {
        let problem = format!(
            "\"private\" caches a line in several L2s, and other GPUs bypass them: with l1.design \
             = {design} one bank holds the timestamps of a line"
        );
        return error("l2.policy", problem);
    }
    let parameters = Parameters::of(system)?;
    if l1.unit.is_none() {
        return Ok(());
    }
    // Its other limits are those of L1s and banks, too.
    match parameters.of_reset(system).validate() {
        Ok(()) => Ok(()),
        Err(Illegal { name: "l2_banks", value, limit }) => {
            let problem = format!(
                "{}: L2 banks of a GPU, rounded up to a power of 2, {value}: must be {limit} with \
                 l1.design = {design}",
                system.l2.banks
            );
            error("l2.banks", problem)
        }
        Err(Illegal { name, value, limit }) => {
            error(&format!("timestamp.{name}"), format!("{value}: must be {limit}"))
        }
    }
}
