//! Counterexample traces in words: what the searches of SMs with L1s and an L2 bank share.

/// What a step did, if it is recorded.
pub type Text = Option<String>;

/// Appends formatted words to a [`Text`].
macro_rules! describe {
    ($text:expr, $($words:tt)*) => {
        if let Some(text) = $text {
            let _ = std::fmt::Write::write_fmt(text, format_args!($($words)*));
        }
    };
}

pub(crate) use describe;

/// SM and warp of a warp by its number among all; each SM has `warps` warps.
pub fn sm_of(warps: u8, number: usize) -> (usize, usize) {
    (number / usize::from(warps), number % usize::from(warps))
}

/// The name of that warp.
pub fn warp(warps: u8, number: usize) -> String {
    match sm_of(warps, number) {
        (sm, _) if warps == 1 => format!("SM {sm}"),
        (sm, warp) => format!("warp {warp} of SM {sm}"),
    }
}

/// The name of a location.
pub fn location(place: u8) -> char {
    char::from(b'x' + place)
}
