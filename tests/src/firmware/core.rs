//! The firmware's image on the command processor, behind its ports.

use cosim::body::{BodyError, BodyKind};
use cosim::cpelide::{Fault, Host as Ports, Sent};
use cosim::report::RunName;
use cosim::socket::Socket;
use firmware::image::Image;
use firmware::map::{MAILBOX, reg};
use hwmodel::Block;
use hwmodel::cpelide::command_processor::CommandProcessor;
use ports::Bytes;
use ports::cpelide::command_processor::{Config, In, Out};
use ports::cpelide::types::{Aql, Command, Ext, Message, Retired, map};

use super::Host;
use crate::parameters;

/// Most cycles between two waits of the firmware.
const MOST: u32 = 5_000_000;
/// A core that shows no instruction for so many cycles waits: the longest in a named configuration,
/// two words of the private memory, takes 76.
const SILENCE: u32 = 128;

/// The command processor with an image.
pub struct Core {
    ports: Ports,
    conf: u32,
    received: Vec<u64>,
    signals: Vec<u64>,
    errors: Vec<u8>,
    sent: Vec<Sent>,
    /// What the core has stored, as its trace tells: no port shows its memories.
    private: Vec<u32>,
    /// Cycles since the last instruction.
    silent: u32,
    /// The core has halted.
    halted: bool,
    /// Cycles of the chiplets' clock so far.
    pub cycles: u64,
    /// Instructions so far.
    pub instructions: u64,
    /// Those of steps 1 to 7 of launches (specification 5.1): the firmware runs CNT\[8\] meanwhile.
    pub work: Work,
    timed: bool,
    offered: Option<Vec<(u64, In)>>,
}

/// What a core has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores of the private memory.
    pub private: u64,
    /// Loads of the packet slots.
    pub slots: u64,
}

impl Work {
    /// What was done after `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            instructions: self.instructions - before.instructions,
            private: self.private - before.private,
            slots: self.slots - before.slots,
        }
    }
}

