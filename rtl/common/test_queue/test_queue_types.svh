// Messages of test_queue (ports/src/common/test_queue.rs has the same fields in the same order;
// elaboration fails where the two differ).
`ifndef TEST_QUEUE_TYPES_SVH
`define TEST_QUEUE_TYPES_SVH

// What is queued.
`define TEST_QUEUE_ITEM_T struct packed { \
    logic [15:0] id; /* whatever its owner calls it */ \
  }

`endif
