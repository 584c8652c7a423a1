`include "duet_assert.svh"
`include "stc_types.svh"

/// The loads on their way to the L1: two places, never held by epochs (ER4). A load is classified
/// when it is accepted, and stays what it is (specification 5.5). A load accepted in cycle t shows
/// in t+1 where none is before it.
module epoch_agent_loads  // rule: Ports ld_valid_i
  import stc_pkg::*;
#(
  parameter int unsigned BandBits = 4,
  parameter int unsigned AddrW    = 32,
  localparam int unsigned Bands = 1 << BandBits,
  localparam type chg_t = `STC_CHG_T(Bands),
  localparam type ld_t  = `STC_LD_T,
  localparam type ldo_t = `STC_LDO_T
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  chg_t                cer_i,
  input  logic                ld_valid_i,
  input  ld_t                 ld_i,
  output logic                ld_ready_o,
  output logic                ld_valid_o,
  output ldo_t                ld_o,
  input  logic                ld_ready_i,
  // a load that the L1 may serve: band and address
  output logic                cached_o,
  output logic [BandBits-1:0] band_o,
  output logic [31:0]         addr_o
);
  localparam logic [31:0] AddrMask = 32'((64'd1 << AddrW) - 1);

  ldo_t       head_q, tail_q;  // the oldest, and the one behind it
  logic [1:0] ld_count_d, ld_count_q;

  assign ld_ready_o = (ld_count_q < 2'd2);
  assign ld_valid_o = (ld_count_q != '0);
  assign ld_o       = ld_valid_o ? head_q : '0;  // rule: 5
  wire push = ld_valid_i && ld_ready_o;
  wire pop  = ld_valid_o && ld_ready_i;

  assign addr_o = ld_i.addr & AddrMask;  // rule: 4
  assign band_o = BandBits'(band(addr_o, cer_i.seb));
  ldo_t load;
  assign load     = '{nocache: cer_i.gvec[band_o], id: ld_i.id, addr: addr_o};
  assign cached_o = push && !load.nocache;

  assign ld_count_d = ld_count_q + 2'(push) - 2'(pop);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ld_count_q <= '0;
    else         ld_count_q <= ld_count_d;
  end

  // ld_count_q covers these.
  always_ff @(posedge clk_i) begin
    if (pop) head_q <= tail_q;
    if (push && ld_count_q == 2'(pop)) head_q <= load;
    if (push && ld_count_q != 2'(pop)) tail_q <= load;
  end

  `DUET_ASSERT_STABLE(LdStable, ld_valid_o, ld_ready_i, ld_o)
  `DUET_ASSERT(LdCount, ld_count_q <= 2'd2, "more loads than places")
endmodule
