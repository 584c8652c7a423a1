//! The firmware called directly behind the ports of the command processor, with the times that the
//! paper measured: CP_LAT for each packet, ELIDE_LAT for each launch (CPElide, MICRO 2024, section
//! IV-B).

use std::collections::VecDeque;

use firmware::Cached;
use firmware::aql::has_extension;
use firmware::map::{NUM_SLOTS, count};
use ports::cpelide::command_processor::{In, Out};
use ports::cpelide::types::{Aql, Message, Tx};

use super::native::{Native, Signal};

/// Cycles of the clock of the chiplets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// For each packet.
    pub packet: u32,
    /// For each kernel besides.
    pub launch: u32,
}

/// The firmware with ports. It stands for the block and is not compared with it: it answers at
/// other times.
#[derive(Debug, Default)]
pub struct Timed {
    native: Option<Native<Cached>>,
    times: Times,
    now: u64,
    /// A packet whose extension block is on its way.
    packet: Option<(Aql, Vec<u8>)>,
    packets: usize,
    /// Something has come that the firmware has not seen.
    event: bool,
    /// When the last kernel was launched; its successor's packet was in the queue by then.
    last_launch: u64,
    /// The firmware computes until this cycle.
    busy_until: u64,
    sent: VecDeque<(u64, Tx)>,
    signals: VecDeque<(u64, Signal)>,
    errors: VecDeque<(u64, u8)>,
    counters: [u32; count::NUM],
}

impl Timed {
    /// After reset.
    pub fn new(times: Times) -> Self {
        Self { times, ..Self::default() }
    }

    /// What the ports show.
    pub fn outputs(&self) -> Out {
        let due = |at: u64| at <= self.now;
        let exit = self.native.as_ref().and_then(Native::exit);
        let signal = self.signals.front().filter(|signal| due(signal.0));
        Out {
            aql_ready: exit.is_none() && self.packet.is_none() && self.packets < NUM_SLOTS,
            ext_ready: exit.is_none() && self.packet.is_some(),
            tx: self.sent.front().filter(|sent| due(sent.0)).map(|sent| sent.1),
            rx_ready: exit.is_none(),
            sig: signal.map(|signal| signal.1.address),
            trace: None,
            err: self.errors.front().filter(|error| due(error.0)).map(|error| error.1),
            exit,
            halted: exit.is_some(),
            counters: signal.map_or(self.counters, |signal| signal.1.counters),
        }
    }

    /// One cycle.
    pub fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        let native = self.native.get_or_insert_with(|| Native::new(inputs.conf));
        if let (Some(aql), true) = (&inputs.aql, out.aql_ready) {
            self.packet = Some((*aql, Vec::new()));
            if !has_extension(&aql.packet.0) {
                take(native, &mut self.packet);
                self.packets += 1;
                self.event = true;
            }
        } else if let (Some(ext), Some((_, bytes))) = (&inputs.ext, &mut self.packet) {
            bytes.extend(ext.data.to_le_bytes());
            if ext.last {
                take(native, &mut self.packet);
                self.packets += 1;
                self.event = true;
            }
        }
        if let Some(rx) = &inputs.rx {
            native.receive(rx.bits());
            self.event = true;
        }
        if out.tx.is_some() && inputs.tx_ready {
            self.sent.pop_front();
        }
        if out.sig.is_some() {
            self.signals.pop_front();
        }
        if out.err.is_some() {
            self.errors.pop_front();
        }
        if self.event && self.now >= self.busy_until {
            self.event = false;
            self.poll();
        }
        self.now += 1;
        out
    }

    fn poll(&mut self) {
        let Some(native) = &mut self.native else { return };
        let before = native.counters()[count::LAUNCHES as usize];
        let free = native.free_slots();
        let before_begun = native.begun();
        native.poll();
        let launches = native.counters()[count::LAUNCHES as usize] - before;
        let begun = (native.begun() - before_begun) as u32;
        // The decision runs ahead of the launch, while the kernel before runs: what is left of it
        // is seen.
        let ahead = self.now - self.last_launch.min(self.now);
        let decide = u64::from(launches * self.times.launch).saturating_sub(ahead);
        let time = u64::from(begun * self.times.packet) + decide;
        if launches > 0 {
            self.last_launch = self.now + time;
        }
        self.packets -= native.free_slots() - free;
        let signals: Vec<_> = std::iter::from_fn(|| native.take_signal()).collect();
        // What ends before the first packet that is begun waits for none, a signal in each cycle;
        // what is sent for that comes behind it.
        let is_first = |signal: &Signal| signal.begun == before_begun;
        let before = signals.iter().filter(|signal| begun > 0 && is_first(signal)).count();
        self.busy_until = self.now + 1 + time.max(before as u64);
        while let Some(sent) = native.take_sent() {
            let tx = Tx {
                bcast: sent.broadcast,
                dst: sent.chiplets,
                msg: Message::from_bits(sent.message),
            };
            self.sent.push_back((self.busy_until, tx));
        }
        for signal in signals {
            let at = if is_first(&signal) { self.now + 1 } else { self.busy_until };
            self.signals.push_back((at, signal));
        }
        // They are those of packets that begin, also where another has ended just before.
        let at = self.busy_until;
        self.errors.extend(native.take_errors().into_iter().map(|code| (at, code)));
        self.counters = *native.counters();
    }

    /// How many cycles pass in which nothing happens unless something comes.
    pub fn quiet_cycles(&self) -> u64 {
        let poll = self.event.then_some(self.busy_until);
        let outputs = [
            self.sent.front().map(|sent| sent.0),
            self.signals.front().map(|signal| signal.0),
            self.errors.front().map(|error| error.0),
        ];
        outputs
            .into_iter()
            .chain([poll])
            .flatten()
            .min()
            .map_or(u64::MAX, |at| at.saturating_sub(self.now))
    }

    /// Lets the cycles before `now` pass, in which nothing came.
    pub fn catch_up(&mut self, now: u64) {
        self.now = now;
    }
}

