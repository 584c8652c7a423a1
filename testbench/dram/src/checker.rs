//! Judges a channel's commands by the constraints between pairs of commands.

use std::fmt;

use Relation::{Bank, Group, OtherRank, Pseudo, Rank};

use crate::mapping::Place;
use crate::parameters::{Parameters, Refresh, Timing};
use crate::{Command, Issued};

/// What a command is to one bank. Commands to a rank are one to each of its banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Act,
    Pre,
    Rd,
    Wr,
    RefPb,
    RefAb,
}
use Kind::{Act, Pre, Rd, RefAb, RefPb, Wr};

/// Which banks a constraint relates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// The bank itself.
    Bank,
    /// Those of the bank group, the bank too.
    Group,
    /// Those of the rank, the bank too.
    Rank,
    /// Those of the pseudo-channel, the bank too.
    Pseudo,
    /// Those of the pseudo-channel's other ranks.
    OtherRank,
}

/// A constraint: its name, the earlier and the later command, which banks, and the least distance.
type Constraint = (&'static str, Kind, Kind, Relation, fn(&Timing) -> u32);

const CONSTRAINTS: [Constraint; 32] = [
    ("tRCDRD", Act, Rd, Bank, |t| t.rcd_rd),
    ("tRCDWR", Act, Wr, Bank, |t| t.rcd_wr),
    ("tRAS", Act, Pre, Bank, |t| t.ras),
    ("tRC", Act, Act, Bank, |t| t.rc),
    ("tRC", Act, RefAb, Bank, |t| t.rc),
    ("tRC", Act, RefPb, Bank, |t| t.rc),
    ("tRP", Pre, Act, Bank, |t| t.rp),
    ("tRP", Pre, RefAb, Bank, |t| t.rp),
    ("tRP", Pre, RefPb, Bank, |t| t.rp),
    ("tRTP", Rd, Pre, Bank, |t| t.rtp),
    ("tWR", Wr, Pre, Bank, |t| t.cwl + t.bl + t.wr),
    ("tRRDS", Act, Act, Rank, |t| t.rrd_s),
    ("tRRDL", Act, Act, Group, |t| t.rrd_l),
    ("tRRDS", Act, RefPb, Rank, |t| t.rrd_s),
    ("tCCDS", Rd, Rd, Rank, |t| t.ccd_s),
    ("tCCDS", Wr, Wr, Rank, |t| t.ccd_s),
    ("tCCDL", Rd, Rd, Group, |t| t.ccd_l),
    ("tCCDL", Wr, Wr, Group, |t| t.ccd_l),
    ("tCCDR", Rd, Rd, OtherRank, |t| t.ccd_r),
    ("tCCDR", Wr, Wr, OtherRank, |t| t.ccd_r),
    ("tCCDR", Wr, Rd, OtherRank, |t| (t.cwl + t.ccd_r).saturating_sub(t.cl)),
    ("tRTW", Rd, Wr, Pseudo, |t| t.rtw),
    ("tWTRS", Wr, Rd, Rank, |t| t.cwl + t.bl + t.wtr_s),
    ("tWTRL", Wr, Rd, Group, |t| t.cwl + t.bl + t.wtr_l),
    ("tRFC", RefAb, Act, Bank, |t| t.rfc),
    ("tRFC", RefAb, RefAb, Bank, |t| t.rfc),
    ("tRFC", RefAb, RefPb, Bank, |t| t.rfc),
    ("tRFCpb", RefPb, Act, Bank, |t| t.rfc_pb),
    ("tRFCpb", RefPb, RefPb, Bank, |t| t.rfc_pb),
    ("tRFCpb", RefPb, RefAb, Bank, |t| t.rfc_pb),
    ("tRREFD", RefPb, Act, Rank, |t| t.rrefd),
    ("tRREFD", RefPb, RefPb, Rank, |t| t.rrefd),
];

/// A command that breaks a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The constraint.
    pub constraint: &'static str,
    /// The command.
    pub command: Issued,
    /// The first cycle in which it would be legal. 0 if the bank's state forbids it.
    pub earliest: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { constraint, command: Issued { cycle, command, place }, earliest } = self;
        write!(f, "{command:?} in cycle {cycle} to {place:?} violates {constraint}")?;
        if *earliest > 0 { write!(f, ": not before cycle {earliest}") } else { Ok(()) }
    }
}

/// A bank: its open row, and the last cycle of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    row: Option<u32>,
    last: [Option<u64>; 6],
}

/// Sees the commands of one channel, in order.
#[derive(Clone, Debug)]
pub struct Checker {
    p: Parameters,
    refresh: Refresh,
    /// With the place of each.
    banks: Vec<(Place, History)>,
    /// All activates' cycles of the last four of each rank, by pseudo-channel and rank.
    activates: Vec<[Option<u64>; 4]>,
    /// First free cycles of row bus, column bus and each data bus.
    row_bus: u64,
    column_bus: u64,
    data: Vec<u64>,
}

