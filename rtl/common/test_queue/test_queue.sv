`include "duet_assert.svh"
`include "test_queue_types.svh"

/// A FIFO with a latency, for tests of the full GPU's extension points. An item accepted in cycle t
/// is at done_o in t + Latency at the earliest. All outputs are functions of registers.
module test_queue #(
  parameter int unsigned Depth   = 4,  // items, 1..16
  parameter int unsigned Latency = 3,  // cycles, 1..255
  localparam type item_t = `TEST_QUEUE_ITEM_T
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  // item: items that enter
  input  logic  item_valid_i,
  output logic  item_ready_o,
  input  item_t item_i,
  // done: the oldest item
  output logic  done_valid_o,
  input  logic  done_ready_i,
  output item_t done_o
);
  localparam int unsigned PlaceW = Depth > 1 ? $clog2(Depth) : 1;

  item_t [Depth-1:0]       item_q;   // by place
  logic  [Depth-1:0][7:0]  left_q;   // cycles until it may leave
  logic  [PlaceW-1:0]      head_q;   // place of the oldest
  logic  [4:0]             count_q;  // items that are held

  logic push, pop;
  assign push = item_valid_i && item_ready_o;  // rule: 2
  assign pop  = done_valid_o && done_ready_i;  // rule: 3

  // Place of an item that enters.
  logic [5:0]        sum;
  logic [PlaceW-1:0] tail;
  assign sum  = 6'(head_q) + 6'(count_q);  // rule: 2
  assign tail = PlaceW'(sum >= 6'(Depth) ? sum - 6'(Depth) : sum);  // rule: 2

  assign item_ready_o = count_q < 5'(Depth);  // rule: 1
  assign done_valid_o = count_q != 0 && left_q[head_q] == 0;  // rule: 2
  assign done_o       = done_valid_o ? item_q[head_q] : '0;  // rule: 4

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      item_q  <= '0;
      left_q  <= '0;
      head_q  <= '0;
      count_q <= '0;
    end else begin
      for (int unsigned place = 0; place < Depth; place++) begin
        if (left_q[place] != 0) left_q[place] <= left_q[place] - 1;  // rule: 2
      end
      if (push) begin
        item_q[tail] <= item_i;  // rule: 2
        left_q[tail] <= 8'(Latency - 1);  // rule: 2
      end
      if (pop) head_q <= head_q == PlaceW'(Depth - 1) ? '0 : head_q + 1;  // rule: 3
      count_q <= count_q + 5'(push) - 5'(pop);  // rule: 1
    end
  end

  `DUET_ASSERT_PARAM(DepthLegal, Depth >= 1 && Depth <= 16, "Depth must be 1..16")
  `DUET_ASSERT_PARAM(LatencyLegal, Latency >= 1 && Latency <= 255, "Latency must be 1..255")
  `DUET_ASSERT_STABLE(DoneStable, done_valid_o, done_ready_i, done_o)
  `DUET_ASSERT(CountLegal, count_q <= 5'(Depth), "more items than places")
endmodule
