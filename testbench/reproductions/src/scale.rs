//! By how much a paper's machine may be divided. Programs have other sizes at each scale, so there
//! are few.

use machine::systems;

use crate::experiment::Input;
use crate::paper::{self, Entry};

/// A scale at which a paper's experiments run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The paper's machine is divided by this; 1 is the paper's.
    pub by: u32,
    /// Programs and sizes.
    pub inputs: &'static [Input],
    /// How often all of it runs perturbed, unless that is chosen.
    pub perturbed: u64,
}

/// Why there is no such scale.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No whole number of CUs would be left.
    #[error(
        "{paper}'s machine has {cus} CUs in each {part}, which is not a multiple of {by}; \
             {legal}"
    )]
    Indivisible {
        /// The paper.
        paper: &'static str,
        /// CUs.
        cus: u16,
        /// Of what.
        part: &'static str,
        /// The scale.
        by: u32,
        /// Those that there are.
        legal: String,
    },
    /// No program has a size for it.
    #[error("{paper} has no inputs for this scale; {legal}")]
    NoInputs {
        /// The paper.
        paper: &'static str,
        /// Those that there are.
        legal: String,
    },
}

/// The size that a program has in the experiments of the paper whose system this is, divided by
/// `by`. None where the paper's experiments do not have it.
pub fn published(preset: &str, by: u32, program: &str) -> Option<Input> {
    let full = systems::family(preset)?;
    // The machine like a Kepler runs what its family's others run.
    let paper = paper::all().into_iter().find(|paper| paper.preset == full)?;
    let scale = paper.scales.iter().find(|scale| scale.by == by)?;
    scale.inputs.iter().find(|input| input.program == program && input.size > 0).copied()
}

/// The scale of a paper that was asked for, or its default.
pub fn choose(paper: &Entry, by: Option<u32>) -> Result<Scale, Error> {
    let Entry { name: paper, preset, part, scales: all, .. } = *paper;
    let Some(by) = by else { return Ok(all[0]) };
    if let Some(scale) = all.iter().find(|scale| scale.by == by) {
        return Ok(*scale);
    }
    let mut known: Vec<_> = all.iter().map(|scale| scale.by).collect();
    known.sort();
    let known: Vec<_> = known.iter().map(u32::to_string).collect();
    let legal = format!("must be {}", known.join(" or "));
    let full = systems::load(preset, &[]).unwrap_or_else(|e| panic!("{preset}: {e}"));
    match full.machine.cus {
        cus if !u32::from(cus).is_multiple_of(by) => {
            Err(Error::Indivisible { paper, cus, part, by, legal })
        }
        _ => Err(Error::NoInputs { paper, legal }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_paper_has_scales_that_divide_its_machine() {
        for paper in paper::all() {
            assert_eq!(choose(paper, None), Ok(paper.scales[0]));
            let cus = systems::load(paper.preset, &[]).unwrap().machine.cus;
            for scale in paper.scales {
                assert!(u32::from(cus).is_multiple_of(scale.by), "{} {scale:?}", paper.name);
                assert_eq!(choose(paper, Some(scale.by)), Ok(*scale));
            }
        }
    }

    #[test]
    fn programs_have_the_sizes_of_the_papers_experiments() {
        let size = |preset, by, program| {
            published(preset, by, program).map(|input| (input.size, input.iterations))
        };
        assert_eq!(size("cpelide-4", 1, "hotspot3d"), Some((512, 4)));
        assert_eq!(size("cpelide-7", 1, "hotspot3d"), Some((512, 4)));
        assert_eq!(size("cpelide-4-small", 60, "hotspot3d"), Some((64, 8)));
        assert_eq!(size("cpelide-4", 1, "barnes_hut"), None);
        assert_eq!(size("rec-4gpu-small", 16, "pagerank"), None);
        assert_eq!(size("rec-4gpu-small", 64, "pagerank"), Some((1536, 3)));
        assert_eq!(size("mine.toml", 1, "hotspot3d"), None);
    }

    #[test]
    fn other_scales_are_refused_with_those_that_there_are() {
        for (name, by, message) in [
            (
                "cpelide",
                7,
                "cpelide's machine has 60 CUs in each chiplet, which is not a multiple of 7; \
                 must be 1 or 60",
            ),
            ("cpelide", 4, "cpelide has no inputs for this scale; must be 1 or 60"),
            ("rec", 16, "rec has no inputs for this scale; must be 1 or 64"),
            (
                "rec",
                60,
                "rec's machine has 64 CUs in each GPU, which is not a multiple of 60; must \
                 be 1 or 64",
            ),
            ("stc", 2, "stc has no inputs for this scale; must be 1"),
        ] {
            let paper = paper::all().into_iter().find(|paper| paper.name == name).unwrap();
            assert_eq!(choose(paper, Some(by)).unwrap_err().to_string(), message);
        }
    }
}
