//! Queue, packetizer and the other GPUs' de-packetizers in a row, with memories behind them: what
//! loads and atomics find, and what is in memory when a release is done, is what program order
//! says. So of each rule it is known whether values need it.

mod rules;

use std::collections::{BTreeMap, HashMap, VecDeque};

use duet_tests::{Body, has_rtl, ones, rtl_with};
use hwmodel::finepack::depacketizer::{self, Depacketizer};
use hwmodel::finepack::packetizer::{self, Packetizer};
use hwmodel::finepack::remote_write_queue::{self as queue, RemoteWriteQueue};
use hwmodel::{Block, Model};
use ports::finepack::types::{
    FinePack, Ingress, LineData, Req, Tlp, aop, error_code, ingress_kind, op,
};

use super::{Random, ensure};

/// A rule that a block's model lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Queue(queue::Rule),
    Packetizer(packetizer::Rule),
    Depacketizer(depacketizer::Rule),
}

/// What the path is made of.
#[derive(Clone, Copy)]
enum Of {
    Models,
    Without(Rule),
    Rtl,
}

/// What the memories of GPUs hold, by address.
type Memory = BTreeMap<(u8, u64), u8>;

struct Path {
    queue: Body<RemoteWriteQueue>,
    packetizer: Body<Packetizer>,
    /// By GPU; the sender's own is never used.
    ingress: Vec<Body<Depacketizer>>,
}

impl Path {
    fn new(p: &FinePack, of: Of) -> Self {
        Self {
            queue: match of {
                Of::Without(Rule::Queue(rule)) => {
                    Box::new(lacks(RemoteWriteQueue::without, p, rule))
                }
                _ => body::<RemoteWriteQueue>(p, of),
            },
            packetizer: match of {
                Of::Without(Rule::Packetizer(rule)) => {
                    Box::new(lacks(Packetizer::without, p, rule))
                }
                _ => body::<Packetizer>(p, of),
            },
            ingress: (0..p.num_gpus)
                .map(|_| match of {
                    Of::Without(Rule::Depacketizer(rule)) => {
                        Box::new(lacks(Depacketizer::without, p, rule)) as Body<Depacketizer>
                    }
                    _ => body::<Depacketizer>(p, of),
                })
                .collect(),
        }
    }
}

fn lacks<C, M, R>(without: fn(&C, R) -> Result<M, ports::ConfigError>, p: &FinePack, rule: R) -> M
where
    C: for<'a> From<&'a FinePack>,
{
    without(&p.into(), rule).expect("legal parameters")
}

fn body<M>(p: &FinePack, of: Of) -> Body<M>
where
    M: cosim::catalog::Pair + 'static,
    <M as Model>::Config: for<'a> From<&'a FinePack>,
{
    match of {
        Of::Rtl => Box::new(rtl_with::<M>(&p.into())),
        _ => Box::new(M::new(&p.into()).expect("legal parameters")),
    }
}

/// A load or an atomic under way: its address, the bytes that it asks for, and what it must find.
struct Asked {
    line: u64,
    mask: u128,
    found: LineData,
}

/// A run.
struct Run<'a> {
    p: &'a FinePack,
    random: Random,
    path: Path,
    /// What program order says, and what the memories hold.
    right: Memory,
    memory: Memory,
    /// Loads and atomics by GPU and tag.
    asked: HashMap<(u8, u8), Asked>,
    marks: VecDeque<u8>,
    stall: u64,
    acct: u8,
    timeout: u16,
    self_id: u8,
    next_id: u8,
    /// Releases that are accepted and not done, and whether they are of the system.
    releases: Vec<(u8, bool)>,
    /// The beat on the link goes to this GPU.
    link: Option<Tlp>,
}

fn run(name: &str, of: Of, seed: u64) -> Result<(), String> {
    let p: FinePack = duet_tests::parameters(name);
    let mut random = Random::new(seed);
    let mut run = Run {
        path: Path::new(&p, of),
        p: &p,
        right: Memory::new(),
        memory: Memory::new(),
        asked: HashMap::new(),
        marks: VecDeque::new(),
        stall: random.pick(&[1, 2, 6]),
        acct: random.below(2) as u8,
        timeout: random.pick(&[0, 0, 30]),
        self_id: random.below(p.num_gpus.into()) as u8,
        next_id: 0,
        releases: Vec::new(),
        link: None,
        random,
    };
    for _ in 0..20 {
        let requests = run.random.pick(&[1, 2, 6, 40]);
        for _ in 0..requests {
            let req = run.request();
            run.send(req)?;
        }
        run.release()?;
    }
    Ok(())
}

