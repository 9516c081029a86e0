// sharding_options: every way to shard an op, found by giving each axis of the mesh to a factor of
// the op's sharding rule, or to none.
//
// A way is one that leaves equal parts without strides: the axes of a factor divide its size, and a
// factor below another in a dimension is split only when the upper one is split wholly. Factors
// that must be replicated take no axis. A factor that is reduced costs an all-reduce of the
// results, one that is permuted the permutation of them.
#include "partition/explain/sharding_options.h"

#include "base/vec.h"
#include "ir/print/print.h"
#include "partition/explain/explain_internal.h"
#include "partition/rules/sharding_rule.h"

#include <stdlib.h>

enum { MAX_WAYS = 1 << 16, NO_FACTOR = -1 };

typedef struct Lister {
    const Module *module;
    Arena *arena, *scratch;
    Diags *diags;
    PtrMap names; // of the module's values
    const Mesh *mesh;
    StrView mesh_name;
    VEC(shardc_sharded_op) ops;
} Lister;

typedef struct NumberedOption {
    shardc_sharding_option option;
    int64_t number; // in the order in which they are found
} NumberedOption;

// The op that is looked at, and the way that is tried: the factor of each axis.
typedef struct Trial {
    Lister *lister;
    const Op *op;
    const ShardingRule *rule;
    int factor_of[MAX_AXES];
    VEC(NumberedOption) ways;
} Trial;

// The number of parts of a factor.
static int64_t parts_of(const Trial *trial, int factor) {
    const Mesh *mesh = trial->lister->mesh;
    int64_t parts = 1;
    for (int a = 0; a < mesh->axis_count; a++) {
        if (trial->factor_of[a] == factor) parts *= mesh->axes[a].size;
    }
    return parts;
}

static bool factors_divide(const Trial *trial) {
    for (int f = 0; f < trial->rule->factor_count; f++) {
        const Factor *factor = &trial->rule->factors[f];
        int64_t parts = parts_of(trial, f);
        if (parts > 1 && (factor->kind == FACTOR_NEED_REPLICATION || factor->size % parts != 0))
            return false;
    }
    return true;
}

static bool has_strides(const Trial *trial, const TensorFactors *tensor) {
    for (int d = 0; d < tensor->rank; d++) {
        bool is_whole = true; // all factors so far are split wholly
        for (int i = 0; i < tensor->dims[d].count; i++) {
            int factor = tensor->dims[d].factors[i];
            int64_t parts = parts_of(trial, factor);
            if (parts > 1 && !is_whole) return true;
            is_whole = is_whole && parts == trial->rule->factors[factor].size;
        }
    }
    return false;
}

// The text of a tensor's sharding; *parts: how many the tensor has.
static const char *tensor_sharding(
    const Trial *trial, const TensorFactors *tensor, int64_t *parts) {
    const Lister *lister = trial->lister;
    DimSharding *dims = ARENA_ARRAY(lister->scratch, DimSharding, tensor->rank);
    *parts = 1;
    for (int d = 0; d < tensor->rank; d++) {
        AxisRef *axes = ARENA_ARRAY(lister->scratch, AxisRef, MAX_AXES);
        dims[d] = (DimSharding){.axes = axes, .priority = PRIORITY_NONE};
        for (int i = 0; i < tensor->dims[d].count; i++) {
            for (int a = 0; a < lister->mesh->axis_count; a++) {
                if (trial->factor_of[a] != tensor->dims[d].factors[i]) continue;
                axes[dims[d].axis_count++] = (AxisRef){lister->mesh->axes[a].name, 1, 0};
                *parts *= lister->mesh->axes[a].size;
            }
        }
    }
    const Sharding sharding = {.mesh_name = lister->mesh_name, .rank = tensor->rank, .dims = dims};
    return sharding_text(lister->arena, &sharding);
}

static int64_t bytes_of(const Type *type) {
    return type->kind == TYPE_TENSOR && type_is_static(type) ? (int64_t)type_bytes(type) : 0;
}

static bool is_read_before(const Op *op, int operand) {
    for (int i = 0; i < operand; i++) {
        if (op_operand(op, i) == op_operand(op, operand)) return true;
    }
    return false;
}

// "all_reduce along "x", "y"": the collectives that factors of a kind need.
static bool tell_collective(
    const Trial *trial, FactorKind kind, const char *collective, StrBuf *out) {
    const Mesh *mesh = trial->lister->mesh;
    bool found = false;
    for (int a = 0; a < mesh->axis_count; a++) {
        int factor = trial->factor_of[a];
        if (factor == NO_FACTOR || trial->rule->factors[factor].kind != kind) continue;
        if (!found) strbuf_printf(out, "%s%s along ", out->size ? " and " : "", collective);
        strbuf_printf(out, "%s\"%.*s\"", found ? ", " : "", SV_ARG(mesh->axes[a].name));
        found = true;
    }
    return found;
}

