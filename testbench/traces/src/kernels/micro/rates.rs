//! Streams of loads and stores of 16 bytes: the rate of each cache level.

use crate::trace::Record;

use super::SMS;
use crate::kernels::{Buffer, Device, Item, Knob, Launch, Params, Program, at};

/// Megabytes of a buffer, and how many each launch moves.
const MEGABYTES: Knob = Knob::new("megabytes of the buffer", 16, 1..=2048);
const MOVED: Knob = Knob::new(
    "megabytes m that a launch moves, whole rounds of a buffer that is smaller: m, then 2 m",
    16,
    1..=4096,
);

pub const READ: Program = Program {
    name: "micro_read",
    about: "all SMs read a buffer, 16 bytes for each load",
    size: MEGABYTES,
    iterations: MOVED,
    footprint: "1048576 n",
};

pub const WRITE: Program = Program {
    name: "micro_write",
    about: "all SMs write a buffer, 16 bytes for each store",
    size: MEGABYTES,
    iterations: MOVED,
    footprint: "1048576 n",
};

pub const COPY: Program = Program {
    name: "micro_copy",
    about: "all SMs copy a buffer, 16 bytes for each access",
    size: MEGABYTES,
    iterations: MOVED,
    footprint: "2097152 n",
};

pub const READ_L2: Program = Program {
    name: "micro_read_l2",
    about: "one work-group on each of some SMs reads 16 MB again and again",
    size: Knob::new("SMs", 132, 1..=132),
    iterations: Knob::new("rounds n: n, then 2 n", 1, 1..=64),
    footprint: "16777216",
};

pub const READ_MEMORY: Program = Program {
    name: "micro_read_memory",
    about: "one work-group on each of some SMs reads a gigabyte once",
    size: Knob::new("SMs", 132, 1..=132),
    iterations: Knob::new("megabytes m that a launch reads: m, then 2 m", 16, 1..=256),
    footprint: "1073741824",
};

pub const READ_L1: Program = Program {
    name: "micro_read_l1",
    about: "each SM reads its own kilobytes again and again",
    size: Knob::new("kilobytes of an SM", 32, 1..=512),
    iterations: Knob::new("rounds n behind a warm-up round: n, then 2 n", 8, 1..=64),
    footprint: "135168 n",
};

/// What a load or store moves.
type Quad = [f32; 4];
/// Quads of a megabyte.
const MEGABYTE: usize = 1 << 16;
/// Loads that a work-item issues before it waits for the first.
const AHEAD: usize = 4;
/// A warm-up launch need not touch more: it is more than all caches hold.
const WARM: usize = 64 * MEGABYTE;

/// A part of a buffer that a launch covers, from a quad on, and how often.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    quads: usize,
    rounds: usize,
}

/// Warm-up, m megabytes, 2 m megabytes: whole rounds of a small buffer, the next parts of a large
/// one.
fn parts(quads: usize, moved: usize) -> [Part; 3] {
    if moved >= quads {
        let whole = |rounds| Part { first: 0, quads, rounds };
        return [whole(1), whole(moved / quads), whole(2 * (moved / quads))];
    }
    // Where there is no room for parts of their own, they overlap.
    let part = |first: usize, part: usize| {
        let part = part.min(quads);
        Part { first: first.min(quads - part), quads: part, rounds: 1 }
    };
    [part(quads.saturating_sub(WARM), WARM), part(0, moved), part(moved, 2 * moved)]
}

/// `read_rate`: work-item `me` of n loads quads `me`, `me` + n, `me` + 2 n and `me` + 3 n of every
/// 4 n, wrapped, and then sums them.
fn read_part(it: &Item, memory: &Buffer<Quad>, n: usize, part: Part) {
    // Where the buffer is smaller than 4 n quads, a division wraps the index.
    let gap = if part.quads < n * AHEAD { 20 } else { 2 };
    let mut sum = 0.0;
    for _ in it.turns(0..part.rounds) {
        for first in it.turns((it.x..part.quads.max(n * AHEAD)).step_by(n * AHEAD)) {
            let quads: [_; AHEAD] = std::array::from_fn(|k| {
                let quad = (first + k * n) % part.quads;
                it.load(at(k as u32, gap).chain(gap / 2), memory, part.first + quad)
            });
            for quad in quads {
                sum += quad[0];
                it.work(7);
            }
            it.work(4);
        }
    }
    assert_eq!(sum, 0.0, "memory holds zeros");
}

fn read_all<R: Record>(
    device: &mut Device<R>,
    (groups, local): (usize, usize),
    memory: &Buffer<Quad>,
    parts: [Part; 3],
) -> Result<(), R::Error> {
    let n = groups * local;
    parts.into_iter().try_for_each(|part| {
        let launch = Launch::line("read_rate", n, local).read("a", memory);
        device.each(launch, |it| read_part(it, memory, n, part))
    })
}

