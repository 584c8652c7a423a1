//! What the tests of runs share: a short run of two GPUs, and waveforms as they are read back.

use std::fs;
use std::path::Path;

/// Two GPUs whose blocks are those of configuration `paper-2gpu`, with a clock that is not the
/// links'.
pub const TWO_GPUS: &str =
    "--system cpelide-4-small --set machine.gpus=2 --set placement.policy=interleave";

/// A short program in which the GPUs talk to each other.
pub const REUSE: &str = "--workload reuse --set workload.size=16384 --set workload.iterations=1";

pub const BLOCKS: [&str; 3] = ["remote_write_queue", "packetizer", "depacketizer"];

/// What the machine's cycle is multiplied with and divided by for nanoseconds.
pub const CLOCK_MHZ: u64 = 1801;

pub fn on(body: &str) -> String {
    BLOCKS.iter().map(|block| format!(" --impl {block}={body}")).collect()
}

/// The scopes of the blocks in a waveform, and its time stamps in picoseconds.
pub fn read_wave(path: &Path) -> (Vec<String>, Vec<u64>) {
    let file = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut parser = vcd::Parser::new(std::io::BufReader::new(file));
    let header = parser.parse_header().unwrap();
    let (unit, vcd::TimescaleUnit::PS) = header.timescale.unwrap() else { panic!("not in ps") };
    // A block is the outermost scope with variables of its own.
    fn blocks(items: &[vcd::ScopeItem], path: &str, into: &mut Vec<String>) {
        for item in items {
            let vcd::ScopeItem::Scope(scope) = item else { continue };
            let path = format!("{path}{}", scope.identifier);
            match scope.items.iter().any(|item| matches!(item, vcd::ScopeItem::Var(_))) {
                true => into.push(path),
                false => blocks(&scope.items, &(path + "."), into),
            }
        }
    }
    let mut scopes = Vec::new();
    blocks(&header.items, "", &mut scopes);
    let commands = parser.map(|command| command.unwrap());
    let times = commands.filter_map(|command| match command {
        vcd::Command::Timestamp(time) => Some(time * u64::from(unit)),
        _ => None,
    });
    (scopes, times.collect())
}

/// The captured program that comes with the project.
pub fn kept_trace() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/workloads/bfs.trace");
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
