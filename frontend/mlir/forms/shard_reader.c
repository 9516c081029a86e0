// shard_reader: the own forms of the dialect shard, as MLIR 22, its predecessor mesh (LLVM 18
// to 21) and the RFC write them.
#include "frontend/mlir/forms/forms.h"
#include "ir/print/shard_form.h"

#include <stdio.h>

StrView shard_op_name(Reader *reader, StrView name) {
    if (!strview_starts_with(name, SV("mesh."))) return name;
    StrView rest = {name.data + 5, name.size - 5};
    if (strview_is(rest, "mesh") || strview_is(rest, "cluster")) return SV("shard.grid");
    if (strview_is(rest, "mesh_shape") || strview_is(rest, "cluster_shape"))
        return SV("shard.grid_shape");
    if (strview_is(rest, "annotate")) return SV("shard.shard");
    return context_name_printf(reader->context, "shard.%.*s", SV_ARG(rest));
}

static const Attr *axes_attr(Reader *reader, int64_t base) {
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    Attr attr = {
        .kind = ATTR_INTS,
        .type = type_element(reader->context, ELEMENT_I16),
        .count = ints.count,
        .ints = ints.data};
    return attr_intern(reader->context, &attr);
}

// Axes are numbers of 16 bits.
static bool check_axes(Reader *reader, const Token *at, int64_t base) {
    for (int64_t i = base; i < reader->ints.count; i++) {
        int64_t axis = reader->ints.data[i];
        if (axis < INT16_MIN || axis > INT16_MAX)
            return reader_error_at(reader, at, "integer constant out of range for attribute");
    }
    return true;
}

static const Attr *read_axes_list(Reader *reader) {
    int64_t base = reader->ints.count;
    Token at = reader->token;
    if (!read_int_list(reader, '[', ']', false) || !check_axes(reader, &at, base)) return NULL;
    return axes_attr(reader, base);
}

// [[0], [1, 2]]; [] is [[]]
static const Attr *read_axis_sets(Reader *reader) {
    if (!expect_punctuation(reader, '[')) return NULL;
    int64_t base = reader->attr_items.count;
    if (!accept_punctuation(reader, ']')) {
        do {
            const Attr *axes = read_axes_list(reader);
            if (!axes) return NULL;
            vec_push(reader->scratch, &reader->attr_items, axes);
        } while (accept_punctuation(reader, ','));
        if (!expect_punctuation(reader, ']')) return NULL;
    }
    int count = (int)(reader->attr_items.count - base);
    const Attr *const *items = reader->attr_items.data ? reader->attr_items.data + base : NULL;
    reader->attr_items.count = base;
    return attr_array(reader->context, count, items);
}

// axisarray[[0], [1]], partial max, predicate slt
const Attr *read_source_attr(Reader *reader, StrView dialect, StrView name) {
    EnumKind kind;
    int value;
    if (strview_is(name, "axisarray")) return read_axis_sets(reader);
    if (!enum_kind_from_text(dialect, name, &kind)) {
        reader_error_at(
            reader, &reader->token, "unknown attribute `%.*s` in dialect `%.*s`", SV_ARG(name),
            SV_ARG(dialect));
        return NULL;
    }
    if (reader->token.kind != TOKEN_WORD || !enum_from_keyword(kind, reader->token.text, &value)) {
        reader_expected(reader, "a keyword of this attribute");
        return NULL;
    }
    reader_advance(reader);
    return attr_enum(reader->context, kind, value);
}

bool read_indices(Reader *reader, AttrName name) {
    int64_t base = reader->ints.count;
    if (!expect_punctuation(reader, '[')) return false;
    if (!accept_punctuation(reader, ']')) {
        do {
            int64_t number = DIM_DYNAMIC;
            bool ok = reader->token.kind == TOKEN_PERCENT ? read_operand(reader)
                                                          : read_int64(reader, &number);
            if (!ok) return false;
            vec_push(reader->scratch, &reader->ints, number);
        } while (accept_punctuation(reader, ','));
        if (!expect_punctuation(reader, ']')) return false;
    }
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    draft_attr(reader, name, attr_ints(reader->context, ints.count, ints.data));
    return true;
}

