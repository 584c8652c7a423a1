//! Names and keys that are nearly right.

use crate::desk::Desk;

#[test]
fn a_name_that_is_nearly_right_is_answered_with_the_one_that_is() {
    let desk = Desk::on_any_build("run-near");
    let one = "run --system stc-8cu-small --workload copy";
    for (words, meant) in [
        ("run --system stc-8cu-smal --workload copy".to_string(), "stc-8cu-small"),
        ("run --system stc-8cu-small --workload cpoy".into(), "copy"),
        (format!("{one} --set l2.way=4"), "l2.ways"),
        (format!("{one} --set machin.cus=4"), "machine"),
        (format!("{one} --set finepack.beet=4"), "beat"),
        (format!("{one} --set l1.design=stc-mp"), "stc-mb"),
        (format!("{one} --set l2.policy=privat"), "private"),
        (format!("{one} --set workload.sise=4"), "workload.size"),
        (format!("{one} --impl cp_crosbar=rtl"), "cp_crossbar"),
        (format!("{one} --impl cp_crossbar=rlt"), "rtl"),
        (format!("{one} --cp lokstep"), "lockstep"),
        (format!("{one} --wave w.vcd --wave-of gpu0/cp_crosbar"), "gpu0/cp_crossbar"),
        ("cosim packetiser".into(), "packetizer"),
        ("cosim packetizer --config papr".into(), "paper"),
        ("cosim packetizer --set beet=8".into(), "beat"),
        ("cosim packetizer --flip tpl@3 --cycles 9".into(), "tlp"),
        ("bodies build packetiser".into(), "packetizer"),
        ("reproduce finepak".into(), "finepack"),
        ("controls rat-gpu-link".into(), "rate-gpu-link"),
    ] {
        let left = desk.duet(&words);
        assert_eq!(left.status, 2, "{words}: {}", left.stderr);
        let meant = format!("did you mean {meant}?");
        assert!(left.stderr.contains(&meant), "{words}: no {meant:?} in: {}", left.stderr);
    }
}
