`include "duet_assert.svh"

/// Tags, states, order of use and data of the lines of an L2 bank. Two places are read: all ways of
/// the set of a request or of a sync step, and the line that the action touches.
module timestamp_l2_ways  // rule: Registers _ways
  import duet_pkg::*;
#(
  parameter int unsigned Line  = 128,
  parameter int unsigned LineW = 25,
  parameter int unsigned Banks = 8,
  parameter int unsigned Sets  = 128,
  parameter int unsigned Ways  = 8,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // a set
  input  logic [SetW-1:0]   set_i,
  input  logic [LineW-1:0]  line_i,      // looked for in it
  output logic              present_o,
  output logic [3:0]        way_o,       // of that line; 0 of none
  output logic [Ways-1:0]   valid_o,
  output logic [Ways-1:0]   dirty_o,
  output logic [Ways-1:0]   reserved_o,  // an MSHR has the way
  input  logic [Ways-1:0]   may_go_i,
  output logic [3:0]        victim_o,    // invalid, else used least recently, of those that may go
  input  logic              empty_i,     // all lines of the set go
  // the line that an action touches
  input  logic [SetW-1:0]   at_set_i,
  input  logic [3:0]        at_way_i,
  output logic              at_valid_o,
  output logic              at_dirty_o,
  output logic [LineW-1:0]  at_line_o,
  output logic [8*Line-1:0] at_data_o,
  input  logic              use_i,       // most recently used from now on
  input  logic              allocate_i,  // the way is for line_i, which is to be filled
  input  logic              reserve_i,   // an MSHR has the way, and
  input  logic              release_i,   // has it no longer
  input  logic              fill_i,      // the line has come
  input  logic              write_i,
  input  logic              clean_i,     // written back
  input  logic              remove_i,    // no longer valid
  input  logic [8*Line-1:0] data_i       // fill, write
);
  localparam int unsigned BankW = $clog2(Banks);
  localparam int unsigned TagW  = LineW - $clog2(Sets);
  localparam int unsigned AtW   = (Sets * Ways > 1) ? $clog2(Sets * Ways) : 1;
  localparam int unsigned Pairs = (Ways > 1) ? Ways * (Ways - 1) / 2 : 1;

  logic [Ways-1:0]           valid_q [Sets];
  logic [Ways-1:0]           dirty_q [Sets];
  logic [Ways-1:0]           reserved_q [Sets];
  logic [Ways-1:0][TagW-1:0] tag_q [Sets];
  // Of each two ways the lower one has been used after the higher one. Whichever was used, the bit
  // is right.
  logic [Pairs-1:0]          order_q [Sets];
  logic [8*Line-1:0]         data_q [Sets*Ways];

  // The bit of two ways, i < j.
  function automatic int unsigned pair(int unsigned i, int unsigned j);
    return i * (2 * Ways - i - 1) / 2 + j - i - 1;
  endfunction
  // A tag is the address without the bits of the set, which stand between bank and rest.
  function automatic logic [TagW-1:0] tag_of(logic [LineW-1:0] line);
    return TagW'((line >> (BankW + $clog2(Sets))) << BankW) | (TagW'(line) & TagW'(Banks - 1));
  endfunction
  function automatic logic [LineW-1:0] line_of(logic [SetW-1:0] set, logic [TagW-1:0] tag);
    return ((LineW'(tag) >> BankW) << (BankW + $clog2(Sets))) | (LineW'(set) << BankW)
           | (LineW'(tag) & LineW'(Banks - 1));
  endfunction

  // -----------------------------------------------------------------------------------------------
  // The set
  logic [Ways-1:0]           same;
  logic [Ways-1:0][TagW-1:0] tags;
  assign valid_o    = valid_q[set_i];
  assign dirty_o    = dirty_q[set_i];
  assign reserved_o = reserved_q[set_i];
  assign tags       = tag_q[set_i];
  always_comb begin : look
    for (int unsigned w = 0; w < Ways; w++) same[w] = valid_o[w] && tags[w] == tag_of(line_i);
  end
  assign present_o = (same != '0);
  assign way_o     = present_o ? 4'(lowest(64'(same))) : '0;

  logic [Ways-1:0]  oldest;
  logic [Pairs-1:0] order;
  assign order = order_q[set_i];
  always_comb begin : choose  // rule: 15
    oldest = may_go_i & ~valid_o;
    if (oldest == '0 && may_go_i != '0) begin
      oldest = may_go_i;
      for (int unsigned i = 0; i < Ways; i++) begin
        for (int unsigned j = i + 1; j < Ways; j++) begin
          if (may_go_i[i] && may_go_i[j]) begin
            if (order[pair(i, j)]) oldest[i] = 1'b0;
            else                   oldest[j] = 1'b0;
          end
        end
      end
    end
  end
  assign victim_o = (oldest != '0) ? 4'(lowest(64'(oldest))) : '0;

  // -----------------------------------------------------------------------------------------------
  // The line
  logic [AtW-1:0]  at;
  logic [Ways-1:0] one;
  assign at         = AtW'(32'(at_set_i) * Ways + 32'(at_way_i));
  assign one        = Ways'(16'd1 << at_way_i);
  assign at_valid_o = (valid_q[at_set_i] & one) != '0;
  assign at_dirty_o = (dirty_q[at_set_i] & one) != '0;
  assign at_data_o  = data_q[at];

  logic [Ways-1:0][TagW-1:0] at_tags;
  logic [TagW-1:0]           at_tag;
  assign at_tags = tag_q[at_set_i];
  always_comb begin : tag
    at_tag = '0;
    for (int unsigned w = 0; w < Ways; w++) if (one[w]) at_tag = at_tags[w];
  end
  assign at_line_o = line_of(at_set_i, at_tag);

  logic [Pairs-1:0] used;
  always_comb begin : age
    used = order_q[at_set_i];
    if (use_i) begin
      for (int unsigned i = 0; i < Ways; i++) begin
        for (int unsigned j = i + 1; j < Ways; j++) begin
          if (one[i])      used[pair(i, j)] = 1'b1;
          else if (one[j]) used[pair(i, j)] = 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= '{default: '0};
      dirty_q    <= '{default: '0};
      reserved_q <= '{default: '0};
    end else begin
      if (allocate_i || remove_i) valid_q[at_set_i] <= valid_q[at_set_i] & ~one;
      else if (fill_i)            valid_q[at_set_i] <= valid_q[at_set_i] | one;
      else if (empty_i)           valid_q[set_i] <= '0;

      if (allocate_i || remove_i || fill_i || clean_i) begin
        dirty_q[at_set_i] <= dirty_q[at_set_i] & ~one;
      end else if (write_i) begin
        dirty_q[at_set_i] <= dirty_q[at_set_i] | one;
      end

      if (reserve_i)      reserved_q[at_set_i] <= reserved_q[at_set_i] | one;
      else if (release_i) reserved_q[at_set_i] <= reserved_q[at_set_i] & ~one;
    end
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (use_i) order_q[at_set_i] <= used;
    if (fill_i || write_i) data_q[at] <= data_i;
    if (allocate_i) begin
      for (int unsigned w = 0; w < Ways; w++) if (one[w]) tag_q[at_set_i][w] <= tag_of(line_i);
    end
  end

  `DUET_ASSERT(OnePlace, (same & (same - 1'b1)) == '0, "line twice in its set")
  `DUET_ASSERT(DirtyIsValid, (dirty_o & ~valid_o) == '0, "dirty way without a line")
  `DUET_ASSERT(WriteValid, !(write_i || clean_i || remove_i) || at_valid_o, "write of no line")
  `DUET_ASSERT(FillReserved, !fill_i || (!at_valid_o && (reserved_q[at_set_i] & one) != '0),
               "line comes to a way that is not its own")
  `DUET_ASSERT(NotReservedTwice, !reserve_i || (reserved_q[at_set_i] & one) == '0,
               "way of two MSHRs")
  `DUET_ASSERT(EmptyIsFree, !empty_i || reserved_o == '0, "lines go that an MSHR has")
endmodule
