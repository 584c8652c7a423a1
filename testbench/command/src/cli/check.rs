//! `duet check PROTOCOL|all`: all states of a protocol's smallest configurations, by the models'
//! own decisions. A property that does not hold ends the command with status 4, a deadlock with 3,
//! and the command prints the shortest counterexample.
//!
//! ```text
//! $ duet check cpelide --without no-system-release
//! cpelide without no-system-release, host, one structure: 3 steps
//! ...
//!   violated: memory has the released data: the host reads an old value of y[0]
//! FAIL check cpelide without no-system-release: memory has the released data
//! ```

use std::path::PathBuf;

use exhaustive::{Found, NO_DEADLOCK, PROTOCOLS, Protocol, Replay, Replayed, Rule, Seen};
use schemars::JsonSchema;
use serde::Serialize;

use super::bodies::Sources;
use super::outputs::Files;
use super::{DIFFER, Failure, STUCK, WRONG_VALUE, output, rtl_status};

/// Search all states of a protocol's smallest configurations
#[derive(clap::Args)]
pub struct Args {
    /// Protocol, or all for all protocols
    #[arg(value_name = "PROTOCOL|all", required_unless_present = "list")]
    protocol: Option<String>,
    /// Disable a rule, or with all each rule in turn
    ///
    /// The search uses the configuration in which the rule matters, and prints the shortest
    /// counterexample: status 4, for a deadlock 3. With all, each rule must have a counterexample,
    /// except the rules that no configuration shows: status 0.
    #[arg(long, value_name = "RULE|all")]
    without: Option<String>,
    /// Replay the inputs of the counterexample's blocks on model and RTL in lockstep
    ///
    /// Model and RTL keep all rules, so the replay departs from the counterexample where the rule
    /// acts; the command prints that cycle. Status 1 where model and RTL differ.
    #[arg(long, requires = "without")]
    replay: bool,
    /// Leave out configurations that take longer than some seconds
    #[arg(long)]
    quick: bool,
    /// List protocols, their configurations, properties and rules, and search nothing
    #[arg(long)]
    list: bool,
    /// Print the table as Markdown
    #[arg(long)]
    markdown: bool,
    /// Write the result as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    rtl: Sources,
}

/// The result.
#[derive(Serialize, JsonSchema)]
pub struct Report {
    /// PASS or FAIL.
    verdict: &'static str,
    /// Searches, in order.
    rows: Vec<Row>,
}

/// A search.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    /// The protocol.
    protocol: &'static str,
    /// Its configuration; null where the rule is seen in none.
    configuration: Option<&'static str>,
    /// The rule that was disabled.
    without: Option<&'static str>,
    /// States that were reached; where the rule is seen in none, of all small configurations.
    states: usize,
    /// Steps to the farthest of them.
    depth: usize,
    /// The property that does not hold.
    violated: Option<&'static str>,
    /// The shortest counterexample, one step a line, with the property in the last line.
    counterexample: Vec<String>,
    /// Why no configuration shows the rule.
    reason: Option<&'static str>,
    /// With `--replay`, the blocks of the counterexample, as model and RTL.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replayed: Vec<Replayed>,
    #[serde(skip)]
    seconds: f64,
}

fn report_replay(replayed: &Replayed) {
    let Replayed { block, of, cycles, departs, mismatch } = replayed;
    let equal = if mismatch.is_some() { "FAIL" } else { "equal" };
    let departs = departs.map_or(String::new(), |cycle| {
        format!("; in cycle {cycle} they depart from the counterexample")
    });
    println!("  {block} of {of}: {cycles} cycles, model and RTL {equal}{departs}");
    if let Some(mismatch) = mismatch {
        print!("{mismatch}");
    }
}

impl Row {
    fn new(
        protocol: &Protocol,
        configuration: &'static str,
        without: Option<&'static str>,
        found: Found,
        replay: bool,
    ) -> Result<Self, Failure> {
        let Found { states, depth, seconds, story, replays } = found;
        let replays = replays.iter().filter(|_| replay).map(Replay::run);
        let replayed = replays.collect::<Result<_, _>>();
        let replayed = replayed.map_err(|e| Failure::new(rtl_status(&e), e))?;
        Ok(Self {
            protocol: protocol.name,
            configuration: Some(configuration),
            without,
            states,
            depth,
            violated: story.as_ref().map(|story| story.property),
            counterexample: story.map(|story| story.lines()).unwrap_or_default(),
            reason: None,
            replayed,
            seconds,
        })
    }

