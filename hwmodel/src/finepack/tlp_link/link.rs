//! The serialiser of one GPU's egress port, and the TLPs on their way.

use std::collections::VecDeque;

use ports::ConfigError;
use ports::finepack::types::{FinePack, MAX_GPUS, SubHeader, Tlp, TlpHeader};

use super::counters::Counters;
use super::framing::{Framing, SCALE, Split, WireClass};

/// Default latency in cycles (specification 5.7, chosen).
pub const LINK_LAT: u32 = 500;
/// Latency in cycles of the `small` configuration.
pub const LINK_LAT_SMALL: u32 = 8;
/// Largest payload of a TLP in bytes (PCIe base specification, section 2.2.2).
const MAX_PAYLOAD: u32 = 4096;

/// Parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Wire bytes that it moves ...
    pub bytes: u32,
    /// ... in this many cycles: with 1, GB/s at 1 GHz.
    pub cycles: u32,
    /// What a TLP costs.
    pub framing: Framing,
    /// Bytes of a beat.
    pub beat: u32,
    /// Bytes of a sub-header.
    pub sub_header_bytes: u32,
    /// Cycles from a TLP's last byte to its first beat at the destination, at least 2: one of them
    /// is the switch.
    pub link_lat: u32,
    /// Largest payload of a TLP in bytes.
    pub max_payload: u32,
    /// Beats that may wait for the wire; at least one whole TLP.
    pub input_beats: u32,
    /// Beats that may be in flight (credits of the receiver); at least one whole TLP.
    pub flight_beats: u32,
}

impl Config {
    /// Parameters for the generation in `p`: 8, 16, 32, 64, 128 GB/s for 2 to 6 (specification
    /// 5.7). Two TLPs of 4096 B may wait; credits cover `link_lat` cycles at one beat per cycle and
    /// two such TLPs more, so that only a destination that is not ready uses them up.
    pub fn new(p: &FinePack, link_lat: u32) -> Result<Self, ConfigError> {
        p.validate()?;
        ConfigError::check(link_lat >= 2, "link_lat", link_lat.into(), "at least 2")?;
        let tlp_beats = MAX_PAYLOAD.div_ceil(p.beat);
        Ok(Self {
            bytes: 2 << p.pcie_generation,
            cycles: 1,
            framing: Framing::new(p),
            beat: p.beat,
            sub_header_bytes: p.sub_header_bytes,
            link_lat,
            max_payload: MAX_PAYLOAD,
            input_beats: 2 * tlp_beats,
            flight_beats: link_lat + 2 * tlp_beats,
        })
    }
}

/// Inputs of one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Beats of the egress path.
    pub tlp: Option<Tlp>,
    /// The switch takes the beat shown.
    pub tlp_ready: bool,
    /// Injected fault: the first TLP that starts in this cycle arrives damaged. It uses its time on
    /// the wire, is not delivered, and the link sends it again (specification 12).
    pub crc_error: bool,
}

/// Outputs of one cycle, functions of registers only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Out {
    /// The beat of the egress path is taken.
    pub tlp_ready: bool,
    /// Beats towards the switch, whole TLPs in the order in which they were sent.
    pub tlp: Option<Tlp>,
}

/// A TLP whose last byte has left, for observers.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// Cycle of the last byte.
    pub cycle: u64,
    /// Sending GPU.
    pub src: u8,
    /// Destination GPU.
    pub dest: u8,
    /// Outer header, byte 0 first. In context mode a FinePack packet's header is not on the wire.
    pub header: [u8; 16],
    /// Payload with its padding, byte 0 first.
    pub payload: &'a [u8],
}

/// A TLP that has started.
#[derive(Clone, Copy, Debug)]
struct Flight {
    first: u64, // its first beat, counted from reset
    beats: u32,
    last_byte: u64, // cycle in which its last byte leaves
    class: WireClass,
}

