//! A paper's experiments on running systems: our number beside the paper's.
//!
//! Every number of ours is counted in a run or read off the blocks' declarations; none comes from a
//! formula of the paper. Every run compares what it computes with what is right, and ends at the
//! first difference.

pub mod bootstrap;
pub mod compared;
pub mod controls;
mod cpelide;
mod directory;
mod energy;
pub mod experiment;
pub mod figure;
mod finepack;
mod instructions;
pub mod kept;
mod lease_storage;
pub mod paper;
mod race;
pub mod ranks;
mod registers;
pub mod scale;
mod sharing;
mod stc;
pub mod summary;
mod table;
mod timestamp;

#[cfg(test)]
mod tests {
    use firmware::image::ELVES;
    use machine::{Cp, systems};

    use crate::paper::{self, Published};

    /// A machine of a figure is the system with the design that the command names.
    #[test]
    fn designs_of_the_figures_are_those_that_the_command_names() {
        for paper in paper::all() {
            for Published { scale, system, designs } in paper.published {
                let points = (paper.points)(*scale);
                for (machine, design) in *designs {
                    let Some(point) = points.iter().find(|point| point.name == *machine) else {
                        assert!(ELVES.is_empty(), "{}: no {machine}", paper.name);
                        continue;
                    };
                    let mut own = point.system.clone();
                    if point.cp != Cp::Native {
                        own.command_processor.host = "core".to_string();
                    }
                    let set = [("design".to_string(), design.to_string())];
                    let mut published = systems::load(system, &set).unwrap();
                    own.name.clone_from(&published.name);
                    // Machines of one comparison interleave by the largest range that one has.
                    published.l2.interleave = own.l2.interleave;
                    assert_eq!(own, published, "{machine} and {system} with design={design}");
                }
            }
        }
    }
}
