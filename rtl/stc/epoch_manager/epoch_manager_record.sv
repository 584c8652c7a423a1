`include "duet_assert.svh"
`include "stc_types.svh"

/// Records what the CUs send: demands in the epoch request vector (ERV), votes of conflicts in
/// vote_q, and in the epoch touch vector (ETV) which bands have voted (STC, section 4.4;
/// specification 5.2). What is sent in cycle t is recorded in t+1.
module epoch_manager_record  // rule: Registers _record
  import stc_pkg::*;
#(
  parameter int unsigned NCu      = 8,
  parameter int unsigned BandBits = 4,
  parameter int unsigned AddrW    = 32,
  parameter int unsigned SebMin   = 12,
  parameter int unsigned Variant  = VariantMb,
  parameter int unsigned AdaptCmp = AdaptPage,
  localparam int unsigned Bands = 1 << BandBits,
  localparam int unsigned VoteW = BandBits + 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [NCu-1:0]          req_valid_i,
  input  logic [NCu-1:0][32:0]    req_i,          // elements are req_t
  output logic [NCu-1:0]          dmd_ack_o,
  // epoch
  input  logic [5:0]              seb_i,
  input  logic [5:0]              nseb_i,         // of the epoch to come
  input  logic                    change_i,       // the epoch to come begins
  input  logic                    recount_i,      // no vote counts any more
  input  logic [Bands-1:0]        clear_i,        // demands that are forgotten
  // what is recorded
  output logic [Bands-1:0]        erv_v_o,
  output logic [Bands-1:0][31:0]  erv_addr_o,     // means nothing while erv_v_o is 0
  output logic signed [VoteW-1:0] vote_o,
  // conflicts of this cycle, by what became of them
  output logic [5:0]              conf_stale_o,
  output logic [5:0]              conf_dup_o,
  output logic [5:0]              votes_up_o,
  output logic [5:0]              votes_down_o
);
  typedef `STC_REQ_T req_t;

  localparam bit          Votes    = (Variant == VariantAb || Variant == VariantMb);
  localparam logic [31:0] AddrMask = 32'((64'd1 << AddrW) - 1);
  // Bits below the epoch bits that a vote compares: those above a page, or all.
  localparam logic [31:0] VoteMask = 32'(64'hFFFF_FFFF << ((AdaptCmp == AdaptPage) ? SebMin : 0));

  logic [Bands-1:0]        erv_v_d, erv_v_q;
  logic [Bands-1:0][31:0]  erv_addr_d, erv_addr_q;
  logic [Bands-1:0]        etv_d, etv_q;
  logic signed [VoteW-1:0] vote_d, vote_q;
  logic [NCu-1:0]          dmd_ack_d, dmd_ack_q;

  // Demands name bands of the epoch in which they are recorded, conflicts those of this one. A
  // conflict that differs from the demand below the epoch bits votes down, above them up.
  wire [5:0]  demand_seb = change_i ? nseb_i : seb_i;  // rule: 3
  wire [31:0] below      = ~('1 << seb_i) & VoteMask;  // rule: 4
  wire [31:0] beyond     = '1 << (seb_i + 6'(BandBits));  // rule: 4

  req_t                req;
  logic [31:0]         addr, differs;
  logic [BandBits-1:0] b;
  logic [Bands-1:0]    demanded, voted;  // in this cycle

  always_comb begin : record
    req          = '0;
    addr         = '0;
    differs      = '0;
    b            = '0;
    demanded     = '0;
    voted        = '0;
    erv_addr_d   = erv_addr_q;
    dmd_ack_d    = '0;
    conf_stale_o = '0;
    conf_dup_o   = '0;
    votes_up_o   = '0;
    votes_down_o = '0;
    if (req_valid_i != '0) begin
      for (int unsigned c = 0; c < NCu; c++) begin
        req  = req_i[c];
        addr = req.addr & AddrMask;
        if (req_valid_i[c] && req.kind == KindDemand) begin  // rule: 1
          // The lowest CU's address stands for a band that nobody demanded before.
          b            = BandBits'(band(addr, demand_seb));
          dmd_ack_d[c] = 1'b1;  // rule: Ports dmd_ack_o
          if (!demanded[b] && (!erv_v_q[b] || clear_i[b])) erv_addr_d[b] = addr;
          demanded[b] = 1'b1;
        end
        if (Votes && req_valid_i[c] && req.kind == KindConflict) begin  // rule: 3
          // A band votes once.
          b       = BandBits'(band(addr, seb_i));
          differs = addr ^ erv_addr_q[b];
          if (change_i || !erv_v_q[b]) begin
            conf_stale_o = conf_stale_o + 6'd1;
          end else if (etv_q[b] || voted[b]) begin  // rule: 5
            conf_dup_o = conf_dup_o + 6'd1;
          end else begin
            voted[b] = 1'b1;  // rule: 4
            if ((differs & below) != '0) votes_down_o = votes_down_o + 6'd1;  // rule: 4
            else if ((differs & beyond) != '0) votes_up_o = votes_up_o + 6'd1;  // rule: 4
          end
        end
      end
    end
    // A demand beats a clear.
    erv_v_d = (erv_v_q & ~clear_i) | demanded;
    etv_d   = recount_i ? '0 : etv_q | voted;  // rule: States PREP
    vote_d  = recount_i ? '0 : vote_q + VoteW'(votes_up_o) - VoteW'(votes_down_o);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      erv_v_q   <= '0;
      etv_q     <= '0;
      vote_q    <= '0;
      dmd_ack_q <= '0;
    end else begin
      erv_v_q   <= erv_v_d;
      etv_q     <= etv_d;
      vote_q    <= vote_d;
      dmd_ack_q <= dmd_ack_d;
    end
  end

  // erv_v_q covers it.
  always_ff @(posedge clk_i) erv_addr_q <= erv_addr_d;

  assign erv_v_o    = erv_v_q;
  assign erv_addr_o = erv_addr_q;
  assign vote_o     = vote_q;
  assign dmd_ack_o  = dmd_ack_q;  // rule: Ports dmd_ack_o

  `DUET_ASSERT(VoteRange, 32'(vote_q) + 32'(Bands) <= 32'(2 * Bands), "more votes than bands")
  `DUET_ASSERT(VotesOfBands, !Votes || vote_q == '0 || etv_q != '0, "vote of no band")
endmodule
