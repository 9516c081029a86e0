// VHLO: the versioned copy of StableHLO that portable artifacts hold, and what its ops mean in StableHLO. Private to frontend/.
#ifndef SHARDC_FRONTEND_VHLO_H
#define SHARDC_FRONTEND_VHLO_H

#include "frontend/mlir/mlir_reader.h"

enum {
    VHLO_OLDEST = 9,     // 0.9.0: major * 1000 + minor
    VHLO_CURRENT = 1020, // 1.20.0
    MAX_VHLO_ATTRS = 24  // of one op
};

typedef struct VhloOp {
    const char *name; // without dialect and version
    int version;
    int since;         // the StableHLO version that brought it
    const char *attrs; // "name name=usual ...": see vhlo.def
} VhloOp;

// One word of VhloOp.attrs.
typedef struct VhloAttr {
    StrView name;
    StrView usual; // empty when it is always written in StableHLO too
} VhloAttr;

const VhloOp *vhlo_find(StrView name); // "add_v1"; NULL when there is none
int vhlo_attrs(const VhloOp *op, VhloAttr attrs[MAX_VHLO_ATTRS]);
// The code of the op that a VHLO op stands for; vhlo.return is of func or of stablehlo.
bool vhlo_op_code(const VhloOp *op, bool in_func, OpCode *code);
// The structured attribute that holds an op's dimension numbers; false when it has none.
bool vhlo_structured_attr(OpCode code, AttrName *name, AttrKind *kind);
// Has an attribute the value that StableHLO leaves out? usual: see vhlo.def.
bool vhlo_is_usual(const Attr *value, StrView usual);
// Pushes the attributes of StableHLO's op on reader->attrs; values: one per attribute of the VHLO op. `at`: for diagnostics.
bool vhlo_import(
    Reader *reader, const Token *at, OpCode code, const VhloOp *op, const Attr *const *values);

#endif
