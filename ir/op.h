// Ops, values, regions: the program as a tree of regions with use lists.
//
// Every region has exactly one block, so a region is its list of arguments and ops.
// All live in the module's arena.
#ifndef SHARDC_IR_OP_H
#define SHARDC_IR_OP_H

#include "base/diag.h"
#include "ir/attr.h"

#include <assert.h>

typedef enum Dialect {
#define DIALECT(name, text, extent) DIALECT_##name,
#include "ir/dialects/ops.def"
    DIALECT_COUNT
} Dialect;

// All columns stand here: a row with one too few or too many compiles nowhere.
typedef enum OpCode {
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, vhlo, hlo)                                                                       \
    OP_##name,
#include "ir/dialects/ops.def"
    OP_COUNT
} OpCode;

// The traits of ops.def, as bits.
typedef enum OpTrait {
    TRAIT_POINTWISE = 1 << 0,
    TRAIT_COMMUTES = 1 << 1,
    TRAIT_VIEW = 1 << 2,
    TRAIT_CONSTANT = 1 << 3,
    TRAIT_COLLECTIVE = 1 << 4,
    TRAIT_TERMINATOR = 1 << 5,
    TRAIT_ISOLATED = 1 << 6,
    TRAIT_SYMBOL = 1 << 7,
    TRAIT_EFFECT = 1 << 8,
    TRAIT_DYNAMIC = 1 << 9,
    TRAIT_LINEAR = 1 << 10,
    TRAIT_IDENTITY = 1 << 11,
    TRAIT_REDUCES = 1 << 12,
    TRAIT_ELEMENTWISE = 1 << 13,
    TRAIT_UNSIGNED = 1 << 14
} OpTrait;

typedef struct Op Op;
typedef struct Value Value;
typedef struct Region Region;
typedef struct Use Use;

// One operand of one op; also a link in the value's use list (newest first).
struct Use {
    Op *owner; // owner->operands[use_index(use)] is this
    Value *value;
    Use *next, *prev; // other uses of value
};

// A result of an op (def != NULL) or an argument of a region (region != NULL).
struct Value {
    const Type *type;
    Op *def;
    Region *region;
    Use *uses;
    // NULL = none given. Of a collective, constraint, reshard or edge: its own sharding.
    const Sharding *sharding;
    const Loc *loc;
    int index;      // result number or argument number
    int32_t number; // unique in the module, in order of creation: for stable orders and side arrays
};

typedef struct NamedAttr {
    AttrName name;
    const Attr *value;
} NamedAttr;

// A program may have hundreds of thousands: operands and results that it is made with lie
// behind it in one piece of memory.
struct Op {
    OpCode code;
    int32_t number; // unique in the module, in order of creation
    StrView name;   // "stablehlo.add"; of OP_UNREGISTERED as written
    int operand_count, result_count, region_count, attr_count;
    Use *operands; // use op_operand
    Value *results;
    Region **regions;
    NamedAttr *attrs; // inherent attributes, sorted by AttrName
    // ATTR_DICT of discardable attributes, NULL = none. `sdy.sharding` is not in it, unless it is
    // wrong: see Value.sharding
    const Attr *extra;
    // OP_FUNC only: one per function result, entries may be NULL; else NULL
    const Sharding **result_shardings;
    // of an op without results (one entry of its sdy.sharding), else NULL
    const Sharding *own_sharding;
    const Loc *loc;
    Region *parent;  // NULL for the module and for detached ops
    Op *prev, *next; // in parent
};

struct Region {
    Op *owner;
    Value **args;
    int arg_count;
    int index; // owner->regions[index] is this
    Op *first, *last;
};

// From the rows:
StrView op_code_text(OpCode code);     // "stablehlo.add"
StrView op_code_mnemonic(OpCode code); // "add"
Dialect op_code_dialect(OpCode code);
static inline Dialect op_dialect(const Op *op) { return op_code_dialect(op->code); }
StrView dialect_text(Dialect dialect);
bool dialect_from_text(StrView text, Dialect *dialect); // not of DIALECT_UNKNOWN
StrView dialect_text_of(StrView name);  // the part in front of the first dot, empty without one
bool dialect_is_whole(Dialect dialect); // an op of it that no row names is a mistake
bool op_code_from_text(StrView text, OpCode *code);
int op_code_operands(OpCode code);       // -1 = any number
int op_code_least_operands(OpCode code); // what is not variadic
int op_code_results(OpCode code);
int op_code_regions(OpCode code);
bool op_code_has(OpCode code, OpTrait trait);

typedef enum OpAttrRole {
    ATTR_ROLE_END, // behind the op's last one
    ATTR_ROLE_OWN, // an attribute `name` of the op
    // Value.sharding of the result ("sharding" of a constraint, "out_sharding" of a collective)
    ATTR_ROLE_SHARDING,
    ATTR_ROLE_RECORD // read and dropped
} OpAttrRole;

