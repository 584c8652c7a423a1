//! Partitions: the accounts of the bank that fills and of the one that drains (specification 4, 5.2
//! and 5.3). The entries are in the table.

use ports::finepack::types::{Drain, MAX_PARTS, acct, flush_cause};

use super::choices::{Charge, Choices, Length};
use super::slot::Slot;
use super::table::{Index, Merged, Table};
use super::{Config, Out};
use crate::state::State;

/// The contents of a bank that drains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packet {
    /// Index of its first entry.
    pub first: usize,
    /// Entries.
    pub count: u8,
    /// Exact payload bytes.
    pub plen: u16,
}

/// Where a store goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Into this entry of the filling bank, which holds its line.
    Hit(usize),
    /// Into the next free entry.
    Free,
    /// Into the first entry after a flush for this cause.
    Flushed(u8),
}

/// Registers of one partition besides `occ` and `avail`. The draining side exists once: a flush
/// needs the other bank (`banks` = 1: leaves the only bank) free.
#[derive(Clone, Debug, Default)]
struct Partition {
    /// The filling bank's first entry in the table.
    first: usize,
    /// First entry of the bank that does not fill; the same with one bank.
    other: usize,
    /// The filling bank's window: byte address / `2^offset_width`.
    base: u64,
    /// Sum of the filling bank's entry costs.
    cost: u16,
    /// A packet waits for the sequencer or drains.
    busy: bool,
    /// Packets sent, modulo 256.
    tag: u8,
    /// The packet that drains.
    packet: Packet,
    /// Cycle of the last store: the timer is 0 in the next one.
    stored_at: u64,
    /// Finds the filling bank's entries.
    index: Index,
}

/// All partitions.
#[derive(Debug)]
pub(super) struct Partitions {
    /// The output ports, in the form in which they are shown: one copy shows all. `occ` and `avail`
    /// are the partitions' own; the others belong to whoever writes them.
    pub out: Out,
    /// Bit p: `out.occ[p]` is not 0.
    pub filled: u16,
    /// Bit p: partition p had a store or an atomic since its last MARK. So `filled` is a subset.
    pub dirty: u16,
    parts: [Partition; MAX_PARTS],
    table: Table,
    bank_entries: u8,
    two_banks: bool,
    /// A line address shifted right by this is the window.
    window_shift: u32,
    offset_width: u32,
    max_payload: u16,
}

impl Partitions {
    pub fn new(config: &Config) -> Self {
        let count = config.parts() as usize;
        Self {
            out: Out {
                avail: std::array::from_fn(
                    |p| if p < count { config.max_payload as u16 } else { 0 },
                ),
                req_ready: true,
                ..Out::default()
            },
            filled: 0,
            dirty: 0,
            parts: std::array::from_fn(|p| Partition {
                first: p * (config.banks * config.entries) as usize,
                other: ((p as u32 + 1) * config.banks - 1) as usize * config.entries as usize,
                ..Partition::default()
            }),
            table: Table::new(config),
            bank_entries: config.entries as u8,
            two_banks: config.banks == 2,
            offset_width: config.offset_width,
            window_shift: config.offset_width - config.line.ilog2(),
            max_payload: config.max_payload as u16,
        }
    }

    /// The beat of an entry, counted from the start of all entries.
    #[inline(always)]
    pub fn beat(&self, entry: usize) -> &Drain {
        self.table.beat(entry)
    }

    /// The packet that drains from `part`.
    pub fn packet(&self, part: usize) -> Packet {
        self.parts[part].packet
    }

    /// Tag of the next or the current packet of `part`.
    pub fn tag(&self, part: usize) -> u8 {
        self.parts[part].tag
    }

    /// The registers of `part`.
    pub fn show_state(&self, state: &mut State, part: usize) {
        let Partition { first, other, base, cost, busy, tag, packet, .. } = &self.parts[part];
        let count = self.out.occ[part];
        state.part("fill", |state| {
            state.bits("count", 7, count);
            state.bits("avail", 13, self.out.avail[part]);
            state.bits("sum", 13, *cost);
            state.bits_while(count > 0, "base", 64 - self.offset_width, *base);
        });
        state.flag("bank", first > other);
        state.flag("dirty", self.dirty >> part & 1 != 0);
        state.flag("busy", *busy);
        state.bits("drain_count", 7, packet.count);
        state.bits("drain_sum", 13, packet.plen);
        state.bits("tag", 8, *tag);
    }

    /// A flush of `part` would find its bank free (README rule 8: one bank needs no other).
    #[inline(always)]
    pub fn can_flush(&self, part: usize) -> bool {
        !(self.two_banks && self.parts[part].busy)
    }

    /// The filling bank of `part` can be written: not when the only bank drains.
    #[inline(always)]
    pub fn can_store(&self, part: usize) -> bool {
        self.two_banks || !self.parts[part].busy
    }

