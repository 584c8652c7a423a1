//! probe
use super::shape::all;
use super::{by_default, system};
use testbench::kernels::PROGRAMS;
use testbench::machine::Options;
#[test]
fn probe() {
    for policy in all("l2.policy") {
        for p in PROGRAMS {
            let s = system("cpelide-4-small", &[("l2.design", "none"), ("l2.policy", &policy)]);
            let r = super::run(&s, &by_default(p.name), Options::default());
            println!("{policy} {} {:?}", p.name, r.map(|o| o.cycles).map_err(|e| e.to_string()));
        }
    }
}
