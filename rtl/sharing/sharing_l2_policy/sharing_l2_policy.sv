`include "duet_assert.svh"
`include "sharing_types.svh"
`include "sharing_l2_policy_types.svh"

/// Knows of each line of an L2 bank whether more than one SM has asked for it, and says which line
/// goes for one that is fetched (Tabbakh, thesis, section 2.4; specification 5.2, 5.4). All is
/// taken in every cycle; a cycle's events take effect at its end, in the order flush, inv, fill,
/// access. All outputs are functions of registers and show one cycle later.
module sharing_l2_policy  // rule: Cycle rules
  import sharing_pkg::*;
#(
  parameter int unsigned NSm    = 15,   // SMs, 1..16
  parameter int unsigned L2Sets = 128,  // sets, a power of 2, 1..1024
  parameter int unsigned L2Ways = 8,    // ways of a set, 1..16
  parameter int unsigned L2Mshr = 32,   // lines that are waited for, 1..64
  parameter int unsigned L2Mgt  = 1,    // 1: the policy, 0: the least recently used line
  localparam int unsigned MshrW = (L2Mshr > 1) ? $clog2(L2Mshr) : 1,
  localparam int unsigned SetW  = (L2Sets > 1) ? $clog2(L2Sets) : 1,
  localparam int unsigned WayW  = (L2Ways > 1) ? $clog2(L2Ways) : 1,
  localparam type place_t  = `SHARING_PLACE_T(SetW, WayW),
  localparam type fill_t   = `SHARING_L2_FILL_T(MshrW, SetW, WayW),
  localparam type lookup_t = `SHARING_LOOKUP_T(MshrW, SetW, WayW),
  localparam type action_t = `SHARING_ACTION_T(WayW),
  localparam type counters_t    = `SHARING_L2_POLICY_CNT_T
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       flush_i,      // all lines are gone; those that are waited for come
  // inv: this line is
  input  logic       inv_valid_i,
  input  place_t     inv_i,
  // fill: a line has come
  input  logic       fill_valid_i,
  input  fill_t      fill_i,
  // fsf: whether the line of the cycle before is shared, for each answer of its MSHR
  output logic       fsf_valid_o,
  output logic       fsf_o,
  // lk: an access
  input  logic       lk_valid_i,
  input  lookup_t    lk_i,
  // act: what becomes of the access of the cycle before
  output logic       act_valid_o,
  output action_t    act_o,
  // err: pulse
  output logic       err_valid_o,
  output logic [3:0] err_code_o,
  output counters_t       counters_o         // events since reset
);
  localparam int unsigned NSmP   = clamp(1, 16, NSm);
  localparam int unsigned SetsP  = legal_power(1024, L2Sets);
  localparam int unsigned WaysP  = clamp(1, 16, L2Ways);
  localparam int unsigned MshrsP = clamp(1, 64, L2Mshr);
  localparam int unsigned AtSetW  = (SetsP > 1) ? $clog2(SetsP) : 1;
  localparam int unsigned AtWayW  = (WaysP > 1) ? $clog2(WaysP) : 1;
  localparam int unsigned AtMshrW = (MshrsP > 1) ? $clog2(MshrsP) : 1;

  logic    fsf_valid_q, fsf_q;
  logic    act_valid_q;
  action_t act_d, act_q;
  logic [3:0] err_d, err_q;
  counters_t    counters_d, counters_q;

  assign fsf_valid_o = fsf_valid_q;  // rule: Ports fsf_valid_o
  assign fsf_o       = fsf_valid_q && fsf_q;  // rule: Ports fsf_valid_o
  assign act_valid_o = act_valid_q;  // rule: Ports act_valid_o
  assign act_o       = act_valid_q ? act_q : '0;  // rule: Ports act_valid_o
  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign counters_o       = counters_q;  // rule: Ports

  // -----------------------------------------------------------------------------------------------
  // The fill
  logic              inv_there, fill, fill_used, fill_reserved, fill_sf;
  logic [3:0]        fill_owner;
  logic [AtSetW-1:0] fill_set;

  assign fill_set = (SetsP > 1) ? AtSetW'(fill_i.set) : '0;  // rule: 9
  assign fill     = fill_valid_i && fill_used && fill_reserved;  // rule: 4

  // -----------------------------------------------------------------------------------------------
  // The access
  logic              mshr_legal, mshr_freed, mshr_used, mshr_sf;
  logic [3:0]        mshr_owner;
  logic              come;  // it waited for the line that the fill brings
  logic [AtSetW-1:0] set;
  logic [AtWayW-1:0] way, victim;
  logic              line_valid, line_sf, victim_any, victim_valid, victim_sf;
  logic [3:0]        line_owner;
  logic [2:0]        act;
  logic [3:0]        lk_err;

  assign come = lk_i.mshr_hit && !lk_i.hit && mshr_freed;  // rule: 3
  assign set  = come ? fill_set : (SetsP > 1) ? AtSetW'(lk_i.set) : '0;  // rule: 3
  assign way  = come ? AtWayW'(fill_i.way) : AtWayW'(lk_i.way);  // rule: 3

  always_comb begin : decide  // rule: 5
    act    = ActStall;
    lk_err = ErrNone;
    if (lk_i.hit || come) begin  // rule: 3
      if (line_valid) act = ActHit;
      else            lk_err = ErrL2Hit;
    end else if (lk_i.mshr_hit) begin
      if (mshr_used) act = ActMerge;
      else           lk_err = ErrL2Mshr;
    end else if (lk_i.is_local && L2Mgt != 0) begin  // rule: 7
      act = ActBypass;
    end else if (!mshr_legal || mshr_used) begin
      lk_err = ErrL2Mshr;
    end else if (victim_any) begin  // rule: Ports act_valid_o
      act = ActAlloc;
    end
    if (32'(lk_i.sm) >= NSmP) begin
      act = ActStall;
      if (lk_err == ErrNone) lk_err = ErrL2Sm;
    end
  end

  // Another SM than the first one. Local memory is an SM's own.
  logic hit, merge, alloc, line_share, mshr_share;
  assign hit        = lk_valid_i && act == ActHit;  // rule: Ports act_valid_o
  assign merge      = lk_valid_i && act == ActMerge;  // rule: Ports act_valid_o
  assign alloc      = lk_valid_i && act == ActAlloc;  // rule: Ports act_valid_o
  assign line_share = hit && !lk_i.is_local && lk_i.sm != line_owner && !line_sf;  // rule: 6
  assign mshr_share = merge && !lk_i.is_local && lk_i.sm != mshr_owner && !mshr_sf;  // rule: 6

  always_comb begin : action  // rule: Ports act_valid_o
    act_d     = '0;
    act_d.act = act;
    unique case (act)
      ActHit: begin
        act_d.sf  = !lk_i.is_local && (line_sf || line_share);  // rule: 6
        act_d.way = WayW'(way);
      end
      ActMerge: act_d.sf = !lk_i.is_local && (mshr_sf || mshr_share);  // rule: 6
      ActAlloc: begin
        act_d.evict_valid  = victim_valid;
        act_d.evict_shared = victim_sf;
        act_d.way          = WayW'(victim);
      end
      default: ;
    endcase
  end

  // -----------------------------------------------------------------------------------------------
  // Lines and MSHRs
  sharing_l2_policy_lines #(  // rule: 1
    .Sets(SetsP),
    .Ways(WaysP),
    .Mgt (L2Mgt != 0)
  ) u_lines (
    .clk_i,
    .rst_ni,
    .flush_i,
    .inv_i          (inv_valid_i),
    .inv_set_i      ((SetsP > 1) ? AtSetW'(inv_i.set) : '0),
    .inv_way_i      (AtWayW'(inv_i.way)),
    .inv_valid_o    (inv_there),
    .fill_set_i     (fill_set),
    .fill_way_i     (AtWayW'(fill_i.way)),
    .fill_reserved_o(fill_reserved),
    .fill_i         (fill),
    .fill_owner_i   (fill_owner),
    .fill_sf_i      (fill_sf),
    .set_i          (set),
    .way_i          (way),
    .valid_o        (line_valid),
    .owner_o        (line_owner),
    .sf_o           (line_sf),
    .victim_any_o   (victim_any),
    .victim_o       (victim),
    .victim_valid_o (victim_valid),
    .victim_sf_o    (victim_sf),
    .use_i          (hit),
    .share_i        (line_share),
    .alloc_i        (alloc)
  );

  sharing_l2_policy_mshrs #(  // rule: 3
    .Mshrs(MshrsP)
  ) u_mshrs (
    .clk_i,
    .rst_ni,
    .fill_mshr_i (AtMshrW'(fill_i.mshr)),
    .fill_used_o (fill_used),
    .fill_owner_o(fill_owner),
    .fill_sf_o   (fill_sf),
    .free_i      (fill),
    .mshr_i      (AtMshrW'(lk_i.mshr)),
    .legal_o     (mshr_legal),
    .freed_o     (mshr_freed),
    .used_o      (mshr_used),
    .owner_o     (mshr_owner),
    .sf_o        (mshr_sf),
    .share_i     (mshr_share),
    .alloc_i     (alloc),
    .sm_i        (lk_i.sm)
  );

  // -----------------------------------------------------------------------------------------------
  // Errors and counters
  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if (inv_valid_i && !inv_there) err_d = ErrL2Inv;
    if (lk_valid_i && lk_err == ErrL2Sm) err_d = ErrL2Sm;
    if (fill_valid_i && !fill) err_d = ErrL2Fill;
    if (lk_valid_i && lk_err inside {ErrL2Hit, ErrL2Mshr}) err_d = lk_err;
  end

  always_comb begin : count  // rule: Ports
    counters_d = counters_q;
    if (hit)   counters_d.hits   = counters_q.hits + 32'd1;
    if (merge) counters_d.merges = counters_q.merges + 32'd1;
    if (alloc) counters_d.allocs = counters_q.allocs + 32'd1;
    if (lk_valid_i && act == ActBypass) counters_d.bypasses = counters_q.bypasses + 32'd1;
    if (lk_valid_i && act == ActStall)  counters_d.stalls   = counters_q.stalls + 32'd1;  // rule: 8
    if (line_share || mshr_share)       counters_d.sf_set   = counters_q.sf_set + 32'd1;  // rule: 8
    if (alloc && victim_valid && !victim_sf)
      counters_d.evict_private = counters_q.evict_private + 32'd1;
    if (alloc && victim_sf)
      counters_d.evict_shared = counters_q.evict_shared + 32'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fsf_valid_q <= 1'b0;
      act_valid_q <= 1'b0;
      err_q       <= ErrNone;
      counters_q       <= '0;
    end else begin
      fsf_valid_q <= fill;  // rule: Ports fsf_valid_o
      act_valid_q <= lk_valid_i;  // rule: Ports act_valid_o
      err_q       <= err_d;
      counters_q       <= counters_d;
    end
  end

  // fsf_valid_q and act_valid_q cover these.
  always_ff @(posedge clk_i) begin
    if (fill) fsf_q <= fill_sf;  // rule: Ports fsf_valid_o; 3
    if (lk_valid_i) act_q <= act_d;  // rule: Ports act_valid_o
  end

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 16, "NSm must be 1..16")
  `DUET_ASSERT_PARAM(L2SetsLegal, L2Sets == legal_power(1024, L2Sets),
                     "L2Sets must be a power of 2 of at most 1024")
  `DUET_ASSERT_PARAM(L2WaysLegal, L2Ways >= 1 && L2Ways <= 16, "L2Ways must be 1..16")
  `DUET_ASSERT_PARAM(L2MshrLegal, L2Mshr >= 1 && L2Mshr <= 64, "L2Mshr must be 1..64")
  `DUET_ASSERT_PARAM(L2MgtLegal, L2Mgt <= 1, "L2Mgt must be 0 or 1")

  // Specification section 8.
  `DUET_ASSERT(P2, L2Mgt == 0 || !act_valid_o || act_o.act != ActAlloc || !$past(lk_i.is_local),
               "line of local memory takes a way")
  `DUET_ASSERT(OnlyAlloc, !(act_o.evict_valid || act_o.evict_shared)
                          || (act_valid_o && act_o.act == ActAlloc && act_o.evict_valid),
               "line goes for an access that takes no way")
  `DUET_ASSERT(ReservedUsed, u_lines.reserved_count == 32'($countones(u_mshrs.used_q)),
               "not as many reserved ways as used MSHRs")
  `SHARING_ASSERT_INPUT(NoError, err_d == ErrNone, "bad input, see err_code_o")
endmodule
