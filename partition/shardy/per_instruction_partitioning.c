// per_instruction_partitioning: chosen ops become one device's program, in a manual computation
// each, in an otherwise global program.
//
//   In      exact shardings
//   Out     a chosen op is an sdy.manual_computation over all axes that its tensors name; its body
//           is what the partitioner makes of the op. Operands that do not divide are padded before
//           it, results are cut behind it.
//   Keeps   the program around it; ops without a common mesh, ops that do not take padded operands,
//           reductions of sharded dimensions but sums
//   Options filter=dot,add           ops whose name has one of the words
//           filter=selectLow=2,selectHigh=4   of the ops that are sharded, in order, those numbers
//                                    only
//           enable-halo-exchange, replica-count, partition-count: of the passes that make the body
//
// It narrows down which op of a program is partitioned wrongly.
//
//   before  %0 = stablehlo.dot %a, %b {sharding = [{"x"}, {"y"}]}    a: [{"x"}, {}], b: [{}, {"y"}]
//   after   %0 = sdy.manual_computation(%a, %b) ... manual_axes={"x", "y"} (%c, %d) {
//             sdy.return stablehlo.dot %c, %d
//           }
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "ir/verify/verify.h"
#include "partition/passes.h"
#include "partition/propagate/projection.h"
#include "partition/rules/sharding_rule.h"
#include "partition/shardy/padding.h"

#include <string.h>

typedef struct Filter {
    int64_t low, high; // -1: no limit
    VEC(StrView) words;
} Filter;

typedef struct Partitioner {
    Module *module;
    PassContext *pass;
    Filter filter;
    int64_t count; // of ops that could be chosen
    VEC(Op *) chosen;
} Partitioner;

// ---- which ops ----

static StrView trimmed(StrView text) {
    while (text.size && (text.data[0] == ' ' || text.data[0] == '\'')) {
        text.data++;
        text.size--;
    }
    while (text.size && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\''))
        text.size--;
    return text;
}

static void read_limit(StrView word, const char *name, int64_t *limit) {
    size_t size = strlen(name);
    StrView number = {word.data + size, word.size - size};
    if (!strview_to_int64(trimmed(number), limit)) *limit = -1;
}

static Filter read_filter(Arena *arena, StrView text) {
    Filter filter = {.low = -1, .high = -1};
    while (text.size) {
        const char *comma = memchr(text.data, ',', text.size);
        size_t size = comma ? (size_t)(comma - text.data) : text.size;
        StrView word = trimmed((StrView){text.data, size});
        size += comma ? 1 : 0;
        text = (StrView){text.data + size, text.size - size};
        if (strview_starts_with(word, SV("selectLow="))) {
            read_limit(word, "selectLow=", &filter.low);
        } else if (strview_starts_with(word, SV("selectHigh="))) {
            read_limit(word, "selectHigh=", &filter.high);
        } else if (word.size) {
            vec_push(arena, &filter.words, word);
        }
    }
    return filter;
}

static bool contains(StrView text, StrView word) {
    for (size_t i = 0; i + word.size <= text.size; i++) {
        if (memcmp(text.data + i, word.data, word.size) == 0) return true;
    }
    return false;
}

static bool is_chosen(const Filter *filter, const Op *op, int64_t number) {
    if (filter->low >= 0 && number < filter->low) return false;
    if (filter->high >= 0 && number > filter->high) return false;
    for (int64_t i = 0; i < filter->words.count; i++) {
        if (contains(op->name, filter->words.data[i])) return true;
    }
    return filter->words.count == 0;
}

static bool is_inside(const Op *outer, const Region *region) {
    while (region && region->owner != outer)
        region = region->owner ? region->owner->parent : NULL;
    return region != NULL;
}

static bool uses_own_values(Op *op, void *user) {
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_inside(user, value_region(op_operand(op, i)))) return false;
    }
    return true;
}

// Do the op's regions use values of the region around it? Then it cannot stand alone.
static bool captures(Op *op) {
    for (int i = 0; i < op->region_count; i++) {
        if (!region_walk(op->regions[i], uses_own_values, op)) return true;
    }
    return false;
}

