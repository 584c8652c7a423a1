//! Packets of the command processors, kernels, and the synchronisation of L2s.

use serde_json::json;

use super::tracks::Tracks;
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
    for launch in run.launches.iter().take(MOST_PACKETS) {
        let mut track = |name| tracks.track(launch.gpu.into(), name);
        let [kernels, launches, sync] =
            ["kernels", "launches", "synchronisation of L2s"].map(&mut track);
        let name = if launch.kernel.is_empty() { "barrier" } else { &launch.kernel };
        // What is behind the kernel begins with its releases.
        let end = launch.after.map_or(launch.completed, |[from, _]| from);
        match launch.launched {
            Some(launched) => {
                let args = json!({"releases": launch.sent[0], "acquires": launch.sent[1],
                                  "reasons": launch.reasons});
                let before = [launch.submitted, launched];
                tracks.span(launches, &format!("launch {name}"), before, args);
                tracks.span(kernels, name, [launched, end.max(launched)], json!({}));
                if launch.completed > end {
                    let args = json!({"lines written back": launch.lines_written_back});
                    let name = format!("complete {name}");
                    tracks.span(launches, &name, [end.max(launched), launch.completed], args);
                }
            }
            None => {
                tracks.span(launches, name, [launch.submitted, launch.completed], json!({}));
            }
        }
        for (when, operations) in [("before", launch.before), ("after", launch.after)] {
            if let Some(operations) = operations {
                tracks.span(sync, &format!("{when} {name}"), operations, json!({}));
            }
        }
    }
}
