/// Selects the next SM and its work-group (specification 5.1). Combinational, a function of
/// registers alone. In `rr` and `bcs` no SM has a group: each `cur_i` equals its `end_i`.
module cta_scheduler_pick  // rule: Cycle rules
  import sharing_pkg::*;
#(
  parameter int unsigned NSm  = 15,
  parameter int unsigned CtaW = 32,
  localparam type cta_t       = logic [CtaW-1:0]
) (
  // the kernel
  input  logic [1:0]           mode_i,
  input  cta_t                 total_i,
  input  logic [15:0]          group_i,
  input  logic [4:0]           slots_i,
  input  logic [19:0]          thr_i,      // adpt: one by one once left <= thr
  // its progress
  input  cta_t                 nxt_i,
  input  logic [3:0]           pointer_i,  // first SM to search, or the SM of an open burst
  input  logic [4:0]           burst_i,    // work-groups left in the open burst
  input  cta_t [NSm-1:0]       cur_i,      // of each SM's group: the next work-group
  input  cta_t [NSm-1:0]       end_i,      // one past its last work-group
  input  logic [NSm-1:0][4:0]  free_i,
  input  logic [NSm-1:0]       started_i,
  // the pick: valid if any_o is 1
  output logic                 any_o,
  output logic [3:0]           sm_o,
  output cta_t                 cta_o,
  output logic                 own_o,      // cta_o is the next of the SM's group
  output logic                 begin_o,    // cta_o is the first of a new group
  output logic                 test_o,     // adpt: one by one, as few groups are left
  output cta_t                 nxt_o,      // next value of nxt_i
  output logic [4:0]           burst_o
);
  cta_t       left;
  logic [4:0] pair;  // free slots needed; bcs: size of a later burst
  assign left = total_i - nxt_i;  // rule: 6
  assign pair = (mode_i == ModeBcs && slots_i > 5'd1 && left > cta_t'(1)) ? 5'd2 : 5'd1;  // rule: 7

  // -----------------------------------------------------------------------------------------------
  // The SM
  logic [NSm-1:0] in_group, eligible, behind;
  logic [NSm-1:0] candidates;

  always_comb begin : look  // rule: 6
    for (int unsigned s = 0; s < NSm; s++) begin
      in_group[s] = (cur_i[s] < end_i[s]);
      eligible[s] = free_i[s] >= pair && (left != '0 || in_group[s]);
      behind[s]   = (4'(s) >= pointer_i);
    end
  end

  assign candidates = ((eligible & behind) != '0) ? (eligible & behind) : eligible;
  assign any_o      = (burst_i != '0) || (eligible != '0);  // rule: 7
  assign sm_o       = (burst_i != '0) ? pointer_i : lowest(16'(candidates));  // rule: 7

  // -----------------------------------------------------------------------------------------------
  // The work-group
  cta_t        cur;
  logic        started, is_own;
  logic [32:0] group_end;
  logic [4:0]  first;  // size of an SM's first burst

  always_comb begin : select  // rule: 6
    cur     = '0;
    started = 1'b0;
    is_own  = 1'b0;
    for (int unsigned s = 0; s < NSm; s++) begin
      if (sm_o == 4'(s)) begin
        cur     = cur_i[s];
        started = started_i[s];
        is_own  = in_group[s];
      end
    end
  end

  // The kernel has fewer groups than there are SMs.
  logic few_groups;
  assign few_groups = 32'(total_i) <= 32'(thr_i);  // rule: 6

  assign group_end = 33'(nxt_i) + 33'(group_i);  // rule: 8
  assign first     = (32'(left) < 32'(slots_i)) ? 5'(left) : slots_i;  // rule: 7

  always_comb begin : work_group  // rule: 6
    own_o   = 1'b0;
    begin_o = 1'b0;
    test_o  = 1'b0;
    cta_o   = nxt_i;
    nxt_o   = nxt_i + cta_t'(1);
    burst_o = '0;
    unique case (mode_i)
      ModeRr: ;
      ModeBcs: begin  // rule: 7
        if (burst_i != '0) burst_o = burst_i - 5'd1;
        else               burst_o = (started ? pair : first) - 5'd1;
      end
      default: begin
        if (is_own) begin
          own_o = 1'b1;
          cta_o = cur;
          nxt_o = nxt_i;
        end else if (mode_i == ModeAdpt && (started || few_groups) && 32'(left) <= 32'(thr_i)) begin
          test_o = 1'b1;
        end else begin
          begin_o = 1'b1;
          nxt_o   = (group_end < 33'(total_i)) ? cta_t'(group_end) : total_i;  // rule: 8
        end
      end
    endcase
  end
endmodule
