//! What CUs do in their cycles.

use maud::{Markup, html};

use super::percent;
use crate::Run;
use crate::chart::{Palette, full};
use crate::words::explained;

/// Statistics, and what they are called here.
const SPENT: [(&str, &str); 8] = [
    ("cu.cycles.issue", "issues an access"),
    ("cu.cycles.compute", "executes other instructions"),
    ("cu.cycles.l1", "waits for L1"),
    ("cu.cycles.l2", "waits for L2, L3 or DRAM"),
    ("cu.cycles.remote", "waits for another chiplet or GPU"),
    ("cu.cycles.barrier", "waits at a barrier"),
    ("cu.cycles.fence", "waits at a fence"),
    ("cu.cycles.launch", "has no work-group"),
];

/// Each cycle of each CU, by what the CU did or waited for. Bars leave out those without a
/// work-group, of which most programs have many.
pub fn cycles(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let sum = |run: &Run, spent: &[(&str, &str)]| {
        spent.iter().map(|(name, _)| run.count(name)).sum::<u64>() as f64
    };
    let busy = &SPENT[..SPENT.len() - 1];
    let whole = |run: &Run| sum(run, &SPENT);
    let some = runs.iter().any(|run| whole(run) > 0.0);
    let names: Vec<_> = busy.iter().map(|(_, shown)| shown.to_string()).collect();
    let most = runs.iter().map(|run| sum(run, busy)).fold(0.0, f64::max);
    some.then(|| html! {
        p { "Each cycle of each CU counts once. A cycle without an access counts for the first of: "
            "no work-group; the L1 accepts no access; other instructions; a barrier; a fence; and "
            "else for the answer that ends the wait. Bars show the cycles with a work-group." }
        @let palette = Palette::of(&names);
        (palette.legend(&names))
        @for (run, label) in runs.iter().zip(labels).filter(|(run, _)| whole(run) > 0.0) {
            div.row {
                span.label { (label) }
                @let of = busy.iter().map(|(name, shown)| {
                    (shown.to_string(), run.count(name) as f64)
                });
                (palette.bar(most, &of.collect::<Vec<_>>()))
                span.n { (full(sum(run, busy))) " cycles" }
            }
        }
        table {
            thead { tr {
                th { "of all cycles" }
                @for label in labels { th.n { (label) } }
            } }
            tbody { @for (name, shown) in SPENT { tr {
                td title=(name) { (explained(shown)) }
                @for run in runs { td.n { (percent(run.count(name) as f64, whole(run))) } }
            } } }
        }
    })
}
