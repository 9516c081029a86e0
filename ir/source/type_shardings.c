// type_shardings: shardings that stand in types, as in the first version of the device-mesh RFC:
//
//   tensor<8x16xf32, #mesh.shard<@mesh0, [[0], [1]], partial = sum[2]>>
//   (without a name: the program's only grid)
//
// become the shardings of the values; the types are plain then.
#include "ir/source/grid.h"
#include "ir/source/source.h"

static bool has_sharding(const Type *type) {
    return type->kind == TYPE_TENSOR && (strview_starts_with(type->encoding, SV("#mesh.shard<")) ||
                                         strview_starts_with(type->encoding, SV("#shard.shard<")));
}

static const Type *plain(Context *context, const Type *type) {
    if (!has_sharding(type)) return type;
    Type prototype = *type;
    prototype.encoding = (StrView){NULL, 0};
    return type_intern(context, &prototype);
}

typedef struct TypeShardings {
    Module *module;
    PassContext *pass;
    StrView only_grid; // of the module; empty when there are none or several
    bool failed;
} TypeShardings;

typedef struct Text {
    const char *at, *end;
} Text;

static bool accept(Text *text, const char *word) {
    while (text->at < text->end && *text->at == ' ')
        text->at++;
    size_t size = strlen(word);
    bool is_there = (size_t)(text->end - text->at) >= size && memcmp(text->at, word, size) == 0;
    if (is_there) text->at += size;
    return is_there;
}

// [0, 2]
static const Attr *read_axes(TypeShardings *shardings, Text *text) {
    int64_t axes[MAX_AXES];
    int count = 0;
    if (!accept(text, "[")) return NULL;
    while (!accept(text, "]")) {
        int64_t axis = 0;
        if (count == MAX_AXES || (count > 0 && !accept(text, ","))) return NULL;
        accept(text, "");
        const char *start = text->at;
        while (text->at < text->end && *text->at >= '0' && *text->at <= '9' && axis < MAX_AXES)
            axis = axis * 10 + (*text->at++ - '0');
        if (text->at == start) return NULL;
        axes[count++] = axis;
    }
    return attr_ints(shardings->module->context, count, axes);
}

// [[0], [], [1]]
static const Attr *read_axis_sets(TypeShardings *shardings, Text *text) {
    const Attr *sets[MAX_RANK];
    int count = 0;
    if (!accept(text, "[")) return NULL;
    while (!accept(text, "]")) {
        if (count == MAX_RANK || (count > 0 && !accept(text, ","))) return NULL;
        sets[count] = read_axes(shardings, text);
        if (!sets[count++]) return NULL;
    }
    return attr_array(shardings->module->context, count, sets);
}

static bool read_partial(TypeShardings *shardings, Text *text, ShardSpec *spec) {
    if (!accept(text, ",")) return true;
    if (!accept(text, "partial") || !accept(text, "=")) return false;
    spec->partial_type = accept(text, "sum")   ? SHARD_REDUCTION_sum
                         : accept(text, "max") ? SHARD_REDUCTION_max
                         : accept(text, "min") ? SHARD_REDUCTION_min
                                               : SHARD_REDUCTION_generic;
    const Attr *axes = read_axes(shardings, text);
    if (axes) spec->partial = (IntSpan){axes->ints, axes->count};
    return axes != NULL;
}

static bool read_spec(TypeShardings *shardings, StrView encoding, ShardSpec *spec) {
    Text text = {encoding.data, encoding.data + encoding.size};
    *spec = (ShardSpec){.grid = shardings->only_grid, .partial_type = SHARD_REDUCTION_sum};
    if (!accept(&text, "#mesh.shard<") && !accept(&text, "#shard.shard<")) return false;
    if (accept(&text, "@")) {
        const char *start = text.at;
        while (text.at < text.end && !memchr(" ,>", *text.at, 3))
            text.at++;
        spec->grid = (StrView){start, (size_t)(text.at - start)};
        if (!accept(&text, ",")) return false;
    }
    spec->split_axes = read_axis_sets(shardings, &text);
    return spec->split_axes && read_partial(shardings, &text, spec) && accept(&text, ">") &&
           text.at == text.end;
}

