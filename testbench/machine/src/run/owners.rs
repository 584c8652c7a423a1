//! The number of threads of a run, and the components that each of them owns.

use super::{Machine, Options, Order};
use crate::engine::{Cycle, HERE};

/// The shard of each GPU, where the gate, of the first shard, takes `share` of the time.
fn gpus_of_shards(gpus: u16, shards: u8, share: f64) -> Vec<u8> {
    let (all, others) = (f64::from(gpus), u16::from(shards) - 1);
    let first = (1.0 / f64::from(shards) - share) / (1.0 - share).max(0.01) * all;
    let first = (first.round().max(0.0) as u16).min(gpus - others);
    let owner = |gpu: u16| match gpu.checked_sub(first) {
        None => 0,
        Some(rest) => 1 + rest * others / (gpus - first),
    };
    (0..gpus).map(|gpu| owner(gpu) as u8).collect()
}

impl Machine {
    /// Why the run has one thread, whatever was wanted: part of a sentence.
    pub fn why_one_thread(&self) -> Option<&'static str> {
        let Options { order, visit_all, watch, compare_lines, .. } = self.options;
        let ctx = &self.ctx;
        let is_checked = ctx.sequential.is_some() || ctx.timed.is_some() || ctx.values.is_some();
        let is_seen = ctx.recorder.is_some()
            || watch.is_some()
            || compare_lines > 0
            || self.observers.observe_blocks()
            || self.sockets.is_watched();
        // A trace that cannot be read fails on one thread.
        let has_streams = || ctx.program.streams().map_or(true, |number| number > 1);
        [
            (self.options.sample, "launches are skipped"),
            (visit_all || order != Order::Numbers, "its components have an order"),
            (is_checked, "the order of its accesses is checked"),
            (is_seen, "a report, log, timeline or waveform is written"),
            (ctx.places.are_replicated(), "its pages have copies"),
            (self.has_rtl(), "a block is RTL or in lockstep"),
            (self.all_pieces() == 1, "it has one chiplet, or CUs with wires to a unit of the GPU"),
        ]
        .into_iter()
        .find_map(|(holds, why)| holds.then_some(why))
        .or_else(|| has_streams().then_some("the program has several streams"))
    }

    /// The shard of each component: whole GPUs where there are enough of them, else pieces. The
    /// shard of the gate has as many GPUs fewer as the gate takes time.
    pub(super) fn owners(&self, shards: u8) -> Vec<u8> {
        let (gpus, chiplets) = (self.ctx.layout.gpus, self.ctx.layout.chiplets);
        let all = self.all_pieces();
        if u16::from(shards) > gpus || gpus == 1 {
            let owner = |piece: &u16| u32::from(*piece) * u32::from(shards) / u32::from(all);
            return self.pieces.iter().map(|piece| owner(piece) as u8).collect();
        }
        // Pieces are chiplets or GPUs.
        let of_gpu = if all == gpus { 1 } else { chiplets };
        let of_gpus = gpus_of_shards(gpus, shards, self.gate_share);
        let mut owners: Vec<_> =
            self.pieces.iter().map(|piece| of_gpus[usize::from(piece / of_gpu)]).collect();
        *owners.last_mut().expect("there is a gate") = 0;
        owners
    }

    /// Cycles of a window of so many threads, where the command processors allow it. What a message
    /// takes from one GPU to another, as no GPU is cut; and what it takes to a command processor
    /// that a chiplet has no work-group any more.
    pub(super) fn lookahead(&self, shards: u8) -> Cycle {
        if u16::from(shards) > self.ctx.layout.gpus {
            return 1;
        }
        let owners = self.owners(shards);
        let first = self.first_global as u32;
        let globals = first..first + u32::from(self.ctx.layout.gpus);
        let of_messages = self.ctx.network.lookahead(
            |component| owners[component.0 as usize],
            |component| globals.contains(&component.0),
        );
        let of_crossbar = Cycle::from(self.system.command_processor.unicast_latency);
        of_messages.map_or(of_crossbar, |cycles| cycles.min(of_crossbar))
    }

    /// Threads that the run may have.
    pub(super) fn threads(&self) -> u8 {
        let most = u8::try_from(self.all_pieces()).unwrap_or(HERE);
        match self.options.threads.clamp(1, most) {
            threads if threads > 1 && self.why_one_thread().is_none() => threads,
            _ => 1,
        }
    }

    /// Pieces of the machine that threads can simulate apart.
    pub fn most_threads(&self) -> u16 {
        self.all_pieces()
    }

    pub(super) fn all_pieces(&self) -> u16 {
        self.pieces.iter().max().map_or(1, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::gpus_of_shards;

    #[test]
    fn gate_takes_the_place_of_gpus() {
        assert_eq!(gpus_of_shards(4, 2, 0.0), [0, 0, 1, 1]);
        assert_eq!(gpus_of_shards(4, 3, 0.0), [0, 1, 1, 2]);
        assert_eq!(gpus_of_shards(4, 4, 0.3), [1, 1, 2, 3]);
        // A quarter of the time: as much as one of three GPUs.
        assert_eq!(gpus_of_shards(3, 2, 0.25), [0, 1, 1]);
        assert_eq!(gpus_of_shards(2, 2, 0.9), [1, 1]);
        assert_eq!(gpus_of_shards(2, 2, 1.0), [1, 1]);
        assert_eq!(gpus_of_shards(1, 1, 0.0), [0]);
    }
}
