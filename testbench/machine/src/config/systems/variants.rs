//! Each paper's designs as the paper ran them: all fields of the system that it set, by one name.
//! `design=NAME` stands for them wherever a field can be set.

/// A design as its paper ran it, on the systems of the paper's family.
#[derive(Debug)]
pub struct Variant {
    /// Name.
    pub name: &'static str,
    /// What the design is.
    pub about: &'static str,
    /// Where its paper reports a gain, or what the paper compares it with.
    pub published: &'static str,
    /// Fields and their values.
    pub set: &'static [(&'static str, &'static str)],
}

/// A variant: name, what it is, where it was published to win, fields.
const fn variant(
    name: &'static str,
    about: &'static str,
    published: &'static str,
    set: &'static [(&'static str, &'static str)],
) -> Variant {
    Variant { name, about, published, set }
}

/// CPElide, sections IV-B to IV-D. The first three run the same firmware, whose instructions take
/// their time; its table knows the homes of lines, which the paper does not say of its own.
pub const CPELIDE: &[Variant] = &[
    variant(
        "software",
        "every L2 is released after and invalidated before each kernel",
        "CPElide's baseline",
        &[
            ("l2.design", "software"),
            ("l2.policy", "home-forward"),
            ("command_processor.host", "core"),
        ],
    ),
    variant(
        "hmg",
        "L2s cache remote lines; a directory at the home invalidates sharers; writes go through",
        "HMG: kernels that share data between chiplets or GPUs; CPElide compares with it",
        &[
            ("l2.design", "hmg"),
            ("directory.writes", "through"),
            ("command_processor.host", "core"),
        ],
    ),
    variant(
        "cpelide",
        "the command processor's chiplet coherence table elides releases and acquires",
        "CPElide: programs that reuse data across kernels; 13 % over software, 19 % over HMG",
        &[
            ("l2.design", "cpelide"),
            ("l2.policy", "home-forward"),
            ("command_processor.home_aware", "true"),
            ("command_processor.ahead", "true"),
            ("command_processor.host", "core"),
        ],
    ),
    variant(
        "cpelide-paper",
        "cpelide with the paper's table, which knows no homes, and its 6 us for each decision",
        "CPElide, sections III and IV-B; a decision longer than a kernel hides the gain",
        &[
            ("l2.design", "cpelide"),
            ("l2.policy", "home-forward"),
            ("command_processor.home_aware", "false"),
            ("command_processor.ahead", "true"),
            ("command_processor.host", "native"),
        ],
    ),
];

/// REC, section 5.
pub const REC: &[Variant] = &[
    variant(
        "no-caching",
        "remote lines are fetched again in each kernel",
        "what REC's figures are normalised to",
        &[("l2.design", "software")],
    ),
    variant(
        "baseline",
        "L2s cache remote lines; the home's directory has an entry for each line",
        "REC's baseline",
        &[("l2.design", "directory")],
    ),
    variant(
        "hmg",
        "an entry covers four lines with one set of sharers",
        "HMG; REC compares with it",
        &[("l2.design", "hmg")],
    ),
    variant(
        "rec",
        "an entry covers a range of lines, each with its own sharers",
        "REC: shared lines exceed the directory's capacity; 32.7 % over the baseline",
        &[("l2.design", "rec")],
    ),
    variant(
        "ideal",
        "the directory never evicts an entry",
        "REC's upper bound",
        &[("l2.design", "ideal")],
    ),
];

const LINE: (&str, &str) = ("placement.policy", "replicated-by-line");
const PAGE: (&str, &str) = ("placement.policy", "replicated-by-page");

/// FinePack, section V: pages have a copy on each GPU that reads them.
pub const FINEPACK: &[Variant] = &[
    variant(
        "p2p",
        "each store leaves at once as a TLP of its own",
        "FinePack's baseline",
        &[LINE, ("egress.design", "p2p")],
    ),
    variant(
        "write-combine",
        "a combining buffer of 64 lines; one TLP for each run of bytes",
        "FinePack compares with it",
        &[LINE, ("egress.design", "write-combine")],
    ),
    variant(
        "finepack",
        "stores to one window are packed into one TLP with sub-headers",
        "FinePack: programs with small remote stores; 3x over P2P, 1.4x over DMA",
        &[LINE, ("egress.design", "finepack")],
    ),
    variant(
        "dma",
        "whole pages are copied when a kernel ends",
        "FinePack compares with it",
        &[PAGE, ("egress.design", "dma")],
    ),
    variant(
        "gps",
        "stores are combined by line and sent to GPUs that subscribe to the page",
        "GPS; FinePack compares with it (section VI-B)",
        &[PAGE, ("egress.design", "write-combine")],
    ),
    variant(
        "config-packet",
        "a packet announces the window of the stores after it",
        "FinePack's alternative (section VI-B)",
        &[LINE, ("egress.design", "config-packet")],
    ),
    variant(
        "infinite",
        "links take no time for bytes",
        "FinePack's upper bound",
        &[LINE, ("egress.design", "infinite"), ("gpu_link.latency", "2")],
    ),
];

/// One L2 for all CUs keeps its lines between kernels.
const KEPT: [(&str, &str); 2] = [("l2.design", "cpelide"), ("command_processor.elide_cycles", "0")];

macro_rules! kept {
    ($($setting:expr),* $(,)?) => { &[KEPT[0], KEPT[1], $($setting),*] };
}

