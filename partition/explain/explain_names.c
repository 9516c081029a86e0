// explain_names: what values, ops and places are called. A value has the name that it has in
// the program's text; where the text is not at hand (bytecode, programs built op by op) the one
// that the printer would give it.
#include "ir/builder.h"
#include "ir/print/print.h"
#include "ir/print/sharding_print.h"
#include "partition/explain/explain_internal.h"

// ---- the source ----

// A copy of the location with the number of the op or argument.
static const Loc *number_origin(Explainer *explainer, const Loc *loc, Origin origin) {
    Loc *copy = ARENA_NEW(explainer->arena, Loc);
    if (loc) *copy = *loc;
    vec_push(explainer->arena, &explainer->origins, origin);
    copy->origin = (int32_t)explainer->origins.count;
    return copy;
}

static bool number_op(Op *op, void *user) {
    Explainer *explainer = user;
    op->loc = number_origin(explainer, op->loc, (Origin){.op = op});
    for (int i = 0; i < op->result_count; i++)
        op->results[i].loc = op->loc;
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            Value *arg = op->regions[r]->args[i];
            arg->loc = number_origin(explainer, arg->loc, (Origin){.arg = arg});
        }
    }
    return true;
}

static void read_lines(Explainer *explainer, StrView text) {
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        StrView line = {text.data, end ? (size_t)(end - text.data) : text.size};
        vec_push(explainer->arena, &explainer->lines, line);
        size_t used = line.size + (end ? 1 : 0);
        text = (StrView){text.data + used, text.size - used};
    }
}

void read_source(Explainer *explainer, const Module *module) {
    explainer->source = module_clone(module, explainer->arena);
    region_walk(explainer->source->body, number_op, explainer);
    explainer->names = print_value_names(explainer->arena, explainer->source);
    read_lines(explainer, explainer->options->text);
}

static Origin origin_of(const Explainer *explainer, const Loc *loc) {
    if (!loc || loc->origin < 1 || loc->origin > explainer->origins.count) return (Origin){0};
    return explainer->origins.data[loc->origin - 1];
}

Op *source_op(const Explainer *explainer, const Loc *loc) { return origin_of(explainer, loc).op; }

Value *source_arg(const Explainer *explainer, const Loc *loc) {
    return origin_of(explainer, loc).arg;
}

// ---- names in the text ----

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.' || c == '-';
}

static StrView line_at(const Explainer *explainer, const Loc *loc) {
    if (!loc || loc->line < 1 || loc->line > explainer->lines.count) return (StrView){0};
    return explainer->lines.data[loc->line - 1];
}

// The name that begins with the % at `at`; empty when none does.
static StrView name_at(StrView line, size_t at) {
    if (at >= line.size || line.data[at] != '%') return (StrView){0};
    size_t end = at + 1;
    while (end < line.size && is_name_char(line.data[end]))
        end++;
    return (StrView){line.data + at, end - at};
}

// The name in front of "= op" or ":2 = op", where the op's place is.
static StrView result_name(StrView line, int32_t column) {
    size_t at = column > 0 ? (size_t)column - 1 : 0;
    if (at >= line.size) return (StrView){0};
    while (at > 0 && (line.data[at - 1] == ' ' || line.data[at - 1] == '"'))
        at--;
    if (at == 0 || line.data[at - 1] != '=') return (StrView){0};
    at--;
    while (at > 0 && line.data[at - 1] == ' ')
        at--;
    size_t end = at;
    while (at > 0 && (is_name_char(line.data[at - 1]) || line.data[at - 1] == ':'))
        at--;
    if (at == 0 || line.data[at - 1] != '%') return (StrView){0};
    StrView name = name_at(line, at - 1);
    return name.data + name.size <= line.data + end ? name : (StrView){0};
}

// The value's name in the text; false when it has none there.
static bool print_text_name(StrBuf *out, const Explainer *explainer, const Value *value) {
    const Op *def = value->def;
    StrView line = line_at(explainer, value->loc);
    StrView name = def ? result_name(line, value->loc->column)
                       : name_at(line, value->loc->column > 0 ? (size_t)value->loc->column - 1 : 0);
    if (name.size < 2) return false;
    strbuf_append(out, name);
    if (def && def->result_count > 1) strbuf_printf(out, "#%d", value->index);
    return true;
}

