//! A paper's experiments on running systems: our number beside the paper's.
//!
//! Every number of ours is counted in a run or read off the blocks' declarations; none comes from a
//! formula of the paper. Every run compares what it computes with what is right, and ends at the
//! first difference.

pub mod compared;
pub mod controls;
pub mod cpelide;
mod energy;
pub mod experiment;
pub mod figure;
pub mod finepack;
pub mod gtsc;
mod instructions;
pub mod kept;
mod lease_storage;
pub mod race_detection;
pub mod rec;
mod registers;
pub mod scale;
pub mod score;
pub mod sharing_aware;
pub mod stc;
mod table;

/// The papers that can be reproduced.
pub const PAPERS: [&str; 7] =
    ["cpelide", "finepack", "gtsc", "race-detection", "rec", "sharing-aware", "stc"];

#[cfg(test)]
mod tests {
    use firmware_embed::ELVES;
    use machine::{Cp, systems};

    use super::experiment::Point;
    use super::{cpelide, finepack, gtsc, race_detection, rec, sharing_aware, stc};

    /// The machine of this name is the system with this design, as its paper ran it.
    fn is_published(points: &[Point], machine: &str, preset: &str, design: &str) {
        let point = points.iter().find(|point| point.name == machine);
        let mut own = point.unwrap_or_else(|| panic!("no {machine}")).system.clone();
        if point.is_some_and(|point| point.cp != Cp::Native) {
            own.command_processor.host = "core".to_string();
        }
        let set = [("design".to_string(), design.to_string())];
        let mut published = systems::load(preset, &set).unwrap();
        own.name.clone_from(&published.name);
        // Machines of one comparison interleave by the largest range that one of them has.
        published.l2.interleave = own.l2.interleave;
        assert_eq!(own, published, "{machine} and {preset} with design={design}");
    }

    #[test]
    fn designs_of_the_figures_are_those_that_the_command_names() {
        let points = rec::points::all(1);
        for (machine, design) in [
            ("no-caching", "no-caching"),
            ("baseline", "baseline"),
            ("hmg", "hmg"),
            ("rec", "rec"),
            ("ideal", "ideal"),
        ] {
            is_published(&points, machine, "rec-4gpu", design);
        }
        let points = finepack::points::all();
        for design in
            ["p2p", "write-combine", "finepack", "dma", "gps", "config-packet", "infinite"]
        {
            is_published(&points, design, "finepack-4gpu-small", design);
        }
        let points = stc::points::all();
        for (machine, design) in [
            ("none-lines", "none"),
            ("src-lines", "src"),
            ("nv", "stc-nv"),
            ("es", "stc-es"),
            ("ab", "stc-ab"),
            ("mb", "stc-mb"),
        ] {
            is_published(&points, machine, "stc-8cu", design);
        }
        let points = race_detection::points::all();
        for (machine, design) in [
            ("base", "race-base"),
            ("nospec-8k", "race-nospec"),
            ("block-8k", "race-spec"),
            ("ideal-8k", "race-ideal"),
        ] {
            is_published(&points, machine, "fermi-16sm", design);
        }
        let points = gtsc::points::all();
        for design in ["none", "src", "tc-strong", "tc-weak", "gtsc-sc", "gtsc-rc"] {
            is_published(&points, design, "fermi-16sm-8p", design);
        }
        let points = sharing_aware::points::all();
        for (machine, design) in [
            ("base", "base"),
            ("bcs", "bcs"),
            ("qx_adpt", "qx_adpt"),
            ("qx_adpt+mgt", "sharing-aware"),
        ] {
            is_published(&points, machine, "fermi-15sm", design);
        }
        if !ELVES.is_empty() {
            for (scale, preset) in [(1, "cpelide-4"), (60, "cpelide-4-small")] {
                let points = cpelide::points::all(scale);
                is_published(&points, "baseline-home-measured", preset, "software");
                is_published(&points, "hmg-measured", preset, "hmg");
                is_published(&points, "cpelide-aware-measured", preset, "cpelide");
            }
        }
    }
}
