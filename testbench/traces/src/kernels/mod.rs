//! Built-in programs: GPU programs that run for real on the host, work-item by work-item, and
//! record each access with its value. They mirror what the papers evaluate (CPElide table II,
//! FinePack section V, STC section 6, Tabbakh's thesis section 4.3.2), at any size, and depend on
//! their parameters and nothing else.
//!
//! A program is one file. It has a `PROGRAM` that describes it, and a `run` that allocates and
//! fills buffers, launches kernels and gives back what the host reads at the end. A kernel is a
//! closure over the work-item, or, where it has barriers, over the work-group
//! ([`Device::launch`]), with [`Group::phase`] around what its work-items do between them. Groups
//! that wait for each other within a kernel run in turns ([`Device::in_turns`]):
//!
//! ```text
//! let launch = Launch::line("double", n, 64).write_part("a", &a, chunk(64));
//! device.each(launch, |it| {
//!     let v = it.load(at(1, 3), &a, it.x);
//!     it.store(at(2, 1), &a, it.x, 2.0 * *v);
//! })?;
//! ```
//!
//! A load gives a [`Loaded`] value, which is read where the kernel dereferences it. Loads that do
//! not depend on each other stand before the first read of any of them, as a GPU's compiler puts
//! them. Loads of several turns of a loop overlap only where the kernel keeps the values in an
//! array (`kmeans`, `lbm`, `rnn`). GPU compilers unroll more loops.
//!
//! Arithmetic keeps to operations that IEEE 754 rounds (so no `exp`), in a stated order: values are
//! the same on every machine.

mod buffer;
mod device;
mod erased;
#[cfg(test)]
mod first_uses_tests;
mod group;
mod held;
mod input;
mod jobs;
mod launch;
mod loops;
mod micro;
mod program;
#[cfg(test)]
mod races;
mod recurrent;
#[cfg(test)]
mod shadow;
#[cfg(test)]
mod tests;

pub use buffer::{Buffer, Element, Integer};
pub use device::Device;
pub use group::{Group, Item, Site, at};
pub use held::Loaded;
pub use launch::{Launch, chunk};
pub use micro::{PROGRAMS as MICRO, SMS as MICRO_SMS};
pub use program::{KernelError, Knob, Params, Program};

use crate::trace::Record;
use erased::{Erased, Keeping, Refused};

/// Declares the programs, one module each, in the order in which they are listed.
macro_rules! programs {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// All programs.
        pub const PROGRAMS: &[Program] = &[$($module::PROGRAM),*];

        /// Name and one line of each program.
        pub const NAMES: &[(&str, &str)] =
            &[$(($module::PROGRAM.name, $module::PROGRAM.about)),*];

        fn run_erased(
            name: &str,
            params: &Params,
            mut record: Erased,
        ) -> Result<(), KernelError<Refused>> {
            program(name)?.check(params)?;
            let device = &mut Device::new(&mut record);
            $(if name == $module::PROGRAM.name {
                $module::run(device, params)?;
            })*
            micro::run(name, device, params)?;
            Ok(())
        }
    };
}

programs!(
    stream,
    copy,
    bfs,
    sssp,
    pagerank,
    pagerank_push,
    jacobi2d,
    hotspot3d,
    multigrid,
    lu,
    gemm,
    fft,
    rnn,
    kmeans,
    als,
    reuse,
    locks,
    work_queue,
    colouring,
    spanning_tree,
    barnes_hut,
    wave,
    lbm,
    jacobi_band,
    pagerank_cage,
    sssp_pull,
    tomography,
    diffusion,
    earthquake,
    turbulence,
    backprop,
    color_max,
    floyd_warshall,
    gaussian,
    hotspot,
    lstm,
    btree,
    cnn,
    dwt2d,
    nw,
    pathfinder,
    srad,
    stream_jobs,
    mixed_jobs,
    spills
);

/// Runs the program called `name` from its first allocation to the host's last read, which covers
/// its results. Nothing is recorded unless name and parameters are legal.
pub fn run<R: Record>(
    name: &str,
    params: &Params,
    record: &mut R,
) -> Result<(), KernelError<R::Error>> {
    let mut keeping = Keeping::new(record);
    run_erased(name, params, Erased(&mut keeping))
        .map_err(|error| error.map(|Refused| keeping.error().expect("what refuses says why")))
}

/// All programs and microbenchmarks.
pub fn all() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().chain(MICRO)
}

/// The program or microbenchmark called `name`.
pub fn program<E>(name: &str) -> Result<&'static Program, KernelError<E>> {
    all().find(|p| p.name == name).ok_or_else(|| {
        let known: Vec<&str> = all().map(|p| p.name).collect();
        let known = ports::known_names(name, known, Some("duet list workloads"));
        KernelError::UnknownProgram { name: name.to_string(), known }
    })
}
