//! Events as bytes. The order of fields is that of `docs/trace-format.md`.

use super::instr::AtomicOp;
use super::limits::{
    ADDRESS_END, BUFFER, MAX_ARGS, MAX_GROUP_ITEMS, MAX_HOST_WRITE, MAX_NAME, MAX_RANGES,
    MAX_STREAMS, MAX_TABLE, PAGE,
};
use super::streams::Bound;
use super::wire::{Malformed, Wire, put_bytes, put_varint, unzigzag, zigzag};
use super::{
    Arg, ArgKind, AtomicCell, ByteSet, Event, FirstTouch, KernelHead, Mode, RacyByte, ScheduleRange,
};

const ALLOC: u8 = 0;
const FREE: u8 = 1;
const HOST_WRITE: u8 = 2;
const HOST_READ: u8 = 3;
const KERNEL: u8 = 4;
const STREAMS: u8 = 5;
const WAIT: u8 = 6;
const PRIVATE: u8 = 7;
const KERNEL_WITH_MEMORY: u8 = 8;

/// Sets of more members than this are bit maps.
const LISTED: u8 = 24;
const BIT_MAP: u8 = 0xff;

/// Appends an event.
pub fn put_event(out: &mut Vec<u8>, event: &Event) {
    match event {
        Event::Alloc { addr, bytes, name, private } => {
            out.push(if *private { PRIVATE } else { ALLOC });
            put_varint(out, *addr);
            put_varint(out, *bytes);
            put_bytes(out, name.as_bytes());
        }
        Event::Free { addr } => {
            out.push(FREE);
            put_varint(out, *addr);
        }
        Event::HostWrite { addr, data } => {
            out.push(HOST_WRITE);
            put_varint(out, *addr);
            put_bytes(out, data);
        }
        Event::HostRead { addr, bytes } => {
            out.push(HOST_READ);
            put_varint(out, *addr);
            put_varint(out, *bytes);
        }
        Event::Kernel(head) => {
            match head.group_memory {
                0 => out.push(KERNEL),
                bytes => {
                    out.push(KERNEL_WITH_MEMORY);
                    put_varint(out, bytes.into());
                }
            }
            put_head(out, head);
        }
        Event::Streams(bound) => {
            out.extend([STREAMS, bound.len() as u8]);
            out.extend(bound.iter().flat_map(|bound| [bound.part, bound.of]));
        }
        Event::Wait { stream, of } => out.extend([WAIT, *stream, *of]),
    }
}

fn put_head(out: &mut Vec<u8>, head: &KernelHead) {
    put_bytes(out, head.name.as_bytes());
    for n in head.grid.iter().chain(&head.local) {
        put_varint(out, u64::from(*n));
    }
    put_varint(out, u64::from(head.groups));
    out.push(head.stream);
    put_varint(out, head.args.len() as u64);
    for arg in &head.args {
        put_arg(out, arg);
    }
    put_varint(out, head.racy.len() as u64);
    let mut last = 0;
    for byte in &head.racy {
        put_varint(out, byte.addr.wrapping_sub(last));
        last = byte.addr;
        put_set(out, &byte.during);
        put_set(out, &byte.after);
    }
    put_varint(out, head.atomics.len() as u64);
    let mut last = 0;
    for cell in &head.atomics {
        put_varint(out, cell.addr.wrapping_sub(last));
        last = cell.addr;
        out.push(cell.size);
        out.push(cell.op as u8);
        put_varint(out, zigzag(cell.low));
        put_varint(out, zigzag(cell.high));
    }
    put_varint(out, head.first_touches.len() as u64);
    let (mut page, mut group) = (0, 0);
    for touch in &head.first_touches {
        put_varint(out, u64::from(touch.group - group));
        put_varint(out, zigzag((touch.page / PAGE) as i64 - page));
        (page, group) = ((touch.page / PAGE) as i64, touch.group);
    }
}

