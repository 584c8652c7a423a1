//! The page: HTML that holds everything it needs, the runs as data included.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::Run;
use crate::parts;
use crate::words::explained;

/// How pages look.
pub const STYLE: &str = include_str!("style.css");
/// Where the runs stand in a page.
const BEGIN: &str = "<script type=\"application/json\" id=\"duet-runs\">";
const END: &str = "</script>";

/// A part of a page: its title, and what it shows of the runs with these names, if there is
/// anything.
type Part = (&'static str, fn(&[Run], &[String]) -> Option<Markup>);

const PARTS: [Part; 13] = [
    ("Cycles of kernels and launches", parts::kernels),
    ("Cycles of CUs", parts::cycles),
    ("Bandwidth of each level", parts::levels),
    ("Latency of a load", parts::latency),
    ("Hits and misses", parts::hits),
    ("Traffic by class and place", parts::traffic),
    ("Traffic between chiplets and GPUs", parts::matrices),
    ("Packets between GPUs", parts::packets),
    ("Invalidations by cause", parts::invalidations),
    ("Counters of the designs", parts::designs),
    ("Launch decisions", parts::launches),
    ("Over time", parts::over_time),
    ("All statistics", parts::statistics),
];

/// A page of a run, or of several side by side: the first is what the others are compared with.
pub fn page(runs: &[Run]) -> String {
    let labels: Vec<_> = runs.iter().map(|run| run.label(runs)).collect();
    let title = match runs {
        [run] => format!("{} on {}", program(run), run.system),
        _ => format!("{} runs side by side", runs.len()),
    };
    let shown: Vec<_> =
        PARTS.iter().filter_map(|(name, part)| Some((*name, part(runs, &labels)?))).collect();
    let data = in_script(&serde_json::to_string(runs).expect("plain data"));
    let body = html! {
        header {
            p.brand { "duet" }
            h1 { (title) }
            nav { @for (name, _) in &shown {
                a href=(format!("#{}", anchor(name))) { (name) }
            } }
        }
        main {
            section { (parts::summary(runs, &labels)) }
            @for (name, part) in &shown {
                section id=(anchor(name)) { h2 { (explained(name)) } (part) }
            }
        }
        (PreEscaped(BEGIN)) (PreEscaped(data)) (PreEscaped(END))
    };
    document(&format!("duet: {title}"), STYLE, &body).into_string()
}

/// JSON as the text of a script: what could end the script, or begin a comment, stands there by its
/// number. Only strings hold such characters.
fn in_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text += &format!("\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text
}

/// A page that needs no other file.
pub fn document(title: &str, style: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { (body) }
        }
    }
}

/// The runs that a page holds. Errors: it is no page of these.
pub fn runs_of(page: &str) -> Result<Vec<Run>, String> {
    let no_page = "is not a page of duet";
    let (_, rest) = page.split_once(BEGIN).ok_or(no_page)?;
    let (data, _) = rest.split_once(END).ok_or(no_page)?;
    let runs: Vec<Run> = serde_json::from_str(data).map_err(|e| format!("{no_page}: {e}"))?;
    if runs.is_empty() { Err(no_page.to_string()) } else { Ok(runs) }
}

/// The name of a run's program.
fn program(run: &Run) -> &str {
    run.workload.split(' ').next().unwrap_or_default()
}

fn anchor(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str) -> Run {
        let designs = [("l1.design".to_string(), name.to_string())];
        Run {
            verdict: "PASS".into(),
            system: "machine </script> & Co".into(),
            workload: "copy 12".into(),
            designs: designs.into(),
            clock_mhz: 1000,
            shape: [1, 1, 1],
            cycles: 100,
            ..Run::default()
        }
    }

    #[test]
    fn a_page_holds_its_runs() {
        let runs = [run("src"), run("none")];
        assert_eq!(runs_of(&page(&runs)).unwrap(), runs);
        assert!(runs_of("<html></html>").is_err());
        assert!(runs_of(&page(&[])).is_err());
    }

    #[test]
    fn names_end_no_script_and_begin_no_comment() {
        let name = "<!--<script></script>&\u{2028}\u{2029}\"\\";
        let runs = [Run { system: name.into(), workload: name.into(), ..run(name) }];
        let text = page(&runs);
        let (_, rest) = text.split_once(BEGIN).unwrap();
        let (data, after) = rest.split_once(END).unwrap();
        assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{data}");
        assert!(!after.contains("script"), "{after}");
        assert_eq!(runs_of(&text).unwrap(), runs);
    }

    #[test]
    fn a_page_needs_nothing_from_outside_and_shows_names_as_text() {
        let page = page(&[run("src")]);
        for outside in ["http:", "https:", "src=\"", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("machine &lt;/script&gt; &amp; Co"));
    }

    #[test]
    fn runs_are_named_by_what_differs() {
        let runs = [run("src"), run("none")];
        assert_eq!(runs.each_ref().map(|run| run.label(&runs)), ["src", "none"]);
    }
}
