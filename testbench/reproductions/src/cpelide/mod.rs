//! CPElide, MICRO'24, sections IV to VI: the paper's machine with CPElide, with releases and
//! acquires at each kernel boundary, and with HMG's directory; divided, on 2 to 16 chiplets, and
//! programs divided likewise; or at full size, on 4.

mod figures;
pub(crate) mod points;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;

use firmware::image::Image;
use hwmodel::cpelide::chiplet_coherence_table::{Parameters, ReferenceTable};
use machine::RunError;
use schemars::JsonSchema;
use serde::Serialize;
use traces::trace::{ArgKind, Event, PAGE, Reader};

use crate::experiment::{self, CAPTURE, Error, Input, Point, input};
use crate::figure::Figure;
use crate::paper::{self, Entry, Paper, Published};
use crate::scale::Scale;

/// Inputs at scale 60 (chosen): about three quarters of what the L2s of four
/// chiplets hold together, so that what one kernel leaves there is of use to the next; the whole
/// takes some minutes.
const INPUTS: [Input; 30] = [
    input("stream", "BabelStream", 32768, 8),
    input("copy", "Square", 49152, 10),
    input("bfs", "BFS", 6144, 64),
    input("sssp", "SSSP", 3584, 64),
    input("rnn", "RNN-GRU", 128, 6),
    input("hotspot3d", "Hotspot3D", 64, 8),
    input("lu", "LUD", 224, 1),
    input("backprop", "Backprop", 2048, 1),
    input("color_max", "Color-max", 4096, 256),
    input("floyd_warshall", "FW", 40, 1),
    input("gaussian", "Gaussian", 48, 1),
    input("hotspot", "Hotspot", 128, 6),
    input("lstm", "RNN-LSTM", 96, 3),
    input("btree", "BTREE", 64, 1),
    input("cnn", "CNN", 24, 1),
    input("dwt2d", "DWT2d", 96, 3),
    input("nw", "NW", 192, 1),
    input("pathfinder", "Pathfinder", 2048, 40),
    input("srad", "SRAD_v2", 96, 2),
    input("jacobi2d", "", 224, 8),
    input("pagerank", "", 6144, 5),
    input("pagerank_push", "", 3072, 2),
    input("gemm", "", 144, 2),
    input("fft", "", 14, 3),
    input("kmeans", "", 8192, 4),
    input("als", "", 1024, 1),
    input("reuse", "", 32768, 10),
    input(CAPTURE, "BFS", 0, 0),
    input("stream_jobs", "", 8192, 8),
    input("mixed_jobs", "", 8192, 8),
];

/// Programs of several streams (section VI): of them is C12 alone.
const JOBS: [&str; 2] = ["stream_jobs", "mixed_jobs"];

/// Inputs at full size: the paper's (table II) where a run takes seconds, else smaller ones
/// (chosen); docs/designs/cpelide.md has both.
const FULL_INPUTS: [Input; 25] = [
    input("stream", "BabelStream", 524_288, 5),
    input("copy", "Square", 524_288, 10),
    input("hotspot3d", "Hotspot3D", 512, 4),
    input("lu", "LUD", 512, 1),
    input("sssp", "SSSP", 65_536, 64),
    input("rnn", "RNN-GRU", 256, 2),
    input("backprop", "Backprop", 65_536, 1),
    input("color_max", "Color-max", 65_536, 256),
    input("floyd_warshall", "FW", 128, 1),
    input("gaussian", "Gaussian", 256, 1),
    input("hotspot", "Hotspot", 512, 20),
    input("lstm", "RNN-LSTM", 256, 2),
    input("btree", "BTREE", 10_000, 1),
    input("cnn", "CNN", 128, 1),
    input("dwt2d", "DWT2d", 1024, 3),
    input("nw", "NW", 2048, 1),
    input("pathfinder", "Pathfinder", 200_000, 99),
    input("srad", "SRAD_v2", 1024, 2),
    input("gemm", "", 512, 2),
    input("pagerank", "", 65_536, 4),
    input("fft", "", 16, 2),
    input("bfs", "BFS", 131_072, 64),
    input("kmeans", "", 65_536, 4),
    input("stream_jobs", "", 131_072, 5),
    input("mixed_jobs", "", 131_072, 5),
];

