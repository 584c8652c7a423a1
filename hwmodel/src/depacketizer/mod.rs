//! De-packetizer: takes TLPs apart into accesses for the destination GPU's memory system, one
//! sub-packet per cycle, and checks them (FinePack, HPCA'23, section IV-B;
//! `rtl/depacketizer/README.md` has the cycle rules).

mod dq;
mod header;
mod parse;
mod ports;
mod slot;
#[cfg(test)]
mod tests;
mod window;

use std::fmt::{self, Write};

pub use ports::{Config, In, Out};

use crate::block::{Block, ConfigError, Model};
use crate::common::finepack_types::{Ingress, Tlp, error_code, offset_bits, window_bytes};
use dq::Dq;
use parse::{Parser, Step};
use slot::Slot;
use window::Window;

/// The block's registers. All outputs are functions of them.
#[derive(Clone, Debug)]
pub struct Depacketizer {
    cfg: Config,
    parser: Parser,
    /// Bytes that the window may hold when a beat is accepted: its capacity less one beat.
    room_for_beat: usize,
    /// Packets with bytes to parse or beats to come, the oldest first. Beats are accepted while at
    /// most one is in use, so that only the first can be open at that time.
    slots: [Slot; 2],
    /// Slots in use.
    used: usize,
    /// Payload bytes of both packets, in order.
    window: Window,
    /// Accesses on their way to the memory system.
    dq: Dq,
    /// Outputs of this cycle, settled at the end of the one before: a tick then has nothing of its
    /// start to remember.
    shown: Shown,
}

/// What the outputs show, but for the access itself.
#[derive(Clone, Copy, Debug)]
struct Shown {
    tlp_ready: bool,
    st_valid: bool,
    /// Error code; 0 for none.
    err: u8,
}

impl Depacketizer {
    /// The outputs in full, `st` from place `front` of the FIFO. A tick leaves that place as it is
    /// even when it pops it: so this may come last, and the access is copied only once.
    #[inline(always)]
    fn show(&self, Shown { tlp_ready, st_valid, err }: Shown, front: usize) -> Out {
        let err = (err != 0).then_some(err);
        if !st_valid {
            return Out { tlp_ready, st: None, err };
        }
        // Field by field: that is a row of moves, the whole would be a call.
        let Ingress { kind, aop, src, tag, addr, mask, data } = *self.dq.get(front);
        Out { tlp_ready, st: Some(Ingress { kind, aop, src, tag, addr, mask, data }), err }
    }

    fn free_oldest(&mut self) {
        self.used -= 1;
        if self.used > 0 {
            self.slots[0] = self.slots[1];
        } else {
            self.slots[0].failed = false;
        }
    }

    /// One action for the oldest packet. The code of the error that it finds, or 0.
    #[inline(always)]
    fn parse(&mut self) -> u8 {
        let slot = &mut self.slots[0];
        if self.used == 0 || slot.is_starved() {
            return 0;
        }
        match self.parser.step(slot, &mut self.window, &mut self.dq) {
            Step::Stay => 0,
            Step::Finished => {
                self.free_oldest();
                0
            }
            Step::Failed(code) => {
                self.window.remove(slot.have as usize);
                slot.fail();
                code
            }
        }
    }

    /// A beat with `sop` ends the packet that is open and starts the next.
    #[inline(never)]
    fn open(&mut self, tlp: &Tlp, another_is_open: bool) {
        if another_is_open {
            self.slots[0].cut_short();
        }
        let slot = &mut self.slots[self.used & 1];
        slot.open(tlp, self.cfg.line);
        slot.accept(tlp, self.cfg.beat, &mut self.window);
        self.used += 1;
    }

    /// Files an accepted beat under its packet. `err` is the parser's code of this cycle; returns
    /// it, or the lower code of a beat without a packet.
    #[inline(always)]
    fn accept(&mut self, tlp: &Tlp, err: u8) -> u8 {
        let open = self.used > 0 && !self.slots[0].ended;
        if tlp.sop {
            self.open(tlp, open);
        } else if open {
            self.slots[0].accept(tlp, self.cfg.beat, &mut self.window);
        } else {
            return if err == 0 { error_code::TRUNCATED } else { err.min(error_code::TRUNCATED) };
        }
        err
    }
}

impl Block for Depacketizer {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.show(self.shown, self.dq.front())
    }

    fn tick(&mut self, inputs: &In) -> Out {
        // The parser comes first: it must not see what this cycle brings. The pop comes after it,
        // because a push looks at the count before the pop.
        let mut err = self.parse();
        if let (Some(tlp), true) = (&inputs.tlp, self.shown.tlp_ready) {
            err = self.accept(tlp, err);
        }
        // A failed packet keeps its slot until its end is known, which this cycle may have brought.
        if self.slots[0].is_over() {
            self.free_oldest();
        }
        let (shown, front) = (self.shown, self.dq.front());
        if shown.st_valid && inputs.st_ready {
            self.dq.pop();
        }
        self.shown = Shown {
            tlp_ready: self.used < 2 && self.window.len() <= self.room_for_beat,
            st_valid: !self.dq.is_empty(),
            err,
        };
        self.show(shown, front)
    }

    fn is_idle(&self) -> bool {
        self.used == 0 && self.dq.is_empty() && self.shown.err == 0
    }

    fn write_state(&self, line: &mut dyn Write) -> fmt::Result {
        write!(line, "window={} dq={}", self.window.len(), self.dq.len())?;
        write!(line, " err={} slots={}", self.shown.err, self.used)?;
        self.slots[..self.used].iter().try_for_each(|slot| write!(line, " {slot}"))
    }
}

impl Model for Depacketizer {
    const NAME: &'static str = "depacketizer";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        validate(config)?;
        let Config { line, sh, beat, dq, .. } = *config;
        Ok(Self {
            cfg: config.clone(),
            parser: Parser::new(line, sh),
            room_for_beat: (window_bytes(beat, sh, line) - beat) as usize,
            slots: Default::default(),
            used: 0,
            window: Window::default(),
            dq: Dq::new(dq as usize),
            shown: Shown { tlp_ready: true, st_valid: false, err: 0 },
        })
    }

    fn rtl_parameters(config: &Config) -> Vec<(&'static str, u64)> {
        let Config { line, sh, offb, beat, dq } = *config;
        vec![
            ("Line", line.into()),
            ("Sh", sh.into()),
            ("OffB", offb.into()),
            ("Beat", beat.into()),
            ("Dq", dq.into()),
        ]
    }
}

fn validate(c: &Config) -> Result<(), ConfigError> {
    let check =
        |ok, name, value: u32, limit: &str| ConfigError::check(ok, name, value.into(), limit);
    let pow2 = |v: u32, low, high| v.is_power_of_two() && (low..=high).contains(&v);
    check((2..=6).contains(&c.sh), "sh", c.sh, "2 to 6")?;
    let offb = offset_bits(c.sh);
    check(c.offb == offb, "offb", c.offb, &format!("8 * sh - 10 = {offb}"))?;
    check(pow2(c.line, 16, 128), "line", c.line, "a power of 2, 16 to 128")?;
    let window = 1u64 << offb;
    let fits = u64::from(c.line) <= window;
    check(fits, "line", c.line, &format!("at most 2^offb = {window}"))?;
    check(pow2(c.beat, 8, 128), "beat", c.beat, "8, 16, 32, 64 or 128")?;
    check((2..=64).contains(&c.dq), "dq", c.dq, "2 to 64")
}
