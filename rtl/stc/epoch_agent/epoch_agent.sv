`include "duet_assert.svh"
`include "stc_types.svh"
`include "epoch_agent_types.svh"

/// Stands between a CU and its L1 and holds back stores whose band has no epoch (STC, TACO 20(3)
/// art. 33, 2023, sections 4.1 to 4.4; specification 5.3 to 5.5). All outputs are functions of
/// registers. A store accepted in cycle t is classified in t+1 and issued, or demanded for, in t+2
/// at the earliest; a load accepted in t shows in t+1.
module epoch_agent  // rule: Cycle rules
  import stc_pkg::*;
#(
  parameter int unsigned BandBits = 4,          // bits of an address that say its band, 2..5
  parameter int unsigned AddrW    = 32,         // bits of an address, 12..32
  parameter int unsigned SebMin   = 12,         // lowest start epoch bit, 1..32
  parameter int unsigned SebMax   = 32,         // highest, SebMin..32
  parameter int unsigned SebInit  = 12,         // after reset, SebMin..SebMax
  parameter int unsigned Variant  = VariantMb,  // 0 nv, 1 es, 2 ab, 3 mb
  parameter int unsigned MaxBands = 4,          // most bands of an epoch: mb 1..4, else 1
  parameter int unsigned BsqN     = 256,        // blocked stores, a power of 2, 16..256
  parameter int unsigned BsqBanks = 16,         // banks of their queue, a power of 2, 1..16
  parameter int unsigned BsqRd    = 2,          // entries of a bank that a scan reads per cycle
  localparam int unsigned Bands = 1 << BandBits,
  localparam int unsigned SlotW = $clog2(BsqN),
  localparam type chg_t = `STC_CHG_T(Bands),
  localparam type st_t  = `STC_ST_T(SlotW),
  localparam type ld_t  = `STC_LD_T,
  localparam type ldo_t = `STC_LDO_T,
  localparam type req_t = `STC_REQ_T,
  localparam type counters_t = `EPOCH_AGENT_CNT_T
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  // st: stores from the coalescing buffer, all of which are taken; stores to the L1
  input  logic           st_valid_i,
  input  st_t            st_i,
  output logic           st_valid_o,
  output st_t            st_o,
  input  logic           st_ready_i,
  input  logic           wa_valid_i,    // a store has reached the L2
  // ld: loads; loads to the L1
  input  logic           ld_valid_i,
  input  ld_t            ld_i,
  output logic           ld_ready_o,
  output logic           ld_valid_o,
  output ldo_t           ld_o,
  input  logic           ld_ready_i,
  // levels from the manager: the epoch ends, the next one has begun; it
  input  logic           prep_i,
  input  logic           chg_i,
  input  chg_t           chg_info_i,
  // levels to it: drained, in the new epoch
  output logic           ready_o,
  output logic           done_o,
  // req: demands and conflicts; all are taken
  output logic           req_valid_o,
  output req_t           req_o,
  input  logic           dmd_ack_i,     // the manager has recorded a demand
  // to and from the L1
  output chg_t           cer_o,         // the epoch
  output logic           cer_upd_o,     // it is new in this cycle
  output logic           sweep_o,       // sweep
  input  logic           sweep_done_i,  // no set is left to sweep
  output logic           empty_o,       // no store is inside or on its way
  output logic [SlotW:0] occ_o,         // blocked stores
  // err: pulse
  output logic           err_valid_o,
  output logic [3:0]     err_code_o,
  output counters_t           counters_o          // events since reset
);
  // Parameters of the parts. Too small ones are not passed on: the assertions below tell of them.
  localparam int unsigned SebMinP   = at_least(1, SebMin);
  localparam int unsigned BsqBanksP = at_least(1, BsqBanks);
  localparam int unsigned BsqRdP    = at_least(1, BsqRd);

  localparam logic [31:0] AddrMask = 32'((64'd1 << AddrW) - 1);

  typedef enum logic [1:0] {StRun, StDrain, StReady, StDone} state_e;
  state_e         state_d, state_q;
  chg_t           cer_q;
  logic           upd_q;
  // The store that is classified, and the one that is issued.
  logic           in_valid_d, in_valid_q;
  st_t            in_q;
  logic           issue_valid_d, issue_valid_q;
  st_t            issue_d, issue_q;
  logic [SlotW:0] out_d, out_q;  // stores that are issued and not acknowledged

  // -----------------------------------------------------------------------------------------------
  // Epoch (specification 5.3)
  logic legal;   // chg_info_i may be
  logic change;  // and is taken

  assign legal = chg_info_i.gvec != '0 && 32'($countones(chg_info_i.gvec)) <= MaxBands
                 && chg_info_i.seb >= 6'(SebMinP) && chg_info_i.seb <= 6'(SebMax);  // rule: Errors
  assign change = (state_q == StReady) && chg_i && legal;  // rule: 3

  always_comb begin : next_state
    state_d = state_q;
    unique case (state_q)
      StRun:   if (prep_i) state_d = StDrain;  // rule: States RUN
      // Stores are acknowledged and the L1 swept, both under the old epoch.
      StDrain: if (out_q == '0 && sweep_done_i) state_d = StReady;  // rule: States DRAIN
      StReady: if (change) state_d = StDone;  // rule: States READY
      // No store leaves before every CU is in the new epoch (specification 6).
      StDone:  if (!prep_i) state_d = StRun;  // rule: States DONE
      default: state_d = StRun;
    endcase
  end

  // -----------------------------------------------------------------------------------------------
  // Stores (specification 5.4)
  logic                       running, scan, granted, can_issue;
  logic                       direct, blocked, take;  // what becomes of the store; one is released
  logic                       queued, scanning, slot_used;
  st_t                        queued_st;
  logic [BandBits-1:0]        store_band;
  logic [Bands-1:0]           miss;
  logic [Bands-1:0][SlotW-1:0] miss_slot;
  logic [SlotW-1:0]           dmd_slot;
  logic [31:0]                dmd_addr;

  assign running    = (state_q == StRun);  // rule: States RUN
  assign scan       = (state_q == StRun || state_q == StDone);  // rule: States DONE
  assign store_band = BandBits'(band(in_q.addr, cer_q.seb));  // rule: Registers top
  assign granted    = cer_q.gvec[store_band];  // rule: Registers top
  assign can_issue  = running && (!issue_valid_q || st_ready_i) && 32'(out_q) < BsqN;
  assign take       = can_issue && queued;  // rule: States RUN
  assign direct     = in_valid_q && can_issue && granted && !queued;  // rule: States RUN
  assign blocked    = in_valid_q && !direct;  // rule: States RUN

  epoch_agent_queue #(  // rule: Registers _queue
    .BandBits(BandBits),
    .BsqN    (BsqN),
    .BsqBanks(BsqBanksP),
    .BsqRd   (BsqRdP)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .cer_i       (cer_q),
    .change_i    (change),
    .scan_i      (scan),
    .wr_i        (blocked),
    .wr_st_i     (in_q),
    .wr_rel_i    (scan && granted),
    .wr_scanned_i(scan),
    .rel_o       (queued),
    .rel_st_o    (queued_st),
    .take_i      (take),
    .scanning_o  (scanning),
    .miss_o      (miss),
    .miss_slot_o (miss_slot),
    .addr_slot_i (dmd_slot),
    .addr_o      (dmd_addr),
    .use_slot_i  (st_i.slot),
    .use_o       (slot_used),
    .occ_o
  );

  // -----------------------------------------------------------------------------------------------
  // Loads and requests
  logic                load_cached, ack_err;
  logic [BandBits-1:0] load_band;
  logic [31:0]         load_addr;

  epoch_agent_loads #(  // rule: Ports ld_valid_i
    .BandBits(BandBits),
    .AddrW   (AddrW)
  ) u_loads (
    .clk_i,
    .rst_ni,
    .cer_i   (cer_q),
    .ld_valid_i,
    .ld_i,
    .ld_ready_o,
    .ld_valid_o,
    .ld_o,
    .ld_ready_i,
    .cached_o(load_cached),
    .band_o  (load_band),
    .addr_o  (load_addr)
  );

  epoch_agent_demands #(  // rule: Registers _demands
    .BandBits(BandBits),
    .Variant (Variant),
    .BsqN    (BsqN)
  ) u_demands (
    .clk_i,
    .rst_ni,
    .change_i    (change),
    .scan_miss_i (miss),
    .scan_slot_i (miss_slot),
    .store_miss_i(in_valid_q && scan && !granted),
    .store_band_i(store_band),
    .store_slot_i(in_q.slot),
    .load_i      (load_cached),
    .load_band_i (load_band),
    .load_addr_i (load_addr),
    .dmd_slot_o  (dmd_slot),
    .dmd_addr_i  (dmd_addr),
    .req_valid_o,
    .req_o,
    .dmd_ack_i,
    .ack_err_o   (ack_err)
  );

  // -----------------------------------------------------------------------------------------------
  // Registers around the queue
  logic slot_err;  // the slot belongs to another store
  assign slot_err = st_valid_i && (slot_used || (in_valid_q && st_i.slot == in_q.slot)  // rule: 1
                                   || (issue_valid_q && st_i.slot == issue_q.slot));

  always_comb begin : stores
    in_valid_d    = st_valid_i && !slot_err;  // rule: 1
    issue_valid_d = (issue_valid_q && !st_ready_i) || take || direct;  // rule: Ports st_valid_o
    issue_d       = issue_q;  // rule: Registers top
    if (direct) issue_d = in_q;  // rule: Registers top
    if (take) issue_d = queued_st;  // rule: Registers top
    out_d = out_q + (SlotW + 1)'(take || direct)  // rule: Registers top
            - (SlotW + 1)'(wa_valid_i && out_q != '0);
  end

  logic [3:0] err_d, err_q;
  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if (ack_err) err_d = ErrDemandAck;
    if (state_q == StReady && chg_i && !legal) err_d = ErrEpoch;
    if ((state_q == StDrain || state_q == StReady) && !prep_i) err_d = ErrPrepFell;  // rule: 3
    if ((state_q == StRun || state_q == StDrain) && chg_i) err_d = ErrEarlyChange;
    if (wa_valid_i && out_q == '0) err_d = ErrAck;
    if (slot_err) err_d = ErrSlot;  // rule: 1
  end

  counters_t counters_d, counters_q;
  always_comb begin : count  // rule: Ports
    counters_d = counters_q;
    if (direct) counters_d.stores_direct = counters_q.stores_direct + 32'd1;
    if (blocked) counters_d.stores_blocked = counters_q.stores_blocked + 32'd1;
    if (scanning) counters_d.scan_cycles = counters_q.scan_cycles + 32'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StRun;
      cer_q         <= '{seb: 6'(SebInit), gvec: Bands'(1)};
      upd_q         <= 1'b0;
      in_valid_q    <= 1'b0;
      issue_valid_q <= 1'b0;
      out_q         <= '0;
      err_q         <= ErrNone;
      counters_q         <= '0;
    end else begin
      state_q       <= state_d;
      if (change) cer_q <= chg_info_i;  // rule: 3
      upd_q         <= change;
      in_valid_q    <= in_valid_d;
      issue_valid_q <= issue_valid_d;
      out_q         <= out_d;
      err_q         <= err_d;
      counters_q         <= counters_d;
    end
  end

  // in_valid_q and issue_valid_q cover these.
  always_ff @(posedge clk_i) begin
    if (in_valid_d) in_q <= '{slot: st_i.slot, addr: st_i.addr & AddrMask};  // rule: 4
    issue_q <= issue_d;
  end

  assign st_valid_o  = issue_valid_q;  // rule: Ports st_valid_o
  assign st_o        = issue_valid_q ? issue_q : '0;  // rule: 5
  assign ready_o     = (state_q == StReady || state_q == StDone);  // rule: States READY
  assign done_o      = (state_q == StDone);  // rule: States DONE
  assign cer_o       = cer_q;  // rule: Ports cer_o
  assign cer_upd_o   = upd_q;  // rule: Ports cer_o
  assign sweep_o     = (state_q == StDrain);  // rule: States DRAIN
  assign empty_o     = !in_valid_q && occ_o == '0 && out_q == '0;  // rule: Ports empty_o
  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign counters_o       = counters_q;  // rule: Ports

  `DUET_ASSERT_PARAM(BandBitsLegal, BandBits >= 2 && BandBits <= 5, "BandBits must be 2..5")
  `DUET_ASSERT_PARAM(AddrWLegal, AddrW >= 12 && AddrW <= 32, "AddrW must be 12..32")
  `DUET_ASSERT_PARAM(SebMinLegal, SebMin >= 1 && SebMin <= 32, "SebMin must be 1..32")
  `DUET_ASSERT_PARAM(SebMaxLegal, SebMax >= SebMin && SebMax <= 32, "SebMax must be SebMin..32")
  `DUET_ASSERT_PARAM(SebInitLegal, SebInit >= SebMin && SebInit <= SebMax,
                     "SebInit must be SebMin..SebMax")
  `DUET_ASSERT_PARAM(VariantLegal, Variant <= VariantMb, "Variant must be 0..3")
  `DUET_ASSERT_PARAM(MaxBandsLegal, MaxBands >= 1 && MaxBands <= ((Variant == VariantMb) ? 4 : 1),
                     "MaxBands must be 1..4 in mb, else 1")
  `DUET_ASSERT_PARAM(BsqNLegal, BsqN >= 16 && BsqN <= 256 && $onehot(BsqN),
                     "BsqN must be a power of 2, 16..256")
  `DUET_ASSERT_PARAM(BsqBanksLegal, BsqBanks >= 1 && BsqBanks <= 16 && $onehot(BsqBanks),
                     "BsqBanks must be a power of 2, 1..16")
  `DUET_ASSERT_PARAM(BsqRdLegal, BsqRd >= 1 && BsqRd <= BsqN / BsqBanksP,
                     "BsqRd must be 1..BsqN/BsqBanks")

  // Specification section 8.
  `DUET_ASSERT_STABLE(StStable, st_valid_o, st_ready_i, st_o)
  // README.md, Checks: acknowledged is what was taken.
  `DUET_PROMISE(AckOfTaken, !wa_valid_i || !st_valid_o || 32'(out_q) != 1)
  `DUET_ASSERT(Er2, !st_valid_o || cer_q.gvec[BandBits'(band(st_o.addr, cer_q.seb))],
               "ER2: store outside the epoch of its band")
  `DUET_ASSERT(Er2b, !ready_o || (out_q == '0 && !st_valid_o), "ER2b: ready with a store under way")
  `DUET_ASSERT(OutRange, 32'(out_q) <= BsqN, "more stores under way than slots")
`ifdef DUET_SIMULATION
  // Bands of entries do not change before the epoch does. So all are looked at when a scan is over,
  // and after that the one that was written last.
  logic             settled, settled_q, wrote_q;
  logic [SlotW-1:0] wrote_slot_q;
  logic             covered;
  assign settled = running && !scanning;

  function automatic logic waits_unknown(logic [SlotW-1:0] slot);
    return u_queue.v_q[slot] && !u_queue.rel_q[slot]
           && !u_demands.filter_q[BandBits'(band(u_queue.addr_q[slot], cer_q.seb))];
  endfunction

  always_comb begin : look
    covered = 1'b1;
    if (settled && !settled_q) begin
      for (int unsigned s = 0; s < BsqN; s++) if (waits_unknown(SlotW'(s))) covered = 1'b0;
    end else if (settled && wrote_q) begin
      covered = !waits_unknown(wrote_slot_q);
    end
  end
  // Not reset: the queue is empty then.
  always_ff @(posedge clk_i) begin
    settled_q    <= settled;
    wrote_q      <= blocked;
    wrote_slot_q <= in_q.slot;
  end

  `DUET_ASSERT(Covered, Variant == VariantNv || covered, "store waits for a band without a demand")
  // Of the band whose turn it is: each becomes that, or is forgotten by a change.
  `DUET_ASSERT(Demand, !u_demands.demand
                       || (u_queue.v_q[dmd_slot]
                           && BandBits'(band(dmd_addr, cer_q.seb)) == u_demands.number),
               "demand for an entry that is not of its band")
`endif
endmodule