/// The serialiser of one GPU's egress port (specification 5.7).
///
/// - A TLP waits until its eop beat is there: a sender must not stall inside a TLP. It may start in
///   the cycle after that beat was accepted.
/// - Each cycle the credit gains the bytes of a cycle (`bytes / cycles`), saturating there; TLPs
///   start while it is above 0 and subtract their wire bytes. What is left of the credit is the
///   part of the cycle that is not used yet, so a TLP that starts in cycle `s` with credit `c` has
///   its last byte in cycle `s + ceil((wire - c) * cycles / bytes)`, or in `s` when `wire <= c`.
/// - With the last byte in cycle `e`, the first beat is shown to the switch in
///   `e + link_lat - 1` and to the destination in `e + link_lat`, then one beat per cycle.
#[derive(Clone, Debug)]
pub struct TlpLink {
    cfg: Config,
    src: u8,
    now: u64,
    credit: i64, // 1/(SCALE * cycles) bytes
    // Beats are counted from reset; beat k stands in ring[k % ring.len()].
    ring: Box<[Tlp]>,
    tail: u64,  // next beat to arrive
    start: u64, // first beat that has not started
    head: u64,  // next beat to deliver
    whole: u32, // TLPs that wait for the wire with their eop
    flights: VecDeque<Flight>,
    observed: bool,           // `drain_sent` sees every TLP
    reported: usize,          // flights at the front that `drain_sent` has shown
    context: [u64; MAX_GPUS], // receivers' context registers: base, 0 before the first
    counters: Counters,
    scratch: Box<[u8]>,
}

impl TlpLink {
    /// The link of GPU `src`, after reset.
    pub fn new(cfg: &Config, src: u8) -> Result<Self, ConfigError> {
        let tlp_beats = cfg.max_payload.div_ceil(cfg.beat);
        for (name, value) in [("input_beats", cfg.input_beats), ("flight_beats", cfg.flight_beats)]
        {
            let limit = format!("at least {tlp_beats}, one TLP of {} B", cfg.max_payload);
            ConfigError::check(value >= tlp_beats, name, value.into(), limit)?;
        }
        ConfigError::check(cfg.link_lat >= 2, "link_lat", cfg.link_lat.into(), "at least 2")?;
        for (name, value) in [("bytes", cfg.bytes), ("cycles", cfg.cycles)] {
            ConfigError::check(value >= 1, name, value.into(), "at least 1")?;
        }
        let beats = (cfg.input_beats + cfg.flight_beats) as usize;
        Ok(Self {
            cfg: cfg.clone(),
            src,
            now: 0,
            credit: 0,
            ring: vec![Tlp::default(); beats].into(),
            tail: 0,
            start: 0,
            head: 0,
            whole: 0,
            flights: VecDeque::with_capacity(cfg.flight_beats as usize),
            observed: false,
            reported: 0,
            context: [0; MAX_GPUS],
            counters: Counters::default(),
            scratch: vec![0; cfg.max_payload.next_multiple_of(4) as usize].into(),
        })
    }

    /// Sums since reset.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Sums up to cycle `now`, at most [`Self::quiet_cycles`] ahead.
    pub fn counters_at(&self, now: u64) -> Counters {
        let mut counters = self.counters;
        counters.busy_cycles += self.busy_within(now - self.now);
        counters
    }

    /// True when nothing waits, is on the wire or in flight.
    pub fn is_empty(&self) -> bool {
        self.head == self.tail && self.credit >= 0
    }

    /// Cycles so far.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Each TLP is to be seen by [`Self::drain_sent`] when its last byte has left.
    pub fn observe(&mut self) {
        self.observed = true;
    }

    /// Cycles from now on in which a tick without a beat changes nothing but the time and the
    /// credit; `u64::MAX` until a beat comes.
    pub fn quiet_cycles(&self) -> u64 {
        let mut quiet = u64::MAX;
        if self.whole > 0 {
            quiet = (-self.credit).max(0) as u64 / self.gain() as u64;
        }
        if let Some(first) = self.flights.front() {
            // A context register takes its packet at the end of the cycle before.
            let early = 1 + u64::from(first.class == WireClass::Context);
            let shown = first.last_byte + u64::from(self.cfg.link_lat) - early;
            quiet = quiet.min(shown.saturating_sub(self.now));
        }
        if self.observed
            && let Some(next) = self.flights.get(self.reported)
        {
            quiet = quiet.min(next.last_byte.saturating_sub(self.now));
        }
        quiet
    }

