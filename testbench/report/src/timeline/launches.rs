//! Packets of the command processors, by what each GPU did for them.

use machine::PHASES;
use serde_json::json;

use super::tracks::{Lanes, Tracks, lane_name};
use crate::Run;

/// Most packets that are shown: the first of the run.
pub const MOST_PACKETS: usize = 4096;
/// Tracks: one for each phase that packets have, and one before.
const TRACKS: usize = PHASES.len();
/// The track of packets whose turn has not come.
const QUEUED: (usize, &str) = (TRACKS - 1, "packets behind another");

/// Adds the packets.
pub fn add(run: &Run, tracks: &mut Tracks) {
    let mut names = PHASES.map(|(_, name)| name);
    names[QUEUED.0] = QUEUED.1;
    // Kernels first, whatever comes first.
    for gpu in 0..run.shape[0] {
        for name in names {
            tracks.track(gpu, name);
        }
    }
    // Packets of several streams overlap.
    let mut lanes: Vec<[Lanes; TRACKS]> = (0..run.shape[0]).map(|_| Default::default()).collect();
    for launch in run.launches.iter().take(MOST_PACKETS) {
        let gpu = u32::from(launch.gpu);
        let name = if launch.kernel.is_empty() { "barrier" } else { &launch.kernel };
        let args = json!({"releases": launch.sent[0], "acquires": launch.sent[1],
                          "reasons": launch.reasons,
                          "lines written back": launch.lines_written_back});
        let mut phases = launch.phases();
        if launch.turn > launch.submitted {
            phases.insert(0, (QUEUED.0, [launch.submitted, launch.turn]));
        }
        for (phase, times) in phases {
            let lane = lanes[usize::from(launch.gpu)][phase].take(times);
            let track = tracks.track(gpu, &lane_name(names[phase], lane));
            tracks.span(track, name, times, args.clone());
        }
    }
}
