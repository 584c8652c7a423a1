//! What a kernel does to one entry (specification 5.2, 5.3, 5.5). Entry and kernel count lines from
//! the same base. Where a line has one copy (`home_aware`, 5.9) nothing is remote, and no copies
//! can be at odds.

use crate::config::Config;
use crate::record::Record;
use crate::vector::{spread, state};

/// Whole-cache operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// L2s to write back.
    pub release: u16,
    /// L2s to invalidate.
    pub acquire: u16,
}

/// The kernel touches what chiplet i holds from another chiplet.
fn remote(entry: &Record, kernel: &Record, i: usize, chiplets: usize) -> bool {
    (0..chiplets)
        .any(|j| j != i && kernel.has(j) && entry.overlaps(i, kernel.first[j], kernel.last[j]))
}

/// Resolves mixed copies, then does the remote events, and adds what they and the local accesses
/// need. `users`: chiplets on which running kernels use the entry. Gives true where mixed copies
/// were resolved.
pub fn before(
    entry: &mut Record,
    kernel: &Record,
    users: u16,
    config: &Config,
    masks: &mut Masks,
) -> bool {
    if config.home_aware {
        return false;
    }
    let chiplets = config.chiplets;
    let resolved = entry.mixed;
    if resolved {
        entry.mixed = false;
        for i in 0..chiplets {
            if entry.vector.get(i) != state::D {
                continue;
            }
            masks.release |= 1 << i;
            if users >> i & 1 == 0 {
                entry.vector.set(i, state::S);
            } else {
                entry.mixed = true;
                if kernel.has(i) {
                    masks.acquire |= 1 << i;
                }
            }
        }
    }
    for i in 0..chiplets {
        let old = entry.vector.get(i);
        if old == state::NP || old == state::S || !remote(entry, kernel, i, chiplets) {
            continue;
        }
        if old == state::D {
            masks.release |= 1 << i;
        }
        match (old, users >> i & 1 == 1) {
            (state::D, true) => entry.mixed |= kernel.write,
            _ if kernel.write => entry.vector.set(i, state::S),
            _ => entry.vector.set(i, state::V),
        }
    }
    for i in (0..chiplets).filter(|&i| kernel.has(i)) {
        if entry.vector.get(i) == state::S {
            masks.acquire |= 1 << i;
        }
    }
    resolved
}

/// Does the effects of the operations on whole caches.
pub fn whole_cache(entry: &mut Record, users: u16, masks: Masks, chiplets: usize) {
    let (release, acquire) = (spread(masks.release & !users), spread(masks.acquire & !users));
    entry.vector = entry.vector.after(release, acquire, entry.mixed);
    for i in 0..chiplets {
        if entry.vector.get(i) == state::NP {
            entry.clear(i);
        }
    }
    entry.mixed &= entry.vector.dirty_bits() != 0;
}

/// Does the local events after `before` and `whole_cache`. `dirty_users`: what is dirty of
/// the users' copies, where anything is. Gives the
/// number of ranges that have grown to a hull.
pub fn local(
    entry: &mut Record,
    kernel: &Record,
    users: u16,
    dirty_users: Option<&Record>,
    masks: Masks,
    config: &Config,
) -> u32 {
    let chiplets = config.chiplets;
    let mut hulls = 0;
    for i in (0..chiplets).filter(|&i| kernel.has(i)) {
        let (first, last) = (kernel.first[i], kernel.last[i]);
        let used = users >> i & 1 == 1;
        let old = entry.vector.get(i);
        // What a running kernel writes may be fetched before it is released.
        let beside = dirty_users.is_some_and(|held| {
            (0..chiplets).any(|k| k != i && users >> k & 1 == 1 && held.overlaps(k, first, last))
        });
        let new = match old {
            _ if kernel.write => {
                entry.mixed |= old == state::S;
                state::D
            }
            state::NP => state::V,
            old => old,
        };
        match new {
            state::V if beside => entry.vector.set(i, state::S),
            new => {
                entry.mixed |= beside && new == state::D;
                entry.vector.set(i, new);
            }
        }
        if masks.acquire >> i & 1 == 1 && !used {
            entry.clear(i);
        }
        if entry.has(i) && (first < entry.first[i] || last > entry.last[i]) {
            hulls += 1;
        }
        entry.add(i, first, last);
    }
    entry.mixed |= kernel.write && !config.are_apart(kernel);
    entry.mixed &= entry.vector.dirty_bits() != 0;
    entry.write = kernel.write;
    hulls
}
