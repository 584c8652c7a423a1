//! What is read, and what is refused.

use traces::trace::AtomicOp;

use super::parse;
use crate::test::{Change, Scope, Seen, Step, Test, Thread};

const MP: &str = "PTX MP
\"words\"
{
x=0; y=0x2;
P1:r0=0;
}
// a comment
 P0@cta 0,gpu 0     | P1@cta 1,gpu 0          ;
 st.weak x, 1       | ld.acquire.gpu r0, y    ; (* and another *)
 st.release.sys y,1 | ld.relaxed.gpu r1, x    ;
                    | atom.acq_rel.cta.plus r2, x, 3 ;
~exists (P1:r0 == 1 /\\ ~(1:r1 = 0 \\/ x != 2))
";

#[test]
fn words_become_operations() {
    let test = parse("f", MP).unwrap();
    assert_eq!(test.name, "MP");
    assert_eq!(test.locations, [("x".into(), 0), ("y".into(), 2)]);
    let [p0, p1] = &test.threads[..] else { panic!("{test:?}") };
    assert_eq!(p0.steps.len(), 3);
    assert_eq!(p0.steps[1], Step::Fence(Scope::Sys));
    assert_eq!(p1.steps.len(), 6);
    assert_eq!(p1.steps[1], Step::Fence(Scope::Gpu));
    assert_eq!((p1.cta, p1.gpu), (1, 0));
    // Registers of P1, and x, of which the condition speaks.
    assert_eq!(test.observed().len(), 4);
    assert!(test.holds(&vec![1, 5, 0, 2]));
    assert!(!test.holds(&vec![1, 0, 0, 2]));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let cases = [
        (
            "st.weak x",
            "sd.weak x",
            9,
            "\"sd\": must be one of ld, st, atom, red, fence, membar, bar",
        ),
        (
            "ld.acquire.gpu",
            "ld.acquier.gpu",
            9,
            "\"acquier\": must be one of weak, relaxed, acquire",
        ),
        ("ld.acquire.gpu", "ld.acquire.dev", 9, "\"dev\": must be one of cta, gpu, sys"),
        (
            "ld.acquire.gpu r0",
            "ld.acquire r0",
            9,
            "\"ld.acquire\": is incomplete: the next part must be one of cta, gpu, sys",
        ),
        ("r1, x", "r1, w", 10, "\"w\": must be a location with a first value: one of x, y"),
        ("y,1 |", "y,r0 |", 10, "\"r0\": has no value in P0"),
        (
            "st.weak x, 1       |",
            "ld.weak r0, y\n|;\nst.weak x, r0 |",
            11,
            "depends on a value that P0 has loaded",
        ),
        ("P1@cta 1", "P2@cta 1", 8, "\"P2\": must be P1"),
        ("PTX", "X86", 1, "\"X86\": must be PTX or OPENCL"),
        ("1:r1", "1:r7", 12, "\"r7\": must be a register into which P1 loads"),
        ("~exists", "always", 12, "\"always\": must be one of ld, st"),
        ("plus", "inc", 11, "\"inc\": must be one of exch, add, plus, sub, minus, min, max, and"),
        ("st.weak x, 1", "L0:", 9, "\"L0\": labels and branches are refused: a trace holds"),
        ("st.weak x, 1", "bne r0, 0, L0", 9, "\"bne\": labels and branches are refused"),
        ("st.weak x, 1", "fence.proxy.alias", 9, "\"fence.proxy\": orders proxies"),
        ("st.weak x, 1", "tld.weak r0, x", 9, "\"tld.weak\": is of another proxy"),
        ("st.weak x, 1", "bar.cta.arrive 1", 9, "\"bar.arrive\": is refused"),
        ("st.weak x, 1", "bar.cta.sync 16", 9, "\"16\": must be a barrier, 0 to 15"),
        ("st.weak x, 1", "bar.cta.sync 1, 1, 2", 9, "a barrier has a number and a count"),
        ("st.weak x, 1", "bar.cta.sync 1, 2", 9, "deadlocks: it waits for 2 threads and 1 can"),
        ("\"words\"", "\"words", 2, "starts a string without an end"),
        ("x=0; y", "x=0; int z[2]; y", 4, "\"z\": is an array"),
        ("x=0; y", "x=0; long z; y", 4, "\"long\": must be a type of 4 bytes"),
        ("P1:r0=0", "P7:r0=0", 5, "\"P7\": must be a thread, P0 to P1"),
        ("/\\\\ ~", "/\\\\ %", 12, "\"%\": "),
    ];
    for (from, to, line, problem) in cases {
        let (from, to) = (from.replace("\\\\", "\\"), to.replace("\\\\", "\\"));
        assert!(MP.contains(&from), "{from}");
        let error = parse("f", &MP.replacen(&from, &to, 1)).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn barriers_are_of_all_threads_of_a_work_group() {
    let text = MP.replace("P1@cta 1", "P1@cta 0").replace("st.weak x, 1  ", "bar.cta.sync 0");
    let error = parse("f", &text).unwrap_err();
    let problem = "\"bar.cta.sync 0\": deadlocks: it waits for all 2 threads of the \
                   work-group, but P1 never reaches it";
    assert!(error.to_string().contains(problem), "{error}");
}

/// Columns of three threads of one work-group.
fn three(rows: &[&str]) -> Result<Test, super::ParseError> {
    let text = format!(
        "PTX T\n\"one\"\n\"two\"\n{{x=0;}}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0, gpu 0 ;\n\
         {} ;\nexists (x == 0)",
        rows.join(" ;\n")
    );
    parse("f", &text)
}

#[test]
fn barriers_have_a_number_and_a_count() {
    let test = three(&["bar.cta.sync 1, 2 | bar.sync 1, 2 | st x, 1"]).unwrap();
    assert_eq!(test.threads[0].steps, [Step::Barrier(1)]);
    let cases = [
        (
            &["bar.cta.sync 1, 2 | bar.cta.sync 1, 2 | bar.cta.sync 1, 2"][..],
            "their grouping can vary",
        ),
        (
            &["bar.cta.sync 1, 4 | bar.cta.sync 1, 4 | bar.cta.sync 1, 4"],
            "deadlocks: it waits for 4",
        ),
        (&["bar.cta.sync 1 | bar.cta.sync 1 | bar.cta.sync 2"], "deadlocks: it waits for all 3"),
        (
            &["bar.cta.sync 1, 2 | bar.cta.sync 2, 2 |", "bar.cta.sync 2, 2 | bar.cta.sync 1, 2 |"],
            "in the same order",
        ),
        (&["bar.sync 1, 2 | bar.sync 1, 2 |", "bar.sync 1, 2 | |"], "equally often"),
    ];
    for (rows, problem) in cases {
        let error = three(rows).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn registers_hold_numbers_and_addresses() {
    let text = "ptx T
{ x; [y]=3; P0:r0=5; P0:%r1=y; P1:r7=0 }
 P0@cta 0,gpu 0   | P1@cta 1,gpu 0              ;
 st x, r0         | mov.u32 r2, 7               ;
 st.weak [r1], -1 | sub r3, r2, 3               ;
 membar.gl        | st.volatile y, r3           ;
                  | ld.weak r4, 9               ;
                  | atom.sys.minus r5, [y], r4  ;
locations [y; 0:r0;]
filter (1:r5 >= 0)
exists (0:r0 == 5 /\\ P1:r3 > -4 /\\ 0==0 /\\ 1:r5 < 0x7fffffff);
"
    .replace("\\\\", "\\");
    let test = parse("f", &text).unwrap();
    let [p0, p1] = &test.threads[..] else { panic!("{test:?}") };
    let stores = |thread: &Thread| -> Vec<_> {
        let store = |step: &Step| match *step {
            Step::Store { location, value } => Some((location, value)),
            _ => None,
        };
        thread.steps.iter().filter_map(store).collect()
    };
    assert_eq!(stores(p0), [(0, 5), (1, u32::MAX)]);
    assert_eq!(stores(p1), [(1, 4)]);
    let change = Change::Op(AtomicOp::Add, 9u32.wrapping_neg());
    assert_eq!(p1.steps[1], Step::Atomic { change, register: Some(0), location: 1 });
    assert_eq!(test.observed(), [Seen::Register(1, 0), Seen::Location(1)]);
    assert!(test.holds(&vec![6, 0]));
    assert!(!test.holds(&vec![u32::MAX, 0]), "the filter leaves it out");
}

#[test]
fn a_filter_leaves_outcomes_out_of_forall() {
    let text = "PTX T\n{x=0;}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0;\nst x, 1 | ld r0, x;\n\
                filter (1:r0 == 1) forall (1:r0 != 0)";
    let test = parse("f", text).unwrap();
    assert!(test.holds(&vec![0]) && test.holds(&vec![1]));
}

#[test]
fn a_test_with_too_many_ways_is_refused() {
    let row = " st.weak x, 1 | ld.weak r0, x ;\n".repeat(12);
    let text = format!("PTX T\n{{x=0;}}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{row}exists (x == 1)");
    let error = parse("f", &text).unwrap_err();
    assert!(error.to_string().contains("possible executions"), "{error}");
}

const OPENCL: &str = "OPENCL T
{ [x]=0; int y = 2; }
P0@wg 0, dev 0 (global atomic_int* x, volatile __global int* y) {
  *y = 1; // plain
  atomic_store_explicit(x, 1 + 2, memory_order_release, memory_scope_work_group);
  B1: barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
}
P1@wg 0, dev 0 (global atomic_int* x, global int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire);
  B1: barrier(CLK_GLOBAL_MEM_FENCE);
  int e = 3;
  int won = atomic_compare_exchange_strong_explicit(
    x, &e, 4, memory_order_acq_rel, memory_order_relaxed);
  uint r1 = *y;
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  atomic_fetch_sub(x, 1);
}
exists (1:r0=3 /\\ 1:won=1 /\\ 1:e=3)
";

#[test]
fn calls_of_opencl_become_operations() {
    let test = parse("f", OPENCL).unwrap();
    let fence = |scope| Step::Fence(scope);
    let store = |location, value| Step::Store { location, value };
    assert_eq!(
        test.threads[0].steps,
        [store(1, 1), fence(Scope::Cta), store(0, 3), Step::Barrier(0)]
    );
    let atomic = |change, register| Step::Atomic { change, register, location: 0 };
    assert_eq!(
        test.threads[1].steps,
        [
            Step::Load { register: 0, location: 0 },
            fence(Scope::Gpu),
            Step::Barrier(0),
            fence(Scope::Gpu),
            atomic(Change::CompareSwap { expected: 3, new: 4 }, Some(1)),
            fence(Scope::Gpu),
            Step::Load { register: 2, location: 1 },
            fence(Scope::Gpu),
            atomic(Change::Op(AtomicOp::Add, u32::MAX), None),
            fence(Scope::Gpu),
        ]
    );
    assert_eq!(test.threads[1].registers, ["r0", "e", "r1"]);
    // r0, e, r1, x
    assert!(test.holds(&vec![3, 3, 2, 3]));
    assert!(!test.holds(&vec![3, 4, 2, 3]), "it has found something else, and not won");
}

#[test]
fn a_tree_says_where_threads_of_opencl_are() {
    let places = ["P0@wg 0, dev 0", "P1@wg 0, dev 0"];
    let plain = OPENCL.replace(places[0], "P0").replace(places[1], "P1");
    // Without a place each thread is a work-group of its own.
    let test = parse("f", &plain).unwrap();
    assert!(!test.threads[0].reaches(Scope::Cta, &test.threads[1]));
    assert!(test.threads[0].reaches(Scope::Gpu, &test.threads[1]));
    let with = |tree: &str| parse("f", &plain.replace("exists", &format!("{tree}\nexists")));
    let test = with("scopeTree (device (work_group P0 P1))\nx: global; y: global").unwrap();
    assert!(test.threads[0].reaches(Scope::Cta, &test.threads[1]));
    for (tree, problem) in [
        ("(device (work_group P0))", "without P1"),
        ("(device (work_group (wave P0 P1)))", "shares a sub-group with another thread"),
        ("(device (work_group P0 P0 P1))", "already in the scope tree"),
        ("(device (wg P0 P1)) x: local", "\"local\": must be global"),
        ("(planet P0 P1)", "must be a scope: one of device"),
    ] {
        let error = with(tree).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    let two = plain.replace("exists", "(device (wg P0)) (device (wg P1)) exists");
    let test = parse("f", &two).unwrap();
    assert!(!test.threads[0].reaches(Scope::Gpu, &test.threads[1]));
}

#[test]
fn what_of_opencl_is_not_modelled_is_named() {
    let cases = [
        ("*y = 1;", "if (1) { *y = 1; }", 4, "\"if\": labels and branches are refused"),
        ("*y = 1;", "L: *y = 1;", 4, "\"L\": labels and branches are refused"),
        ("uint r1 = *y;", "*y = r0;", 14, "\"r0\": depends on a value that P1 has loaded"),
        ("uint r1 = *y;", "int r2 = r0 + 1;", 14, "\"r0\": depends on a value that P1 has loaded"),
        ("__global int* y", "local int* y", 3, "\"local\": must be global"),
        ("__global int* y", "global long* y", 3, "\"long\": must be a type of 4 bytes"),
        ("__global int* y", "global int* z", 3, "\"z\": must be a location with a first value"),
        ("_scope_work_group", "_scope_sub_group", 5, "\"memory_scope_sub_group\": must be one of"),
        ("order_release", "order_acquire", 5, "\"memory_order_acquire\": must be one of"),
        ("_strong_", "_weak_", 12, "can fail spuriously"),
        (
            "barrier(CLK_GLOBAL_MEM_FENCE)",
            "barrier(CLK_LOCAL_MEM_FENCE)",
            10,
            "orders only local memory",
        ),
        ("atomic_fetch_sub", "atomic_fetch_nand", 16, "\"atomic_fetch_nand\": must be one of"),
        ("P1@", "P2@", 8, "\"P2\": must be P1"),
    ];
    for (from, to, line, problem) in cases {
        assert!(OPENCL.contains(from), "{from}");
        let text = OPENCL.replacen(from, to, 1);
        let error = parse("f", &text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(problem), "{error}");
    }
}
