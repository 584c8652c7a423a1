//! Compares what was sent for a packet with what the table's reference expects, and describes the
//! difference.

use std::fmt::{self, Display, Formatter};

use hwmodel::cpelide::chiplet_coherence_table::{Outcome, Share};

use super::{Auditor, Begun, Chiplets, Operations, Packet};
use crate::engine::Cycle;

impl Auditor {
    /// Errors: a kernel starts otherwise than it must.
    pub(super) fn see_launched(&self, now: Cycle, begun: &Begun) -> Result<(), String> {
        let Begun { packet, expected, shares, .. } = begun;
        self.compare(now, packet, ("before", &packet.before), expected)?;
        if self.reference.is_none() {
            return Ok(());
        }
        if expected.tag != packet.tag {
            let [tag, must] = [packet.tag, expected.tag]
                .map(|tag| tag.map_or("none".into(), |tag| tag.to_string()));
            return Err(differ(now, packet, format!("tag {tag}, must be {must}")));
        }
        let started = shares.iter().fold(0, |mask, share| mask | 1 << share.chiplet);
        if *shares == expected.shares && packet.chiplets.0 == started {
            return Ok(());
        }
        let text = format!(
            "starts chiplets {} with work-groups {}, must be {}",
            packet.chiplets,
            Shares(shares),
            Shares(&expected.shares)
        );
        Err(differ(now, packet, text))
    }

    /// Errors: other operations than those expected.
    pub(super) fn compare(
        &self,
        now: Cycle,
        packet: &Packet,
        (when, sent): (&str, &Operations),
        expected: &Outcome,
    ) -> Result<(), String> {
        let Operations { release, acquire, .. } = *sent;
        let must = [expected.release, expected.acquire].map(Chiplets);
        if self.reference.is_none() || [release, acquire] == must {
            return Ok(());
        }
        let text = format!(
            "releases {release} and acquires {acquire} {when} it, must be {} and {}",
            must[0], must[1]
        );
        Err(differ(now, packet, text))
    }
}

pub(super) fn differ(now: Cycle, packet: &Packet, text: String) -> String {
    let Packet { gpu, number, kernel, .. } = packet;
    let what = kernel.map_or("a barrier".to_string(), |kernel| format!("kernel {kernel}"));
    format!(
        "the decision of GPU {gpu}'s firmware differs from the table's reference, cycle {now}, \
         packet {number}, {what}: {text}"
    )
}

/// Of each chiplet its first work-group and their number.
struct Shares<'a>(&'a [Share]);

impl Display for Shares<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "-" } else { "" })?;
        for (at, Share { chiplet, first, groups }) in self.0.iter().enumerate() {
            write!(f, "{}{chiplet}: {first} + {groups}", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}
