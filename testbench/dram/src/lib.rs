//! DRAM timing: a cycle-accurate controller of one channel, and a checker of its commands.
//!
//! A [`Controller`] has a read and a write queue, which its pseudo-channels share, and the state of
//! all banks. Time is the command clock of the [`Parameters`], which come from a named set
//! ([`SETS`]) or from the caller. One [`Request`] is one burst of `access_bytes`. Data are not
//! modelled: a [`Completion`] gives the cycle after the burst's last data beat.
//!
//! **Commands.** Each cycle the controller issues at most one column command (RD, WR) and one row
//! command (ACT, PRE, REF) for all pseudo-channels together, or one command if rows and columns
//! share a bus (`dual_bus`). Refresh goes first, then column commands, then row commands, then the
//! row policy.
//!
//! **Scheduling.** FR-FCFS: the oldest request whose row is open and whose command is legal;
//! otherwise the oldest request of each bank opens its row, and closes another one if no queued
//! request of its kind needs that row. The oldest request of a queue, once `age_cap` cycles old, is
//! no longer passed by hits to its bank. Writes are drained from `write_high` down to `write_low`,
//! when no read waits, or when the oldest is `age_cap` cycles old. If both sides have such a
//! request, they alternate after `write_high - write_low` column commands.
//!
//! **Refresh.** Ranks are due at staggered cycles, every tREFI, or with per-bank refresh one bank
//! every tREFI / banks. Nothing is postponed: a due rank or bank accepts no other commands, is
//! precharged as soon as is legal, and refreshed.
//!
//! **Time.** [`Controller::advance`] simulates all cycles before `end`. A controller without
//! requests needs no calls: the next call makes up for refreshes and row policy. With requests,
//! [`Controller::next_event`] is the next cycle that can issue a command; skipped cycles change no
//! result.
//!
//! **Not modelled:** auto-precharge (a closed-page policy uses the row bus), power-down, t32AW and
//! tPPD of GDDR5, the half cycles of HBM3's row bus, forwarding from queued writes to reads.
//!
//! [`Checker`] judges a command trace by a table of constraints and the commands alone. It shares
//! no code with the controller.

mod banks;
mod checker;
mod controller;
mod mapping;
mod parameters;
mod queue;
mod sets;
#[cfg(test)]
mod tests;

pub use checker::{Checker, Violation};
pub use controller::{Completion, Controller, Counters, Full, Request};
pub use mapping::{Mapping, MappingError, Place};
pub use parameters::{Organization, Page, Parameters, Policy, Refresh, Timing};
pub use sets::SETS;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// ACT: opens a row.
    Activate,
    /// PRE: closes a bank's row.
    Precharge,
    /// PREA: closes all rows of a rank.
    PrechargeAll,
    /// RD: reads a burst.
    Read,
    /// WR: writes a burst.
    Write,
    /// REFpb: refreshes a bank.
    RefreshBank,
    /// REFab: refreshes all banks of a rank.
    RefreshAll,
}

/// A command on a channel's bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Its first cycle.
    pub cycle: u64,
    /// Which.
    pub command: Command,
    /// Where: up to the rank for commands to all banks, up to the bank for PRE and REFpb, up to
    /// the row for ACT. What lies below is 0. The channel is the request's.
    pub place: Place,
}