// max or <max>
static bool read_reduction(Reader *reader, AttrName name) {
    bool angle = accept_punctuation(reader, '<');
    int value;
    if (reader->token.kind != TOKEN_WORD ||
        !enum_from_keyword(ENUM_SHARD_REDUCTION, reader->token.text, &value))
        return reader_expected(
            reader, "one of: sum, max, min, product, average, bitwise_and, bitwise_or, "
                    "bitwise_xor, generic");
    reader_advance(reader);
    if (value != SHARD_REDUCTION_sum || name == NAME_PARTIAL_TYPE)
        draft_attr(reader, name, attr_enum(reader->context, ENUM_SHARD_REDUCTION, value));
    return !angle || expect_punctuation(reader, '>');
}

static bool read_grid_name(Reader *reader) {
    StrView name;
    if (!read_symbol(reader, &name)) return false;
    draft_attr(reader, NAME_GRID, attr_symbol(reader->context, name));
    return true;
}

static bool read_value(Reader *reader, const ShardField *field, AttrName name) {
    if (field->kind == SHARD_FIELD_UNIT) {
        draft_attr(reader, name, attr_unit(reader->context));
        return true;
    }
    if (!expect_punctuation(reader, '=')) return false;
    if (field->kind == SHARD_FIELD_REDUCTION) return read_reduction(reader, name);
    if (field->kind == SHARD_FIELD_INDICES) return read_indices(reader, name);
    if (field->kind == SHARD_FIELD_INT) {
        int64_t number;
        if (!read_int64(reader, &number)) return false;
        ElementType element = name == NAME_OFFSET ? ELEMENT_I64 : ELEMENT_INDEX;
        draft_attr(reader, name, attr_int(reader->context, number, element));
        return true;
    }
    bool is_sets = field->kind == SHARD_FIELD_AXIS_SETS;
    const Attr *axes = is_sets ? read_axis_sets(reader) : read_axes_list(reader);
    if (axes && (is_sets || axes->count > 0)) draft_attr(reader, name, axes);
    return axes != NULL;
}

static bool at_field(const Reader *reader, const ShardField *field) {
    return at_word(reader, field->word) || (field->old_word && at_word(reader, field->old_word));
}

static bool read_field(Reader *reader, const Draft *draft, const OpAttr *item) {
    ShardField field = shard_field(draft->code, item);
    if (field.kind == SHARD_FIELD_NONE) return true;
    if (field.kind == SHARD_FIELD_SYMBOL) {
        if (shard_says_on(draft->code) && !expect_word(reader, "on")) return false;
        if (!read_grid_name(reader)) return false;
        if (draft->code != OP_SHARD_NEIGHBORS) return true;
        return expect_punctuation(reader, '[') && read_operand_list(reader) &&
               expect_punctuation(reader, ']');
    }
    if (!at_field(reader, &field)) {
        char what[64];
        snprintf(what, sizeof what, "'%s'", field.word);
        return item->is_optional || reader_expected(reader, what);
    }
    reader_advance(reader);
    return read_value(reader, &field, item->name);
}

// 4x?x8 from the raw text, because it is no sequence of tokens; or [4, 8], of the RFC.
static bool read_extents(Reader *reader) {
    int64_t base = reader->ints.count;
    Token at = reader->token;
    if (at_punctuation(reader, '[')) {
        if (!read_int_list(reader, '[', ']', true)) return false;
    } else {
        const char *p = at.text.data, *end = reader->lexer.end;
        for (;;) {
            const char *digits = p;
            int64_t number = DIM_DYNAMIC;
            while (p < end && *p >= '0' && *p <= '9')
                p++;
            if (p == digits && p < end && *p == '?') {
                p++;
            } else if (
                p == digits ||
                !strview_to_int64((StrView){digits, (size_t)(p - digits)}, &number)) {
                return reader_expected(reader, "the grid's shape");
            }
            vec_push(reader->scratch, &reader->ints, number);
            if (p == end || *p != 'x') break;
            p++;
        }
        reader->lexer.at = p;
        reader_advance(reader);
    }
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    draft_attr(reader, NAME_SHAPE, attr_ints(reader->context, ints.count, ints.data));
    return true;
}

