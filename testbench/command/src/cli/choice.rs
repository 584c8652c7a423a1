//! What `run` runs: a program, a system, and the implementations of its blocks.

use std::sync::Arc;

use cosim::body::BodyKind;
use cosim::socket::Pattern;
use firmware::image::{ELVES, Image};
use machine::{Bodies, Cp, System};
use ports::did_you_mean;

use super::bodies::these;
use super::{Failure, bundled, job};

/// They are flattened into those of the verb.
#[derive(Clone, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    pub job: job::Args,
    /// Implementation of a block, or of the instances that a pattern matches
    ///
    /// An instance path is for example gpu1/chiplet2/l2.bank0/coherence_directory. A pattern
    /// matches a whole path, or the end of a path behind a `/`; `*` matches any text. The last
    /// matching --impl counts.
    #[arg(long = "impl", value_name = "PLACES=model|rtl|lockstep", group = bundled::VALUE)]
    pub bodies: Vec<String>,
    /// What runs the command processors' firmware: called directly, or its image in the
    /// instruction-set simulator, on the RTL core, on both
    ///
    /// Default: what the system's command_processor.host says.
    #[arg(long, value_name = "native|iss|rtl|lockstep", group = bundled::VALUE)]
    pub cp: Option<String>,
    /// The image of the firmware, by what it holds in fast memory, or an ELF file: for other hosts
    /// than native
    #[arg(long, value_name = "cached|indexed|paper|FILE", group = bundled::FILE)]
    pub firmware: Option<String>,
}

impl Args {
    /// The implementations that `--cp`, `--firmware` and `--impl` choose of a machine.
    pub fn bodies(&self, system: &System) -> Result<Bodies, Failure> {
        let mut bodies = Bodies::default();
        if let Some(name) = &self.cp {
            let must = || {
                let near = did_you_mean(name, Cp::ALL.iter().map(|(name, _)| *name));
                let problem = "must be native, iss, rtl or lockstep";
                Failure::usage(format!("--cp {name}: {problem}{near}"))
            };
            let cp = Cp::ALL.iter().find(|(known, _)| known == name);
            bodies = bodies.with_cp(cp.ok_or_else(must)?.1);
        }
        let mut patterns = Vec::new();
        for choice in &self.bodies {
            let (places, kind) = choice.rsplit_once('=').ok_or_else(|| {
                Failure::usage(format!("--impl {choice}: must be PLACES=model|rtl|lockstep"))
            })?;
            let kind = BodyKind::find(kind).ok_or_else(|| {
                let near = did_you_mean(kind, ["model", "rtl", "lockstep"]);
                let problem = format!("{kind} is not model, rtl or lockstep{near}");
                Failure::usage(format!("--impl {choice}: {problem}"))
            })?;
            bodies = bodies.with(places, kind);
            patterns.push((choice, Pattern::new(places)));
        }
        if let Some(firmware) = &self.firmware {
            let failure =
                |problem: String| Failure::usage(format!("--firmware {firmware}: {problem}"));
            if bodies.cp(system) == Cp::Native {
                let needs =
                    "--cp native calls the firmware directly; an image needs iss, rtl or lockstep";
                return Err(failure(needs.into()));
            }
            let image = match ELVES.iter().find(|elf| elf.name == firmware) {
                Some(elf) => Image::read(elf.bytes),
                None => Image::read(&std::fs::read(firmware).map_err(|e| failure(e.to_string()))?),
            };
            bodies.image = Some(Arc::new(image.map_err(|e| failure(e.to_string()))?));
        }
        if patterns.is_empty() {
            return Ok(bodies);
        }
        let places = job::plan(system, &bodies)?.places();
        for (choice, pattern) in patterns {
            if !places.iter().any(|place| pattern.matches(place)) {
                let (name, _) = choice.rsplit_once('=').unwrap_or_default();
                return Err(Failure::usage(format!("--impl {choice}: {}", these(name, &places))));
            }
        }
        Ok(bodies)
    }

    /// The words that ask for the same again, with these behind the implementations.
    pub fn words(&self, flip: &str) -> String {
        let each = |flag: &str, values: &[String]| -> String {
            values.iter().map(|value| format!(" --{flag} {value}")).collect()
        };
        let cp = each("cp", self.cp.as_slice());
        let firmware = each("firmware", self.firmware.as_slice());
        let job::Args { system, workload, set, seed, perturb, .. } = &self.job;
        let (set, bodies) = (each("set", set), each("impl", &self.bodies));
        let number = |flag: &str, value: Option<u64>| {
            value.map_or(String::new(), |value| format!(" --{flag} {value}"))
        };
        let (seed, perturb) = (number("seed", *seed), number("perturb", *perturb));
        let program = format!("--system {system} --workload {workload}{set}{seed}{perturb}");
        format!("{program}{bodies}{cp}{firmware}{flip}")
    }
}
