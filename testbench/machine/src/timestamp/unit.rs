//! The reset of a GPU's timestamps, between its L1s and its L2 banks.

use cosim::socket::Socket;
use hwmodel::timestamp::gtsc_rst::GtscRst;
use hwmodel::{Block, Model};
use ports::timestamp::gtsc_rst::{In, Out};

use super::parameters::Parameters;
use super::rule::{self, Rule};
use super::{OfBank, OfL1, ToBank, ToL1};
use crate::build::make::{Made, Make, UnitPort, UnitPorts};
use crate::context::message::Packed;
use crate::context::{Context, Stop};
use crate::engine::WireId;
use crate::l1::GpuUnit;
use crate::l1::without::take_away;
use crate::statistics::CounterValues;

/// Makes the unit.
pub fn new(make: &mut Make, ports: UnitPorts) -> Made<dyn GpuUnit> {
    let parameters = Parameters::of(make.system)?;
    let wires = |ports: &[UnitPort]| {
        ports
            .iter()
            .map(|port| Wires {
                from: port.wires.to_unit[0],
                to: port.wires.from_unit[0],
                shown: Packed::default(),
            })
            .collect::<Vec<_>>()
    };
    let (l1s, banks) = (wires(&ports.cores), wires(&ports.banks));
    let config = parameters.of_reset(make.system);
    let mut block: Socket<GtscRst> = make.socket(&parameters.name, &config)?;
    if let Some(Rule::Reset(rule)) = parameters.without {
        take_away(rule::FIELD, &mut block, GtscRst::without(&config, rule))?;
    }
    let out = block.outputs();
    let asked = vec![0; l1s.len()];
    let (place, over) = (make.place.clone(), asked.clone());
    Ok(Box::new(Reset { place, block, out, l1s, banks, asked, over }))
}

/// To and from an L1 or a bank.
#[derive(Debug)]
struct Wires {
    from: WireId,
    to: WireId,
    shown: Packed,
}

impl Wires {
    fn show(&mut self, ctx: &mut Context, value: Packed) {
        if self.shown != value {
            self.shown = value;
            ctx.show(self.to, value);
        }
    }
}

#[derive(Debug)]
struct Reset {
    place: String,
    block: Socket<GtscRst>,
    /// What it shows in the cycle of its next edge.
    out: Out,
    l1s: Vec<Wires>,
    banks: Vec<Wires>,
    /// Of each L1 the kernel's end that is being served, and the last that is over.
    asked: Vec<u8>,
    over: Vec<u8>,
}

impl Reset {
    /// What is seen in a cycle; whether an L1 has asked for a kernel's end that is not served.
    fn look(&mut self, ctx: &mut Context) -> In {
        let mut inputs = In::default();
        for (b, bank) in self.banks.iter().enumerate() {
            let OfBank { ovf, halted, rst_done } = ctx.see(bank.from).get(());
            inputs.ovf |= u16::from(ovf) << b;
            inputs.halted |= u16::from(halted) << b;
            inputs.rst_done |= u16::from(rst_done) << b;
        }
        // Banks that the GPU does not have.
        let others = (self.block.config().l2_banks as usize).min(16);
        for b in self.banks.len()..others {
            inputs.halted |= 1 << b;
            inputs.rst_done |= 1 << b;
        }
        for (s, l1) in self.l1s.iter().enumerate() {
            let OfL1 { rep_ack, asked } = ctx.see(l1.from).get(());
            inputs.rep_ack[s] = rep_ack;
            inputs.kend_valid |= asked != self.asked[s];
        }
        inputs
    }
}

impl GpuUnit for Reset {
    fn tick(&mut self, ctx: &mut Context) {
        if self.block.cycle() > ctx.now {
            return;
        }
        let inputs = self.look(ctx);
        if self.block.cycle() < ctx.now {
            // Nothing has changed since.
            self.block.catch_up(ctx.now, &In { kend_valid: false, ..inputs });
            self.out = self.block.outputs();
        }
        if inputs.kend_valid && self.out.kend_ready {
            for (asked, l1) in self.asked.iter_mut().zip(&self.l1s) {
                *asked = ctx.see(l1.from).get::<OfL1>(()).asked;
            }
        }
        if self.out.kend_done {
            self.over.copy_from_slice(&self.asked);
        }
        self.block.tick(&inputs);
        self.out = self.block.outputs();
        let Out { halt, rst, rep, .. } = self.out;
        for bank in &mut self.banks {
            bank.show(ctx, Packed::new(&ToBank { halt, rst }, ()));
        }
        for (l1, &over) in self.l1s.iter_mut().zip(&self.over) {
            l1.show(ctx, Packed::new(&ToL1 { rep, over }, ()));
        }
        if let Some(code) = self.out.err {
            let problem = format!("{}/{}: error {code}", self.place, GtscRst::NAME);
            ctx.stop.get_or_insert(Stop::Block(problem));
        }
        let acts = inputs.kend_valid || self.out.kend_done || inputs.ovf != 0;
        ctx.wake_after(if acts { 0 } else { self.block.quiet_cycles() });
    }

    fn waits_for(&self) -> Option<String> {
        let Out { halt, rst, .. } = self.out;
        match (halt, rst) {
            (true, true) => Some("banks sweep their leases".into()),
            (true, false) => Some("the reset waits until banks halt or L1s are flushed".into()),
            _ => None,
        }
    }

    fn counters(&self, all: &mut CounterValues) {
        let counters = &self.out.counters;
        all.extend([
            ("timestamp_resets", counters.resets.into()),
            ("timestamp_halt_cycles", counters.halt_cycles.into()),
        ]);
    }
}
