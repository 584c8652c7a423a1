`include "duet_assert.svh"

/// Ibex behind its clock gate, and the trace of what it retires. A retirement in cycle r is on
/// `trace` in r+1, from Ibex's RVFI; there what belongs to no load or store, no written register or
/// a trap is 0 (README.md, rules 6, 10).
module command_processor_core  // rule: 6
  import cpelide_pkg::*;
  import ibex_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        enabled_i,  // this cycle is the processor's
  input  logic        run_i,      // and the core is clocked at its end
  input  logic        hold_i,     // the core is in reset
  // fetch
  output logic        instr_req_o,
  input  logic        instr_gnt_i,
  output logic [31:0] instr_addr_o,
  input  logic        instr_rvalid_i,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,
  // data
  output logic        data_req_o,
  input  logic        data_gnt_i,
  output logic        data_we_o,
  output logic [3:0]  data_be_o,
  output logic [31:0] data_addr_o,  // of the word
  output logic [31:0] data_wdata_o,
  input  logic        data_rvalid_i,
  input  logic [31:0] data_rdata_i,
  output logic        trace_valid_o,
  output trace_t      trace_o
);
  logic clk;
  prim_clock_gating u_gate (  // rule: 11
    .clk_i,
    .en_i     (run_i),
    .test_en_i(1'b0),
    .clk_o    (clk)
  );

  wire rst_n = rst_ni && !hold_i;  // rule: 3

  logic        rvfi_valid, rvfi_trap;
  logic [63:0] rvfi_order;
  logic [31:0] rvfi_insn, rvfi_pc, rvfi_wdata;
  logic [4:0]  rvfi_rd;
  logic [31:0] rvfi_mem_addr, rvfi_mem_rdata, rvfi_mem_wdata;
  logic [3:0]  rvfi_mem_mask;

  // Left open: what RVFI shows beyond `trace_t`, and what only a debugger, scrambling or a lockstep
  // core would want.
  // verilator lint_off PINCONNECTEMPTY
  ibex_top #(
    .RV32M          (RV32MFast),
    .RV32B          (RV32BNone),
    .RegFile        (RegFileFF),
    .BranchTargetALU(1'b0),
    .WritebackStage (1'b0),
    .ICache         (1'b0)
  ) u_ibex (
    .clk_i               (clk),
    .rst_ni              (rst_n),
    .test_en_i           (1'b0),
    .ram_cfg_i           ('0),
    .hart_id_i           ('0),
    .boot_addr_i         ('0),
    .instr_req_o,
    .instr_gnt_i,
    .instr_rvalid_i,
    .instr_addr_o,
    .instr_rdata_i,
    .instr_rdata_intg_i  ('0),
    .instr_err_i,
    .data_req_o,
    .data_gnt_i,
    .data_rvalid_i,
    .data_we_o,
    .data_be_o,
    .data_addr_o,
    .data_wdata_o,
    .data_wdata_intg_o   (),
    .data_rdata_i,
    .data_rdata_intg_i   ('0),
    .data_err_i          (1'b0),
    .irq_software_i      (1'b0),
    .irq_timer_i         (1'b0),
    .irq_external_i      (1'b0),
    .irq_fast_i          ('0),
    .irq_nm_i            (1'b0),
    .scramble_key_valid_i(1'b0),
    .scramble_key_i      ('0),
    .scramble_nonce_i    ('0),
    .scramble_req_o      (),
    .debug_req_i         (1'b0),
    .crash_dump_o        (),
    .double_fault_seen_o (),
    .rvfi_valid,
    .rvfi_order,
    .rvfi_insn,
    .rvfi_trap,
    .rvfi_rd_addr        (rvfi_rd),
    .rvfi_rd_wdata       (rvfi_wdata),
    .rvfi_pc_rdata       (rvfi_pc),
    .rvfi_mem_addr,
    .rvfi_mem_rmask      (rvfi_mem_mask),  // of stores too
    .rvfi_mem_rdata,
    .rvfi_mem_wdata,
    .rvfi_halt(),
    .rvfi_intr(),
    .rvfi_mode(),
    .rvfi_ixl(),
    .rvfi_rs1_addr(),
    .rvfi_rs2_addr(),
    .rvfi_rs3_addr(),
    .rvfi_rs1_rdata(),
    .rvfi_rs2_rdata(),
    .rvfi_rs3_rdata(),
    .rvfi_pc_wdata(),
    .rvfi_mem_wmask(),
    .rvfi_ext_pre_mip(),
    .rvfi_ext_post_mip(),
    .rvfi_ext_nmi(),
    .rvfi_ext_nmi_int(),
    .rvfi_ext_debug_req(),
    .rvfi_ext_debug_mode(),
    .rvfi_ext_rf_wr_suppress(),
    .rvfi_ext_mcycle(),
    .rvfi_ext_mhpmcounters(),
    .rvfi_ext_mhpmcountersh(),
    .rvfi_ext_ic_scr_key_valid(),
    .rvfi_ext_irq_valid(),
    .fetch_enable_i      (IbexMuBiOn),
    .alert_minor_o       (),
    .alert_major_internal_o(),
    .alert_major_bus_o   (),
    .core_sleep_o        (),
    .scan_rst_ni         (1'b1)
  );
  // verilator lint_on PINCONNECTEMPTY

  // RVFI does not tell loads and stores from the rest: the instruction that retires in the cycle of
  // an answer is one.
  typedef struct packed {
    logic we;     // the access under way is a store
    logic load;   // a load was answered in that cycle
    logic store;
  } regs_t;
  regs_t regs_d, regs_q;
  always_comb begin : next_state  // rule: 10
    regs_d = regs_q;
    if (run_i) begin
      if (data_req_o && data_gnt_i) regs_d.we = data_we_o;
      regs_d.load  = data_rvalid_i && !regs_q.we;
      regs_d.store = data_rvalid_i && regs_q.we;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  // The core is stopped in the middle of a load or store: RVFI holds no retirement then.
  assign trace_valid_o = enabled_i && rvfi_valid;  // rule: 10
  wire load  = regs_q.load && !rvfi_trap;
  wire store = regs_q.store && !rvfi_trap;
  wire [31:0] stored = {{8{rvfi_mem_mask[3]}}, {8{rvfi_mem_mask[2]}},
                        {8{rvfi_mem_mask[1]}}, {8{rvfi_mem_mask[0]}}};
  assign trace_o = '{  // rule: 10
      order:     rvfi_order,
      trap:      rvfi_trap,
      pc:        rvfi_pc,
      insn:      rvfi_insn,
      rd:        rvfi_trap ? '0 : rvfi_rd,
      wdata:     rvfi_trap ? '0 : rvfi_wdata,
      mem_addr:  (load || store) ? rvfi_mem_addr : '0,
      mem_rmask: load ? rvfi_mem_mask : '0,
      mem_wmask: store ? rvfi_mem_mask : '0,
      mem_rdata: load ? rvfi_mem_rdata : '0,
      mem_wdata: store ? rvfi_mem_wdata & stored : '0
  };

  `DUET_ASSERT(QuietInReset, rst_n || !(instr_req_o || data_req_o), "request of a core in reset")
  `DUET_ASSERT(StoppedIsQuiet, !enabled_i || run_i || !rvfi_valid,
               "retirement shown of a core that has halted")
  `DUET_ASSERT(AlignedWord, !data_req_o || data_addr_o[1:0] == '0,
               "data address is not that of a word")
endmodule
