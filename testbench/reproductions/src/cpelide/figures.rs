//! The figures of CPElide (specification of CPElide, section 11): ours, the paper's, and why they
//! may differ.

use super::points::MEASURED;
use super::{Report, Structures};
use crate::experiment::{Each, Record, Runs, percent};
use crate::figure::{Figure, figure};

const PROGRAMS: &str = "sixteen programs of ours for the paper's 24, of which seven are kin; our \
                        kernels take 1 000 to 50 000 cycles, the paper's more, so the command \
                        processor's 2 us for a packet and 6 us for a decision, of which the kernel \
                        before hides a part, weigh more: `decision hidden` is without the 6 us; \
                        our HMG keeps a home's own stores in its L2 and drops nothing at a \
                        kernel's start; means are geometric";

/// From this ratio of the baseline's fetches to CPElide's on a program reuses what kernels leave in
/// the L2s (chosen).
const REUSE: f64 = 1.1;

/// All figures.
pub fn all(r: &Report) -> Vec<Figure> {
    let runs = &r.runs;
    vec![
        speedup(runs),
        traffic(runs),
        monolithic(runs),
        programs(
            runs,
            "C4",
            "baseline",
            "BabelStream+Square 31 %, RNN 11 %, Hotspot3D 37 %, SSSP 14 %, BFS 6 %, LUD 48 %; of \
             those without kin here Color 16 %, Pennant 38 %, Lulesh 16 %, Backprop 10 %",
            "section V-A",
        ),
        programs(
            runs,
            "C5",
            "hmg",
            "BabelStream 37 %, Square 40 %, graphs 26 %, RNN -3 %; without kin here Lulesh 33 %",
            "section V-B",
        ),
        l2_l3(runs),
        low_reuse(runs),
        figure(
            "C8",
            "energy of DRAM and NOC, CPElide against HMG",
            "-4 %, -7 %",
            "section V-B",
            "no model of energy; traffic is in C2 and C6",
        ),
        chiplets(runs),
        seven(runs),
        many(runs),
        figure(
            "C12",
            "gain over HMG with several streams",
            "12 %",
            "section VI",
            "kernels of all streams run one after another here (docs/machine.md)",
        ),
        figure(
            "C13",
            "HMG with write-back L2s against write-through",
            "13 % worse",
            "section IV-C",
            "our HMG keeps what its home's own GPU stores dirty and sends on what others store; no \
             variant writes all through",
        ),
        table(r),
        cost(r),
        quality(runs),
    ]
}

fn speedup(r: &Runs) -> Figure {
    let f = figure(
        "C1",
        "speedup of CPElide over the baseline and HMG, 4 chiplets",
        "13 %, 19 %; programs with reuse 17 %, 20 %",
        "abstract, section I, Fig. 8",
        PROGRAMS,
    );
    let mut values = Vec::new();
    let mut ours = Vec::new();
    for (machine, shown) in [("cpelide", "private"), ("cpelide-hidden", "decision hidden")] {
        let [base, hmg] = ["baseline", "hmg"].map(|over| Each::speedup(r, machine, over));
        let reuse = |each: &Each| {
            let kept = each.0.iter().filter(|(program, _)| reuses(r, program)).copied();
            Each(kept.collect())
        };
        let mut text =
            format!("{shown} {}, {}", percent(base.geometric()), percent(hmg.geometric()));
        values.push((format!("{machine} over baseline"), base.geometric()));
        values.push((format!("{machine} over hmg"), hmg.geometric()));
        if !reuse(&base).0.is_empty() {
            let [base, hmg] = [base, hmg].map(|each| reuse(&each).geometric());
            text += &format!(" (with reuse {}, {})", percent(base), percent(hmg));
            values.push((format!("{machine} over baseline with reuse"), base));
            values.push((format!("{machine} over hmg with reuse"), hmg));
        }
        ours.push(text);
    }
    let home = Each::speedup(r, "cpelide-home", "baseline-home").geometric();
    values.push(("cpelide-home over baseline-home".into(), home));
    ours.push(format!("home-forward {} over its baseline", percent(home)));
    f.with(ours.join("; "), values)
}

