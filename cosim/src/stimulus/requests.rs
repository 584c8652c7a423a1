//! Requests to a remote write queue, as the block alone and the chain of several GPUs get them.

use std::ops::Range;

use hwmodel::common::finepack_types::{Req, gpu_of, op};

use super::random::MaskForm;
use super::{Random, masked_bytes};

/// Who asks, and which addresses are in use.
#[derive(Clone, Debug)]
pub struct Requester {
    /// This GPU.
    pub self_id: u8,
    /// GPUs of the system.
    pub num_gpus: u32,
    /// Entries of a bank.
    pub entries: u32,
    /// Bytes of a line.
    pub line: u32,
    /// Bits of an offset: a window has `2^offset_width` bytes.
    pub offset_width: u32,
    /// Address windows, by number. The first is the usual one.
    pub windows: Range<u64>,
    /// Lines in use at each end of a window.
    pub lines_per_end: u64,
}

impl Requester {
    /// Any other GPU.
    pub fn dest(&self, r: &mut Random) -> u8 {
        gpu_of(r.below(self.num_gpus - 1) as usize, self.self_id)
    }
}

/// What the requests of one phase have in common. Chances are parts of 256.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Chance that a request is not a store.
    other: u32,
    /// Chance of a request that must be dropped.
    pub fault: u32,
    form: Option<MaskForm>,
    lines: u32,
    /// Chance of another window than the usual one.
    far: u32,
    dest: Option<u8>,
}

impl Pattern {
    /// Draws a pattern.
    pub fn draw(r: &mut Random, from: &Requester) -> Self {
        let entries = from.entries;
        Self {
            other: r.pick(&[0, 0, 2, 24, 96]),
            fault: r.pick(&[0, 0, 4, 40]),
            form: r.form(),
            lines: r.pick(&[1, 2, entries / 2, entries, 4 * entries]),
            far: r.pick(&[0, 0, 1, 32]),
            dest: if r.chance(96) { Some(from.dest(r)) } else { None },
        }
    }

    /// Draws a request.
    pub fn request(&self, r: &mut Random, from: &Requester) -> Req {
        let Requester { line, offset_width, ref windows, .. } = *from;
        let count = (windows.end - windows.start) as u32;
        let window = windows.start + if r.chance(self.far) { r.below(count).into() } else { 0 };
        let near = u64::from(r.below(self.lines)) % from.lines_per_end;
        let lines = (1u64 << offset_width) / u64::from(line);
        let place = if r.chance(8) { lines - 1 - near } else { near };
        let mut req = Req {
            id: r.word() as u8,
            dest: self.dest.unwrap_or_else(|| from.dest(r)),
            addr: (window << offset_width) + place * u64::from(line) + u64::from(r.below(line)),
            mask: r.mask(line, self.form),
            op: op::STORE,
            ..Default::default()
        };
        if r.chance(self.other) {
            req.op = r.pick(&[
                op::LOAD,
                op::LOAD,
                op::ATOMIC,
                op::ATOMIC,
                op::RELEASE_SYS,
                op::RELEASE_GPU,
            ]);
        }
        match req.op {
            op::STORE => req.data = masked_bytes(r, line, req.mask),
            op::ATOMIC => {
                req.mask = r.atomic_mask(line);
                req.aop = r.below(8) as u8;
                req.data = masked_bytes(r, 16, 0xffff);
            }
            _ => {}
        }
        if r.chance(self.fault) {
            spoil(&mut req, r, from);
        }
        req
    }
}

/// Breaks a request in one way or in several at once; now and then it stays legal.
fn spoil(req: &mut Req, r: &mut Random, from: &Requester) {
    if r.chance(96) {
        req.mask = 0;
    }
    if r.chance(96) {
        req.dest = r.pick(&[from.self_id, from.num_gpus as u8 & 15, 15]);
    }
    match r.below(6) {
        0 => req.op = 5 + r.below(3) as u8,
        1 => req.aop = 8 + r.below(8) as u8,
        2 => req.mask &= 0x0ff0_0ff7,
        3 => req.mask <<= 1,
        _ => {}
    }
    req.mask &= u128::MAX >> (128 - from.line);
}
