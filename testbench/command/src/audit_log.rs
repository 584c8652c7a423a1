//! What became of each packet of the command processors, as text: a paragraph for each.
//!
//! ```text
//! gpu 0 packet 1: kernel 1 mix, tag 0, chiplets 0-1
//!   cycles    submitted 21084  sync_req 28817  ack 29327  launch_en 29428  done 30472
//!   cost      critical path 611, firmware 0
//!   sent      releases 2, acquires 2; elided 0 and 0
//!   before    release 0-1  acquire 0-1  32 lines written back
//!     -        0-1    V + remote R             0x100000+2048 constant
//!     -        0-1    V + local R              0x100000+2048 constant
//!     -        0-1    V + remote R/W           0x101000+2048 a
//!     acquire  0-1    S + local R/W            0x101000+2048 a
//!     release  0-1    D + remote R             0x102000+2048 b
//!     -        0-1    V + local R              0x102000+2048 b
//!   after     release -  acquire -
//! ```
//!
//! A line of a rule: what it asks for, of which chiplets; state of the entry there and event, which
//! are a row of the transition table, or another rule of section 5 of the CPElide specification;
//! the entry's bytes and the buffers that lie in them.

use std::fmt::{self, Display, Formatter};

use hwmodel::cpelide::chiplet_coherence_table::{Lines, Reason};
use machine::{Audited, Chiplets, Cycle, Operations, Packet};

/// A packet as text, with an empty line behind it.
pub struct Paragraph<'a>(pub &'a Audited<'a>);

impl Display for Paragraph<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Packet { gpu, number, kernel, tag, chiplets, .. } = self.0.packet;
        write!(f, "gpu {gpu} packet {number}: ")?;
        match (kernel, tag) {
            (None, _) => writeln!(f, "barrier")?,
            (Some(kernel), None) => writeln!(f, "kernel {kernel} {}, rejected", self.0.kernel)?,
            (Some(kernel), Some(tag)) => {
                writeln!(f, "kernel {kernel} {}, tag {tag}, chiplets {chiplets}", self.0.kernel)?;
            }
        }
        self.costs(f)?;
        self.operations(f, "before", &self.0.packet.before)?;
        if kernel.is_some() {
            self.operations(f, "after", &self.0.packet.after)?;
        }
        Ok(())
    }
}

impl Paragraph<'_> {
    fn costs(&self, f: &mut Formatter) -> fmt::Result {
        let packet = self.0.packet;
        let cycle = |at: Option<Cycle>| at.map_or("-".to_string(), |at| at.to_string());
        writeln!(
            f,
            "  cycles    submitted {}  sync_req {}  ack {}  launch_en {}  done {}",
            packet.submitted,
            cycle(packet.before.requested),
            cycle(packet.before.acknowledged),
            cycle(packet.launched),
            packet.completed,
        )?;
        let path = cycle(packet.critical_path());
        let ahead = if packet.is_ahead { ", decided ahead" } else { "" };
        writeln!(
            f,
            "  cost      critical path {path}, firmware {}{ahead}",
            packet.firmware_cycles
        )?;
        let sent = packet.sent();
        // The baseline acquires all before a kernel and releases all after it.
        let baseline = packet.kernel.map_or(0, |_| u32::from(self.0.chiplets));
        let elided = sent.map(|sent| i64::from(baseline) - i64::from(sent));
        write!(f, "  sent      releases {}, acquires {}", sent[0], sent[1])?;
        if packet.kernel.is_some() {
            write!(f, "; elided {} and {}", elided[0], elided[1])?;
        }
        if !packet.errors.is_empty() {
            write!(f, "; error codes {:?}", packet.errors)?;
        }
        writeln!(f)
    }

    fn operations(&self, f: &mut Formatter, when: &str, of: &Operations) -> fmt::Result {
        let Operations { release, acquire, lines_written_back, .. } = of;
        write!(f, "  {when:<8}  release {release}  acquire {acquire}")?;
        if release.count() > 0 {
            write!(f, "  {lines_written_back} lines written back")?;
        }
        writeln!(f)?;
        for rule in rules(&of.reasons) {
            self.rule(f, &rule)?;
        }
        Ok(())
    }

    fn rule(&self, f: &mut Formatter, Rule { reason, chiplets }: &Rule) -> fmt::Result {
        let asks = match (reason.release, reason.acquire) {
            (false, false) => "-",
            (true, false) => "release",
            (false, true) => "acquire",
            (true, true) => "both",
        };
        let told = reason.to_string();
        write!(f, "    {asks:<8} {:<6} ", chiplets.to_string())?;
        match reason.pair {
            Some(pair) => writeln!(f, "{told:<24} {}", self.place(pair.lines)),
            None => writeln!(f, "{told}"),
        }
    }

    /// The bytes of an entry, and the buffers in them.
    fn place(&self, lines: Lines) -> String {
        let Audited { line, buffers, .. } = *self.0;
        let (first, end) = (lines.first * line, (lines.last + 1) * line);
        let live = buffers.range(..end).filter(|(addr, (bytes, _))| *addr + bytes > first);
        let names: Vec<_> = live.map(|(_, (_, name))| name.as_str()).collect();
        format!("{first:#x}+{} {}", end - first, names.join(" "))
    }
}

/// A rule that was applied alike to some chiplets.
struct Rule {
    /// For one of them.
    reason: Reason,
    chiplets: Chiplets,
}

/// The rules in their order, with all chiplets of each.
fn rules(reasons: &[Reason]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for &reason in reasons {
        let alike =
            |rule: &&mut Rule| Reason { chiplet: rule.reason.chiplet, ..reason } == rule.reason;
        let bit = 1 << reason.chiplet;
        match rules.iter_mut().find(alike) {
            Some(rule) => rule.chiplets.0 |= bit,
            None => rules.push(Rule { reason, chiplets: Chiplets(bit) }),
        }
    }
    rules
}
