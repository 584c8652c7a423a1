//! Pages and timelines of runs.

use crate::desk::Desk;

const RUN: &str = "run --system cpelide-4-small --workload reuse";

#[test]
fn a_page_shows_the_runs_numbers_and_needs_nothing_else() {
    let desk = Desk::on_any_build("page");
    desk.passes(&format!("{RUN} --report a.html --json a.json"));
    let (page, json) = (desk.read("a.html"), desk.json("a.json"));
    let spaced = |number: u64| {
        let digits = number.to_string();
        let groups = digits.as_bytes().rchunks(3).rev();
        let groups: Vec<_> = groups.map(|g| String::from_utf8(g.to_vec()).unwrap()).collect();
        groups.join("\u{202f}")
    };
    let cycles = json["cycles"].as_u64().unwrap();
    assert!(page.contains(&format!(">{}<", spaced(cycles))), "{cycles}");
    for (name, value) in json["counters"].as_object().unwrap() {
        assert!(page.contains(&format!("<code>{name}</code>")), "{name}");
        assert!(page.contains(&format!(">{}<", spaced(value.as_u64().unwrap()))), "{name}");
    }
    for outside in ["http:", "https:", " src="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// What is recorded changes nothing.
#[test]
fn a_run_with_a_page_is_the_run_without() {
    let desk = Desk::on_any_build("page_same");
    desk.passes(&format!("{RUN} --json without.json"));
    desk.passes(&format!("{RUN} --json with.json --report a.html --timeline t.json"));
    assert_eq!(desk.read("without.json"), desk.read("with.json"));
}

#[test]
fn runs_stand_side_by_side_in_the_order_of_their_pages() {
    let desk = Desk::on_any_build("page_two");
    for design in ["software", "cpelide"] {
        desk.passes(&format!("{RUN} --set l2.design={design} --report {design}.html"));
    }
    let left = desk.duet("report cpelide.html software.html --output both.html");
    assert_eq!(left.status, 0, "{}", left.stderr);
    let page = desk.read("both.html");
    let at = |name: &str| page.find(&format!("<b>{name}</b>")).expect(name);
    assert!(at("cpelide") < at("software"));
    desk.refuses(2, "report cpelide.html --output cpelide.html", &["cpelide.html: it would"]);
    std::fs::write(desk.file("no.html"), "<html></html>").unwrap();
    desk.refuses(2, "report no.html --output x.html", &["no.html: is not a page of duet"]);
    assert!(!desk.file("x.html").exists());
}

#[test]
fn a_timeline_has_each_launch_and_they_follow_one_another() {
    let desk = Desk::on_any_build("timeline");
    desk.passes(&format!("{RUN} --set machine.gpus=2 --timeline t.json --json a.json"));
    let events = desk.json("t.json");
    let spans: Vec<_> = events["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        // Of GPUs: the process behind them has components.
        .filter(|event| event["ph"] == "X" && event["tid"] == 1 && event["pid"] != 2)
        .map(|e| {
            (e["pid"].as_u64().unwrap(), e["ts"].as_f64().unwrap(), e["dur"].as_f64().unwrap())
        })
        .collect();
    let result = desk.json("a.json");
    let packets = result["counters"]["launch.packets"].as_u64().unwrap();
    assert_eq!(spans.len() as u64, packets);
    let end = result["time_ns"].as_u64().unwrap() as f64 / 1000.0;
    for gpu in 0..2 {
        let own: Vec<_> = spans.iter().filter(|span| span.0 == gpu).collect();
        assert!(own.len() > 1);
        for pair in own.windows(2) {
            assert!(pair[0].1 + pair[0].2 <= pair[1].1, "{pair:?}");
        }
        assert!(own.iter().all(|span| span.1 + span.2 <= end + 0.01), "{end}: {own:?}");
    }
}
