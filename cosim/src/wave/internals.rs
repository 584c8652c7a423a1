//! What a traced RTL body tells of its signals: the text of a VCD, of which the part below the
//! block's instance is taken.

use std::collections::{BTreeSet, HashMap};

/// The instance of the block in its wrapper.
const INSTANCE: &str = "i_block";
/// The block's clock, which the trace shows while it is low.
const CLOCK: &str = "clk_i";

/// One variable of the RTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Scopes below the block's instance: instances, generate blocks, structs.
    pub scope: Vec<String>,
    /// Its name, with the index of an element of an array.
    pub name: String,
    /// Its signal; several variables may be one.
    pub signal: usize,
}

impl Variable {
    /// Scopes and name, joined by dots.
    pub fn path(&self) -> String {
        let mut path = self.scope.join(".");
        if !path.is_empty() {
            path.push('.');
        }
        path + &self.name
    }
}

/// The variables of a trace, and what they hold. The bytes of a packed array are one variable: a
/// trace has them one by one, the highest first, where elements of other arrays come lowest first.
#[derive(Clone, Debug, Default)]
pub struct Internals {
    /// In the order of the trace.
    pub variables: Vec<Variable>,
    /// The signal that is the block's clock.
    pub clock: Option<usize>,
    /// Codes of each signal, highest bits first.
    signals: Vec<Vec<usize>>,
    /// Signals that have a code.
    of_code: Vec<Vec<usize>>,
    /// Bits of each code as characters, highest first; `x` before the first change.
    values: Vec<Vec<u8>>,
    by_name: HashMap<String, usize>,
}

impl Internals {
    /// Reads the header of a trace.
    pub fn new(header: &str) -> Self {
        Self::read(header, true)
    }

    /// Likewise, with the bytes of a packed array one by one.
    pub fn apart(header: &str) -> Self {
        Self::read(header, false)
    }

    fn read(header: &str, joins_bytes: bool) -> Self {
        let mut found = Self::default();
        let mut scopes: Vec<&str> = Vec::new();
        let mut known = HashMap::new();
        let mut bytes: Option<Bytes> = None;
        for line in header.lines() {
            let words: Vec<_> = line.split_whitespace().collect();
            if let ["$var", _, width, code, name, ..] = words[..] {
                let block = scopes.iter().position(|scope| *scope == INSTANCE);
                let (Some(block), Ok(width)) = (block, width.parse()) else { continue };
                let code = found.code(code, width);
                if bytes.as_mut().is_some_and(|bytes| bytes.takes(name, width, code)) {
                    continue;
                }
                found.end_bytes(&mut bytes, &scopes, &mut known);
                bytes = Bytes::begin(name, width, code).filter(|_| joins_bytes);
                if bytes.is_none() {
                    found.add(&scopes[block + 1..], name, vec![code], &mut known);
                }
                continue;
            }
            found.end_bytes(&mut bytes, &scopes, &mut known);
            match words[..] {
                ["$scope", _, name, "$end"] => scopes.push(name),
                ["$upscope", ..] => drop(scopes.pop()),
                ["$enddefinitions", ..] => break,
                _ => {}
            }
        }
        for (signal, codes) in found.signals.iter().enumerate() {
            codes.iter().for_each(|&code| found.of_code[code].push(signal));
        }
        found
    }

    fn code(&mut self, code: &str, width: usize) -> usize {
        *self.by_name.entry(code.to_string()).or_insert_with(|| {
            self.values.push(vec![b'x'; width]);
            self.of_code.push(Vec::new());
            self.values.len() - 1
        })
    }

    fn end_bytes(
        &mut self,
        bytes: &mut Option<Bytes>,
        scopes: &[&str],
        known: &mut HashMap<Vec<usize>, usize>,
    ) {
        let Some(bytes) = bytes.take() else { return };
        let block = scopes.iter().position(|scope| *scope == INSTANCE).expect("in the block");
        match bytes.codes.len() {
            1 => self.add(&scopes[block + 1..], &bytes.first, bytes.codes, known),
            _ => self.add(&scopes[block + 1..], &bytes.stem, bytes.codes, known),
        }
    }

    fn add(
        &mut self,
        scope: &[&str],
        name: &str,
        codes: Vec<usize>,
        known: &mut HashMap<Vec<usize>, usize>,
    ) {
        let signal = *known.entry(codes).or_insert_with_key(|codes| {
            self.signals.push(codes.clone());
            self.signals.len() - 1
        });
        if scope.is_empty() && name == CLOCK {
            self.clock = Some(signal);
        }
        let scope = scope.iter().map(|scope| scope.to_string()).collect();
        self.variables.push(Variable { scope, name: name.to_string(), signal });
    }

