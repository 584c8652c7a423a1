//! Packets of the command processors, kernels, and the synchronisation of L2s.

use serde_json::json;

use super::tracks::{Lanes, Tracks, lane_name};
use crate::Run;

/// Most packets that are shown: the first of the run.
pub const MOST_PACKETS: usize = 4096;

/// Adds the packets.
pub fn add(run: &Run, tracks: &mut Tracks) {
    // Kernels first, whatever comes first.
    for gpu in 0..run.shape[0] {
        for name in ["kernels", "launches", "synchronisation of L2s"] {
            tracks.track(gpu, name);
        }
    }
    // A launch that is decided ahead, or of another stream, begins while another one runs.
    let mut lanes: Vec<[Lanes; 3]> = (0..run.shape[0]).map(|_| Default::default()).collect();
    for launch in run.launches.iter().take(MOST_PACKETS) {
        let gpu = u32::from(launch.gpu);
        let [of_kernels, of_launches, of_sync] = &mut lanes[usize::from(launch.gpu)];
        let track = |name: &str, lanes: &mut Lanes, times: [u64; 2]| {
            (gpu, lane_name(name, lanes.take(times)), times)
        };
        let mut spans = Vec::new();
        let name = if launch.kernel.is_empty() { "barrier" } else { &launch.kernel };
        // What is behind the kernel begins with its releases.
        let end = launch.after.map_or(launch.completed, |[from, _]| from);
        match launch.launched {
            Some(launched) => {
                let args = json!({"releases": launch.sent[0], "acquires": launch.sent[1],
                                  "reasons": launch.reasons});
                let before = track("launches", of_launches, [launch.submitted, launched]);
                spans.push((before, format!("launch {name}"), args));
                let end = end.max(launched);
                let kernel = track("kernels", of_kernels, [launched, end]);
                spans.push((kernel, name.to_string(), json!({})));
                if launch.completed > end {
                    let args = json!({"lines written back": launch.lines_written_back});
                    let after = track("launches", of_launches, [end, launch.completed]);
                    spans.push((after, format!("complete {name}"), args));
                }
            }
            None => {
                let times = [launch.submitted, launch.completed];
                let whole = track("launches", of_launches, times);
                spans.push((whole, name.to_string(), json!({})));
            }
        }
        for (when, operations) in [("before", launch.before), ("after", launch.after)] {
            if let Some(times) = operations {
                let sync = track("synchronisation of L2s", of_sync, times);
                spans.push((sync, format!("{when} {name}"), json!({})));
            }
        }
        for ((gpu, track, times), name, args) in spans {
            let track = tracks.track(gpu, &track);
            tracks.span(track, &name, times, args);
        }
    }
}