/// By how much buffers of perturbed runs are shifted: allocations begin on pages (section IV-D).
const SHIFT: u64 = 3 * PAGE;

/// Structures that kernels name, of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Structures {
    /// Kernels.
    pub kernels: u64,
    /// Structures of all of them.
    pub all: u64,
    /// Of the kernel with most.
    pub most: u64,
}

/// Bytes that CPElide needs in a command processor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bytes {
    /// The table of four chiplets as it lies in memory.
    pub table: usize,
    /// Code of the firmware, with its constants; none where this build has no image.
    pub code: Option<usize>,
}

/// Its results.
pub type Report = paper::Report<Cpelide>;

/// Results beside the runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Details {
    /// Structures by program.
    pub structures: BTreeMap<&'static str, Structures>,
    /// Of the command processor.
    pub bytes: Bytes,
}

/// The paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Cpelide;

inventory::submit! { Entry::of::<Cpelide>() }

impl Paper for Cpelide {
    const NAME: &str = "cpelide";
    const PRESET: &str = "cpelide-4";
    const PART: &str = "chiplet";
    // The machine's twins are divided by 60; at full size all of it runs once.
    const SCALES: &[Scale] = &[
        Scale { by: 60, inputs: &INPUTS, perturbed: 2 },
        Scale { by: 1, inputs: &FULL_INPUTS, perturbed: 0 },
    ];
    const COUNTERS: &[&str] = &[
        "l1.",
        "l2.",
        "l3.",
        "memory.",
        "launch.",
        "firmware.",
        "traffic.chiplet",
        "traffic.link",
    ];
    const FIGURES: &str = "C";
    const SHIFT: u64 = SHIFT;
    const PUBLISHED: &[Published] = &[
        Published {
            scale: 1,
            system: "cpelide-4",
            designs: &[
                ("baseline-home-measured", "software"),
                ("hmg-measured", "hmg"),
                ("cpelide-aware-measured", "cpelide"),
            ],
        },
        Published {
            scale: 60,
            system: "cpelide-4-small",
            designs: &[
                ("baseline-home-measured", "software"),
                ("hmg-measured", "hmg"),
                ("cpelide-aware-measured", "cpelide"),
            ],
        },
    ];

    type Details = Details;

    fn points(scale: u32) -> Vec<Point> {
        points::all(scale)
    }

    fn details(inputs: &[Input]) -> Result<Self::Details, Error> {
        let of = |input: &Input| {
            Ok((input.program, structures(input).map_err(Error::at(input.program))?))
        };
        let structures = inputs.iter().map(of).collect::<Result<_, Error>>()?;
        Ok(Details { structures, bytes: bytes() })
    }

    fn figures(report: &Report) -> Vec<Figure> {
        figures::all(report)
    }
}

/// The structures that a program's kernels name.
fn structures(input: &Input) -> Result<Structures, RunError> {
    let mut found = Structures::default();
    let mut program = Reader::from_bytes(experiment::record(input, 0)?, input.program)?;
    while let Some(event) = program.next_event()? {
        if let Event::Kernel(head) = event {
            let buffers = head.args.iter().filter(|a| matches!(a.kind, ArgKind::Buffer { .. }));
            let own = buffers.count() as u64;
            found.kernels += 1;
            found.all += own;
            found.most = found.most.max(own);
        }
    }
    Ok(found)
}

fn bytes() -> Bytes {
    let table = ReferenceTable::new(Parameters::DEFAULT).expect("the defaults are legal");
    Bytes { table: table.image().len(), code: Image::built().ok().map(|image| image.code_bytes) }
}

/// The report without programs of several streams.
fn of_one_stream(report: &Report) -> Report {
    let is_kept = |program: &str| !JOBS.contains(&program);
    let mut report = report.clone();
    report.runs.inputs.retain(|input| is_kept(input.program));
    report.details.structures.retain(|program, _| is_kept(program));
    report
}