/// The programs where the baseline fetches again what CPElide keeps.
fn reuses(r: &Runs, program: &str) -> bool {
    let [base, own] = ["baseline", "cpelide"].map(|m| r.record(program, m).counter("l2.fetches"));
    base >= REUSE * own
}

fn traffic(r: &Runs) -> Figure {
    let f = figure(
        "C2",
        "energy, and traffic, of CPElide against the baseline, HMG",
        "energy -14 %, -11 %; traffic -14 %, -17 %",
        "Fig. 9, 10",
        "no model of energy; bytes in the networks of chiplets and between them, where the paper \
         counts flits",
    );
    let bytes = |record: &Record| record.group("traffic.");
    let [base, hmg] = ["baseline", "hmg"].map(|over| Each::ratio(r, "cpelide", over, bytes));
    let means = [base.geometric(), hmg.geometric()];
    f.with(
        format!("traffic {}, {} ({})", percent(means[0]), percent(means[1]), base.listed(2)),
        [("over baseline".into(), means[0]), ("over hmg".into(), means[1])],
    )
}

fn monolithic(r: &Runs) -> Figure {
    let f = figure(
        "C3",
        "performance that the baseline loses against one die with all CUs and caches",
        "54 % (prior work 29 to 45 %)",
        "section I, Fig. 2",
        "one die here: four times the CUs, L2 banks, L3 slices and channels of a chiplet; a \
         chiplet has one CU, so the shape of the die costs more than at 60",
    );
    let loss = |machine| {
        let ratio = Each::speedup(r, "monolithic", machine).geometric();
        1.0 - 1.0 / ratio
    };
    let [base, cpelide] = ["baseline", "cpelide"].map(loss);
    f.with(
        format!("{:.1} %; CPElide loses {:.1} %", 100.0 * base, 100.0 * cpelide),
        [("baseline".into(), base), ("cpelide".into(), cpelide)],
    )
}

/// CPElide over another design, program by program.
fn programs(
    r: &Runs,
    id: &'static str,
    over: &'static str,
    paper: &'static str,
    place: &'static str,
) -> Figure {
    let quantity = match over {
        "hmg" => "speedup of CPElide over HMG by program",
        _ => "speedup of CPElide over the baseline by program",
    };
    let each = Each::speedup(r, "cpelide", over);
    let hidden = Each::speedup(r, "cpelide-hidden", over);
    let kin = |program: &str| {
        let input = r.inputs.iter().find(|input| input.program == program);
        input.map_or("", |input| input.like)
    };
    let listed = each.0.iter().zip(&hidden.0).map(|((program, speedup), (_, hidden))| {
        let like = kin(program);
        let name =
            if like.is_empty() { program.to_string() } else { format!("{like} ({program})") };
        format!("{name} {} / {}", percent(*speedup), percent(*hidden))
    });
    let ours = listed.collect::<Vec<_>>().join(", ");
    figure(
        id,
        quantity,
        paper,
        place,
        "as it is / decision hidden; kin of the paper's program before the brackets, others by \
         our name. Hotspot3D: a chiplet's rows in eight layers are one range, which overlaps the \
         others', so its launches cost what the baseline's do; stencils (jacobi2d) write what \
         neighbours have read: an acquire each time; a capture has no ranges; LUD and bfs.trace \
         have 40 and 24 kernels shorter than a decision; see C1",
    )
    .with(ours, each.named("cpelide").chain(hidden.named("hidden")))
}

fn l2_l3(r: &Runs) -> Figure {
    let f = figure(
        "C6",
        "traffic between L2 and L3: CPElide against HMG; between chiplets: HMG against CPElide",
        "-37 %; +23 %",
        "section V-B",
        "requests at the L3 slices; bytes on the links between chiplets. An acquire drops a whole \
         L2, also what no other chiplet writes, where HMG keeps all but what is written",
    );
    let l3 = |record: &Record| record.counter("l3.reads") + record.counter("l3.writes");
    let link = |record: &Record| record.group("traffic.link");
    let l3 = Each::ratio(r, "cpelide", "hmg", l3).geometric();
    let remote = Each::ratio(r, "hmg", "cpelide", link).geometric();
    let values = [("l2-l3".into(), l3), ("remote".into(), remote)];
    f.with(format!("{}; {}", percent(l3), percent(remote)), values)
}

