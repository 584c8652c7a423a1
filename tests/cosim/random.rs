//! Model and RTL of every block in lockstep with parameters that no configuration names: legal
//! ones, drawn from seeds.

use cosim::blocks;
use cosim::runner::Options;
use duet_tests::has_rtl;

/// Seeds of the draws. Another seed is another body, which is most of the time.
const SEEDS: [u64; 3] = [1, 2, 3];
const CYCLES: u64 = 20_000;
/// What is not drawn, as the RTL of many takes long to build.
const FEW: [(&str, &str); 1] = [("race_detection_unit", "n_sm=3")];

/// Runs one block with the parameters of each seed. How often which case comes depends on the
/// parameters, but each block does something.
fn agrees(name: &str) {
    if !has_rtl() {
        return;
    }
    let block = blocks::find(name).expect("a block of this name");
    let set = FEW.iter().filter(|(of, _)| *of == name).map(|(_, set)| set.to_string());
    let set: Vec<_> = set.collect();
    for seed in SEEDS {
        let drawn = block.family.apply_or_draw("random", seed, &set, &[]);
        let (chosen, _) = drawn.unwrap_or_else(|error| panic!("{error}"));
        let options = Options { cycles: CYCLES, seed, ..Options::default() };
        let outcome = (block.run)(&chosen, &options);
        let outcome = outcome.unwrap_or_else(|error| panic!("{:?}: {error}", chosen.drawn));
        if let Some(mismatch) = outcome.mismatch {
            panic!("duet cosim {name} --config random --seed {seed}\n{mismatch}");
        }
        assert_eq!(outcome.cycles, CYCLES);
        let moved: u64 = outcome.transfers.iter().map(|(_, count)| count).sum();
        assert!(moved > 100, "seed {seed}: {:?}", outcome.transfers);
    }
}

macro_rules! tests_of_blocks {
    ($($family:ident::$block:ident;)*) => {$(
        #[test]
        fn $block() {
            agrees(stringify!($block));
        }
    )*};
}

duet_tests::for_each_block!(tests_of_blocks);
