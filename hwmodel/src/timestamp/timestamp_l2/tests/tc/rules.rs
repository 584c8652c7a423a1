//! What rules are for, and that without them it happens.

use super::*;

/// A bank with a memory of zeroes that answers at once.
struct Bench {
    bank: TimestampL2,
    next: In,
    now: u32,
}

impl Bench {
    fn cycle(&mut self) -> Out {
        let ready = In { bus_rsp_ready: true, dram_req_ready: true, ..self.next };
        let out = self.bank.tick(&ready);
        self.now += 1;
        let read = out.dram_req.filter(|req| !req.we);
        let dram_rsp = read.map(|req| DramRsp { line: req.line, ..DramRsp::default() });
        self.next = In { dram_rsp, ..In::default() };
        out
    }

    /// The cycle in which the request was performed, and exp.
    fn ask(&mut self, req: BusReq) -> (u32, u32) {
        self.next.bus_req = Some(req);
        loop {
            if let Some(answer) = self.cycle().bus_rsp {
                // It shows three cycles after the action.
                return (self.now - 1 - 3, answer.wts << 16 | answer.rts);
            }
            assert!(self.now < 1000, "no answer");
        }
    }
}

fn bench(protocol: Protocol, without: Option<Rule>) -> Bench {
    let bank = TimestampL2::with(&config(protocol), without).expect("legal parameters");
    Bench { bank, next: In::default(), now: 0 }
}

/// When a write comes that finds a lease, and until when that is.
fn write_behind_read(mut bench: Bench) -> (u32, u32, u32) {
    let (at, exp) = bench.ask(read(0));
    assert_eq!(exp, at + 10);
    let (done, of_ack) = bench.ask(write(0));
    assert_eq!(of_ack, exp);
    // The answer is seen in at + 3, the write is accepted in at + 4, and acts in at + 5.
    (at + 5, done, exp)
}

#[test]
fn a_strong_write_waits_for_the_lease() {
    let (_, done, exp) = write_behind_read(bench(Protocol::Tcs, None));
    assert_eq!(done, exp);
    let (acts, done, _) = write_behind_read(bench(Protocol::Tcw, None));
    assert_eq!(done, acts);
    let (acts, done, exp) = write_behind_read(bench(Protocol::Tcs, Some(Rule::Waits)));
    assert!(done == acts && done < exp);
}

/// When the third line of a set was read, and until when the others are lent.
fn third_line(mut bench: Bench) -> (u32, u32) {
    let (_, first) = bench.ask(read(LINES[0]));
    bench.ask(read(LINES[1]));
    bench.next.bus_req = Some(read(LINES[2]));
    let asked = loop {
        if let Some(req) = bench.cycle().dram_req {
            // It shows in the cycle after the action.
            assert_eq!(req.line, LINES[2]);
            break bench.now - 1 - 1;
        }
    };
    (asked, first)
}

#[test]
fn a_line_that_is_lent_stays() {
    let config = |rule| {
        let mut bench = bench(Protocol::Tcw, rule);
        bench.bank =
            TimestampL2::with(&Config { tc_lease: 40, ..bench.bank.config }, rule).unwrap();
        bench
    };
    let (asked, exp) = third_line(config(None));
    assert_eq!(asked, exp);
    let (asked, exp) = third_line(config(Some(Rule::Inclusion)));
    assert!(asked < exp);
}
