//! `duet plot`: pictures of a sweep.

use crate::desk::Desk;

const SWEEP: &str = r#"
[sweep]
name = "plot"

[[grid]]
systems = ["rec-4gpu-small"]
workloads = ["copy", "reuse"]
set.workload.size = 256
set."l2.design" = ["rec", "hmg"]
set."directory.entries" = [64, 128, 256]
"#;

fn draws(desk: &Desk, words: &str) {
    let left = desk.duet(words);
    assert_eq!((left.status, &left.stderr[..]), (0, ""), "{words}: {}", left.stdout);
}

/// Centres of the circles of a line chart, in the order in which they are drawn.
fn circles(svg: &str) -> Vec<(f64, f64)> {
    let of = |tag: &str, name: &str| -> f64 {
        let (_, rest) = tag.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let tags = svg.split("<circle ").skip(1);
    tags.map(|tag| (of(tag, "cx"), of(tag, "cy"))).collect()
}

#[test]
fn lines_over_numbers_stand_where_their_values_are() {
    let desk = Desk::on_any_build("plot");
    std::fs::write(desk.file("s.toml"), SWEEP).unwrap();
    desk.passes("sweep s.toml --csv s.csv");
    draws(&desk, "plot s.sqlite --x directory.entries --lines l2.design --y cycles -o c.svg");
    let svg = desk.read("c.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let rows = desk.read("s.csv");
    let rows: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    let at = ["l2.design", "directory.entries", "cycles"]
        .map(|name| rows[0].iter().position(|head| *head == name).unwrap());
    let mean = |design: &str, entries: &str| -> f64 {
        let own = rows.iter().filter(|row| row[at[0]] == design && row[at[1]] == entries);
        own.map(|row| row[at[2]].parse::<f64>().unwrap()).product::<f64>().sqrt()
    };
    let marks = circles(&svg);
    assert_eq!(marks.len(), 6);
    // The first of the sweep file is drawn first. Heights are proportional to values.
    let values: Vec<f64> = ["rec", "hmg"]
        .into_iter()
        .flat_map(|design| ["64", "128", "256"].map(|entries| mean(design, entries)))
        .collect();
    let top = values.iter().copied().fold(0.0, f64::max);
    let scale = |a: usize, b: usize| (marks[b].1 - marks[a].1) / (values[a] - values[b]);
    let pairs: Vec<_> = (1..6).filter(|b| (values[0] - values[*b]).abs() > 0.02 * top).collect();
    for b in &pairs {
        let each = scale(0, *b) / scale(0, pairs[0]);
        assert!((each - 1.0).abs() < 0.1, "{values:?} {marks:?}");
    }
    // Factors of two are equal steps along the x axis.
    let steps = [marks[1].0 - marks[0].0, marks[2].0 - marks[1].0];
    assert!((steps[0] - steps[1]).abs() <= 2.0, "{marks:?}");
}

#[test]
fn bars_over_names_and_what_cannot_be_drawn() {
    let desk = Desk::on_any_build("plot-bars");
    std::fs::write(desk.file("s.toml"), SWEEP).unwrap();
    desk.passes("sweep s.toml");
    draws(&desk, "plot s.sqlite --x workload --lines l2.design -o b.svg");
    let svg = desk.read("b.svg");
    for text in ["copy", "reuse", "speedup over l2.design = rec", "l2.design = hmg"] {
        assert!(svg.contains(text), "{text}");
    }
    for (words, message) in [
        ("--x l2.desing -o x.svg", "did you mean l2.design?"),
        ("--x workload --lines seeds -o x.svg", "did you mean seed?"),
        ("--x workload --y l2.nothing -o x.svg", "no point has this counter"),
        ("--x workload -o s.sqlite", "it would replace"),
    ] {
        desk.refuses(2, &format!("plot s.sqlite {words}"), &[message]);
    }
    std::fs::write(desk.file("no.sqlite"), "").unwrap();
    desk.refuses(2, "plot no.sqlite --x workload -o x.svg", &["is no SQLite file of a sweep"]);
    desk.refuses(2, "plot none.sqlite --x workload -o x.svg", &["none.sqlite"]);
    assert!(!desk.file("x.svg").exists());
}
