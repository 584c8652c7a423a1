//! The crossbar between the global and the local command processors (CPElide, MICRO'24, section
//! III-C, figure 7; cycle rules in `rtl/cpelide/cp_crossbar/README.md`).
//!
//! A message accepted in cycle t is at its chiplet in t + `unicast_latency`, a broadcast at all in
//! t + `broadcast_latency`, and one from a chiplet at the global processor in t +
//! `unicast_latency`.

mod inject;
mod link;
#[cfg(test)]
mod tests;

use ports::ConfigError;
use ports::cpelide::cp_crossbar::*;
use ports::cpelide::types::{Message, error_code, kind};

use crate::block::{Block, Model};
use crate::common::bits::ones;
use crate::state::{State, width_of};
use inject::Injection;
use link::Link;
use ports::Parameters;

/// Model of `rtl/cpelide/cp_crossbar`.
#[derive(Clone, Debug)]
pub struct CpCrossbar {
    config: Config,
    /// Cycles so far; only differences matter.
    now: u64,
    /// A 1 for each chiplet.
    all: u16,
    injection: Injection,
    /// To each chiplet.
    down: Vec<Link>,
    /// From each chiplet, then the NACKs of those that do not exist.
    up: Vec<Link>,
    /// Links of `down` and of `up` that hold messages.
    down_busy: u16,
    up_busy: u32,
    /// Links of `down` that have no room, and links of `up` of chiplets that have.
    down_full: u16,
    up_ready: u16,
    /// Link of `up` whose message was shown and not taken.
    shown: Option<usize>,
    /// The error pulse of this cycle; 0 is none.
    err: u8,
}

impl CpCrossbar {
    /// The link whose message is on `rx`.
    fn on_rx(&self) -> Option<usize> {
        self.shown
            .or_else(|| ones(self.up_busy).find(|&link| self.up[link].due(self.now).is_some()))
    }

    /// Accepts a message, and injects what can be in this cycle.
    fn inject(&mut self, inputs: &In, tx_ready: bool) {
        if let (Some(tx), true) = (&inputs.tx, tx_ready) {
            let (injection, illegal) = Injection::of(tx, self.all);
            self.injection = injection;
            self.err = if illegal { error_code::PROTOCOL } else { 0 };
        }
        let injection = self.injection;
        if injection.rest == 0 {
            return;
        }
        let Config { unicast_latency, broadcast_latency, chiplets } = self.config;
        if injection.broadcast {
            if self.down_full == 0 {
                let due = self.now + u64::from(broadcast_latency);
                for c in 0..chiplets as usize {
                    self.send_down(c, due);
                }
                self.injection.rest = 0;
            }
            return;
        }
        let (c, due) =
            (injection.rest.trailing_zeros() as usize, self.now + u64::from(unicast_latency));
        let nacks = chiplets as usize;
        if c < nacks && self.down_full & 1 << c == 0 {
            self.send_down(c, due);
        } else if c >= nacks && !self.up[nacks].is_full() {
            let a = error_code::ABSENT_CHIPLET.into();
            let nack = Message { kind: kind::NACK, a, b: 0, ..injection.to(c) };
            self.send_up(nacks, due, nack);
        } else {
            return;
        }
        self.injection.rest &= injection.rest - 1;
    }

    /// What the ports show when the message of this link is on `rx`.
    fn show(&self, on_rx: Option<usize>) -> Out {
        let mut out = Out {
            tx_ready: self.injection.rest == 0,
            up_ready: self.up_ready,
            err: (self.err != 0).then_some(self.err),
            ..Out::default()
        };
        for c in ones(self.down_busy.into()) {
            if let Some(message) = self.down[c].due(self.now) {
                out.down_valid |= 1 << c;
                out.down[c] = message;
            }
        }
        out.rx = on_rx.and_then(|link| self.up[link].due(self.now));
        out
    }

    fn send_down(&mut self, c: usize, due: u64) {
        self.down[c].push(due, self.injection.to(c));
        self.down_busy |= 1 << c;
        self.down_full |= u16::from(self.down[c].is_full()) << c;
    }

