//! The systems of CPElide, and the designs as the paper ran them.

use crate::config::registry::registered;
use crate::config::systems::{Preset, Variant, with_chiplets};

inventory::submit! { registered(Preset {
        about: "CPElide (MICRO'24, table I): chiplets of 60 CUs with an L2 each",
        twin: 60,
        text: include_str!("../../systems/cpelide-4.toml"),
        grows: with_chiplets,
        members: &[
            ("cpelide-4", 4),
            ("cpelide-2", 2),
            ("cpelide-6", 6),
            ("cpelide-7", 7),
            ("cpelide-8", 8),
            ("cpelide-16", 16),
        ],
        variants: VARIANTS,
}) }

/// CPElide, sections IV-B to IV-D. The first three run the same firmware, whose instructions take
/// their time; its table knows the homes of lines, which the paper does not say of its own.
const VARIANTS: &[Variant] = &[
    Variant::new(
        "software",
        "every L2 is released after and invalidated before each kernel",
        "CPElide's baseline",
        &[
            ("l2.design", "software"),
            ("l2.policy", "home-forward"),
            ("command_processor.host", "core"),
        ],
    ),
    Variant::new(
        "hmg",
        "L2s cache remote lines; a directory at the home invalidates sharers; writes go through",
        "HMG: kernels that share data between chiplets or GPUs; CPElide compares with it",
        &[
            ("l2.design", "hmg"),
            ("directory.writes", "through"),
            ("command_processor.host", "core"),
        ],
    ),
    Variant::new(
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
    Variant::new(
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
