//! A run as trace events, which Perfetto and Chrome's tracing open: a process for each GPU with its
//! packets, kernels, work-groups and sampled requests, one with the components that these requests
//! pass, and one with counters over time.
//!
//! Times are in microseconds, which is the format's unit, in whole nanoseconds. All cycles are
//! converted in the same way, so what is within something else stays within it. The number of
//! events is bounded ([`MOST_EVENTS`]).

mod counters;
mod groups;
mod launches;
mod requests;
mod tracks;

use serde_json::{Value, json};

use crate::Run;
use tracks::Tracks;

/// Most events of a timeline. A run keeps at most 16384 work-groups, and 1024 requests of at most
/// 73 parts each; `launches` and `counters` bound the rest.
pub const MOST_EVENTS: usize = 500_000;

/// How much of the run its timeline shows, in a line; nothing where none was recorded.
pub fn sampled(run: &Run) -> Option<String> {
    let recorded = run.recorded.as_ref()?;
    let [requests, groups] = [recorded.requests.len(), recorded.groups.len()];
    let packets = run.launches.len();
    Some(format!(
        "{requests} of {} requests, {groups} of {} work-groups, {} of {packets} packets",
        recorded.all_requests,
        recorded.all_groups,
        packets.min(launches::MOST_PACKETS),
    ))
}

/// All events of a run.
pub fn timeline(run: &Run) -> Value {
    let mut tracks = Tracks::new(run);
    launches::add(run, &mut tracks);
    let mut about = json!({"system": run.system, "workload": run.workload});
    if let Some(recorded) = &run.recorded {
        groups::add(recorded, &mut tracks);
        requests::add(recorded, &mut tracks);
        about["shown"] = sampled(run).into();
    }
    counters::add(run, &mut tracks);
    json!({"displayTimeUnit": "ns", "traceEvents": tracks.into_events(), "otherData": about})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Launch;

    fn launch() -> Launch {
        Launch {
            kernel: "k".into(),
            submitted: 50,
            turn: 100,
            before: Some([110, 180]),
            enabled: Some(190),
            launched: Some(200),
            ran: Some([210, 480]),
            ended: Some(490),
            after: Some([500, 540]),
            completed: 600,
            visible: 700,
            ..Launch::default()
        }
    }

    #[test]
    fn a_launch_is_its_phases() {
        let run =
            Run { clock_mhz: 100, shape: [1, 2, 4], launches: vec![launch()], ..Run::default() };
        let events = timeline(&run);
        let events = events["traceEvents"].as_array().unwrap();
        let is_named = |event: &&Value, tid: &Value| {
            event["ph"] == "M" && event["name"] == "thread_name" && event["tid"] == *tid
        };
        let spans: Vec<_> = events
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|e| {
                assert_eq!(e["name"], "k");
                let track = events.iter().find(|event| is_named(event, &e["tid"])).unwrap();
                let cycles = |key: &str| (e[key].as_f64().unwrap() * 100.0).round() as u64;
                (track["args"]["name"].as_str().unwrap(), cycles("ts"), cycles("dur"))
            })
            .collect();
        assert_eq!(
            spans,
            [
                ("packets behind another", 50, 50),
                ("firmware", 100, 10),
                ("L2 operations", 110, 70),
                ("firmware", 180, 10),
                ("launch latency", 190, 20),
                ("kernels", 210, 270),
                ("launch latency", 480, 10),
                ("firmware", 490, 10),
                ("L2 operations", 500, 40),
                ("firmware", 540, 60),
                ("L2 operations", 600, 100),
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
