`include "duet_assert.svh"

/// The data port: one access at a time. An access that is granted in cycle g is answered in g + C,
/// C by its region; one to slots or mailbox acts in the cycle before its answer, and waits there
/// while `ready_i` is 0 (README.md, rules 7, 12, 13). All cycles are the processor's.
module command_processor_data  // rule: 7
  import command_processor_pkg::*;
#(
  parameter int unsigned PrivateLatency = 31
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  // core
  input  logic        req_i,
  output logic        gnt_o,
  input  logic        we_i,
  input  logic [3:0]  be_i,
  input  logic [31:0] addr_i,          // of the word
  input  logic [31:0] wdata_i,
  output logic        rvalid_o,
  output logic [31:0] rdata_o,
  // outside of the map, or not for this access: the core halts
  output logic        halt_o,
  // memories, at the grant
  output logic        imem_o,
  output logic        dtcm_o,
  output logic        pmem_o,
  input  logic [31:0] imem_rdata_i,
  input  logic [31:0] dtcm_rdata_i,
  input  logic [31:0] pmem_rdata_i,
  // slots and mailbox, when the access acts
  output logic        slots_o,
  output logic        mailbox_o,
  output logic        act_we_o,
  output logic [13:2] act_addr_o,
  output logic [31:0] act_wdata_o,
  input  logic        ready_i,         // the mailbox's register can act
  input  logic [31:0] slots_rdata_i,   // a cycle later
  input  logic [31:0] mailbox_rdata_i  // a cycle later
);
  typedef struct packed {
    logic        busy;
    region_e     region;
    logic [7:0]  left;    // cycles to the answer
    logic        we;
    logic [13:2] addr;
    logic [31:0] wdata;
  } regs_t;
  regs_t regs_d, regs_q;

  wire [1:0] unused_byte = addr_i[1:0];

  region_e region;
  logic    legal, take, acts, waits;
  always_comb begin : decode  // rule: 12
    region = region_of(addr_i[31:8]);
    unique case (region)
      RegionImem, RegionSlots: legal = !we_i;
      RegionDtcm, RegionPmem:  legal = 1'b1;
      RegionMailbox: begin
        legal = we_i ? writable(addr_i[7:2]) && be_i == '1 : readable(addr_i[7:2]);
      end
      default:                 legal = 1'b0;
    endcase
  end

  assign rvalid_o = regs_q.busy && regs_q.left == '0;
  assign gnt_o    = req_i && (!regs_q.busy || rvalid_o);
  assign take     = run_i && gnt_o && legal;
  assign halt_o   = run_i && gnt_o && !legal;  // rule: 12

  assign imem_o = take && region == RegionImem;
  assign dtcm_o = take && region == RegionDtcm;
  assign pmem_o = take && region == RegionPmem;

  assign acts        = run_i && regs_q.busy && regs_q.left == 8'd1;  // rule: 13
  assign slots_o     = acts && regs_q.region == RegionSlots;  // rule: 13
  assign mailbox_o   = acts && regs_q.region == RegionMailbox && ready_i;  // rule: 13
  assign waits       = acts && regs_q.region == RegionMailbox && !ready_i;  // rule: 13
  assign act_we_o    = regs_q.we;
  assign act_addr_o  = regs_q.addr;
  assign act_wdata_o = regs_q.wdata;

  always_comb begin : answer
    unique case (regs_q.region)
      RegionImem:  rdata_o = imem_rdata_i;
      RegionDtcm:  rdata_o = dtcm_rdata_i;
      RegionPmem:  rdata_o = pmem_rdata_i;
      RegionSlots: rdata_o = slots_rdata_i;
      default:     rdata_o = mailbox_rdata_i;
    endcase
  end

  always_comb begin : next_state
    regs_d = regs_q;
    if (run_i) begin
      if (rvalid_o) regs_d.busy = 1'b0;
      else if (regs_q.busy && !waits) regs_d.left = regs_q.left - 8'd1;
    end
    if (take) begin
      regs_d.busy   = 1'b1;
      regs_d.region = region;
      regs_d.we     = we_i;
      regs_d.addr   = addr_i[13:2];
      regs_d.wdata  = wdata_i;
      unique case (region)
        RegionImem: regs_d.left = 8'(ImemLat - 1);  // rule: 12
        RegionDtcm: regs_d.left = 8'(DtcmLat - 1);  // rule: 12
        RegionPmem: regs_d.left = 8'(PrivateLatency - 1);  // rule: 12
        default:    regs_d.left = 8'(SlotsLat - 1);  // rule: 12
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '{region: RegionNone, default: '0};
    else         regs_q <= regs_d;
  end

  `DUET_ASSERT(RegionKnown, !regs_q.busy || regs_q.region != RegionNone,
               "access outside of the map under way")
  `DUET_ASSERT_PARAM(PrivateLatencyLegal, PrivateLatency >= 1 && PrivateLatency <= 255,
                     "PrivateLatency must be 1..255")
endmodule
