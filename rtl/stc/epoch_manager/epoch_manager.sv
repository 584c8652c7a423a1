`include "duet_assert.svh"
`include "stc_types.svh"
`include "epoch_manager_types.svh"

/// Grants epochs to bands in turn, those that somebody demands, and moves the bits of an address
/// that say its band (STC, TACO 20(3) art. 33, 2023, sections 4.2 to 4.4; specification 5.1, 5.2).
/// All outputs are registered. A demand of cycle t is acknowledged in t+1; prep_o rises in the
/// cycle after a selection, chg_o in the cycle after all agents are ready.
module epoch_manager  // rule: Cycle rules
  import stc_pkg::*;
#(
  parameter int unsigned NCu       = 8,          // CUs, 1..32
  parameter int unsigned BandBits  = 4,          // bits of an address that say its band, 2..5
  parameter int unsigned AddrW     = 32,         // bits of an address, 12..32
  parameter int unsigned SebMin    = 12,         // lowest start epoch bit, 1..32
  parameter int unsigned SebMax    = 32,         // highest, SebMin..32
  parameter int unsigned SebInit   = 12,         // after reset, SebMin..SebMax
  parameter int unsigned Wakeup    = 100,        // cycles of an epoch, 8..511 and more than bands
  parameter int unsigned Variant   = VariantMb,  // 0 nv, 1 es, 2 ab, 3 mb
  parameter int unsigned MaxBands  = 4,          // most bands of an epoch: mb 1..4, else 1
  parameter int unsigned AdaptCmp  = AdaptPage,  // what votes compare: 0 above a page, 1 everything
  parameter int unsigned SebOnWrap = 1,          // 1: SEB moves once per rotation, 0: at any time
  localparam int unsigned Bands = 1 << BandBits,
  localparam type chg_t = `STC_CHG_T(Bands),
  localparam type counters_t = `EPOCH_MANAGER_CNT_T
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // req: bit and element c of CU c; all are taken
  input  logic [NCu-1:0]       req_valid_i,
  input  logic [NCu-1:0][32:0] req_i,
  output logic [NCu-1:0]       dmd_ack_o,    // the demand of the cycle before is recorded
  // levels to all agents: the epoch ends, the next one has begun; it
  output logic                 prep_o,
  output logic                 chg_o,
  output chg_t                 chg_info_o,
  // levels from the agents: drained, in the new epoch
  input  logic [NCu-1:0]       ready_i,
  input  logic [NCu-1:0]       done_i,
  // err: pulse
  output logic                 err_valid_o,
  output logic [3:0]           err_code_o,
  output counters_t                 counters_o         // events since reset
);
  // Parameters of the parts. Too small ones are not passed on: the assertions below tell of them.
  localparam int unsigned SebMaxP   = at_least(1, SebMax);
  localparam int unsigned MaxBandsP = at_least(1, MaxBands);

  localparam int unsigned WakeW = $clog2(at_least(2, Wakeup));

  typedef enum logic [1:0] {StIdle, StPrep, StChg, StRel} state_e;
  state_e              state_d, state_q;
  logic [WakeW-1:0]    wake_count_d, wake_count_q;  // cycles of the epoch
  logic [BandBits-1:0] ec_d, ec_q;              // where the search ended
  logic [5:0]          seb_d, seb_q;
  logic [Bands-1:0]    gvec_d, gvec_q;
  // The epoch to come.
  logic [Bands-1:0]    nvec_d, nvec_q;
  logic [5:0]          nseb_d, nseb_q;
  logic                move_d, move_q;          // SEB was free to move
  logic                hold_d, hold_q;          // and did: the next selection does not move it

  // -----------------------------------------------------------------------------------------------
  // Selection
  logic                       wake, selected, same;
  logic [Bands-1:0]           bands, nvec;
  logic [5:0]                 nseb;
  logic                       move, hold;
  logic [BandBits-1:0]        ec;
  logic [Bands-1:0]           erv_v;
  logic [Bands-1:0][31:0]     erv_addr;
  logic signed [BandBits+1:0] vote;

  assign wake = (state_q == StIdle) && (wake_count_q == WakeW'(Wakeup - 1));  // rule: States IDLE
  // An epoch that every agent has: such demands are late.
  assign same = selected && nvec == gvec_q && nseb == seb_q;  // rule: 2

  epoch_manager_select #(  // rule: Cycle rules
    .BandBits (BandBits),
    .SebMin   (SebMin),
    .SebMax   (SebMaxP),
    .Variant  (Variant),
    .MaxBands (MaxBandsP),
    .SebOnWrap(SebOnWrap)
  ) u_select (
    .select_i  (wake),
    .ec_i      (ec_q),
    .seb_i     (seb_q),
    .hold_i    (hold_q),
    .vote_i    (vote),
    .erv_v_i   (erv_v),
    .erv_addr_i(erv_addr),
    .any_o     (selected),
    .bands_o   (bands),
    .nvec_o    (nvec),
    .nseb_o    (nseb),
    .move_o    (move),
    .ec_o      (ec),
    .hold_o    (hold)
  );

  // -----------------------------------------------------------------------------------------------
  // Requests
  logic             change;  // the epoch to come begins
  logic [Bands-1:0] forget;  // demands that are met, or whose numbers change
  logic [5:0]       conf_stale, conf_dup, votes_up, votes_down;

  always_comb begin : clear
    forget = (Variant == VariantNv) ? '0 : bands;  // rule: 1
    if (change && nseb_q != seb_q) forget = '1;  // rule: States PREP
  end

  epoch_manager_record #(  // rule: Registers _record
    .NCu     (NCu),
    .BandBits(BandBits),
    .AddrW   (AddrW),
    .SebMin  (SebMin),
    .Variant (Variant),
    .AdaptCmp(AdaptCmp)
  ) u_record (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_i,
    .dmd_ack_o,
    .seb_i       (seb_q),
    .nseb_i      (nseb_q),
    .change_i    (change),
    .recount_i   (change && move_q),
    .clear_i     (forget),
    .erv_v_o     (erv_v),
    .erv_addr_o  (erv_addr),
    .vote_o      (vote),
    .conf_stale_o(conf_stale),
    .conf_dup_o  (conf_dup),
    .votes_up_o  (votes_up),
    .votes_down_o(votes_down)
  );

  // -----------------------------------------------------------------------------------------------
  // The transition, a four-phase handshake with all agents (specification 3.1, 5.1)
  assign change = (state_q == StPrep) && (ready_i == '1);  // rule: States PREP

  always_comb begin : next_state
    state_d    = state_q;
    wake_count_d = '0;
    ec_d       = ec_q;
    seb_d      = seb_q;
    gvec_d     = gvec_q;
    nvec_d     = nvec_q;
    nseb_d     = nseb_q;
    move_d     = move_q;
    hold_d     = hold_q;
    unique case (state_q)
      // The epoch lasts Wakeup cycles, and on while nothing else is demanded.
      StIdle: begin  // rule: States IDLE
        if (!wake) wake_count_d = wake_count_q + 1'b1;
        if (selected) begin  // rule: 2
          nvec_d = nvec;
          nseb_d = nseb;
          move_d = move;
          ec_d   = ec;
          hold_d = hold;
          if (!same) state_d = StPrep;
        end
      end
      // Agents drain their stores.
      StPrep: begin  // rule: States PREP
        if (change) begin
          state_d = StChg;
          gvec_d  = nvec_q;
          seb_d   = nseb_q;
        end
      end
      // Agents take the new epoch.
      StChg: if (done_i == '1) state_d = StRel;  // rule: States CHG
      // Agents go on. Not before all have: the next handshake begins with all levels low.
      StRel: if (ready_i == '0 && done_i == '0) state_d = StIdle;  // rule: States REL
      default: state_d = StIdle;
    endcase
  end

  // -----------------------------------------------------------------------------------------------
  // Errors and counters
  logic [3:0] err_d, err_q;
  counters_t       counters_d, counters_q;

  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if (state_q == StIdle) begin
      if (ready_i != '0 || done_i != '0) err_d = ErrNotAsked;
    end else if ((done_i & ~ready_i) != '0 || (state_q == StPrep && done_i != '0)) begin
      err_d = ErrDoneEarly;
    end else if (state_q == StChg && ready_i != '1) begin
      err_d = ErrReadyFell;
    end
  end

  always_comb begin : count  // rule: 5
    counters_d = counters_q;
    if (wake) begin
      counters_d.wakes = counters_q.wakes + 32'd1;
      if (selected) counters_d.selections = counters_q.selections + 32'd1;
      else counters_d.wakes_idle = counters_q.wakes_idle + 32'd1;
      if (same) counters_d.skip_same = counters_q.skip_same + 32'd1;
    end
    counters_d.conf_stale = counters_q.conf_stale + 32'(conf_stale);
    counters_d.conf_dup   = counters_q.conf_dup + 32'(conf_dup);
    counters_d.votes_up   = counters_q.votes_up + 32'(votes_up);
    counters_d.votes_down = counters_q.votes_down + 32'(votes_down);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      wake_count_q <= '0;
      ec_q       <= '0;
      seb_q      <= 6'(SebInit);
      gvec_q     <= Bands'(1);
      hold_q     <= 1'b0;
      err_q      <= ErrNone;
      counters_q      <= '0;
    end else begin
      state_q    <= state_d;
      wake_count_q <= wake_count_d;
      ec_q       <= ec_d;
      seb_q      <= seb_d;
      gvec_q     <= gvec_d;
      hold_q     <= hold_d;
      err_q      <= err_d;
      counters_q      <= counters_d;
    end
  end

  // Looked at in StPrep alone, which the selection that writes them leads to.
  always_ff @(posedge clk_i) begin
    nvec_q <= nvec_d;  // rule: Registers the next epoch
    nseb_q <= nseb_d;  // rule: Registers the next epoch
    move_q <= move_d;  // rule: Registers the next epoch
  end

  assign prep_o      = (state_q == StPrep) || (state_q == StChg);  // rule: Ports prep_o
  assign chg_o       = (state_q == StChg);  // rule: Ports prep_o
  assign chg_info_o  = '{seb: seb_q, gvec: gvec_q};  // rule: Ports chg_info_o
  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign counters_o       = counters_q;  // rule: 5

  `DUET_ASSERT_PARAM(NCuLegal, NCu >= 1 && NCu <= 32, "NCu must be 1..32")
  `DUET_ASSERT_PARAM(BandBitsLegal, BandBits >= 2 && BandBits <= 5, "BandBits must be 2..5")
  `DUET_ASSERT_PARAM(AddrWLegal, AddrW >= 12 && AddrW <= 32, "AddrW must be 12..32")
  `DUET_ASSERT_PARAM(SebMinLegal, SebMin >= 1 && SebMin <= 32, "SebMin must be 1..32")
  `DUET_ASSERT_PARAM(SebMaxLegal, SebMax >= SebMin && SebMax <= 32, "SebMax must be SebMin..32")
  `DUET_ASSERT_PARAM(SebInitLegal, SebInit >= SebMin && SebInit <= SebMax,
                     "SebInit must be SebMin..SebMax")
  `DUET_ASSERT_PARAM(WakeupLegal, Wakeup >= 8 && Wakeup <= 511 && Wakeup > Bands,
                     "Wakeup must be 8..511 and more than the bands")
  `DUET_ASSERT_PARAM(VariantLegal, Variant <= VariantMb, "Variant must be 0..3")
  `DUET_ASSERT_PARAM(MaxBandsLegal, MaxBands >= 1 && MaxBands <= ((Variant == VariantMb) ? 4 : 1),
                     "MaxBands must be 1..4 in mb, else 1")
  `DUET_ASSERT_PARAM(AdaptCmpLegal, AdaptCmp <= AdaptLiteral, "AdaptCmp must be 0 or 1")
  `DUET_ASSERT_PARAM(SebOnWrapLegal, SebOnWrap <= 1, "SebOnWrap must be 0 or 1")

  // Specification section 8.
  `DUET_ASSERT(Grant, !(chg_o && !$past(chg_o)) || $past(ready_i == '1),
               "epoch granted before every agent was ready")
  `DUET_ASSERT(GvecRange, gvec_q != '0 && 32'($countones(gvec_q)) <= MaxBands,
               "no band or more than MaxBands granted")
  `DUET_ASSERT(SebRange, seb_q >= 6'(SebMin) && seb_q <= 6'(SebMax), "SEB out of its range")
  `DUET_ASSERT(SebStep, !$past(rst_ni) || 6'(seb_q - $past(seb_q) + 6'd1) <= 6'd2,
               "SEB moved by more than 1")
  `DUET_ASSERT(EpochStatic, !$past(rst_ni) || chg_info_o == $past(chg_info_o)
                            || (chg_o && !$past(chg_o)), "epoch changed outside a change")
endmodule
