//! What is read, and what is refused.

use super::parse;
use crate::test::{Scope, Step};

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
        ("st.weak x", "sd.weak x", 9, "\"sd\": must be one of ld, st, atom, red, fence, bar"),
        (
            "ld.acquire.gpu",
            "ld.acquier.gpu",
            9,
            "\"acquier\": must be one of weak, relaxed, acquire",
        ),
        ("ld.acquire.gpu", "ld.acquire.dev", 9, "\"dev\": must be one of cta, gpu, sys"),
        ("ld.acquire.gpu r0", "ld.acquire r0", 9, "must be one of cta, gpu, sys comes next"),
        ("r1, x", "r1, w", 10, "\"w\": must be a location with a first value: one of x, y"),
        ("y,1 |", "y,r0 |", 10, "\"r0\": must be a number"),
        ("P1@cta 1", "P2@cta 1", 8, "\"P2\": must be P1"),
        ("PTX", "X86", 1, "\"X86\": must be PTX"),
        ("1:r1", "1:r7", 12, "\"r7\": must be a register into which P1 loads"),
        ("~exists", "always", 12, "\"always\": must be one of ld, st"),
        ("plus", "cas", 11, "\"cas\": must be one of exch, add, plus, min, max, and, or, xor"),
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
    assert!(error.to_string().contains("as many bar.cta.sync"), "{error}");
}

#[test]
fn a_test_with_too_many_ways_is_refused() {
    let row = " st.weak x, 1 | ld.weak r0, x ;\n".repeat(12);
    let text = format!("PTX T\n{{x=0;}}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{row}exists (x == 1)");
    let error = parse("f", &text).unwrap_err();
    assert!(error.to_string().contains("ways in which it may go"), "{error}");
}
