// The pretty form of ops as data: the column FORM of ops.def, used by the reader and by the
// printer.
//
// It is the sequence of what stands behind the op's name: fixed text, operands, attributes, the
// attribute dictionary, types. Others have a form of their own (functions, while, reduce, constants
// ...) or only the generic form.
#ifndef SHARDC_IR_ASM_FORMAT_H
#define SHARDC_IR_ASM_FORMAT_H

#include "ir/op.h"

typedef enum AsmStepKind {
    STEP_END,
    STEP_TEXT,           // text as printed; blanks do not count when it is read
    STEP_OPERAND,        // the next operand
    STEP_OPERANDS,       // all others: %a, %b; may be none
    STEP_OPERANDS_COMMA, // all others, each with a comma behind it: %a, %b,
    STEP_INT,            // an integer attribute without its type; detail: ElementType
    STEP_FLOAT,          // a float attribute without its type; detail: ElementType
    STEP_BOOL,           // true or false
    STEP_INTS,           // [1, 2]: array<i64>
    STEP_ENUM,           // keyword; detail: EnumKind
    STEP_STRING,         // "text"
    STEP_ATTR,           // any attribute with its type
    STEP_UNIT,           // nothing, of a unit attribute whose word stood in front
    STEP_SYMBOL,         // @name, kept as a string
    STEP_FLAGS,          // <nnan,contract>: an attribute of arith, #arith.`text`<...>
    STEP_OPTIONAL,       // `text` and what follows up to STEP_CLOSE only if the attribute is there
    STEP_CLOSE,
    STEP_REGIONS,      // ({ ... }, { ... }), when there are regions
    STEP_ATTR_DICT,    // { ... } of the attributes that no step names
    STEP_SLICE_RANGES, // [0:4, 0:8:2]
    STEP_CONV_DIMS,    // [b, 0, f]x[0, i, o]->[b, 0, f]
    STEP_WINDOW,    // stride = [..], pad = [[..]], lhs_dilate = .., rhs_dilate = .., reverse = [..]
    STEP_DOT_DIMS,  // batching_dims = [0] x [0], contracting_dims = [1] x [0]
    STEP_PRECISION, // , precision = [DEFAULT, DEFAULT]
    STEP_ALGORITHM, // , precision = [..], algorithm = <...>
    STEP_FLOAT_FORMAT, // e8m7
    // sdy
    STEP_OWN_SHARDING,          // <@mesh, [..]>: Value.sharding of the result
    STEP_OPTIONAL_OWN_SHARDING, // the same with `text` in front, when there is one
    STEP_SHARDINGS,             // name=[<..>, <..>]; detail 1: optional
    STEP_AXES,                  // {"x", "y"}
    STEP_AXES_PER_DIM,          // [{"x"}, {}]
    STEP_ALL_TO_ALL,            // [{"x"}: 0->1]
    STEP_REDUCTION,             // max or min, absent for sum
    STEP_MESH,                  // <["x"=2]>
    STEP_SYMBOL_NAME,           // @name: sym_name
    STEP_ANGLE_STRING,          // <"name">
    STEP_BODY,                  // (%a: T, ...) { ... }
    // types, with ` : ` in front
    STEP_TYPE_FUNCTIONAL, // (T, T) -> U
    STEP_TYPE_SAME,       // T when operands and results have one type, else functional
    STEP_TYPE_COMPLEX,    // the result's when the operands are its real parts, else functional
    STEP_TYPE_SELECT,     // predicate, result; else functional
    STEP_TYPE_RESULTS,    // T, T
    STEP_TYPE_TUPLE,      // tuple<T, T>: operands have the parts' types
    STEP_TYPE_PAIRWISE,   // T, T: operands and results; without operands nothing but ()
    STEP_TYPE_OPERANDS,   // T, T: of all operands; nothing at all when there are none; no results
    STEP_TYPE_ONE,        // T: of every operand and result
    STEP_TYPE_ARROW,      // T, T -> U
    STEP_TYPE_TO,         // T to U: of the operand and the result, or of two operands
    STEP_TYPE_TOP_K,      // T -> (U, V)
    STEP_TYPE_VALUE       // nothing: the operands have the type of the attribute `name`
} AsmStepKind;

typedef struct AsmStep {
    AsmStepKind kind;
    AttrName name;
    const char *text;
    int detail;
} AsmStep;

// What stands behind the `:` of an op of the dialect mpi: its results' types alone, or its
// operands' types, then -> and those of its results.
bool mpi_types_are_results(OpCode code);

// The op's form, ended by STEP_END; NULL when it has none here.
const AsmStep *asm_format(OpCode code);

#endif
