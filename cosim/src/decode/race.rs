//! Messages between the race detection blocks.

use ports::race::types::{req_kind, rsp_kind};

use super::{Fields, name, ranges};

const REQS: &[(u8, &str)] = codes!(req_kind: RDCHK, HITCHK, WRITE, ATOM);
const RSPS: &[(u8, &str)] = codes!(rsp_kind: NORACE, RACE, WACK, FORCED);

pub fn request(f: &Fields) -> String {
    let (kind, id, addr) = (f.get("kind"), f.get("id"), f.get("addr"));
    let writes = [req_kind::WRITE, req_kind::ATOM].iter().any(|writes| u64::from(*writes) == kind);
    let bytes = if writes { format!(" bytes {}", ranges(f.wide("mask"))) } else { String::new() };
    format!("{} id {id}, {addr:#x}{bytes}", name(REQS, kind))
}

pub fn token(f: &Fields) -> String {
    format!("SM {}, {:#x}", f.get("sm"), f.get("addr"))
}

pub fn response(f: &Fields) -> String {
    let what = answer(f);
    let last = if f.get("last") == 1 { ", last" } else { "" };
    if f.get("hdr") == 1 {
        return format!("{what}{last}");
    }
    let bits = f.words("data").iter().map(|word| word.count_ones()).sum::<u32>();
    format!("chunk {} of {what}: {bits} bits{last}", f.get("chunk"))
}

/// What ends an answer, and a header.
pub fn answer(f: &Fields) -> String {
    let sync = if f.get("sync") == 1 { " begins" } else { "" };
    format!("{} id {}, epoch {}{sync}", name(RSPS, f.get("kind")), f.get("id"), f.get("epoch"))
}

pub fn lookup(f: &Fields) -> String {
    let tag = if f.get("tag_hit") == 1 { "held" } else { "not held" };
    format!("line {} {tag}, {}", f.get("line"), access(f))
}

/// The bytes of a load.
pub fn access(f: &Fields) -> String {
    format!("{} bytes at {:#x}", 1u32 << f.get("size"), f.get("addr"))
}

pub fn load(f: &Fields) -> String {
    format!("warp {}, load {:#x}, {}", f.get("warp"), f.get("tag"), access(f))
}
