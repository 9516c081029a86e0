// The door of hlo/text: HLO text as it is written, to a module with typed attributes.
//
//   HloModule name, attribute=value, ...
//   %computation (parameters) -> result {          (what stands behind the name is optional)
//     ROOT %name = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, %b), attribute=value, ...
//   }
//   ENTRY %main { ... }
//
// Operands have their types in front or not, names begin with % or not. Where a computation's name
// may stand, its body may stand in braces.
#ifndef SHARDC_FRONTEND_HLO_PARSER_H
#define SHARDC_FRONTEND_HLO_PARSER_H

#include "frontend/hlo/text/hlo_frames.h"
#include "frontend/hlo/text/hlo_lexer.h"

// A name that stood before its computation.
typedef struct HloNamedCall {
    HloComputation **place;
    StrView name;
    HloLexer at;
} HloNamedCall;

// One program that is being read; what its attributes need.
typedef struct HloParser HloParser;

struct HloParser {
    // A computation's body behind its brace, where its name may stand too.
    HloComputation *(*read_nested)(HloParser *parser, HloLexer *lexer, StrView name);
    HloLexer lexer;
    Context *context;
    Arena *arena;
    HloModule *module;
    const HloFrames *frames;
    StrMap attr_rows; // of the attributes' names: to &rows[HloAttrName]
    StrMap by_name;   // to HloComputation
    VEC(HloComputation *) computations;
    VEC(HloNamedCall) calls;
};

// A whole program; NULL with diagnostics after an error.
HloModule *hlo_parse(const HloSource *source, StrView text);

// The rest is private to the reader of text.
bool hlo_read_shape(HloLexer *lexer, HloShape *shape); // hlo_shape.c
// The literal of a constant as dense elements, of a tuple those of its parts; false
// with a diagnostic (hlo_literal.c).
bool hlo_read_literals(HloLexer *lexer, const Type *type, const Attr ***literals);
bool hlo_read_ints(HloLexer *lexer, IntSpan *ints);
bool hlo_read_pairs(HloLexer *lexer, HloPairs *pairs); // {a="text", b={anything}}
// {{0}: (0, {}, may-alias), {1}: (2, {})}, and of donors { (0, {}), (1, {2}) }
bool hlo_read_aliases(HloLexer *lexer, bool is_donors, HloAliases *aliases);
// The value of an attribute of the instruction (hlo_attr_reader.c); attr->name is set.
bool hlo_read_attr(HloParser *parser, HloLexer *value, StrView owner, HloAttr *attr);

#endif