static bool is_candidate(const Module *module, const Op *op) {
    if (op_has(op, TRAIT_TERMINATOR)) return false;
    if (op_is_sdy_collective(op)) return false;
    if (op->code == OP_CALL || op->code == OP_COMPOSITE) return false;
    bool is_plain = op->code == OP_SDY_RESHARD || op->code == OP_SDY_CONSTANT;
    if (op_dialect(op) == DIALECT_SDY && !is_plain) return false; // says how others are sharded
    if (op->code == OP_CUSTOM_CALL && strview_is(op_text(op, NAME_CALL_TARGET_NAME), "Sharding"))
        return false;
    bool is_sharded = false;
    for (int t = 0; t < op->operand_count + op->result_count; t++) {
        const Value *value =
            t < op->operand_count ? op_operand(op, t) : op_result(op, t - op->operand_count);
        if (value->type->kind != TYPE_TENSOR || !type_is_static(value->type)) return false;
        is_sharded = is_sharded || !sharding_is_fully_replicated(value_sharding(module, value));
    }
    return is_sharded;
}

// Ops inside other ops are not looked at.
static void choose(Partitioner *partitioner) {
    for (Op *func = partitioner->module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC) continue;
        for (Op *op = func_body(func)->first; op; op = op->next) {
            if (!is_candidate(partitioner->module, op)) continue;
            if (is_chosen(&partitioner->filter, op, partitioner->count++) && !captures(op))
                vec_push(partitioner->pass->scratch, &partitioner->chosen, op);
        }
    }
}

// ---- the shape of one op ----

// The op's tensors, operands, then results: how they lie, and what they are padded to.
typedef struct Tensors {
    int count;
    const Sharding **shardings;
    const Type **types;
    const Mesh *mesh;
    StrView mesh_name;
} Tensors;

// A reshard's tensors have one shape, which divides for both.
static const Type *common_padded_type(
    Context *context, const Mesh *mesh, const Type *type, const Sharding *from,
    const Sharding *to) {
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < type->rank; d++) {
        int64_t a = sharding_dim_size(mesh, from, d), b = sharding_dim_size(mesh, to, d);
        int64_t parts = a;
        while (parts % b != 0)
            parts += a;
        dims[d] = padded_size(type->dims[d], parts);
    }
    return type_with_dims(context, type, type->rank, dims);
}

static bool find_tensors(Partitioner *partitioner, const Op *op, Tensors *tensors) {
    Module *module = partitioner->module;
    Arena *arena = partitioner->pass->scratch;
    int count = op->operand_count + op->result_count;
    *tensors = (Tensors){
        .count = count,
        .shardings = ARENA_ARRAY(arena, const Sharding *, count),
        .types = ARENA_ARRAY(arena, const Type *, count)};
    for (int t = 0; t < count; t++) {
        const Value *value =
            t < op->operand_count ? op_operand(op, t) : op_result(op, t - op->operand_count);
        tensors->shardings[t] = value_sharding(module, value);
        tensors->types[t] = value->type;
    }
    tensors->mesh = common_mesh(module, count, tensors->shardings, &tensors->mesh_name);
    if (!tensors->mesh || mesh_is_maximal(tensors->mesh)) return false;
    for (int t = 0; t < count; t++) {
        const Sharding *sharding = tensors->shardings[t];
        const Type *type = tensors->types[t];
        if (!sharding)
            sharding = sharding_replicated(module->context, tensors->mesh_name, type->rank);
        if (t >= op->operand_count && sharding->unreduced_count > 0) {
            Sharding whole = *sharding;
            whole.unreduced_count = 0;
            whole.unreduced = NULL;
            sharding = sharding_intern(module->context, &whole);
        }
        tensors->shardings[t] = sharding;
        tensors->types[t] = padded_type(module->context, tensors->mesh, type, sharding);
    }
    if (op->code == OP_SDY_RESHARD)
        tensors->types[0] = tensors->types[1] = common_padded_type(
            module->context, tensors->mesh, op_result_type(op, 0), tensors->shardings[0],
            tensors->shardings[1]);
    return true;
}

// Reductions but sums: Shardy's insertion of all_reduces takes all for sums.
static bool sums(const Op *op) {
    return op->region_count == 0 ||
           (op->result_count == 1 && region_reduction_op(op->regions[0]) == OP_ADD);
}