/// STC, section 7.
pub const STC: &[Variant] = &[
    variant(
        "none",
        "no L1: every access goes to the L2",
        "STC compares with it",
        kept!(("l1.design", "none"), ("cu.exclusive_lines", "true")),
    ),
    variant(
        "src",
        "L1s are invalidated when a kernel begins",
        "STC's baseline",
        kept!(("l1.design", "src"), ("cu.exclusive_lines", "true")),
    ),
    variant(
        "stc-nv",
        "epochs in a fixed order; an L1 keeps lines outside the granted epoch",
        "STC, figure 7",
        kept!(("l1.design", "stc-nv")),
    ),
    variant(
        "stc-es",
        "epochs without a demand are skipped",
        "STC, figure 7",
        kept!(("l1.design", "stc-es")),
    ),
    variant(
        "stc-ab",
        "conflicts move the address bits that select the epoch",
        "STC, figure 7",
        kept!(("l1.design", "stc-ab")),
    ),
    variant(
        "stc-mb",
        "several epochs are granted at once",
        "STC: reuse across kernels; 7.13 % less time than `src`, 1.63 % over all",
        kept!(("l1.design", "stc-mb")),
    ),
];

/// Bits of a signature, bytes of a granule.
const SIGNATURE: [(&str, &str); 2] = [("race_detection.m", "8192"), ("race_detection.gran", "128")];

/// Tabbakh's thesis, chapter 4.
pub const RACE: &[Variant] = &[
    variant(
        "race-base",
        "no race detection",
        "what the thesis's figures are normalised to",
        kept!(("l1.design", "race-base")),
    ),
    variant(
        "race-nospec",
        "a CU waits for each check",
        "the thesis compares with it",
        kept!(("l1.design", "race-nospec"), SIGNATURE[0], SIGNATURE[1]),
    ),
    variant(
        "race-spec",
        "loads that hit continue speculatively during the check",
        "the thesis: 5.8 % more time than without checks, `race-nospec` 19.3 %",
        kept!(("l1.design", "race-spec"), SIGNATURE[0], SIGNATURE[1]),
    ),
    variant(
        "race-ideal",
        "checks take no time",
        "the thesis's upper bound",
        kept!(("l1.design", "race-ideal"), SIGNATURE[0], SIGNATURE[1]),
    ),
];

const OWN: [(&str, &str); 2] = [("l2.design", "own"), KEPT[1]];
const LEASE: (&str, &str) = ("timestamp.tc_lease", "400");

/// Tabbakh's thesis, chapter 3.
pub const TIMESTAMP: &[Variant] = &[
    variant(
        "none",
        "no L1: every access goes to the L2",
        "what the thesis's figures are normalised to",
        kept!(("l1.design", "none")),
    ),
    variant(
        "src",
        "L1s are invalidated at kernel boundaries only: not coherent inside a kernel",
        "the thesis compares programs without sharing with it",
        kept!(("l1.design", "src")),
    ),
    variant(
        "tc-strong",
        "leases in physical time; a write waits for the leases of its line",
        "TC; the thesis compares with it",
        &[OWN[0], OWN[1], ("l1.design", "tc-strong"), LEASE],
    ),
    variant(
        "tc-weak",
        "leases in physical time; a fence waits for the leases of written lines",
        "TC; the thesis compares with it",
        &[OWN[0], OWN[1], ("l1.design", "tc-weak"), LEASE],
    ),
    variant(
        "gtsc-sc",
        "leases in logical time; a wave issues an access when the one before has ended",
        "G-TSC: programs that share data inside a kernel; 26 % over `tc-weak`",
        &[OWN[0], OWN[1], ("l1.design", "gtsc-sc")],
    ),
    variant(
        "gtsc-rc",
        "leases in logical time; fences order a wave's accesses",
        "G-TSC: programs that share data inside a kernel; 38 % over `tc-weak`",
        &[OWN[0], OWN[1], ("l1.design", "gtsc-rc")],
    ),
];

macro_rules! sharing {
    ($scheduler:literal, $l1:literal, $l2:literal) => {
        &[
            KEPT[0],
            KEPT[1],
            ("l1.design", "src"),
            ("cu.scheduler", $scheduler),
            ("sharing.l1", "sharing-aware"),
            ("sharing.l2", "sharing-aware"),
            ("sharing_aware.l1_mgt", $l1),
            ("sharing_aware.l2_mgt", $l2),
        ]
    };
}

/// Tabbakh's thesis, chapter 2. Where a policy is off, its block gives the least recently used way.
pub const SHARING: &[Variant] = &[
    variant(
        "base",
        "work-groups round-robin, caches with LRU replacement",
        "the thesis's baseline",
        sharing!("rr_block", "0", "0"),
    ),
    variant(
        "bcs",
        "pairs of consecutive work-groups to a CU",
        "BCS; the thesis compares with it",
        sharing!("bcs", "0", "0"),
    ),
    variant(
        "qx_adpt",
        "a row of work-groups to a CU, the last ones singly",
        "the thesis: programs whose neighbouring work-groups share lines",
        sharing!("qx_adpt", "0", "0"),
    ),
    variant(
        "sharing-aware",
        "`qx_adpt`, and caches that evict private lines first",
        "the thesis: neighbouring work-groups share lines; 7 % less time than `base`",
        sharing!("qx_adpt", "1", "1"),
    ),
];