fn put_arg(out: &mut Vec<u8>, arg: &Arg) {
    put_bytes(out, arg.name.as_bytes());
    let ArgKind::Buffer { addr, bytes, mode, ranges } = &arg.kind else {
        out.push(0);
        return;
    };
    out.push(match mode {
        Mode::Read => 1,
        Mode::ReadWrite => 2,
    });
    put_varint(out, *addr);
    put_varint(out, *bytes);
    put_varint(out, ranges.len() as u64);
    for range in ranges {
        put_varint(out, u64::from(range.first_group));
        put_varint(out, u64::from(range.last_group));
        put_varint(out, range.addr);
        put_varint(out, range.bytes);
    }
}

fn put_set(out: &mut Vec<u8>, set: &ByteSet) {
    let members = set.len();
    if members <= u32::from(LISTED) {
        out.push(members as u8);
        out.extend(set.values());
    } else {
        out.push(BIT_MAP);
        out.extend_from_slice(set.0.map(u64::to_le_bytes).as_flattened());
    }
}

/// The next event.
pub fn event(wire: &mut Wire) -> Result<Event, Malformed> {
    let kind = wire.byte("an event")?;
    Ok(match kind {
        ALLOC | PRIVATE => {
            let addr = address(wire)?;
            if addr % BUFFER != 0 {
                return Err(wire.malformed("a buffer at a multiple of 128"));
            }
            let bytes = extent(wire, addr)?;
            if bytes == 0 {
                return Err(wire.malformed("a buffer of at least 1 byte"));
            }
            let name = wire.string(MAX_NAME, "a buffer's name")?;
            Event::Alloc { addr, bytes, name, private: kind == PRIVATE }
        }
        FREE => Event::Free { addr: address(wire)? },
        HOST_WRITE => {
            let addr = address(wire)?;
            let data = wire.bytes("bytes that the host writes")?;
            if data.len() > MAX_HOST_WRITE || data.len() as u64 > ADDRESS_END - addr {
                return Err(wire.malformed("a host write of at most 1 MiB"));
            }
            Event::HostWrite { addr, data: data.to_vec() }
        }
        HOST_READ => {
            let addr = address(wire)?;
            Event::HostRead { addr, bytes: extent(wire, addr)? }
        }
        KERNEL => Event::Kernel(head(wire)?),
        KERNEL_WITH_MEMORY => {
            let group_memory = wire.u32("bytes of work-group memory")?;
            Event::Kernel(KernelHead { group_memory, ..head(wire)? })
        }
        STREAMS => Event::Streams(streams(wire)?),
        WAIT => {
            let (stream, of) = (wire.byte("a stream that waits")?, wire.byte("a stream")?);
            if stream == of {
                return Err(wire.malformed("a stream that waits for another one"));
            }
            Event::Wait { stream, of }
        }
        _ => return Err(wire.malformed("an event of kind 0 to 8")),
    })
}

fn streams(wire: &mut Wire) -> Result<Vec<Bound>, Malformed> {
    let number = usize::from(wire.byte("a number of streams")?);
    if !(2..=MAX_STREAMS).contains(&number) {
        return Err(wire.malformed("2 to 32 streams"));
    }
    let mut bound = || {
        let (part, of) = (wire.byte("a part")?, wire.byte("a number of parts")?);
        if part >= of {
            return Err(wire.malformed("a part of the chiplets that there is"));
        }
        Ok(Bound { part, of })
    };
    (0..number).map(|_| bound()).collect()
}

fn address(wire: &mut Wire) -> Result<u64, Malformed> {
    wire.number(ADDRESS_END - 1, "an address below 2^44")
}

fn extent(wire: &mut Wire, addr: u64) -> Result<u64, Malformed> {
    wire.number(ADDRESS_END - addr, "a size that ends below 2^44")
}

