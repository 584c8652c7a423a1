//! What a sweep has found, in short: a table of its configurations, and the best of each program.

use std::collections::BTreeMap;

use super::super::points::Point;
use super::super::text::{digits, geometric_mean, lines};

/// Configurations that are listed.
const MOST: usize = 20;

/// The name of a part of a point, and its value.
type Part = (String, String);

/// A run: which program it is, on which configuration, and the seeds that it is repeated with.
struct Run {
    program: Vec<Part>,
    configuration: Vec<Part>,
    seeds: (u64, u64),
    cycles: u64,
}

/// A program by its number, with its seeds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Input {
    program: usize,
    seeds: (u64, u64),
}

/// The parts of a point: those of its program, and those of its configuration.
fn parts(point: &Point) -> (Vec<Part>, Vec<Part>) {
    let (job, choice) = (&point.choice.job, &point.choice);
    let part = |name: &str, value: &str| (name.to_string(), value.to_string());
    let set = job.set.iter().filter_map(|set| set.split_once('='));
    let (of_program, of_system): (Vec<_>, Vec<_>) =
        set.map(|(key, value)| part(key, value)).partition(|(k, _)| k.starts_with("workload."));
    let mut program = vec![part("workload", &job.workload)];
    program.extend(of_program);
    let mut configuration = vec![part("system", &job.system)];
    configuration.extend(of_system);
    configuration.push(part("impl", &choice.bodies.join(" ")));
    configuration.push(part("cp", choice.cp.as_deref().unwrap_or_default()));
    (program, configuration)
}

/// What distinguishes one of these lists from the others, as a label.
fn label(own: &[Part], all: &[&Vec<Part>], is_value_alone: bool) -> String {
    let varies = |part: &&Part| all.iter().any(|other| !other.contains(part));
    let word = |(name, value): &Part| match is_value_alone || name == "system" {
        true => value.clone(),
        false => format!("{name}={value}"),
    };
    let words: Vec<_> = own.iter().filter(varies).map(word).collect();
    if words.is_empty() { own[0].1.clone() } else { words.join(" ") }
}

/// The lists in the order in which they first come, each once.
fn distinct<'a>(lists: impl Iterator<Item = &'a Vec<Part>>) -> Vec<&'a Vec<Part>> {
    let mut all: Vec<&Vec<Part>> = Vec::new();
    for list in lists {
        if !all.contains(&list) {
            all.push(list);
        }
    }
    all
}

/// Prints the tables. `cycles`: of the points that have passed.
pub fn print(points: &[Point], cycles: &BTreeMap<String, u64>) {
    let run = |point: &Point| {
        let (program, configuration) = parts(point);
        let seeds = (point.choice.job.seed(), point.choice.job.perturb.unwrap_or(0));
        Some(Run { program, configuration, seeds, cycles: *cycles.get(&point.key)? })
    };
    let runs: Vec<_> = points.iter().filter_map(run).collect();
    let configurations = distinct(runs.iter().map(|run| &run.configuration));
    let programs = distinct(runs.iter().map(|run| &run.program));
    if configurations.len() < 2 {
        return;
    }
    // The cycles on each configuration.
    let mut inputs: BTreeMap<Input, Vec<Option<u64>>> = BTreeMap::new();
    for run in &runs {
        let program = programs.iter().position(|other| **other == run.program);
        let at = configurations.iter().position(|other| **other == run.configuration);
        let (program, at) = (program.expect("it is one"), at.expect("it is one"));
        let input = Input { program, seeds: run.seeds };
        let own = inputs.entry(input).or_insert(vec![None; configurations.len()]);
        own[at] = Some(run.cycles);
    }
    let speedups = |at: usize, of: Option<usize>| -> Vec<f64> {
        let own = inputs.iter().filter(|(input, _)| of.is_none_or(|of| of == input.program));
        own.filter_map(|(_, all)| Some(all[0]? as f64 / all[at]? as f64)).collect()
    };
    let labels: Vec<_> =
        configurations.iter().map(|own| label(own, &configurations, false)).collect();
    // The configuration with the greatest mean speedup of each program.
    let best = |program: usize| {
        let mean = |at: usize| geometric_mean(&speedups(at, Some(program)));
        let all = (0..configurations.len()).filter_map(|at| Some((at, mean(at)?)));
        all.max_by(|(a, x), (b, y)| x.total_cmp(y).then(b.cmp(a)))
    };
    let bests: Vec<_> = (0..programs.len()).map(best).collect();
    let mut order: Vec<_> =
        (0..configurations.len()).map(|at| (at, geometric_mean(&speedups(at, None)))).collect();
    // The first stays in front, as the others are compared with it.
    order[1..].sort_by(|(_, a), (_, b)| b.partial_cmp(a).expect("means are numbers"));
    let head = ["configuration", "runs", "speedup", "best of"].map(String::from).to_vec();
    let mut rows = vec![head];
    for (at, mean) in order.iter().take(MOST) {
        let runs = inputs.values().filter(|all| all[*at].is_some()).count();
        let wins = bests.iter().filter(|best| best.is_some_and(|(own, _)| own == *at)).count();
        rows.push(vec![
            labels[*at].clone(),
            runs.to_string(),
            mean.map_or("-".to_string(), |mean| format!("{mean:.2}")),
            format!("{wins} of {}", programs.len()),
        ]);
    }
    lines(&rows).iter().for_each(|line| println!("{line}"));
    if order.len() > MOST {
        println!("{} more configurations: --csv has all", order.len() - MOST);
    }
    let head = ["program", "cycles", "best speedup", "configuration"].map(String::from).to_vec();
    let mut rows = vec![head];
    for (number, (program, best)) in programs.iter().zip(&bests).enumerate() {
        let Some((at, speedup)) = best else { continue };
        let own: Vec<_> = inputs.iter().filter(|(input, _)| input.program == number).collect();
        let cycles: Vec<f64> =
            own.iter().filter_map(|(_, all)| all[*at]).map(|cycles| cycles as f64).collect();
        let mean = geometric_mean(&cycles).unwrap_or_default();
        let text = label(program, &programs, true);
        let text = if programs.len() == 1 { program[0].1.clone() } else { text };
        rows.push(vec![
            text,
            digits(mean.round() as u64),
            format!("{speedup:.2}"),
            labels[*at].clone(),
        ]);
    }
    lines(&rows).iter().for_each(|line| println!("{line}"));
}