impl Run<'_> {
    fn request(&mut self) -> Req {
        let line = u64::from(self.p.line);
        let random = &mut self.random;
        let far = u64::from(random.once_in(10));
        let at = random.below(u64::from(self.p.entries) + 2);
        let at = at % (1 << (self.p.offset_width - self.p.line.ilog2()));
        let addr = ((5 + far) << self.p.offset_width) + at * line;
        let mut data = LineData::default();
        data.0[..line as usize].fill_with(|| random.next() as u8);
        let other = 1 + random.below(u64::from(self.p.num_gpus) - 1) as u8;
        let dest = (self.self_id + other) % self.p.num_gpus as u8;
        let (id, mask) = (self.next_id, random.mask(self.p.line));
        self.next_id = self.next_id.wrapping_add(1);
        let req = Req { op: op::STORE, dest, id, addr, mask, data, ..Req::default() };
        match random.below(16) {
            0..3 => Req { op: op::LOAD, ..req },
            3 | 4 => {
                let size = random.pick(&[4, 8]);
                let first = u64::from(size) * random.below(line / u64::from(size));
                let mask = ones(first as u32, size);
                Req { op: op::ATOMIC, aop: random.below(8) as u8, mask, ..req }
            }
            5 => Req { op: op::RELEASE_GPU, ..req },
            6 => self.faulty(req),
            _ => req,
        }
    }

    /// A request that must do nothing.
    fn faulty(&mut self, req: Req) -> Req {
        let atomic = Req { op: op::ATOMIC, mask: 0xF, ..req };
        match self.random.below(4) {
            0 => Req { dest: self.self_id, ..req },
            1 => Req { op: 5, ..req },
            2 => Req { aop: 8, ..atomic },
            _ => Req { mask: 0x7, ..atomic },
        }
    }

    fn send(&mut self, req: Req) -> Result<(), String> {
        for _ in 0..3000 {
            if self.cycle(Some(req))? {
                self.in_order(&req);
                return Ok(());
            }
        }
        Err(format!("{req:?} is never accepted"))
    }

    /// What an accepted request does in program order.
    fn in_order(&mut self, req: &Req) {
        let base = req.addr & !(u64::from(self.p.line) - 1);
        let key = |k: usize| (req.dest, base + k as u64);
        let bytes = (0..128).filter(|k| req.mask >> k & 1 == 1);
        let faulty = req.op > op::RELEASE_GPU || req.aop > 7 || req.dest == self.self_id;
        if req.op == op::RELEASE_GPU || req.op == op::RELEASE_SYS {
            self.releases.push((req.id, req.op == op::RELEASE_SYS));
        } else if faulty || req.op == op::ATOMIC && req.mask == 0x7 {
            // It is dropped.
        } else if req.op == op::STORE {
            self.right.extend(bytes.map(|k| (key(k), req.data.0[k])));
        } else {
            let mut found = LineData::default();
            bytes.for_each(|k| found.0[k] = self.right.get(&key(k)).copied().unwrap_or(0));
            let asked = Asked { line: base, mask: req.mask, found };
            self.asked.insert((req.dest, req.id), asked);
            if req.op == op::ATOMIC {
                atomic(&mut self.right, req.dest, base, req.mask, req.aop, &req.data);
            }
        }
    }

    /// A system release, at times two; GPU releases while they are not done.
    fn release(&mut self) -> Result<(), String> {
        let twice = self.random.once_in(4);
        for op in [op::RELEASE_SYS; 2].into_iter().take(1 + usize::from(twice)) {
            self.send_release(op)?;
        }
        for _ in 0..3000 {
            if self.releases.is_empty() {
                break;
            }
            if self.random.once_in(8) {
                self.send_release(op::RELEASE_GPU)?;
            }
            self.cycle(None)?;
        }
        ensure(self.releases.is_empty(), || "a release is never done".into())?;
        // Loads have no MARK to wait for.
        for _ in 0..3000 {
            if self.asked.is_empty() {
                return Ok(());
            }
            self.cycle(None)?;
        }
        Err(format!("{} loads or atomics never arrive", self.asked.len()))
    }

    /// All that was stored is in memory.
    fn in_memory(&self) -> Result<(), String> {
        let mut bytes = self.right.iter();
        let wrong = bytes.find(|(key, byte)| self.memory.get(key) != Some(byte));
        ensure(wrong.is_none(), || format!("{wrong:x?} is not in memory"))?;
        let more = self.memory.len() > self.right.len();
        ensure(!more, || "more bytes are in memory than were stored".into())
    }

    fn send_release(&mut self, op: u8) -> Result<(), String> {
        let (id, dest) = (self.next_id, self.self_id);
        self.next_id = self.next_id.wrapping_add(1);
        self.send(Req { op, id, dest, ..Req::default() })
    }

    /// One cycle. True: the request is accepted.
    fn cycle(&mut self, req: Option<Req>) -> Result<bool, String> {
        let (q, p) = (self.path.queue.outputs(), self.path.packetizer.outputs());
        let cpl = if self.random.once_in(3) { self.marks.pop_front() } else { None };
        let Self { acct, timeout, self_id, .. } = *self;
        let drain_ready = p.drain_ready;
        self.path.queue.tick(&ports::finepack::remote_write_queue::In {
            req,
            drain_ready,
            cpl,
            self_id,
            timeout,
            acct,
        });
        // The link holds one beat.
        let tlp_ready = self.link.is_none() && self.random.once_in(self.stall);
        self.path.packetizer.tick(&ports::finepack::packetizer::In {
            drain: q.drain,
            tlp_ready,
            self_id,
        });
        for gpu in 0..self.path.ingress.len() {
            let body = &mut self.path.ingress[gpu];
            let out = body.outputs();
            let tlp = self.link.filter(|beat| usize::from(beat.dest) == gpu);
            let st_ready = self.random.once_in(self.stall);
            body.tick(&ports::finepack::depacketizer::In { tlp, st_ready });
            if tlp.is_some() && out.tlp_ready {
                self.link = None;
            }
            ensure(out.err.is_none(), || format!("GPU {gpu} has error {:?}", out.err))?;
            if let (Some(access), true) = (out.st, st_ready) {
                self.access(gpu as u8, &access)?;
            }
        }
        if let (Some(beat), true) = (p.tlp, tlp_ready) {
            self.link = Some(beat);
        }
        let told = q.err.is_none_or(|code| code <= error_code::BAD_OP);
        ensure(told, || format!("the queue has error {:?}", q.err))?;
        if let Some(id) = q.rel {
            let at = self.releases.iter().position(|&(release, _)| release == id);
            let (_, system) =
                self.releases.remove(at.ok_or_else(|| format!("no release {id} waits"))?);
            // No store comes while one is not done.
            if system {
                self.in_memory()?;
            }
        }
        Ok(req.is_some() && q.req_ready)
    }

    /// An access comes to the memory of a GPU.
    fn access(&mut self, gpu: u8, access: &Ingress) -> Result<(), String> {
        let bytes = (0..128).filter(|k| access.mask >> k & 1 == 1);
        let key = |k: usize| (gpu, access.addr + k as u64);
        match access.kind {
            ingress_kind::WRITE => self.memory.extend(bytes.map(|k| (key(k), access.data.0[k]))),
            ingress_kind::MARK => self.marks.push_back(gpu),
            _ => {
                let asked = self.asked.remove(&(gpu, access.tag));
                let Asked { line, mask, found } =
                    asked.ok_or_else(|| format!("nobody asked for {access:x?}"))?;
                let asks = access.addr == line
                    && access.mask & mask == mask
                    && access.src == u16::from(self.self_id) << 4;
                ensure(asks, || format!("{access:x?} does not ask for {line:x} {mask:x}"))?;
                for k in (0..128).filter(|k| mask >> k & 1 == 1) {
                    let seen = self.memory.get(&key(k)).copied().unwrap_or(0);
                    let right = found.0[k];
                    ensure(seen == right, || format!("{:x?} is {seen:x}, not {right:x}", key(k)))?;
                }
                if access.kind == ingress_kind::ATOMIC {
                    let Ingress { addr, mask, aop, data, .. } = access;
                    atomic(&mut self.memory, gpu, *addr, *mask, *aop, data);
                }
            }
        }
        Ok(())
    }
}

