`include "duet_assert.svh"
`include "stc_types.svh"

/// What a CU tells the manager: once per epoch that a store waits for a band, and once that a load
/// hit such a band (STC, sections 4.3 and 4.4; specification 5.4, 5.5). What is set in cycle t is
/// sent in t+1 at the earliest, one request per cycle, demands first and those of low bands before.
module epoch_agent_demands  // rule: Registers _demands
  import stc_pkg::*;
#(
  parameter int unsigned BandBits = 4,
  parameter int unsigned Variant  = VariantMb,
  parameter int unsigned BsqN     = 256,
  localparam int unsigned Bands = 1 << BandBits,
  localparam int unsigned SlotW = $clog2(BsqN),
  localparam type req_t = `STC_REQ_T
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        change_i,      // a new epoch begins: forget everything
  // bands of entries that the scan found blocked, each with the lowest such slot
  input  logic [Bands-1:0]            scan_miss_i,
  input  logic [Bands-1:0][SlotW-1:0] scan_slot_i,
  // a store that is blocked when it is classified
  input  logic                        store_miss_i,
  input  logic [BandBits-1:0]         store_band_i,
  input  logic [SlotW-1:0]            store_slot_i,
  // a load that the L1 may serve
  input  logic                        load_i,
  input  logic [BandBits-1:0]         load_band_i,
  input  logic [31:0]                 load_addr_i,
  // address of the entry that is demanded for
  output logic [SlotW-1:0]            dmd_slot_o,
  input  logic [31:0]                 dmd_addr_i,
  output logic                        req_valid_o,
  output req_t                        req_o,
  input  logic                        dmd_ack_i,
  output logic                        ack_err_o      // dmd_ack_i for no demand
);
  localparam bit HasDemands   = (Variant != VariantNv);
  localparam bit HasConflicts = (Variant == VariantAb || Variant == VariantMb);

  logic [Bands-1:0]            filter_d, filter_q;  // bands that a store of this CU waits for
  logic [Bands-1:0]            dpend_d, dpend_q;    // of these, demands that are not sent
  logic [Bands-1:0][SlotW-1:0] dslot_d, dslot_q;    // by whose store
  logic                        conf_sent_d, conf_sent_q, conf_pend_d, conf_pend_q;
  logic [31:0]                 conf_addr_q;
  logic [7:0]                  dmd_due_d, dmd_due_q;  // acknowledgements that are to come

  // -----------------------------------------------------------------------------------------------
  // Requests: straight from registers
  logic [Bands-1:0]    lowest;  // pending band
  logic [BandBits-1:0] number;
  logic                demand;

  assign lowest = dpend_q & (~dpend_q + 1'b1);
  assign demand = (dpend_q != '0);
  always_comb begin : encode
    number = '0;
    if (demand) for (int unsigned b = 0; b < Bands; b++) if (lowest[b]) number |= BandBits'(b);
  end
  assign dmd_slot_o  = dslot_q[number];
  assign req_valid_o = demand || conf_pend_q;  // rule: Ports req_valid_o
  always_comb begin : request  // rule: Ports req_valid_o
    req_o = '0;
    if (demand) req_o = '{kind: KindDemand, addr: dmd_addr_i};
    else if (conf_pend_q) req_o = '{kind: KindConflict, addr: conf_addr_q};
  end

  // -----------------------------------------------------------------------------------------------
  // What is set and cleared
  logic [Bands-1:0] by_scan, by_store;  // demands that arise
  logic             conflict;

  always_comb begin : arise
    by_scan  = HasDemands ? scan_miss_i & ~filter_q : '0;
    by_store = '0;
    if (HasDemands && store_miss_i) by_store[store_band_i] = 1'b1;
    // The scan precedes the store.
    by_store &= ~(filter_q | by_scan);
    conflict = HasConflicts && load_i && filter_q[load_band_i] && !conf_sent_q;
  end

  always_comb begin : next_state
    filter_d    = filter_q | by_scan | by_store;
    dpend_d     = (dpend_q & ~lowest) | by_scan | by_store;
    conf_sent_d = conf_sent_q || conflict;
    conf_pend_d = (conf_pend_q && demand) || conflict;
    // The clears of a change beat every set.
    if (change_i) begin
      filter_d    = '0;
      dpend_d     = '0;
      conf_sent_d = 1'b0;
      conf_pend_d = 1'b0;
    end
    dslot_d = dslot_q;
    if (by_scan != '0) begin
      for (int unsigned b = 0; b < Bands; b++) if (by_scan[b]) dslot_d[b] = scan_slot_i[b];
    end
    if (by_store != '0) dslot_d[store_band_i] = store_slot_i;
  end

  assign ack_err_o = dmd_ack_i && dmd_due_q == '0;  // rule: 2
  wire ack = dmd_ack_i && dmd_due_q != '0;  // rule: 2
  always_comb begin : due  // rule: 2
    dmd_due_d = dmd_due_q - 8'(ack);
    if (demand && dmd_due_d != '1) dmd_due_d = dmd_due_d + 8'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filter_q    <= '0;
      dpend_q     <= '0;
      conf_sent_q <= 1'b0;
      conf_pend_q <= 1'b0;
      dmd_due_q   <= '0;
    end else begin
      filter_q    <= filter_d;
      dpend_q     <= dpend_d;
      conf_sent_q <= conf_sent_d;
      conf_pend_q <= conf_pend_d;
      dmd_due_q   <= dmd_due_d;
    end
  end

  // dpend_q and conf_pend_q cover these.
  always_ff @(posedge clk_i) begin
    dslot_q <= dslot_d;
    if (conflict) conf_addr_q <= load_addr_i;  // rule: 4
  end

  `DUET_ASSERT(DemandFilter, (dpend_q & ~filter_q) == '0, "demand of a band that nothing waits for")
  `DUET_ASSERT(ConflictOnce, !conf_pend_q || conf_sent_q, "conflict that is not marked as sent")
  `DUET_ASSERT(NoDemands, HasDemands || (filter_q == '0 && !req_valid_o), "request in variant nv")
endmodule
