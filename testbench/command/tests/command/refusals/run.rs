//! Arguments of `duet run` and `duet compare`.

use super::{Case, case};
use crate::two_gpus::{REUSE, TWO_GPUS};

/// Arguments behind a run on one GPU with one chiplet, and what the message says.
const ONE: &[(&str, &[&str])] = &[
    // Settings: form and key.
    ("--set l2", &["--set l2: must be KEY=VALUE"]),
    ("--set =3", &["--set :", "no such field"]),
    ("--set l2=3", &["--set l2", "no such field"]),
    ("--set l2.color=3", &["--set l2.color", "no such field"]),
    ("--set nothing=3", &["--set nothing", "no such field"]),
    ("--set nothing.x=3", &["nothing: there is no such section"]),
    ("--set l2.ways.x=3", &["--set l2.ways.x", "no such field"]),
    ("--set .ways=3", &["no such"]),
    ("--set l2.=3", &["--set l2.", "no such field"]),
    // Values.
    ("--set l2.ways=", &["--set l2.ways=: must be a whole number, 1 to 64"]),
    ("--set l2.ways=x", &["--set l2.ways=x: must be a whole number, 1 to 64"]),
    ("--set l2.ways=1.5", &["--set l2.ways=1.5: must be a whole number, 1 to 64"]),
    ("--set l2.ways=0x10", &["--set l2.ways=0x10: must be a whole number, 1 to 64"]),
    ("--set l2.ways=-1", &["--set l2.ways=-1: must be a whole number, 1 to 64"]),
    ("--set l2.ways=4294967296", &["must be a whole number, 1 to 64"]),
    ("--set l2.ways=9223372036854775808", &["must be a whole number, 1 to 64"]),
    ("--set l2.ways=1e3", &["must be a whole number, 1 to 64"]),
    ("--set l2.ways=0", &["l2.ways: 0 is not 1 to 64"]),
    ("--set l2.banks=65536", &["must be a whole number, 1 to 32"]),
    ("--set machine.line=16", &["machine.line: 16 is not a power of 2, 32 to 128"]),
    ("--set cu.exclusive_lines=yes", &["cu.exclusive_lines=yes: must be true or false"]),
    ("--set l3.bytes=-5", &["--set l3.bytes=-5: must be a whole number, 0 to 1073741824"]),
    ("--set l1.design=x", &["l1.design", "src, none, stc-ab, ... (duet systems reference shows"]),
    ("--set l1.design=5", &["l1.design: \"5\""]),
    ("--set l2.design=x", &["l2.design", "software", "hmg"]),
    ("--set l2.design=own", &["l2.design", "src brings no L2"]),
    ("--set l2.policy=x", &["l2.policy", "private, home-forward"]),
    ("--set cu.scheduler=rx", &["cu.scheduler", "qx, rr, ", "(duet systems reference shows"]),
    ("--set sharing.l1=x", &["sharing.l1", "lru"]),
    ("--set placement.policy=x", &["placement.policy", "first-touch, interleave, owner"]),
    ("--set machine.gpus=2 --set egress.design=x", &["egress.design", "p2p", "infinite"]),
    ("--set machine.gpus=2 --set egress.config=x", &["egress.config", "paper"]),
    ("--set machine.gpus=2 --set finepack.beat=x", &["finepack.beat", "no integer"]),
    (
        "--set machine.gpus=2 --set finepack.beat=3",
        &["finepack.beat: 3 is not 8, 16, 32, 64 or 128"],
    ),
    ("--set machine.gpus=2 --set finepack.num_gpus=3", &["finepack.num_gpus", "no such field"]),
    ("--set machine.gpus=2 --set gpu_link.bytes_per_ns=0", &["0 is not 0.001 to 1024"]),
    ("--set machine.gpus=2 --set gpu_link.bytes_per_ns=x", &["a number, 0.001 to 1024, up to"]),
    ("--set race_detection.x=1", &["race_detection: this section requires l1.design"]),
    ("--set stc.x=1", &["stc: this section requires l1.design = stc-ab"]),
    ("--set l1.design=stc-nv --set l2.design=own", &["l1.design = stc-nv brings no L2"]),
    ("--set l1.design=stc-nv --set stc.nothing=1", &["stc.nothing: there is no such field"]),
    // Fields that this machine does not read.
    ("--set scale=7", &["--set scale=7: must be a number that divides the 8 CUs of a chiplet"]),
    (
        "--set directory.entries=8",
        &["directory.entries=8", "l2.design = software has no directory"],
    ),
    ("--set directory.range=2048", &["directory.range=2048", "has no directory"]),
    (
        "--set l2.design=hmg --set directory.entries=64",
        &["there is no other chiplet to share lines with"],
    ),
    ("--set placement.policy=owner", &["placement.policy=owner", "no other chiplet"]),
    ("--set chiplet_link.bytes=8", &["chiplet_link.bytes=8", "machine.chiplets = 1"]),
    ("--set gpu_link.latency=100", &["gpu_link.latency=100", "machine.gpus = 1"]),
    ("--set egress.design=dma", &["egress.design=dma", "machine.gpus = 1"]),
    ("--set finepack.beat=64", &["finepack.beat=64", "machine.gpus = 1"]),
    ("--set l3.ways=8", &["l3.ways=8", "l3.bytes = 0"]),
    ("--set l1.design=none --set l1.hit_latency=9", &["l1.design = none has no L1"]),
    ("--set l1.design=none --set l1.misses=9", &["--set l1.misses=9", "has no L1"]),
    ("--set command_processor.elide_cycles=1", &["elide_cycles=1", "l2.design = cpelide"]),
    (
        "--set machine.gpus=2 --set command_processor.ahead=true",
        &["command_processor.ahead=true", "machine.gpus > 1"],
    ),
    (
        "--set l2.policy=private --set command_processor.home_aware=true",
        &["command_processor.home_aware", "must be false unless l2.policy = home-forward"],
    ),
    (
        "--set l2.policy=home-forward --set command_processor.home_aware=true",
        &["command_processor.home_aware=true", "l2.design = cpelide"],
    ),
    // Of the program.
    ("--set workload.color=1", &["workload.color", "workload.size, workload.iterations"]),
    ("--set workload.size=-1", &["workload.size=-1", "a number below 2^32"]),
    ("--set workload.size=x", &["workload.size=x", "a number below 2^32"]),
    ("--set workload.size=4294967296", &["workload.size=4294967296", "below 2^32"]),
    ("--set workload.size=0", &["size = 0", "must be"]),
    ("--set workload.iterations=0", &["iterations = 0", "must be"]),
    ("--set workload.shift=100", &["workload.shift=100", "multiple of 128"]),
    ("--set workload.shift=65536", &["workload.shift=65536", "below 65536"]),
    ("--seed x", &["--seed", "x"]),
    ("--seed -1", &["-1"]),
    ("--seed 18446744073709551616", &["--seed", "18446744073709551616"]),
    ("--perturb x", &["--perturb"]),
    ("--threads 0", &["--threads", "1..=64"]),
    ("--threads 65", &["--threads", "1..=64"]),
    ("--threads two", &["--threads"]),
    ("--max-cycles 0", &["--max-cycles"]),
    ("--max-cycles x", &["--max-cycles"]),
    // Bodies.
    ("--impl packetizer", &["--impl packetizer: must be PLACES=model|rtl|lockstep"]),
    ("--impl packetizer=c", &["--impl packetizer=c", "not model, rtl or"]),
    ("--impl l2=rtl", &["--impl l2=rtl", "this machine has gpu*/cp_crossbar"]),
    ("--impl =rtl", &["--impl =rtl", "this machine has"]),
    ("--impl gpu1/*=model", &["--impl gpu1/*=model", "this machine has"]),
    ("--impl packetizer=model", &["--impl packetizer=model", "local_command_processor"]),
    ("--cp core", &["--cp core: must be native, iss, rtl or lockstep"]),
    ("--rtl none", &["--rtl none", "No such file"]),
    ("--rtl file", &["--rtl file", "no folder with SystemVerilog"]),
    // Flips.
    ("--flip tlp", &["must be FIELD@CYCLE or FIELD[BIT]@CYCLE"]),
    ("--flip tlp@x", &["cycle x: must be a number"]),
    ("--flip a.b[x]@3", &["bit x: must be a number"]),
    ("--flip tlp@3", &["PLACES.FIELD", "this machine has"]),
    ("--flip nothing.tlp@3", &["--flip nothing.tlp", "this machine has"]),
    ("--flip cp_crossbar.x@3", &["cp_crossbar is not in lockstep", "cp_crossbar=lockstep"]),
    // Waveforms.
    ("--wave-from 3", &["--wave"]),
    ("--wave-to 3", &["--wave"]),
    ("--wave-of x", &["--wave"]),
    ("--wave-internals", &["--wave"]),
    ("--wave w.vcd --wave-of packetizer", &["--wave-of packetizer", "this machine has"]),
    ("--wave w.vcd --wave-from 9 --wave-to 9", &["--wave-to 9: must be above 9"]),
    ("--wave w.vcd --wave-from 9 --wave-to 3", &["--wave-to 3: must be above 9"]),
    ("--wave w.vcd --wave-from x", &["--wave-from"]),
    ("--wave w.vcd --wave-internals", &["no RTL is shown", "--impl PLACES=rtl"]),
    // Sampling: what needs every cycle, and a program with one launch.
    ("--sample --wave w.vcd", &["'--sample' cannot be used with '--wave <FILE>'"]),
    ("--sample --timeline t.json", &["'--sample' cannot be used with '--timeline <FILE.json>'"]),
    ("--sample --audit a", &["'--sample' cannot be used with '--audit <FILE>'"]),
    ("--sample --dump-tlp t.txt", &["'--sample' cannot be used with '--dump-tlp <FILE>'"]),
    ("--sample --flip cp_crossbar.x@3", &["'--sample' cannot be used with '--flip"]),
    (
        "--sample",
        &["--sample: its kernels do not repeat: at most 1 launch has", "4 are simulated before"],
    ),
    ("--sample --json a --report r.html", &["--sample: its kernels do not repeat"]),
    ("--sample=3", &["--sample"]),
    // Outputs.
    ("--dump-tlp t.txt", &["--dump-tlp", "one GPU and no link"]),
    ("--json a --audit a", &["--audit a: --json writes that file"]),
    ("--json a --wave a", &["--wave a: --json writes that file"]),
    ("--wave a.gtkw", &["--wave a.gtkw"]),
    ("--json", &["a value is required"]),
    ("--nothing", &["unexpected argument '--nothing'"]),
    ("--json a --json b", &["cannot be used multiple times"]),
    ("more", &["unexpected argument 'more'"]),
];

