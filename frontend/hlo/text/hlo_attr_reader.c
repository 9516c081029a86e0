// hlo_attr_reader: the values of attributes in HLO's text, by their kind.
#include "frontend/hlo/text/hlo_parser.h"

// ---- lists ----

bool hlo_read_ints(HloLexer *lexer, IntSpan *ints) {
    VEC(int64_t) list = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        int64_t number;
        if (!hlo_read_int(lexer, &number)) return false;
        vec_push(lexer->source->arena, &list, number);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    *ints = (IntSpan){list.data, (int)list.count};
    return true;
}

// {highest,default}
static bool read_words(HloLexer *lexer, HloWords *words) {
    VEC(StrView) list = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        StrView word;
        if (!hlo_read_word(lexer, &word, "a keyword")) return false;
        vec_push(lexer->source->arena, &list, word);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    *words = (HloWords){list.data, (int)list.count};
    return true;
}

// {f32[4,4]{0,1}, s32[]}
static bool read_shapes(HloLexer *lexer, HloShapes *shapes) {
    VEC(HloShape) list = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        HloShape shape;
        if (!hlo_read_shape(lexer, &shape)) return false;
        vec_push(lexer->source->arena, &list, shape);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    *shapes = (HloShapes){list.data, (int)list.count};
    return true;
}

bool hlo_read_pairs(HloLexer *lexer, HloPairs *pairs) {
    VEC(StrView) names = {0}, texts = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        StrView name, text = SV("");
        HloLexer raw;
        if (!hlo_read_word(lexer, &name, "a name") || !hlo_expect(lexer, "=")) return false;
        bool is_string = hlo_looks_at(lexer, "\"");
        if (is_string ? !hlo_read_string(lexer, &text) : !hlo_read_raw(lexer, &raw)) return false;
        if (!is_string) text = hlo_text(&raw);
        vec_push(lexer->source->arena, &names, name);
        vec_push(lexer->source->arena, &texts, text);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    *pairs = (HloPairs){names.data, texts.data, (int)names.count};
    return true;
}

// (0, {1}, may-alias)
static bool read_alias_target(HloLexer *lexer, HloAlias *alias) {
    StrView kind;
    return hlo_expect(lexer, "(") && hlo_read_int(lexer, &alias->operand) &&
           hlo_expect(lexer, ",") && hlo_read_ints(lexer, &alias->part) &&
           (!hlo_accept(lexer, ",") || hlo_read_word(lexer, &kind, "may-alias or must-alias")) &&
           hlo_expect(lexer, ")");
}

bool hlo_read_aliases(HloLexer *lexer, bool is_donors, HloAliases *aliases) {
    VEC(HloAlias) list = {0};
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        HloAlias alias = {0};
        if (!is_donors && (!hlo_read_ints(lexer, &alias.result) || !hlo_expect(lexer, ":")))
            return false;
        if (!read_alias_target(lexer, &alias)) return false;
        vec_push(lexer->source->arena, &list, alias);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    *aliases = (HloAliases){list.data, list.count};
    return true;
}

// ---- computations ----

// %name, or its body in braces
static bool read_call(HloParser *parser, HloLexer *lexer, StrView owner, HloComputation **place) {
    if (hlo_accept(lexer, "{")) {
        *place = parser->read_nested(parser, lexer, owner);
        return *place != NULL;
    }
    HloNamedCall call = {.place = place};
    hlo_skip_blanks(lexer);
    call.at = *lexer;
    if (!hlo_read_name(lexer, &call.name, "a computation's name")) return false;
    vec_push(parser->arena, &parser->calls, call);
    return true;
}

// Does a body begin behind the brace here, or a list?
static bool looks_at_body(const HloLexer *lexer) {
    HloLexer ahead = *lexer;
    StrView name;
    if (!hlo_accept(&ahead, "{")) return false;
    if (hlo_accept_word(&ahead, "ROOT")) return true;
    (void)hlo_accept(&ahead, "%");
    name = hlo_peek_word(&ahead);
    ahead.at += name.size;
    return name.size > 0 && hlo_looks_at(&ahead, "=");
}