fn head(wire: &mut Wire) -> Result<KernelHead, Malformed> {
    let name = wire.string(MAX_NAME, "a kernel's name")?;
    let mut sizes = [0; 6];
    for size in &mut sizes {
        *size = wire.u32("a size of the grid")?;
    }
    let [gx, gy, gz, lx, ly, lz] = sizes;
    if [lx, ly, lz].iter().map(|&n| u128::from(n)).product::<u128>() > u128::from(MAX_GROUP_ITEMS) {
        return Err(wire.malformed("a work-group of at most 65536 work-items"));
    }
    let groups = wire.u32("a number of work-groups")?;
    let stream = wire.byte("a stream")?;
    let n = wire.count(2, "a number of arguments")?;
    if n > MAX_ARGS {
        return Err(wire.malformed("at most 4096 arguments"));
    }
    let mut ranges = MAX_RANGES;
    let args = (0..n).map(|_| arg(wire, &mut ranges)).collect::<Result<_, _>>()?;
    let racy = racy(wire)?;
    let atomics = atomics(wire)?;
    let (grid, local) = ([gx, gy, gz], [lx, ly, lz]);
    let first_touches = first_touches(wire, groups)?;
    Ok(KernelHead {
        name,
        grid,
        local,
        groups,
        group_memory: 0,
        stream,
        args,
        racy,
        atomics,
        first_touches,
    })
}

/// An argument, with at most `most` ranges; `most` becomes what is left for others.
fn arg(wire: &mut Wire, most: &mut usize) -> Result<Arg, Malformed> {
    let name = wire.string(MAX_NAME, "an argument's name")?;
    let mode = match wire.byte("an argument's mode")? {
        0 => return Ok(Arg { name, kind: ArgKind::Plain }),
        1 => Mode::Read,
        2 => Mode::ReadWrite,
        _ => return Err(wire.malformed("an argument's mode, 0 to 2")),
    };
    let addr = address(wire)?;
    let bytes = extent(wire, addr)?;
    let mut ranges = Vec::new();
    let n = wire.count(4, "a number of ranges")?;
    *most = most.checked_sub(n).ok_or(wire.malformed("at most 2^20 ranges of all arguments"))?;
    for _ in 0..n {
        let first_group = wire.u32("a range's first work-group")?;
        let last_group = wire.u32("a range's last work-group")?;
        let addr = address(wire)?;
        ranges.push(ScheduleRange { first_group, last_group, addr, bytes: extent(wire, addr)? });
    }
    Ok(Arg { name, kind: ArgKind::Buffer { addr, bytes, mode, ranges } })
}

/// The address of the next entry of an ascending table.
fn ascending(wire: &mut Wire, last: &mut Option<u64>) -> Result<u64, Malformed> {
    let step = address(wire)?;
    let addr = last.map_or(Some(step), |last| last.checked_add(step).filter(|_| step > 0));
    let addr = addr.filter(|&addr| addr < ADDRESS_END);
    *last = addr;
    addr.ok_or(wire.malformed("ascending addresses below 2^44"))
}

fn racy(wire: &mut Wire) -> Result<Vec<RacyByte>, Malformed> {
    let n = wire.count(3, "a number of racy bytes")?;
    if n > MAX_TABLE {
        return Err(wire.malformed("at most 2^23 racy bytes"));
    }
    // No capacity ahead: an entry takes far more memory than 3 bytes.
    let mut table = Vec::new();
    let mut last = None;
    for _ in 0..n {
        let addr = ascending(wire, &mut last)?;
        table.push(RacyByte { addr, during: set(wire)?, after: set(wire)? });
    }
    Ok(table)
}

fn set(wire: &mut Wire) -> Result<ByteSet, Malformed> {
    let mut set = ByteSet::default();
    match wire.byte("a set of byte values")? {
        BIT_MAP => {
            for word in &mut set.0 {
                *word = wire.u64("a bit map of byte values")?;
            }
        }
        n @ 0..=LISTED => {
            for &value in wire.take(usize::from(n), "a list of byte values")? {
                set.insert(value);
            }
        }
        _ => return Err(wire.malformed("a set of byte values of a known form")),
    }
    Ok(set)
}

fn atomics(wire: &mut Wire) -> Result<Vec<AtomicCell>, Malformed> {
    let n = wire.count(5, "a number of atomics' locations")?;
    if n > MAX_TABLE {
        return Err(wire.malformed("at most 2^23 locations of atomics"));
    }
    let mut table = Vec::new();
    let mut last = None;
    for _ in 0..n {
        let addr = ascending(wire, &mut last)?;
        let size = wire.byte("an atomic's size")?;
        if !matches!(size, 4 | 8) || addr % u64::from(size) != 0 {
            return Err(wire.malformed("an aligned atomic of 4 or 8 bytes"));
        }
        let op = AtomicOp::from_code(wire.byte("an atomic operation")?);
        let op = op.ok_or(wire.malformed("an atomic operation, 0 to 8"))?;
        let low = unzigzag(wire.varint("the least value")?);
        let high = unzigzag(wire.varint("the greatest value")?);
        table.push(AtomicCell { addr, size, op, low, high });
    }
    Ok(table)
}

