//! What the lines measure, and which built-in program measures it on the machine.

use traces::kernels::Params;

use super::super::super::Failure;
use super::lines::Line;

/// SMs of the card for which the built-in programs are made.
const SMS: u32 = traces::kernels::MICRO_SMS as u32;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Cycles of a load.
    Latency,
    /// Bytes for each cycle.
    Rate,
    /// Cycles of a step of all chains (Little's law).
    Chain,
    /// Atomics for each cycle, or cycles of one.
    Atomic,
    /// Cycles from launch to launch, or of a fence.
    Other,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Latency, Self::Rate, Self::Chain, Self::Atomic, Self::Other];

    /// What a summary calls it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Latency => "plateaus of latency",
            Self::Rate => "rates",
            Self::Chain => "chains",
            Self::Atomic => "atomics",
            Self::Other => "launches and fences",
        }
    }

    /// The greatest error; there is none for what is only shown.
    pub fn limit(self) -> Option<f64> {
        match self {
            Self::Latency => Some(0.03),
            Self::Rate => Some(0.05),
            Self::Chain | Self::Atomic => Some(0.10),
            Self::Other => None,
        }
    }
}

/// How a value follows from the cycles of two launches, one of n and one of 2 n steps: the
/// difference is n steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Cycles of one of n steps.
    Step {
        /// n.
        steps: f64,
    },
    /// An amount over its cycles, launches left out.
    Rate {
        /// Amount of n steps.
        amount: f64,
    },
    /// An amount over its cycles, as a launch of all takes them.
    RateOf(Whole),
    /// Cycles of each, as a launch of all takes them.
    CyclesOf(Whole),
    /// Cycles of all launches over their number.
    Launch,
}

/// What launches move, or how many steps they have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whole {
    /// The launch of n steps.
    pub once: f64,
    /// The launch of 2 n steps.
    pub twice: f64,
    /// A launch of micro.cu.
    pub all: f64,
}

impl Whole {
    /// Cycles of a launch of all.
    fn cycles(&self, once: f64, twice: f64) -> f64 {
        once + (twice - once) * (self.all - self.once) / (self.twice - self.once)
    }
}

impl Value {
    /// The value, from the cycles of all launches.
    pub fn of(&self, launches: &[f64]) -> f64 {
        let [.., once, twice] = launches else { return f64::NAN };
        match self {
            Self::Step { steps } => (twice - once) / steps,
            Self::Rate { amount } => amount / (twice - once),
            Self::RateOf(whole) => whole.all / whole.cycles(*once, *twice),
            Self::CyclesOf(whole) => whole.cycles(*once, *twice) / whole.all,
            Self::Launch => launches.iter().sum::<f64>() / launches.len() as f64,
        }
    }
}

