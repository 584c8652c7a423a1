//! `duet sweep --engine slurm` on a cluster of this machine alone.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{SMALL, desk, same};
use crate::desk::Desk;

/// A cluster that ends with this value.
struct Cluster {
    folder: PathBuf,
}

impl Cluster {
    fn script(verb: &str, folder: &Path) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/sweep/slurm.sh");
        let mut command = Command::new("sh");
        command.arg(script).arg(verb).arg(folder);
        command
    }

    /// `None`, with a notice, where Slurm is not installed.
    fn start(desk: &Desk) -> Option<Self> {
        let folder = desk.file("cluster");
        // Daemons keep what they inherit: no pipe that is read to its end.
        let log = std::fs::File::create(desk.file("cluster.log")).unwrap();
        let mut script = Self::script("start", &folder);
        let status = script.stdout(log.try_clone().unwrap()).stderr(log).status().unwrap();
        let told = desk.read("cluster.log");
        match status.code() {
            Some(0) => Some(Self { folder }),
            Some(3) => {
                println!("skipped: {told}");
                None
            }
            other => panic!("{other:?}: {told}"),
        }
    }

    /// Whether its only partition begins jobs that wait.
    fn begins_jobs(&self, state: &str) {
        let mut scontrol = Command::new("scontrol");
        scontrol.args(["update", "PartitionName=all", &format!("State={state}")]);
        scontrol.envs(self.variables());
        assert!(scontrol.status().unwrap().success());
    }

    fn variables(&self) -> [(&'static str, String); 1] {
        [("SLURM_CONF", self.folder.join("slurm.conf").display().to_string())]
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = Self::script("stop", &self.folder).status();
    }
}

#[test]
fn job_array_leaves_the_same_file_as_threads_and_goes_on_after_a_kill() {
    let desk = desk("slurm", &[("s.toml", SMALL), ("k.toml", SMALL)]);
    let Some(cluster) = Cluster::start(&desk) else { return };
    let variables = cluster.variables();
    let variables = variables.each_ref().map(|(name, value)| (*name, &value[..]));
    desk.passes("sweep s.toml --into local.sqlite");
    let left = desk.duet_in(&variables, "sweep s.toml --engine slurm --chunk 5");
    assert_eq!((left.status, &left.stderr[..]), (0, ""), "{}", left.stdout);
    assert!(left.stdout.contains(": 3 elements of up to 5 points"), "{}", left.stdout);
    assert_eq!(left.last_line(), "PASS sweep: 12 points, 4 refused");
    same(&desk, "s.sqlite", "local.sqlite");
    assert!(!desk.file("s.parts").exists());

    // What waits for the elements is killed before any begins; the next one takes what they find.
    let words = "sweep k.toml --engine slurm --chunk 3";
    cluster.begins_jobs("DOWN");
    let mut waits = Command::new(env!("CARGO_BIN_EXE_duet"));
    waits.args(words.split_whitespace()).envs(variables).current_dir(desk.file("."));
    let mut waits = waits.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(waits.stdout.take().unwrap()).lines();
    assert!(lines.map(Result::unwrap).any(|line| line.contains(": 4 elements of up to 3 points")));
    waits.kill().unwrap();
    assert_eq!(waits.wait().unwrap().code(), None);
    cluster.begins_jobs("UP");
    let left = desk.duet_in(&variables, words);
    assert_eq!((left.status, &left.stderr[..]), (0, ""), "{}", left.stdout);
    assert!(!left.stdout.contains("elements"), "nothing is submitted again: {}", left.stdout);
    same(&desk, "k.sqlite", "local.sqlite");
    assert!(!desk.file("k.parts").exists());
}

#[test]
fn without_slurm_the_engine_is_missing() {
    let desk = desk("no-slurm", &[("s.toml", SMALL)]);
    let message = ["sbatch", "--engine slurm needs Slurm"];
    desk.refuses_in(&[("PATH", "")], 5, "sweep s.toml --engine slurm", &message);
}