fn low_reuse(r: &Runs) -> Figure {
    let f = figure(
        "C7",
        "programs with little reuse: baseline over HMG; CPElide over the baseline",
        "15 %; equal",
        "section V-B",
        "programs on which the baseline fetches less than 1.1 times what CPElide does; CPElide's \
         packets cost 6 us more than the baseline's",
    );
    let low = |machine, over| {
        let each = Each::speedup(r, machine, over).0.into_iter();
        Each(each.filter(|(program, _)| !reuses(r, program)).collect())
    };
    let base = low("baseline", "hmg");
    if base.0.is_empty() {
        return f;
    }
    let programs: Vec<_> = base.0.iter().map(|(program, _)| *program).collect();
    let means = [
        base.geometric(),
        low("cpelide", "baseline").geometric(),
        low("cpelide-hidden", "baseline").geometric(),
    ];
    f.with(
        format!(
            "{}; {}, decision hidden {} ({})",
            percent(means[0]),
            percent(means[1]),
            percent(means[2]),
            programs.join(", ")
        ),
        [
            ("baseline over hmg".into(), means[0]),
            ("cpelide over baseline".into(), means[1]),
            ("cpelide-hidden over baseline".into(), means[2]),
        ],
    )
}

fn chiplets(r: &Runs) -> Figure {
    let f = figure(
        "C9",
        "gain of CPElide over HMG on 2, 6, 7 chiplets, beside that on 4",
        "-9 %, +1 %, +2 %",
        "section V-C",
        "programs stay as they are, and L2s grow with the chiplets; differences in percentage \
         points",
    );
    let four = Each::speedup(r, "cpelide", "hmg").geometric();
    let others =
        [("2", "cpelide-2", "hmg-2"), ("6", "cpelide-6", "hmg-6"), ("7", "cpelide-7", "hmg-7")];
    let mut values = vec![("4".to_string(), four)];
    let shown = others.map(|(chiplets, machine, over)| {
        let gain = Each::speedup(r, machine, over).geometric();
        values.push((chiplets.to_string(), gain));
        format!("{chiplets}: {} ({:+.1})", percent(gain), 100.0 * (gain - four))
    });
    f.with(format!("4: {}; {}", percent(four), shown.join(", ")), values)
}

fn seven(r: &Runs) -> Figure {
    let f = figure(
        "C10",
        "speedup over the baseline on 7 chiplets: CPElide, HMG",
        "17 %, -6 %",
        "section V-C",
        PROGRAMS,
    );
    let [own, hmg] = ["cpelide-7", "hmg-7"].map(|m| Each::speedup(r, m, "baseline-7").geometric());
    let values = [("cpelide".into(), own), ("hmg".into(), hmg)];
    f.with(format!("{}, {}", percent(own), percent(hmg)), values)
}

fn many(r: &Runs) -> Figure {
    let f = figure(
        "C11",
        "8 and 16 chiplets: what synchronisation costs more than on 4",
        "1 %, 2 % of the time",
        "section VI",
        "share of the run in which launches wait for L2s, less that on 4 chiplets; real machines \
         of 8 and 16 chiplets, where the paper serialised 2 and 4 sets of operations of 4; the \
         speedup over the baseline of as many chiplets behind it",
    );
    let share = |machine: &'static str| {
        Each::of(r, |program| {
            let record = r.record(program, machine);
            Some(record.counter("launch.sync_cycles") / record.cycles as f64)
        })
        .mean()
    };
    let four = share("cpelide");
    let mut values = vec![("4".to_string(), four)];
    let others = [("8", "cpelide-8", "baseline-8"), ("16", "cpelide-16", "baseline-16")];
    let shown = others.map(|(chiplets, machine, over)| {
        let more = share(machine) - four;
        let speedup = Each::speedup(r, machine, over).geometric();
        values.push((chiplets.to_string(), more));
        values.push((format!("speedup.{chiplets}"), speedup));
        format!("{chiplets}: {:+.1} % ({})", 100.0 * more, percent(speedup))
    });
    f.with(shown.join(", "), values)
}