    fn send_up(&mut self, link: usize, due: u64, message: Message) {
        self.up[link].push(due, message);
        self.up_busy |= 1 << link;
        if link < 16 && self.up[link].is_full() {
            self.up_ready &= !(1 << link);
        }
    }
}

impl Block for CpCrossbar {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.show(self.on_rx())
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let on_rx = self.on_rx();
        let out = self.show(on_rx);
        self.err = 0;
        // Room is what the registers say: what is taken in this cycle leaves last.
        self.inject(inputs, out.tx_ready);
        let due = self.now + u64::from(self.config.unicast_latency);
        for c in ones((inputs.up_valid & out.up_ready).into()) {
            self.send_up(c, due, Message { chiplet: c as u8, ..inputs.up[c] });
        }
        for c in ones((out.down_valid & inputs.down_ready).into()) {
            self.down[c].pop();
            self.down_busy &= !(u16::from(self.down[c].is_empty()) << c);
            self.down_full &= !(1 << c);
        }
        self.shown = on_rx;
        if let (Some(link), true) = (on_rx, inputs.rx_ready) {
            self.up[link].pop();
            self.up_busy &= !(u32::from(self.up[link].is_empty()) << link);
            self.up_ready |= self.all & (1u32 << link) as u16;
            self.shown = None;
        }
        self.now += 1;
        out
    }

    fn is_idle(&self) -> bool {
        self.injection.rest == 0 && self.down_busy == 0 && self.up_busy == 0 && self.err == 0
    }

    /// Messages that are not due wait for their cycle.
    fn quiet_cycles(&self) -> u64 {
        if self.injection.rest != 0 || self.err != 0 || self.shown.is_some() {
            return 0;
        }
        let down = ones(self.down_busy.into()).map(|c| self.down[c].next());
        let next = ones(self.up_busy).map(|link| self.up[link].next()).chain(down).min();
        next.map_or(u64::MAX, |due| due.saturating_sub(self.now))
    }

    fn skip_quiet(&mut self, cycles: u64) {
        // While it is idle its clock need not go on: only differences matter.
        if !self.is_idle() {
            self.now += cycles;
        }
    }

    fn show_state(&self, state: &mut State) {
        let Self { config, injection, down, up, .. } = self;
        let Config { chiplets, unicast_latency, broadcast_latency } = *config;
        let held = |state: &mut State, most: u32, link: &Link| {
            let width = width_of(u64::from(most) + 1);
            state.part("messages", |state| state.bits("count", width, link.len() as u32));
        };
        state.bits("now", 10, self.now);
        state.part("inject", |state| injection.show_state(state));
        for (c, link) in down.iter().enumerate() {
            let most = unicast_latency.max(broadcast_latency);
            state.part(format_args!("down[{c}].link"), |state| held(state, most, link));
        }
        for (c, link) in up.iter().enumerate().take(chiplets as usize) {
            state.part(format_args!("up[{c}].link"), |state| held(state, unicast_latency, link));
        }
        let nacks = &up[chiplets as usize];
        state.part("nack_link", |state| held(state, unicast_latency, nacks));
        let shown = self.shown.map_or(0, |link| 1u32 << link);
        state.part("collect", |state| state.bits("shown", chiplets + 1, shown));
        state.part("inject", |state| state.flag("err", self.err != 0));
    }
}

impl Model for CpCrossbar {
    const NAME: &'static str = "cp_crossbar";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        let Config { chiplets, unicast_latency, broadcast_latency } = *config;
        let all = u16::MAX >> (16 - chiplets);
        let down = Link::new(unicast_latency.max(broadcast_latency) as usize + 1);
        let up = Link::new(unicast_latency as usize + 1);
        Ok(Self {
            config: config.clone(),
            now: 0,
            all,
            injection: Injection::default(),
            down: vec![down; chiplets as usize],
            up: vec![up; chiplets as usize + 1],
            down_busy: 0,
            up_busy: 0,
            down_full: 0,
            up_ready: all,
            shown: None,
            err: 0,
        })
    }
}
