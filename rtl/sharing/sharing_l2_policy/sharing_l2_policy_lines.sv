`include "duet_assert.svh"

/// Of each way of the bank: whether it holds a line or is reserved for one, which SM has asked for
/// that first, whether another one has since, and the order of use. A cycle's events are seen, and
/// take effect, in the order flush, inv, fill, access. A way that a set does not have is no bit,
/// and so neither valid nor reserved.
module sharing_l2_policy_lines  // rule: 1
  import sharing_pkg::*;
#(
  parameter int unsigned  Sets = 128,
  parameter int unsigned  Ways = 8,
  parameter bit           Mgt  = 1'b1,  // private lines go first
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            flush_i,         // all lines are gone
  // inv
  input  logic            inv_i,
  input  logic [SetW-1:0] inv_set_i,
  input  logic [WayW-1:0] inv_way_i,
  output logic            inv_valid_o,     // it holds a line
  // fill
  input  logic [SetW-1:0] fill_set_i,
  input  logic [WayW-1:0] fill_way_i,
  output logic            fill_reserved_o,
  input  logic            fill_i,          // the line comes to the way
  input  logic [3:0]      fill_owner_i,
  input  logic            fill_sf_i,
  // an access
  input  logic [SetW-1:0] set_i,
  input  logic [WayW-1:0] way_i,
  output logic            valid_o,         // the way holds a line
  output logic [3:0]      owner_o,         // these mean nothing where it does not
  output logic            sf_o,
  output logic            victim_any_o,    // a way may be taken
  output logic [WayW-1:0] victim_o,        // which
  output logic            victim_valid_o,  // it holds a line
  output logic            victim_sf_o,     // which is shared
  input  logic            use_i,           // the line of the way is used
  input  logic            share_i,         // and is shared from now on
  input  logic            alloc_i          // the victim is reserved
);
  typedef logic [Ways-1:0]      ways_t;
  typedef logic [Ways-1:0][3:0] owners_t;

  ways_t   valid_q [Sets];
  ways_t   reserved_q [Sets];
  ways_t   sf_q [Sets];
  owners_t owner_q [Sets];

  // -----------------------------------------------------------------------------------------------
  // inv and fill
  ways_t inv_one, fill_one;
  logic  inv;
  assign inv_one         = ways_t'(16'd1 << inv_way_i);  // rule: 9
  assign fill_one        = ways_t'(16'd1 << fill_way_i);  // rule: 9
  assign inv_valid_o     = !flush_i && (valid_q[inv_set_i] & inv_one) != '0;
  assign inv             = inv_i && inv_valid_o;
  assign fill_reserved_o = (reserved_q[fill_set_i] & fill_one) != '0;  // rule: 4

  // -----------------------------------------------------------------------------------------------
  // The access's set, after them
  ways_t   gone, come, one;
  ways_t   valid, reserved, sf;
  owners_t owners;

  assign one      = ways_t'(16'd1 << way_i);
  assign gone     = (inv && inv_set_i == set_i) ? inv_one : '0;
  assign come     = (fill_i && fill_set_i == set_i) ? fill_one : '0;
  assign valid    = (flush_i ? '0 : valid_q[set_i] & ~gone) | come;
  assign reserved = reserved_q[set_i] & ~come;
  assign sf       = (sf_q[set_i] & ~come) | (fill_sf_i ? come : '0);  // rule: 6
  assign owners   = owner_q[set_i];

  always_comb begin : owner  // rule: Registers
    owner_o = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (one[w]) owner_o = come[w] ? fill_owner_i : owners[w];
    end
  end
  assign valid_o = ((valid & one) != '0);
  assign sf_o    = ((sf & one) != '0);

  // -----------------------------------------------------------------------------------------------
  // The victim: a way that is free, else the least recently used of the private lines, else of all
  ways_t           unused, among, victim_one;
  logic [WayW-1:0] oldest;
  assign unused = ~valid & ~reserved;  // rule: Cycle rules
  assign among  = (Mgt && (valid & ~sf) != '0) ? valid & ~sf : valid;  // rule: Cycle rules

  duet_lru #(  // rule: Registers
    .Sets(Sets),
    .Ways(Ways)
  ) u_lru (
    .clk_i,
    .rst_ni,
    .set_i,
    .among_i (among),
    .oldest_o(oldest),
    .use_i   (use_i || alloc_i),
    .way_i   (alloc_i ? victim_o : way_i)
  );

  assign victim_any_o   = (reserved != '1);  // rule: 5
  assign victim_o       = (unused != '0) ? WayW'(lowest(16'(unused))) : oldest;
  assign victim_one     = ways_t'(16'd1 << victim_o);
  assign victim_valid_o = ((valid & victim_one) != '0);  // rule: 8
  assign victim_sf_o    = ((valid & sf & victim_one) != '0);  // rule: 8

  // -----------------------------------------------------------------------------------------------
  // Change. Of two that meet in a bit the later one counts.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= '{default: '0};
      reserved_q <= '{default: '0};
    end else begin
      if (flush_i) valid_q <= '{default: '0};  // rule: 2
      if (inv) valid_q[inv_set_i][inv_way_i] <= 1'b0;  // rule: 2
      if (fill_i) begin  // rule: 4
        valid_q[fill_set_i][fill_way_i]    <= 1'b1;
        reserved_q[fill_set_i][fill_way_i] <= 1'b0;
      end
      if (alloc_i) begin  // rule: 4
        valid_q[set_i][victim_o]    <= 1'b0;
        reserved_q[set_i][victim_o] <= 1'b1;
      end
    end
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (fill_i) begin
      owner_q[fill_set_i][fill_way_i] <= fill_owner_i;  // rule: Registers
      sf_q[fill_set_i][fill_way_i]    <= fill_sf_i;  // rule: 8
    end
    if (share_i) sf_q[set_i][way_i] <= 1'b1;  // rule: 6
  end

  // Specification section 8.
  `DUET_ASSERT(Apart, (valid & reserved) == '0, "way that holds a line and is reserved")
  `DUET_ASSERT(UseValid, !use_i || valid_o, "use of a way that holds no line")
  `DUET_ASSERT(ShareUsed, !share_i || (use_i && !sf_o), "line shared without a use, or twice")
  `DUET_ASSERT(VictimThere, !alloc_i || (victim_any_o && (reserved & victim_one) == '0),
               "way of two MSHRs")
  `DUET_ASSERT(SharedLast, !Mgt || !alloc_i || !victim_sf_o || (sf | reserved | ~valid) == '1,
               "shared line goes where a private one is left")
`ifdef DUET_SIMULATION
  // Reserved ways of all sets, by what each write changes.
  int unsigned reserved_count;
  ways_t       fill_row;
  assign fill_row = reserved_q[fill_set_i];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserved_count <= 0;
    end else begin
      reserved_count <= reserved_count + 32'(alloc_i && (reserved & victim_one) == '0)
                                       - 32'(fill_i && (fill_row & fill_one) != '0);
    end
  end
`endif
endmodule
