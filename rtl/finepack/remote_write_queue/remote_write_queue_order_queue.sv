`include "duet_assert.svh"

/// Order queue of one partition: what goes to the destination, oldest first. A token is a kind and
/// an id; the rest of a READ or ATOMIC is kept by the sequencer under the slot number.
/// Up to two tokens per cycle enter, the DRAIN first. A token is the head 1 cycle after its push.
module remote_write_queue_order_queue  // rule: 12
  import finepack_pkg::*;
#(
  parameter int unsigned OrderQueueDepth = 4,
  localparam int unsigned SlotW = $clog2(OrderQueueDepth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_drain_i,
  input  logic             push_op_i,    // READ, ATOMIC or MARK
  input  logic [1:0]       op_kind_i,
  input  logic [7:0]       op_id_i,
  output logic [SlotW-1:0] op_slot_o,    // slot that push_op_i writes
  output logic             free1_o,      // at least one place
  output logic             free2_o,      // at least two places
  input  logic             pop_i,
  output logic             head_valid_o,
  output logic [1:0]       head_kind_o,
  output logic [7:0]       head_id_o,
  output logic [SlotW-1:0] head_slot_o
);
  localparam int unsigned CountW = $clog2(OrderQueueDepth + 1);

  logic [1:0]        kind_q [OrderQueueDepth];
  logic [7:0]        id_q   [OrderQueueDepth];
  logic [SlotW-1:0]  wptr_d, wptr_q, rptr_d, rptr_q;
  logic [CountW-1:0] count_d, count_q;

  function automatic logic [SlotW-1:0] after(logic [SlotW-1:0] slot);
    return (32'(slot) == OrderQueueDepth - 1) ? '0 : slot + 1'b1;
  endfunction

  assign op_slot_o = push_drain_i ? after(wptr_q) : wptr_q;
  assign wptr_d    = push_op_i ? after(op_slot_o) : op_slot_o;
  assign rptr_d    = pop_i ? after(rptr_q) : rptr_q;
  assign count_d   = count_q + CountW'(push_drain_i) + CountW'(push_op_i) - CountW'(pop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else begin
      wptr_q  <= wptr_d;
      rptr_q  <= rptr_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_drain_i) kind_q[wptr_q] <= DrainPack;
    if (push_op_i) begin
      kind_q[op_slot_o] <= op_kind_i;
      id_q[op_slot_o]   <= op_id_i;
    end
  end

  assign free1_o      = (32'(count_q) < OrderQueueDepth);
  assign free2_o      = (32'(count_q) + 1 < OrderQueueDepth);
  assign head_valid_o = (count_q != '0);
  assign head_kind_o  = kind_q[rptr_q];
  assign head_id_o    = id_q[rptr_q];
  assign head_slot_o  = rptr_q;

  `DUET_ASSERT(NoOverflow, 32'(count_q) + 32'(push_drain_i) + 32'(push_op_i) <= OrderQueueDepth,
               "token pushed into a full order queue")
  `DUET_ASSERT(NoUnderflow, !pop_i || count_q != '0, "pop of an empty order queue")
endmodule
