//! The command processor of a GPU, its crossbar and the command processors of its chiplets, port to
//! port.

use cosim::cpelide::Host;
use cosim::socket::Socket;
use hwmodel::Block;
use hwmodel::cpelide::cp_crossbar::CpCrossbar;
use hwmodel::cpelide::local_command_processor::LocalCommandProcessor;
use ports::cpelide::command_processor as global;
use ports::cpelide::cp_crossbar as crossbar;
use ports::cpelide::local_command_processor as local;
use ports::cpelide::types::{Aql, Ext};

use crate::engine::Cycle;

/// The blocks of a GPU.
#[derive(Debug)]
pub struct Blocks {
    pub host: Host,
    pub crossbar: Socket<CpCrossbar>,
    pub locals: Vec<Socket<LocalCommandProcessor>>,
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

    /// How many cycles pass in which nothing happens unless something comes.
    pub fn quiet_cycles(&self) -> Cycle {
        let locals = self.locals.iter().map(Block::quiet_cycles);
        let all = locals.chain([self.host.quiet_cycles(), self.crossbar.quiet_cycles()]);
        all.min().unwrap_or(Cycle::MAX)
    }

    /// Lets the cycles before `now` pass, in which nothing came. `conf`: CONF.
    pub fn catch_up(&mut self, now: Cycle, conf: u32) {
        self.host.catch_up(now, &global::In { conf, ..global::In::default() });
        self.crossbar.catch_up(now, &crossbar::In::default());
        for local in &mut self.locals {
            local.catch_up(now, &local::In::default());
        }
    }
}
