//! What `--help` says beside the arguments: examples, and exit statuses. Completions and man pages
//! are made of the same.

use clap::{Command, CommandFactory};

use super::Cli;

/// Of what ends with a verdict.
const STATUS: &str = "\
Exit status: 0 pass; 1 model and RTL differ, or an assertion failed; 2 wrong use or
configuration; 3 deadlock or cycle limit; 4 wrong value, no order explains the loads, or
firmware and reference disagree; 5 environment.";

/// Of the rest.
const SHORT_STATUS: &str = "Exit status: 0 done; 2 wrong use; 5 environment.";

/// A verb, whether it ends with a verdict, and examples: what each does, and its words.
type Examples = (&'static str, bool, &'static [(&'static str, &'static str)]);

/// Of all verbs.
const EXAMPLES: &[Examples] = &[
    (
        "list",
        false,
        &[
            ("All there is", "list"),
            ("The built-in programs, with what --set workload.size means", "list workloads"),
            ("Blocks, and the counters of results, for another program", "list --json"),
        ],
    ),
    (
        "systems show",
        false,
        &[
            ("A preset, with the source of each value", "systems show cpelide-4"),
            (
                "With a section of a design",
                "systems show stc-8cu --set l1.design=stc-mb --set stc.wakeup=200",
            ),
        ],
    ),
    ("systems new", false, &[("Begin a machine", "systems new mine.toml --from cpelide-4-small")]),
    ("systems reference", false, &[("All fields of system files", "systems reference")]),
    ("schema", false, &[("What `duet run --json` writes", "schema run")]),
    (
        "cosim",
        true,
        &[
            ("A block, small, a million cycles", "cosim packetizer"),
            (
                "Another configuration and seed, with a waveform",
                "cosim epoch_manager --config paper --seed 7 --cycles 20000 --wave out.fst",
            ),
            (
                "With parameters drawn from the seed, but for one",
                "cosim timestamp_l2 --config random --seed 7 --set l2_wait=3 --cycles 20000",
            ),
            (
                "A self-test: one bit of the RTL is inverted, which is found (status 1)",
                "cosim packetizer --cycles 20000 --flip tlp.hdr[68]@500",
            ),
        ],
    ),
    (
        "run",
        true,
        &[
            ("A built-in program on models", "run --system cpelide-4-small --workload bfs"),
            (
                "Larger, with another design, and the result as JSON",
                "run --system cpelide-4-small --workload stream --set workload.size=4096 --set \
                 l2.design=cpelide --json out.json",
            ),
            (
                "Two GPUs; packetizers compared with their RTL, TLPs written",
                "run --system cpelide-4-small --set machine.gpus=2 --workload reuse --impl \
                 packetizer=lockstep --dump-tlp tlps.txt",
            ),
            (
                "A page that shows where the cycles went, and a timeline for Perfetto",
                "run --system cpelide-4-small --workload bfs --report bfs.html --timeline \
                 bfs.json",
            ),
            (
                "A page that shows a long run while it goes on",
                "run --system cpelide-4-small --workload stream --live",
            ),
            (
                "The firmware on the RTL core, with a waveform of the launches",
                "run --system cpelide-4-small --workload reuse --cp rtl --wave launches.fst",
            ),
        ],
    ),
    (
        "compare",
        true,
        &[
            (
                "Three designs as their paper ran them, with run-to-run variation",
                "compare --system cpelide-4 --workload lu --vary design=software,hmg,cpelide",
            ),
            (
                "Two sizes of an L2 on two programs",
                "compare --system cpelide-4-small --workload bfs --workload lu \
                 --vary l2.bytes=139264,278528",
            ),
            (
                "Model against RTL: all blocks as models, then all as RTL",
                "compare --system cpelide-4-small --set machine.gpus=2 --workload reuse",
            ),
        ],
    ),
    (
        "sweep",
        true,
        &[
            ("All points of a file into sizes.sqlite; again, what is missing", "sweep sizes.toml"),
            (
                "On a cluster, 32 points in each element of the job array",
                "sweep sizes.toml --engine slurm --chunk 32",
            ),
        ],
    ),
    (
        "plot",
        false,
        &[
            (
                "Lines over a number",
                "plot sizes.sqlite --x directory.entries --lines l2.design -o entries.svg",
            ),
            ("Bars over names", "plot sizes.sqlite --x workload --lines l2.design -o programs.svg"),
        ],
    ),
    (
        "replay",
        true,
        &[
            ("A failure again, from what it has left", "replay out/run-reuse-1.bundle"),
            (
                "With a waveform",
                "replay out/run-reuse-1.bundle -- --wave again.vcd --wave-internals",
            ),
        ],
    ),
    (
        "explain",
        false,
        &[
            ("The last failure here", "explain"),
            ("One from elsewhere", "explain run-reuse-1.bundle"),
        ],
    ),
    (
        "report",
        false,
        &[("Two runs side by side", "report before.html after.html --output both.html")],
    ),
    (
        "reproduce",
        true,
        &[
            ("A paper's figures", "reproduce finepack"),
            (
                "All papers, into a file and a page",
                "reproduce all --perturbed 0 --json figures.json --report figures.html",
            ),
        ],
    ),
    (
        "correlate",
        true,
        &[
            ("An H100, all cases", "correlate --report h100.html"),
            (
                "Another L1 on two programs, launch by launch",
                "correlate --case gather --case bfs_level --launches --set l1.bytes=131072",
            ),
            ("Latencies and rates of microbenchmarks", "correlate --micro --case chase-ca"),
            ("Your own GPU and machine", "correlate mine.json --system mine.toml"),
            ("What measures a GPU", "correlate --programs measure"),
        ],
    ),
    (
        "controls",
        true,
        &[
            ("What there is", "controls --list"),
            ("The small set", "controls --quick"),
            ("Some, by how their names begin", "controls rate"),
        ],
    ),
    (
        "mutate",
        true,
        &[
            ("A few mutants of a small block", "mutate gtsc_rst --count 8 --cycles 20000"),
            ("Of another configuration", "mutate gtsc_rst --config odd --count 8 --cycles 2000"),
        ],
    ),
    (
        "litmus",
        true,
        &[
            ("A shape on all designs", "litmus MP+fences"),
            ("All shapes on one L1 design", "litmus all --design gtsc-rc --runs 200"),
            ("Your own file", "litmus message.litmus --seed 2 --json litmus.json"),
            ("A shape as a file", "litmus MP+fences --show"),
            ("With RTL", "litmus all --impl timestamp_l2=rtl --runs 100"),
        ],
    ),
    (
        "check",
        true,
        &[
            ("What can be searched", "check --list"),
            ("All states of a protocol's small configurations", "check cpelide --quick"),
            ("What a rule is for", "check cpelide --without never-mixed"),
            (
                "The same counterexample trace on model and RTL",
                "check gtsc --without lock --replay",
            ),
            ("Each rule of a protocol", "check cpelide --without all"),
        ],
    ),
    (
        "new block",
        false,
        &[
            ("A crate with a block, in the current folder", "new block my_block"),
            (
                "Built with another clone of duet, in another folder",
                "new block my_second_block --duet ../duet --into ..",
            ),
            (
                "Built with the repository's tag of this version",
                "new block my_third_block --duet https://example.org/duet.git",
            ),
        ],
    ),
    ("new design", false, &[("A crate with an L1 design and its block", "new design my_design")]),
    ("bodies list", false, &[("What the cache holds", "bodies list")]),
    (
        "bodies build",
        true,
        &[
            ("A block's, small and paper", "bodies build packetizer"),
            ("Those of a machine", "bodies build --system cpelide-4-small --set machine.gpus=2"),
        ],
    ),
    ("bodies clean", false, &[("Remove all of them", "bodies clean")]),
    ("doctor", false, &[("What is installed", "doctor")]),
    (
        "trace capture",
        true,
        &[("An OpenCL program", "trace capture -o bfs.trace -- ./bfs graph.txt")],
    ),
    ("trace convert", true, &[("A raw capture", "trace convert capture/bfs -o bfs.trace")]),
    (
        "trace info",
        false,
        &[("What is in a trace", "trace info testbench/traces/workloads/bfs.trace")],
    ),
    (
        "trace verify",
        true,
        &[("Whether it agrees with itself", "trace verify testbench/traces/workloads/bfs.trace")],
    ),
    (
        "trace import",
        true,
        &[("Of Accel-Sim", "trace import accel-sim traces/kernelslist.g -o vector_sum.trace")],
    ),
    (
        "completions",
        false,
        &[
            ("For bash, in your own folder", "completions bash"),
            ("For zsh, into a folder of $fpath", "completions zsh"),
        ],
    ),
    ("man", false, &[("All pages", "man man1")]),
];

