//! Where the runs of a reproduction are kept, so that an interrupted one resumes, and its
//! progress.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use bodies::Cache;
use reproductions::experiment::{Attempt, Error, Progress};
use reproductions::kept::{self, Kept, Origin};
use reproductions::paper::Entry;

use super::super::job::run_failure;
use super::super::progress::{self, left};
use super::super::{Failure, build};
use super::{Args, Wanted};

/// The folder of a paper's runs, while they are made.
pub struct Keeping {
    paper: &'static str,
    /// None where nothing is kept.
    kept: Option<Kept>,
    /// It goes once the command has passed.
    is_temporary: bool,
}

/// The folder that was named, or one in the user's cache that is known by all that must be the same
/// for an attempt to go on.
pub fn of(args: &Args, wanted: Wanted) -> Result<Keeping, Failure> {
    let Wanted { paper: Entry { name: paper, .. }, scale, perturbed, .. } = wanted;
    let paper = *paper;
    let (duet, build) = (env!("CARGO_PKG_VERSION").to_string(), build()?);
    let folder = match &args.keep {
        Some(folder) if args.paper == paper => folder.clone(),
        Some(folder) => folder.join(paper),
        None => in_cache()?.join(format!("{paper}-{scale}-{perturbed}-{duet}-{build}")),
    };
    let origin = Origin { paper: paper.to_string(), scale, perturbed, duet, build };
    let option = args.keep.as_ref().map_or(String::new(), |_| "--keep ".to_string());
    let kept = Kept::open(&folder, &origin);
    let kept = kept.map_err(|e| {
        let Failure { status, message } = failure(e.into());
        Failure { status, message: format!("{option}{message}") }
    })?;
    Ok(Keeping { paper, kept: Some(kept), is_temporary: args.keep.is_none() })
}

/// Of all reproductions, beside the Verilated libraries of the cache.
fn in_cache() -> Result<PathBuf, Failure> {
    let cache = Cache::find();
    let cache = cache.map_err(|e| Failure::environment(format!("{e}; --keep names a folder")))?;
    Ok(cache.folder().with_file_name("reproductions"))
}

impl Keeping {
    /// Makes an attempt at the experiments, and shows its progress.
    pub fn attempt<T>(&self, run: impl FnOnce(&Attempt) -> Result<T, Error>) -> Result<T, Failure> {
        let Self { paper, kept, .. } = self;
        let (shown, last) = (progress::Line::new(), Cell::new(None));
        let told = |progress: &Progress| {
            let folder = kept.as_ref().map(|kept| kept.folder().display());
            if let (None, Some(folder), 1..) = (last.get(), folder, progress.kept) {
                let Progress { runs, kept, .. } = progress;
                eprintln!("duet: {paper}: {kept} of {runs} runs were kept in {folder}");
            }
            last.set(Some(*progress));
            shown.show(|since| line(paper, progress, since));
        };
        let result = run(&Attempt { kept: kept.as_ref(), told: Some(&told) });
        drop(shown);
        result.map_err(|error| {
            if let (Some(kept), Some(Progress { runs, done, .. })) = (kept, last.get()) {
                let folder = kept.folder().display();
                eprintln!(
                    "duet: {paper}: {done} of {runs} runs are kept in {folder}; the same command \
                     goes on from there"
                );
            }
            failure(error)
        })
    }

    /// Once everything is written: what only another attempt would have needed goes.
    pub fn end(self) -> Result<(), Failure> {
        match self.kept.filter(|_| self.is_temporary) {
            Some(kept) => kept.remove().map_err(|e| failure(e.into())),
            None => Ok(()),
        }
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Run { place, error } => {
            let Failure { status, message } = run_failure(error);
            Failure { status, message: format!("{place}: {message}") }
        }
        Error::Kept(error @ kept::Error::Io { .. }) => Failure::environment(error),
        Error::Kept(error @ kept::Error::Foreign { .. }) => Failure::usage(error),
    }
}

fn line(paper: &str, progress: &Progress, since: Duration) -> String {
    let &Progress { runs, done, share, .. } = progress;
    let mut text = format!("{paper}: {done} of {runs} runs");
    if let Some(left) = left(since, share) {
        text += &format!("; {:.0} % of accesses, {left}", 100.0 * share);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_the_cache_goes_in_the_end_and_one_that_was_named_stays() {
        let folder = files::Folder::new().unwrap();
        for (name, is_temporary) in [("cache", true), ("named", false)] {
            let path = folder.path().join(name);
            let [duet, build] = ["0.1.0", "0123"].map(String::from);
            let origin = Origin { paper: "stc".into(), scale: 1, perturbed: 0, duet, build };
            let kept = Some(Kept::open(&path, &origin).unwrap());
            Keeping { paper: "stc", kept, is_temporary }.end().unwrap();
            assert_eq!(path.exists(), !is_temporary, "{name}");
        }
    }

    #[test]
    fn line_shows_what_is_done_and_the_time_left_of_what_runs() {
        let progress = |share| Progress { runs: 480, done: 120, kept: 100, share };
        let after = |share| line("cpelide", &progress(share), Duration::from_secs(30));
        assert_eq!(after(0.0), "cpelide: 120 of 480 runs");
        assert_eq!(after(0.25), "cpelide: 120 of 480 runs; 25 % of accesses, 1:30 left");
    }
}
