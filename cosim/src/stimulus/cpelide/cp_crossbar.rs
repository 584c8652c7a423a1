//! Messages between command processors, legal and faulty, and chiplets that stall.

use hwmodel::Block;
use hwmodel::cpelide::cp_crossbar::CpCrossbar;
use ports::cpelide::cp_crossbar::{Config, In, Out, PerChiplet};
use ports::cpelide::types::{MAX_CHIPLETS, Message, Tx, kind};

use crate::blocks;
use crate::seen;
use crate::stimulus::{LongTime, NewStimulus, Random, Reached, Statics, Stimulus, message};

crate::pair!(CpCrossbar: ports::cpelide::types::Command);

inventory::submit! {
    blocks::entry::<Inputs>("carries messages between the command processors of a GPU")
}

/// What one phase draws. Chances are parts of 256.
#[derive(Clone, Debug)]
struct Phase {
    left: u32,
    tx: u32,
    /// Relative frequency of each kind of destination, see [`Inputs::destinations`].
    to: [u32; 5],
    up: u32,
    rx_ready: u32,
    down_ready: u32,
    /// Chiplets that take nothing.
    stalled: u16,
}

/// The stimulus.
#[derive(Clone, Debug)]
pub struct Inputs {
    config: Config,
    random: Random,
    phase: Phase,
    long: LongTime,
    /// Cycles for which the message on `rx` waits, and the longest for which one on `down` does.
    rx_waits: u64,
    down_waits: [u64; MAX_CHIPLETS],
    tx: Option<Tx>,
    up: PerChiplet,
    up_valid: u16,
    /// A broadcast was accepted in the cycle before.
    broadcast: bool,
    /// Messages on the way to each chiplet, those accepted and not yet injected included.
    down: [u32; MAX_CHIPLETS],
    seen: Seen,
}

seen! {
    transfers: tx, rx, down, up, err;
    rows:
        unicast, list, broadcast, broadcast_to_some, no_destination, tx_held, broadcast_held,
        full_link, down_held, down_at_all, several_up, up_held, rx_held,
        rx_waits_beyond_16_bits, down_waits_beyond_16_bits, absent_chiplet, nack,
}

impl Inputs {
    fn draw_phase(random: &mut Random, config: &Config) -> Phase {
        let all = u16::MAX >> (16 - config.chiplets);
        let mut to = [0; 5];
        for (chance, mix) in to.iter_mut().zip([[4, 1], [4, 0], [4, 0], [1, 0], [1, 0]]) {
            *chance = random.pick(&mix);
        }
        let stalled = random.word() as u16 & random.word() as u16 & all;
        Phase {
            left: 64 + random.below(1024),
            tx: random.pick(&[256, 256, 128, 16]),
            to,
            up: random.pick(&[256, 96, 16, 2]),
            rx_ready: random.pick(&[256, 256, 128, 4]),
            down_ready: random.pick(&[256, 256, 128, 24]),
            stalled: random.pick(&[0, 0, stalled]),
        }
    }

    fn all(&self) -> u16 {
        u16::MAX >> (16 - self.config.chiplets)
    }

    /// One chiplet; some; all at once; some with the broadcast bit, or all but one, or one more;
    /// any at all.
    fn destinations(&mut self) -> (u16, bool) {
        let (all, chiplets) = (self.all(), self.config.chiplets);
        let r = &mut self.random;
        match r.weighted(&self.phase.to) {
            0 => (1 << r.below(chiplets), false),
            1 => (r.word() as u16 & all, false),
            2 => (all, true),
            3 if r.chance(128) => (all ^ 1 << r.below(16), true),
            3 => (r.word() as u16 & all, true),
            _ => (r.word() as u16 & r.word() as u16, r.chance(64)),
        }
    }

    fn message(&mut self, kinds: &[u8]) -> Message {
        let r = &mut self.random;
        let any = r.below(16) as u8;
        let kind = if r.chance(16) { any } else { r.pick(kinds) };
        message(r, kind)
    }

    /// Counts what happens to messages from the global processor.
    fn sent(&mut self, tx: &Tx, ready: bool) {
        let (all, seen) = (self.all(), &mut self.seen);
        if !ready {
            seen.tx_held += 1;
            return;
        }
        seen.tx += 1;
        let broadcast = tx.bcast && tx.dst == all;
        *(match (broadcast, tx.dst.count_ones()) {
            (true, _) => &mut seen.broadcast,
            (false, 0) => &mut seen.no_destination,
            (false, 1) => &mut seen.unicast,
            (false, _) => &mut seen.list,
        }) += 1;
        seen.broadcast_to_some += u64::from(tx.bcast && !broadcast);
        seen.absent_chiplet += u64::from((tx.dst & !all).count_ones());
        self.broadcast = broadcast;
        for c in 0..self.config.chiplets as usize {
            self.down[c] += u32::from(tx.dst >> c & 1);
        }
    }