pub fn read<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let [quads, moved] = [params.size, params.iterations].map(|mb| mb as usize * MEGABYTE);
    let memory = device.alloc("a", quads)?;
    read_all(device, (SMS * 8, 256), &memory, parts(quads, moved))
}

pub fn read_l2<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let quads = 16 * MEGABYTE;
    let memory = device.alloc("a", quads)?;
    let moved = quads * params.iterations as usize;
    read_all(device, (params.size as usize, 1024), &memory, parts(quads, moved))
}

pub fn read_memory<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let quads = 1024 * MEGABYTE;
    let memory = device.alloc("a", quads)?;
    let mut parts = parts(quads, params.iterations as usize * MEGABYTE);
    // No part is in a cache, so there is nothing to warm but the TLB.
    parts[0].quads = MEGABYTE;
    read_all(device, (params.size as usize, 1024), &memory, parts)
}

/// `write_rate`.
pub fn write<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let [quads, moved] = [params.size, params.iterations].map(|mb| mb as usize * MEGABYTE);
    let memory = device.alloc::<Quad>("b", quads)?;
    let n = SMS * 8 * 256;
    parts(quads, moved).into_iter().try_for_each(|part| {
        let launch = Launch::line("write_rate", n, 256).write("b", &memory);
        device.each(launch, |it| {
            for round in it.turns(0..part.rounds) {
                for quad in it.turns((it.x..part.quads).step_by(n)) {
                    let value = [round as f32, it.x as f32, quad as f32, 7.0];
                    it.store(at(1, 5).chain(2), &memory, part.first + quad, value);
                }
            }
        })
    })
}

/// `copy_rate`.
pub fn copy<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    let [quads, moved] = [params.size, params.iterations].map(|mb| mb as usize * MEGABYTE);
    let [from, to] = [device.alloc::<Quad>("a", quads)?, device.alloc::<Quad>("b", quads)?];
    let n = SMS * 16 * 512;
    parts(quads, moved).into_iter().try_for_each(|part| {
        let launch = Launch::line("copy_rate", n, 512).read("a", &from).write("b", &to);
        device.each(launch, |it| {
            for _ in it.turns(0..part.rounds) {
                for quad in it.turns((it.x..part.quads).step_by(n)) {
                    let at_quad = part.first + quad;
                    let value = it.load(at(1, 5).chain(2), &from, at_quad);
                    it.store(at(2, 0), &to, at_quad, *value);
                }
            }
        })
    })
}

/// `l1_rate`. A barrier separates the warm-up round from the others.
pub fn read_l1<R: Record>(device: &mut Device<R>, params: &Params) -> Result<(), R::Error> {
    const LOCAL: usize = 1024;
    let quads = params.size as usize * MEGABYTE / 1024;
    let memory = device.alloc::<Quad>("a", SMS * quads)?;
    // The first launch fills the L2.
    for number in 0..=2 {
        let rounds = number * params.iterations as usize;
        let launch = Launch::line("l1_rate", SMS * LOCAL, LOCAL);
        let own = |group| group * quads..(group + 1) * quads;
        device.launch(launch.read_part("a", &memory, own), |group| {
            let first = group.index * quads;
            let mut sum = 0.0;
            group.phase(|it| {
                for quad in it.turns((it.lx..quads).step_by(LOCAL)) {
                    sum += it.load(at(1, 3).chain(1), &memory, first + quad)[0];
                }
            });
            group.phase(|it| {
                for _ in it.turns(0..rounds) {
                    for quad in it.turns((it.lx..quads).step_by(LOCAL)) {
                        // The sum, the index, the comparison and the branch; between rounds the
                        // heads of both loops.
                        let work =
                            if quad < LOCAL { at(2, 14).chain(12) } else { at(3, 4).chain(2) };
                        sum += it.load(work, &memory, first + quad)[0];
                    }
                }
            });
            assert_eq!(sum, 0.0, "memory holds zeros");
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_rounds_or_follow_one_another() {
        let of = |quads, moved| parts(quads, moved).map(|p| (p.first, p.quads, p.rounds));
        assert_eq!(of(16, 64), [(0, 16, 1), (0, 16, 4), (0, 16, 8)]);
        assert_eq!(of(16, 16), [(0, 16, 1), (0, 16, 1), (0, 16, 2)]);
        let (size, warm) = (512 * MEGABYTE, 64 * MEGABYTE);
        assert_eq!(of(size, 32), [(size - warm, warm, 1), (0, 32, 1), (32, 64, 1)]);
        // Of a buffer of which 3 m is more than all, the last part overlaps.
        assert_eq!(of(100, 40), [(0, 100, 1), (0, 40, 1), (20, 80, 1)]);
        assert_eq!(of(100, 60)[2], (0, 100, 1));
    }
}
