//! Work-groups on CUs.

use serde_json::json;

use super::tracks::{Tracks, lane_name};
use crate::Recorded;

/// Adds a track for each slot of a CU that had work-groups.
pub fn add(recorded: &Recorded, tracks: &mut Tracks) {
    let mut groups: Vec<_> = recorded.groups.iter().collect();
    groups.sort_by_key(|group| (group.gpu, group.chiplet, group.cu, group.slot, group.from));
    for group in groups {
        let cu = format!("chiplet {} CU {}", group.chiplet, group.cu);
        let track = tracks.track(group.gpu, &lane_name(&cu, group.slot.into()));
        let args = json!({"work-group": group.number, "cycles": group.to - group.from});
        tracks.span(track, &group.kernel, [group.from, group.to], args);
    }
}
