//! Who sends how much to whom: heat maps with numbers.

use maud::{Markup, html};

use crate::Run;
use crate::chart::{full, short};

/// Steps of the scale in the style sheet, from nothing to the most.
const STEPS: usize = 7;

/// Bytes by sender and receiver.
type Matrix = Vec<Vec<u64>>;
/// The matrices of one kind that a run has.
type Of = fn(&Run) -> Vec<&Matrix>;

/// Links between chiplets and links between GPUs, where the machine has any and they were used.
pub fn matrices(runs: &[Run], labels: &[String]) -> Option<Markup> {
    let most = |of: Of| {
        let cells = runs.iter().flat_map(of).flatten().flatten();
        cells.copied().max().unwrap_or(0)
    };
    let kinds: [(&str, Of); 2] = [
        ("chiplet", |run| run.chiplet_links.iter().collect()),
        ("GPU", |run| vec![&run.gpu_links]),
    ];
    let shown: Vec<_> = kinds.into_iter().filter(|(_, of)| most(*of) > 0).collect();
    (!shown.is_empty()).then(|| {
        html! {
            p { "Bytes on the links. Rows send, columns receive. Darker cells carry more." }
            @for (what, of) in shown {
                h3 { "Between " (what) "s" }
                (scale(most(of)))
                div.heats { @for (run, label) in runs.iter().zip(labels) {
                    @let several = of(run).len() > 1;
                    @for (gpu, matrix) in of(run).into_iter().enumerate() {
                        (map(&caption(label, several.then_some(gpu)), what, matrix, most(of)))
                    }
                } }
            }
        }
    })
}

fn caption(label: &str, gpu: Option<usize>) -> String {
    gpu.map_or_else(|| label.to_string(), |gpu| format!("{label}, GPU {gpu}"))
}

/// What each shade means.
fn scale(most: u64) -> Markup {
    html! {
        p.legend {
            span { "0" }
            @for step in 0..STEPS { i class=(format!("shade h{step}")) {} }
            span { (short(most as f64)) " bytes" }
        }
    }
}

fn map(caption: &str, what: &str, matrix: &Matrix, most: u64) -> Markup {
    html! {
        table.heat {
            caption { (caption) }
            thead { tr {
                @let about = format!("rows: sending {what}; columns: receiving {what}");
                th title=(about) { "from \\ to" }
                @for to in 0..matrix.len() { th { (what) " " (to) } }
            } }
            tbody { @for (from, row) in matrix.iter().enumerate() { tr {
                th { (what) " " (from) }
                @for (to, bytes) in row.iter().enumerate() {
                    @if from == to {
                        td.none title="it has no link to itself" { "·" }
                    } @else {
                        @let title = format!(
                            "{what} {from} to {what} {to}: {} bytes", full(*bytes as f64)
                        );
                        td class=(format!("h{}", shade(*bytes, most))) title=(title) {
                            (short(*bytes as f64))
                        }
                    }
                }
            } } }
        }
    }
}

/// 0 for nothing; else in equal steps up to the most.
fn shade(bytes: u64, most: u64) -> usize {
    let steps = STEPS as u128 - 1;
    (u128::from(bytes) * steps).div_ceil(u128::from(most.max(1))) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_go_from_nothing_to_the_most() {
        let shades = [0, 1, 100, 101, 599, 600].map(|bytes| shade(bytes, 600));
        assert_eq!(shades, [0, 1, 1, 2, 6, 6]);
        assert_eq!(shade(u64::MAX, u64::MAX), 6);
    }

    #[test]
    fn one_gpu_has_no_map_between_gpus_and_each_cell_has_its_number() {
        let run = Run {
            chiplet_links: vec![vec![vec![0, 12_300], vec![0, 0]]],
            gpu_links: vec![vec![0]],
            ..Run::default()
        };
        let page = matrices(&[run], &["x".into()]).unwrap().into_string();
        assert!(page.contains(">12.3 k<") && page.contains("chiplet 0 to chiplet 1: 12"), "{page}");
        assert!(!page.contains("Between GPUs"), "{page}");
        assert!(matrices(&[Run::default()], &["x".into()]).is_none());
    }
}
