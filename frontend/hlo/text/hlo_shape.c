// hlo_shape: f32[2,3]{1,0}, (s32[], f32[2]), token[].
#include "frontend/hlo/text/hlo_parser.h"

enum { MAX_TUPLE_NESTING = 64 };

// [2,3] behind the element type.
static bool read_dims(HloLexer *lexer, ElementType element, Type *type) {
    int64_t bytes = (int64_t)element_bytes(element);
    if (!hlo_expect(lexer, "[")) return false;
    if (hlo_accept(lexer, "]")) return true;
    do {
        HloLexer at = *lexer;
        if (hlo_looks_at(lexer, "<=") || hlo_looks_at(lexer, "?"))
            return hlo_unsupported(lexer, "dynamic dimensions are not supported in HLO text");
        int64_t size;
        if (!hlo_read_int(lexer, &size)) return false;
        const char *problem = hlo_add_dim(type, &bytes, size);
        if (problem) return hlo_error(&at, "%s", problem);
    } while (hlo_accept(lexer, ","));
    return hlo_expect(lexer, "]");
}

// {1,0}, {1,0:T(8,128)}, {:S(1)}: the last parts are tiles, memory spaces and the like.
static bool read_layout(HloLexer *lexer, HloShape *shape) {
    HloLexer value;
    if (!hlo_read_raw(lexer, &value) || !hlo_expect(&value, "{")) return false;
    int rank = shape->type->rank;
    int64_t *order = ARENA_ARRAY(lexer->source->arena, int64_t, rank + 1);
    uint64_t seen = 0;
    int count = 0;
    while (!hlo_looks_at(&value, ":") && !hlo_looks_at(&value, "}")) {
        HloLexer at = value;
        int64_t d;
        if (count > 0 && !hlo_expect(&value, ",")) return false;
        if (!hlo_read_int(&value, &d)) return false;
        if (d < 0 || d >= rank || (seen >> d & 1))
            return hlo_error(&at, "the layout is no order of %d dimensions", rank);
        seen |= (uint64_t)1 << d;
        order[count++] = d;
    }
    if (hlo_accept(&value, ":")) {
        shape->is_tiled = !hlo_looks_at(&value, "S(");
        if (count == 0) return true;
    }
    if (count != rank) return hlo_error(&value, "the layout is no order of %d dimensions", rank);
    shape->layout = order;
    return true;
}

static bool read_shape_at(HloLexer *lexer, HloShape *shape, int nesting);

static bool read_tuple(HloLexer *lexer, HloShape *shape, int nesting) {
    Arena *arena = lexer->source->arena;
    VEC(HloShape) parts = {0};
    VEC(const Type *) types = {0};
    if (nesting == MAX_TUPLE_NESTING)
        return hlo_error(lexer, "tuples are nested deeper than %d levels", MAX_TUPLE_NESTING);
    bool more = !hlo_accept(lexer, ")");
    while (more) {
        HloShape part;
        if (!read_shape_at(lexer, &part, nesting + 1)) return false;
        vec_push(arena, &parts, part);
        vec_push(arena, &types, part.type);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, ")")) return false;
    }
    shape->type = type_tuple(lexer->source->context, (int)types.count, types.data);
    shape->parts = parts.data;
    return true;
}

static bool read_shape_at(HloLexer *lexer, HloShape *shape, int nesting) {
    *shape = (HloShape){0};
    if (hlo_accept(lexer, "(")) return read_tuple(lexer, shape, nesting);
    HloLexer at = *lexer;
    StrView word;
    if (!hlo_read_word(lexer, &word, "a shape")) return false;
    if (strview_is(word, "token")) {
        shape->type = type_token(lexer->source->context);
        return hlo_expect(lexer, "[") && hlo_expect(lexer, "]");
    }
    Type type = {.kind = TYPE_TENSOR};
    if (!hlo_element_from_word(word, &type.element))
        return hlo_unsupported(&at, "the type '%.*s' is not supported", SV_ARG(word));
    if (!read_dims(lexer, type.element, &type)) return false;
    shape->type = type_intern(lexer->source->context, &type);
    // A computation's body begins with { behind a blank.
    bool has_layout = lexer->at < lexer->end && *lexer->at == '{';
    return !has_layout || read_layout(lexer, shape);
}

bool hlo_read_shape(HloLexer *lexer, HloShape *shape) { return read_shape_at(lexer, shape, 0); }