/// The parser, with examples and exit statuses.
pub fn command() -> Command {
    EXAMPLES.iter().fold(Cli::command().after_help(STATUS), |command, (verb, is_run, examples)| {
        let status = if *is_run { STATUS } else { SHORT_STATUS };
        let mut text = "Examples:\n".to_string();
        for (what, words) in *examples {
            text += &format!("  # {what}\n  duet {words}\n");
        }
        let long = format!("{text}\n{status}");
        let tell = |command: Command| command.after_help(status).after_long_help(long);
        match verb.split_once(' ') {
            None => command.mut_subcommand(verb, tell),
            Some((verb, of)) => {
                command.mut_subcommand(verb, |command| command.mut_subcommand(of, tell))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The verbs that can be asked for.
    fn verbs(command: &Command, before: &str) -> Vec<String> {
        if !command.has_subcommands() {
            return vec![before.trim().to_string()];
        }
        let each = |verb: &Command| verbs(verb, &format!("{before} {}", verb.get_name()));
        command.get_subcommands().flat_map(each).collect()
    }

    #[test]
    fn every_verb_has_examples_and_they_are_legal() {
        let told: Vec<_> = EXAMPLES.iter().map(|(verb, ..)| verb.to_string()).collect();
        let mut all = verbs(&Cli::command(), "");
        let mut sorted = told.clone();
        all.sort();
        sorted.sort();
        assert_eq!(sorted, all);
        for (verb, _, examples) in EXAMPLES {
            for (_, words) in *examples {
                assert!(words.starts_with(verb), "{verb}: {words}");
                let parsed = Cli::try_parse_from(format!("duet {words}").split_whitespace());
                assert!(parsed.is_ok(), "{words}: {}", parsed.err().unwrap());
            }
        }
        command().debug_assert();
    }
}
