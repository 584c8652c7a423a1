//! Decodes a trace, some times over, and does nothing else: for `valgrind --tool=callgrind`.
//! `cargo run --release -p traces --example decode -- FILE [TIMES]`

use std::hint::black_box;
use std::time::Instant;

use traces::trace::{Error, Instr, Reader};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap_or_default();
    let times: u32 = args.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut reader = Reader::open(file)?;
    let mut groups = Vec::new();
    for kernel in 0..reader.kernels() {
        for number in 0..reader.groups(kernel) {
            groups.push(reader.group(kernel, number)?);
        }
    }
    let mut instr = Instr::default();
    let (mut instructions, mut lanes) = (0u64, 0u64);
    let start = Instant::now();
    for _ in 0..times {
        for group in &groups {
            for warp in 0..group.warps() {
                let mut cursor = group.cursor(warp);
                while cursor.next(group, &mut instr)? {
                    instructions += 1;
                    lanes += u64::from(black_box(&instr).lanes.count_ones());
                }
            }
        }
    }
    let time = start.elapsed().as_nanos() as f64 / instructions.max(1) as f64;
    let width = lanes as f64 / instructions.max(1) as f64;
    println!("{instructions} instructions of {width:.1} lanes, {time:.0} ns each");
    Ok(())
}