fn take(native: &mut Native<Cached>, packet: &mut Option<(Aql, Vec<u8>)>) {
    if let Some((aql, extension)) = packet.take() {
        let taken = native.submit(&aql.packet.0, &extension, aql.stream, aql.mask);
        debug_assert!(taken, "ready was 1");
    }
}

#[cfg(test)]
mod tests {
    use ports::Bytes;
    use ports::cpelide::types::{Message, kind};

    use super::*;
    use crate::cpelide::Conf;
    use crate::cpelide::packet::Dispatch;

    /// A code that comes with a signal, or before it, is one of the packet that ends.
    #[test]
    fn errors_of_a_packet_come_behind_the_signal_of_the_one_before() {
        let conf = Conf { ahead: true, ..Conf::DEFAULT }.bits();
        let mut host = Timed::new(Times::default());
        let right = Dispatch {
            workgroup_size: [1; 3],
            grid_size: [4, 1, 1],
            completion_signal: 64,
            ..Dispatch::default()
        };
        let wrong = Dispatch { grid_size: [0; 3], completion_signal: 128, ..right };
        let packet = |packet: Dispatch| {
            let packet = Bytes(packet.encode());
            In { conf, aql: Some(Aql { mask: 1, stream: 0, packet }), ..In::default() }
        };
        host.tick(&packet(right));
        let (mut seen, mut to_come) = (Vec::new(), VecDeque::new());
        for cycle in 0..200 {
            let inputs = match cycle {
                50 => packet(wrong),
                _ => {
                    In { conf, tx_ready: true, rx: to_come.pop_front().flatten(), ..In::default() }
                }
            };
            let out = host.tick(&inputs);
            let sent = out.tx.filter(|_| inputs.tx_ready);
            let chiplets = |dst: u16| (0..4u8).filter(move |chiplet| dst >> chiplet & 1 == 1);
            for (tx, chiplet) in sent.iter().flat_map(|tx| chiplets(tx.dst).map(move |c| (tx, c))) {
                let answer = |kind| Some(Message { kind, chiplet, ..tx.msg });
                match tx.msg.kind {
                    kind::SYNC_REQ => to_come.push_back(answer(kind::ACK)),
                    kind::LAUNCH_EN => {
                        // The kernel runs until the next packet has come.
                        to_come.resize(60, None);
                        to_come.push_back(answer(kind::DONE));
                    }
                    _ => {}
                }
            }
            seen.extend(out.err.map(u64::from));
            seen.extend(out.sig);
        }
        assert_eq!(seen, [64, 5, 128]);
    }

    /// Whether the firmware decides at once or only after a closer look, which reads the packet
    /// again.
    #[test]
    fn packet_takes_its_time_once() {
        let times = Times { packet: 100, launch: 30 };
        let (conf, mut host) = (Conf::DEFAULT.bits(), Timed::new(times));
        let sizes =
            Dispatch { workgroup_size: [1; 3], grid_size: [4, 1, 1], ..Dispatch::default() };
        let aql = Aql { mask: 15, stream: 0, packet: Bytes(sizes.encode()) };
        host.tick(&In { conf, aql: Some(aql), ..In::default() });
        let mut shows_message = || host.tick(&In { conf, ..In::default() }).tx.is_some();
        // In the cycle after the packet it begins.
        assert_eq!((1..1000).find(|_| shows_message()), Some(1 + 100 + 30));
    }
}
