`include "duet_assert.svh"

/// What the request in S1 does: the transition table of the directory, the same for all variants.
/// Combinational.
module coherence_directory_decide  // rule: Transition table
  import coherence_directory_pkg::*;
#(
  parameter int unsigned Variant     = VariantRec,
  parameter int unsigned Replacement = ReplacementLru,
  parameter int unsigned Gpus        = 4,
  localparam int unsigned Sharers = Gpus - 1
) (
  input  logic               clk_i,   // for the assertions only
  input  logic               rst_ni,
  input  logic               exec_i,  // S1 holds a request without a fault
  input  logic [2:0]         op_i,
  input  logic [Sharers-1:0] src_i,   // slot of the requester, one-hot; of RRD and RWR only
  // lookup of the line in its row
  input  logic               present_i,  // an entry covers the line
  input  logic               tracked_i,  // the line has sharers
  input  logic               full_i,     // no way of the set is free
  input  logic [Sharers-1:0] slots_i,    // its sharers; 0 when not tracked
  // row update
  output logic               alloc_o,  // a way gets an entry for the line
  output logic               line_o,   // the line's sharers become slots_o; 0: not tracked
  output logic [Sharers-1:0] slots_o,
  output logic               drop_o,   // the entry becomes invalid
  output logic               use_o,    // the way becomes the youngest
  // job: at most one
  output logic               job_write_o,  // invalidate the line in job_slots_o
  output logic [Sharers-1:0] job_slots_o,
  output logic               job_evict_o,  // all lines of the entry found; alloc: of the victim
  output logic               job_fence_o
);
  typedef enum logic [1:0] {
    StAbsent,   // no entry covers the line
    StPresent,  // rec: an entry does, but the line has no sharers
    StTracked
  } state_e;
  state_e state;
  always_comb begin : classify
    state = StAbsent;
    if (present_i) state = StPresent;
    if (tracked_i) state = StTracked;
  end

  always_comb begin : decide
    alloc_o     = 1'b0;
    line_o      = 1'b0;
    slots_o     = '0;
    drop_o      = 1'b0;
    use_o       = 1'b0;
    job_write_o = 1'b0;
    job_slots_o = '0;
    job_evict_o = 1'b0;
    job_fence_o = 1'b0;
    if (exec_i) begin
      unique case (op_i)
        // The home reads: nothing changes.
        OpLrd: ;
        // Another GPU reads: it becomes a sharer.
        OpRrd: begin  // rule: Transition table RRD
          line_o  = 1'b1;
          slots_o = slots_i | src_i;
          unique case (state)
            StAbsent: begin
              alloc_o     = 1'b1;
              use_o       = 1'b1;
              job_evict_o = full_i;
            end
            default: use_o = (Replacement == ReplacementLru);  // StPresent, StTracked
          endcase
        end
        // The home writes: all copies are invalidated.
        OpLwr: begin  // rule: Transition table LWR
          unique case (state)
            StTracked: begin
              line_o      = 1'b1;
              job_write_o = 1'b1;
              job_slots_o = slots_i;
            end
            default: ;  // StAbsent, StPresent: there is no copy
          endcase
        end
        // Another GPU writes: all copies but its own are invalidated.
        OpRwr: begin  // rule: Transition table RWR
          line_o  = 1'b1;
          slots_o = src_i;
          unique case (state)
            StAbsent: begin
              alloc_o     = 1'b1;
              use_o       = 1'b1;
              job_evict_o = full_i;
            end
            StPresent: use_o = (Replacement == ReplacementLru);
            default: begin  // StTracked
              use_o       = (Replacement == ReplacementLru);
              job_slots_o = slots_i & ~src_i;
              job_write_o = (job_slots_o != '0);
            end
          endcase
        end
        // Forced eviction of the entry; ideal has none.
        OpEvict: begin  // rule: Transition table EVICT
          unique case (state)
            StAbsent: ;
            default: begin  // StPresent, StTracked
              drop_o      = (Variant != VariantIdeal);
              job_evict_o = (Variant != VariantIdeal);
            end
          endcase
        end
        // A marker after all earlier invalidations. Other ops are faults.
        default: job_fence_o = 1'b1;  // rule: Transition table FENCE
      endcase
    end
  end

  `DUET_ASSERT(OneJob, $onehot0({job_write_o, job_evict_o, job_fence_o}),
               "request with more than one job")
  `DUET_ASSERT(OpLegal, !exec_i || op_i <= OpFence, "illegal op is executed")
  `DUET_ASSERT(TrackedIsPresent, !tracked_i || present_i, "line is tracked without an entry")
  `DUET_ASSERT(TrackedHasSharer, tracked_i == (slots_i != '0), "line is tracked without a sharer")
  `DUET_ASSERT(OneSource, !line_o || op_i == OpLwr || $onehot(src_i), "requester has no slot")
  `DUET_ASSERT(ReadsOfHomeChangeNothing,
               !exec_i || op_i != OpLrd || !(alloc_o || line_o || drop_o || use_o),
               "LRD changes the row")
endmodule
