/// Order matrix of one set: for each pair of ways, which was used later. Exact for FIFO and for
/// LRU; the caller decides what a use is. All 0 is a legal order: way 0 the oldest, the last way
/// the youngest. Combinational.
module coherence_directory_order #(  // rule: 10
  parameter int unsigned Ways = 8,
  localparam int unsigned WayW   = (Ways > 1) ? $clog2(Ways) : 1,
  localparam int unsigned OrderW = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1
) (
  input  logic [OrderW-1:0] order_i,
  output logic [Ways-1:0]   oldest_o,  // one-hot: the way that was used longest ago
  input  logic              use_i,     // way_i is used now
  input  logic [WayW-1:0]   way_i,
  output logic [OrderW-1:0] order_o    // afterwards
);
  typedef logic [Ways-1:0][OrderW-1:0] masks_t;

  // The bit of a pair a < b is 1 when a was used later than b. Element w: the pairs in which
  // way w is a (`first`) or b.
  function automatic masks_t pairs(bit first);
    int unsigned k = 0;
    pairs = '0;
    for (int unsigned a = 0; a < Ways; a++) begin
      for (int unsigned b = a + 1; b < Ways; b++) begin
        pairs[first ? a : b][k] = 1'b1;
        k++;
      end
    end
  endfunction
  localparam masks_t First  = pairs(1'b1);
  localparam masks_t Second = pairs(1'b0);

  // The oldest way is the earlier one in all its pairs.
  always_comb begin : find_oldest
    for (int unsigned w = 0; w < Ways; w++) begin
      oldest_o[w] = ((order_i & (First[w] | Second[w])) == Second[w]);
    end
  end

  // A used way becomes the later one in all its pairs.
  assign order_o = use_i ? (order_i | First[way_i]) & ~Second[way_i] : order_i;
endmodule