/// An atomic on a memory; operands are at byte 0 of `data`.
fn atomic(memory: &mut Memory, gpu: u8, base: u64, mask: u128, kind: u8, data: &LineData) {
    let size = (mask.count_ones() as usize).min(8);
    let first = base + u64::from(mask.trailing_zeros() & 127);
    let number = |bytes: &mut dyn Iterator<Item = u8>| {
        bytes.enumerate().fold(0, |sum, (k, byte)| sum | u64::from(byte) << (8 * k))
    };
    let keys = (0..size).map(|k| (gpu, first + k as u64));
    let old = number(&mut keys.clone().map(|key| memory.get(&key).copied().unwrap_or(0)));
    let operand = number(&mut data.0[..size].iter().copied());
    let second = number(&mut data.0[size..2 * size].iter().copied());
    let signed = |value: u64| (value << (64 - 8 * size)) as i64;
    let new = match kind {
        aop::ADD => old.wrapping_add(operand),
        aop::SWAP => operand,
        aop::CAS => {
            if old == operand {
                second
            } else {
                old
            }
        }
        aop::MIN => {
            if signed(operand) < signed(old) {
                operand
            } else {
                old
            }
        }
        aop::MAX => {
            if signed(operand) > signed(old) {
                operand
            } else {
                old
            }
        }
        aop::AND => old & operand,
        aop::OR => old | operand,
        _ => old ^ operand,
    };
    memory.extend(keys.zip(new.to_le_bytes()));
}

const CONFIGS: [&str; 2] = ["small", "single-bank"];

fn all(of: Of, runs: u64) -> Result<(), String> {
    for name in CONFIGS {
        for seed in 0..runs {
            run(name, of, seed).map_err(|wrong| format!("{name}, run {seed}: {wrong}"))?;
        }
    }
    Ok(())
}

#[test]
fn loads_and_releases_find_what_program_order_says() {
    all(Of::Models, 60).unwrap_or_else(|wrong| panic!("{wrong}"));
    if has_rtl() {
        all(Of::Rtl, 8).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}
