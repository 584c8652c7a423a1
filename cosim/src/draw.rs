//! Legal parameters of a family, drawn from a seed: each field by its own limit, and again until
//! the family's check accepts them together.

use ports::{Field, Limit};

use crate::catalog::Family;
use crate::settings::SettingError;
use crate::stimulus::Random;

/// Draws before a family, with what is set of it, counts as one without legal parameters.
const TRIES: u32 = 100_000;
/// Draws of the field that was wrong, before all are drawn anew.
const REPAIRS: u32 = 1_000;
/// Numbers are drawn at most so many bits from their least one: memories stay small enough to be
/// filled, and counters to wrap.
const SPREAD: u32 = 16;

/// Draws these fields of the table.
pub fn draw<F: Family>(
    seed: u64,
    free: &[&'static Field],
    table: &mut toml::Table,
) -> Result<(), SettingError> {
    // Not the stimulus's choices once more.
    let mut random = Random::new(!seed.rotate_left(32));
    let mut anew = |field: &Field, table: &mut toml::Table| {
        if let Some(value) = value(&field.limit, &mut random) {
            table.insert(field.key.to_string(), value);
        }
    };
    let mut problem = None;
    for tries in 0..TRIES {
        // What is wrong is drawn again; but where others leave no legal value, it is them.
        let wrong = free.iter().find(|field| problem == Some(field.key));
        match wrong.filter(|_| !tries.is_multiple_of(REPAIRS)) {
            Some(field) => anew(field, table),
            None => free.iter().for_each(|field| anew(field, table)),
        }
        let parameters: F = table.clone().try_into().expect("each value is one of its field");
        match parameters.check() {
            Ok(()) => return Ok(()),
            Err(source) if tries + 1 == TRIES => {
                return Err(SettingError::Draws { tries: TRIES, source });
            }
            Err(error) => problem = Some(error.name),
        }
    }
    unreachable!("the last draw is returned")
}

/// A value within a limit, rather a small one; none for a field that holds any text.
fn value(limit: &Limit, random: &mut Random) -> Option<toml::Value> {
    let mut low = |places: usize| {
        let mut place = || random.below(places as u32) as usize;
        place().min(place())
    };
    let number = match *limit {
        Limit::Range(least, most) => least + offset(most - least, random),
        Limit::PowerOfTwo(least, most) => {
            let (least, most) = (least.next_power_of_two(), most.max(1));
            let places = (most / least).ilog2().min(SPREAD) + 1;
            least << low(places as usize)
        }
        Limit::OneOf(numbers) => numbers[low(numbers.len())],
        Limit::Names(names) => {
            let mut names = names();
            let name = names.swap_remove(random.below(names.len() as u32) as usize);
            return Some(name.into());
        }
        Limit::Switch => return Some(random.chance(128).into()),
        Limit::Millionths(..) | Limit::Text => return None,
    };
    Some(toml::Value::Integer(number as i64))
}

/// 0 to `most`: each of its lengths in bits is as likely, and both ends are likelier than others.
fn offset(most: u64, random: &mut Random) -> u64 {
    let width = (u64::BITS - most.leading_zeros()).min(SPREAD);
    match random.below(16) {
        0..2 => 0,
        2 if width < SPREAD => most,
        3..5 if width < SPREAD => random.below(most as u32 + 1).into(),
        _ => {
            let bits = random.below(width + 1);
            (random.word() & ((1 << bits) - 1)).min(most)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ports::finepack::types::FinePack;

    use super::*;
    use crate::blocks;
    use crate::catalog::RANDOM;
    use crate::settings::FamilyEntry;

    /// What a thousand draws come to.
    fn drawn(limit: &Limit) -> BTreeSet<u64> {
        let mut random = Random::new(1);
        let mut next = || value(limit, &mut random)?.as_integer()?.try_into().ok();
        (0..1000).map(|_| next().expect("a number")).collect()
    }

    #[test]
    fn drawn_numbers_are_legal_and_reach_both_ends() {
        let limits = [
            Limit::Range(1, 1),
            Limit::Range(0, 1),
            Limit::Range(2, 16),
            Limit::Range(6, 38),
            Limit::Range(28, 4096),
            Limit::PowerOfTwo(1, 1024),
            Limit::PowerOfTwo(16, 128),
            Limit::OneOf(&[1, 4, 128, 512]),
        ];
        for limit in limits {
            let drawn = drawn(&limit);
            let (least, most) = (drawn.first().copied().unwrap(), drawn.last().copied().unwrap());
            assert!(drawn.iter().all(|number| limit.allows(*number)), "{limit}: {drawn:?}");
            assert!(least == 0 || !limit.allows(least - 1), "{limit}: from {least}");
            assert!((most + 1..8192).all(|number| !limit.allows(number)), "{limit}: to {most}");
        }
    }

    #[test]
    fn numbers_without_a_small_limit_are_drawn_near_their_least_one() {
        for limit in [Limit::Range(1, u64::from(u32::MAX)), Limit::PowerOfTwo(64, 1 << 31)] {
            let drawn = drawn(&limit);
            assert!(drawn.iter().all(|number| limit.allows(*number)), "{limit}: {drawn:?}");
            assert!(*drawn.last().unwrap() <= 64 << SPREAD, "{limit}: {drawn:?}");
            assert!(drawn.len() > 10, "{limit}: {drawn:?}");
        }
    }

    #[test]
    fn sets_are_legal_are_functions_of_the_seed_and_take_every_value_of_a_narrow_field() {
        for block in blocks::all() {
            let draw = |seed| block.family.apply_or_draw(RANDOM, seed, &[], &[]).unwrap().0;
            let sets: BTreeSet<_> = (0..40).map(|seed| draw(seed).text()).collect();
            // Two fields of the queue for tests.
            assert!(sets.len() > 30, "{}: {} sets of 40", block.name, sets.len());
            assert_eq!(draw(7).text(), draw(7).text(), "{}", block.name);
            // Each is legal when it is set, and then nothing is left to draw.
            for seed in 0..5 {
                let drawn = draw(seed);
                let set = block.family.apply_or_draw(RANDOM, !seed, &drawn.drawn, &[]).unwrap().0;
                assert_eq!(set.text(), drawn.text(), "{}", block.name);
                assert!(set.drawn.is_empty(), "{}: {:?}", block.name, set.drawn);
                let config = &(block.family.configs)()[0];
                let set = block.family.apply(config, &drawn.drawn, &[]).unwrap().0;
                assert_eq!(set.text(), drawn.text(), "{}", block.name);
            }
        }
        let sub_headers = (0..100).map(|seed| {
            let drawn = FamilyEntry::of::<FinePack>().apply_or_draw(RANDOM, seed, &[], &[]);
            drawn.unwrap().0.parameters::<FinePack>().sub_header_bytes
        });
        assert_eq!(sub_headers.collect::<BTreeSet<_>>(), BTreeSet::from([2, 3, 4, 5, 6]));
    }

    #[test]
    fn what_is_set_is_not_drawn_and_what_nothing_fits_is_refused() {
        let family = FamilyEntry::of::<FinePack>();
        for seed in 0..10 {
            let drawn = family.apply_or_draw(RANDOM, seed, &["line=128".into()], &[]).unwrap().0;
            assert_eq!(drawn.parameters::<FinePack>().line, 128);
            assert!(!drawn.drawn.iter().any(|set| set.starts_with("line=")), "{:?}", drawn.drawn);
        }
        let refused = |set: &str| {
            let drawn = family.apply_or_draw(RANDOM, 1, &[set.into()], &[]);
            drawn.unwrap_err().to_string()
        };
        let error = refused("line=48");
        assert!(error.ends_with("line = 48: must be a power of 2, 16 to 128"), "{error}");
        let error = refused("offset_width=7");
        assert!(error.contains("offset_width = 7: must be 8 * sub_header_bytes - 10"), "{error}");
        // Of a long list the nearest names, and how many there are beside them.
        let error = refused("nothing=1");
        assert!(error.starts_with("--set nothing: must be one of "), "{error}");
        assert!(error.ends_with(" and 9 more"), "{error}");
    }
}