fn first_touches(wire: &mut Wire, groups: u32) -> Result<Vec<FirstTouch>, Malformed> {
    let n = wire.count(2, "a number of pages")?;
    if n > MAX_TABLE {
        return Err(wire.malformed("at most 2^23 pages"));
    }
    let mut table = Vec::new();
    let (mut page, mut group) = (0i64, 0u64);
    for _ in 0..n {
        group += u64::from(wire.u32("a work-group")?);
        page = page.wrapping_add(unzigzag(wire.varint("a page")?));
        if group >= u64::from(groups) || !(0..(ADDRESS_END / PAGE) as i64).contains(&page) {
            return Err(wire.malformed("a page below 2^44 and a work-group of the kernel"));
        }
        table.push(FirstTouch { page: page as u64 * PAGE, group: group as u32 });
    }
    Ok(table)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// One event of each kind, and every form of their fields.
    pub fn examples() -> Vec<Event> {
        let mut few = ByteSet::default();
        few.insert(3);
        few.insert(255);
        let range = ScheduleRange { first_group: 1, last_group: 2, addr: 4096, bytes: 64 };
        let kind =
            ArgKind::Buffer { addr: 4096, bytes: 100, mode: Mode::Read, ranges: vec![range] };
        let head = KernelHead {
            name: "kernel".to_string(),
            grid: [256, 2, 1],
            local: [64, 1, 1],
            groups: 8,
            group_memory: 4096,
            stream: 1,
            args: vec![
                Arg { name: "a".to_string(), kind },
                Arg { name: "n".to_string(), kind: ArgKind::Plain },
            ],
            racy: vec![
                RacyByte { addr: 4096, during: few, after: few },
                RacyByte { addr: 4100, during: ByteSet([u64::MAX; 4]), after: few },
            ],
            atomics: vec![
                AtomicCell { addr: 8192, size: 4, op: AtomicOp::Add, low: -3, high: 9 },
                AtomicCell { addr: 8200, size: 8, op: AtomicOp::Xor, low: 0, high: i64::MIN },
            ],
            first_touches: vec![
                FirstTouch { page: 8192, group: 0 },
                FirstTouch { page: 4096, group: 0 },
                FirstTouch { page: 1 << 43, group: 7 },
            ],
        };
        vec![
            Event::Alloc { addr: 4096, bytes: 5000, name: "buffer".to_string(), private: false },
            Event::Alloc { addr: 16384, bytes: 4, name: "own".to_string(), private: true },
            Event::HostWrite { addr: 4100, data: (0..100).collect() },
            Event::HostRead { addr: 4096, bytes: 8 },
            Event::Kernel(KernelHead { group_memory: 0, ..head.clone() }),
            Event::Kernel(head),
            Event::Free { addr: 4096 },
        ]
    }

    #[test]
    fn events_come_back() {
        let mut out = Vec::new();
        for event in examples() {
            put_event(&mut out, &event);
        }
        let mut wire = Wire::new(&out, 0);
        for expected in examples() {
            assert_eq!(event(&mut wire), Ok(expected));
        }
        assert_eq!(wire.left(), 0);
    }

    #[test]
    fn a_cut_event_is_an_error() {
        for expected in examples() {
            let mut out = Vec::new();
            put_event(&mut out, &expected);
            for len in 0..out.len() {
                assert!(event(&mut Wire::new(&out[..len], 0)).is_err());
            }
        }
    }

    #[test]
    fn a_changed_event_never_panics() {
        for expected in examples() {
            let mut out = Vec::new();
            put_event(&mut out, &expected);
            for at in 0..out.len() {
                for bit in 0..8 {
                    out[at] ^= 1 << bit;
                    let _ = event(&mut Wire::new(&out, 0));
                    out[at] ^= 1 << bit;
                }
            }
        }
    }
}