fn table(r: &Report) -> Figure {
    let f = figure(
        "C14",
        "use of the table: most entries; structures of a kernel, mean and most; kernels of a \
         program",
        "11; 4, 8; at most 510; never overflows",
        "sections III-A, IV-D",
        "coarsenings because of a full table or more than 8 structures behind it",
    );
    let most = |name: &str| {
        let each =
            Each::of(&r.runs, |program| Some(r.runs.record(program, "cpelide").counter(name)));
        each.values().into_iter().fold(0.0, f64::max)
    };
    let (entries, coarsenings) = (most("firmware.max_entries"), most("firmware.coarsenings"));
    let all = r.structures.values();
    let sum = |of: fn(&Structures) -> u64| all.clone().map(of).sum::<u64>() as f64;
    let mean = sum(|s| s.all) / sum(|s| s.kernels);
    let widest = all.clone().map(|s| s.most).max().unwrap_or(0) as f64;
    let kernels = all.map(|s| s.kernels).max().unwrap_or(0) as f64;
    f.with(
        format!("{entries}; {mean:.1}, {widest}; at most {kernels}; {coarsenings} coarsenings"),
        [
            ("entries".into(), entries),
            ("structures".into(), mean),
            ("most structures".into(), widest),
            ("kernels".into(), kernels),
            ("coarsenings".into(), coarsenings),
        ],
    )
}

fn cost(r: &Report) -> Figure {
    let f = figure(
        "C15",
        "the command processor: cycles of a decision, bytes of the table, code",
        "6 us (9000 cycles) for each launch, hidden but for the first; about 2 kB; 2 % more code",
        "sections III-A, IV-B",
        "our firmware in the instruction-set simulator, counted by the hardware in steps 1 to 7 of \
         launches; the paper's code without CPElide is not known here, ours is the whole firmware. \
         Launches that change nothing (stream, copy) keep the aim once they repeat, and the \
         average has the first ones; others write entries back, and in the simulator no decision \
         is hidden, as the host submits one packet at a time",
    );
    let mut values = vec![("table bytes".to_string(), r.bytes.table as f64)];
    let mut ours = Vec::new();
    if let Some(code) = r.bytes.code {
        let each = Each::of(&r.runs, |program| {
            let record = r.runs.record(program, MEASURED);
            Some(record.counter("firmware.cycles") / record.counter("launch.packets"))
        });
        let runs = Each::speedup(&r.runs, MEASURED, "cpelide").geometric();
        values.push(("cycles".into(), each.mean()));
        values.push(("speedup over constants".into(), runs));
        values.push(("code bytes".into(), code as f64));
        ours.push(format!("{:.0} cycles on average ({})", each.mean(), each.listed(0)));
        ours.push(format!(
            "speedup of a run over one with the paper's constants {}",
            percent(runs)
        ));
        ours.push(format!("code {code} B"));
    }
    ours.push(format!("table {} B", r.bytes.table));
    f.with(ours.join("; "), values)
}

fn quality(r: &Runs) -> Figure {
    let f = figure(
        "Q1",
        "operations sent: share of the baseline's, and of those sent the ones that had nothing to \
         do",
        "-",
        "not in the paper",
        "nothing to do: a release that wrote no line back, an acquire that dropped no line, which \
         whoever knows the contents of L2s would leave out; the baseline beside it. Who also knows \
         what programs do later would leave out more: tests/chiplet_coherence_table counts that on \
         random programs",
    );
    let total = |machine: &str, name: &str| {
        let each = r.inputs.iter().map(|i| r.record(i.program, machine).counter(name));
        each.sum::<f64>()
    };
    let mut values = Vec::new();
    let shown = ["releases", "acquires"].map(|what| {
        let sent = |machine| total(machine, &format!("launch.{what}"));
        let idle =
            |machine| total(machine, &format!("launch.idle_{what}")) / sent(machine).max(1.0);
        let share = sent("cpelide") / sent("baseline").max(1.0);
        let [own, base] = ["cpelide", "baseline"].map(idle);
        values.push((format!("{what}.sent"), share));
        values.push((format!("{what}.idle"), own));
        values.push((format!("{what}.baseline idle"), base));
        format!(
            "{what} {:.1} % of the baseline's, {:.1} % of them idle (baseline {:.1} %)",
            100.0 * share,
            100.0 * own,
            100.0 * base
        )
    });
    f.with(shown.join("; "), values)
}
