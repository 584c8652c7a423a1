`include "duet_assert.svh"
`include "sharing_types.svh"
`include "cta_scheduler_types.svh"

/// Assigns the work-groups (CTAs) of a kernel to SMs: round-robin, in groups of consecutive
/// work-groups, or in pairs (Tabbakh, thesis, sections 2.3, 2.6.1; specification 5.1). All outputs
/// are functions of registers. The first assignment of a launch in cycle t is valid in t+2; the
/// slot of a work-group that ends in t is assigned again in t+2.
module cta_scheduler  // rule: Cycle rules
  import sharing_pkg::*;
#(
  parameter int unsigned NSm   = 15,  // SMs, 1..16
  parameter int unsigned Slots = 8,   // work-group slots of an SM, 1..16
  parameter int unsigned CtaW  = 32,  // bits of a work-group's number, 2..32
  localparam type launch_t     = `SHARING_LAUNCH_T,
  localparam type assignment_t = `SHARING_ASSIGNMENT_T,
  localparam type counters_t        = `CTA_SCHEDULER_CNT_T
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  // launch: a kernel
  input  logic           launch_valid_i,
  output logic           launch_ready_o,
  input  launch_t        launch_i,
  // done: bit s: a work-group of SM s has ended
  input  logic [NSm-1:0] done_i,
  // assignment: a work-group goes to an SM
  output logic           assignment_valid_o,
  input  logic           assignment_ready_i,
  output assignment_t    assignment_o,
  output logic           launch_done_o,     // pulse: all work-groups have ended
  // err: pulse
  output logic           err_valid_o,
  output logic [3:0]     err_code_o,
  output counters_t           counters_o         // events since reset
);
  localparam int unsigned NSmP   = clamp(1, 16, NSm);
  localparam int unsigned SlotsP = clamp(1, 16, Slots);
  localparam int unsigned CtaWP  = clamp(2, 32, CtaW);
  typedef logic [CtaWP-1:0] cta_t;

  logic                  run_d, run_q;  // a kernel runs
  logic [NSmP-1:0][4:0]  free_d, free_q;
  // The kernel, set by its launch.
  logic [4:0]            slots_d, slots_q;
  logic [1:0]            mode_q;
  cta_t                  total_q;
  logic [15:0]           group_q;
  logic [19:0]           thr_q;
  cta_t                  nxt_q;
  logic [3:0]            pointer_q;     // first SM to search, or the SM of an open burst
  logic [4:0]            burst_q;       // work-groups left in the open burst
  cta_t                  finished_q;
  cta_t [NSmP-1:0]       cur_q, end_q;  // of each SM's group: [cur, end) is left
  logic [NSmP-1:0]       started_q;
  logic                  assignment_valid_d, assignment_valid_q;
  assignment_t           assignment_q;
  logic                  launch_done_d, launch_done_q;
  logic [3:0]            err_d, err_q;
  counters_t                  counters_d, counters_q;

  assign launch_ready_o   = !run_q;  // rule: States launch_ready_o
  assign assignment_valid_o = assignment_valid_q;  // rule: 3
  assign assignment_o       = assignment_valid_q ? assignment_q : '0;  // rule: 3
  assign launch_done_o    = launch_done_q;  // rule: States Run
  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign counters_o       = counters_q;  // rule: 4

  // -----------------------------------------------------------------------------------------------
  // Launch
  logic        launch, bad_group, bad_slots;
  logic [4:0]  slots;
  logic [15:0] group;

  assign launch    = launch_valid_i && !run_q;  // rule: States Idle
  assign bad_group = (launch_i.group == '0);  // rule: 2
  assign bad_slots = (launch_i.slots == '0) || (32'(launch_i.slots) > SlotsP);  // rule: 2
  assign group     = bad_group ? 16'd1 : launch_i.group;  // rule: 2
  assign slots     = bad_slots ? 5'(SlotsP) : launch_i.slots;  // rule: 2

  // -----------------------------------------------------------------------------------------------
  // Work-groups that end
  logic [NSmP-1:0] idle, ended;
  logic [4:0]      ended_count, idle_count;

  always_comb begin : ends  // rule: 1
    ended_count = '0;
    idle_count  = '0;
    for (int unsigned s = 0; s < NSmP; s++) begin
      idle[s]     = (free_q[s] == slots_q);
      ended[s]    = done_i[s] && !idle[s];
      ended_count = ended_count + 5'(ended[s]);
      idle_count  = idle_count + 5'(idle[s]);  // rule: 4
    end
  end

  // -----------------------------------------------------------------------------------------------
  // The pick
  logic        any, pick, own, begins, by_test;
  logic [3:0]  sm;
  cta_t        cta, nxt;
  logic [4:0]  burst;

  cta_scheduler_pick #(  // rule: Cycle rules
    .NSm (NSmP),
    .CtaW(CtaWP)
  ) u_pick (
    .mode_i   (mode_q),
    .total_i  (total_q),
    .group_i  (group_q),
    .slots_i  (slots_q),
    .thr_i    (thr_q),
    .nxt_i    (nxt_q),
    .pointer_i(pointer_q),
    .burst_i  (burst_q),
    .cur_i    (cur_q),
    .end_i    (end_q),
    .free_i   (free_q),
    .started_i(started_q),
    .any_o    (any),
    .sm_o     (sm),
    .cta_o    (cta),
    .own_o    (own),
    .begin_o  (begins),
    .test_o   (by_test),
    .nxt_o    (nxt),
    .burst_o  (burst)
  );

  assign pick = run_q && any && (!assignment_valid_q || assignment_ready_i);  // rule: 3

  // -----------------------------------------------------------------------------------------------
  // State
  assign launch_done_d = run_q && finished_q == total_q;  // rule: States Run; 5

  always_comb begin : next_state
    run_d       = (run_q && !launch_done_d) || launch;  // rule: States Idle
    slots_d     = launch ? slots : slots_q;  // rule: 2
    assignment_valid_d = pick || (assignment_valid_q && !assignment_ready_i);  // rule: 3
    // In Idle all slots are free: no work-group can end in the cycle of a launch.
    for (int unsigned s = 0; s < NSmP; s++) begin
      free_d[s] = free_q[s] + 5'(ended[s]) - 5'(pick && sm == 4'(s));  // rule: 1
      if (launch) free_d[s] = slots;  // rule: States Idle
    end
  end

  always_comb begin : events
    err_d = ErrNone;
    if (launch && bad_group)               err_d = ErrCtaGroup;  // rule: 2
    else if (launch && bad_slots)          err_d = ErrCtaSlots;  // rule: 2
    else if ((done_i & ~ended) != '0)      err_d = ErrCtaDone;  // rule: 1

    counters_d = counters_q;
    if (pick)            counters_d.assigned      = counters_q.assigned + 32'd1;  // rule: 4
    if (pick && begins)  counters_d.groups        = counters_q.groups + 32'd1;  // rule: 4
    if (pick && by_test) counters_d.rr_phase_ctas = counters_q.rr_phase_ctas + 32'd1;  // rule: 4
    if (run_q)
      counters_d.idle_sm_cycles = counters_q.idle_sm_cycles + 32'(idle_count);  // rule: 4
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q       <= 1'b0;
      free_q      <= '0;
      slots_q     <= '0;
      assignment_valid_q <= 1'b0;
      launch_done_q    <= 1'b0;
      err_q       <= ErrNone;
      counters_q       <= '0;
    end else begin
      run_q       <= run_d;
      free_q      <= free_d;
      slots_q     <= slots_d;
      assignment_valid_q <= assignment_valid_d;
      launch_done_q    <= launch_done_d;
      err_q       <= err_d;
      counters_q       <= counters_d;
    end
  end

  // No reset: used only while run_q is 1, after a launch has set them.
  always_ff @(posedge clk_i) begin
    if (launch) begin  // rule: States Idle
      mode_q     <= launch_i.mode;
      total_q    <= cta_t'(launch_i.total);  // rule: 10
      group_q    <= group;  // rule: 2
      thr_q      <= 20'(NSmP - 1) * 20'(group);  // rule: 9
      nxt_q      <= '0;
      pointer_q  <= '0;
      burst_q    <= '0;
      finished_q <= '0;
      cur_q      <= '0;
      end_q      <= '0;
      started_q  <= '0;
    end else begin
      finished_q <= finished_q + cta_t'(ended_count);  // rule: 1
      if (pick) begin
        nxt_q   <= nxt;  // rule: Registers nxt_q
        burst_q <= burst;  // rule: 7
        // An open burst keeps its SM.
        if (burst != '0) pointer_q <= sm;  // rule: 7
        else             pointer_q <= (sm == 4'(NSmP - 1)) ? '0 : sm + 4'd1;  // rule: 7
        for (int unsigned s = 0; s < NSmP; s++) begin
          if (sm == 4'(s)) begin
            if (own || begins) cur_q[s] <= cta + cta_t'(1);  // rule: 6
            if (begins) end_q[s] <= nxt;  // rule: 6
            if (begins || mode_q == ModeBcs) started_q[s] <= 1'b1;  // rule: 6
          end
        end
      end
    end
  end

  // No reset: used only while assignment_valid_q is 1.
  always_ff @(posedge clk_i) begin
    if (pick) assignment_q <= '{more: (burst != '0), sm: sm, cta: 32'(cta)};  // rule: 3
  end

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 16, "NSm must be 1..16")
  `DUET_ASSERT_PARAM(SlotsLegal, Slots >= 1 && Slots <= 16, "Slots must be 1..16")
  `DUET_ASSERT_PARAM(CtaWLegal, CtaW >= 2 && CtaW <= 32, "CtaW must be 2..32")

  // Specification section 8.
  `DUET_ASSERT_STABLE(Assignment, assignment_valid_o, assignment_ready_i, assignment_o)
  `DUET_ASSERT(PickInRange, !pick || cta < total_q, "work-group that there is not")
  `DUET_ASSERT(NxtInRange, !run_q || nxt_q <= total_q, "more given than the kernel has")
  `DUET_ASSERT(BurstInRange, !run_q || 32'(burst_q) <= 32'(cta_t'(total_q - nxt_q)),
               "burst of more than is left")
  `DUET_ASSERT(LastEnds, !launch_done_d || idle == '1, "kernel ends while a work-group runs")
`ifdef DUET_SIMULATION
  // Work-groups assigned, and those still running, recomputed from the registers of all SMs.
  cta_t            given, running;
  logic            slots_kept, in_groups;  // of all SMs
  logic [NSmP-1:0] cta_of_other;           // cta is left in that SM's group
  logic            sm_free, sm_started;    // of the SM of the pick
  cta_t            sm_cur;
  always_comb begin : places
    given      = nxt_q;
    running    = '0;
    slots_kept = 1'b1;
    in_groups  = 1'b1;
    sm_free    = 1'b0;
    sm_started = 1'b0;
    sm_cur     = '0;
    for (int unsigned s = 0; s < NSmP; s++) begin
      given           = given - (end_q[s] - cur_q[s]);
      running         = running + cta_t'(slots_q) - cta_t'(free_q[s]);
      slots_kept      = slots_kept && free_q[s] <= slots_q;
      cta_of_other[s] = cta >= cur_q[s] && cta < end_q[s] && sm != 4'(s);
      if (end_q[s] < cur_q[s] || end_q[s] > nxt_q) in_groups = 1'b0;
      if (32'(cta_t'(end_q[s] - cur_q[s])) > 32'(group_q)) in_groups = 1'b0;
      if (sm == 4'(s)) begin
        sm_free    = (free_q[s] != '0);
        sm_started = started_q[s];
        sm_cur     = cur_q[s];
      end
    end
  end
  cta_t picks;       // of this kernel
  logic few_groups;  // adpt: this kernel is assigned one by one
  always_ff @(posedge clk_i) begin
    if (launch) begin
      picks      <= '0;
      few_groups <= 1'b0;
    end else if (pick) begin
      picks      <= picks + cta_t'(1);
      few_groups <= few_groups || by_test;
    end
  end
`endif
  `DUET_ASSERT(PickFree, !pick || sm_free, "more work-groups on an SM than slots")
  `DUET_ASSERT(SlotsKept, slots_kept, "an SM has more free slots than slots")
  `DUET_ASSERT(InGroups, !run_q || in_groups, "an SM has what is not of its group")
  // A picked work-group is above all that were assigned, or the next of its SM's group. Groups do
  // not overlap, so each work-group is assigned once.
  `DUET_ASSERT(OnePlace, !pick || (cta_of_other == '0 && cta == (own ? sm_cur : nxt_q)),
               "work-group of another SM's group")
  `DUET_ASSERT(EachOnce, !run_q || picks == given, "work-group left out or given twice")
  `DUET_ASSERT(EndsAdd, !run_q || picks - finished_q == running, "slots and ends do not add up")
  `DUET_ASSERT(GroupPlace, !pick || !begins || !few_groups || !sm_started,
               "new group for an SM that has had one, where too few are left")
  `SHARING_ASSERT_INPUT(NoBadEnd, err_d != ErrCtaDone, "work-group ends where there is none")
endmodule
