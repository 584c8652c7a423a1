`include "duet_assert.svh"

/// The global command processor: Ibex, its memories, packet slots and the mailbox with which the
/// firmware talks to chiplets and host (CPElide, MICRO'24, sections III-C, IV-B, figure 7). All
/// outputs are registered. What happens in one of the processor's cycles shows in its next.
module command_processor  // rule: Cycle rules
  import cpelide_pkg::*;
  import command_processor_pkg::*;
#(
  parameter int unsigned PrivateLatency = 31,  // cycles of an access to the private memory, 1..255
  parameter int unsigned ClockOn        = 5,   // cycles of the processor, 1..ClockOf
  parameter int unsigned ClockOf        = 6    // of so many of clk_i, 1..16
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // aql: packets; ext: the extension block of the packet accepted last
  input  logic              aql_valid_i,
  output logic              aql_ready_o,
  input  aql_t              aql_i,
  input  logic              ext_valid_i,
  output logic              ext_ready_o,
  input  ext_t              ext_i,
  // tx, rx: messages to and from the crossbar
  output logic              tx_valid_o,
  input  logic              tx_ready_i,
  output tx_t               tx_o,
  input  logic              rx_valid_i,
  output logic              rx_ready_o,
  input  msg_t              rx_i,
  // sig: pulse, completion signal to write
  output logic              sig_valid_o,
  output logic [63:0]       sig_o,
  input  logic [31:0]       conf_i,        // register CONF; static from reset
  // imem: loads a word while the core is held in reset
  input  logic              core_hold_i,
  input  logic              imem_we_i,
  input  logic [13:0]       imem_addr_i,   // word
  input  logic [31:0]       imem_data_i,
  // trace: retired and trapped instructions
  output logic              trace_valid_o,
  output trace_t            trace_o,
  // err: pulse
  output logic              err_valid_o,
  output logic [7:0]        err_code_o,
  // exit: level, once the core has halted
  output logic              exit_valid_o,
  output logic [31:0]       exit_code_o,
  output logic              halted_o,
  output logic [15:0][31:0] counters_o
);
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned ClockOfP = (ClockOf < 1) ? 1 : ClockOf;

  // -----------------------------------------------------------------------------------------------
  // When the processor runs
  typedef struct packed {
    logic        hold;
    logic        halted;
    logic [31:0] exit_code;
    logic        err_valid;
    logic [7:0]  err_code;
  } regs_t;
  regs_t regs_d, regs_q;

  logic enabled, run;
  assign run = enabled && !regs_q.halted;  // rule: 11

  command_processor_clock #(  // rule: 1
    .ClockOn(ClockOn),
    .ClockOf(ClockOfP)
  ) u_clock (
    .clk_i,
    .rst_ni,
    .enabled_o(enabled)
  );

  // -----------------------------------------------------------------------------------------------
  // Core and its accesses
  logic        instr_req, instr_rvalid, instr_err;
  logic [31:0] instr_addr, instr_rdata;
  logic        data_req, data_gnt, data_we, data_rvalid;
  logic [3:0]  data_be;
  logic [31:0] data_addr, data_wdata, data_rdata;

  command_processor_core u_core (  // rule: 6
    .clk_i,
    .rst_ni,
    .enabled_i     (enabled),
    .run_i         (run),
    .hold_i        (regs_q.hold),
    .instr_req_o   (instr_req),
    .instr_gnt_i   (instr_req),
    .instr_addr_o  (instr_addr),
    .instr_rvalid_i(instr_rvalid),
    .instr_rdata_i (instr_rdata),
    .instr_err_i   (instr_err),
    .data_req_o    (data_req),
    .data_gnt_i    (data_gnt),
    .data_we_o     (data_we),
    .data_be_o     (data_be),
    .data_addr_o   (data_addr),
    .data_wdata_o  (data_wdata),
    .data_rvalid_i (data_rvalid),
    .data_rdata_i  (data_rdata),
    .trace_valid_o,
    .trace_o
  );

  logic        map_halt;
  logic        imem_rd, dtcm_en, pmem_en, slots_rd, mailbox_act, mailbox_ready;
  logic [31:0] imem_rdata, dtcm_rdata, pmem_rdata, slots_rdata, mailbox_rdata;
  logic        act_we;
  logic [13:2] act_addr;
  logic [31:0] act_wdata;

  command_processor_data #(  // rule: 7
    .PrivateLatency(PrivateLatency)
  ) u_data (
    .clk_i,
    .rst_ni,
    .run_i          (run),
    .req_i          (data_req),
    .gnt_o          (data_gnt),
    .we_i           (data_we),
    .be_i           (data_be),
    .addr_i         (data_addr),
    .wdata_i        (data_wdata),
    .rvalid_o       (data_rvalid),
    .rdata_o        (data_rdata),
    .halt_o         (map_halt),
    .imem_o         (imem_rd),
    .dtcm_o         (dtcm_en),
    .pmem_o         (pmem_en),
    .imem_rdata_i   (imem_rdata),
    .dtcm_rdata_i   (dtcm_rdata),
    .pmem_rdata_i   (pmem_rdata),
    .slots_o        (slots_rd),
    .mailbox_o      (mailbox_act),
    .act_we_o       (act_we),
    .act_addr_o     (act_addr),
    .act_wdata_o    (act_wdata),
    .ready_i        (mailbox_ready),
    .slots_rdata_i  (slots_rdata),
    .mailbox_rdata_i(mailbox_rdata)
  );

  // -----------------------------------------------------------------------------------------------
  // Memories
  command_processor_instruction_memory u_imem (  // rule: 4
    .clk_i,
    .rst_ni,
    .we_i        (imem_we_i && core_hold_i),
    .addr_i      (imem_addr_i),
    .data_i      (imem_data_i),
    .run_i       (run),
    .fetch_i     (instr_req),
    .fetch_addr_i(instr_addr),
    .fetched_o   (instr_rvalid),
    .insn_o      (instr_rdata),
    .err_o       (instr_err),
    .rd_i        (imem_rd),
    .rd_addr_i   (data_addr[15:2]),
    .rd_data_o   (imem_rdata)
  );

  command_processor_ram #(  // rule: 12
    .Words(DtcmWords)
  ) u_dtcm (
    .clk_i,
    .en_i   (dtcm_en),
    .we_i   (data_we),
    .be_i   (data_be),
    .addr_i (data_addr[13:2]),
    .wdata_i(data_wdata),
    .rdata_o(dtcm_rdata)
  );

  command_processor_ram #(  // rule: 12
    .Words(PmemWords)
  ) u_pmem (
    .clk_i,
    .en_i   (pmem_en),
    .we_i   (data_we),
    .be_i   (data_be),
    .addr_i (data_addr[15:2]),
    .wdata_i(data_wdata),
    .rdata_o(pmem_rdata)
  );

  // -----------------------------------------------------------------------------------------------
  // Packets and mailbox
  logic [Slots-1:0]       slots_valid;
  logic [1:0]             slots_oldest;
  logic [Slots-1:0][31:0] slots_meta;
  logic                   slots_complete, slots_pop;
  logic                   rx_error, firmware_error, firmware_exit;

  command_processor_slots u_slots (  // rule: 14
    .clk_i,
    .rst_ni,
    .run_i     (run),
    .aql_valid_i,
    .aql_ready_o,
    .aql_i,
    .ext_valid_i,
    .ext_ready_o,
    .ext_i,
    .valid_o   (slots_valid),
    .oldest_o  (slots_oldest),
    .meta_o    (slots_meta),
    .complete_o(slots_complete),
    .pop_i     (slots_pop),
    .pop_slot_i(act_wdata[1:0]),
    .rd_i      (slots_rd),
    .rd_addr_i (act_addr),
    .rd_data_o (slots_rdata)
  );

  command_processor_mailbox u_mailbox (  // rule: 13
    .clk_i,
    .rst_ni,
    .enabled_i       (enabled),
    .run_i           (run),
    .conf_i,
    .word_i          (act_addr[7:2]),
    .we_i            (act_we),
    .wdata_i         (act_wdata),
    .ready_o         (mailbox_ready),
    .act_i           (mailbox_act),
    .rdata_o         (mailbox_rdata),
    .slots_valid_i   (slots_valid),
    .slots_oldest_i  (slots_oldest),
    .slots_meta_i    (slots_meta),
    .slots_complete_i(slots_complete),
    .slots_pop_o     (slots_pop),
    .tx_valid_o,
    .tx_ready_i,
    .tx_o,
    .rx_valid_i,
    .rx_ready_o,
    .rx_i,
    .rx_error_o      (rx_error),
    .sig_valid_o,
    .sig_o,
    .error_o         (firmware_error),
    .exit_o          (firmware_exit),
    .counters_o
  );

  // -----------------------------------------------------------------------------------------------
  // Halting and errors
  always_comb begin : next_state
    regs_d      = regs_q;
    regs_d.hold = core_hold_i;  // rule: 3
    if (enabled) begin  // rule: 32
      regs_d.err_valid = map_halt || firmware_error || rx_error;
      regs_d.err_code  = ErrProtocol;
      if (firmware_error) regs_d.err_code = act_wdata[7:0];
      if (map_halt) regs_d.err_code = ErrHalt;
    end
    if (firmware_exit) begin  // rule: 33
      regs_d.halted    = 1'b1;
      regs_d.exit_code = act_wdata;
    end
    if (map_halt) begin  // rule: 12
      regs_d.halted    = 1'b1;
      regs_d.exit_code = 32'(ErrHalt);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '{hold: 1'b1, default: '0};
    else         regs_q <= regs_d;
  end

  assign err_valid_o  = enabled && regs_q.err_valid;  // rule: 32
  assign err_code_o   = regs_q.err_code;  // rule: 32
  assign exit_valid_o = regs_q.halted;  // rule: 11
  assign exit_code_o  = regs_q.exit_code;  // rule: 11
  assign halted_o     = regs_q.halted;  // rule: 11

  `DUET_ASSERT_PARAM(ClockOfLegal, ClockOf >= 1 && ClockOf <= 16, "ClockOf must be 1..16")
  `DUET_ASSERT_PARAM(ClockOnLegal, ClockOn >= 1 && ClockOn <= ClockOfP,
                     "ClockOn must be 1..ClockOf")
  `DUET_ASSERT(StaysHalted, !$past(regs_q.halted) || regs_q.halted, "core runs after it has halted")
endmodule
