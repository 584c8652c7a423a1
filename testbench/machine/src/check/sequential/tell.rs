//! What is wrong, for a person.

use super::group::Read;
use super::place::Position;
use super::{Sequential, WaveOf, Which};

impl Sequential {
    /// An access.
    pub(super) fn who(&self, which: &Which) -> String {
        let &Which { wave: WaveOf { cu, slot }, group, number, place } = which;
        let name = match self.names.get(usize::from(cu.0)) {
            Some(name) => name.clone(),
            None => format!("unit {}", cu.0),
        };
        format!("{name} wave {slot} instruction {place} (work-group {group}, its wave {number})")
    }

    /// A write.
    fn write(&self, write: u32) -> String {
        match write {
            0 => "its bytes at the kernel's start".to_string(),
            write => {
                let who = self.who(&self.writes[write as usize - 1].which);
                format!("the write of {who}, number {} in the order of writes", self.index(write))
            }
        }
    }

    /// Why a wave is where it is.
    fn why(&self, which: &Which, position: &Position) -> String {
        let Some(by) = &position.by else { return "at the kernel's start".to_string() };
        let how = match self.writes.get(position.write as usize - 1) {
            Some(write) if write.which == *by => "is",
            _ => "has read",
        };
        let who = match (by == which, by.wave == which.wave) {
            (true, _) => "this load itself".to_string(),
            (_, true) => format!("its instruction {}", by.place),
            (_, false) => format!("{}, before a barrier,", self.who(by)),
        };
        format!("{who} {how} {}", self.write(position.write))
    }

    #[cold]
    pub(super) fn fail_load(
        &mut self,
        read: &Read,
        which: &Which,
        position: &Position,
        (write, mask): (u32, u128),
        next: u32,
    ) {
        let over = self.writes[next as usize - 1];
        let over_mask = self.lines[&read.line].masks.get(over.at as usize);
        let byte = (mask & over_mask).trailing_zeros();
        let text = format!(
            "{} loads byte {:#x} (byte {byte} of line {:#x}): it returns {}, which was overwritten \
             by {}; but the load is ordered after number {}: {}",
            self.who(which),
            read.line + u64::from(byte),
            read.line,
            self.write(write),
            self.write(next),
            position.at,
            self.why(which, position),
        );
        self.fail(&text);
    }

    #[cold]
    pub(super) fn fail_write(&mut self, write: u32, which: &Which, position: &Position) {
        let text = format!(
            "{} changes line {:#x} as number {} in the order of writes; but it is ordered after \
             number {}: {}",
            self.who(which),
            self.writes[write as usize - 1].line,
            self.index(write),
            position.at,
            self.why(which, position),
        );
        self.fail(&text);
    }

    #[cold]
    pub(super) fn fail_atomic(
        &mut self,
        number: u32,
        read: &Read,
        which: &Which,
        (write, mask): (u32, u128),
        next: u32,
    ) {
        let text = format!(
            "the atomic of {}, number {} in the order of writes, changes line {:#x}: in bytes \
             {mask:#x} it has read {}; the next write in the order is {}",
            self.who(which),
            self.index(number),
            read.line,
            self.write(write),
            if next == 0 { "none".to_string() } else { self.write(next) },
        );
        self.fail(&text);
    }

    #[cold]
    pub(super) fn fail_value(
        &mut self,
        read: &Read,
        which: &Which,
        (write, k): (u32, u32),
        (got, right): (u8, u8),
    ) {
        let text = format!(
            "{} loads {got:#04x} from byte {:#x} (byte {k} of line {:#x}): reported as {}, which \
             is {right:#04x}",
            self.who(which),
            read.line + u64::from(k),
            read.line,
            self.write(write),
        );
        self.fail(&text);
    }
}