impl Core {
    /// With this image, in a named configuration of the family `command`, where it waits for a
    /// packet. `conf`: the register CONF. Panics where it does not start, or there is no such body.
    pub fn new(kind: BodyKind, config: &str, image: &Image, conf: u32) -> Self {
        Self::start(kind, config, image, conf).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same. Errors: it does not start, or there is no such body.
    pub fn start(
        kind: BodyKind,
        config: &str,
        image: &Image,
        conf: u32,
    ) -> Result<Self, BodyError> {
        let parameters = Config::from(&parameters::<Command>(config));
        let run = RunName { config: config.into(), seed: 0 };
        let socket = Socket::alone(kind, &run, &parameters)?;
        Ok(Self {
            ports: Ports::core(socket, image, conf)?,
            conf,
            received: Vec::new(),
            signals: Vec::new(),
            errors: Vec::new(),
            sent: Vec::new(),
            private: vec![0; map::PMEM.1 as usize / 4],
            silent: SILENCE,
            halted: false,
            cycles: 0,
            instructions: 0,
            work: Work::default(),
            timed: false,
            offered: None,
        })
    }

    /// Whether the firmware cannot go on.
    pub fn is_lost(&self) -> bool {
        self.ports.is_lost()
    }

    /// Why it cannot go on.
    pub fn fault(&self) -> Option<Fault> {
        self.ports.fault()
    }

    /// From now on, keeps what [`Core::offered`] gives.
    pub fn keep_offered(&mut self) {
        self.offered = Some(Vec::new());
    }

    /// The inputs of the cycles in which something came, by the numbers of these cycles.
    pub fn offered(&self) -> &[(u64, In)] {
        self.offered.as_deref().unwrap_or_default()
    }

    /// Inputs of a cycle in which nothing comes, and the crossbar takes what is sent.
    pub fn nothing(&self) -> In {
        In { tx_ready: true, conf: self.conf, ..In::default() }
    }

    /// One cycle.
    pub fn tick(&mut self, inputs: &In) -> Out {
        let out = self.ports.tick(inputs);
        self.halted = out.halted;
        self.cycles += 1;
        self.silent += 1;
        if let Some(retired) = &out.trace {
            self.follow(retired);
        }
        self.signals.extend(out.sig);
        self.errors.extend(out.err);
        self.sent.extend(out.tx.filter(|_| inputs.tx_ready).map(|tx| Sent {
            message: tx.msg.bits(),
            chiplets: tx.dst,
            broadcast: tx.bcast,
        }));
        out
    }

    /// Offers something until it is taken. Panics where it never is.
    fn offer(&mut self, inputs: &In, is_taken: impl Fn(&Out) -> bool) {
        for _ in 0..MOST {
            if let Some(offered) = &mut self.offered {
                offered.push((self.cycles, *inputs));
            }
            if is_taken(&self.tick(inputs)) {
                return;
            }
            assert!(!self.halted, "cycle {}: halted with {:?}", self.cycles, self.exit());
        }
        panic!("cycle {}: nothing was taken for {MOST} cycles", self.cycles);
    }

    /// Counts an instruction, and keeps what it stores in the private memory.
    fn follow(&mut self, retired: &Retired) {
        let Retired { mem_addr, mem_rmask, mem_wmask, mem_wdata, .. } = *retired;
        let is_in = |(base, bytes): (u32, u32)| mem_addr.wrapping_sub(base) < bytes;
        let accesses = mem_rmask | mem_wmask != 0;
        let private = accesses && is_in(map::PMEM);
        self.silent = 0;
        self.instructions += 1;
        if self.timed {
            self.work.instructions += 1;
            self.work.private += u64::from(private);
            self.work.slots += u64::from(accesses && is_in(map::SLOTS));
        }
        if mem_wmask != 0 && mem_addr == MAILBOX + reg::CNT8_RUN {
            self.timed = mem_wdata & 1 == 1;
        }
        if private {
            assert!((mem_rmask | mem_wmask) == 15, "the firmware's table is words");
            if mem_wmask != 0 {
                self.private[(mem_addr - map::PMEM.0) as usize / 4] = mem_wdata;
            }
        }
    }

    /// Ticks until the core waits, or has halted.
    fn settle(&mut self) {
        self.silent = 0;
        for _ in 0..MOST {
            if self.halted || self.silent >= SILENCE {
                return self.check();
            }
            self.skip();
            self.tick(&self.nothing());
        }
        panic!("cycle {}: the firmware has not come to wait for {MOST} cycles", self.cycles);
    }

    /// Passes over cycles in which nothing happens; a model alone can tell.
    fn skip(&mut self) {
        let socket = self.socket();
        let quiet = if socket.kind() == BodyKind::Model { socket.quiet_cycles() } else { 0 };
        let quiet = quiet.min(SILENCE.saturating_sub(self.silent).into());
        if quiet != 0 {
            self.cycles += quiet;
            self.silent += quiet as u32;
            self.ports.catch_up(self.cycles, &self.nothing());
        }
    }

    fn socket(&self) -> &Socket<CommandProcessor> {
        self.ports.socket().expect("it is no native host")
    }

    /// Panics where model and RTL differ, or an assertion has failed.
    fn check(&self) {
        let mut failure = String::new();
        let _ = self.socket().write_failure(&mut failure);
        assert!(!self.socket().failed(), "{failure}");
    }
}

/// What the packet processor fetches of a block: at least one beat.
fn beats(extension: &[u8]) -> Vec<(u128, bool)> {
    let number = extension.len().div_ceil(16).max(1);
    let beat = |at: usize| {
        let mut bytes = [0; 16];
        let rest = &extension[16 * at..];
        let length = rest.len().min(16);
        bytes[..length].copy_from_slice(&rest[..length]);
        (u128::from_le_bytes(bytes), at + 1 == number)
    };
    (0..number).map(beat).collect()
}

impl Host for Core {
    fn submit(&mut self, packet: &[u8; 64], extension: &[u8], stream: u8, chiplets: u16) {
        let aql = Some(Aql { mask: chiplets, stream, packet: Bytes(*packet) });
        let aql = In { aql, ..self.nothing() };
        self.offer(&aql, |out| out.aql_ready);
        // The packet processor fetches a block where the packet names one.
        let named = firmware::aql::has_extension(packet);
        for (data, last) in beats(extension).into_iter().filter(|_| named) {
            let ext = In { ext: Some(Ext { last, data }), ..self.nothing() };
            self.offer(&ext, |out| out.ext_ready);
        }
    }

    fn receive(&mut self, bits: u64) {
        self.received.push(bits);
    }

    fn run(&mut self) -> Vec<Sent> {
        for bits in std::mem::take(&mut self.received) {
            let rx = In { rx: Some(Message::from_bits(bits)), ..self.nothing() };
            if !self.halted {
                self.offer(&rx, |out| out.rx_ready || out.halted);
            }
        }
        self.settle();
        std::mem::take(&mut self.sent)
    }

    fn signals(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.signals)
    }

    fn errors(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.errors)
    }

    fn exit(&self) -> Option<u32> {
        self.ports.outputs().exit
    }

    fn counters(&self) -> [u32; 16] {
        self.ports.outputs().counters
    }

    fn private(&self) -> &[u32] {
        &self.private
    }

    fn every(&self) -> Option<bool> {
        None
    }
}
