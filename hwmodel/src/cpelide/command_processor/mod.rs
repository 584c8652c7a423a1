//! The global command processor (CPElide, MICRO'24, sections III-C, IV-B; cycle rules in
//! `rtl/cpelide/command_processor/README.md`).
//!
//! All cycles are the processor's, those in which its clock is enabled, unless said otherwise. An
//! access to slots or mailbox granted in cycle g acts in g + 3 and is answered in g + 4.

mod core;
pub mod encode;
mod mailbox;
mod memory;
mod messages;
mod packets;
mod run;
#[cfg(test)]
mod tests;
mod transfer;

use ports::ConfigError;
use ports::cpelide::command_processor::*;
use ports::cpelide::types::{RX_FIFO, error_code, event};

use self::core::Core;
pub use self::core::follow::{Effect, Reached, effect};
use crate::block::{Block, Model};
use crate::state::{State as Registers, index_width, width_of};
use mailbox::Mailbox;
use memory::Memory;
use messages::Received;
use ports::Parameters;
use run::State;

/// A cycle that never comes.
const NEVER: u64 = u64::MAX;
/// Cycles from the end of the core's reset to its first instruction.
const BOOT_CYCLES: u64 = 4;
/// Counter that CNT8_RUN runs.
const CNT8: usize = 8;

/// Model of `rtl/cpelide/command_processor`.
#[derive(Clone, Debug)]
pub struct CommandProcessor {
    config: Config,
    /// Place in the pattern of the clock enable.
    phase: u32,
    /// This cycle, or the next one that is enabled.
    cycle: u64,
    /// `hold_q`.
    hold: bool,
    core: Core,
    memory: Memory,
    mailbox: Mailbox,
    state: State,
    /// The cycle in which `state` has something to do; `NEVER` while it waits for what is outside.
    next: u64,
    /// The cycle in which the core's record shows.
    trace_at: u64,
    exit: Option<u32>,
    /// Code 7 was shown for the full RX FIFO.
    told_full: bool,
}

impl CommandProcessor {
    /// The status with which the core has halted.
    pub fn exit(&self) -> Option<u32> {
        self.exit
    }

    /// One enabled cycle.
    #[inline]
    fn enabled_cycle(&mut self, inputs: &In, out: &Out) {
        let Mailbox { packets, messages, run, .. } = &self.mailbox;
        let counts = *run && self.exit.is_none();
        let comes_in = inputs.aql.is_some() | inputs.ext.is_some() | inputs.rx.is_some();
        if !comes_in & (self.cycle != self.next) & !self.mailbox.pulses {
            self.told_full &= messages.rx.is_full();
            self.count(counts.into());
            self.cycle += 1;
            return;
        }
        // The core acts first, but what comes in sees the registers as they were before.
        let (valid, ack_pend, full) = (packets.valid(), messages.ack_pend, messages.rx.is_full());
        self.mailbox.begin_cycle();
        if self.cycle == self.next {
            self.advance(inputs.conf);
        }
        self.count(counts.into());
        let mailbox = &mut self.mailbox;
        let mut events = 0;
        if let (Some(aql), true) = (&inputs.aql, out.aql_ready) {
            events |= if mailbox.packets.accept(aql, valid) { event::PKT } else { 0 };
        }
        if let (Some(ext), true) = (&inputs.ext, out.ext_ready) {
            events |= if mailbox.packets.extend(ext) { event::PKT } else { 0 };
        }
        self.told_full &= full;
        match inputs.rx {
            Some(message) if out.rx_ready => match mailbox.messages.receive(message, ack_pend) {
                Received::Ack => events |= event::ACK,
                Received::Queued => events |= event::RX,
                Received::Unexpected => mailbox.show_error(error_code::PROTOCOL),
            },
            Some(_) if full && out.exit.is_none() && !self.told_full => {
                mailbox.show_error(error_code::PROTOCOL);
                self.told_full = true;
            }
            _ => {}
        }
        self.cycle += 1;
        if events != 0 {
            self.mailbox.events |= events;
            self.wake();
        }
    }

    /// Adds to the counter that CNT8_RUN runs.
    #[inline(always)]
    fn count(&mut self, cycles: u32) {
        let count = &mut self.mailbox.counters[CNT8];
        *count = count.wrapping_add(cycles);
    }

    /// Enabled cycles among the first `cycles` of the pattern.
    fn enabled_of(&self, cycles: u64) -> u64 {
        let (on, of) = (u64::from(self.config.clock_on), u64::from(self.config.clock_of));
        let (patterns, rest) = divide(cycles, of);
        patterns * on + rest.min(on)
    }
}

impl Block for CommandProcessor {
    type In = In;
    type Out = Out;

    #[inline]
    fn outputs(&self) -> Out {
        let Mailbox { packets, messages, counters, sig, err, .. } = &self.mailbox;
        let enabled = self.phase < self.config.clock_on;
        let halted = self.exit.is_some();
        let takes = enabled && !halted;
        let mut out = Out {
            aql_ready: takes && packets.takes_packet(),
            ext_ready: takes && packets.takes_beat(),
            tx: messages.tx.front(),
            rx_ready: takes && !messages.rx.is_full(),
            sig: if enabled { *sig } else { None },
            trace: None,
            err: if enabled { *err } else { None },
            exit: self.exit,
            halted,
            counters: *counters,
        };
        if enabled && self.trace_at == self.cycle {
            out.trace = Some(self.core.record);
        }
        out
    }

