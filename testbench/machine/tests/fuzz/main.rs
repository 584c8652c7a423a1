//! Damaged traces and system files are read or refused: never a panic, never more time or memory
//! than a bound. Valid ones are changed where it hurts, behind right checksums too. What is not
//! refused must make sense.
//!
//! `DUET_FUZZ_SECONDS=600 cargo test --release -p machine --test fuzz` goes on for so long from a
//! seed that the clock gives (`make soak`); `DUET_FUZZ_SEED=N` begins with seed N. Else some seeds
//! are always the same.

mod machines;
mod systems;
mod traces;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ::traces::workloads::SplitMix64;

/// Most processor time for one input: a busy machine does not make it longer.
const MOST_TIME: Duration = Duration::from_secs(20);
/// Most memory of the process, from the size of a chunk and of the tables that can stand in one.
const MOST_KILOBYTES: u64 = 2_000_000;

/// What came of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Accepted,
    Refused,
}

/// Tries one input after another: `inputs` of them, or for as long as the environment says.
fn fuzz(name: &str, inputs: u64, mut try_one: impl FnMut(&mut SplitMix64) -> Came) {
    let number = |key: &str| std::env::var(key).ok().map(|value| value.parse::<u64>().unwrap());
    let seconds = number("DUET_FUZZ_SECONDS");
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() << 32;
    let first = number("DUET_FUZZ_SEED").unwrap_or(if seconds.is_some() { clock } else { 1 });
    let (start, mut accepted, mut tried) = (Instant::now(), 0, 0);
    let mut told = 0;
    loop {
        let elapsed = start.elapsed().as_secs();
        match seconds {
            Some(seconds) if elapsed >= seconds => break,
            None if tried == inputs => break,
            _ => {}
        }
        let seed = first.wrapping_add(tried);
        if elapsed >= told + 30 {
            told = elapsed;
            println!("{name}: seed {seed}, {tried} inputs, {accepted} accepted");
        }
        let begin = processor_time();
        let came = catch_unwind(AssertUnwindSafe(|| try_one(&mut SplitMix64::new(seed))));
        let rerun = format!("{name}: DUET_FUZZ_SEED={seed}");
        let came = came.unwrap_or_else(|_| panic!("{rerun} panics"));
        let time = processor_time().saturating_sub(begin);
        assert!(time < MOST_TIME, "{rerun} takes {time:?}");
        if let Some(memory) = memory().filter(|&memory| memory > MOST_KILOBYTES) {
            panic!("{rerun}, or one before: {memory} kB");
        }
        tried += 1;
        accepted += u64::from(came == Came::Accepted);
    }
    let memory = memory().unwrap_or(0);
    println!("{name}: {tried} inputs from seed {first}, {accepted} accepted, at most {memory} kB");
    assert!(accepted > 0 && accepted < tried, "the inputs are all alike");
}

/// What this thread has run for, where the system reports it.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// The most that this process has held, in kB, where the system tells.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// One of some values.
fn pick<'a, T>(random: &mut SplitMix64, list: &'a [T]) -> &'a T {
    &list[random.below(list.len() as u64) as usize]
}

/// Changes some bytes: flips, interesting values, cuts, repetitions, pieces of another input.
fn mangle(random: &mut SplitMix64, bytes: &mut Vec<u8>, other: &[u8]) {
    let at = random.below(bytes.len() as u64 + 1) as usize;
    let most = 1 << random.below(8);
    let len = 1 + random.below(most) as usize;
    let end = (at + len).min(bytes.len());
    match random.below(9) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 if at < bytes.len() => {
            bytes[at] = *pick(random, &[0, 1, 2, 0x7f, 0x80, 0xff, bytes[at].wrapping_add(1)]);
        }
        3 => drop(bytes.drain(at..end)),
        4 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        5 => {
            let from = random.below(other.len() as u64 + 1) as usize;
            let piece = &other[from..(from + len).min(other.len())];
            bytes.splice(at..end, piece.iter().copied());
        }
        6 => {
            // A number of up to 64 bits, as a trace writes them.
            let mut number = *pick(random, &[1 << 16, 1 << 24, 1 << 32, 1 << 44, u64::MAX]);
            number = number.wrapping_sub(random.below(2)) >> random.below(4);
            let mut wire = Vec::new();
            while number >= 0x80 {
                wire.push(number as u8 | 0x80);
                number >>= 7;
            }
            wire.push(number as u8);
            bytes.splice(at..end.min(at + 1), wire);
        }
        7 => bytes.truncate(at),
        _ => {
            let value = *pick(random, &[0, 0xff, 0x80, b'a']);
            let count = 1usize << random.below(14);
            bytes.splice(at..at, std::iter::repeat_n(value, count));
        }
    }
}

#[test]
fn damaged_traces_are_read_or_refused() {
    let seeds = traces::seeds();
    fuzz("trace", 3000, |random| traces::try_one(random, &seeds));
}

#[test]
fn damaged_system_files_are_read_or_refused() {
    let seeds = systems::seeds();
    fuzz("system", 3000, |random| systems::try_one(random, &seeds));
}

#[test]
fn random_machines_that_the_checks_accept_run() {
    fuzz("machine", 300, machines::try_one);
}
