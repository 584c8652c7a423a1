//! Messages between command processors, legal and faulty, and chiplets that stall.

use hwmodel::cpelide::cp_crossbar::CpCrossbar;
use ports::cpelide::cp_crossbar::{Config, In, Out};
use ports::cpelide::types::{MAX_CHIPLETS, Message, Tx, kind};

use crate::stimulus::{Driver, Random, Stimulus, count, message};
use crate::{blocks, phase, seen};

crate::pair!(CpCrossbar: ports::cpelide::types::Command);

inventory::submit! {
    blocks::entry::<Inputs>("carries messages between the command processors of a GPU")
}

phase! {
    /// What one phase draws. Chances are parts of 256.
    pub struct Phase(r: &mut Random, c: &Config) {
        left: u32 = 64 + r.below(1024),
        tx: u32 = r.pick(&[256, 256, 128, 16]),
        /// Relative frequency of each kind of destination, see [`Inputs::destinations`].
        to: [u32; 5] = [[4, 1], [4, 0], [4, 0], [1, 0], [1, 0]].map(|mix| r.pick(&mix)),
        up: u32 = r.pick(&[256, 96, 16, 2]),
        rx_ready: u32 = r.pick(&[256, 256, 128, 4]),
        down_ready: u32 = r.pick(&[256, 256, 128, 24]),
        /// Chiplets that take nothing.
        stalled: u16 = {
            let some = r.word() as u16 & r.word() as u16 & all(c);
            r.pick(&[0, 0, some])
        },
    }
}

/// The stimulus.
#[derive(Default)]
pub struct Inputs {
    /// Cycles for which the message on `rx` waits, and the longest for which one on `down` does.
    rx_waits: u64,
    down_waits: [u64; MAX_CHIPLETS],
    /// A broadcast was accepted in the cycle before.
    broadcast: bool,
    /// Messages on the way to each chiplet, those accepted and not yet injected included.
    down: [u32; MAX_CHIPLETS],
}

/// Cycles at the beginning of a long time in which NACKs are taken.
const NACKS: u64 = 1_000;

/// A bit for each chiplet.
fn all(c: &Config) -> u16 {
    u16::MAX >> (16 - c.chiplets)
}

seen! {
    transfers: tx, rx, down, up, err;
    rows:
        unicast, list, broadcast, broadcast_to_some, no_destination, tx_held, broadcast_held,
        full_link, down_held, down_at_all, several_up, up_held, rx_held,
        rx_waits_beyond_16_bits, down_waits_beyond_16_bits, absent_chiplet, nack,
}

impl Inputs {
    /// One chiplet; some; all at once; some with the broadcast bit, or all but one, or one more;
    /// any at all.
    fn destinations(d: &mut Driver<Self>) -> (u16, bool) {
        let Driver { config: c, phase: p, random: r, .. } = d;
        let all = all(c);
        match r.weighted(&p.to) {
            0 => (1 << r.below(c.chiplets), false),
            1 => (r.word() as u16 & all, false),
            2 => (all, true),
            3 if r.chance(128) => (all ^ 1 << r.below(16), true),
            3 => (r.word() as u16 & all, true),
            _ => (r.word() as u16 & r.word() as u16, r.chance(64)),
        }
    }

    fn message(r: &mut Random, kinds: &[u8]) -> Message {
        let any = r.below(16) as u8;
        let kind = if r.chance(16) { any } else { r.pick(kinds) };
        message(r, kind)
    }

    /// Counts what happens to messages from the global processor.
    fn sent(&mut self, d: &mut Driver<Self>, tx: &Tx) {
        let (all, seen) = (all(&d.config), &mut d.seen);
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
        for c in 0..d.config.chiplets as usize {
            self.down[c] += u32::from(tx.dst >> c & 1);
        }
    }

    fn observe(&mut self, d: &mut Driver<Self>, input: &In, out: &Out) {
        let Config { chiplets, unicast_latency, broadcast_latency } = d.config;
        d.seen.broadcast_held += u64::from(self.broadcast && !out.tx_ready);
        self.broadcast = false;
        let seen = &mut d.seen;
        if let Some(tx) = count(input.tx, out.tx_ready, &mut seen.tx, &mut seen.tx_held) {
            self.sent(d, &tx);
        }
        let (all, seen) = (all(&d.config), &mut d.seen);
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
        if let Some(message) = count(out.rx, input.rx_ready, &mut seen.rx, &mut seen.rx_held) {
            seen.nack += u64::from(u32::from(message.chiplet) >= chiplets);
        }
        seen.err += u64::from(out.err.is_some());
    }
}

impl Stimulus for Inputs {
    type Model = CpCrossbar;

    type Phase = Phase;
    type Seen = Seen;

    fn start(_: &mut Driver<Self>) -> Self {
        Self::default()
    }

    fn phase(&mut self, d: &mut Driver<Self>) -> Phase {
        Phase::draw(&mut d.random, &d.config)
    }

    fn inputs(&mut self, d: &mut Driver<Self>, out: &Out) -> In {
        if let Some(cycle) = d.long {
            // Messages for present chiplets are there, and none is taken. Before that NACKs are,
            // which `tx` may wait for.
            (d.phase.tx, d.phase.to, d.phase.down_ready) = (256, [1, 0, 0, 0, 0], 0);
            (d.phase.up, d.phase.rx_ready) = if cycle < NACKS { (0, 256) } else { (256, 0) };
        }
        let tx = d.offer(d.last.tx, d.before.tx_ready, d.phase.tx, |d| {
            let (dst, bcast) = Self::destinations(d);
            let kinds = [kind::SYNC_REQ, kind::WG_DESC, kind::WG_COUNT, kind::LAUNCH_EN];
            Tx { bcast, dst, msg: Self::message(&mut d.random, &kinds) }
        });
        let held = d.last.up_valid & !d.before.up_ready;
        let new = d.bits(d.config.chiplets, |p, _| p.up) as u16 & !held;
        let mut up = d.last.up;
        for c in (0..MAX_CHIPLETS).filter(|c| new >> c & 1 == 1) {
            up[c] = Self::message(&mut d.random, &[kind::ACK, kind::DONE, kind::NACK]);
        }
        let down_ready = d.bits(d.config.chiplets, |p, c| match p.stalled >> c & 1 {
            1 => 0,
            _ => p.down_ready,
        });
        let rx_ready = d.random.chance(d.phase.rx_ready);
        let up_valid = held | new;
        let input = In { tx, rx_ready, down_ready: down_ready as u16, up_valid, up };
        self.observe(d, &input, out);
        input
    }

    fn can_reach(d: &Driver<Self>, row: &str) -> bool {
        // With 16 chiplets none is absent.
        d.config.chiplets < 16 || !["absent_chiplet", "nack"].contains(&row)
    }
}
