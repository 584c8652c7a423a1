//! Types of C: locations and registers have 4 bytes.

use super::ParseError;
use super::words::Words;

const QUALIFIERS: [&str; 4] = ["volatile", "const", "restrict", "unsigned"];
const FOUR_BYTES: [&str; 10] = [
    "int",
    "uint",
    "atomic_int",
    "atomic_uint",
    "int32_t",
    "uint32_t",
    "bool",
    "signed",
    "atomic_flag",
    "size_t",
];
const OTHERS: [&str; 12] = [
    "char",
    "short",
    "long",
    "ulong",
    "float",
    "double",
    "half",
    "int64_t",
    "uint64_t",
    "atomic_long",
    "atomic_ulong",
    "atomic_float",
];

/// Passes a word of a type, if one comes.
pub fn pass(words: &mut Words) -> Result<bool, ParseError> {
    let word = words.peek();
    let is = |names: &[&str]| names.contains(&&word.text[..]);
    if is(&OTHERS) {
        let known = "must be a type of 4 bytes, such as int or atomic_int";
        return Err(words.error(&word, known));
    }
    let is_type = is(&QUALIFIERS) || is(&FOUR_BYTES);
    if is_type {
        words.next();
    }
    Ok(is_type)
}