impl Checker {
    /// For a channel at cycle 0.
    pub fn new(p: &Parameters, refresh: Refresh) -> Self {
        let o = &p.organization;
        let mut banks = Vec::new();
        for pseudo in 0..o.pseudo_channels {
            for rank in 0..o.ranks {
                for group in 0..o.groups {
                    for bank in 0..o.banks {
                        let place = Place { pseudo, rank, group, bank, ..Place::default() };
                        banks.push((place, History::default()));
                    }
                }
            }
        }
        Self {
            p: *p,
            refresh,
            banks,
            activates: vec![[None; 4]; o.all_ranks() as usize],
            row_bus: 0,
            column_bus: 0,
            data: vec![0; o.pseudo_channels as usize],
        }
    }

    /// Judges the next command.
    pub fn see(&mut self, command: Issued) -> Result<(), Violation> {
        let fail = |constraint| Err(Violation { constraint, command, earliest: 0 });
        let (kind, all) = match command.command {
            Command::Activate => (Act, false),
            Command::Precharge => (Pre, false),
            Command::PrechargeAll => (Pre, true),
            Command::Read => (Rd, false),
            Command::Write => (Wr, false),
            Command::RefreshBank => (RefPb, false),
            Command::RefreshAll => (RefAb, true),
        };
        let to = command.place;
        let targets: Vec<usize> = (0..self.banks.len())
            .filter(|&at| related(if all { Rank } else { Bank }, &self.banks[at].0, &to))
            .collect();
        if targets.is_empty() {
            return fail("organization");
        }
        for &target in &targets {
            let (place, history) = self.banks[target];
            let legal = match kind {
                Act | RefPb | RefAb => history.row.is_none(),
                Pre => all || history.row.is_some(),
                Rd | Wr => history.row == Some(to.row),
            };
            if !legal {
                return fail("row state");
            }
            let refreshed = history.last[RefPb as usize].max(history.last[RefAb as usize]);
            // JEDEC allows a controller to postpone 8 refreshes.
            let limit = refreshed.unwrap_or(0) + 9 * u64::from(self.p.timing.refi);
            if self.refresh != Refresh::Off && command.cycle > limit {
                return fail("9 tREFI");
            }
            // PREA does nothing to a closed bank.
            if kind != Pre || history.row.is_some() {
                self.distances(command, kind, &place)?;
            }
        }
        self.buses(command, kind)?;
        for target in targets {
            let history = &mut self.banks[target].1;
            match kind {
                Act => history.row = Some(to.row),
                Pre if history.row.is_none() => continue,
                Pre => history.row = None,
                _ => {}
            }
            history.last[kind as usize] = Some(command.cycle);
        }
        Ok(())
    }

    /// Judges the distances to all earlier commands.
    fn distances(&self, command: Issued, kind: Kind, to: &Place) -> Result<(), Violation> {
        let late = |constraint, earliest| {
            let violation = Violation { constraint, command, earliest };
            if earliest > command.cycle { Err(violation) } else { Ok(()) }
        };
        for (name, earlier, later, relation, distance) in CONSTRAINTS {
            if later != kind {
                continue;
            }
            for (place, history) in &self.banks {
                if let Some(last) = history.last[earlier as usize]
                    && related(relation, place, to)
                {
                    late(name, last + u64::from(distance(&self.p.timing)))?;
                }
            }
        }
        Ok(())
    }

    /// Judges the use of buses and the activate window.
    fn buses(&mut self, command: Issued, kind: Kind) -> Result<(), Violation> {
        let (t, place) = (&self.p.timing, &command.place);
        let check = |constraint, earliest| {
            let violation = Violation { constraint, command, earliest };
            if earliest > command.cycle { Err(violation) } else { Ok(()) }
        };
        let column = matches!(kind, Rd | Wr);
        let bus = if column && self.p.organization.dual_bus {
            &mut self.column_bus
        } else {
            &mut self.row_bus
        };
        check("command bus", *bus)?;
        *bus = command.cycle + if kind == Act { u64::from(t.act_cycles) } else { 1 };
        if kind == Act {
            let rank = place.pseudo * self.p.organization.ranks + place.rank;
            let window = &mut self.activates[rank as usize];
            if let Some(fourth) = window[0] {
                check("tFAW", fourth + u64::from(t.faw))?;
            }
            window.rotate_left(1);
            window[3] = Some(command.cycle);
        }
        if column {
            let latency = u64::from(if kind == Rd { t.cl } else { t.cwl });
            let data = &mut self.data[place.pseudo as usize];
            check("data bus", data.saturating_sub(latency))?;
            *data = command.cycle + latency + u64::from(t.bl);
        }
        Ok(())
    }
}

fn related(relation: Relation, a: &Place, b: &Place) -> bool {
    let pseudo = a.pseudo == b.pseudo;
    let rank = pseudo && a.rank == b.rank;
    let group = rank && a.group == b.group;
    match relation {
        Bank => group && a.bank == b.bank,
        Group => group,
        Rank => rank,
        Pseudo => pseudo,
        OtherRank => pseudo && !rank,
    }
}
