//! The egress paths by name, on any bodies.

use cosim::socket::Socket;
use hwmodel::finepack::egress::{
    CFG_EXTRA, ConfigPacket, DMA_START, Dma, FinePackPath, Infinite, P2p, WriteCombine,
};
use hwmodel::finepack::packetizer::Packetizer;
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use hwmodel::{Block, State};
use ports::ConfigError;
use ports::finepack::egress::{self, In, Out};
use ports::finepack::types::FinePack;
use serde::Serialize;

/// An egress path (specification 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathKind {
    /// Each store at once.
    #[default]
    P2p,
    /// A combining buffer.
    WriteCombine,
    /// Remote write queue and packetizer.
    #[serde(rename = "finepack")]
    FinePack,
    /// Whole blocks at the end of a kernel.
    Dma,
    /// Header fields configured ahead.
    ConfigPacket,
    /// No link.
    Infinite,
}

impl PathKind {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::P2p,
        Self::WriteCombine,
        Self::FinePack,
        Self::Dma,
        Self::ConfigPacket,
        Self::Infinite,
    ];

    /// Name, as in `duet list protocols`.
    pub fn name(self) -> &'static str {
        match self {
            Self::P2p => "p2p",
            Self::WriteCombine => "write-combine",
            Self::FinePack => "finepack",
            Self::Dma => "dma",
            Self::ConfigPacket => "config-packet",
            Self::Infinite => "infinite",
        }
    }

    /// Whether TLPs come from it, for a de-packetizer at the other end of a link.
    pub fn has_link(self) -> bool {
        self != Self::Infinite
    }

    /// `CFG_EXTRA` of the links that this path needs.
    pub fn cfg_extra(self) -> Option<u32> {
        (self == Self::ConfigPacket).then_some(CFG_EXTRA)
    }

    /// The path of one GPU after reset, on models.
    pub fn build(self, p: &FinePack) -> Result<EgressPath, ConfigError> {
        let (queue, packetizer) = (Socket::model(&p.into())?, Socket::model(&p.into())?);
        self.with_bodies(p, (0, 0), || Ok((queue, packetizer)))
    }

    /// The path of one GPU after reset; where it has blocks with two bodies, on those that `bodies`
    /// gives. `timeout` and `acct` are the write queue's.
    pub fn with_bodies<E>(
        self,
        p: &FinePack,
        (timeout, acct): (u16, u8),
        bodies: impl FnOnce() -> Result<(Socket<RemoteWriteQueue>, Socket<Packetizer>), E>,
    ) -> Result<EgressPath, E> {
        let c = egress::Config::from(p);
        Ok(match self {
            Self::P2p => EgressPath::P2p(P2p::new(&c)),
            Self::WriteCombine => EgressPath::WriteCombine(WriteCombine::new(&c)),
            Self::FinePack => {
                let (queue, packetizer) = bodies()?;
                EgressPath::FinePack(Box::new(FinePackPath::new(queue, packetizer, timeout, acct)))
            }
            Self::Dma => EgressPath::Dma(Dma::new(&c, DMA_START)),
            Self::ConfigPacket => EgressPath::ConfigPacket(ConfigPacket::new(&c)),
            Self::Infinite => EgressPath::Infinite(Infinite::new(&c)),
        })
    }
}

/// Any egress path, so that one type of system runs them all.
#[allow(missing_docs, clippy::large_enum_variant)] // One for each GPU, never moved.
pub enum EgressPath {
    P2p(P2p),
    WriteCombine(WriteCombine),
    FinePack(Box<FinePackPath<Socket<RemoteWriteQueue>, Socket<Packetizer>>>),
    Dma(Dma),
    ConfigPacket(ConfigPacket),
    Infinite(Infinite),
}

impl EgressPath {
    /// Lets the cycles before `now` pass, in which nothing came.
    pub fn catch_up(&mut self, now: u64, self_id: u8) {
        if let Self::FinePack(path) = self {
            let (queue, packetizer) = path.idle_inputs(self_id);
            path.queue_mut().catch_up(now, &queue);
            path.packetizer_mut().catch_up(now, &packetizer);
        }
    }

    /// The copy engine, of a path that is one.
    pub fn dma_mut(&mut self) -> Option<&mut Dma> {
        match self {
            Self::Dma(dma) => Some(dma),
            _ => None,
        }
    }
}

macro_rules! each {
    ($self:expr, $path:ident => $result:expr) => {
        match $self {
            EgressPath::P2p($path) => $result,
            EgressPath::WriteCombine($path) => $result,
            EgressPath::FinePack($path) => $result,
            EgressPath::Dma($path) => $result,
            EgressPath::ConfigPacket($path) => $result,
            EgressPath::Infinite($path) => $result,
        }
    };
}

impl Block for EgressPath {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        each!(self, path => path.outputs())
    }

    fn tick(&mut self, i: &In) -> Out {
        each!(self, path => path.tick(i))
    }

    fn is_idle(&self) -> bool {
        each!(self, path => path.is_idle())
    }

    fn quiet_cycles(&self) -> u64 {
        each!(self, path => path.quiet_cycles())
    }

    fn failed(&self) -> bool {
        each!(self, path => path.failed())
    }

    fn write_failure(&self, report: &mut dyn std::fmt::Write) -> std::fmt::Result {
        each!(self, path => path.write_failure(report))
    }

    fn show_state(&self, state: &mut State) {
        each!(self, path => path.show_state(state))
    }
}
