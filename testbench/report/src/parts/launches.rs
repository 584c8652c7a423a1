//! What the command processors decided.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::percent;
use crate::chart::full;
use crate::{Launch, Run};

/// Packets that are listed one by one.
const MOST_PACKETS: usize = 100;

/// Operations sent and left out, their reasons, and the packets one by one.
pub fn launches(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let some = runs.iter().any(|run| !run.launches.is_empty());
    some.then(|| {
        html! {
            table {
                thead { tr {
                    th { "run" } th.n { "packets" } th.n { "releases" } th.n { "acquires" }
                    th.n { "left out" } th.n { "lines written back" }
                    th.n { "cycles behind the packet before, mean" }
                    th.n { "cycles from then to launch, mean" }
                } }
                tbody { @for (run, label) in runs.iter().zip(labels) { tr {
                    @let all = &run.launches;
                    @let sum = |of: fn(&Launch) -> u64| all.iter().map(of).sum::<u64>() as f64;
                    @let sent = sum(|l| l.sent.iter().sum::<u32>().into());
                    @let left = sum(|l| l.elided.iter().sum::<u32>().into());
                    @let launched = all.iter().filter(|l| l.launched.is_some()).count().max(1);
                    @let mean = |of: fn(&Launch) -> u64| {
                        let launches = all.iter().filter(|l| l.launched.is_some());
                        launches.map(of).sum::<u64>() / launched as u64
                    };
                    td { (label) }
                    td.n { (full(all.len() as f64)) }
                    td.n { (full(sum(|l| l.sent[0].into()))) }
                    td.n { (full(sum(|l| l.sent[1].into()))) }
                    td.n { (full(left)) " (" (percent(left, sent + left)) ")" }
                    td.n { (full(sum(|l| l.lines_written_back))) }
                    td.n { (full(mean(|l| l.turn - l.submitted) as f64)) }
                    td.n { (full(mean(|l| l.launched.unwrap_or(0).saturating_sub(l.turn)) as f64)) }
                } } }
            }
            @for (run, label) in runs.iter().zip(labels) {
                @let reasons = reasons(run);
                @if !reasons.is_empty() {
                    h3 { "reasons of " (label) }
                    table {
                        thead { tr { th { "operation and rule" } th.n { "L2s" } } }
                        tbody { @for (reason, count) in reasons { tr {
                            td { (reason) } td.n { (full(count.into())) }
                        } } }
                    }
                }
                (packets(run, label))
            }
        }
    })
}

/// The most frequent first.
fn reasons(run: &Run) -> Vec<(&str, u32)> {
    let mut all: BTreeMap<&str, u32> = BTreeMap::new();
    for (reason, count) in run.launches.iter().flat_map(|launch| &launch.reasons) {
        *all.entry(reason).or_default() += count;
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all
}

fn packets(run: &Run, label: &str) -> Markup {
    let shown = run.launches.iter().take(MOST_PACKETS);
    html! {
        details {
            summary {
                "Packets of " (label)
                @if run.launches.len() > MOST_PACKETS {
                    ", the first " (MOST_PACKETS) " of " (run.launches.len())
                }
            }
            table {
                thead { tr {
                    th.n { "GPU" } th { "kernel" } th.n { "submitted" }
                    th.n { "packet before complete" } th.n { "launched" }
                    th.n { "complete" } th.n { "releases" } th.n { "acquires" } th.n { "left out" }
                    th { "reasons" }
                } }
                tbody { @for launch in shown { tr {
                    @let at = |cycle: Option<u64>| cycle.map_or("-".into(), |c| full(c as f64));
                    td.n { (launch.gpu) }
                    td { (if launch.kernel.is_empty() { "barrier" } else { &launch.kernel }) }
                    td.n { (full(launch.submitted as f64)) }
                    td.n { (full(launch.turn as f64)) }
                    td.n { (at(launch.launched)) }
                    td.n { (full(launch.completed as f64)) }
                    td.n { (launch.sent[0]) }
                    td.n { (launch.sent[1]) }
                    td.n { (launch.elided.iter().sum::<u32>()) }
                    td { small { @for (i, (reason, n)) in launch.reasons.iter().enumerate() {
                        @if i > 0 { br; }
                        (n) " × " (reason)
                    } } }
                } } }
            }
        }
    }
}
