`include "duet_assert.svh"

/// Order in which the ways of each set were last used. In one cycle a line is touched, and then a
/// line comes, of the same set or another. As in `duet_lru` nothing needs a reset: of two ways that
/// have been used it is known which one came later, and no other way is among the candidates.
module sharing_l1_policy_order #(  // rule: Registers
  parameter int unsigned  Sets = 32,
  parameter int unsigned  Ways = 4,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  // a touch
  input  logic            touch_i,
  input  logic [SetW-1:0] touch_set_i,
  input  logic [Ways-1:0] touch_way_i,    // one
  // a line that comes, after it
  input  logic [SetW-1:0] fill_set_i,
  input  logic [Ways-1:0] among_i,        // candidates beside all ways
  output logic [Ways-1:0] oldest_o,       // one, of all ways; means something where all are valid
  output logic [Ways-1:0] oldest_among_o, // of the candidates; none where there is none
  input  logic            fill_i,
  input  logic [Ways-1:0] fill_way_i      // one
);
  localparam int unsigned Pairs = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1;
  typedef logic [Pairs-1:0] order_t;

  // Of each two ways: the lower one has been used after the higher one.
  order_t order_q [Sets];

  // The bit of two ways, i < j.
  function automatic int unsigned pair(int unsigned i, int unsigned j);
    return i * (2 * Ways - i - 1) / 2 + j - i - 1;
  endfunction
  function automatic order_t used(order_t order, logic [Ways-1:0] way);
    order_t next;
    next = order;
    for (int unsigned i = 0; i < Ways; i++) begin
      for (int unsigned j = i + 1; j < Ways; j++) begin
        if (way[i])      next[pair(i, j)] = 1'b1;
        else if (way[j]) next[pair(i, j)] = 1'b0;
      end
    end
    return next;
  endfunction
  function automatic logic [Ways-1:0] oldest(order_t order, logic [Ways-1:0] among);
    logic [Ways-1:0] ways;
    ways = among;
    for (int unsigned i = 0; i < Ways; i++) begin
      for (int unsigned j = i + 1; j < Ways; j++) begin
        if (among[i] && among[j]) begin
          if (order[pair(i, j)]) ways[i] = 1'b0;
          else                   ways[j] = 1'b0;
        end
      end
    end
    return ways;
  endfunction

  order_t touched, found;
  assign touched = used(order_q[touch_set_i], touch_way_i);
  assign found   = (touch_i && touch_set_i == fill_set_i) ? touched : order_q[fill_set_i];

  assign oldest_o       = oldest(found, '1);
  assign oldest_among_o = oldest(found, among_i);

  always_ff @(posedge clk_i) begin
    if (touch_i) order_q[touch_set_i] <= touched;
    if (fill_i) order_q[fill_set_i] <= used(found, fill_way_i);
  end

  `DUET_ASSERT(TouchOne, !touch_i || $onehot(touch_way_i), "touch of no way or of several")
  `DUET_ASSERT(FillOne, !fill_i || $onehot(fill_way_i), "fill of no way or of several")
endmodule
