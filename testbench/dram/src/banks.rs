//! The banks of a channel: their rows, and the first cycle in which each command is legal.

use crate::Command;
use crate::mapping::Place;
use crate::parameters::{Organization, Parameters, Timing};

/// A bank.
#[derive(Clone, Copy, Debug)]
pub struct Bank {
    /// Its open row, or [`CLOSED`].
    pub row: u32,
    /// First cycle of an activate, or a refresh.
    pub activate: u64,
    /// First cycle of a precharge.
    pub precharge: u64,
    /// First cycle of a read, and of a write.
    pub column: [u64; 2],
    /// The last precharge was for a request that needed another row.
    pub conflict: bool,
    /// The open row has served no request.
    pub fresh: bool,
}

/// No row is open.
pub const CLOSED: u32 = u32::MAX;

/// The last four activates of a rank.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// Each one's end of tFAW.
    ends: [u64; 4],
    oldest: usize,
}

/// All banks of a channel.
#[derive(Clone, Debug)]
pub struct Banks {
    o: Organization,
    t: Timing,
    /// In order of pseudo-channel, rank, group.
    pub of: Vec<Bank>,
    /// Of each rank.
    windows: Vec<Window>,
}

impl Banks {
    /// All rows closed.
    pub fn new(p: Parameters) -> Self {
        let (o, t) = (p.organization, p.timing);
        let bank = Bank {
            row: CLOSED,
            activate: 0,
            precharge: 0,
            column: [0; 2],
            conflict: false,
            fresh: false,
        };
        let of = vec![bank; (o.all_ranks() * o.rank_banks()) as usize];
        Self { o, t, of, windows: vec![Window::default(); o.all_ranks() as usize] }
    }

    /// The bank of a place.
    pub fn index(&self, place: &Place) -> usize {
        let rank = place.pseudo * self.o.ranks + place.rank;
        ((rank * self.o.groups + place.group) * self.o.banks + place.bank) as usize
    }

    /// A bank's place.
    pub fn place(&self, bank: usize, row: u32, column: u32) -> Place {
        let (o, bank) = (&self.o, bank as u32);
        let (rank, group) = (bank / o.rank_banks(), bank / o.banks % o.groups);
        let (pseudo, rank) = (rank / o.ranks, rank % o.ranks);
        Place { channel: 0, pseudo, rank, group, bank: bank % o.banks, row, column }
    }

    /// Sets the first cycles of what may follow a command.
    pub fn issue(&mut self, now: u64, command: Command, bank: usize, row: u32) {
        let (o, t, of) = (&self.o, &self.t, &mut self.of);
        let later = |cycles: u32| now + u64::from(cycles);
        let raise = |to: &mut u64, cycle: u64| *to = cycle.max(*to);
        // Those banks among so many that have this one.
        let with = |banks: u32| {
            let first = bank / banks as usize * banks as usize;
            first..first + banks as usize
        };
        let (of_group, of_rank) = (with(o.banks), with(o.rank_banks()));
        match command {
            Command::Activate => {
                let Window { ends, oldest } = &mut self.windows[bank / of_rank.len()];
                ends[*oldest] = later(t.faw);
                *oldest = (*oldest + 1) % 4;
                for at in of_rank {
                    let apart = if of_group.contains(&at) { t.rrd_l } else { t.rrd_s };
                    raise(&mut of[at].activate, later(apart).max(ends[*oldest]));
                }
                let bank = &mut of[bank];
                raise(&mut bank.activate, later(t.rc));
                raise(&mut bank.precharge, later(t.ras));
                raise(&mut bank.column[0], later(t.rcd_rd));
                raise(&mut bank.column[1], later(t.rcd_wr));
                (bank.row, bank.fresh) = (row, true);
            }
            Command::Precharge | Command::PrechargeAll => {
                let closed = if command == Command::Precharge { bank..bank + 1 } else { of_rank };
                for bank in of[closed].iter_mut().filter(|bank| bank.row != CLOSED) {
                    raise(&mut bank.activate, later(t.rp));
                    (bank.row, bank.conflict) = (CLOSED, false);
                }
            }
            Command::Read | Command::Write => {
                let write = usize::from(command == Command::Write);
                for at in with(o.ranks * o.rank_banks()) {
                    let (same, to_read) = match (of_rank.contains(&at), of_group.contains(&at)) {
                        (true, true) => (t.ccd_l, t.cwl + t.bl + t.wtr_l),
                        (true, false) => (t.ccd_s, t.cwl + t.bl + t.wtr_s),
                        // Only the data bus is common.
                        _ => (t.ccd_r, (t.cwl + t.ccd_r).saturating_sub(t.cl)),
                    };
                    raise(&mut of[at].column[write], later(same));
                    raise(&mut of[at].column[1 - write], later([t.rtw, to_read][write]));
                }
                let recovery = [t.rtp, t.cwl + t.bl + t.wr][write];
                raise(&mut of[bank].precharge, later(recovery));
                of[bank].fresh = false;
            }
            Command::RefreshAll => {
                of_rank.for_each(|at| raise(&mut of[at].activate, later(t.rfc)));
            }
            Command::RefreshBank => {
                of_rank.for_each(|at| raise(&mut of[at].activate, later(t.rrefd)));
                raise(&mut of[bank].activate, later(t.rfc_pb));
            }
        }
    }
}
