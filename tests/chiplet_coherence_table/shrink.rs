//! Smaller programs that still fail.

use crate::program::{Kind, Program};

/// Leaves out packets, then accesses and structures of kernels, as long as the program fails.
pub fn shrink(mut program: Program, fails: impl Fn(&Program) -> bool) -> Program {
    let items = program.items.clone();
    program.items =
        fewer(items, |items| fails(&Program { items: items.to_vec(), ..program.clone() }));
    for at in 0..program.items.len() {
        let Kind::Kernel(kernel) = program.items[at].kind.clone() else { continue };
        let accesses = fewer(kernel.accesses.clone(), |accesses| {
            let mut smaller = program.clone();
            if let Kind::Kernel(kernel) = &mut smaller.items[at].kind {
                kernel.accesses = accesses.to_vec();
            }
            fails(&smaller)
        });
        if let Kind::Kernel(kernel) = &mut program.items[at].kind {
            kernel.accesses = accesses;
        }
        program = without_host_writes(program, at, &fails);
    }
    program
}

fn without_host_writes(program: Program, at: usize, fails: impl Fn(&Program) -> bool) -> Program {
    let mut smaller = program.clone();
    smaller.items[at].host_writes.clear();
    if fails(&smaller) { smaller } else { program }
}

/// Leaves out runs of elements, halving their length, until none can be left out.
fn fewer<T: Clone>(mut all: Vec<T>, fails: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut length = all.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let before = all.len();
        while at < all.len() {
            let mut smaller = all.clone();
            smaller.drain(at..(at + length).min(all.len()));
            if fails(&smaller) {
                all = smaller;
            } else {
                at += length;
            }
        }
        if length > 1 {
            length = length.div_ceil(2);
        } else if all.len() == before {
            return all;
        }
    }
}