// Axes that the mesh has, each once.
static bool fits_mesh(const ShardSpec *spec, const Mesh *mesh, int rank) {
    bool used[MAX_AXES] = {0};
    for (int d = 0; d <= spec->split_axes->count; d++) {
        IntSpan axes = d < spec->split_axes->count ? spec_axes(spec, d) : spec->partial;
        for (int i = 0; i < axes.count; i++) {
            int64_t axis = axes.data[i];
            if (axis >= mesh->axis_count || used[axis]) return false;
            used[axis] = true;
        }
    }
    return spec->split_axes->count <= rank;
}

// The sharding that the type says; NULL after a diagnostic.
static const Sharding *sharding_of_type(
    TypeShardings *shardings, const Type *type, const Loc *loc) {
    ShardSpec spec;
    Module *module = shardings->module;
    Diags *diags = shardings->pass->diags;
    const Sharding *sharding = NULL;
    if (!read_spec(shardings, type->encoding, &spec)) {
        diag_error(
            diags, loc, "expected #mesh.shard<@GRID, [[AXIS, ...], ...]> in the type, found %.*s",
            SV_ARG(type->encoding));
    } else if (!module_find_mesh(module, spec.grid)) {
        diag_error(
            diags, loc,
            spec.grid.size > 0 ? "%.*s names a grid that is not declared"
                               : "%.*s names no grid, and the program has not exactly one",
            SV_ARG(type->encoding));
    } else if (!fits_mesh(&spec, module_find_mesh(module, spec.grid), type->rank)) {
        diag_error(
            diags, loc,
            "%.*s has axes that grid @%.*s lacks, an axis twice, or too many dimensions",
            SV_ARG(type->encoding), SV_ARG(spec.grid));
    } else {
        sharding = shard_spec_sharding(module, &spec, type->rank);
        if (!sharding)
            diag_unsupported(
                diags, loc, "partial values are sums, maxima or minima; found %.*s",
                SV_ARG(type->encoding));
    }
    shardings->failed = shardings->failed || !sharding;
    return sharding;
}

static void settle_value(TypeShardings *shardings, Value *value, const Loc *loc) {
    if (!has_sharding(value->type)) return;
    const Sharding *sharding = sharding_of_type(shardings, value->type, loc);
    if (sharding && !value->sharding) value->sharding = sharding;
    value->type = plain(shardings->module->context, value->type);
}

static void settle_function(TypeShardings *shardings, Op *func) {
    Module *module = shardings->module;
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    int results = type->part_count - type->input_count;
    const Type **parts = ARENA_ARRAY(module->arena, const Type *, type->part_count + 1);
    for (int i = 0; i < type->part_count; i++) {
        parts[i] = plain(module->context, type->parts[i]);
        int result = i - type->input_count;
        if (result < 0 || !has_sharding(type->parts[i])) continue;
        if (!func->result_shardings)
            func->result_shardings = ARENA_ARRAY(module->arena, const Sharding *, results);
        const Sharding *sharding = sharding_of_type(shardings, type->parts[i], func->loc);
        if (!func->result_shardings[result]) func->result_shardings[result] = sharding;
    }
    const Type *core = type_function(
        module->context, type->input_count, parts, results, parts + type->input_count);
    op_set_attr(module, func, NAME_FUNCTION_TYPE, attr_type(module->context, core));
}

static bool settle(Op *op, void *user) {
    TypeShardings *shardings = user;
    for (int i = 0; i < op->result_count; i++)
        settle_value(shardings, op_result(op, i), op->loc);
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++)
            settle_value(shardings, op->regions[r]->args[i], op->loc);
    }
    if (op->code == OP_FUNC) settle_function(shardings, op);
    return !shardings->failed;
}

bool has_type_shardings(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (has_sharding(op_result_type(op, i))) return true;
    }
    const Attr *type = op->code == OP_FUNC ? op_attr(op, NAME_FUNCTION_TYPE) : NULL;
    for (int i = 0; type && i < type->type->part_count; i++) {
        if (has_sharding(type->type->parts[i])) return true;
    }
    return false;
}

bool import_type_shardings(Module *module, PassContext *pass) {
    TypeShardings shardings = {.module = module, .pass = pass};
    int grids = 0;
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH) continue;
        shardings.only_grid = op_text(op, NAME_SYM_NAME);
        grids++;
    }
    if (grids != 1) shardings.only_grid = (StrView){NULL, 0};
    region_walk(module->body, settle, &shardings);
    return !shardings.failed;
}