    fn report(&self) {
        let without = self.without.map(|rule| format!(" without {rule}")).unwrap_or_default();
        let configuration = self.configuration.unwrap_or_default();
        let steps = self.counterexample.len().saturating_sub(1);
        println!("{}{without}, {configuration}: {steps} steps", self.protocol);
        for line in &self.counterexample {
            println!("  {line}");
        }
        self.replayed.iter().for_each(report_replay);
    }
}

pub fn run(args: &Args) -> Result<u8, Failure> {
    args.rtl.apply()?;
    let protocols = protocols(args.protocol.as_deref())?;
    if args.list {
        protocols.iter().for_each(|protocol| list(protocol));
        return Ok(0);
    }
    let rule = args.without.as_deref().filter(|&rule| rule != "all");
    if let Some(rule) = rule {
        known_rule(&protocols, rule)?;
    }
    Files::default().writes("--json", args.json.as_deref()).claim()?;
    let (rows, missed) = match args.without.as_deref() {
        None => (searches(&protocols, args)?, 0),
        Some("all") => all_rules(&protocols, args)?,
        Some(rule) => (without(&protocols, rule, args)?, 0),
    };
    let mut replayed = rows.iter().flat_map(|row| &row.replayed);
    if let Some(Replayed { block, of, .. }) = replayed.find(|again| again.mismatch.is_some()) {
        return Err(Failure::new(DIFFER, format!("{block} of {of}: model and RTL do not agree")));
    }
    let violated = match args.without.as_deref() {
        Some("all") => None,
        _ => rows.iter().find_map(|row| row.violated.map(|property| (row, property))),
    };
    let passed = violated.is_none() && missed == 0;
    let states: usize = rows.iter().map(|row| row.states).sum();
    let searches = rows.iter().filter(|row| row.configuration.is_some()).count() - missed;
    let of = args.protocol.as_deref().unwrap_or("all");
    let verdict = match (violated, args.without.as_deref()) {
        (Some((row, property)), Some(_)) => {
            format!("{of} without {}: {property}", row.without.unwrap_or_default())
        }
        (Some((row, property)), None) => format!("{}: {property}", row.protocol),
        (None, Some("all")) => {
            let silent = rows.len() - searches - missed;
            format!("{of}: {searches} rules seen to be gone, {missed} not, {silent} cannot be")
        }
        (None, Some(rule)) => format!("{of} without {rule}: {states} states, not seen"),
        (None, None) => {
            format!("{of}: {searches} configurations, {states} states, all properties hold")
        }
    };
    let status = match violated {
        Some((_, NO_DEADLOCK)) => STUCK,
        _ if passed => 0,
        _ => WRONG_VALUE,
    };
    if let Some(path) = &args.json {
        let report = Report { verdict: if passed { "PASS" } else { "FAIL" }, rows };
        output::write_json(path, &report)?;
    }
    println!("{} check {verdict}", if passed { "PASS" } else { "FAIL" });
    Ok(status)
}

fn protocols(name: Option<&str>) -> Result<Vec<&'static Protocol>, Failure> {
    let named = |name: &str| PROTOCOLS.iter().find(|protocol| protocol.name == name);
    match name {
        None | Some("all") => Ok(PROTOCOLS.iter().collect()),
        Some(name) => match named(name) {
            Some(protocol) => Ok(vec![protocol]),
            None => {
                let known = PROTOCOLS.iter().map(|protocol| protocol.name);
                let known: Vec<_> = known.chain(["all"]).collect();
                Err(Failure::unknown("protocol", name, &known, "duet check --list"))
            }
        },
    }
}

