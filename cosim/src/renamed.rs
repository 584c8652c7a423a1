//! Names that blocks had before, in commands, bundles and scripts of then. Each L1 and L2 bank of
//! G-TSC and of TC was a block; now a parameter says which it is.

/// A block as it was called.
struct Renamed {
    old: &'static str,
    new: &'static str,
    /// Its `protocol`, where its configuration does not say it.
    protocol: &'static str,
}

const fn renamed(old: &'static str, new: &'static str, protocol: &'static str) -> Renamed {
    Renamed { old, new, protocol }
}

const GTSC: &str = "gtsc";
const BLOCKS: [Renamed; 5] = [
    renamed("gtsc_l1", "timestamp_l1", GTSC),
    renamed("gtsc_l2", "timestamp_l2", GTSC),
    // Its parameters were those of the others.
    renamed("gtsc_rst", "gtsc_rst", GTSC),
    renamed("tc_l1", "timestamp_l1", "tcs"),
    renamed("tc_l2", "timestamp_l2", "tcs"),
];

/// Its configuration that had another protocol than the others, what it is now, and the protocol
/// of TC's blocks in it.
const WEAK: [&str; 3] = ["small-weak", "short", "tcw"];

fn find(block: &str) -> Option<&'static Renamed> {
    BLOCKS.iter().find(|renamed| renamed.old == block)
}

/// What the block is called now.
pub fn block(name: &str) -> &str {
    find(name).map_or(name, |renamed| renamed.new)
}

/// What a pattern of places is now.
pub fn places(pattern: &str) -> String {
    pattern.split('/').map(block).collect::<Vec<_>>().join("/")
}

/// The configuration and the `KEY=VALUE`s that mean now what these meant for a block.
pub fn settings(block: &str, config: &str, set: &[String]) -> (String, Vec<String>) {
    let Some(&Renamed { protocol, .. }) = find(block) else {
        return (config.to_string(), set.to_vec());
    };
    let is_gtsc = protocol == GTSC;
    let [weak, now, tcw] = WEAK;
    let (config, protocol) = match config == weak {
        true => (now, if is_gtsc { protocol } else { tcw }),
        false => (config, protocol),
    };
    let says = config.ends_with("-tcs") || config.ends_with("-tcw");
    let first = (!says).then(|| format!("protocol={protocol}"));
    // G-TSC's blocks had `proto`, too, which meant nothing to them.
    let of_set = |setting: &String| match setting.strip_prefix("proto=") {
        Some(value) => (!is_gtsc).then(|| format!("protocol={value}")),
        None => Some(setting.clone()),
    };
    (config.to_string(), first.into_iter().chain(set.iter().filter_map(of_set)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks;
    use crate::settings::Chosen;

    fn chosen(name: &str, config: &str, set: &[&str]) -> Chosen {
        let set: Vec<_> = set.iter().map(|setting| setting.to_string()).collect();
        let (config, set) = settings(name, config, &set);
        let family = blocks::find(name).expect("it is known").family;
        family.apply(&config, &set, &[]).expect("it is legal").0
    }

    #[test]
    fn old_blocks_have_their_protocol() {
        let names = [("gtsc_l1", "timestamp_l1"), ("tc_l2", "timestamp_l2")];
        for (old, new) in names {
            assert_eq!(blocks::find(old).map(|block| block.name), Some(new));
        }
        let name = |block: &str, config: &str, set: &[&str]| chosen(block, config, set).name;
        assert_eq!(name("gtsc_l1", "small", &[]), "small");
        assert_eq!(name("tc_l1", "small", &[]), "small-tcs");
        assert_eq!(name("tc_l2", "odd", &["proto=tcw"]), "odd-tcw");
        assert_eq!(name("tc_l2", "small-tcw", &[]), "small-tcw");
        assert_eq!(name("tc_l1", "small-weak", &[]), "small-tcw");
        assert_eq!(name("gtsc_l1", "small-weak", &["proto=tcw"]), "short");
        assert_eq!(name("gtsc_rst", "small-weak", &["proto=tcw"]), "short");
        assert_eq!(name("timestamp_l1", "small", &[]), "small");
        // No table has it.
        assert!(chosen("tc_l1", "wide", &[]).text().contains("protocol = \"tcs\""));
    }

    #[test]
    fn patterns_mean_the_same_places() {
        assert_eq!(places("*/cu0/gtsc_l1"), "*/cu0/timestamp_l1");
        assert_eq!(places("tc_l2"), "timestamp_l2");
        assert_eq!(places("gpu*/my_tc_l2"), "gpu*/my_tc_l2");
    }
}