// @g(shape = 4x?), @m(rank = 2, dim_sizes = 4x?), @m(rank = 2, dim_sizes = [4, 8])
static bool read_grid(Reader *reader) {
    StrView name;
    if (!read_symbol(reader, &name)) return false;
    draft_attr(reader, NAME_SYM_NAME, attr_string(reader->context, name));
    if (!expect_punctuation(reader, '(')) return false;
    int64_t rank = -1;
    if (accept_word(reader, "rank")) {
        if (!expect_punctuation(reader, '=') || !read_int64(reader, &rank)) return false;
        if (at_punctuation(reader, ')')) { // LLVM 18: all sizes are unknown
            int64_t unknown[MAX_RANK];
            if (rank < 0 || rank > MAX_RANK) return reader_expected(reader, "a rank of at most 32");
            for (int i = 0; i < rank; i++)
                unknown[i] = DIM_DYNAMIC;
            draft_attr(reader, NAME_SHAPE, attr_ints(reader->context, (int)rank, unknown));
            return expect_punctuation(reader, ')');
        }
        if (!expect_punctuation(reader, ',')) return false;
    }
    if (!accept_word(reader, "dim_sizes") && !expect_word(reader, "shape")) return false;
    return expect_punctuation(reader, '=') && read_extents(reader) &&
           expect_punctuation(reader, ')') &&
           (!at_punctuation(reader, '{') || read_attr_dict(reader));
}

// <@grid, [[0]], partial = sum[1]>, behind `to`
static bool read_inline_sharding(Reader *reader) {
    if (!expect_punctuation(reader, '<') || !read_grid_name(reader) ||
        !expect_punctuation(reader, ','))
        return false;
    const Attr *sets = read_axis_sets(reader);
    if (!sets) return false;
    draft_attr(reader, NAME_SPLIT_AXES, sets);
    if (accept_punctuation(reader, ',')) {
        if (!expect_word(reader, "partial") || !expect_punctuation(reader, '=') ||
            !read_reduction(reader, NAME_PARTIAL_TYPE))
            return false;
        const Attr *axes = read_axes_list(reader);
        if (!axes) return false;
        draft_attr(reader, NAME_PARTIAL_AXES, axes);
    }
    return expect_punctuation(reader, '>');
}

static const Attr *taken_attr(Reader *reader, const Draft *draft, const char *name) {
    for (int64_t i = draft->attrs; i < reader->attrs.count; i++) {
        if (strview_is(reader->attrs.data[i].name, name)) return reader->attrs.data[i].value;
    }
    return NULL;
}