// %name, {body}, {%name, {body}}
static bool read_calls(HloParser *parser, HloLexer *lexer, StrView owner, HloCalls *calls) {
    bool is_list = hlo_looks_at(lexer, "{") && !looks_at_body(lexer);
    int most = 1; // names and bodies are not more than commas
    for (const char *p = lexer->at; is_list && p < lexer->end; p++)
        most += *p == ',';
    calls->data = ARENA_ARRAY(parser->arena, HloComputation *, most);
    calls->count = 0;
    if (!is_list) return read_call(parser, lexer, owner, &calls->data[calls->count++]);
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        if (!read_call(parser, lexer, owner, &calls->data[calls->count++])) return false;
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    return true;
}

// ---- windows, slices, padding ----

// 3x3, or 0_1x2_2 with `parts` numbers each; false with a diagnostic.
static bool read_product(HloLexer *lexer, int parts, int64_t *numbers, int *rank) {
    *rank = 0;
    do {
        if (*rank == MAX_RANK)
            return hlo_error(lexer, "more than %d dimensions are not supported", MAX_RANK);
        for (int k = 0; k < parts; k++) {
            if (k > 0 && !hlo_expect(lexer, "_")) return false;
            if (!hlo_read_int(lexer, &numbers[*rank * parts + k])) return false;
        }
        (*rank)++;
    } while (hlo_accept(lexer, "x"));
    return true;
}

static bool read_field(HloLexer *lexer, StrView key, HloWindow *window, int *rank) {
    if (strview_is(key, "size")) return read_product(lexer, 1, window->size, rank);
    if (strview_is(key, "stride")) return read_product(lexer, 1, window->stride, rank);
    if (strview_is(key, "pad")) return read_product(lexer, 2, window->padding, rank);
    if (strview_is(key, "lhs_dilate")) return read_product(lexer, 1, window->base_dilation, rank);
    if (strview_is(key, "rhs_dilate")) return read_product(lexer, 1, window->window_dilation, rank);
    if (strview_is(key, "rhs_reversal")) return read_product(lexer, 1, window->reversal, rank);
    return hlo_error(lexer, "a window has no '%.*s'", SV_ARG(key));
}

// {size=3x3 stride=2x2 pad=0_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}
static bool read_window(HloLexer *lexer, const HloWindow **result) {
    HloWindow *window = ARENA_NEW(lexer->source->arena, HloWindow);
    *result = window;
    for (int d = 0; d < MAX_RANK; d++)
        window->stride[d] = window->base_dilation[d] = window->window_dilation[d] = 1;
    if (!hlo_expect(lexer, "{")) return false;
    while (!hlo_accept(lexer, "}")) {
        StrView key;
        int rank;
        HloLexer at = *lexer;
        if (!hlo_read_word(lexer, &key, "a part of a window") || !hlo_expect(lexer, "=") ||
            !read_field(lexer, key, window, &rank))
            return false;
        if (strview_is(key, "size")) window->rank = rank;
        if (rank != window->rank) return hlo_error(&at, "the window's parts have different ranks");
    }
    return true;
}

// {[0:5], [1:9:2]}
static bool read_slice(HloLexer *lexer, const HloTriples **result) {
    HloTriples *bounds = ARENA_NEW(lexer->source->arena, HloTriples);
    *result = bounds;
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        int d = bounds->rank++;
        if (d == MAX_RANK)
            return hlo_error(lexer, "more than %d dimensions are not supported", MAX_RANK);
        if (!hlo_expect(lexer, "[") || !hlo_read_int(lexer, &bounds->numbers[0][d]) ||
            !hlo_expect(lexer, ":") || !hlo_read_int(lexer, &bounds->numbers[1][d]))
            return false;
        bounds->numbers[2][d] = 1;
        if (hlo_accept(lexer, ":") && !hlo_read_int(lexer, &bounds->numbers[2][d])) return false;
        if (!hlo_expect(lexer, "]")) return false;
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    return true;
}