// ---- names ----

static const Op *function_of(const Value *value) {
    const Op *op = value->def ? value->def : value->region->owner;
    while (op && op->code != OP_FUNC)
        op = op_parent_op(op);
    return op;
}

bool is_same_op(const Op *source, const Op *op) {
    return op->code == source->code ||
           (source->code == OP_SDY_CONSTRAINT && op->code == OP_SDY_RESHARD) ||
           (source->code == OP_CALL && op->code == OP_SDY_NAMED);
}

static const char *source_value_text(const Explainer *explainer, const Value *value) {
    StrBuf out = strbuf(explainer->arena);
    const Op *func = function_of(value);
    const Op *entry = module_entry(explainer->source, explainer->options->partition.entry);
    if (func && func != entry) strbuf_printf(&out, "@%.*s:", SV_ARG(func_name(func)));
    if (!print_text_name(&out, explainer, value) &&
        !print_value_name_of(&out, &explainer->names, value)) {
        strbuf_puts(&out, "%?");
    }
    return strbuf_cstring(&out);
}

const char *value_text(const Explainer *explainer, const Value *value) {
    const Value *arg = value->def ? NULL : source_arg(explainer, value->loc);
    if (arg) return source_value_text(explainer, arg);
    const Op *op = source_op(explainer, value->loc);
    if (!op) return "a value of no name";
    if (op->result_count == 0) return "a value of no name";
    int index = value->index < op->result_count ? value->index : 0;
    const char *name = source_value_text(explainer, op_result(op, index));
    if (!value->def || is_same_op(op, value->def)) return name;
    // What another op became: stablehlo.compare of %3, which was chlo.broadcast_compare.
    return arena_printf(explainer->arena, "%s (%.*s)", name, SV_ARG(value->def->name));
}

const char *place_text(const Explainer *explainer, const ProvenancePlace *place) {
    if (place->place.value) return value_text(explainer, place->place.value);
    return arena_printf(explainer->arena, "result %d", place->place.result);
}

const char *loc_text(Arena *arena, const Loc *loc) {
    if (!loc) return "";
    const LocTexts *texts = loc_texts(loc);
    StrBuf out = strbuf(arena);
    bool has_text = texts->file.size && loc->line > 0, has_model = texts->model_file.size > 0;
    if (has_text) strbuf_printf(&out, "%.*s:%d:%d", SV_ARG(texts->file), loc->line, loc->column);
    if (!has_model && texts->name.size == 0) return strbuf_cstring(&out);
    if (has_text) strbuf_puts(&out, " (");
    if (has_model) strbuf_printf(&out, "%.*s:%d", SV_ARG(texts->model_file), texts->model_line);
    if (texts->name.size) strbuf_printf(&out, "%s%.*s", has_model ? ", " : "", SV_ARG(texts->name));
    if (has_text) strbuf_putc(&out, ')');
    return strbuf_cstring(&out);
}

const char *op_text_of(Arena *arena, const Op *op) {
    if (op->code == OP_SDY_RESHARD) return "sdy.sharding_constraint";
    if (op->code == OP_SDY_NAMED) return "func.call";
    return arena_cstring(arena, op->name);
}

const char *sharding_text(Arena *arena, const Sharding *sharding) {
    if (!sharding) return "";
    StrBuf out = strbuf(arena);
    sharding_print_body(&out, sharding);
    return strbuf_cstring(&out);
}

const char *type_text(Arena *arena, const Type *type) {
    StrBuf out = strbuf(arena);
    type_print(&out, type);
    return strbuf_cstring(&out);
}

const char *axis_text(Arena *arena, const AxisRef *axis) {
    StrBuf out = strbuf(arena);
    axis_ref_print(&out, axis);
    return strbuf_cstring(&out);
}

const char *factor_kind_text(FactorKind kind) {
    switch (kind) {
    case FACTOR_PASS_THROUGH: return "pass_through";
    case FACTOR_REDUCTION: return "reduction";
    case FACTOR_NEED_REPLICATION: return "need_replication";
    case FACTOR_PERMUTATION: return "permutation";
    }
    return "";
}

const char *factor_text(Arena *arena, int factor) {
    StrBuf out = strbuf(arena);
    factor_print(&out, factor);
    return strbuf_cstring(&out);
}
