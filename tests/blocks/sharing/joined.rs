//! The policies of L1s and an L2 bank that are joined: how many lines hold a block that one SM
//! reads, and one that several read.

use duet_tests::{Body, Make, has_rtl_of, rtl_with};
use hwmodel::sharing::sharing_l1_policy::SharingL1Policy;
use hwmodel::sharing::sharing_l2_policy::SharingL2Policy;
use hwmodel::{Block, Model};
use ports::sharing::types::{L1Fill, L2Fill, Lookup, Sharing, act};
use ports::sharing::{sharing_l1_policy as l1, sharing_l2_policy as l2};

use super::small;

const SMS: usize = 4;
const PRIVATE: L1Fill = L1Fill { sf: false, set: 0 };

/// Four SMs, whose L1s have a set full of private lines.
struct Joined {
    l1s: Vec<Body<SharingL1Policy>>,
    l2: Body<SharingL2Policy>,
}

impl Joined {
    fn new(l1: Make<SharingL1Policy>, l2: Make<SharingL2Policy>) -> Self {
        let all = Sharing { n_sm: SMS as u32, ..small() };
        let l1s = (0..SMS).map(|_| l1(&(&all).into())).collect();
        let mut joined = Self { l1s, l2: l2(&(&all).into()) };
        for sm in (0..SMS).flat_map(|sm| [sm; 4]) {
            assert!(joined.fill(sm, PRIVATE));
        }
        joined
    }

    /// A line comes to an L1; whether it is kept.
    fn fill(&mut self, sm: usize, fill: L1Fill) -> bool {
        self.l1s[sm].tick(&l1::In { fill: Some(fill), ..l1::In::default() });
        self.l1s[sm].outputs().vic.expect("in the next cycle").install
    }

    /// An access to the L2 of what the L1 has not; what it does, and the SF.
    fn look(&mut self, lk: Lookup) -> (u8, bool, u8) {
        self.l2.tick(&l2::In { lk: Some(lk), ..l2::In::default() });
        let act = self.l2.outputs().act.expect("in the next cycle");
        (act.act, act.sf, act.way)
    }

    /// The line of MSHR 0 comes.
    fn answer(&mut self, way: u8) -> bool {
        let fill = Some(L2Fill { mshr: 0, set: 0, way });
        self.l2.tick(&l2::In { fill, ..l2::In::default() });
        self.l2.outputs().fsf.expect("in the next cycle")
    }

    /// Lines that hold a block which these SMs read one after the other.
    fn lines(&mut self, sms: &[u8], is_local: bool) -> u32 {
        let mut lines = 0;
        let mut at = None;
        for &sm in sms {
            let mut lk = Lookup { sm, is_local, ..Lookup::default() };
            if let Some(way) = at {
                (lk.hit, lk.way) = (true, way);
            }
            let (act, mut sf, way) = self.look(lk);
            match act {
                act::ALLOC => {
                    lines += 1;
                    at = Some(way);
                    sf = self.answer(way);
                }
                act::BYPASS => assert!(is_local),
                act => assert_eq!(act, act::HIT),
            }
            lines += u32::from(self.fill(sm.into(), L1Fill { sf, set: 0 }));
        }
        lines
    }

    /// Likewise, all of them before the line comes.
    fn lines_of_merged(&mut self, sms: &[u8]) -> u32 {
        let (mut lines, mut way) = (0, 0);
        for (n, &sm) in sms.iter().enumerate() {
            let (act, _, at) = self.look(Lookup { sm, mshr_hit: n > 0, ..Lookup::default() });
            assert_eq!(act, if n > 0 { act::MERGE } else { act::ALLOC });
            way = if n > 0 { way } else { at };
            lines += u32::from(n == 0);
        }
        let sf = self.answer(way);
        for &sm in sms {
            lines += u32::from(self.fill(sm.into(), L1Fill { sf, set: 0 }));
        }
        lines
    }
}

fn on_both(check: impl Fn(Make<SharingL1Policy>, Make<SharingL2Policy>)) {
    println!("on models");
    check(
        |c| Box::new(SharingL1Policy::new(c).expect("legal parameters")),
        |c| Box::new(SharingL2Policy::new(c).expect("legal parameters")),
    );
    if has_rtl_of::<SharingL1Policy>() && has_rtl_of::<SharingL2Policy>() {
        println!("on the RTL");
        check(
            |c| Box::new(rtl_with::<SharingL1Policy>(c)),
            |c| Box::new(rtl_with::<SharingL2Policy>(c)),
        );
    }
}

#[test]
fn example_4_lines_that_hold_a_block() {
    on_both(|l1, l2| {
        let lines = |sms: &[u8], is_local| Joined::new(l1, l2).lines(sms, is_local);
        assert_eq!(lines(&[3], true), 1, "A by ld.local: in the L1 alone");
        assert_eq!(lines(&[3], false), 2, "A by ld.global");
        assert_eq!(lines(&[0, 1, 2, 3], false), 2, "B: its first reader's L1, and the L2");
        assert_eq!(Joined::new(l1, l2).lines_of_merged(&[0, 1, 2, 3]), 1, "B, merged");
    });
}
