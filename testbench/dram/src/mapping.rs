//! How an address becomes a channel and a place in it.

use crate::parameters::Organization;

/// A burst's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Channel.
    pub channel: u32,
    /// Pseudo-channel of the channel.
    pub pseudo: u32,
    /// Rank of the pseudo-channel.
    pub rank: u32,
    /// Bank group of the rank.
    pub group: u32,
    /// Bank of the group.
    pub bank: u32,
    /// Row of the bank.
    pub row: u32,
    /// Column of the row.
    pub column: u32,
}

const FIELDS: [&str; 7] = ["channel", "pseudo", "rank", "group", "bank", "row", "column"];
const ROW: usize = 5;

/// A text that is no mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{field}\" {limit}")]
pub struct MappingError {
    /// The field.
    pub field: String,
    /// What it must be.
    pub limit: String,
}

/// A field, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    /// Which of [`FIELDS`].
    which: usize,
    /// Its values.
    count: u32,
    /// Values of the parts of the field below.
    below: u32,
    /// Lowest row bit of the hash; none if the field is not hashed.
    hash: Option<u32>,
}

/// A mapping, such as `row:bank^row:group^row:column:pseudo:channel`.
///
/// The text names the fields from the most to the least significant, above the offset in a burst.
/// A field of one value may be left out. `column*4` is a part of a field, of 4 values; the field is
/// named again, above, for the rest. Counts need not be powers of two: the address is divided, not
/// cut. `^row` XORs a field with row bits, as the permutation-based interleaving of Zhang et al.
/// (MICRO 2000): hashed fields take the row's bits in the order of the text, from bit 0 on.
/// Addresses beyond the capacity wrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub(crate) organization: Organization,
    /// From the least significant on.
    fields: Vec<Field>,
}

impl Mapping {
    /// Bursts of 128 consecutive bytes lie in a row, the next bytes in another channel,
    /// pseudo-channel and bank group. Rows are spread over bank groups and banks by a hash.
    pub const GPU: &str = "row:bank^row:rank:column:group^row:pseudo:channel:column*4";

    /// Parses a mapping for so many channels.
    pub fn parse(
        text: &str,
        organization: &Organization,
        channels: u32,
    ) -> Result<Self, MappingError> {
        let o = organization;
        // Values of each field that the text has not placed.
        let mut left = [channels, o.pseudo_channels, o.ranks, o.groups, o.banks, o.rows, o.columns];
        let all = left;
        let fail = |field: &str, limit: String| MappingError { field: field.to_string(), limit };
        let mut fields: Vec<Field> = Vec::with_capacity(FIELDS.len());
        for word in text.rsplit(':') {
            let (name, is_hashed) = match word.split_once('^') {
                None => (word, false),
                Some((name, "row")) => (name, true),
                Some(_) => return Err(fail(word, "only ^row may follow a field".to_string())),
            };
            let (name, part) = match name.split_once('*') {
                None => (name, None),
                Some((name, part)) => (name, Some(part)),
            };
            let Some(which) = FIELDS.iter().position(|field| *field == name) else {
                return Err(fail(name, format!("must be one of {}", FIELDS.join(", "))));
            };
            if left[which] == 1 && fields.iter().any(|field| field.which == which) {
                return Err(fail(name, "must be named once".to_string()));
            }
            let divides = |part: &u32| *part > 0 && left[which].is_multiple_of(*part);
            let count = match part.map(|part| part.parse().ok().filter(divides)) {
                None => left[which],
                Some(Some(part)) => part,
                Some(None) => {
                    return Err(fail(word, format!("must divide {} values", left[which])));
                }
            };
            if is_hashed && (!count.is_power_of_two() || count < all[which] || which == ROW) {
                let limit = format!("has {count} values: a hash needs a power of two, no row");
                return Err(fail(word, limit));
            }
            let below = all[which] / left[which];
            left[which] /= count;
            fields.push(Field { which, count, below, hash: is_hashed.then_some(0) });
        }
        if let Some(which) = left.iter().position(|&left| left > 1) {
            let limit = format!("must be named: it has {} values", left[which]);
            return Err(fail(FIELDS[which], limit));
        }
        let mut row_bits = 0;
        for Field { count, hash, .. } in fields.iter_mut().rev() {
            if let Some(low) = hash {
                *low = row_bits;
                row_bits += count.trailing_zeros();
            }
        }
        if 1_u64 << row_bits > u64::from(o.rows) {
            let limit = format!("hashes take {row_bits} bits, more than {} rows have", o.rows);
            return Err(fail("row", limit));
        }
        Ok(Self { organization: *o, fields })
    }

