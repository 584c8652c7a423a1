//! Paths of sampled requests: each whole, on a track of its CU, and its parts on the tracks of the
//! components that it passes, with arrows from one to the next.

use std::collections::BTreeMap;

use machine::{Part, Request};
use serde_json::{Value, json};

use super::tracks::{Lanes, Track, Tracks, lane_name};
use crate::Recorded;

/// Adds the requests.
pub fn add(recorded: &Recorded, tracks: &mut Tracks) {
    let own = whole(&recorded.requests, tracks);
    let parts = elsewhere(&recorded.requests, tracks);
    for (id, (request, own)) in recorded.requests.iter().zip(own).enumerate() {
        let Some((last, before)) = parts[id].split_last() else { continue };
        tracks.flow(own, "s", id, request.from);
        for (track, part) in before {
            tracks.flow(*track, "t", id, part.from);
        }
        tracks.flow(last.0, "f", id, last.1.from);
    }
}

/// Each request with its parts inside.
fn whole(requests: &[Request], tracks: &mut Tracks) -> Vec<Track> {
    let mut lanes: BTreeMap<&str, Lanes> = BTreeMap::new();
    let mut own = Vec::new();
    for (id, request) in requests.iter().enumerate() {
        let times = [request.from, request.to];
        let lane = lanes.entry(&request.cu).or_default().take(times);
        // gpu0.chiplet1.cu2
        let words: Vec<_> = request.cu.split('.').collect();
        let number = |at: usize, word: &str| words[at].trim_start_matches(word).to_string();
        let gpu = number(0, "gpu").parse().unwrap_or(0);
        let name = format!("chiplet {} CU {} requests", number(1, "chiplet"), number(2, "cu"));
        let track = tracks.track(gpu, &lane_name(&name, lane));
        let mut cycles: BTreeMap<&str, u64> = BTreeMap::new();
        for part in &request.parts {
            *cycles.entry(part.wait.name()).or_default() += part.to - part.from;
        }
        let args = json!({"request": id, "address": format!("{:#x}", request.addr),
                          "cycles": request.to - request.from, "cycles of parts": cycles});
        tracks.span(track, request.kind, times, args);
        for part in &request.parts {
            let args = about(id, request, part);
            tracks.span(track, part.wait.name(), [part.from, part.to], args);
        }
        own.push(track);
    }
    own
}

/// The parts of each request away from its CU, with their tracks.
fn elsewhere<'a>(requests: &'a [Request], tracks: &mut Tracks) -> Vec<Vec<(Track, &'a Part)>> {
    let mut all: Vec<_> = Vec::new();
    for (id, request) in requests.iter().enumerate() {
        all.extend(request.parts.iter().filter(|p| p.place != request.cu).map(|p| (id, p)));
    }
    all.sort_by_key(|(id, part)| (&part.place, part.from, *id));
    let mut lanes: BTreeMap<&str, Lanes> = BTreeMap::new();
    let mut of_request = vec![Vec::new(); requests.len()];
    for (id, part) in all {
        let times = [part.from, part.to];
        let lane = lanes.entry(&part.place).or_default().take(times);
        let track = tracks.track(tracks.components(), &lane_name(&part.place, lane));
        tracks.span(track, part.wait.name(), times, about(id, &requests[id], part));
        of_request[id].push((track, part));
    }
    of_request.iter_mut().for_each(|parts| parts.sort_by_key(|(_, part)| part.from));
    of_request
}

fn about(id: usize, request: &Request, part: &Part) -> Value {
    json!({"request": id, "of": request.kind, "CU": request.cu,
           "address": format!("{:#x}", request.addr), "place": part.place,
           "cycles": part.to - part.from})
}
