/// Decodes bytes 0 to 7 of an outer header and finds its faults (specification 3.5, rule 5 of the
/// README). Combinational.
module depacketizer_header #(
  parameter int unsigned Line = 128,
  localparam int unsigned IdxW = $clog2(Line)
) (
  input  logic [7:0][7:0] info_i,
  input  logic [IdxW-1:0] addr_i,       // low part of the address, a multiple of 4
  output logic            is_pack_o,    // at most one of these; none is a read
  output logic            is_write_o,
  output logic            is_atomic_o,
  output logic            is_mark_o,
  output logic            fault_o,      // nothing of the packet may reach the output
  output logic [3:0]      fault_code_o,
  output logic [3:0]      aop_o,        // 0 but for atomics
  output logic [3:0]      size_o,       // bytes that an atomic works on
  output logic [IdxW:0]   read_len_o,   // bytes from the first to the last DW of a read
  output logic            one_dw_o      // Length is 1
);
  import finepack_pkg::*;

  logic [2:0]  fmt;
  logic [4:0]  tlp_type;
  logic [10:0] dws;  // Length, 1..1024
  logic [3:0]  first_be, last_be;
  assign {fmt, tlp_type}     = info_i[0];
  assign dws                 = {info_i[2][1:0] == 2'd0 && info_i[3] == 8'd0, info_i[2][1:0], info_i[3]};
  assign {last_be, first_be} = info_i[7];
  assign one_dw_o            = dws == 11'd1;
  assign read_len_o          = (IdxW + 1)'({dws, 2'b00});

  // Traffic class, tag bits 8 and 9, TD and the attributes of other types do not matter here.
  wire unused_info = ^{info_i[1][7:6], info_i[1][3], info_i[1][1:0], info_i[2][7], info_i[2][5:2],
                       info_i[4], info_i[5], info_i[6]};

  logic is_read, is_cas;
  assign is_read     = fmt == FmtNoData && tlp_type == TypeMem;
  assign is_pack_o   = fmt == FmtWithData && tlp_type == TypeFinePack;
  assign is_write_o  = fmt == FmtWithData && tlp_type == TypeMem;
  assign is_cas      = fmt == FmtWithData && tlp_type == TypeCas;
  assign is_atomic_o = fmt == FmtWithData
                       && (tlp_type == TypeFetchAdd || tlp_type == TypeSwap || tlp_type == TypeCas);
  assign is_mark_o   = is_read && one_dw_o && info_i[7] == 8'h00;
