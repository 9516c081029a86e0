// VHLO: the versioned copy of StableHLO that portable artifacts hold, and what its ops mean in
// StableHLO. Private to frontend/.
#ifndef SHARDC_FRONTEND_VHLO_H
#define SHARDC_FRONTEND_VHLO_H

#include "frontend/mlir/syntax/mlir_reader.h"

enum {
    VHLO_OLDEST = 9,     // 0.9.0: major * 1000 + minor
    VHLO_CURRENT = 1020, // 1.20.0
    MAX_VHLO_ATTRS = 24  // of one op
};

// One version of an op: SINCE of ops.def's column VHLO. vhlo.NAME_vVERSION is the
// artifact's name of stablehlo.NAME (func, return and call: of func). It may be written
// until the op's next version is there.
//
// The attributes are in the artifact's order, which is that of the alphabet. `name=usual`: absent
// from StableHLO's op where it has this value, always written in the artifact.
//   false 0 -1 1 [] {} ''   the value             none  an empty list of dimensions
//   ones, falses            one per dimension of the window
//   zeros                   a pair per dimension of the window
//   config                  '' or {}, as the version of the API has it
//   precisions              DEFAULT per operand;  NOTYPE, ORIGINAL, accuracy   the usual one
// A field of a structured attribute (dimension numbers, channel, dot algorithm) stands
// alone: see dim_fields.h, vhlo.c.
typedef struct VhloOp {
    int since;         // the StableHLO version that brought it: major * 1000 + minor
    const char *attrs; // "name name=usual ..."
} VhloOp;

// One word of VhloOp.attrs.
typedef struct VhloAttr {
    StrView name;
    StrView usual; // empty when it is always written in StableHLO too
} VhloAttr;

const VhloOp *vhlo_find(StrView name);             // "add_v1"; NULL when there is none
StrView vhlo_name(Arena *arena, const VhloOp *op); // "vhlo.add_v1"
// The version of the op for a StableHLO version: the newest that is there by then, or the first.
const VhloOp *vhlo_for(OpCode code, int target);
int vhlo_attrs(const VhloOp *op, VhloAttr attrs[MAX_VHLO_ATTRS]);
// The op that a VHLO op stands for; vhlo.return is of func or of stablehlo.
OpCode vhlo_op_code(const VhloOp *op, bool in_func);
// Has an attribute the value that StableHLO leaves out? usual: see VhloOp.
bool vhlo_is_usual(const Attr *value, StrView usual);
// Pushes the attributes of StableHLO's op on reader->attrs; values: one per attribute of the
// VHLO op. `at`: for diagnostics.
bool vhlo_import(
    Reader *reader, const Token *at, OpCode code, const VhloOp *op, const Attr *const *values);

#endif
