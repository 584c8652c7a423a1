//! Protocols hold in all states of their small configurations, and each rule that is taken away
//! is seen.

use exhaustive::{Broken, NO_DEADLOCK, PROTOCOLS, Protocol, Seen, Space, search};

fn protocol(name: &str) -> &'static Protocol {
    PROTOCOLS.iter().find(|protocol| protocol.name == name).expect("a protocol of this name")
}

fn holds(name: &str) {
    let protocol = protocol(name);
    for (at, configuration) in (protocol.configurations)().iter().enumerate() {
        if !configuration.is_large {
            let found = (protocol.search)(at, None);
            let lines = found.story.map(|story| story.lines());
            assert_eq!(lines, None, "{}", configuration.name);
            assert!(found.states > 100, "{}", configuration.name);
        }
    }
}

fn each_rule_is_seen(name: &str) {
    let protocol = protocol(name);
    for rule in (protocol.rules)() {
        let Seen::In(configuration) = rule.seen else { continue };
        let found = (protocol.search)(configuration, Some(rule.name));
        let lines = found.story.unwrap_or_else(|| panic!("{} is not seen", rule.name)).lines();
        let last = lines.last().expect("a story has lines");
        let names = protocol.properties.iter().map(|(name, _)| *name).chain([NO_DEADLOCK]);
        let starts = |name: &str| last.starts_with(&format!("violated: {name}: "));
        assert!(names.into_iter().any(starts), "{}: {last}", rule.name);
    }
}

macro_rules! protocols {
    ($($module:ident)*) => {$(
        mod $module {
            #[test]
            fn holds() {
                super::holds(stringify!($module));
            }

            #[test]
            fn each_rule_is_seen() {
                super::each_rule_is_seen(stringify!($module));
            }
        }
    )*};
}

protocols! { cpelide directory gtsc tc stc }

/// Two counters, each of which goes to 3.
struct Counters {
    /// Both may not be so.
    forbidden: u8,
    /// No step leaves this one of the first.
    stuck: u8,
}

impl Space for Counters {
    type State = [u8; 2];
    type Step = usize;

    fn start(&self, _is_traced: bool) -> [u8; 2] {
        [0, 0]
    }

    fn steps(&self, state: &[u8; 2], steps: &mut Vec<usize>) {
        steps.extend((0..2).filter(|&i| state[i] < 3 && state[0] != self.stuck));
    }

    fn after(&self, state: &[u8; 2], step: &usize) -> Option<[u8; 2]> {
        let mut state = *state;
        state[*step] += 1;
        Some(state)
    }

    fn broken(&self, state: &[u8; 2]) -> Option<Broken> {
        let both = *state == [self.forbidden; 2];
        both.then(|| Broken { property: "not both", how: format!("both are {}", self.forbidden) })
    }

    fn is_drained(&self, state: &[u8; 2]) -> bool {
        *state == [3, 3]
    }

    fn describe(&self, _before: &[u8; 2], step: &usize, after: &[u8; 2]) -> String {
        format!("counter {step} becomes {}", after[*step])
    }
}

#[test]
fn all_states_are_counted() {
    let found = search(Counters { forbidden: 9, stuck: 9 });
    assert_eq!((found.states, found.depth, found.story), (16, 6, None));
}

#[test]
fn property_that_does_not_hold_has_the_shortest_story() {
    let story = search(Counters { forbidden: 1, stuck: 9 }).story.unwrap();
    assert_eq!(story.steps.len(), 2);
    assert_eq!(story.lines()[2], "violated: not both: both are 1");
}

#[test]
fn deadlock_is_seen() {
    let story = search(Counters { forbidden: 9, stuck: 2 }).story.unwrap();
    assert_eq!(story.steps, ["counter 0 becomes 1", "counter 0 becomes 2"]);
    assert_eq!(story.property, NO_DEADLOCK);
}
