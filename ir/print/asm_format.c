// asm_format: the words of ops.def's column FORM, and the forms that they make.
#include "ir/print/asm_format.h"

// One step each; the steps are described in asm_format.h.
#define NO_NAME ATTR_NAME_COUNT
#define STEP(kind) \
    { STEP_##kind, NO_NAME, NULL, 0 }
#define NAMED(kind, n) \
    { STEP_##kind, NAME_##n, NULL, 0 }
#define TEXT(t) \
    { STEP_TEXT, NO_NAME, t, 0 }
#define INT(n) \
    { STEP_INT, NAME_##n, NULL, ELEMENT_I64 }
#define INT32(n) \
    { STEP_INT, NAME_##n, NULL, ELEMENT_I32 }
#define UINT(n, e) \
    { STEP_INT, NAME_##n, NULL, ELEMENT_##e }
#define FLOAT(n) \
    { STEP_FLOAT, NAME_##n, NULL, ELEMENT_F64 }
#define KEYWORD(n, e) \
    { STEP_ENUM, NAME_##n, NULL, ENUM_##e }
#define OPTIONAL(n, t) \
    { STEP_OPTIONAL, NAME_##n, t, 0 }
#define OPTIONAL_SHARDING(t) \
    { STEP_OPTIONAL_OWN_SHARDING, NO_NAME, t, 0 }
#define INTS(n)       NAMED(INTS, n)
#define STRING(n)     NAMED(STRING, n)
#define UNIT(n)       NAMED(UNIT, n)
#define CLOSE         STEP(CLOSE)
#define OPERAND       STEP(OPERAND)
#define REST          STEP(OPERANDS) // the operands that no step in front took
#define REST_COMMA    STEP(OPERANDS_COMMA)
#define DICT          STEP(ATTR_DICT)
#define SLICE_RANGES  STEP(SLICE_RANGES)
#define WINDOW        STEP(WINDOW)
#define ALGORITHM     STEP(ALGORITHM)
#define FLOAT_FORMAT  STEP(FLOAT_FORMAT)
#define OWN_SHARDING  STEP(OWN_SHARDING)
#define OUT_SHARDING  TEXT(" out_sharding="), OWN_SHARDING
#define SYMBOL_NAME   STEP(SYMBOL_NAME)
#define BODY          STEP(BODY)
#define REGIONS       STEP(REGIONS)
#define FUNCTIONAL    STEP(TYPE_FUNCTIONAL)
#define SAME          STEP(TYPE_SAME)
#define TYPE_COMPLEX  STEP(TYPE_COMPLEX)
#define TYPE_SELECT   STEP(TYPE_SELECT)
#define TYPE_RESULTS  STEP(TYPE_RESULTS)
#define TYPE_TUPLE    STEP(TYPE_TUPLE)
#define TYPE_PAIRWISE STEP(TYPE_PAIRWISE)
#define TYPE_OPERANDS STEP(TYPE_OPERANDS)
#define TYPE_ONE      STEP(TYPE_ONE)
#define TYPE_ARROW    STEP(TYPE_ARROW)
#define TYPE_TO       STEP(TYPE_TO)
#define TYPE_TOP_K    STEP(TYPE_TOP_K)

// Forms that many ops share.
#define UNARY          TEXT(" "), OPERAND, DICT, SAME
#define BINARY         TEXT(" "), OPERAND, TEXT(", "), OPERAND, DICT, SAME
#define FAST \
    OPTIONAL(FASTMATH, " fastmath"), {.kind = STEP_FLAGS, .name = NAME_FASTMATH, .text = "fastmath"}, CLOSE
#define OVERFLOW \
    OPTIONAL(OVERFLOW_FLAGS, " overflow"), {.kind = STEP_FLAGS, .name = NAME_OVERFLOW_FLAGS, .text = "overflow"}, CLOSE
#define FAST_UNARY      TEXT(" "), OPERAND, FAST, DICT, SAME
#define FAST_BINARY     TEXT(" "), OPERAND, TEXT(", "), OPERAND, FAST, DICT, SAME
#define OVERFLOW_BINARY TEXT(" "), OPERAND, TEXT(", "), OPERAND, OVERFLOW, DICT, SAME
#define PLAIN          TEXT(" "), REST, DICT, FUNCTIONAL
#define NULLARY        DICT, TYPE_RESULTS
#define CHLO_UNARY     TEXT(" "), OPERAND, DICT, TYPE_ARROW
#define CHLO_BINARY    TEXT(" "), OPERAND, TEXT(", "), OPERAND, DICT, TYPE_ARROW
#define CHLO_BROADCAST TEXT(" "), OPERAND, TEXT(", "), OPERAND, DICT, FUNCTIONAL
#define ON_VALUE       TEXT(" "), OPERAND, TEXT(" "), OWN_SHARDING, DICT, TYPE_ONE

#define FORM(...) \
    { __VA_ARGS__ }
#define OWN_FORM(name) \
    { STEP(END) }
#define MODULE_FORM \
    { STEP(END) }
#define NO_FORM \
    { STEP(END) }

enum { MAX_STEPS = 20 };

static const AsmStep formats[OP_COUNT][MAX_STEPS] = {
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ...) \
    [OP_##name] = form,
#include "ir/dialects/ops.def"
};

const AsmStep *asm_format(OpCode code) {
    return formats[code][0].kind == STEP_END ? NULL : formats[code];
}
