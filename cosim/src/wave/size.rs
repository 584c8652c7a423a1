//! How large a waveform will be, before it is written.

use std::path::Path;

use super::{Shown, scopes};

/// What drives the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// A stimulus, which seldom lets a port rest.
    Stimulus,
    /// A program in a machine, in which most blocks wait most of the time.
    Program,
}

/// Bytes of a VCD for a million cycles of a bit (measured: 44 000 to 300 000 of blocks under their
/// stimuli, 2 000 to 15 000 in machines).
const VCD: [u64; 2] = [150_000, 8_000];
/// The same of an FST (measured: 5 000 to 32 000, and 50 to 400).
const FST: [u64; 2] = [15_000, 200];
/// Times more bits with the insides of both bodies (measured: 2.8 to 3.6).
const INSIDE: u64 = 3;

/// Bytes that a waveform of so many cycles is likely to have, right to a factor of 4: `inside`,
/// with the registers of models and all signals of RTL.
pub fn expected_bytes(
    path: &Path,
    shown: &[Shown],
    inside: bool,
    activity: Activity,
    cycles: u64,
) -> u64 {
    let bits_of = |shown: &Shown| {
        let ports = shown.block.inputs.iter().chain(&shown.block.outputs);
        let bits: u64 = ports.flat_map(|port| &port.leaves).map(|leaf| u64::from(leaf.width)).sum();
        bits * scopes(shown.body).len() as u64
    };
    let bits: u64 = shown.iter().map(bits_of).sum();
    let is_fst = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fst"));
    let per_bit = if is_fst { FST } else { VCD }[usize::from(activity == Activity::Program)];
    let bits = u128::from(bits * if inside { INSIDE } else { 1 });
    (bits * u128::from(cycles) * u128::from(per_bit) / 1_000_000) as u64
}
