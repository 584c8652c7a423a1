//! Microbenchmarks of a GPU's memory: each measures one latency or one rate. They are the kernels
//! of `testbench/correlation/micro.cu` on a GPU of [`SMS`] SMs, with the same addresses in the same
//! order, but fewer of them: after a warm-up, a program launches n steps (or rounds, or megabytes)
//! and then 2 n. The difference is n steps without what a launch takes. Memory holds zeros:
//! as in micro.cu, each address of a chain adds the value of the load before, which is 0.

mod atomics;
mod chains;
mod chase;
mod launches;
mod rates;

use crate::trace::Record;

use super::{Device, Params, Program};

/// SMs of the GPU, each with a work-group or several.
pub const SMS: usize = 132;

/// Declares the programs: a function of a module and its `Program`.
macro_rules! programs {
    ($($module:ident :: $run:ident $program:ident),* $(,)?) => {
        /// All microbenchmarks.
        pub const PROGRAMS: &[Program] = &[$($module::$program),*];

        /// Runs the program called `name`, if it is a microbenchmark.
        pub fn run<R: Record>(
            name: &str,
            device: &mut Device<R>,
            params: &Params,
        ) -> Result<(), R::Error> {
            $(if name == $module::$program.name {
                $module::$run(device, params)?;
            })*
            Ok(())
        }
    };
}

programs!(
    chase::chase CHASE,
    rates::read READ,
    rates::write WRITE,
    rates::copy COPY,
    rates::read_l2 READ_L2,
    rates::read_memory READ_MEMORY,
    rates::read_l1 READ_L1,
    chains::in_l2 CHAINS_L2,
    chains::in_memory CHAINS_MEMORY,
    atomics::words WORDS,
    atomics::lines LINES,
    atomics::chain CHAIN,
    launches::fences FENCES,
    launches::empty EMPTY,
    launches::stores STORES,
);

/// A random permutation of 0 to `len` - 1, as micro.cu shuffles it.
fn shuffled(len: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    let mut state = seed;
    for left in (2..=len).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(left - 1, (state >> 16) as usize % left);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::shadow::Shadow;
    use super::super::{KernelError, run};
    use super::*;
    use crate::trace::{Event, Reader, Recorder};

    #[test]
    fn least_values_run_and_no_load_races() {
        for program in PROGRAMS {
            let params =
                Params { size: program.size.min, iterations: program.iterations.min, seed: 1 };
            let mut recorder = Recorder::in_memory(program.name).unwrap();
            run(program.name, &params, &mut recorder).unwrap();
            let bytes = recorder.into_bytes().unwrap();
            let mut reader = Reader::from_bytes(bytes, program.name).unwrap();
            let mut kernels = 0;
            while let Some(event) = reader.next_event().unwrap() {
                let Event::Kernel(head) = event else { continue };
                assert!(head.racy.is_empty(), "{}", program.name);
                kernels += 1;
            }
            assert!(kernels >= 1, "{}", program.name);
        }
    }

    #[test]
    fn limits_hold() {
        let program = PROGRAMS[0];
        let params = Params { iterations: 0, ..program.params() };
        let error = run(program.name, &params, &mut Shadow::default()).unwrap_err();
        assert!(matches!(error, KernelError::OutOfRange { field: "iterations", .. }), "{error}");
    }

    #[test]
    fn shuffle_is_that_of_the_cuda_program() {
        // By hand: 88172645463325252 becomes 8748534153485358512, and so on (Marsaglia, 2003,
        // section 4: the first outputs of the generator with this seed).
        assert_eq!(shuffled(1, 88_172_645_463_325_252), [0]);
        let order = shuffled(1000, 88_172_645_463_325_252);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(at, number)| at == *number as usize));
        assert_eq!(order[999] as u64, (8_748_534_153_485_358_512u64 >> 16) % 1000);
    }
}
