//! What is counted between two samples.

use serde_json::{Value, json};

use super::tracks::Tracks;
use crate::Run;

/// Statistics that are shown over time, by the ends of their names, and what they are.
const COUNTED: [(&str, &str); 5] = [
    ("gpu_link.wire_bytes", "links between GPUs, bytes"),
    ("gpu_link.busy_cycles", "links between GPUs, busy cycles"),
    ("l1.epoch_transitions", "epochs"),
    ("l1.race_syncs", "race detection, synchronisations"),
    ("l1.race_races", "races"),
];
/// Bytes on links inside GPUs, by class.
const LINKS: &str = "traffic.link.";
/// Most links, and most kinds of queues, that are shown: those that carry and hold the most.
const MOST_LINKS: usize = 32;
const MOST_QUEUES: usize = 32;

/// Adds the counters.
pub fn add(run: &Run, tracks: &mut Tracks) {
    for (name, shown) in COUNTED {
        let Some(values) = run.series.get(name) else { continue };
        for (at, pair) in values.windows(2).enumerate() {
            let args = json!({"per sample": pair[1].saturating_sub(pair[0])});
            tracks.count(shown, run.sampled[at], args);
        }
    }
    let links: Vec<_> = run.series.iter().filter(|(name, _)| name.starts_with(LINKS)).collect();
    let mut queues: Vec<_> =
        run.series.iter().filter(|(name, _)| name.starts_with("queue.")).collect();
    queues.sort_by_key(|(_, values)| std::cmp::Reverse(values.iter().sum::<u64>()));
    queues.truncate(MOST_QUEUES);
    for at in 0..run.sampled.len().saturating_sub(1) {
        if !links.is_empty() {
            let by_class = links.iter().map(|(name, values)| {
                let bytes = values[at + 1].saturating_sub(values[at]);
                (name[LINKS.len()..].to_string(), bytes.into())
            });
            let args = Value::Object(by_class.collect());
            tracks.count("links between chiplets, bytes", run.sampled[at], args);
        }
        for (name, values) in &queues {
            tracks.count(name, run.sampled[at], json!({"messages": values[at]}));
        }
    }
    each_link(run, tracks);
}

/// Bytes per cycle of each link, those with the most bytes first.
fn each_link(run: &Run, tracks: &mut Tracks) {
    let Some(recorded) = &run.recorded else { return };
    let mut links: Vec<_> = recorded.links.iter().collect();
    links.sort_by_key(|(_, values)| std::cmp::Reverse(values.last()));
    for (name, values) in links.into_iter().take(MOST_LINKS) {
        for (cycles, bytes) in run.sampled.windows(2).zip(values.windows(2)) {
            let cycle = (cycles[1] - cycles[0]).max(1) as f64;
            let rate = bytes[1].saturating_sub(bytes[0]) as f64 / cycle;
            tracks.count(&format!("link {name}"), cycles[0], json!({"bytes per cycle": rate}));
        }
    }
}
