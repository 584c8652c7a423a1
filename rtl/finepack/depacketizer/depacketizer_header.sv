/// Decodes bytes 0 to 7 of an outer header and finds its faults (specification 3.5, rule 5 of the
/// README). Combinational.
module depacketizer_header #(  // rule: 5
  parameter int unsigned Line = 128,
  localparam int unsigned IdxW = $clog2(Line)
) (
  input  logic [7:0][7:0] info_i,
  input  logic [IdxW-1:0] lo_i,         // the address within its line, a multiple of 4
  output logic            is_pack_o,    // one of these four is set when there is no fault
  output logic            is_write_o,
  output logic            is_read_o,    // MARK too
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
  logic [9:0]  length;
  assign {fmt, tlp_type}     = info_i[0];
  assign length              = {info_i[2][1:0], info_i[3]};
  assign dws                 = {length == 10'd0, length};
  assign {last_be, first_be} = info_i[7];
  assign one_dw_o            = dws == 11'd1;

  // Nothing here depends on traffic class, attributes, TD, requester and tag.
  wire unused_info = ^{info_i[1][7:6], info_i[1][3], info_i[1][1:0], info_i[2][7], info_i[2][5:2],
                       info_i[4], info_i[5], info_i[6]};

  logic is_cas;
  assign is_cas      = fmt == FmtWithData && tlp_type == TypeCas;
  assign is_pack_o   = fmt == FmtWithData && tlp_type == TypeFinePack;
  assign is_write_o  = fmt == FmtWithData && tlp_type == TypeMem;
  assign is_read_o   = fmt == FmtNoData && tlp_type == TypeMem;
  assign is_atomic_o = is_cas || (fmt == FmtWithData
                                  && (tlp_type == TypeFetchAdd || tlp_type == TypeSwap));
  assign is_mark_o   = is_read_o && one_dw_o && info_i[7] == 8'h00;  // rule: 9

  always_comb begin  // rule: 9
    aop_o = '0;
    if (is_atomic_o) begin
      unique case (tlp_type)
        TypeSwap: aop_o = AopSwap;
        TypeCas:  aop_o = AopCas;
        default:  aop_o = {1'b0, info_i[1][5:4], info_i[1][2]};
      endcase
    end
  end

  // Operands of 4 or 8 bytes, two of them for cas; aligned to their size, so they cross no line.
  logic [10:0] size_dws;
  logic        atomic_ok;
  assign size_dws  = is_cas ? dws >> 1 : dws;  // rule: 9
  assign size_o    = 4'({size_dws, 2'b00});  // rule: 9
  assign atomic_ok = (size_dws == 11'd1 || (size_dws == 11'd2 && !lo_i[2])) && !(is_cas && dws[0]);

  // A read stays within the line that it starts in.
  logic read_ok;
  assign read_len_o = (IdxW + 1)'({dws, 2'b00});  // rule: 9
  assign read_ok    = 14'({dws, 2'b00}) + 14'(lo_i) <= 14'(Line);

  logic pack_ok;
  assign pack_ok = first_be == 4'b0000
                   && (last_be == 4'b0001 || last_be == 4'b0011 || last_be == 4'b0111
                       || last_be == 4'b1111);

  // The lowest code is shown.
  always_comb begin
    fault_o      = 1'b1;
    fault_code_o = ErrBadType;
    if (!(is_pack_o || is_write_o || (is_read_o && read_ok) || (is_atomic_o && atomic_ok))) begin
      fault_code_o = ErrBadType;
    end else if (is_pack_o && !pack_ok) begin
      fault_code_o = ErrTruncated;
    end else if (info_i[2][6]) begin
      fault_code_o = ErrPoisoned;
    end else begin
      fault_o = 1'b0;
    end
  end
endmodule