// 0_0x1_2_1: low, high and interior by dimension
static bool read_padding(HloLexer *lexer, const HloTriples **result) {
    HloTriples *amounts = ARENA_NEW(lexer->source->arena, HloTriples);
    *result = amounts;
    if (hlo_at_end(lexer)) return true; // of a scalar
    do {
        int d = amounts->rank++;
        if (d == MAX_RANK)
            return hlo_error(lexer, "more than %d dimensions are not supported", MAX_RANK);
        if (!hlo_read_int(lexer, &amounts->numbers[0][d]) || !hlo_expect(lexer, "_") ||
            !hlo_read_int(lexer, &amounts->numbers[1][d]))
            return false;
        if (hlo_accept(lexer, "_") && !hlo_read_int(lexer, &amounts->numbers[2][d])) return false;
    } while (hlo_accept(lexer, "x"));
    return true;
}

// ---- convolutions ----

// One array's dimensions: `b01f` says what each is. Letters: those of its batch and feature
// dimension.
static bool read_label(
    HloLexer *lexer, const char *letters, int64_t *batch, int64_t *feature, IntSpan *spatial) {
    int64_t *places = ARENA_ARRAY(lexer->source->arena, int64_t, MAX_RANK);
    HloLexer at = *lexer;
    *batch = *feature = -1;
    *spatial = (IntSpan){places, 0};
    for (int d = 0; d < MAX_RANK; d++)
        places[d] = -1;
    for (int d = 0; lexer->at < lexer->end; d++) {
        char c = *lexer->at;
        if (c == letters[0] && *batch < 0) {
            *batch = d;
        } else if (c == letters[1] && *feature < 0) {
            *feature = d;
        } else if (c >= '0' && c <= '9' && places[c - '0'] < 0) {
            places[c - '0'] = d;
            spatial->count++;
        } else if (c == '_' || c == '-') {
            break;
        } else {
            return hlo_error(&at, "dim_labels must be like b01f_01io->b01f");
        }
        lexer->at++;
    }
    bool ok = *batch >= 0 && *feature >= 0;
    for (int i = 0; i < spatial->count; i++)
        ok = ok && places[i] >= 0;
    return ok || hlo_error(&at, "dim_labels must be like b01f_01io->b01f");
}

static bool read_labels(HloLexer *lexer, ConvDims **result) {
    ConvDims *dims = ARENA_NEW(lexer->source->arena, ConvDims);
    *result = dims;
    hlo_skip_blanks(lexer);
    return read_label(
               lexer, "bf", &dims->input_batch, &dims->input_feature, &dims->input_spatial) &&
           hlo_expect(lexer, "_") &&
           read_label(
               lexer, "oi", &dims->kernel_output_feature, &dims->kernel_input_feature,
               &dims->kernel_spatial) &&
           hlo_expect(lexer, "->") &&
           read_label(
               lexer, "bf", &dims->output_batch, &dims->output_feature, &dims->output_spatial);
}

// ---- groups of devices ----

// [2,4] or (1,0)
static bool read_sizes(
    HloLexer *lexer, const char *open, const char *close, int64_t *sizes, int *rank) {
    *rank = 0;
    if (!hlo_expect(lexer, open)) return false;
    do {
        if (*rank == MAX_RANK) return hlo_error(lexer, "too many dimensions");
        if (!hlo_read_int(lexer, &sizes[(*rank)++])) return false;
    } while (hlo_accept(lexer, ","));
    return hlo_expect(lexer, close);
}

// [groups,size]<=[dims]T(order): 0, 1, .. in the shape of dims, transposed, and cut into rows.
static bool read_iota_groups(HloLexer *lexer, HloGroups *groups) {
    HloLexer at = *lexer;
    int64_t shape[MAX_RANK], dims[MAX_RANK], order[MAX_RANK] = {0};
    int shape_rank, rank;
    int order_rank = 0;
    if (!read_sizes(lexer, "[", "]", shape, &shape_rank) || !hlo_expect(lexer, "<=") ||
        !read_sizes(lexer, "[", "]", dims, &rank))
        return false;
    bool has_order = hlo_accept(lexer, "T");
    if (has_order && !read_sizes(lexer, "(", ")", order, &order_rank)) return false;
    for (int d = 0; d < rank && !has_order; d++)
        order[d] = d;
    bool ok = shape_rank == 2 && (!has_order || order_rank == rank) &&
              hlo_iota_groups(lexer->source->arena, shape[0], shape[1], rank, dims, order, groups);
    return ok || hlo_error(&at, "the groups are no arrangement of the devices");
}

