//! What the tests across crates share: both bodies of a block behind one type, and a bench that
//! drives one and keeps what it shows; the hosts of the firmware.

mod blocks;
pub mod firmware;
mod traffic;

use std::path::Path;

use cosim::catalog::{Family, Pair};
use cosim::settings::named;
use cosim::{Rtl, RtlOptions};
use hwmodel::finepack::remote_write_queue::RemoteWriteQueue;
use hwmodel::{Block, Model};
use ports::finepack::types::LineData;
use tempfile::TempDir;

pub use traffic::rtl_after_traffic;

/// Either body of a block.
pub type Body<M> = Box<dyn Block<In = <M as Block>::In, Out = <M as Block>::Out>>;

/// Makes one kind of body, with any legal parameters.
pub type Make<M> = fn(&<M as Model>::Config) -> Body<M>;

/// The named configuration. Panics where there is none.
pub fn parameters<F: Family>(config: &str) -> F {
    named(config).unwrap_or_else(|error| panic!("{error}"))
}

/// The names of a family's configurations.
pub fn configs<F: Family>() -> Vec<String> {
    F::named().into_keys().collect()
}

/// True where RTL bodies can be made; says so where they cannot.
pub fn has_rtl() -> bool {
    is_ready(RemoteWriteQueue::NAME)
}

/// True where RTL bodies of `M` can be made; says so where they cannot.
pub fn has_rtl_of<M: Pair>() -> bool {
    is_ready(M::NAME)
}

fn is_ready(block: &'static str) -> bool {
    let ready = bodies::ready(block);
    if let Err(problem) = &ready {
        println!("skipped: {problem}");
    }
    ready.is_ok()
}

/// A block's model in a named configuration.
pub fn model<M: Pair>(config: &str) -> M {
    M::new(&M::config(&parameters(config))).expect("the configurations are legal")
}

/// A block's RTL body in a named configuration. Its registers held random values before its reset.
pub fn rtl<M: Pair>(config: &str) -> Rtl<M> {
    rtl_with(&M::config(&parameters(config)))
}

/// Likewise with any legal parameters.
pub fn rtl_with<M: Pair>(config: &M::Config) -> Rtl<M> {
    let options = RtlOptions { registers: 0x2a51_7ec3, ..RtlOptions::default() };
    Rtl::with(config, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs `check` on the model, then on the RTL body where there is one: as it comes, and reset in
/// the midst of traffic.
pub fn on_both_bodies<M: Pair + 'static>(config: &str, check: impl Fn(Body<M>)) {
    with_both_bodies::<M>(|make| check(make(&M::config(&parameters(config)))));
}

/// Likewise for a `check` that makes its bodies itself.
pub fn with_both_bodies<M: Pair + 'static>(check: impl Fn(Make<M>)) {
    println!("on the model");
    check(|config| Box::new(M::new(config).expect("legal parameters")));
    if has_rtl_of::<M>() {
        println!("on the RTL");
        check(|config| Box::new(rtl_with::<M>(config)));
        println!("on the RTL after traffic and a reset");
        check(|config| Box::new(rtl_after_traffic::<M>(config)));
    }
}

/// A body and its outputs in every cycle so far.
pub struct Bench<B: Block> {
    /// The body.
    pub body: B,
    /// Outputs, by cycle.
    pub out: Vec<B::Out>,
}

impl<B: Block> Bench<B> {
    /// Takes a body that has just been reset.
    pub fn new(body: B) -> Self {
        Self { body, out: Vec::new() }
    }

    /// One cycle; returns its number. Panics when an assertion of the RTL fails.
    pub fn cycle(&mut self, inputs: &B::In) -> usize {
        let cycle = self.out.len();
        self.out.push(self.body.tick(inputs));
        let mut failure = String::new();
        let _ = self.body.write_failure(&mut failure);
        assert!(!self.body.failed(), "cycle {cycle}: {failure}");
        cycle
    }

    /// Runs up to and including `cycle` with these inputs; returns its outputs.
    pub fn at(&mut self, cycle: usize, inputs: &B::In) -> B::Out {
        while self.out.len() <= cycle {
            self.cycle(inputs);
        }
        self.out[cycle]
    }
}

/// `len` ones from bit `first` up; `len` is at least 1.
pub fn ones(first: u32, len: u32) -> u128 {
    (u128::MAX >> (128 - len)) << first
}

/// Byte k of a line is `value + k` where `mask` has a 1, and 0 elsewhere.
pub fn counting(mask: u128, value: u8) -> LineData {
    let mut data = LineData::default();
    for k in (0..128).filter(|k| mask >> k & 1 == 1) {
        data.0[k] = value.wrapping_add(k as u8);
    }
    data
}

/// A folder of its own for one test, removed with it.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes the folder. `test` is unique in the whole workspace.
    pub fn new(test: &str) -> Self {
        let made = tempfile::Builder::new().prefix(&format!("duet-{test}-")).tempdir();
        Self(made.unwrap_or_else(|e| panic!("{test}: {e}")))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
