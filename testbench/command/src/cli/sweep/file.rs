//! A sweep file: grids of values. Each combination of a grid's values is a point.
//!
//! ```toml
//! [sweep]
//! name = "directory-size"
//!
//! [[grid]]
//! systems = ["rec-4gpu-small"]
//! workloads = ["pagerank", "lu"]
//! seeds = [1, 2]
//! set."l2.design" = ["directory", "rec"]
//! set."directory.entries" = [64, 128]
//! ```

use std::fmt::Display;
use std::path::Path;

use serde::Deserialize;

use super::super::{Failure, choice, job};

/// Most points of a sweep.
const MOST: usize = 1_000_000;

/// A sweep file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    sweep: Head,
    grid: Vec<Grid>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    name: String,
}

/// Lists of values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grid {
    systems: Vec<String>,
    workloads: Vec<String>,
    #[serde(default)]
    seeds: Vec<u64>,
    /// 0 for none.
    #[serde(default)]
    perturb: Vec<u64>,
    /// Each with the words of all `--impl`.
    #[serde(default, rename = "impl")]
    bodies: Vec<String>,
    #[serde(default)]
    cp: Vec<String>,
    /// By key, as `--set` has it.
    #[serde(default)]
    set: toml::Table,
    max_cycles: Option<u64>,
}

/// A combination of values.
#[derive(Clone)]
pub struct Wanted {
    /// As the arguments of `duet run`.
    pub choice: choice::Args,
    /// Which it was made of: name of the list, and value.
    pub values: Vec<(String, String)>,
}

/// A sweep file that was read.
pub struct Sweep {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The combinations of each grid.
    pub grids: Vec<Vec<Wanted>>,
}

impl Sweep {
    /// Reads a file. Errors: it is no sweep file, or one of too many points.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let refused = |e: std::io::Error| Failure::usage(format!("{}: {e}", path.display()));
        Self::parse(path, &std::fs::read_to_string(path).map_err(refused)?)
    }

    /// The same of a text that `path` holds.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let refused = |problem: String| Failure::usage(format!("{}: {problem}", path.display()));
        let file: File = toml::from_str(text).map_err(|e| refused(e.to_string()))?;
        let grids = file.grid.iter().map(Grid::points).collect::<Result<Vec<_>, _>>();
        let grids = grids.map_err(refused)?;
        match grids.iter().map(Vec::len).sum::<usize>() {
            0 => Err(refused("grid: must have at least one".into())),
            all if all > MOST => Err(refused(format!("{all} points; at most {MOST}"))),
            _ => Ok(Self { name: file.sweep.name, text: text.to_string(), grids }),
        }
    }
}

impl Grid {
    /// All combinations. Those of the same program follow each other.
    fn points(&self) -> Result<Vec<Wanted>, String> {
        let set = settings("", &self.set)?;
        let sets = set.iter().map(|(_, values)| values.len());
        let others = [&self.seeds, &self.perturb].map(|list| list.len().max(1)).into_iter();
        let lists = [&self.systems, &self.workloads].map(|list| list.len()).into_iter();
        let bodies = [&self.bodies, &self.cp].map(|list| list.len().max(1)).into_iter();
        let count = sets.chain(others).chain(lists).chain(bodies);
        let count = count.fold(1, usize::saturating_mul);
        for (name, list) in [("systems", &self.systems), ("workloads", &self.workloads)] {
            if list.is_empty() {
                return Err(format!("{name}: must name at least one"));
            }
        }
        if count > MOST {
            return Err(format!("a grid of {count} points; at most {MOST}"));
        }
        let job = job::Args { max_cycles: self.max_cycles, ..job::Args::default() };
        let choice = choice::Args { job, ..choice::Args::default() };
        let mut points = vec![Wanted { choice, values: Vec::new() }];
        let (of_workload, of_system): (Vec<_>, Vec<_>) =
            set.iter().partition(|(key, _)| key.starts_with("workload."));
        let setting = |points, (key, values): &(String, Vec<String>)| {
            let put = |c: &mut choice::Args, v: &String| c.job.set.push(format!("{key}={v}"));
            each(points, key, values, put)
        };
        points = each(points, "workloads", &self.workloads, |c, v| c.job.workload.clone_from(v));
        points = each(points, "seeds", &self.seeds, |c, v| c.job.seed = Some(*v));
        points = of_workload.into_iter().fold(points, setting);
        points = each(points, "systems", &self.systems, |c, v| c.job.system.clone_from(v));
        points = of_system.into_iter().fold(points, setting);
        points = each(points, "impl", &self.bodies, |c, v| {
            c.bodies = v.split_whitespace().map(String::from).collect();
        });
        points = each(points, "cp", &self.cp, |c, v| c.cp = Some(v.clone()));
        let perturb = |c: &mut choice::Args, v: &u64| c.job.perturb = (*v > 0).then_some(*v);
        Ok(each(points, "perturb", &self.perturb, perturb))
    }
}

