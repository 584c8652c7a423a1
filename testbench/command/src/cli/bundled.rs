//! What a bundle may ask for. A bundle is data from elsewhere: it chooses among the runs that leave
//! bundles, by the options that are declared for it, and names no file but its own.

use clap::parser::ValueSource;
use clap::{ArgGroup, Command, CommandFactory};

use super::Cli;
use crate::bundle::Bundle;

/// The group of the options that a bundle may give. An option joins where it is declared; an option
/// in neither group is refused.
pub const VALUE: &str = "of a bundle";
/// The group of those whose values are files, which lie in the bundle.
pub const FILE: &str = "file of a bundle";

/// The verbs that leave bundles.
const VERBS: [&str; 3] = ["run", "cosim", "compare"];

/// Both groups, for the arguments of a verb that shares options with those of [`VERBS`].
pub fn groups() -> [ArgGroup; 2] {
    [VALUE, FILE].map(|name| ArgGroup::new(name).multiple(true))
}

/// Checks what a bundle requests. Errors: the verb, option or file that it may not name.
pub fn check(bundle: &Bundle) -> Result<(), String> {
    let (verb, words) = (&bundle.facts.verb[..], &bundle.facts.words);
    if !VERBS.contains(&verb) {
        return Err(format!("verb {verb}: a bundle may ask for {} only", VERBS.join(", ")));
    }
    let mut command = Cli::command();
    command.build();
    let command = command.find_subcommand(verb).expect("it is a verb");
    let matches = parse(command, words)?;
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let name = argument.get_long().map_or(id.to_string(), |long| format!("--{long}"));
        let is_in = |group| {
            let mut groups = command.get_groups();
            let group = groups.find(|known| known.get_id() == group);
            group.is_some_and(|group| group.get_args().any(|member| member == id))
        };
        if is_in(VALUE) {
            continue;
        }
        if !is_in(FILE) {
            return Err(format!("{verb} {name}: a bundle may not give this option"));
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let value = value.to_string_lossy();
            if !bundle.holds(&value) {
                return Err(format!("{verb} {name} {value}: must be a file of the bundle"));
            }
        }
    }
    Ok(())
}

fn parse(command: &Command, words: &[String]) -> Result<clap::ArgMatches, String> {
    let words = [command.get_name().to_string()].into_iter().chain(words.iter().cloned());
    command.clone().try_get_matches_from(words).map_err(|e| {
        let problem = e.to_string();
        format!("{}: {}", command.get_name(), problem.lines().next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Facts, INSIDE};

    fn asking(verb: &str, words: &str) -> Result<(), String> {
        let words = words.split_whitespace().map(String::from).collect();
        let files = ["system.toml", "reuse.trace", "rtl/common/duet_fifo.sv", "firmware.elf"];
        let files = files.map(|name| (name.to_string(), Vec::new())).into();
        check(&Bundle { facts: Facts::new(verb, words), files })
    }

    /// All options that take part in what is run; any other is refused, also one that comes later.
    #[test]
    fn options_are_allowed_by_name_alone() {
        let allowed = [
            ("run", "cp firmware flip impl max-cycles perturb rtl system workload"),
            ("cosim", "block config cycles flip rtl seed set until-cycle"),
            ("compare", "cp max-cycles perturb rtl system workload"),
        ];
        let mut command = Cli::command();
        command.build();
        for (verb, expected) in allowed {
            let command = command.find_subcommand(verb).unwrap();
            let groups =
                command.get_groups().filter(|g| [VALUE, FILE].contains(&g.get_id().as_str()));
            let ids: Vec<_> = groups.flat_map(|group| group.get_args()).collect();
            let arguments = command.get_arguments().filter(|a| ids.contains(&a.get_id()));
            let name = |a: &clap::Arg| a.get_long().unwrap_or(a.get_id().as_str()).to_string();
            let mut names: Vec<_> = arguments.map(name).collect();
            names.sort();
            assert_eq!(names.join(" "), expected, "{verb}");
        }
    }

    /// A group that clap makes by itself would refuse a second option.
    #[test]
    fn options_of_a_group_go_together_in_every_verb() {
        let mut command = Cli::command();
        command.build();
        for verb in
            command.get_subcommands().flat_map(|v| [v].into_iter().chain(v.get_subcommands()))
        {
            for group in verb.get_groups().filter(|g| [VALUE, FILE].contains(&g.get_id().as_str()))
            {
                let is_alone = group.get_args().count() == 1;
                assert!(is_alone || group.clone().is_multiple(), "{}", verb.get_name());
            }
        }
    }

    #[test]
    fn what_a_bundle_may_not_ask_for_is_refused() {
        let run = format!("--system {INSIDE}system.toml --workload {INSIDE}reuse.trace");
        asking("run", &run).unwrap();
        asking("run", &format!("{run} --rtl {INSIDE}rtl --firmware {INSIDE}firmware.elf")).unwrap();
        asking("compare", &format!("{run} --cp core --rtl {INSIDE}rtl")).unwrap();
        asking("cosim", "packetizer --config small --set beat=16 --seed 7").unwrap();
        for verb in ["bodies", "trace", "replay", "explain", "sweep", "--help", "-h", "help", ""] {
            let refused = asking(verb, "clean").unwrap_err();
            assert!(refused.starts_with(&format!("verb {verb}: ")), "{refused}");
        }
        let writes = ["json", "wave", "report", "timeline", "dump-tlp", "audit"];
        for option in writes {
            let refused = asking("run", &format!("{run} --{option} x")).unwrap_err();
            assert!(refused.contains(&format!("--{option}: a bundle may not")), "{refused}");
            let refused = asking("run", &format!("{run} --{option}=x")).unwrap_err();
            assert!(refused.contains(&format!("--{option}: a bundle may not")), "{refused}");
        }
        let refused = asking("run", &format!("{run} --live")).unwrap_err();
        assert!(refused.contains("--live: a bundle may not"), "{refused}");
        for words in [
            "--system /etc/passwd --workload bundle:reuse.trace".to_string(),
            "--system cpelide-4 --workload bundle:reuse.trace".to_string(),
            "--system bundle:system.toml --workload reuse".to_string(),
            "--system bundle:../system.toml --workload bundle:reuse.trace".to_string(),
            "--system bundle:/etc/passwd --workload bundle:reuse.trace".to_string(),
            "--system bundle: --workload bundle:reuse.trace".to_string(),
            format!("{run} --rtl /tmp"),
            format!("{run} --rtl=/tmp"),
            format!("{run} --rtl bundle:rt"),
            format!("{run} --rtl bundle:rtl/.."),
            format!("{run} --firmware /etc/passwd"),
            format!("{run} --firmware cached"),
        ] {
            let refused = asking("run", &words).unwrap_err();
            assert!(refused.ends_with("must be a file of the bundle"), "{words}: {refused}");
        }
        assert!(asking("run", &format!("{run} --help")).is_err());
        assert!(asking("cosim", "packetizer --no-such").unwrap_err().starts_with("cosim: "));
    }
}