// Zeros behind an operand's elements end up behind those of the results, which
// are cut, or are added to sums.
static bool may_pad_dim(const Op *op, const ShardingRule *rule, const DimFactors *dim) {
    for (int i = 0; i < dim->count; i++) {
        FactorKind kind = rule->factors[dim->factors[i]].kind;
        bool is_harmless = kind == FACTOR_PASS_THROUGH || (kind == FACTOR_REDUCTION && sums(op));
        if (dim->count > 1 || !is_harmless) return false;
    }
    return true;
}

static bool has_factor_kind(const ShardingRule *rule, const DimFactors *dim, FactorKind kind) {
    for (int i = 0; i < dim->count; i++) {
        if (rule->factors[dim->factors[i]].kind == kind) return true;
    }
    return false;
}

// Does the op compute the same when its operands are padded and partitioned?
static bool may_partition(Arena *arena, const Op *op, const Tensors *tensors) {
    if (op->code == OP_SDY_RESHARD) return true;
    const ShardingRule *rule = op_sharding_rule(arena, op, false, NULL);
    for (int t = 0; t < op->operand_count; t++) {
        const Type *type = op_operand_type(op, t);
        for (int d = 0; d < type->rank; d++) {
            const DimFactors *dim = rule ? &rule->operands[t].dims[d] : NULL;
            bool is_sharded = sharding_dim_size(tensors->mesh, tensors->shardings[t], d) > 1;
            if (dim && is_sharded && !sums(op) && has_factor_kind(rule, dim, FACTOR_REDUCTION))
                return false;
            if (type->dims[d] == tensors->types[t]->dims[d]) continue;
            if (!dim || !may_pad_dim(op, rule, dim)) return false;
        }
    }
    return true;
}

// All axes that the tensors name, in mesh order.
static const Attr *manual_axes(Context *context, const Tensors *tensors) {
    AxisRef axes[MAX_AXES];
    int count = 0;
    for (int a = 0; a < tensors->mesh->axis_count; a++) {
        AxisRef axis = {.name = tensors->mesh->axes[a].name, .pre_size = 1};
        bool is_used = false;
        for (int t = 0; t < tensors->count; t++) {
            const Sharding *sharding = tensors->shardings[t];
            for (int d = 0; d < sharding->rank; d++) {
                AxisSpan of_dim = dim_axes(sharding, d);
                for (int i = 0; i < of_dim.count; i++)
                    is_used = is_used || strview_equal(of_dim.axes[i].name, axis.name);
            }
            for (int i = 0; i < sharding->unreduced_count; i++)
                is_used = is_used || strview_equal(sharding->unreduced[i].name, axis.name);
        }
        if (is_used) axes[count++] = axis;
    }
    return attr_axes(context, count, axes);
}

// ---- the op alone ----

// A slice ends where its padded operand ends, in dims that are padded.
static void move_limits(Module *module, Op *op, const Type *from, const Type *to) {
    IntSpan old = op_ints(op, NAME_LIMIT_INDICES);
    int64_t limits[MAX_RANK] = {0};
    for (int d = 0; d < old.count && d < to->rank; d++)
        limits[d] = old.data[d] + to->dims[d] - from->dims[d];
    op_set_attr(module, op, NAME_LIMIT_INDICES, attr_ints(module->context, old.count, limits));
}

// The op in a function of a module of its own, with padded types. NULL when it does not take them.
static Module *outline(Partitioner *partitioner, const Op *op, const Tensors *tensors) {
    Context *context = partitioner->module->context;
    Arena *scratch = partitioner->pass->scratch;
    Module *alone = module_create(context, partitioner->module->arena);
    PtrMap values = ptr_map(scratch);
    Builder builder = builder_at_end(alone, alone->body);
    alone->op->extra = partitioner->module->op->extra;
    for (const Op *mesh = partitioner->module->body->first; mesh; mesh = mesh->next) {
        if (mesh->code == OP_SDY_MESH) op_clone(&builder, mesh, &values);
    }
    builder.loc = op->loc;
    Op *func = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    int inputs = op->operand_count, results = op->result_count;
    const Type *type =
        type_function(context, inputs, tensors->types, results, tensors->types + inputs);
    op_set_attr(alone, func, NAME_SYM_NAME, attr_string(context, SV("main")));
    op_set_attr(alone, func, NAME_FUNCTION_TYPE, attr_type(context, type));
    Builder inner = builder_at_end(alone, func_body(func));
    inner.loc = op->loc;
    for (int i = 0; i < inputs; i++)
        region_add_arg(alone, func_body(func), tensors->types[i], op->loc)->sharding =
            tensors->shardings[i];
    Op *clone = op_clone(&inner, op, &values);
    Value **returned = ARENA_ARRAY(scratch, Value *, results);
    for (int i = 0; i < inputs; i++)
        op_set_operand(clone, i, func_body(func)->args[i]);
    for (int i = 0; i < results; i++) {
        const Type *before = op_result_type(op, i), *after = tensors->types[inputs + i];
        if (op->code == OP_SLICE) move_limits(alone, clone, before, after);
        returned[i] = op_result(clone, i);
        returned[i]->type = after;
        func_set_result_sharding(alone, func, i, tensors->shardings[inputs + i]);
    }
    build_return(&inner, OP_FUNC_RETURN, results, returned);
    Diags *unheard = diags_create(scratch);
    return verify_module(alone, unheard) ? alone : NULL;
}