    /// The place of a byte address.
    pub fn place(&self, address: u64) -> Place {
        let mut rest = address / u64::from(self.organization.access_bytes);
        let mut values = [0; FIELDS.len()];
        for field in &self.fields {
            let count = u64::from(field.count);
            values[field.which] += (rest % count) as u32 * field.below;
            rest /= count;
        }
        for field in &self.fields {
            if let Some(low) = field.hash {
                values[field.which] ^= values[ROW] >> low & (field.count - 1);
            }
        }
        let [channel, pseudo, rank, group, bank, row, column] = values;
        Place { channel, pseudo, rank, group, bank, row, column }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SMALL: Organization = Organization {
        dual_bus: true,
        pseudo_channels: 2,
        ranks: 1,
        groups: 2,
        banks: 4,
        rows: 64,
        columns: 8,
        access_bytes: 32,
    };

    fn parse(text: &str) -> Result<Mapping, MappingError> {
        Mapping::parse(text, &SMALL, 5)
    }

    #[test]
    fn fields_are_digits_from_the_least_significant_on() {
        let mapping = parse("row:bank:group:column:pseudo:channel").unwrap();
        // 3 + 5 * (1 + 2 * (6 + 8 * (1 + 2 * (2 + 4 * 17)))).
        let burst = 3 + 5 * (1 + 2 * (6 + 8 * (1 + 2 * (2 + 4 * 17))));
        let place = Place { channel: 3, pseudo: 1, rank: 0, group: 1, bank: 2, row: 17, column: 6 };
        assert_eq!(mapping.place(burst * 32 + 31), place);
    }

    #[test]
    fn hashed_fields_take_row_bits_in_the_order_of_the_text() {
        let mapping = parse("row:bank^row:group^row:column:pseudo:channel").unwrap();
        // A stride of a row of all banks: 5 channels, 2 pseudo-channels, 8 columns, 8 banks.
        let stride = 32 * 5 * 2 * 8 * 8;
        for row in 0..64 {
            let place = mapping.place(row * stride);
            assert_eq!(
                (place.row, place.bank, place.group),
                (row as u32, (row % 4) as u32, (row / 4 % 2) as u32)
            );
        }
    }

    #[test]
    fn a_field_may_be_placed_in_parts() {
        let mapping = parse("row:bank:group:column:pseudo:channel:column*4").unwrap();
        // 2 + 4 * (3 + 5 * (1 + 2 * (1 + 2 * (1 + 2 * (2 + 4 * 17))))).
        let burst = 2 + 4 * (3 + 5 * (1 + 2 * (1 + 2 * (1 + 2 * (2 + 4 * 17)))));
        let place = Place { channel: 3, pseudo: 1, rank: 0, group: 1, bank: 2, row: 17, column: 6 };
        assert_eq!(mapping.place(burst * 32), place);
    }

    #[test]
    fn every_burst_has_a_place_of_its_own() {
        for text in [
            "row:bank^row:group^row:column:pseudo^row:channel",
            "pseudo:bank:row:channel:group:column",
            "row:column:bank:row*2:channel:group^row:pseudo:column*4",
        ] {
            let mapping = parse(text).unwrap();
            let bursts = SMALL.bytes() * 5 / 32;
            let places: HashSet<_> = (0..bursts).map(|burst| mapping.place(burst * 32)).collect();
            assert_eq!(places.len() as u64, bursts, "{text}");
            assert_eq!(mapping.place(bursts * 32), mapping.place(0), "{text}");
        }
    }

    #[test]
    fn mistakes_are_refused_by_name() {
        for (text, said) in [
            ("row:bnk:group:column:pseudo:channel", "\"bnk\" must be one of channel, pseudo, rank"),
            ("row:bank:bank:group:column:pseudo:channel", "\"bank\" must be named once"),
            ("row:bank:column:pseudo:channel", "\"group\" must be named: it has 2 values"),
            (
                "row:bank:group:column:pseudo:channel^row",
                "\"channel^row\" has 5 values: a hash needs a power of two",
            ),
            ("row:bank^col:group:column:pseudo:channel", "\"bank^col\" only ^row may follow"),
            ("", "\"\" must be one of"),
            ("row:bank:group:column:pseudo:channel:column*3", "\"column*3\" must divide 8 values"),
            ("row:bank:group:pseudo:channel:column*4", "\"column\" must be named: it has 2 values"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(said), "{error}");
        }
        let few = Organization { rows: 4, ..SMALL };
        let error = Mapping::parse("row:bank^row:group^row:column:pseudo", &few, 1).unwrap_err();
        assert!(error.to_string().contains("hashes take 3 bits, more than 4 rows have"), "{error}");
    }
}
