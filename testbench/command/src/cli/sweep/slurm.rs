//! Points on a cluster: a Slurm job array whose elements each run a part of them into a file of
//! their own, beside the sweep's. The files are merged when no element is left in the queue.
//!
//! The name of the job says which sweep it is of. So a sweep that is begun again finds the elements
//! of an earlier one, waits for them, and submits what they have not done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, io, thread};

use bodies::Key;

use super::super::points::{Point, Progress};
use super::super::{ENVIRONMENT, Failure};
use super::Args;
use super::plan::Plan;
use super::store::Store;

/// Most elements unless their size is given: Slurm's default limit is 1000.
const ELEMENTS: usize = 1000;
/// Points of an element where these are enough.
const CHUNK: usize = 16;
/// How often the queue is looked at: at first, and after a while.
const POLL: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(20)];

/// The list of points, in the folder.
const LIST: &str = "points";

/// One of some parts, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: usize,
    of: usize,
}

/// `K/N`
pub fn part(text: &str) -> Result<Part, String> {
    let parse = || {
        let (number, of) = text.split_once('/')?;
        Some(Part { number: number.parse().ok()?, of: of.parse().ok()? })
    };
    let part = parse().filter(|part| (1..=part.of).contains(&part.number));
    part.ok_or_else(|| "must be K/N, K from 1 to N".to_string())
}

impl Part {
    /// Leaves those points that are this part of a list.
    pub fn choose(self, list: &Path, plan: &mut Plan) -> Result<(), Failure> {
        let told = |problem: &str| Failure::usage(format!("{}: {problem}", list.display()));
        let text = fs::read_to_string(list).map_err(|e| told(&e.to_string()))?;
        let keys: Vec<&str> = text.lines().collect();
        let mut points: BTreeMap<String, Point> =
            plan.points.drain(..).map(|point| (point.key.clone(), point)).collect();
        plan.refused.clear();
        for &key in &keys[self.range(keys.len())] {
            let missing = || told(&format!("the sweep file has no point {key}"));
            plan.points.push(points.remove(key).ok_or_else(missing)?);
        }
        Ok(())
    }

    /// Its place in a list of this length: parts of the same size but for one.
    fn range(self, len: usize) -> std::ops::Range<usize> {
        (self.number - 1) * len / self.of..self.number * len / self.of
    }
}

/// Where parts and logs are.
fn folder(into: &Path) -> PathBuf {
    into.with_extension("parts")
}

/// A path, for a failure.
fn told(path: &Path) -> impl Fn(io::Error) -> Failure + '_ {
    move |e| Failure::environment(format!("{}: {e}", path.display()))
}

/// The name of a sweep's jobs.
fn name(into: &Path) -> Result<String, Failure> {
    let path = fs::canonicalize(into).map_err(told(into))?;
    let mut key = Key::default();
    key.add(path.as_os_str().as_encoded_bytes());
    Ok(format!("duet-sweep-{}", &key.finish()[..16]))
}

/// What a command of Slurm says.
fn ask(program: &str, words: &[String]) -> Result<String, Failure> {
    let told = |problem: &str| Failure::new(ENVIRONMENT, format!("{program}: {}", problem.trim()));
    let output = Command::new(program).args(words).output();
    let output = output.map_err(|e| told(&format!("{e}: --engine slurm needs Slurm")))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(told(&String::from_utf8_lossy(&output.stderr))),
    }
}

/// Elements of a job that have not ended.
fn queued(name: &str) -> Result<usize, Failure> {
    let words = ["--noheader", "--array", "--me", "--format=%i", &format!("--name={name}")];
    Ok(ask("squeue", &words.map(String::from))?.lines().count())
}

