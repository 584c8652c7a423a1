//! The bodies of the directory that can stand in the system, and faulty ones.

use std::fmt::{self, Write};

use cosim::lockstep::Lockstep;
use cosim::report::RunName;
use duet_tests::{parameters, rtl};
use hwmodel::directory::coherence_directory::CoherenceDirectory;
use hwmodel::{Block, Model};
use ports::directory::coherence_directory::{Config, In, Out, Req, cause, op};

use crate::directory::systems::weakness::Weakness;

/// A directory, and a view of what it has decided.
pub trait Directory: Block<In = In, Out = Out> {
    /// The GPUs that it has as sharers of the line, bit g = GPU g.
    fn sharers(&self, addr: u64) -> u16;
}

impl Directory for CoherenceDirectory {
    fn sharers(&self, addr: u64) -> u16 {
        self.sharers(addr).unwrap_or(0)
    }
}

/// Model and RTL compared in every cycle, and a model to look into.
struct Both {
    pair: Lockstep<CoherenceDirectory>,
    shown: CoherenceDirectory,
}

impl Block for Both {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        self.pair.outputs()
    }

    fn tick(&mut self, inputs: &In) -> Out {
        self.shown.tick(inputs);
        self.pair.tick(inputs)
    }

    fn failed(&self) -> bool {
        self.pair.failed()
    }

    fn write_failure(&self, report: &mut dyn Write) -> fmt::Result {
        self.pair.write_failure(report)
    }
}

impl Directory for Both {
    fn sharers(&self, addr: u64) -> u16 {
        Directory::sharers(&self.shown, addr)
    }
}

/// Lines or reads after which the faulty directory errs.
const NOW_AND_THEN: u32 = 25;

/// A directory that errs now and then.
struct Faulty {
    inner: CoherenceDirectory,
    weakness: Weakness,
    self_id: u8,
    /// Invalidations or reads of other GPUs so far.
    count: u32,
}

impl Faulty {
    fn errs(&self, weakness: Weakness) -> bool {
        self.weakness == weakness && self.count % NOW_AND_THEN == NOW_AND_THEN - 1
    }

    fn drops(&self, out: &Out) -> bool {
        // Without the marker the release would hang.
        let inv = out.inv.is_some_and(|inv| inv.cause != cause::FENCE);
        inv && self.errs(Weakness::DroppedInv)
    }
}

impl Block for Faulty {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        let mut out = self.inner.outputs();
        if self.drops(&out) {
            out.inv = None;
        }
        out
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let (out, mut inputs) = (self.outputs(), *inputs);
        let drops = self.drops(&self.inner.outputs());
        inputs.inv_ready |= drops;
        let read = inputs.req.filter(|req| out.req_ready && req.op == op::RRD);
        if let Some(read) = read.filter(|_| self.errs(Weakness::ForgottenSharer)) {
            inputs.req = Some(Req { op: op::LRD, src: self.self_id, ..read });
        }
        let inner = self.inner.tick(&inputs);
        self.count += match self.weakness {
            Weakness::DroppedInv => u32::from(inner.inv.is_some() && inputs.inv_ready),
            _ => u32::from(read.is_some()),
        };
        out
    }
}

impl Directory for Faulty {
    fn sharers(&self, addr: u64) -> u16 {
        Directory::sharers(&self.inner, addr)
    }
}

fn model(config: &Config) -> CoherenceDirectory {
    CoherenceDirectory::new(config).unwrap_or_else(|error| panic!("{error}"))
}

/// Where a system's directories come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The model with these parameters.
    Model(Config),
    /// Model and RTL of a named configuration.
    Both(String),
}

impl Source {
    pub fn config(&self) -> Config {
        match self {
            Self::Model(config) => config.clone(),
            Self::Both(name) => parameters(name),
        }
    }

    /// The directory of GPU `home`.
    pub fn make(&self, home: usize, seed: u64, weakness: Option<Weakness>) -> Box<dyn Directory> {
        let config = &self.config();
        match (self, weakness) {
            (_, Some(weakness @ (Weakness::DroppedInv | Weakness::ForgottenSharer))) => {
                let inner = model(config);
                Box::new(Faulty { inner, weakness, self_id: home as u8, count: 0 })
            }
            (Self::Model(_), _) => Box::new(model(config)),
            (Self::Both(name), _) => {
                let run = RunName { config: name.clone(), seed };
                let pair = Lockstep::new(run, config, model(config), rtl(name), 0);
                Box::new(Both { pair, shown: model(config) })
            }
        }
    }
}