/// Errors: no protocol has this rule.
fn known_rule(protocols: &[&'static Protocol], name: &str) -> Result<(), Failure> {
    let rules = protocols.iter().flat_map(|protocol| (protocol.rules)());
    let known: Vec<_> = rules.map(|rule| rule.name).chain(["all"]).collect();
    if known.contains(&name) {
        return Ok(());
    }
    Err(Failure::unknown("--without", name, &known, "duet check --list"))
}

fn list(protocol: &Protocol) {
    println!("{}  {}", protocol.name, protocol.about);
    for (name, means) in protocol.properties {
        println!("  property       {name}: {means}");
    }
    for configuration in (protocol.configurations)() {
        println!("  configuration  {}", configuration.name);
    }
    for Rule { name, seen } in (protocol.rules)() {
        match seen {
            Seen::In(at) => {
                println!("  rule           {name}: {}", (protocol.configurations)()[at].name);
            }
            Seen::Never(reason) => println!("  rule           {name}: never seen, {reason}"),
        }
    }
}

/// All rules kept.
fn searches(protocols: &[&'static Protocol], args: &Args) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    head(args, ["protocol", "configuration", "states", "depth", "seconds"]);
    for protocol in protocols {
        for (at, configuration) in (protocol.configurations)().into_iter().enumerate() {
            if args.quick && configuration.is_large {
                continue;
            }
            let found = (protocol.search)(at, None);
            let row = Row::new(protocol, configuration.name, None, found, false)?;
            let [states, depth] = [row.states, row.depth].map(|number| number.to_string());
            let seconds = format!("{:.1}", row.seconds);
            line(args, [row.protocol, configuration.name, &states, &depth, &seconds]);
            if row.violated.is_some() {
                row.report();
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

fn search_without(
    protocol: &'static Protocol,
    Rule { name, seen }: Rule,
    args: &Args,
) -> Result<Row, Failure> {
    match seen {
        Seen::In(at) => {
            let found = (protocol.search)(at, Some(name));
            let configuration = (protocol.configurations)()[at].name;
            Row::new(protocol, configuration, Some(name), found, args.replay)
        }
        Seen::Never(reason) => {
            let mut row = Row {
                protocol: protocol.name,
                configuration: None,
                without: Some(name),
                states: 0,
                depth: 0,
                violated: None,
                counterexample: Vec::new(),
                reason: Some(reason),
                replayed: Vec::new(),
                seconds: 0.0,
            };
            // All that it is said of, but for what takes long.
            for (at, configuration) in (protocol.configurations)().iter().enumerate() {
                if configuration.is_large {
                    continue;
                }
                let found = (protocol.search)(at, Some(name));
                if found.story.is_some() {
                    let configuration = configuration.name;
                    return Row::new(protocol, configuration, Some(name), found, args.replay);
                }
                row.states += found.states;
                row.depth = row.depth.max(found.depth);
                row.seconds += found.seconds;
            }
            Ok(row)
        }
    }
}

/// One rule disabled.
fn without(protocols: &[&'static Protocol], name: &str, args: &Args) -> Result<Vec<Row>, Failure> {
    let with = protocols.iter().filter_map(|protocol| {
        let rule = (protocol.rules)().into_iter().find(|rule| rule.name == name)?;
        Some(search_without(protocol, rule, args))
    });
    let rows = with.collect::<Result<Vec<_>, _>>()?;
    for row in &rows {
        match row.reason {
            Some(reason) => println!("{} without {name}: never seen, {reason}", row.protocol),
            None => row.report(),
        }
    }
    Ok(rows)
}

/// Each rule disabled, and the number of those that are not seen and should be.
fn all_rules(protocols: &[&'static Protocol], args: &Args) -> Result<(Vec<Row>, usize), Failure> {
    let mut rows = Vec::new();
    head(args, ["protocol", "rule", "steps", "states", "violated, and in which configuration"]);
    for protocol in protocols {
        for rule in (protocol.rules)() {
            let row = search_without(protocol, rule, args)?;
            let steps = row.counterexample.len().saturating_sub(1).to_string();
            let seen = match (row.violated, row.configuration) {
                (Some(property), Some(configuration)) => format!("{property}: {configuration}"),
                (None, Some(configuration)) => format!("NOT SEEN: {configuration}"),
                _ => format!("never seen, {}", row.reason.unwrap_or_default()),
            };
            line(args, [row.protocol, rule.name, &steps, &row.states.to_string(), &seen]);
            row.replayed.iter().for_each(report_replay);
            rows.push(row);
        }
    }
    let missed = |row: &&Row| row.violated.is_none() && row.configuration.is_some();
    let missed = rows.iter().filter(missed).count();
    Ok((rows, missed))
}

fn head(args: &Args, names: [&str; 5]) {
    line(args, names);
    if args.markdown {
        let right = |name: &str| ["states", "depth", "seconds", "steps"].contains(&name);
        println!("| {} |", names.map(|name| if right(name) { "---:" } else { "---" }).join(" | "));
    }
}

fn line(args: &Args, [protocol, what, a, b, c]: [&str; 5]) {
    match args.markdown {
        true => println!("| {protocol} | {what} | {a} | {b} | {c} |"),
        false => println!("{protocol:<10}  {what:<52}{a:>10}{b:>9}  {c:>7}"),
    }
}