/// Each point with each of these values; as they are where there is none.
fn each<T: Display>(
    points: Vec<Wanted>,
    name: &str,
    values: &[T],
    put: impl Fn(&mut choice::Args, &T),
) -> Vec<Wanted> {
    if values.is_empty() {
        return points;
    }
    let with = |point: &Wanted, value: &T| {
        let mut point = point.clone();
        put(&mut point.choice, value);
        point.values.push((name.to_string(), value.to_string()));
        point
    };
    points.iter().flat_map(|point| values.iter().map(move |value| with(point, value))).collect()
}

/// The values of each key. A table in the table has the keys below its own.
fn settings(before: &str, table: &toml::Table) -> Result<Vec<(String, Vec<String>)>, String> {
    let mut all = Vec::new();
    for (key, value) in table {
        let key = format!("{before}{key}");
        match value {
            toml::Value::Table(below) => all.extend(settings(&format!("{key}."), below)?),
            toml::Value::Array(values) if values.is_empty() => {
                return Err(format!("set.{key}: must have at least one value"));
            }
            toml::Value::Array(values) => {
                let texts = values.iter().map(|value| text(&key, value));
                all.push((key.clone(), texts.collect::<Result<_, _>>()?));
            }
            value => all.push((key.clone(), vec![text(&key, value)?])),
        }
    }
    Ok(all)
}

/// A value as `--set` has it.
fn text(key: &str, value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
            Ok(value.to_string())
        }
        other => Err(format!("set.{key}: {other} must be a number, a name, true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(text: &str) -> Result<Vec<Wanted>, String> {
        toml::from_str::<Grid>(text).unwrap().points()
    }

    #[test]
    fn points_are_all_combinations_and_those_of_a_program_follow_each_other() {
        let points = grid(
            r#"
            systems = ["a", "b"]
            workloads = ["p", "q"]
            seeds = [1, 2]
            perturb = [0, 7]
            set.l2.design = ["x", "y"]
            set."workload.size" = 64
            "#,
        );
        let points = points.unwrap();
        assert_eq!(points.len(), 2 * 2 * 2 * 2 * 2);
        let of = |w: &Wanted| {
            let job::Args { workload, seed, .. } = &w.choice.job;
            (workload.clone(), seed.unwrap())
        };
        let programs: Vec<_> = points.iter().map(of).collect();
        let runs = programs.chunk_by(|a, b| a == b).count();
        assert_eq!(runs, 4);
        let all: std::collections::BTreeSet<_> = points.iter().map(|w| w.values.clone()).collect();
        assert_eq!(all.len(), points.len(), "no two are the same");
        let job::Args { set, perturb, .. } = &points[0].choice.job;
        assert_eq!(
            (&set[..], *perturb),
            (&["workload.size=64", "l2.design=x"].map(Into::into)[..], None)
        );
        assert_eq!(points[1].choice.job.perturb, Some(7));
    }

    #[test]
    fn grids_without_points_or_with_too_many_are_refused() {
        let problem = |text| grid(text).err().unwrap();
        assert_eq!(problem("systems = []\nworkloads = ['p']"), "systems: must name at least one");
        assert_eq!(
            problem("systems = ['a']\nworkloads = ['p']\nset.l2.ways = []"),
            "set.l2.ways: must have at least one value"
        );
        let seeds = (0..1001).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let many =
            format!("systems = ['a']\nworkloads = ['p']\nseeds = [{seeds}]\nperturb = [{seeds}]");
        assert_eq!(problem(&many), "a grid of 1002001 points; at most 1000000");
    }
}
