//! Each block by itself and joined to others, on its model and on its RTL, a module per family: the
//! worked examples of the specifications and the rules of the blocks' READMEs.

mod bench;
mod checks;
mod cpelide;
mod directory;
mod finepack;
mod four_state;
mod race;
mod sharing;
mod stc;
mod timestamp;