    /// True when `part` has had no store for `timeout` cycles and holds something.
    pub fn is_overdue(&self, part: usize, now: u64, timeout: u16) -> bool {
        self.out.occ[part] != 0 && now - self.parts[part].stored_at > u64::from(timeout)
    }

    /// The filling bank's entry with this line, counted from the start of all entries.
    #[inline(always)]
    fn find(&self, part: usize, line: u64) -> Option<usize> {
        let part_regs = &self.parts[part];
        let index = part_regs.index.find(line, self.out.occ[part])?;
        Some(part_regs.first + usize::from(index))
    }

    /// An entry of the filling bank shares a byte with this access.
    pub fn overlaps(&self, part: usize, line: u64, mask: u128) -> bool {
        self.find(part, line).is_some_and(|entry| self.table.beat(entry).mask & mask != 0)
    }

    /// Steps 1 to 5 of specification 5.2: where a store of this cost goes.
    #[inline(always)]
    pub fn place(&self, part: usize, line: u64, cost: u16, choices: &Choices) -> Place {
        let Partition { first, base, .. } = self.parts[part];
        let used = self.out.occ[part];
        if used == 0 {
            return Place::Free;
        }
        let in_window = line >> self.window_shift == base;
        if !in_window && choices.flushes(flush_cause::WINDOW) {
            return Place::Flushed(flush_cause::WINDOW);
        }
        // Before the lookup, so a store that would add nothing can still flush.
        let must_fit = choices.hit_must_fit || self.find(part, line).is_none();
        if cost > self.out.avail[part] && must_fit && choices.flushes(flush_cause::FULL_PAYLOAD) {
            return Place::Flushed(flush_cause::FULL_PAYLOAD);
        }
        match self.find(part, line) {
            Some(entry) => Place::Hit(entry),
            None if used < self.bank_entries => Place::Free,
            None if choices.flushes(flush_cause::FULL_ENTRIES) => {
                Place::Flushed(flush_cause::FULL_ENTRIES)
            }
            None => Place::Hit(first + usize::from(self.bank_entries) - 1),
        }
    }

    /// Writes a store into the entry that holds its line. Returns the bytes overwritten.
    #[inline(always)]
    pub fn write_hit(
        &mut self,
        part: usize,
        entry: usize,
        store: &Slot,
        acct: u8,
        choices: &Choices,
    ) -> u8 {
        let Merged { overwritten, growth } = self.table.merge(entry, store, choices);
        self.parts[part].cost = self.parts[part].cost.wrapping_add_signed(growth);
        let charge = match if acct == acct::EXACT { choices.exact } else { choices.paper } {
            Charge::Growth => growth,
            Charge::PositiveGrowth => growth.max(0),
            Charge::All => store.size.cost as i16,
        };
        self.out.avail[part] = self.out.avail[part].wrapping_add_signed(-charge);
        overwritten as u8
    }

    /// Writes a store into the next free entry; the first one sets the window.
    #[inline(always)]
    pub fn write_new(&mut self, part: usize, store: &Slot, choices: &Choices) {
        let part_regs = &mut self.parts[part];
        let used = self.out.occ[part];
        if used == 0 {
            if choices.first_sets_window {
                part_regs.base = store.line >> self.window_shift;
            }
            self.filled |= 1 << part;
            self.dirty |= 1 << part;
        }
        part_regs.cost += store.size.cost;
        part_regs.index.add(store.line, used);
        let entry = part_regs.first + usize::from(used);
        self.table.write(entry, store, used == 0, part_regs.base << self.offset_width, choices);
        self.out.occ[part] = used + 1;
        self.out.avail[part] = self.out.avail[part].wrapping_sub(store.size.cost);
    }

    /// Restarts the timer for a store in cycle `now`.
    #[inline(always)]
    pub fn restart_timer(&mut self, part: usize, now: u64) {
        self.parts[part].stored_at = now;
    }

    /// Turns the filling bank into a packet that drains, and starts an empty one. The caller has
    /// seen `can_flush`, and pushes the DRAIN token.
    #[inline(always)]
    pub fn flush(&mut self, part: usize, choices: &Choices) {
        let part_regs = &mut self.parts[part];
        let plen = match choices.length {
            Length::Sum => part_regs.cost,
            Length::Charged => self.max_payload - self.out.avail[part],
        };
        part_regs.packet = Packet { first: part_regs.first, count: self.out.occ[part], plen };
        part_regs.busy = true;
        part_regs.cost = 0;
        part_regs.base = 0;
        std::mem::swap(&mut part_regs.first, &mut part_regs.other);
        self.out.occ[part] = 0;
        if choices.flush_resets_credit {
            self.out.avail[part] = self.max_payload;
        }
        self.filled &= !(1 << part);
    }

    /// The packet has left its bank.
    pub fn free_bank(&mut self, part: usize) {
        self.parts[part].busy = false;
    }

    /// The packet's tag is used.
    pub fn next_tag(&mut self, part: usize) {
        self.parts[part].tag = self.parts[part].tag.wrapping_add(1);
    }
}
