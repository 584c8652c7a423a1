//! The live page: HTML that needs nothing else, with the state of the run when it was fetched. Its
//! script fetches the later ones.

use maud::{PreEscaped, html};

use super::state::About;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page of a run; `state`: as JSON.
pub fn page(about: &About, state: &str) -> String {
    let title = format!("{} on {}", about.workload, about.system);
    // Only strings hold such characters; they would end the script, or begin a comment.
    let state = state.replace('<', "\\u003c");
    let body = html! {
        header {
            p.brand { "duet" }
            h1 { (title) " " small { "seed " (about.seed) } }
            p #status aria-live="polite" {}
        }
        main {
            section #progress {
                h2 { "Progress" }
                div.bar.done { i #bar {} }
                dl #facts {}
            }
            section {
                h2 { "Throughput " small #interval {} }
                div #levels {}
                figure #over-time hidden {
                    figcaption { "Over time " span.unit { "fraction of the peak" } }
                    svg #chart role="img" viewBox="0 0 860 160" { title { "Throughput over time" } }
                }
            }
            section {
                h2 { "Occupancy" }
                h3 { "Wave slots" }
                div #waves {}
                h3 { "MSHRs and queues" }
                div #occupancy {}
            }
            section {
                h2 { "Who waits for whom" }
                p #idle { "No component waits." }
                div #waits {}
            }
        }
        script type="application/json" id="state" { (PreEscaped(state)) }
        script { (PreEscaped(SCRIPT)) }
    };
    let style = format!("{}{STYLE}", report::STYLE);
    report::document(&format!("duet live: {title}"), &style, &body).into_string()
}