    /// Of the next `cycles`, in which no TLP starts, those in which a byte is on the wire.
    fn busy_within(&self, cycles: u64) -> u64 {
        ((-self.credit).max(0) as u64).div_ceil(self.gain() as u64).min(cycles)
    }

    fn beat(&self, k: u64) -> &Tlp {
        &self.ring[(k % self.ring.len() as u64) as usize]
    }

    /// Outputs before the edge.
    pub fn outputs(&self) -> Out {
        Out { tlp_ready: self.tlp_ready(), tlp: self.tlp().copied() }
    }

    /// The beat of the egress path is taken in this cycle.
    pub fn tlp_ready(&self) -> bool {
        self.tail - self.start < u64::from(self.cfg.input_beats)
    }

    /// The beat towards the switch in this cycle.
    pub fn tlp(&self) -> Option<&Tlp> {
        self.flights.front().filter(|f| self.arrived(f)).map(|_| self.beat(self.head))
    }

    fn arrived(&self, f: &Flight) -> bool {
        self.now + 1 >= f.last_byte + u64::from(self.cfg.link_lat)
    }

    /// One clock edge. Returns the outputs of the cycle that it ends.
    pub fn tick(&mut self, i: &In) -> Out {
        let out = self.outputs();
        self.serialise(i.crc_error);
        if out.tlp.is_some() && i.tlp_ready {
            self.deliver_beat();
        }
        if let Some(beat) = i.tlp.filter(|_| out.tlp_ready) {
            self.accept(beat);
        }
        self.now += 1;
        // A context register takes its packet when it arrives; nobody else sees it.
        while self.flights.front().is_some_and(|f| f.class == WireClass::Context && self.arrived(f))
        {
            self.pop_flight();
        }
        out
    }

    /// The same as `cycles` ticks without a beat, at most [`Self::quiet_cycles`].
    pub fn skip(&mut self, cycles: u64) {
        debug_assert!(cycles <= self.quiet_cycles(), "something happens before");
        self.counters.busy_cycles += self.busy_within(cycles);
        let gain = self.gain();
        let cycles_to_full = (gain - self.credit) as u64 / gain as u64 + 1;
        let credit = self.credit + cycles.min(cycles_to_full) as i64 * gain;
        self.credit = if cycles == 0 { self.credit } else { credit.min(gain) };
        self.now += cycles;
    }

    fn accept(&mut self, beat: Tlp) {
        let slot = (self.tail % self.ring.len() as u64) as usize;
        self.ring[slot] = beat;
        self.tail += 1;
        self.whole += u32::from(beat.eop);
        assert!(
            self.whole > 0 || self.tail - self.start < u64::from(self.cfg.input_beats),
            "TLP of GPU {} is longer than the link's input buffer of {} beats",
            self.src,
            self.cfg.input_beats,
        );
    }

    fn deliver_beat(&mut self) {
        let eop = self.beat(self.head).eop;
        self.head += 1;
        if eop {
            self.pop_flight();
        }
    }

    fn pop_flight(&mut self) {
        let Some(f) = self.flights.pop_front() else { return };
        self.head = f.first + u64::from(f.beats);
        self.reported = self.reported.saturating_sub(1);
    }

    /// Credit of a cycle.
    fn gain(&self) -> i64 {
        i64::from(self.cfg.bytes) * SCALE as i64
    }