static bool partition_alone(const Partitioner *partitioner, Module *alone) {
    PassContext pass = *partitioner->pass;
    const PassOption options[] = {
        {SV("enable-halo-exchange"), pass_option(&pass, "enable-halo-exchange")},
        {SV("replica-count"), pass_option(&pass, "replica-count")},
    };
    const Pass *pipeline = pass.pass->inner;
    pass.module = alone;
    pass.scratch = arena_child(pass.scratch);
    pass.log = NULL; // one row for the pass, not for every op
    pass.option_count = sizeof options / sizeof options[0];
    pass.options = options;
    return pass_run(pipeline, &pass) != PASS_FAILED;
}

// ---- and back ----

static const Op *entry_of(const Module *module) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC) return op;
    }
    return NULL;
}

// The manual computation with the body of the partitioned function, in the op's place.
static void insert_manual(
    Partitioner *partitioner, Op *op, const Tensors *tensors, const Op *func) {
    Module *module = partitioner->module;
    Arena *scratch = partitioner->pass->scratch;
    int inputs = op->operand_count, results = op->result_count;
    Builder builder = builder_before(module, op);
    Value **operands = ARENA_ARRAY(scratch, Value *, inputs);
    for (int i = 0; i < inputs; i++)
        operands[i] =
            pad_to_type(&builder, op_operand(op, i), tensors->types[i], tensors->shardings[i]);
    Op *manual =
        build_op(&builder, OP_SDY_MANUAL, inputs, operands, results, tensors->types + inputs, 1);
    region_set_shardings(module, manual, NAME_IN_SHARDINGS, inputs, tensors->shardings);
    region_set_shardings(module, manual, NAME_OUT_SHARDINGS, results, tensors->shardings + inputs);
    op_set_attr(module, manual, NAME_MANUAL_AXES, manual_axes(module->context, tensors));
    PtrMap values = ptr_map(scratch);
    region_clone_into(module, manual->regions[0], func_body(func), &values);
    region_set_return(manual->regions[0], OP_SDY_RETURN);
    for (int i = 0; i < results; i++) {
        Value *result = op_result(op, i);
        Value *cut = trim_to_type(
            &builder, op_result(manual, i), result->type, tensors->shardings[inputs + i]);
        value_replace_uses(result, cut);
    }
    op_erase(op);
}

static bool partition_op(Partitioner *partitioner, Op *op) {
    Tensors tensors;
    if (!find_tensors(partitioner, op, &tensors)) return true;
    if (!may_partition(partitioner->pass->scratch, op, &tensors)) return true;
    Module *alone = outline(partitioner, op, &tensors);
    if (!alone) return true;
    if (!partition_alone(partitioner, alone)) return false;
    insert_manual(partitioner, op, &tensors, entry_of(alone));
    return true;
}

PassResult pass_per_instruction_partitioning(Module *module, PassContext *pass) {
    Partitioner partitioner = {
        .module = module,
        .pass = pass,
        .filter = read_filter(pass->scratch, pass_option(pass, "filter"))};
    choose(&partitioner);
    for (int64_t i = 0; i < partitioner.chosen.count; i++) {
        if (!partition_op(&partitioner, partitioner.chosen.data[i])) return PASS_FAILED;
    }
    return partitioner.chosen.count > 0 ? PASS_CHANGED : PASS_UNCHANGED;
}
