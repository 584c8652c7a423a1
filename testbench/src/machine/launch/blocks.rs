//! The command processor of a GPU, its crossbar and the command processors of its chiplets, port to
//! port.

use cosim::body::{AnyBody, Body};
use cosim::command_processor::Host;
use hwmodel::Block;
use hwmodel::command_processor as global;
use hwmodel::common::command_types::{Aql, Ext};
use hwmodel::cp_crossbar::{self as crossbar, CpCrossbar};
use hwmodel::local_command_processor::{self as local, LocalCommandProcessor};

use crate::machine::engine::Cycle;

/// The blocks of a GPU.
#[derive(Debug)]
pub struct Blocks {
    pub host: Host,
    pub crossbar: AnyBody<CpCrossbar>,
    pub locals: Vec<AnyBody<LocalCommandProcessor>>,
}

/// What comes from outside in a cycle.
#[derive(Debug, Default)]
pub struct Inputs {
    pub aql: Option<Aql>,
    pub ext: Option<Ext>,
    /// CONF.
    pub conf: u32,
    /// From each chiplet.
    pub chiplets: Vec<local::In>,
}

/// What the ports show before an edge.
#[derive(Debug)]
pub struct Outputs {
    pub host: global::Out,
    pub crossbar: crossbar::Out,
    pub locals: Vec<local::Out>,
}

impl Blocks {
    /// What the ports show, into `to`.
    pub fn show(&self, to: &mut Outputs) {
        to.host = self.host.outputs();
        to.crossbar = self.crossbar.outputs();
        for (local, to) in self.locals.iter().zip(&mut to.locals) {
            *to = local.outputs();
        }
    }

    /// One edge after `outputs`. What joins the blocks is added to the inputs.
    pub fn tick(&mut self, outputs: &Outputs, inputs: &mut Inputs) {
        let Outputs { host, crossbar, locals } = outputs;
        self.host.tick(&global::In {
            aql: inputs.aql,
            ext: inputs.ext,
            tx_ready: crossbar.tx_ready,
            rx: crossbar.rx,
            conf: inputs.conf,
            ..global::In::default()
        });
        let mut across =
            crossbar::In { tx: host.tx, rx_ready: host.rx_ready, ..Default::default() };
        for (i, shown) in locals.iter().enumerate() {
            across.down_ready |= u16::from(shown.rx_ready) << i;
            if let Some(message) = shown.tx {
                across.up_valid |= 1 << i;
                across.up[i] = message;
            }
            let own = &mut inputs.chiplets[i];
            own.rx = (crossbar.down_valid >> i & 1 == 1).then(|| crossbar.down[i]);
            own.tx_ready = crossbar.up_ready >> i & 1 == 1;
            self.locals[i].tick(own);
        }
        self.crossbar.tick(&across);
    }

    /// All of them.
    pub fn bodies(&self) -> impl Iterator<Item = &dyn Body> {
        let host = self.host.body().map(|body| body as &dyn Body);
        let locals = self.locals.iter().map(|local| local as &dyn Body);
        host.into_iter().chain([&self.crossbar as &dyn Body]).chain(locals)
    }

    /// All of them, to be watched.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut dyn Body> {
        let host = self.host.body_mut().map(|body| body as &mut dyn Body);
        let locals = self.locals.iter_mut().map(|local| local as &mut dyn Body);
        host.into_iter().chain([&mut self.crossbar as &mut dyn Body]).chain(locals)
    }

    /// One of each kind, which a waveform shows: that of the first chiplet, where there is one for
    /// each of them.
    pub fn shown(&self) -> impl Iterator<Item = &dyn Body> {
        let others = self.locals.len() - 1;
        let all = self.bodies().count();
        self.bodies().take(all - others)
    }

    /// The same, to be watched.
    pub fn shown_mut(&mut self) -> impl Iterator<Item = &mut dyn Body> {
        let shown = self.shown().count();
        self.bodies_mut().take(shown)
    }

    /// True when nothing happens until something comes.
    pub fn is_idle(&self) -> bool {
        self.host.is_idle() && self.crossbar.is_idle() && self.locals.iter().all(Block::is_idle)
    }

    /// Lets cycles pass in which nothing comes; the host's clock must be where it was.
    pub fn skip(&mut self, cycles: Cycle) {
        self.host.skip(cycles);
        self.crossbar.skip(cycles);
        self.locals.iter_mut().for_each(|local| local.skip(cycles));
    }
}