    fn serialise(&mut self, mut crc_error: bool) {
        let rate = self.gain();
        self.credit = (self.credit + rate).min(rate);
        while self.whole > 0 && self.credit > 0 {
            let beats = self.tlp_beats();
            if self.start + beats - self.head > u64::from(self.cfg.flight_beats) {
                self.counters.blocked_cycles += 1;
                break;
            }
            let split = self.split(beats);
            let wire = split.wire as i64 * i64::from(self.cfg.cycles);
            let beyond = (wire - self.credit).max(0);
            self.credit -= wire;
            if std::mem::take(&mut crc_error) {
                self.counters.replays += 1;
                self.counters.replay_wire += split.wire;
                continue;
            }
            let class = self.check_context();
            let dest = self.beat(self.start).dest;
            self.counters.add(&split, dest);
            self.flights.push_back(Flight {
                first: self.start,
                beats: beats as u32,
                last_byte: self.now + (beyond as u64).div_ceil(rate as u64),
                class,
            });
            self.start += beats;
            self.whole -= 1;
        }
        self.counters.busy_cycles += u64::from(self.credit < rate);
    }

    /// Beats of the oldest waiting TLP.
    fn tlp_beats(&self) -> u64 {
        let after = (self.start..self.tail).find(|&k| self.beat(k).eop);
        after.expect("`whole` counts waiting eop beats") + 1 - self.start
    }

    fn split(&self, beats: u64) -> Split {
        let hdr = TlpHeader::from_bits(self.beat(self.start).hdr);
        let payload =
            (self.start..self.start + beats).map(|k| u32::from(self.beat(k).nbytes)).sum();
        let subheaders = match WireClass::of(hdr) {
            WireClass::FinePack => self.count_subheaders(payload),
            _ => 0,
        };
        self.cfg.framing.split(hdr, payload, subheaders, subheaders * self.cfg.sub_header_bytes)
    }

    /// Sub-packets of the oldest waiting TLP; a malformed rest counts as data.
    fn count_subheaders(&self, payload: u32) -> u32 {
        let (mut at, mut count) = (0, 0);
        while at + self.cfg.sub_header_bytes <= payload {
            let byte = |k: u32| {
                let beat = self.beat(self.start + u64::from(k / self.cfg.beat));
                u64::from(beat.data.0[(k % self.cfg.beat) as usize])
            };
            let header = SubHeader::from_bits((0..2).map(|k| byte(at + k) << (8 * k)).sum());
            if header.len() == 0 {
                break;
            }
            at += self.cfg.sub_header_bytes + u32::from(header.len());
            count += 1;
        }
        count
    }

    /// Keeps the receivers' context registers and checks store packets against them.
    fn check_context(&mut self) -> WireClass {
        let beat = *self.beat(self.start);
        let hdr = TlpHeader::from_bits(beat.hdr);
        let class = WireClass::of(hdr);
        let register = &mut self.context[usize::from(beat.dest)];
        match class {
            // Bit 0 marks the register as configured; bases are DW aligned.
            WireClass::Context => *register = hdr.address() | 1,
            WireClass::FinePack if self.cfg.framing.cfg_extra.is_some() => {
                self.counters.context_errors += u64::from(*register != hdr.address() | 1);
            }
            _ => {}
        }
        class
    }

    /// Shows each TLP whose last byte has left in an ended cycle and that was not shown before, in
    /// order. Called after every `tick` it sees every TLP; a TLP that is delivered unseen is
    /// forgotten.
    pub fn drain_sent(&mut self, mut observe: impl FnMut(&Sent)) {
        while let Some(&f) = self.flights.get(self.reported).filter(|f| f.last_byte < self.now) {
            let first = *self.beat(f.first);
            let mut len = 0;
            for k in f.first..f.first + u64::from(f.beats) {
                let slot = (k % self.ring.len() as u64) as usize;
                let Tlp { nbytes, data, .. } = &self.ring[slot];
                let bytes = &data.0[..usize::from(*nbytes)];
                self.scratch[len..len + bytes.len()].copy_from_slice(bytes);
                len += bytes.len();
            }
            let padded = len.next_multiple_of(4);
            self.scratch[len..padded].fill(0);
            observe(&Sent {
                cycle: f.last_byte,
                src: self.src,
                dest: first.dest,
                header: first.hdr.to_le_bytes(),
                payload: &self.scratch[..padded],
            });
            self.reported += 1;
        }
    }
}
