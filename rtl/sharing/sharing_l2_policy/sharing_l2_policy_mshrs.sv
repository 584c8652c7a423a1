`include "duet_assert.svh"

/// Of each MSHR of the bank: whether it waits for a line, which SM has asked for that first, and
/// whether another one has since. In one cycle a fill frees one, and then an access looks at one.
/// An MSHR that there is not is never used.
module sharing_l2_policy_mshrs #(  // rule: 3
  parameter int unsigned  Mshrs = 32,
  localparam int unsigned MshrW = (Mshrs > 1) ? $clog2(Mshrs) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // a fill
  input  logic [MshrW-1:0] fill_mshr_i,
  output logic             fill_used_o,
  output logic [3:0]       fill_owner_o,  // these mean nothing where it is not used
  output logic             fill_sf_o,
  input  logic             free_i,        // it waits no longer
  // an access, after the fill
  input  logic [MshrW-1:0] mshr_i,
  output logic             legal_o,       // there is one
  output logic             freed_o,       // the fill has freed it
  output logic             used_o,
  output logic [3:0]       owner_o,
  output logic             sf_o,
  input  logic             share_i,       // another SM has asked
  input  logic             alloc_i,       // it waits, for this SM
  input  logic [3:0]       sm_i
);
  logic [Mshrs-1:0] used_d, used_q, sf_q;
  logic [3:0]       owner_q [Mshrs];

  logic [Mshrs-1:0] fill_one, one;
  assign fill_one = Mshrs'(64'd1 << fill_mshr_i);
  assign one      = Mshrs'(64'd1 << mshr_i);

  assign fill_used_o  = ((used_q & fill_one) != '0);  // rule: 4
  assign fill_owner_o = owner_q[fill_mshr_i];  // rule: 8
  assign fill_sf_o    = ((sf_q & fill_one) != '0);  // rule: 8

  assign legal_o = (one != '0);  // rule: 5
  assign freed_o = free_i && mshr_i == fill_mshr_i;
  assign used_o  = (used_q & one) != '0 && !freed_o;  // rule: 5
  assign owner_o = owner_q[mshr_i];  // rule: Registers
  assign sf_o    = ((sf_q & one) != '0);  // rule: Registers

  assign used_d = (used_q & ~(free_i ? fill_one : '0)) | (alloc_i ? one : '0);  // rule: 2

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) used_q <= '0;
    else         used_q <= used_d;
  end

  // used_q covers these.
  always_ff @(posedge clk_i) begin
    if (alloc_i) begin  // rule: Registers
      owner_q[mshr_i] <= sm_i;
      sf_q            <= sf_q & ~one;
    end else if (share_i) begin  // rule: 6
      sf_q            <= sf_q | one;
    end
  end

  `DUET_ASSERT(FreeUsed, !free_i || fill_used_o, "MSHR freed that waits for nothing")
  `DUET_ASSERT(ShareUsed, !share_i || used_o, "MSHR shared that waits for nothing")
  `DUET_ASSERT(AllocFree, !alloc_i || (legal_o && !used_o), "MSHR of two lines")
endmodule
