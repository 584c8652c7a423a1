//! The life of a byte: every message that carried it. A run that found a wrong byte is run again
//! with that byte watched; being deterministic, it is the same run.

use crate::context::layout::Layout;
use crate::context::message::{Kind, Line, MAX_LINE, Message, Unit};
use crate::engine::Cycle;

/// Steps that are kept from the end of the life, and from its beginning.
const KEPT: usize = 40;

/// Which wavefront accesses the byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// Its CU.
    pub unit: Unit,
    /// Its slot there.
    pub wave: u16,
    /// Number of the kernel.
    pub kernel: u32,
    /// Number of the work-group.
    pub group: u32,
}

/// What happened to the byte in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    cycle: Cycle,
    what: &'static str,
    value: Option<u8>,
    from: Unit,
    to: Unit,
    /// Where a wavefront begins it.
    issuer: Option<Issuer>,
}

/// A watched byte and its steps.
#[derive(Clone, Debug)]
pub struct Life {
    /// First byte of its line; `MAX` while nothing is watched.
    line: u64,
    /// The byte; all of the line where there is none.
    byte: Option<usize>,
    first: Vec<Step>,
    last: std::collections::VecDeque<Step>,
}

impl Default for Life {
    fn default() -> Self {
        Self {
            line: u64::MAX,
            byte: None,
            first: Vec::new(),
            last: std::collections::VecDeque::new(),
        }
    }
}

impl Life {
    /// Watches the byte at `addr`, in lines of `line` bytes.
    pub fn watch(addr: u64, line: u32) -> Self {
        let offset = addr % u64::from(line);
        Self { line: addr - offset, byte: Some(offset as usize), ..Self::default() }
    }

    /// Watches all bytes of the line of `addr`.
    pub fn watch_line(addr: u64, line: u32) -> Self {
        Self { line: addr - addr % u64::from(line), ..Self::default() }
    }

    fn is_in(&self, mask: u128) -> bool {
        self.byte.is_none_or(|byte| mask >> byte & 1 == 1)
    }

    /// True for messages about the watched line.
    #[inline]
    pub fn is_about(&self, addr: u64) -> bool {
        addr == self.line
    }

    /// A message with or about the byte is sent.
    #[cold]
    pub fn see(&mut self, cycle: Cycle, message: &Message, line: Option<&Line>) {
        if !self.is_in(message.mask) {
            return;
        }
        let what = match message.kind {
            Kind::Read => "read asked",
            Kind::Write => "written",
            Kind::Atomic(_) => "atomic, operand",
            Kind::Data => "answered",
            _ => return,
        };
        let line = line.filter(|_| message.kind != Kind::Read);
        let value = self.byte.and_then(|byte| line.map(|l| l.0[byte]));
        let (from, to) = (message.from, message.to);
        self.keep(Step { cycle, what, value, from, to, issuer: None });
    }

    fn keep(&mut self, step: Step) {
        if self.first.len() < KEPT {
            self.first.push(step);
            return;
        }
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(step);
    }

    /// A wavefront's access of the byte is issued: of a load, with no bytes.
    #[cold]
    pub fn see_issue(
        &mut self,
        cycle: Cycle,
        issuer: Issuer,
        mask: u128,
        bytes: Option<&[u8; MAX_LINE]>,
    ) {
        if self.is_in(mask) {
            let what = if bytes.is_some() { "stored by a work-item" } else { "loaded" };
            let value = self.byte.and_then(|byte| bytes.map(|bytes| bytes[byte]));
            let unit = issuer.unit;
            self.keep(Step { cycle, what, value, from: unit, to: unit, issuer: Some(issuer) });
        }
    }

    /// The life, a line for each step.
    pub fn describe(&self, layout: &Layout) -> String {
        let mut text = String::new();
        let gap = self.last.len() == KEPT;
        for (i, step) in self.first.iter().chain(&self.last).enumerate() {
            if gap && i == KEPT {
                text.push_str("  ...\n");
            }
            let value = step.value.map_or(String::new(), |v| format!(" {v:#04x}"));
            let way = match step.from == step.to {
                true => layout.name(step.from),
                false => format!("{} -> {}", layout.name(step.from), layout.name(step.to)),
            };
            let wave =
                step.issuer.map_or(String::new(), |Issuer { wave, kernel, group, .. }| {
                    format!(", wave {wave}, work-group {group} of kernel {kernel}")
                });
            text += &format!("  cycle {:>8}  {}{value}: {way}{wave}\n", step.cycle, step.what);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_life_keeps_its_ends() {
        let mut life = Life::watch(0x1003, 64);
        assert!(life.is_about(0x1000) && !life.is_about(0x1040));
        for cycle in 0..1000 {
            let issuer = Issuer { unit: Unit(1), wave: 0, kernel: 0, group: 0 };
            life.see_issue(cycle, issuer, 1 << 3, Some(&[7; MAX_LINE]));
            life.see_issue(cycle, issuer, 1 << 4, Some(&[8; MAX_LINE]));
        }
        let cycles: Vec<_> = life.first.iter().chain(&life.last).map(|step| step.cycle).collect();
        assert_eq!(cycles, (0..40).chain(960..1000).collect::<Vec<_>>());
        assert!(life.last.iter().all(|step| step.value == Some(7)));
    }
}
