//! The parameters of a machine's STC blocks, and which machines can have them.

use cosim::catalog::Family;
use ports::Limit::Range;
use ports::stc::types::{Stc, Variant};
use ports::{Fields, fields};

use crate::config::policy::Policy;
use crate::config::resolved::Resolved;
use crate::config::section::{Section, defaults};
use crate::config::{ConfigError, System};

/// Those of the blocks, and of the links between them.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub blocks: Stc,
    /// Registers on each wire (specification 2.2).
    pub link: u32,
    /// How reports call them.
    pub name: String,
}

fields! {
    /// Those of the links.
    struct Links of Self {
        /// Registers on each wire between manager and agents.
        link: u32 = Range(0, 16), "registers", "specification 2.2";
    }
}

/// Section `[stc]`.
pub const SECTION: Section = Section {
    name: "stc",
    about: "STC's blocks: epoch manager, epoch agents, and the wires between them. Three limits \
            depend on the machine: `bsq_n` is at least `cu.lanes`, `2^seb_min` at least \
            `machine.line`, and `wakeup` at least the sum of `2^band_bits` and the longest scan of \
            the blocked store queue.",
    fields: &[Stc::FIELDS, Links::FIELDS],
    fixed: &["n_cu", "variant"],
    default: |system| {
        let mut table = defaults(&blocks(system));
        table.extend(defaults(&LINKS));
        Ok(table)
    },
};

/// Where nothing is said (specification 2.2).
const LINKS: Links = Links { link: 1 };

/// The paper's, for the design and the machine.
fn blocks(system: &System) -> Stc {
    let variant = match system.l1.design.as_str() {
        "stc-nv" => Variant::Nv,
        "stc-es" => Variant::Es,
        "stc-ab" => Variant::Ab,
        _ => Variant::Mb,
    };
    let paper = Stc::named().remove("paper").expect("it has a name");
    let n_cu = u32::from(system.machine.chiplets) * u32::from(system.machine.cus);
    let max_bands = if variant == Variant::Mb { paper.max_bands } else { 1 };
    Stc { n_cu, variant, max_bands, ..paper }
}

impl Parameters {
    /// Those of section `[stc]`, for the design and the machine. Errors: the blocks cannot have
    /// these.
    pub fn of(system: &System) -> Result<Self, ConfigError> {
        let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
        let blocks: Stc = system.parameters(&SECTION)?;
        let Links { link } = system.parameters(&SECTION)?;
        let check = |ok: bool, name: &str, value: u32, limit: String| match ok {
            true => Ok(()),
            false => Err(error(&format!("stc.{name}"), format!("{value}: must be {limit}"))),
        };
        blocks.validate().map_err(|e| match e.name {
            "n_cu" => {
                error("machine.cus", format!("{} CUs of a GPU: must be {}", e.value, e.limit))
            }
            name => error(&format!("stc.{name}"), format!("{}: must be {}", e.value, e.limit)),
        })?;
        // Specification 2.2.
        let Stc { seb_min, wakeup, band_bits, bsq_n, bsq_banks, bsq_rd, .. } = blocks;
        let (lanes, line) = (system.cu.lanes, system.machine.line);
        let limit = format!("at least {lanes}, cu.lanes");
        check(bsq_n >= lanes, "bsq_n", bsq_n, limit)?;
        let limit = format!("at least {}: a line of {line} B belongs to one band", line.ilog2());
        check(seb_min >= line.ilog2(), "seb_min", seb_min, limit)?;
        let least = (1 << band_bits) + bsq_n.div_ceil(bsq_banks * bsq_rd);
        let limit = format!("at least {least}: 2^band_bits + the longest scan");
        check(wakeup >= least, "wakeup", wakeup, limit)?;
        let name = format!("{}, {} CUs, link {link}", &system.l1.design, blocks.n_cu);
        Ok(Self { blocks, link, name })
    }
}

/// All CUs share the L2 of a line, and no other agent writes it while a kernel runs (specification
/// 5.7, item 5).
pub fn check(machine: &Resolved) -> Result<(), ConfigError> {
    let Resolved { system, l1, l2, policy, .. } = *machine;
    let (m, design) = (&system.machine, l1.name);
    let error = |field: &str, problem: String| Err(ConfigError { field: field.into(), problem });
    if m.gpus > 1 {
        let why = "writes of other GPUs bypass the epochs";
        return error(
            "machine.gpus",
            format!("{}: must be 1 with l1.design = {design}: {why}", m.gpus),
        );
    }
    let several =
        format!("caches lines in several L2s: with l1.design = {design} one L2 serves each line");
    match policy {
        Policy::Coherent if m.chiplets > 1 => {
            error("l2.design", format!("{:?} {several}", l2.name))
        }
        Policy::Private if m.chiplets > 1 => error("l2.policy", format!("\"private\" {several}")),
        _ => Parameters::of(system).map(|_| ()),
    }
}
