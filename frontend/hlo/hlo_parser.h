// HLO text as it is written: computations of instructions, with the text of their attributes.
//
//   HloModule name, attribute=value, ...
//   %computation (parameters) -> result {          (what stands behind the name is optional)
//     ROOT %name = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, %b), attribute=value, ...
//   }
//   ENTRY %main { ... }
//
// Operands have their types in front or not, names begin with % or not. Shapes become the IR's types; layouts are kept beside them.
#ifndef SHARDC_FRONTEND_HLO_PARSER_H
#define SHARDC_FRONTEND_HLO_PARSER_H

#include "base/map.h"
#include "base/vec.h"
#include "frontend/hlo/hlo_lexer.h"
#include "ir/type.h"

// One array, token or tuple.
typedef struct HloShape {
    const Type *type;
    const int64_t *layout;        // of arrays: dimensions, the fastest first; NULL = row-major
    bool is_tiled;                // the layout has tiles or other things that move elements
    const struct HloShape *parts; // of tuples: type->part_count of them
} HloShape;

typedef struct HloAttr {
    StrView name;
    HloLexer value;
    bool is_used; // somebody has read it
} HloAttr;

typedef struct HloInstr {
    StrView name, opcode;
    const Loc *loc; // with what its metadata says
    HloLexer at;    // its opcode
    HloShape shape;
    bool is_root;
    int64_t parameter; // its number; -1 of everything but parameters
    HloLexer literal;  // of a constant
    int *operands;     // instructions of the same computation, all before this one
    int operand_count;
    HloAttr *attrs;
    int attr_count;
} HloInstr;

typedef struct HloComputation {
    StrView name;
    HloLexer at;
    HloInstr *instrs;
    int instr_count;
    int root;
    int *parameters; // instructions by parameter number
    int parameter_count;
    bool is_open;    // being translated: a call of it would be a recursion
    struct Op *func; // what calls of it call; NULL until there is one
} HloComputation;

typedef struct HloModule {
    StrView name;
    HloLexer at;
    HloAttr *attrs;
    int attr_count;
    VEC(HloComputation *) computations;
    StrMap by_name; // to HloComputation
    HloComputation *entry;
    int64_t instr_count;
} HloModule;

// A whole program; NULL with diagnostics after an error.
HloModule *hlo_parse(const HloSource *source, StrView text);

bool hlo_read_shape(HloLexer *lexer, HloShape *shape); // hlo_shape.c
bool hlo_element_from_word(StrView word, ElementType *element);
// A literal of a constant as dense elements; NULL with a diagnostic (hlo_literal.c).
const struct Attr *hlo_read_literal(HloLexer *lexer, const Type *type);

// What the tables behind the module's first line say of where an instruction comes from (hlo_frames.c).
typedef struct HloFrames HloFrames;
HloFrames *hlo_read_frames(HloLexer *lexer); // all tables that stand here; NULL with a diagnostic
// metadata={op_name="..." source_file="..." source_line=7 stack_frame_id=2}
bool hlo_read_metadata(HloLexer value, const HloFrames *frames, Loc *loc);

#endif