    fn observe(&mut self, input: &In, out: &Out) {
        let Config { chiplets, unicast_latency, broadcast_latency } = self.config;
        self.seen.broadcast_held += u64::from(self.broadcast && !out.tx_ready);
        self.broadcast = false;
        if let Some(tx) = &input.tx {
            self.sent(tx, out.tx_ready);
        }
        let (all, seen) = (self.all(), &mut self.seen);
        let taken = out.down_valid & input.down_ready;
        seen.down += u64::from(taken.count_ones());
        seen.down_held += u64::from((out.down_valid & !input.down_ready).count_ones());
        seen.down_at_all += u64::from(taken == all);
        // More are on the way than a link holds: it is full, and one waits for it.
        let places = unicast_latency.max(broadcast_latency) + 1;
        for (c, down) in self.down[..chiplets as usize].iter_mut().enumerate() {
            seen.full_link += u64::from(*down > places && !out.tx_ready);
            *down -= u32::from(taken >> c & 1);
        }
        for (c, waits) in self.down_waits[..chiplets as usize].iter_mut().enumerate() {
            let held = out.down_valid & !input.down_ready;
            *waits = if held >> c & 1 == 1 { *waits + 1 } else { 0 };
            seen.down_waits_beyond_16_bits += u64::from(*waits > u64::from(u16::MAX));
        }
        self.rx_waits = if out.rx.is_some() && !input.rx_ready { self.rx_waits + 1 } else { 0 };
        seen.rx_waits_beyond_16_bits += u64::from(self.rx_waits > u64::from(u16::MAX));
        let came = input.up_valid & out.up_ready;
        seen.up += u64::from(came.count_ones());
        seen.several_up += u64::from(came.count_ones() > 1);
        seen.up_held += u64::from((input.up_valid & !out.up_ready).count_ones());
        if let Some(message) = out.rx {
            let absent = u32::from(message.chiplet) >= chiplets;
            *(if input.rx_ready { &mut seen.rx } else { &mut seen.rx_held }) += 1;
            seen.nack += u64::from(input.rx_ready && absent);
        }
        seen.err += u64::from(out.err.is_some());
    }
}

impl Stimulus for Inputs {
    type Model = CpCrossbar;

    fn restart(&mut self, cycles: u64) {
        self.long = LongTime::plan(&mut self.random, cycles);
        (self.rx_waits, self.down_waits) = (0, [0; MAX_CHIPLETS]);
        (self.tx, self.up_valid, self.broadcast) = (None, 0, false);
        self.down = [0; MAX_CHIPLETS];
        self.phase = Self::draw_phase(&mut self.random, &self.config);
    }

    fn inputs(&mut self, out: &<CpCrossbar as Block>::Out) -> In {
        if self.phase.left == 0 {
            self.phase = Self::draw_phase(&mut self.random, &self.config);
        }
        self.phase.left -= 1;
        if self.long.cycle().is_some() {
            // Something is there, and is not taken.
            (self.phase.rx_ready, self.phase.down_ready) = (0, 0);
            (self.phase.tx, self.phase.up) = (256, 256);
        }
        if self.tx.is_none() && self.random.chance(self.phase.tx) {
            let (dst, bcast) = self.destinations();
            let kinds = [kind::SYNC_REQ, kind::WG_DESC, kind::WG_COUNT, kind::LAUNCH_EN];
            self.tx = Some(Tx { bcast, dst, msg: self.message(&kinds) });
        }
        for c in 0..self.config.chiplets as usize {
            if self.up_valid >> c & 1 == 0 && self.random.chance(self.phase.up) {
                self.up_valid |= 1 << c;
                self.up[c] = self.message(&[kind::ACK, kind::DONE, kind::NACK]);
            }
        }
        let mut down_ready = 0;
        for c in 0..self.config.chiplets {
            down_ready |= u16::from(self.random.chance(self.phase.down_ready)) << c;
        }
        let input = In {
            tx: self.tx,
            rx_ready: self.random.chance(self.phase.rx_ready),
            down_ready: down_ready & !self.phase.stalled,
            up_valid: self.up_valid,
            up: self.up,
        };
        self.observe(&input, out);
        if out.tx_ready {
            self.tx = None;
        }
        self.up_valid &= !out.up_ready;
        input
    }

    fn seen(&self) -> &dyn Reached {
        &self.seen
    }

    fn can_reach(&self, row: &str) -> bool {
        // With 16 chiplets none is absent.
        self.config.chiplets < 16 || !["absent_chiplet", "nack"].contains(&row)
    }
}

impl NewStimulus for Inputs {
    fn unstarted(config: &Config, _statics: &Statics, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let phase = Self::draw_phase(&mut random, config);
        Self {
            config: config.clone(),
            random,
            phase,
            long: LongTime::never(),
            rx_waits: 0,
            down_waits: [0; MAX_CHIPLETS],
            tx: None,
            up: PerChiplet::default(),
            up_valid: 0,
            broadcast: false,
            down: [0; MAX_CHIPLETS],
            seen: Seen::default(),
        }
    }
}
