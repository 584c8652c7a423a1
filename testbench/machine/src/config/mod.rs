//! The system file: what a machine is made of.

pub mod bodies;
pub mod decimal;
pub mod idle;
pub mod memory_model;
pub mod policy;
pub mod registry;
pub mod resolved;
pub mod section;
mod sections;
pub mod show;
pub mod system_file;
pub mod systems;

use std::collections::BTreeMap;

use ports::{Field, Fields, Limit, Rule, is_hidden, known_names};
use serde::{Deserialize, Serialize};

use crate::config::decimal::in_lowest_terms;
pub use sections::*;

/// Something in a system file that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct ConfigError {
    /// Dotted path of the field.
    pub field: String,
    /// Value and limit.
    pub problem: String,
}

/// What a section of a system file has, and what it is.
pub struct Described {
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Fields.
    pub fields: &'static [Field],
}

/// Declares the system: its sections, each with what it is.
macro_rules! system {
    (
        $(#[$meta:meta])*
        pub struct System {
            $( $(#[doc = $about:literal])+ $(#[serde($($serde:tt)*)])? pub $name:ident: $ty:ty, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct System {
            /// Name.
            pub name: String,
            /// What the sizes and bandwidths of the full system were divided by; 1 for the full
            /// one.
            pub scale: u32,
            $( $(#[doc = $about])+ $(#[serde($($serde)*)])? pub $name: $ty, )*
            /// Parameters of designs' blocks, in sections that designs name: those that are not
            /// given are the design's own, or a named configuration's.
            #[serde(flatten)]
            pub sections: BTreeMap<String, toml::Value>,
        }

        impl System {
            /// The sections that every system has.
            pub const OWN: &'static [Described] = &[$(Described {
                name: stringify!($name),
                about: concat!($($about),+),
                fields: <$ty as Fields>::FIELDS,
            }),*];

            /// Their numbers.
            fn numbers(&self) -> Vec<Vec<Option<u64>>> {
                vec![$(self.$name.numbers()),*]
            }

            /// Their rules.
            const RULES: &'static [&'static [Rule<System>]] = &[$(<$ty as Fields>::RULES),*];
        }
    };
}

system! {
    /// A system. Times are cycles of the GPU's clock, sizes bytes.
    pub struct System {
        /// Shape of the machine.
        pub machine: MachineSection,
        /// Compute units.
        pub cu: CuSection,
        /// Pipelines of a CU with `cu.issue = "scoreboard"`.
        #[serde(default)]
        pub pipeline: PipelineSection,
        /// First level cache of a CU.
        pub l1: L1Section,
        /// Translation of addresses, on the way from a CU to the L2.
        #[serde(default)]
        pub tlb: TlbSection,
        /// Second level cache of a chiplet.
        pub l2: L2Section,
        /// Coherence directory of a chiplet's L2, one slice per bank, if `l2.design` has one.
        /// `range` and `replacement` apply to `rec`; other designs fix what an entry covers and its
        /// replacement policy.
        #[serde(default)]
        pub directory: DirectorySection,
        /// Third level cache of a GPU.
        pub l3: L3Section,
        /// A memory channel.
        pub memory: MemorySection,
        /// Networks inside a chiplet: requests, answers, and traffic between L2 and L3.
        pub network: NetworkSection,
        /// A link between two chiplets of a GPU, in each direction.
        pub chiplet_link: LinkSection,
        /// A GPU's link to the switch between GPUs.
        pub gpu_link: GpuLinkSection,
        /// Egress path from a GPU to its link.
        pub egress: EgressSection,
        /// Command processors.
        pub command_processor: CommandProcessorSection,
        /// Homes of pages.
        pub placement: PlacementSection,
        /// Allocation and replacement policies of caches.
        #[serde(default)]
        pub sharing: SharingSection,
    }
}

/// Fields before the first section.
pub(crate) const TOP: [Field; 2] = [
    Field {
        key: "name",
        unit: "",
        limit: Limit::Text,
        also: &[],
        about: "Name of the system in results.",
        source: "chosen",
    },
    Field {
        key: "scale",
        unit: "",
        limit: Limit::Range(1, 1 << 20),
        also: &[],
        about: "Factor by which the full system was scaled down; 1: full system.",
        source: "docs/systems.md",
    },
];

impl GpuLinkSection {
    /// Bytes, and the cycles of the links in which they move, in lowest terms.
    pub fn rate(&self) -> (u32, u32) {
        let cycles = 1000 * u64::from(self.clock_mhz);
        let (bytes, cycles) = in_lowest_terms(self.bytes_per_ns.millionths(), cycles);
        (bytes as u32, cycles as u32)
    }

    /// The latency in cycles of the links, at least 2: one of them is the switch.
    pub fn latency_cycles(&self) -> u64 {
        (u64::from(self.latency) * u64::from(self.clock_mhz)).div_ceil(1000).max(2)
    }
}

impl System {
    /// Bytes of a cache's sectors; none where its lines have one.
    pub fn sector(&self, bytes: u32) -> Option<usize> {
        (bytes > 0 && bytes < self.machine.line).then_some(bytes as usize)
    }

    /// The number of a field, by its dotted path.
    fn number(&self, path: &str) -> Option<u64> {
        let (name, key) = path.split_once('.')?;
        let at = Self::OWN.iter().position(|section| section.name == name)?;
        let field = Self::OWN[at].fields.iter().position(|field| field.key == key)?;
        self.numbers()[at][field]
    }

    /// The limits of all numbers.
    pub fn check_numbers(&self) -> Result<(), ConfigError> {
        if self.name.contains(is_hidden) {
            return Err(error("name", format!("{:?}: must have no control character", self.name)));
        }
        check_limit("", &TOP[1], self.scale.into())?;
        for (section, numbers) in Self::OWN.iter().zip(self.numbers()) {
            for (field, number) in section.fields.iter().zip(numbers) {
                number.map_or(Ok(()), |number| check_limit(section.name, field, number))?;
            }
        }
        for (section, rules) in Self::OWN.iter().zip(Self::RULES) {
            if let Some(rule) = rules.iter().find(|rule| !(rule.holds)(self)) {
                let field = format!("{}.{}", section.name, rule.key);
                let limit = rule.limit_with(|path| self.number(path));
                let value = self.number(&field).map(|value| value.to_string());
                // Of fields without a number only switches have rules, and these when they are on.
                let value = value.unwrap_or_else(|| true.to_string());
                return Err(error(&field, format!("{value}: must be {limit}")));
            }
        }
        Ok(())
    }
}

/// Errors: the field's limit does not allow the number.
pub(crate) fn check_limit(section: &str, field: &Field, number: u64) -> Result<(), ConfigError> {
    if field.limit.allows(number) {
        return Ok(());
    }
    let path =
        if section.is_empty() { field.key.into() } else { format!("{section}.{}", field.key) };
    let value = match field.limit {
        Limit::Millionths(..) => (number as f64 / 1e6).to_string(),
        _ => number.to_string(),
    };
    Err(error(&path, format!("{value} is not {}", field.limit)))
}

/// The command that shows every field of a system file with its values.
pub(crate) const ALL_FIELDS: &str = "duet systems reference";

/// What a name stands for.
pub fn choose<T: Copy>(field: &str, name: &str, among: &[(&str, T)]) -> Result<T, ConfigError> {
    among.iter().find(|(n, _)| *n == name).map(|(_, value)| *value).ok_or_else(|| {
        let known = known_names(name, among.iter().map(|(n, _)| *n), Some(ALL_FIELDS));
        let problem = format!("{name:?} is none of {known}");
        error(field, problem)
    })
}

pub(crate) fn error(field: &str, problem: String) -> ConfigError {
    ConfigError { field: field.to_string(), problem }
}
