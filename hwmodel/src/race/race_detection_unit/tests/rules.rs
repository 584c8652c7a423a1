//! Units with a rule disabled. Random requests find the other rules
//! (`tests/blocks/race/random.rs`).

use ports::race::types::rsp_kind::*;

use super::*;

fn write(id: u8, line: u32) -> Req {
    request(req_kind::WRITE, id, line)
}

fn atomic(id: u8, line: u32) -> Req {
    request(req_kind::ATOM, id, line)
}

/// Kind and id of the answers that each SM has to these requests: the first cycle of each, and its
/// SM. Everything is ready.
fn answers(config: &Config, rule: Rule, requests: &[(usize, usize, Req)]) -> Vec<Vec<(u8, u8)>> {
    let mut unit = RaceDetectionUnit::without(config, rule).expect("legal parameters");
    let mut left = requests.to_vec();
    let mut answers = vec![Vec::new(); config.n_sm as usize];
    for cycle in 0..200 {
        let mut inputs = In { tok_ready: true, rsp_ready: u16::MAX, ..In::default() };
        let out = unit.outputs();
        for (sm, answers) in answers.iter_mut().enumerate() {
            let next = left.iter().position(|(_, of, _)| *of == sm);
            if let Some(next) = next.filter(|&next| left[next].0 <= cycle) {
                inputs.req_valid |= 1 << sm;
                inputs.req[sm] = left[next].2;
                if out.req_ready >> sm & 1 != 0 {
                    left.remove(next);
                }
            }
            if out.rsp[sm].hdr {
                answers.push((out.rsp[sm].kind, out.rsp[sm].id));
            }
        }
        unit.tick(&inputs);
    }
    assert!(left.is_empty() && unit.outputs().idle, "it does not end");
    answers
}

#[test]
fn without_whole_line_the_rest_of_it_is_not_seen() {
    let config = Config { gran: 4, m: 1024, ..config() };
    let write = Req { mask: 1 << 127, ..write(1, 1) };
    let requests = [(0, 0, write), (10, 1, Req { mask: 1, ..read(2, 1) })];
    assert_eq!(answers(&config, Rule::WholeLine, &requests)[1], [(NORACE, 2)]);
}

#[test]
fn without_write_syncs_and_atomic_syncs_they_are_answered_as_checks() {
    let requests = [(0, 0, write(1, 1)), (0, 0, atomic(2, 2))];
    let run = |rule| answers(&config(), rule, &requests)[0].clone();
    assert_eq!(run(Rule::WriteSyncs), [(NORACE, 1), (WACK, 2)]);
    assert_eq!(run(Rule::AtomicSyncs), [(WACK, 1), (NORACE, 2)]);
    let requests = [(0, 0, write(1, 1)), (1, 1, atomic(2, 1))];
    assert_eq!(answers(&config(), Rule::AtomicSyncs, &requests)[1], [(WACK, 2)], "it races");
}
