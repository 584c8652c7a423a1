//! What a payload says, in words: operations, packets and messages by the names of their codes.

/// Codes of a module, with their names.
macro_rules! codes {
    ($module:ident: $($code:ident),+) => {
        &[$(($module::$code, stringify!($code))),+]
    };
}

mod command;
mod directory;
mod finepack;
mod race;

use ports::Port;

use crate::value::Value;

pub use finepack::SubPackets;

/// The fields of one payload.
pub struct Fields<'a> {
    port: &'a Port,
    image: &'a [u32],
}

impl<'a> Fields<'a> {
    /// Of a port in an image of its direction.
    pub fn of(port: &'a Port, image: &'a [u32]) -> Self {
        Self { port, image }
    }

    /// The words of a field, lowest first; empty where there is none of this name.
    fn words(&self, name: &str) -> Vec<u32> {
        let leaf = self.port.leaves.iter().find(|leaf| leaf.name == name);
        leaf.map_or(Vec::new(), |leaf| Value::of(self.port, leaf, self.image).words)
    }

    /// The low 128 bits of a field.
    fn wide(&self, name: &str) -> u128 {
        let words = self.words(name);
        (0..words.len().min(4)).fold(0, |sum, i| sum | u128::from(words[i]) << (32 * i))
    }

    /// The low 64 bits of a field.
    fn get(&self, name: &str) -> u64 {
        self.wide(name) as u64
    }

    /// A field's bytes, lowest first.
    fn bytes(&self, name: &str) -> Vec<u8> {
        self.words(name).iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// What a payload says; `None` for a type that speaks for itself.
pub fn meaning(port: &Port, image: &[u32]) -> Option<String> {
    let fields = Fields::of(port, image);
    match port.sv_type.as_ref()?.name {
        "FINEPACK_REQ_T" => Some(finepack::request(&fields)),
        "FINEPACK_DRAIN_T" => Some(finepack::drain(&fields)),
        "FINEPACK_TLP_T" => Some(finepack::tlp(&fields)),
        "FINEPACK_INGRESS_T" => Some(finepack::ingress(&fields)),
        "DIRECTORY_REQ_T" => Some(directory::request(&fields)),
        "DIRECTORY_RSP_T" => Some(directory::response(&fields)),
        "DIRECTORY_INV_T" => Some(directory::invalidation(&fields)),
        "COMMAND_MSG_T" => Some(command::message(&fields, "")),
        "COMMAND_TX_T" => Some(command::transmission(&fields)),
        "COMMAND_WG_T" => Some(command::work_group(&fields)),
        "RACE_REQ_T" => Some(race::request(&fields)),
        "RACE_TOK_T" => Some(race::token(&fields)),
        "RACE_RSP_T" => Some(race::response(&fields)),
        "RACE_DONE_T" => Some(race::answer(&fields)),
        "RACE_LK_T" => Some(race::lookup(&fields)),
        "RACE_Q_T" => Some(race::access(&fields)),
        "RACE_ALLOC_T" => Some(race::load(&fields)),
        _ => None,
    }
}

/// The name of a code, or the code.
fn name(names: &[(u8, &str)], code: u64) -> String {
    let found = names.iter().find(|(of, _)| u64::from(*of) == code);
    found.map_or_else(|| format!("code {code}"), |(_, name)| name.to_string())
}

/// The ones of a mask as ranges: `0-3, 8`.
fn ranges(mask: u128) -> String {
    let mut text = Vec::new();
    let mut at = 0;
    while at < 128 && mask >> at != 0 {
        let first = at + (mask >> at).trailing_zeros();
        let len = (mask >> first).trailing_ones();
        text.push(if len == 1 {
            format!("{first}")
        } else {
            format!("{first}-{}", first + len - 1)
        });
        at = first + len;
    }
    if text.is_empty() { "none".to_string() } else { text.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_mask() {
        assert_eq!(ranges(0), "none");
        assert_eq!(ranges(0b1_0000_1111), "0-3, 8");
        assert_eq!(ranges(u128::MAX), "0-127");
        assert_eq!(ranges(1 << 127), "127");
    }
}