/// Waits until no element is left, and merges what they have found.
pub fn collect(into: &Path, store: &mut Store) -> Result<(), Failure> {
    let folder = folder(into);
    if !folder.is_dir() {
        return Ok(());
    }
    let name = name(into)?;
    let mut left = queued(&name)?;
    let mut progress = Progress::new(left, "elements");
    let all = left;
    let mut pause = POLL[0];
    while left > 0 {
        progress.done = all.saturating_sub(left);
        progress.show();
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(POLL[1]);
        left = queued(&name)?;
    }
    drop(progress);
    let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut parts: Vec<_> = entries.map_err(told(&folder))?.iter().map(|e| e.path()).collect();
    parts.retain(|path| path.extension().is_some_and(|ending| ending == "sqlite"));
    parts.sort();
    for part in parts {
        store.merge(&part)?;
        fs::remove_file(&part).map_err(told(&part))?;
    }
    Ok(())
}

/// Runs these points as a job array, and waits for it.
pub fn run(args: &Args, points: &[&Point], store: &mut Store) -> Result<(), Failure> {
    let into = args.into();
    let folder = folder(&into);
    if !points.is_empty() {
        submit(args, points, &into, &folder)?;
        collect(&into, store)?;
    }
    let done = store.statuses()?;
    let missing = points.iter().filter(|point| !done.contains_key(&point.key)).count();
    if missing > 0 {
        let problem =
            format!("{missing} points have not been run: {} has the reason", folder.display());
        return Err(Failure::environment(problem));
    }
    match folder.is_dir() {
        true => fs::remove_dir_all(&folder).map_err(told(&folder)),
        false => Ok(()),
    }
}

/// Writes the list of points and what an element runs, and submits the array.
fn submit(args: &Args, points: &[&Point], into: &Path, folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        fs::remove_dir_all(folder).map_err(told(folder))?;
    }
    fs::create_dir_all(folder).map_err(told(folder))?;
    let folder = fs::canonicalize(folder).map_err(told(folder))?;
    let keys: String = points.iter().map(|point| point.key.clone() + "\n").collect();
    let list = folder.join(LIST);
    fs::write(&list, keys).map_err(told(&list))?;
    let chunk = args.chunk.map_or(CHUNK.max(points.len().div_ceil(ELEMENTS)), |n| n as usize);
    let elements = points.len().div_ceil(chunk);
    let own = env::current_exe().map_err(|e| Failure::environment(format!("this program: {e}")))?;
    let rtl = args.rtl.folder().map_or(String::new(), |rtl| format!(" --rtl {}", quoted(rtl)));
    let jobs = args.jobs.unwrap_or(1);
    let text = format!(
        "#!/bin/sh\nexec {} sweep {} --points {} --part \"$SLURM_ARRAY_TASK_ID/{elements}\" \
         --into {}/\"$SLURM_ARRAY_TASK_ID.sqlite\" --jobs {jobs}{rtl}\n",
        quoted(&own),
        quoted(&args.file),
        quoted(&list),
        quoted(&folder),
    );
    let script = folder.join("element.sh");
    fs::write(&script, text).map_err(told(&script))?;
    let words = [
        "--parsable".to_string(),
        format!("--job-name={}", name(into)?),
        format!("--array=1-{elements}"),
        format!("--cpus-per-task={jobs}"),
        format!("--output={}/%a.log", folder.display()),
        script.display().to_string(),
    ];
    let job = ask("sbatch", &words)?;
    println!("job {}: {elements} elements of up to {chunk} points", job.trim());
    Ok(())
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_of_a_list_and_differ_by_one_point() {
        for (len, of) in [(10, 3), (3, 3), (1, 4), (1000, 7)] {
            let ranges: Vec<_> = (1..=of).map(|number| Part { number, of }.range(len)).collect();
            assert_eq!((ranges[0].start, ranges[of - 1].end), (0, len));
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
            let sizes = ranges.iter().map(ExactSizeIterator::len);
            assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
        }
        assert_eq!(part("2/3"), Ok(Part { number: 2, of: 3 }));
        for wrong in ["", "2", "0/3", "4/3", "1/0", "a/b", "-1/3"] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }
}
