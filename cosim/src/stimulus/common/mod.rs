//! Parts that several families use: stimuli.

pub mod test_queue;