/// The same behind a run of two GPUs.
const TWO: &[(&str, &[&str])] = &[
    ("--impl gpu2/*=model", &["--impl gpu2/*=model", "this machine has gpu*/remote_write_queue"]),
    ("--set egress.design=p2p --impl packetizer=model", &["this machine has gpu*/depacketizer"]),
    ("--set egress.accounting=x", &["egress.accounting", "is none of exact, paper"]),
    ("--set egress.design=p2p --set egress.timeout=3", &["only egress.design = finepack reads it"]),
    (
        "--set egress.design=p2p --set egress.accounting=paper",
        &["only egress.design = finepack reads it"],
    ),
    ("--set egress.design=p2p --set finepack.banks=1", &["only egress.design = finepack reads it"]),
    ("--set egress.design=dma --set finepack.entries=4", &["finepack.entries=4", "dma"]),
    ("--set egress.design=infinite --set gpu_link.generation=5", &["infinite has no TLPs"]),
    ("--set l2.design=hmg --set directory.range=2048", &["only l2.design = rec reads it, not hmg"]),
    ("--set l2.design=rec --set directory.ideal_lines=64", &["only l2.design = ideal reads it"]),
    ("--set l2.design=ideal --set directory.ways=4", &["l2.design = ideal never evicts"]),
    (
        "--set l2.design=hmg --set l2.policy=home-forward",
        &["l2.policy=home-forward", "policy of its own"],
    ),
    (
        "--set l2.design=rec --set machine.chiplets=16",
        &["machine.chiplets: 32 chiplets of 2 GPUs: must be 1 to 16"],
    ),
    ("--set l2.design=rec --set directory.ways=0", &["directory.ways: 0 is not 1 to 16"]),
    ("--flip packetizer.tlp@3", &["packetizer is not in lockstep"]),
];