// The RFC's %x {sharding = [[0], []], required = true, as_result = true} : T ->
// T, on the program's only grid.
static bool read_annotate(Reader *reader, Draft *draft) {
    Token at = reader->token;
    if (!read_attr_dict(reader)) return false;
    const Attr *lists = taken_attr(reader, draft, "sharding");
    const Attr *as_result = taken_attr(reader, draft, "as_result");
    if (!lists || lists->kind != ATTR_ARRAY)
        return reader_error_at(reader, &at, "'mesh.annotate' op requires attribute 'sharding'");
    const Op *grid = NULL;
    for (const Op *op = reader->module->body->first; op; op = op->next) {
        if (op->code != OP_SHARD_GRID) continue;
        if (grid)
            return reader_error_at(
                reader, &at, "'mesh.annotate' op needs the program to have one mesh");
        grid = op;
    }
    if (!grid)
        return reader_error_at(
            reader, &at, "'mesh.annotate' op needs a mesh.cluster in front of it");
    int64_t base = reader->attr_items.count;
    for (int i = 0; i < lists->count; i++) {
        const Attr *list = lists->items[i];
        int64_t ints = reader->ints.count;
        bool ok = list->kind == ATTR_ARRAY;
        for (int a = 0; ok && a < list->count; a++) {
            ok = list->items[a]->kind == ATTR_INT;
            vec_push(reader->scratch, &reader->ints, list->items[a]->integer);
        }
        if (!ok || !check_axes(reader, &at, ints))
            return ok ? false
                      : reader_error_at(
                            reader, &at, "'mesh.annotate' op needs lists of axes as 'sharding'");
        const Attr *axes = axes_attr(reader, ints);
        vec_push(reader->scratch, &reader->attr_items, axes);
    }
    const Attr *const *items = reader->attr_items.data ? reader->attr_items.data + base : NULL;
    const Attr *sets = attr_array(reader->context, lists->count, items);
    reader->attr_items.count = base;
    reader->attrs.count = draft->attrs;
    draft_attr(reader, NAME_GRID, attr_symbol(reader->context, op_text(grid, NAME_SYM_NAME)));
    draft_attr(reader, NAME_SPLIT_AXES, sets);
    if (as_result && as_result->kind == ATTR_BOOL && !as_result->integer)
        draft_attr(reader, NAME_ANNOTATE_FOR_USERS, attr_unit(reader->context));
    if (!expect_punctuation(reader, ':')) return false;
    const Type *from = read_type(reader);
    if (!from || !check_operand_type(reader, draft->operands, from)) return false;
    const Type *to = from;
    if (reader->token.kind == TOKEN_ARROW) {
        reader_advance(reader);
        to = read_type(reader);
    }
    if (to) vec_push(reader->scratch, &reader->types, to);
    return to != NULL;
}

static bool read_shard(Reader *reader, Draft *draft) {
    if (strview_is(draft->token.text, "mesh.annotate")) return read_annotate(reader, draft);
    if (!expect_word(reader, "to")) return false;
    bool ok = at_punctuation(reader, '<') ? read_inline_sharding(reader) : read_operand(reader);
    if (ok && accept_word(reader, "annotate_for_users"))
        draft_attr(reader, NAME_ANNOTATE_FOR_USERS, attr_unit(reader->context));
    return ok;
}

static bool read_types(Reader *reader, const Draft *draft) {
    ShardTypes types = shard_types(draft->code);
    if (types == SHARD_TYPES_FUNCTIONAL) return read_functional_type(reader, draft);
    if (!expect_punctuation(reader, ':')) return false;
    if (types == SHARD_TYPES_RESULTS) return read_type_list(reader);
    const Type *type = read_type(reader);
    if (!type || !check_operand_type(reader, draft->operands, type)) return false;
    if (types == SHARD_TYPES_ARROW) {
        if (!expect_arrow(reader)) return false;
        type = read_type(reader);
    }
    if (type) vec_push(reader->scratch, &reader->types, type);
    return type != NULL;
}

bool read_own_shard(Reader *reader, Draft *draft) {
    if (draft->code == OP_SHARD_GRID) return read_grid(reader);
    if (shard_has_main_operand(draft->code) && !read_operand(reader)) return false;
    if (draft->code == OP_SHARD_SHARD) {
        if (!read_shard(reader, draft)) return false;
        if (reader->types.count > draft->types) return true; // the RFC's form has said its types
    } else {
        for (const OpAttr *item = op_code_attrs(draft->code); item->role; item++) {
            if (!read_field(reader, draft, item)) return false;
            if (draft->code != OP_SHARD_SHARD_SHAPE || item->name != NAME_DIMS_STATIC) continue;
            if (!expect_word(reader, "sharding") || !expect_punctuation(reader, '=') ||
                !read_operand(reader))
                return false;
        }
    }
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    return read_types(reader, draft);
}