    /// Number of signals.
    pub fn signals(&self) -> usize {
        self.signals.len()
    }

    /// Bits of a signal as characters, highest first.
    pub fn bits(&self, signal: usize) -> Vec<u8> {
        self.signals[signal].iter().flat_map(|&code| &self.values[code]).copied().collect()
    }

    /// Takes a piece of the trace. Returns the signals that have other bits than before. Of several
    /// cycles in one piece the last is that of interest, and has its changes last.
    pub fn take(&mut self, trace: &str) -> BTreeSet<usize> {
        let mut changed = BTreeSet::new();
        // A body that has taken the place of another begins with a header.
        let changes = trace.split_once("$enddefinitions").map_or(trace, |(_, changes)| changes);
        for line in changes.lines() {
            let (bits, code) = match line.as_bytes().first() {
                Some(b'b') => match line[1..].split_once(' ') {
                    Some(split) => split,
                    None => continue,
                },
                Some(b'0' | b'1' | b'x' | b'z') => line.split_at(1),
                _ => continue,
            };
            let Some(&code) = self.by_name.get(code.trim()) else { continue };
            let value = &mut self.values[code];
            if value[..] != *bits.as_bytes() && value.len() == bits.len() {
                value.copy_from_slice(bits.as_bytes());
                changed.extend(&self.of_code[code]);
            }
        }
        changed
    }
}

/// Bytes of a packed array, as far as they have come.
struct Bytes {
    /// Name of the first.
    first: String,
    stem: String,
    /// Index of the last.
    index: usize,
    codes: Vec<usize>,
}

impl Bytes {
    /// Name of the array, and index.
    fn split(name: &str, width: usize) -> Option<(&str, usize)> {
        let (stem, index) = name.strip_suffix(']')?.rsplit_once('[')?;
        (width == 8).then_some((stem, index.parse().ok()?))
    }

    fn begin(name: &str, width: usize, code: usize) -> Option<Self> {
        let (stem, index) = Self::split(name, width)?;
        let (first, stem) = (name.to_string(), stem.to_string());
        Some(Self { first, stem, index, codes: vec![code] })
    }

    /// Whether a variable is the next lower byte; then it is one of them.
    fn takes(&mut self, name: &str, width: usize, code: usize) -> bool {
        let next = Self::split(name, width)
            .is_some_and(|(stem, index)| stem == self.stem && index + 1 == self.index);
        if next {
            self.index -= 1;
            self.codes.push(code);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
$timescale 1ps $end
 $scope module rtl $end
  $var wire 1 ! clk_i $end
  $scope module a_top $end
   $var wire 8 & outside [7:0] $end
   $scope module i_block $end
    $var wire 1 ! clk_i $end
    $scope module u_fifo $end
     $var wire 2 # count_q [1:0] $end
     $var wire 8 $ mem_q[0] [7:0] $end
     $var wire 8 % mem_q[1] [7:0] $end
     $var wire 2 # count_o [1:0] $end
     $var wire 8 ( word_q[1] [7:0] $end
     $var wire 8 ) word_q[0] [7:0] $end
    $upscope $end
   $upscope $end
  $upscope $end
 $upscope $end
$enddefinitions $end
#0
0!
b01 #
b00000000 $
b11111111 &
";

    #[test]
    fn signals_below_the_instance_are_found_with_their_changes() {
        let mut found = Internals::new(TRACE);
        let paths: Vec<_> = found.variables.iter().map(|v| (v.path(), v.signal)).collect();
        let expected = [
            ("clk_i", 0),
            ("u_fifo.count_q", 1),
            ("u_fifo.mem_q[0]", 2),
            ("u_fifo.mem_q[1]", 3),
            ("u_fifo.count_o", 1),
            ("u_fifo.word_q", 4),
        ];
        assert_eq!(paths, expected.map(|(path, signal)| (path.to_string(), signal)));
        assert_eq!((found.signals(), found.clock), (5, Some(0)));
        let apart = Internals::apart(TRACE);
        assert_eq!(apart.variables[6].path(), "u_fifo.word_q[0]");
        assert_eq!(found.take(TRACE), [0, 1, 2].into());
        assert_eq!((&found.bits(1)[..], &found.bits(2)[..]), (&b"01"[..], &b"00000000"[..]));
        assert_eq!(found.take("#1\nb10 #\nb11111111 &\n0!\nb00001111 )\n"), [1, 4].into());
        assert_eq!(
            (&found.bits(1)[..], &found.bits(4)[..]),
            (&b"10"[..], &b"xxxxxxxx00001111"[..])
        );
    }
}