    #[inline]
    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        if inputs.imem_we && inputs.core_hold {
            self.memory.load_image(inputs.imem_addr, inputs.imem_data);
            self.core.forget(inputs.imem_addr.into());
        }
        if self.phase < self.config.clock_on {
            self.enabled_cycle(inputs, &out);
        }
        if out.tx.is_some() && inputs.tx_ready {
            self.mailbox.messages.tx.pop();
            self.wake();
        }
        if self.hold && !inputs.core_hold {
            self.hold = false;
            self.core.start_at(self.cycle + 1);
            (self.state, self.next) = (State::Begins, self.cycle + BOOT_CYCLES);
        }
        self.phase = if self.phase + 1 == self.config.clock_of { 0 } else { self.phase + 1 };
        out
    }

    fn is_idle(&self) -> bool {
        self.exit.is_some() && self.quiet_cycles() == NEVER
    }

    fn quiet_cycles(&self) -> u64 {
        let Mailbox { messages, pulses, .. } = &self.mailbox;
        if self.hold || !messages.tx.is_empty() || *pulses {
            return 0;
        }
        let shows = if self.trace_at < self.cycle { NEVER } else { self.trace_at };
        let busy = self.next.min(shows);
        if busy == NEVER {
            return NEVER;
        }
        let (on, of) = (u64::from(self.config.clock_on), u64::from(self.config.clock_of));
        let phase = u64::from(self.phase);
        // To the next enabled cycle, and from there to the busy one.
        let (gap, phase) = if phase < on { (0, phase) } else { (of - phase, 0) };
        let (patterns, rest) = divide(phase + busy - self.cycle, on);
        gap + patterns * of + rest - phase
    }

    fn skip_quiet(&mut self, cycles: u64) {
        let (phase, of) = (u64::from(self.phase), u64::from(self.config.clock_of));
        let enabled = self.enabled_of(phase + cycles) - self.enabled_of(phase);
        if self.mailbox.run && self.exit.is_none() {
            self.count(enabled as u32);
        }
        self.told_full &= enabled == 0 || self.mailbox.messages.rx.is_full();
        self.cycle += enabled;
        self.phase = divide(phase + cycles, of).1 as u32;
    }

    fn show_state(&self, state: &mut Registers) {
        let Self { config, core, mailbox, .. } = self;
        let halted = self.exit.is_some();
        state.part("clock", |state| state.bits("phase", index_width(config.clock_of), self.phase));
        state.flag("hold", self.hold);
        state.flag("halted", halted);
        state.bits("exit_code", 32, self.exit.unwrap_or(0));
        state.flag("err_valid", mailbox.err.is_some());
        state.bits_while(mailbox.err.is_some(), "err_code", 8, mailbox.err.unwrap_or(0));
        state.part("core", |state| core.show_state(state));
        state.part("slots", |state| mailbox.packets.show_state(state));
        state.part("mailbox", |state| {
            mailbox.show_state(state);
            let rx = &mailbox.messages.rx;
            state.part("rx", |state| {
                let width = width_of(RX_FIFO as u64);
                state.part("fifo", |state| state.bits("count", width, rx.len() as u32));
                state.bits("ack_pend", 16, mailbox.messages.ack_pend);
                state.flag("told", self.told_full);
            });
        });
        // What the RTL's core does in many registers.
        let waits = self.next == NEVER;
        state.part("run", |state| {
            state.bits("cycle", 64, self.cycle);
            state.bits("state", 2, self.state.number());
            state.flag("waits", waits);
            state.bits_while(!waits, "next", 64, self.next);
        });
    }
}

impl Model for CommandProcessor {
    const NAME: &'static str = "command_processor";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config: config.clone(),
            phase: 0,
            cycle: 0,
            hold: true,
            core: Core::new(),
            memory: Memory::new(config.private_latency),
            mailbox: Mailbox::new(),
            state: State::Stopped,
            next: NEVER,
            trace_at: NEVER,
            exit: None,
            told_full: false,
        })
    }

    fn reset(&mut self, config: &Config) -> Result<(), ConfigError> {
        let before = std::mem::replace(self, Self::new(config)?);
        self.memory = before.memory;
        self.mailbox.packets = before.mailbox.packets.reset();
        Ok(())
    }

    /// Every instruction that retires is shown. The longest, an access to the private memory, takes
    /// some hundred cycles; a core that is silent for longer waits.
    fn rests(_config: &Config, _outputs: &Out, cycles: u64) -> bool {
        cycles > 1 << 11
    }

    fn period(config: &Config) -> u64 {
        config.clock_of.into()
    }
}

/// Quotient and rest. Most waits are shorter than the pattern, and a division is slow.
#[inline(always)]
fn divide(number: u64, by: u64) -> (u64, u64) {
    if number < by { (0, number) } else { (number / by, number % by) }
}