static void add_way(Trial *trial) {
    const ShardingRule *rule = trial->rule;
    Arena *arena = trial->lister->arena;
    const char **texts =
        ARENA_ARRAY(arena, const char *, rule->operand_count + rule->result_count + 1);
    shardc_sharding_option option = {.operands = texts, .results = texts + rule->operand_count};
    int64_t parts, results = 0;
    for (int i = 0; i < rule->operand_count; i++) {
        texts[i] = tensor_sharding(trial, &rule->operands[i], &parts);
        if (!is_read_before(trial->op, i))
            option.memory_bytes += bytes_of(op_operand_type(trial->op, i)) / parts;
    }
    for (int i = 0; i < rule->result_count; i++) {
        texts[rule->operand_count + i] = tensor_sharding(trial, &rule->results[i], &parts);
        results += bytes_of(op_result_type(trial->op, i)) / parts;
    }
    option.memory_bytes += results;
    StrBuf needs = strbuf(arena);
    bool reduces = tell_collective(trial, FACTOR_REDUCTION, "all_reduce", &needs);
    bool permutes = tell_collective(trial, FACTOR_PERMUTATION, "collective_permute", &needs);
    option.communication = strbuf_cstring(&needs);
    option.communication_bytes = results * (reduces + permutes);
    vec_push(trial->lister->scratch, &trial->ways, ((NumberedOption){option, trial->ways.count}));
}

static void try_axes(Trial *trial, int axis) {
    if (axis < trial->lister->mesh->axis_count) {
        for (int f = NO_FACTOR; f < trial->rule->factor_count; f++) {
            trial->factor_of[axis] = f;
            try_axes(trial, axis + 1);
        }
        return;
    }
    if (!factors_divide(trial)) return;
    for (int i = 0; i < trial->rule->operand_count; i++) {
        if (has_strides(trial, &trial->rule->operands[i])) return;
    }
    for (int i = 0; i < trial->rule->result_count; i++) {
        if (has_strides(trial, &trial->rule->results[i])) return;
    }
    add_way(trial);
}

static int compare_ways(const void *a, const void *b) {
    const NumberedOption *x = a, *y = b;
    const shardc_sharding_option *p = &x->option, *q = &y->option;
    if (p->communication_bytes != q->communication_bytes)
        return p->communication_bytes < q->communication_bytes ? -1 : 1;
    if (p->memory_bytes != q->memory_bytes) return p->memory_bytes < q->memory_bytes ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

// The ways that were found, the cheapest first.
static const shardc_sharding_option *sorted_options(Trial *trial) {
    int64_t count = trial->ways.count;
    shardc_sharding_option *options =
        ARENA_ARRAY(trial->lister->arena, shardc_sharding_option, count + 1);
    if (count > 0) qsort(trial->ways.data, (size_t)count, sizeof *trial->ways.data, compare_ways);
    for (int64_t i = 0; i < count; i++)
        options[i] = trial->ways.data[i].option;
    return options;
}

static bool visit(Op *op, void *user) {
    Lister *lister = user;
    if (op->result_count == 0 || op_has(op, TRAIT_TERMINATOR)) return true;
    arena_reset(lister->scratch);
    bool is_unknown = false;
    const ShardingRule *rule = op_sharding_rule(lister->scratch, op, false, &is_unknown);
    if (!rule || is_unknown || rule->factor_count == 0) return true;
    int64_t ways = 1;
    for (int a = 0; a < lister->mesh->axis_count; a++) {
        ways *= rule->factor_count + 1;
        if (ways <= MAX_WAYS) continue;
        diag_error(
            lister->diags, op->loc, "'%.*s' op has more than %d ways to be sharded over @%.*s",
            SV_ARG(op->name), (int)MAX_WAYS, SV_ARG(lister->mesh_name));
        return false;
    }
    Trial trial = {.lister = lister, .op = op, .rule = rule};
    try_axes(&trial, 0);
    StrBuf name = strbuf(lister->arena);
    (void)print_value_name_of(&name, &lister->names, op_result(op, 0));
    shardc_sharded_op found = {
        .name = strbuf_cstring(&name),
        .op = op_text_of(lister->arena, op),
        .location = loc_text(lister->arena, op->loc),
        .mesh = arena_cstring(lister->arena, lister->mesh_name),
        .operand_count = rule->operand_count,
        .result_count = rule->result_count,
        .option_count = (int32_t)trial.ways.count,
        .options = sorted_options(&trial)};
    vec_push(lister->arena, &lister->ops, found);
    return true;
}

bool list_sharding_options(
    const Module *module, Arena *arena, shardc_sharding_options *options, Diags *diags) {
    Lister lister = {
        .module = module, .arena = arena, .scratch = arena_child(arena), .diags = diags};
    lister.names = print_value_names(lister.scratch, module);
    lister.scratch = arena_child(arena);
    bool has_mesh = false;
    for (const Op *op = module->body->first; op; op = op->next) {
        const Mesh *mesh = op_mesh(op);
        if (!mesh || mesh->axis_count == 0) continue;
        has_mesh = true;
        lister.mesh = mesh;
        lister.mesh_name = op_text(op, NAME_SYM_NAME);
        if (!region_walk(module->body, visit, &lister)) return false;
    }
    if (!has_mesh) {
        diag_error(
            diags, module->op->loc,
            "the program has no mesh with axes: write one, sdy.mesh @mesh = <[\"x\"=2]>");
        return false;
    }
    options->op_count = (int32_t)lister.ops.count;
    options->ops = lister.ops.data;
    return true;
}
