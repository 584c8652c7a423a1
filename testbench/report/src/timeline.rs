//! A run as trace events, which Perfetto and Chrome's tracing open: a process for each GPU with its
//! packets, kernels and synchronisation, and one with what is counted over time.
//!
//! Times are in microseconds, which is the format's unit.

use serde_json::{Value, json};

use crate::Run;

/// Rows of a GPU.
const KERNELS: u32 = 1;
const LAUNCHES: u32 = 2;
const SYNC: u32 = 3;

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

/// All events of a run.
pub fn timeline(run: &Run) -> Value {
    let us = |cycle: u64| cycle as f64 / f64::from(run.clock_mhz.max(1));
    let gpus = run.shape[0];
    let mut events = Vec::new();
    for gpu in 0..gpus {
        let mut name = |what: &str, row: u32, text: String| {
            events.push(json!({"ph": "M", "name": what, "pid": gpu, "tid": row,
                               "args": {"name": text}}));
        };
        name("process_name", 0, format!("GPU {gpu}"));
        name("thread_name", KERNELS, "kernels".into());
        name("thread_name", LAUNCHES, "launches".into());
        name("thread_name", SYNC, "synchronisation of L2s".into());
    }
    events.push(json!({"ph": "M", "name": "process_name", "pid": gpus, "tid": 0,
                       "args": {"name": "counted"}}));
    let mut span = |gpu: u16, row: u32, name: &str, [from, to]: [u64; 2], args: Value| {
        events.push(json!({"ph": "X", "name": name, "cat": "duet", "pid": gpu, "tid": row,
                           "ts": us(from), "dur": us(to.saturating_sub(from)), "args": args}));
    };
    for launch in &run.launches {
        let gpu = launch.gpu;
        let name = if launch.kernel.is_empty() { "barrier" } else { &launch.kernel };
        // What is behind the kernel begins with its releases.
        let end = launch.after.map_or(launch.completed, |[from, _]| from);
        match launch.launched {
            Some(launched) => {
                let args = json!({"releases": launch.sent[0], "acquires": launch.sent[1],
                                  "reasons": launch.reasons});
                span(gpu, LAUNCHES, &format!("launch {name}"), [launch.submitted, launched], args);
                span(gpu, KERNELS, name, [launched, end.max(launched)], json!({}));
                if launch.completed > end {
                    let args = json!({"lines written back": launch.lines_written_back});
                    let name = format!("complete {name}");
                    span(gpu, LAUNCHES, &name, [end.max(launched), launch.completed], args);
                }
            }
            None => span(gpu, LAUNCHES, name, [launch.submitted, launch.completed], json!({})),
        }
        for (when, operations) in [("before", launch.before), ("after", launch.after)] {
            if let Some(operations) = operations {
                span(gpu, SYNC, &format!("{when} {name}"), operations, json!({}));
            }
        }
    }
    counters(run, gpus, &mut events);
    json!({"displayTimeUnit": "ns", "traceEvents": events,
           "otherData": {"system": run.system, "workload": run.workload}})
}

/// What is counted between two samples.
fn counters(run: &Run, pid: u32, events: &mut Vec<Value>) {
    let us = |cycle: u64| cycle as f64 / f64::from(run.clock_mhz.max(1));
    let mut add = |name: &str, at: usize, args: Value| {
        events.push(json!({"ph": "C", "name": name, "pid": pid, "ts": us(run.sampled[at]),
                           "args": args}));
    };
    for (name, shown) in COUNTED {
        let Some(values) = run.series.get(name) else { continue };
        for (at, pair) in values.windows(2).enumerate() {
            add(shown, at, json!({"per sample": pair[1].saturating_sub(pair[0])}));
        }
    }
    let links: Vec<_> = run.series.iter().filter(|(name, _)| name.starts_with(LINKS)).collect();
    let queues: Vec<_> = run.series.iter().filter(|(name, _)| name.starts_with("queue.")).collect();
    for at in 0..run.sampled.len().saturating_sub(1) {
        if !links.is_empty() {
            let by_class = links.iter().map(|(name, values)| {
                let bytes = values[at + 1].saturating_sub(values[at]);
                (name[LINKS.len()..].to_string(), bytes.into())
            });
            add("links between chiplets, bytes", at, Value::Object(by_class.collect()));
        }
        for (name, values) in &queues {
            add(name, at, json!({"messages": values[at]}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Launch;

    fn launch() -> Launch {
        Launch {
            kernel: "k".into(),
            submitted: 100,
            before: Some([110, 180]),
            launched: Some(200),
            after: Some([500, 540]),
            completed: 600,
            ..Launch::default()
        }
    }

    #[test]
    fn a_launch_is_its_launch_its_kernel_and_its_synchronisation() {
        let run =
            Run { clock_mhz: 100, shape: [1, 2, 4], launches: vec![launch()], ..Run::default() };
        let events = timeline(&run);
        let spans: Vec<_> = events["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|e| {
                (
                    e["name"].as_str().unwrap().to_string(),
                    e["ts"].as_f64().unwrap(),
                    e["dur"].as_f64().unwrap(),
                )
            })
            .collect();
        let span = |name: &str, from, time| (name.to_string(), from, time);
        assert_eq!(
            spans,
            [
                span("launch k", 1.0, 1.0),
                span("k", 2.0, 3.0),
                span("complete k", 5.0, 1.0),
                span("before k", 1.1, 0.7),
                span("after k", 5.0, 0.4),
            ]
        );
    }

    #[test]
    fn counters_are_what_came_between_samples() {
        let series = [("traffic.link.data".to_string(), vec![0, 64, 192])];
        let run = Run {
            clock_mhz: 1000,
            shape: [1, 1, 1],
            sampled: vec![0, 1000, 2000],
            series: series.into(),
            ..Run::default()
        };
        let events = timeline(&run);
        let values: Vec<_> = events["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["ph"] == "C")
            .map(|e| (e["ts"].as_f64().unwrap(), e["args"]["data"].as_u64().unwrap()))
            .collect();
        assert_eq!(values, [(0.0, 64), (1.0, 128)]);
    }
}