/// A measured value, and the program that measures it here.
#[derive(Clone, Debug)]
pub struct Point {
    /// The line without its results.
    pub name: String,
    /// What is measured.
    pub quantity: Quantity,
    /// Curve of the latency, and the kilobytes of this point.
    pub curve: Option<(&'static str, f64)>,
    /// The GPU's value.
    pub measured: f64,
    /// Program.
    pub program: &'static str,
    /// Its parameters.
    pub params: Params,
    /// Loads bypass the L1.
    pub bypass: bool,
    /// How the value follows.
    pub value: Value,
}

/// The points of all lines. Errors: a line that micro.cu does not print, or of another GPU.
pub fn points(lines: &[Line]) -> Result<Vec<Point>, Failure> {
    let mut clock = None;
    let mut points = Vec::new();
    for line in lines {
        let head = line.head();
        if head.starts_with("device") {
            let sms = line.count("sms", 1..=u32::MAX)?;
            if sms != SMS {
                let problem = format!("sms = {sms}: the programs are those of {SMS} SMs");
                return Err(line.refused(&problem));
            }
        } else if line.values.first().is_some_and(|(name, _)| name == "clock_ghz") {
            clock = Some(line.measured("clock_ghz")?);
        } else {
            points.extend(of_line(line, &head, clock)?);
        }
    }
    if points.is_empty() {
        let place = lines.first().map_or("the file", |line| line.place.as_str());
        return Err(Failure::usage(format!("{place}: no line of micro.cu's output")));
    }
    Ok(points)
}

/// The points of one line.
fn of_line(line: &Line, head: &str, clock: Option<f64>) -> Result<Vec<Point>, Failure> {
    let first = line.values.first().map_or("", |(name, _)| name.as_str());
    let point = |quantity, measured, program, [size, iterations]: [u32; 2], value| Point {
        name: String::new(),
        quantity,
        curve: None,
        measured,
        program,
        params: Params { size, iterations, seed: 1 },
        bypass: false,
        value,
    };
    let clock = || clock.ok_or_else(|| line.refused("clock_ghz is missing"));
    let named = |point: Point, name: String| vec![Point { name, ..point }];
    Ok(match (head, first) {
        ("chase ca" | "chase cg", "kb") => {
            let kb = line.count("kb", 1..=1 << 20)?;
            let steps = (kb * 8).clamp(2000, 40_000);
            let value = Value::Step { steps: steps.into() };
            let measured = line.measured("cycles")?;
            let chase = point(Quantity::Latency, measured, "micro_chase", [kb, steps], value);
            let bypass = head == "chase cg";
            let curve = Some((if bypass { "chase cg" } else { "chase ca" }, f64::from(kb)));
            named(Point { curve, bypass, ..chase }, format!("{head} kb {kb}"))
        }
        ("read_cg" | "write", "mb") => {
            let mb = line.count("mb", 1..=2048)?;
            let moved = match head {
                _ if mb <= 64 => mb,
                // More than the L2 keeps of what is written.
                "write" => 64,
                _ => PART,
            };
            let rounds = f64::from((2048 / mb).max(1));
            let (program, items) = match head {
                "write" => ("micro_write", None),
                _ => ("micro_read", Some(SMS * 8 * 256)),
            };
            let bytes = |mb| items.map_or(f64::from(mb) * MEGABYTE, |items| read(mb, items));
            let once = bytes(moved);
            let twice = if moved == mb { 2.0 * once } else { bytes(2 * moved) };
            let value = Value::RateOf(Whole { once, twice, all: rounds * bytes(mb) });
            let measured = line.measured("bytes_per_cycle")?;
            let stream = point(Quantity::Rate, measured, program, [mb, moved], value);
            named(Point { bypass: items.is_some(), ..stream }, format!("{head} mb {mb}"))
        }
        ("copy", "gb_s") => {
            let measured = line.measured("gb_s")? / clock()?;
            let moved = |mb: u32| 2.0 * MEGABYTE * f64::from(mb);
            let whole = Whole { once: moved(PART), twice: moved(2 * PART), all: moved(1024) };
            let value = Value::RateOf(whole);
            let copy = point(Quantity::Rate, measured, "micro_copy", [1024, PART], value);
            named(copy, "copy mb 1024".to_string())
        }
        ("", "sms") => {
            let sms = line.count("sms", 1..=SMS)?;
            let items = sms * 1024;
            let once = read(16, items);
            let whole = Whole { once, twice: 2.0 * once, all: 32.0 * once };
            let measured = line.measured("l2_bytes_per_cycle")?;
            let value = Value::RateOf(whole);
            let l2 = point(Quantity::Rate, measured, "micro_read_l2", [sms, 1], value);
            // So much that a launch takes long beside the latency of the memory.
            let part = sms.clamp(2, PART);
            let [once, twice, all] = [part, 2 * part, 1024].map(|mb| read(mb, items));
            let (whole, measured) =
                (Whole { once, twice, all }, line.measured("hbm_bytes_per_cycle")?);
            let value = Value::RateOf(whole);
            let memory = point(Quantity::Rate, measured, "micro_read_memory", [sms, part], value);
            vec![
                Point { name: format!("sms {sms} l2"), bypass: true, ..l2 },
                Point { name: format!("sms {sms} hbm"), bypass: true, ..memory },
            ]
        }
        ("l1", "kb") => {
            let kb = line.count("kb", 1..=512)?;
            let measured = line.measured("bytes_per_cycle_sm")?;
            let value = Value::Rate { amount: 8.0 * 1024.0 * f64::from(kb) };
            named(
                point(Quantity::Rate, measured, "micro_read_l1", [kb, 8], value),
                format!("l1 kb {kb}"),
            )
        }
        ("chains", "lines") => {
            let lines = line.count("lines", 1..=1 << 23)?;
            let warps = line.count("warps", 1..=64)?;
            let program = match lines {
                8_388_608 => "micro_chains_memory",
                65_536 => "micro_chains_l2",
                _ => {
                    return Err(line.refused(&format!("lines = {lines}: must be 8388608 or 65536")));
                }
            };
            let measured = line.measured("cycles_per_step")?;
            let value = Value::CyclesOf(Whole { once: 25.0, twice: 50.0, all: 400.0 });
            let chain = point(Quantity::Chain, measured, program, [warps, 25], value);
            named(Point { bypass: true, ..chain }, format!("chains lines {lines} warps {warps}"))
        }
        (_, "per_cycle") if head.starts_with("atomics ") => {
            let (program, words) = match &head[8..] {
                "one_word" => ("micro_atomics", 1),
                "one_line" => ("micro_atomics", 32),
                "8_lines" => ("micro_atomics", 256),
                "256_lines" => ("micro_atomics_lines", 256),
                "256kb" => ("micro_atomics", 1 << 16),
                "8mb" => ("micro_atomics_lines", 1 << 16),
                "16mb" => ("micro_atomics", 1 << 22),
                name => return Err(line.refused(&format!("{name}: no atomics of micro.cu"))),
            };
            let each = if words <= 32 { 1 } else { 4 };
            let lanes = |each: u32| f64::from(SMS * 4 * 256 * each);
            let whole = Whole { once: lanes(each), twice: lanes(2 * each), all: lanes(64) };
            let value = Value::RateOf(whole);
            named(
                point(Quantity::Atomic, line.measured("per_cycle")?, program, [words, each], value),
                head.to_string(),
            )
        }
        ("atomic_chain", "cycles") => {
            let (measured, value) = (line.measured("cycles")?, Value::Step { steps: 100.0 });
            let chain = point(Quantity::Atomic, measured, "micro_atomic_chain", [1, 100], value);
            named(chain, head.to_string())
        }
        ("store_fence", "stores") => {
            let stores = line.count("stores", 0..=1024)?;
            let measured = line.measured("cycles")?;
            let value = Value::Step { steps: 20.0 };
            let fence = point(Quantity::Other, measured, "micro_store_fence", [stores, 20], value);
            named(fence, format!("store_fence stores {stores}"))
        }
        ("empty_kernel" | "empty_kernel_full", "us") => {
            let groups = if head == "empty_kernel" { 1 } else { SMS * 8 };
            let measured = line.measured("us")? * clock()? * 1000.0;
            named(
                point(Quantity::Other, measured, "micro_empty", [groups, 8], Value::Launch),
                head.to_string(),
            )
        }
        ("store_kernels", "words") => {
            let words = line.count("words", 256..=1 << 26)?;
            let measured = line.measured("us")? * clock()? * 1000.0;
            named(
                point(Quantity::Other, measured, "micro_store", [words, 8], Value::Launch),
                format!("store_kernels words {words}"),
            )
        }
        // A trace cannot poll.
        ("ping_pong", _) => Vec::new(),
        _ => return Err(line.refused("no line that micro.cu prints")),
    })
}

const MEGABYTE: f64 = 1_048_576.0;
/// Megabytes that a launch moves of a large buffer: two reads of four quads of each work-item.
const PART: u32 = 33;

/// Bytes that `items` work-items load of `mb` megabytes, four quads each at a time: more than that
/// where it is no multiple.
fn read(mb: u32, items: u32) -> f64 {
    let items = u64::from(items);
    let quads = (u64::from(mb) << 16).max(4 * items);
    let loads = 4 * (items * (quads / (4 * items)) + (quads % (4 * items)).min(items));
    (16 * loads) as f64
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn all_lines_of_an_h100_are_points() {
        let points = points(&lines::read(None).unwrap()).unwrap();
        let of = |quantity| points.iter().filter(|point| point.quantity == quantity).count();
        // 28 sizes with and without the L1; 13 reads and writes, a copy, 9 numbers of SMs, 6 sizes
        // of the L1; 7 warps in two memories; 7 sets of words and a chain; 5 fences, 2 empty
        // kernels, 4 stores.
        assert_eq!(Quantity::ALL.map(of), [56, 13 + 13 + 1 + 18 + 6, 14, 8, 11]);
        for point in &points {
            let program = traces::kernels::program::<String>(point.program).unwrap();
            program
                .check::<String>(&point.params)
                .unwrap_or_else(|e| panic!("{}: {e}", point.name));
        }
    }

    #[test]
    fn values_follow_from_two_launches() {
        // 100 cycles of a launch, 10 of each step.
        let launches = [0.0, 120.0, 140.0];
        assert_eq!(Value::Step { steps: 2.0 }.of(&launches), 10.0);
        assert_eq!(Value::Rate { amount: 60.0 }.of(&launches), 3.0);
        let whole = Whole { once: 2.0, twice: 4.0, all: 30.0 };
        assert_eq!(Value::CyclesOf(whole).of(&launches), 400.0 / 30.0);
        assert_eq!(Value::RateOf(whole).of(&launches), 30.0 / 400.0);
        assert_eq!(Value::Launch.of(&[10.0, 20.0]), 15.0);
    }

    #[test]
    fn bytes_read_are_those_that_the_cuda_program_counts() {
        // `counted`, work-item by work-item.
        for (mb, items) in [(1, 270_336), (16, 33_792), (24, 270_336), (33, 270_336), (3, 1024)] {
            let quads = (u64::from(mb) << 16).max(4 * u64::from(items));
            let reads = |me: u64| (me..quads).step_by(4 * items as usize).count() as f64;
            let loads: f64 = (0..u64::from(items)).map(|me| 4.0 * reads(me)).sum();
            assert_eq!(read(mb, items), 16.0 * loads, "{mb} MB");
        }
    }

    #[test]
    fn other_lines_and_other_cards_are_refused() {
        let refused = |text: &str| {
            let lines = lines::parse("f", text);
            points(&lines).unwrap_err().message
        };
        assert_eq!(refused("chase cx kb 4 cycles 3"), "f:1: no line that micro.cu prints");
        assert!(refused("device D sms 108 l2 1").starts_with("f:1: sms = 108: "));
        assert_eq!(refused("copy gb_s 3"), "f:1: clock_ghz is missing");
        assert_eq!(refused("\n\nchase ca kb 4 cycles -1"), "f:3: cycles = -1: must be above 0");
        assert!(refused("device D sms 132 l2 1").contains("no line of micro.cu's output"));
    }
}
