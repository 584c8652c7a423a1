//! Which rules the values of loads and releases need.

use hwmodel::finepack::{depacketizer, packetizer, remote_write_queue as queue};

use super::{Of, Rule, all};

/// Rules that values do not need: the blocks' own checks detect them.
const OTHERS: &[(&str, &[Rule])] = {
    use Rule::{Depacketizer as D, Packetizer as P, Queue as Q};
    use depacketizer::Rule as d;
    use packetizer::Rule as p;
    use queue::Rule as q;
    &[
        (
            "when a packet ends, not what it holds",
            &[
                Q(q::Fit),
                Q(q::FitBeforeLookup),
                Q(q::Exact),
                Q(q::Credit),
                Q(q::Paper),
                Q(q::CreditReset),
                Q(q::Overlap),
                Q(q::Timeout),
                Q(q::StoreRestarts),
                Q(q::LoadLeavesTimer),
                Q(q::TimeoutYields),
            ],
        ),
        ("more is sent than must be", &[Q(q::GpuRelease), Q(q::MarkCleans)]),
        (
            "bytes that are read and not used",
            &[P(p::ReadEnables), D(d::ReadEnables), Q(q::Zeros), D(d::Zeros)],
        ),
        (
            "when something moves",
            &[
                Q(q::RoundRobin),
                P(p::TwoBeats),
                D(d::WindowRoom),
                D(d::OutputRoom),
                D(d::ChecksAtOnce),
            ],
        ),
        ("runs of an entry are in any order", &[P(p::LowestFirst)]),
        ("a field that only the link uses", &[Q(q::TagCountsPackets), P(p::Ecrc)]),
        (
            "how errors are reported",
            &[Q(q::LowestCode), Q(q::LostFlag), Q(q::Spurious), D(d::LowestCode), D(d::OnePulse)],
        ),
        ("a request that no GPU sends", &[Q(q::NoBytes)]),
        (
            "a TLP that no packetizer sends",
            &[
                D(d::Overflow),
                D(d::NoBytes),
                D(d::OneLine),
                D(d::Rest),
                D(d::InPacket),
                D(d::DropsRest),
                D(d::DropsNoMore),
                D(d::EndsShort),
                D(d::EndsLong),
                D(d::WholeBeats),
                D(d::BeatSize),
                D(d::StartEnds),
                D(d::Stray),
                D(d::LastEnables),
                D(d::FirstEnables),
                D(d::Type),
                D(d::Poison),
                D(d::ReadInLine),
                D(d::AtomicSize),
                D(d::CutAtLines),
                D(d::WriteFirst),
                D(d::WriteLast),
            ],
        ),
    ]
};

#[test]
fn values_need_all_other_rules() {
    let queue = queue::Rule::ALL.iter().map(|&rule| Rule::Queue(rule));
    let packetizer = packetizer::Rule::ALL.iter().map(|&rule| Rule::Packetizer(rule));
    let depacketizer = depacketizer::Rule::ALL.iter().map(|&rule| Rule::Depacketizer(rule));
    let (mut unseen, mut count) = (Vec::new(), 0);
    for rule in queue.chain(packetizer).chain(depacketizer) {
        if OTHERS.iter().any(|(_, rules)| rules.contains(&rule)) {
            continue;
        }
        match all(Of::Without(rule), 60) {
            Ok(()) => unseen.push(rule),
            Err(wrong) => println!("{rule:?}: {wrong}"),
        }
        count += 1;
    }
    println!("{count} rules");
    assert!(unseen.is_empty(), "values do not need {unseen:?}");
}
