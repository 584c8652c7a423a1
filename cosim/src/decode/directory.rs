//! Messages of the coherence directory.

use ports::directory::coherence_directory::{cause, op};

use super::{Fields, name, ranges};

const OPS: &[(u8, &str)] = codes!(op: LRD, RRD, LWR, RWR, EVICT, FENCE);
const CAUSES: &[(u8, &str)] = codes!(cause: WRITE, EVICT, FENCE);

pub fn request(f: &Fields) -> String {
    let op = name(OPS, f.get("op"));
    format!("{op} by GPU {}, id {}, {:#x}", f.get("src"), f.get("id"), f.get("addr"))
}

pub fn response(f: &Fields) -> String {
    let flags = ["hit", "alloc", "evicted", "err"].into_iter().filter(|flag| f.get(flag) == 1);
    let flags: Vec<_> = flags.collect();
    let flags = if flags.is_empty() { "miss".to_string() } else { flags.join(" ") };
    let sharers = ranges(f.wide("sharers"));
    format!("request {}, id {}: {flags}, sharers {sharers}", f.get("seq"), f.get("id"))
}

pub fn invalidation(f: &Fields) -> String {
    let (cause, dest) = (name(CAUSES, f.get("cause")), ranges(f.wide("dest")));
    let last = if f.get("last") == 1 { ", last of its job" } else { "" };
    format!("{cause} of request {} to GPUs {dest}, {:#x}{last}", f.get("seq"), f.get("addr"))
}
