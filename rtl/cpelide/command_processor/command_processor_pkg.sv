/// Address map and mailbox of the command processor (README.md, rules 12 and 35).
package command_processor_pkg;
  // Each part uses some of them.
  // verilator lint_off UNUSEDPARAM
  // Words of the memories.
  localparam int unsigned ImemWords = 16384;
  localparam int unsigned DtcmWords = 4096;
  localparam int unsigned PmemWords = 16384;

  // Cycles from grant to answer; the private memory's are a parameter.
  localparam int unsigned ImemLat  = 2;
  localparam int unsigned DtcmLat  = 1;
  localparam int unsigned SlotsLat = 4;

  // Words of the mailbox, by offset / 4.
  localparam logic [5:0] RegId      = 6'h00;
  localparam logic [5:0] RegConf    = 6'h01;
  localparam logic [5:0] RegCycle   = 6'h02;
  localparam logic [5:0] RegPktStat = 6'h04;
  localparam logic [5:0] RegPktPop  = 6'h05;
  localparam logic [5:0] RegPktMeta = 6'h06;  // the first of 4
  localparam logic [5:0] RegTxLo    = 6'h0C;
  localparam logic [5:0] RegTxDst   = 6'h0D;
  localparam logic [5:0] RegTxHi    = 6'h0E;
  localparam logic [5:0] RegTxFree  = 6'h0F;
  localparam logic [5:0] RegAckPend = 6'h10;
  localparam logic [5:0] RegRxStat  = 6'h11;
  localparam logic [5:0] RegRxLo    = 6'h12;
  localparam logic [5:0] RegRxHi    = 6'h13;
  localparam logic [5:0] RegSigLo   = 6'h14;
  localparam logic [5:0] RegSigHi   = 6'h15;
  localparam logic [5:0] RegWait    = 6'h16;
  localparam logic [5:0] RegError   = 6'h17;
  localparam logic [5:0] RegExit    = 6'h18;
  localparam logic [5:0] RegCnt     = 6'h20;  // the first of 16
  localparam logic [5:0] RegCnt8Run = 6'h30;

  // Value of ID.
  localparam logic [31:0] Id = 32'h4350_4531;

  // The counter that hardware counts.
  localparam logic [3:0] TimedCnt = 4'd8;
  // verilator lint_on UNUSEDPARAM

  // Where an access of the data port goes.
  typedef enum logic [2:0] {
    RegionNone, RegionImem, RegionDtcm, RegionPmem, RegionSlots, RegionMailbox
  } region_e;

  function automatic region_e region_of(logic [31:8] addr);  // rule: 12
    unique case (addr[31:16])
      16'h0000: return RegionImem;
      16'h0800: return (addr[15:14] == '0) ? RegionDtcm : RegionNone;
      16'h1000: return RegionPmem;
      16'h2000: return (addr[15:14] == '0) ? RegionSlots : RegionNone;
      16'h4000: return (addr[15:8] == '0) ? RegionMailbox : RegionNone;
      default:  return RegionNone;
    endcase
  endfunction

  // A word of the mailbox may be read; those that are write only read 0.
  function automatic logic readable(logic [5:0] word);  // rule: 35
    return word <= RegCnt8Run
        && !(word inside {6'h03, 6'h0A, 6'h0B, [6'h19:6'h1F]});
  endfunction

  function automatic logic writable(logic [5:0] word);  // rule: 35
    return word inside {RegPktPop, RegTxLo, RegTxDst, RegTxHi, RegSigLo, RegSigHi, RegError,
                        RegExit, [RegCnt:RegCnt8Run]};
  endfunction
endpackage
