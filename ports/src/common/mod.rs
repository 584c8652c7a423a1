//! Parts that several families use: parameters, ports, messages.

pub mod test_queue;
