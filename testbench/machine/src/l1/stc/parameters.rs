//! The parameters of a machine's STC blocks, and which machines can have them.

use cosim::catalog::Family;
use ports::common::stc_types::{Stc, Variant};

use crate::config::{ConfigError, System};
use crate::l2;
use crate::registry;

/// Those of the blocks, and of the links between them.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub blocks: Stc,
    /// Registers on each wire (specification 2.2).
    pub link: u32,
    /// How reports call them.
    pub name: String,
}

/// Most registers on a wire.
const MOST_LINK: u32 = 16;

impl Parameters {
    /// Those of section `[stc]`, for the design and the machine. Errors: the machine cannot have
    /// STC, or not with these.
    pub fn of(system: &System) -> Result<Self, ConfigError> {
        let error = |field: &str, problem: String| ConfigError { field: field.into(), problem };
        check_machine(system)?;
        let variant = match system.l1.design.as_str() {
            "stc-nv" => Variant::Nv,
            "stc-es" => Variant::Es,
            "stc-ab" => Variant::Ab,
            _ => Variant::Mb,
        };
        let m = &system.machine;
        let paper = Stc::named().remove("paper").expect("it has a name");
        let default = Stc {
            n_cu: u32::from(m.chiplets) * u32::from(m.cus),
            variant,
            max_bands: if variant == Variant::Mb { paper.max_bands } else { 1 },
            ..paper
        };
        let mut fields = toml::Table::try_from(&default).expect("they are numbers and a name");
        fields.insert("link".into(), LINK.into());
        let mut fields = system.section("stc", fields, &["n_cu", "variant"])?;
        let link = fields.remove("link").and_then(|link| link.as_integer()).expect("a number");
        let blocks: Stc = fields
            .try_into()
            .map_err(|e: toml::de::Error| error("stc", e.message().to_string()))?;
        let check = |ok: bool, name: &str, value: i64, limit: String| match ok {
            true => Ok(()),
            false => Err(error(&format!("stc.{name}"), format!("{value}: must be {limit}"))),
        };
        let most = i64::from(MOST_LINK);
        check((0..=most).contains(&link), "link", link, format!("0 to {MOST_LINK}"))?;
        blocks.validate().map_err(|e| match e.name {
            "n_cu" => {
                error("machine.cus", format!("{} CUs of a GPU: must be {}", e.value, e.limit))
            }
            name => error(&format!("stc.{name}"), format!("{}: must be {}", e.value, e.limit)),
        })?;
        // Specification 2.2.
        let Stc { seb_min, wakeup, band_bits, bsq_n, bsq_banks, bsq_rd, .. } = blocks;
        let (lanes, line) = (system.cu.lanes, m.line);
        let limit = format!("at least {lanes}, cu.lanes");
        check(bsq_n >= lanes, "bsq_n", bsq_n.into(), limit)?;
        let limit = format!("at least {}: a line of {line} B belongs to one band", line.ilog2());
        check(seb_min >= line.ilog2(), "seb_min", seb_min.into(), limit)?;
        let least = (1 << band_bits) + bsq_n.div_ceil(bsq_banks * bsq_rd);
        let limit = format!("at least {least}: 2^band_bits and the longest scan");
        check(wakeup >= least, "wakeup", wakeup.into(), limit)?;
        let name = format!("{}, {} CUs, link {link}", &system.l1.design, blocks.n_cu);
        Ok(Self { blocks, link: link as u32, name })
    }
}

/// Registers on each wire where nothing is said (specification 2.2).
const LINK: u32 = 1;

/// All CUs share the L2 of a line, and nobody else writes it while a kernel runs (specification
/// 5.7, item 5).
fn check_machine(system: &System) -> Result<(), ConfigError> {
    let m = &system.machine;
    let design = &system.l1.design;
    let error = |field: &str, problem: String| Err(ConfigError { field: field.into(), problem });
    if m.gpus > 1 {
        let why = "other GPUs write memory past the epochs";
        return error(
            "machine.gpus",
            format!("{}: must be 1 with l1.design = {design}: {why}", m.gpus),
        );
    }
    let coherent =
        registry::find::<l2::Design>(&system.l2.design).is_some_and(|d| d.directory.is_some());
    let why = format!("with l1.design = {design} one L2 serves each line");
    if m.chiplets > 1 && coherent {
        return error(
            "l2.design",
            format!("{:?} caches lines in several L2s: {why}", system.l2.design),
        );
    }
    if m.chiplets > 1 && system.l2.policy == "private" {
        return error("l2.policy", format!("\"private\" caches lines in several L2s: {why}"));
    }
    Ok(())
}