pub fn cases() -> Vec<Case> {
    let one = "run --system stc-8cu-small --workload copy";
    let mut cases: Vec<_> =
        ONE.iter().map(|(words, message)| case(2, &format!("{one} {words}"), message)).collect();
    let two = format!("run {TWO_GPUS} {REUSE}");
    cases.extend(TWO.iter().map(|(words, message)| case(2, &format!("{two} {words}"), message)));
    cases.extend([
        case(2, "run", &["--system", "--workload"]),
        case(2, "run --system stc-8cu-small", &["--workload"]),
        case(2, "run --workload copy", &["--system"]),
        case(
            2,
            "run --system nothing --workload copy",
            &["nothing", "stc-8cu, ", "duet list systems shows all"],
        ),
        case(
            2,
            "run --system cpelide-4-small --workload stream_jobs --sample",
            &["--sample: the program has several streams"],
        ),
        case(
            2,
            "run --system cpelide-4-small --workload jacobi2d --set l2.design=none --sample",
            &["--sample: l2.design = none leaves memory without what L2s hold"],
        ),
        case(2, "run --system stc-8cu-small-small --workload copy", &["is neither a file nor"]),
        case(2, "run --system none.toml --workload copy", &["none.toml", "No such file"]),
        case(2, "run --system folder/common/.toml --workload copy", &["folder/common/.toml"]),
        case(
            2,
            "run --system stc-8cu-small --workload nothing",
            &["nothing", "stream", "duet list workloads shows all"],
        ),
        case(2, "run --system stc-8cu-small --workload none.trace", &["none.trace", "No such"]),
        case(2, "run --system stc-8cu-small --workload folder/none", &["folder/none", "No such"]),
        case(5, &format!("{one} --json file/x"), &["file/x", "Not a directory"]),
        case(5, &format!("{one} --json folder"), &["folder", "directory"]),
        case(5, &format!("{one} --audit new/"), &["new/", "directory"]),
        case(5, &format!("{one} --wave /proc/x.vcd"), &["/proc/x.vcd"]),
        case(2, "compare --system stc-8cu-small", &["--workload"]),
        case(2, "compare --system nothing --workload copy", &["nothing", "cpelide-4"]),
        case(2, "compare --system stc-8cu-small --workload nothing", &["nothing", "stream"]),
        case(2, "compare --system stc-8cu-small --workload copy --cp iss", &["native", "core"]),
        case(
            2,
            "compare --system stc-8cu-small --workload copy --set scale=9",
            &["divides the 8 CUs"],
        ),
        case(2, "compare --system stc-8cu-small --workload copy --wave w.vcd", &["--wave"]),
        case(2, "compare --system stc-8cu-small --workload copy --rtl none", &["--rtl none"]),
        case(2, "compare --system stc-8cu-small --workload copy --max-cycles 0", &["--max-cycles"]),
        case(2, "compare --system stc-8cu-small --workload none.trace", &["none.trace"]),
        case(2, "compare --system none.toml --workload copy", &["none.toml"]),
    ]);
    cases
}
