//! Messages between command processors (CPElide specification 3.2).

use ports::cpelide::types::{kind, sync_op};

use super::{Fields, name, ranges};

const KINDS: &[(u8, &str)] = codes!(kind: SYNC_REQ, WG_DESC, WG_COUNT, LAUNCH_EN, ACK, DONE, NACK);

/// The message in the fields whose names begin with `prefix`.
pub fn message(f: &Fields, prefix: &str) -> String {
    let get = |field: &str| f.get(&format!("{prefix}{field}"));
    let (code, a, b) = (get("kind"), get("a"), get("b"));
    let what = match u8::try_from(code) {
        Ok(kind::SYNC_REQ) => format!(": {}", operations(a)),
        Ok(kind::WG_DESC) => format!(": slot {a}, from group {b}"),
        Ok(kind::WG_COUNT) => format!(": {b} groups"),
        Ok(kind::ACK) => format!(": {}, {b} lines written back", operations(a)),
        Ok(kind::NACK) => format!(": error code {a}"),
        _ => String::new(),
    };
    format!("{} of tag {}, chiplet {}{what}", name(KINDS, code), get("tag"), get("chiplet"))
}

fn operations(bits: u64) -> String {
    let all = [(sync_op::REL, "release"), (sync_op::ACQ, "acquire")];
    let set = all.iter().filter(|(bit, _)| bits & u64::from(*bit) != 0).map(|(_, name)| *name);
    let set: Vec<_> = set.collect();
    if set.is_empty() { "nothing".to_string() } else { set.join(" and ") }
}

pub fn transmission(f: &Fields) -> String {
    let how = if f.get("bcast") == 1 { "broadcast" } else { "to" };
    format!("{how} chiplets {}: {}", ranges(f.wide("dst")), message(f, "msg."))
}

pub fn work_group(f: &Fields) -> String {
    format!("group {} of tag {}, slot {}", f.get("group"), f.get("tag"), f.get("slot"))
}