// What an attribute may be.
typedef enum AttrConstraint {
#define CONSTRAINT(name, test, words) CONSTRAINT_##name,
#include "ir/attr_constraints.def"
    CONSTRAINT_COUNT
} AttrConstraint;

// An item of the column ATTRIBUTES: an inherent attribute (a property) of the op.
typedef struct OpAttr {
    OpAttrRole role;
    AttrName name;
    const char *text; // its name in the generic form; NULL: attr_name_text(name)
    bool is_optional; // it may be absent
    AttrConstraint constraint;
    AttrKind dims; // ATTR_DOT_DIMS, ATTR_GATHER_DIMS, ATTR_SCATTER_DIMS, ATTR_CONV_DIMS or 0
} OpAttr;

const OpAttr *op_code_attrs(OpCode code); // up to one of ATTR_ROLE_END
StrView op_attr_item_text(const OpAttr *attr);
// Is `text` the name of an inherent attribute of the op? *name says which.
// `sdy.sharding_rule` is one of every op's.
bool op_inherent_attr(OpCode code, StrView text, AttrName *name);
// How the op calls this attribute: attr_name_text but for the axes of collectives.
StrView op_attr_text(OpCode code, AttrName name);
// The text of ATTR_ROLE_SHARDING; empty for other ops, whose results' shardings
// are the discardable sdy.sharding.
StrView op_own_sharding_text(OpCode code);
// The attribute that holds the op's dimension numbers; false when it has none.
bool op_dims_attr(OpCode code, AttrName *name, AttrKind *kind);

static inline bool op_has(const Op *op, OpTrait trait) { return op_code_has(op->code, trait); }
// A collective of Shardy's, on shardings; those of StableHLO are on groups of devices.
static inline bool op_is_sdy_collective(const Op *op) {
    return op_dialect(op) == DIALECT_SDY && op_has(op, TRAIT_COLLECTIVE);
}

static inline int use_index(const Use *use) { return (int)(use - use->owner->operands); }

// An index beyond what the op has is a mistake of the caller: look at its counts or its code first.
static inline Value *op_operand(const Op *op, int i) {
    assert(i >= 0 && i < op->operand_count);
    return op->operands[i].value;
}
static inline Value *op_result(const Op *op, int i) {
    assert(i >= 0 && i < op->result_count);
    return (Value *)&op->results[i];
}
static inline const Type *op_operand_type(const Op *op, int i) { return op_operand(op, i)->type; }
static inline const Type *op_result_type(const Op *op, int i) { return op_result(op, i)->type; }
// The terminator of a region, NULL when it is empty.
static inline Op *region_terminator(const Region *region) { return region->last; }
static inline Op *op_parent_op(const Op *op) { return op->parent ? op->parent->owner : NULL; }

// Attributes. The getters with a default serve optional attributes of verified ops.
const Attr *op_attr(const Op *op, AttrName name); // NULL when absent
// ATTR_INT, ATTR_BOOL, ATTR_ENUM; ATTR_UNIT is 1
int64_t op_int(const Op *op, AttrName name, int64_t otherwise);
// ATTR_INTS, or integer ATTR_ELEMENTS that are no splat; {NULL, 0} when absent
IntSpan op_ints(const Op *op, AttrName name);
// The same when the attribute may be absent or a splat: always `count` numbers, in the arena.
const int64_t *op_ints_or(Arena *arena, const Op *op, AttrName name, int count, int64_t otherwise);
StrView op_text(const Op *op, AttrName name); // ATTR_STRING or ATTR_SYMBOL; empty when absent
const Attr *op_extra(const Op *op, const char *name); // a discardable attribute
// One of a reduce: it takes its elements one after the other, whatever else its kernel makes. So
// the bits of a factor, say, do not depend on how many matrices there are.
#define REDUCES_IN_ORDER "shardc.in_order"
// that an sdy.mesh declares; NULL when it has none, and of other ops
const Mesh *op_mesh(const Op *op);

// Uses.
bool value_has_one_use(const Value *value);
const Attr *value_splat(const Value *value); // the same everywhere: a constant, or its broadcast
int value_use_count(const Value *value);
bool value_is_argument(const Value *value);
Region *value_region(const Value *value); // where it is defined
// Is the op inside the region, or inside a region of an op in it?
bool region_contains(const Region *region, const Op *op);
// The ancestor of op (or op itself) that lies directly in region; NULL when there is none.
Op *region_ancestor_of(const Region *region, const Op *op);

// If the region is `(a, b) -> return f(a, b)` for one pointwise op f of its two arguments (any
// order), f's code; else OP_COUNT. Reductions with such bodies have fast forms. For a region with
// 2n arguments, n > 1: OP_COUNT.
OpCode region_reduction_op(const Region *region);
// If the region is `(a.., b..) -> return f(a0, b0), f(a1, b1) ..` for one pointwise op f, f's code;
// else OP_COUNT. Other ops may stand beside, which nothing needs.
OpCode region_combining_op(const Region *region);

#endif