// {{0,1},{2,3}}
static bool read_groups(HloLexer *lexer, HloGroups *groups) {
    HloLexer at = *lexer;
    VEC(IntSpan) rows = {0};
    if (hlo_looks_at(lexer, "[")) return read_iota_groups(lexer, groups);
    if (!hlo_expect(lexer, "{")) return false;
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        IntSpan row;
        if (!hlo_read_ints(lexer, &row)) return false;
        vec_push(lexer->source->arena, &rows, row);
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    return hlo_row_groups(lexer->source->arena, rows.count, rows.data, groups) ||
           hlo_error(&at, "so many devices are not supported");
}

// ---- shardings ----

static bool read_sharding(HloLexer *lexer, const HloSharding **result) {
    Arena *arena = lexer->source->arena;
    HloSharding *sharding = ARENA_NEW(arena, HloSharding);
    *result = sharding;
    sharding->whole = hlo_text(lexer);
    if (!hlo_expect(lexer, "{")) return false;
    if (!hlo_looks_at(lexer, "{") && !hlo_looks_at(lexer, "}")) return true;
    StrBuf text = strbuf(arena); // comments left out
    VEC(StrView) parts = {0};
    sharding->is_tuple = true;
    strbuf_putc(&text, '{');
    bool more = !hlo_accept(lexer, "}");
    while (more) {
        HloLexer part;
        if (!hlo_read_raw(lexer, &part)) return false;
        if (parts.count > 0) strbuf_puts(&text, ", ");
        strbuf_append(&text, hlo_text(&part));
        vec_push(arena, &parts, hlo_text(&part));
        more = hlo_accept(lexer, ",");
        if (!more && !hlo_expect(lexer, "}")) return false;
    }
    strbuf_putc(&text, '}');
    sharding->whole = strbuf_view(&text);
    sharding->parts = parts.data;
    sharding->part_count = (int)parts.count;
    return true;
}

// ---- one value ----

static bool read_bool(HloLexer *lexer, bool *flag) {
    *flag = hlo_accept_word(lexer, "true");
    return *flag || hlo_accept_word(lexer, "false") || hlo_expected(lexer, "true or false");
}

static bool read_config(HloLexer *lexer, HloAttr *attr) {
    attr->is_string = hlo_looks_at(lexer, "\"");
    if (attr->is_string) return hlo_read_string(lexer, &attr->text);
    attr->text = hlo_text(lexer);
    return true;
}

bool hlo_read_attr(HloParser *parser, HloLexer *value, StrView owner, HloAttr *attr) {
    switch (hlo_attr_kind(attr->name)) {
    case HLO_KIND_INT: return hlo_read_int(value, &attr->number);
    case HLO_KIND_BOOL: return read_bool(value, &attr->flag);
    case HLO_KIND_REAL:
        return strview_to_double(hlo_text(value), &attr->real) || hlo_expected(value, "a number");
    case HLO_KIND_WORD: return hlo_read_word(value, &attr->text, "a keyword");
    case HLO_KIND_WORDS: return read_words(value, &attr->words);
    case HLO_KIND_STRING: return hlo_read_string(value, &attr->text);
    case HLO_KIND_CONFIG: return read_config(value, attr);
    case HLO_KIND_INTS: return hlo_read_ints(value, &attr->ints);
    case HLO_KIND_COMPUTATIONS: return read_calls(parser, value, owner, &attr->calls);
    case HLO_KIND_WINDOW: return read_window(value, &attr->window);
    case HLO_KIND_SLICE: return read_slice(value, &attr->triples);
    case HLO_KIND_PADDING: return read_padding(value, &attr->triples);
    case HLO_KIND_LABELS: return read_labels(value, &attr->labels);
    case HLO_KIND_GROUPS: return read_groups(value, &attr->groups);
    case HLO_KIND_SHAPES: return read_shapes(value, &attr->shapes);
    case HLO_KIND_ALIASES: return hlo_read_aliases(value, false, &attr->aliases);
    case HLO_KIND_SHARDING: return read_sharding(value, &attr->sharding);
    case HLO_KIND_PAIRS: return hlo_read_pairs(value, &attr->pairs);
    case HLO_KIND_METADATA:
    case HLO_KIND_SKIPPED:
    case HLO_KIND_OTHER: break;
    }
    return true;
}
