//! The chain's blocks: all of them in lockstep, put together, and their first difference.

use std::path::PathBuf;

use cosim::body::BodyKind;
use cosim::flip::{Flip, FlipError};
use cosim::lockstep::Lockstep;
use cosim::report::{Mismatch, RunName};
use cosim::runner::{self, RunError};
use cosim::sample::Inside;
use cosim::wave::{Shown, Wave, plain_clock, write_window};
use cosim::{Rtl, RtlOptions};
use hwmodel::Model;
use hwmodel::depacketizer::Depacketizer;
use hwmodel::egress::FinePackPath;
use hwmodel::packetizer::Packetizer;
use hwmodel::remote_write_queue::RemoteWriteQueue;
use hwmodel::tlp_link::{self, Fabric, LINK_LAT_SMALL};
use ports::Description;
use ports::common::finepack_types::FinePack;

use super::gpus::EgressSystem;

type Pair<M> = Lockstep<M>;
type Path = FinePackPath<Pair<RemoteWriteQueue>, Pair<Packetizer>>;
pub type System = EgressSystem<Path, Pair<Depacketizer>>;

fn pair<M: Model>(
    run: &RunName,
    rtl: &RtlOptions,
    config: M::Config,
    cycle: u64,
) -> Result<Pair<M>, RunError> {
    let rtl = Rtl::with(&config, rtl)?;
    Ok(Lockstep::new(run.clone(), &config, M::new(&config)?, rtl, cycle))
}

/// One episode's system, fresh out of reset.
pub fn build(
    run: &RunName,
    p: &FinePack,
    rtl: &RtlOptions,
    timeout: u16,
    acct: u8,
    cycle: u64,
) -> Result<System, RunError> {
    let gpus = 0..p.num_gpus;
    let path = |_| {
        Ok(FinePackPath::new(
            pair(run, rtl, p.into(), cycle)?,
            pair(run, rtl, p.into(), cycle)?,
            timeout,
            acct,
        ))
    };
    let paths = gpus.clone().map(path).collect::<Result<Vec<Path>, RunError>>()?;
    let ingress = gpus.map(|_| pair(run, rtl, p.into(), cycle)).collect::<Result<_, RunError>>()?;
    let link = tlp_link::Config::new(p, LINK_LAT_SMALL)?.with_max_payload(p.max_payload);
    let fabric = Fabric::new(p.num_gpus as usize, &link)?;
    Ok(EgressSystem::new(paths, ingress, fabric, LINK_LAT_SMALL.into()))
}

/// The report of a difference, and why its waveform window could not be written.
type Found = (Mismatch, Option<String>);

/// The first failed comparison of any block.
pub fn mismatch(system: &System, options: &runner::Options) -> Option<Found> {
    fn of<M: Model>(pair: &Pair<M>, path: Option<&PathBuf>) -> Option<Found> {
        let mut found = pair.mismatch().cloned()?;
        let block = M::describe(pair.config());
        let window = pair.window().zip(path);
        let written = window.map(|(window, path)| write_window(path, block, window, plain_clock()));
        let unwritten;
        (found.waves, unwritten) = runner::told(written);
        Some((found, unwritten))
    }
    let path = options.mismatch_wave.as_ref().filter(|_| options.wave.is_none());
    let mut sent = system.paths.iter();
    let sent = sent.find_map(|gpu| of(gpu.queue(), path).or_else(|| of(gpu.packetizer(), path)));
    sent.or_else(|| system.ingress.iter().find_map(|pair| of(pair, path)))
}

/// The blocks that a waveform shows, and a flip may name: those of GPU 0.
pub fn descriptions(p: &FinePack) -> Vec<Description> {
    vec![
        RemoteWriteQueue::describe(&p.into()),
        Packetizer::describe(&p.into()),
        Depacketizer::describe(&p.into()),
    ]
}

/// The block and the flip that a chain's flip means.
fn split_flip(flip: &Flip, p: &FinePack) -> Option<(usize, Flip)> {
    descriptions(p).iter().enumerate().find_map(|(i, block)| {
        let field = match flip.field.split_once('.') {
            Some((name, field)) if name == block.name => field,
            Some(_) => return None,
            None => &flip.field,
        };
        let flip = Flip { field: field.to_string(), ..flip.clone() };
        flip.port(block).is_some().then_some((i, flip))
    })
}

/// Errors: a flip that names none of their outputs.
pub fn check_flip(flip: &Flip, p: &FinePack, cycles: u64) -> Result<(), RunError> {
    let (block, inner) = split_flip(flip, p).ok_or_else(|| FlipError {
        what: "field",
        value: flip.field.clone(),
        limit:
            "an output of remote_write_queue, packetizer or depacketizer, as FIELD or BLOCK.FIELD"
                .into(),
    })?;
    Ok(inner.check(&descriptions(p)[block], cycles)?)
}

/// Inverts the bit in this cycle; false where it is not shown.
pub fn apply_flip(system: &mut System, flip: &Flip, p: &FinePack) -> bool {
    let Some((block, flip)) = split_flip(flip, p) else { return true };
    match block {
        0 => flip.apply(system.paths[0].queue_mut()),
        1 => flip.apply(system.paths[0].packetizer_mut()),
        _ => flip.apply(&mut system.ingress[0]),
    }
}

/// Keeps the last cycle of GPU 0's blocks from now on, with their insides or without. Returns what
/// can be seen of them.
pub fn start_tracing(system: &mut System, inside: bool) -> Vec<Shown> {
    fn start<M: Model>(pair: &mut Pair<M>, inside: bool) -> Shown {
        let inside = if inside { pair.look_inside() } else { Inside::default() };
        pair.start_tracing();
        let block = M::describe(pair.config());
        Shown { inside, ..Shown::ports(block, BodyKind::Lockstep) }
    }
    let path = &mut system.paths[0];
    let queue = start(path.queue_mut(), inside);
    let packetizer = start(path.packetizer_mut(), inside);
    vec![queue, packetizer, start(&mut system.ingress[0], inside)]
}

/// Has all blocks keep their insides from this cycle on.
pub fn inspect_from(system: &mut System, from: u64) {
    for path in &mut system.paths {
        path.queue_mut().inspect_from(from);
        path.packetizer_mut().inspect_from(from);
    }
    system.ingress.iter_mut().for_each(|pair| pair.inspect_from(from));
}

/// Writes that cycle.
pub fn trace(system: &System, wave: &mut Wave) {
    let path = &system.paths[0];
    let cycles =
        (path.queue().last_cycle(), path.packetizer().last_cycle(), system.ingress[0].last_cycle());
    if let (Some(queue), Some(packetizer), Some(depacketizer)) = cycles {
        wave.cycle(&[(0, queue), (1, packetizer), (2, depacketizer)]);
    }
}
