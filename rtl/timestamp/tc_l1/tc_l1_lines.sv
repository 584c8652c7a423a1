`include "duet_assert.svh"

/// Lines of the L1: tags, ends of leases, order of use, data. One line is looked up in a cycle, and
/// at most one of the changes is made, to that line or, by an install, to its set.
module tc_l1_lines #(  // rule: 3
  parameter int unsigned  Line  = 16,
  parameter int unsigned  LineW = 10,
  parameter int unsigned  Sets  = 4,
  parameter int unsigned  Ways  = 2,
  localparam int unsigned WayW  = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [LineW-1:0]  line_i,         // looked up
  output logic              present_o,
  output logic [WayW-1:0]   way_o,          // these mean nothing where the line is not present
  output logic [31:0]       exp_o,
  output logic [8*Line-1:0] data_o,
  output logic [WayW-1:0]   victim_o,       // the way of the set that goes unless told
  // changes
  input  logic              hit_i,          // a load uses the line
  input  logic              drop_i,         // the line goes
  input  logic              install_i,      // it comes, in this way
  input  logic [WayW-1:0]   install_way_i,
  input  logic [31:0]       exp_i,
  input  logic [8*Line-1:0] data_i,
  input  logic              flush_i         // all lines go
);
  localparam int unsigned TagShift = $clog2(Sets);
  localparam int unsigned SetW     = (Sets > 1) ? TagShift : 1;
  localparam int unsigned TagW     = LineW - TagShift;
  localparam int unsigned Lines    = Sets * Ways;
  localparam int unsigned IndexW   = (Lines > 1) ? $clog2(Lines) : 1;

  logic [Sets-1:0][Ways-1:0] valid_d, valid_q;
  logic [Ways-1:0][TagW-1:0] tag_q [Sets];
  logic [31:0]               exp_q [Lines];
  logic [8*Line-1:0]         data_q [Lines];

  // -----------------------------------------------------------------------------------------------
  // Look up
  logic [SetW-1:0]           set;
  logic [TagW-1:0]           tag;
  logic [Ways-1:0]           valid;
  logic [Ways-1:0][TagW-1:0] tags;
  logic [IndexW-1:0]         index, install_index;
  logic [WayW-1:0]           oldest;

  assign set   = (Sets > 1) ? line_i[SetW-1:0] : '0;
  assign tag   = line_i[LineW-1:TagShift];
  assign valid = valid_q[set];
  assign tags  = tag_q[set];

  always_comb begin : look
    present_o = 1'b0;
    way_o     = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (valid[w] && tags[w] == tag) begin
        present_o = 1'b1;
        way_o     = WayW'(w);
      end
    end
  end

  always_comb begin : choose  // rule: Cycle rules
    victim_o = oldest;
    // The lowest one holds.
    for (int unsigned w = Ways; w > 0; w--) begin
      if (!valid[w-1]) victim_o = WayW'(w - 1);
    end
  end

  assign index         = IndexW'(32'(set) * Ways + 32'(way_o));
  assign install_index = IndexW'(32'(set) * Ways + 32'(install_way_i));
  assign exp_o         = exp_q[index];
  assign data_o        = data_q[index];

  duet_lru #(  // rule: gtsc_l1 7
    .Sets(Sets),
    .Ways(Ways)
  ) u_lru (
    .clk_i,
    .rst_ni,
    .set_i   (set),
    .among_i ('1),
    .oldest_o(oldest),
    .use_i   (hit_i || install_i),
    .way_i   (install_i ? install_way_i : way_o)
  );

  // -----------------------------------------------------------------------------------------------
  // Change
  always_comb begin : next_state
    valid_d = valid_q;
    if (install_i) valid_d[set][install_way_i] = 1'b1;
    if (drop_i) valid_d[set][way_o] = 1'b0;  // rule: 5
    if (flush_i) valid_d = '0;  // rule: 7
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_d;
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (install_i) begin
      tag_q[set][install_way_i] <= tag;
      exp_q[install_index]      <= exp_i;
      data_q[install_index]     <= data_i;
    end
  end

  `DUET_ASSERT(OneChange, $onehot0({hit_i, drop_i, install_i, flush_i}),
               "two changes in a cycle")
  `DUET_ASSERT(OfPresent, !(hit_i || drop_i) || present_o, "change of a line that is not there")
  `DUET_ASSERT(InstallInPlace, !install_i || !present_o || install_way_i == way_o,
               "a line is in two ways")
endmodule
