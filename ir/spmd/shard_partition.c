// shard_partition: shard-partition (mesh-spmdization): a program whose values are annotated by
// shard.shard becomes one device's.
//
//   In      a verified module; in functions that annotate anything, every tensor of an op is
//           annotated (sharding-propagation does it).
//   Out     local types, no shard.shard and no shard.sharding; collectives where shardings
//           change and where sums are of parts.
//   Fails   where a tensor is not annotated, or an op cannot be sharded as its operands are.
//
//   before  %1 = shard.shard %x to %s annotate_for_users : tensor<8xf32>
//           %2 = tosa.abs %1 : (tensor<8xf32>) -> tensor<8xf32>, which is annotated by %s, too
//           (%s: split_axes = [[0]] on a grid of 2)
//   after   %2 = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>
#include "ir/spmd/spmd.h"

typedef struct Partition {
    Module *module;
    PassContext *pass;
    PtrMap specs; // Value -> ShardSpec: how what is there lies
    bool failed;
} Partition;

static bool fail(Partition *p, const Op *op, const char *what) {
    diag_error(p->pass->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), what);
    p->failed = true;
    return false;
}

static bool is_tensor(const Value *value) {
    return value->type->kind == TYPE_TENSOR && !value->type->unranked;
}

// The annotation of a value itself: the one that is not for its users, or else the first.
static const Op *annotation(const Value *value) {
    const Op *best = NULL;
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *user = use->owner;
        if (user->code != OP_SHARD_SHARD || use_index(use) != 0) continue;
        bool is_own = !op_attr(user, NAME_ANNOTATE_FOR_USERS);
        bool best_is_own = best && !op_attr(best, NAME_ANNOTATE_FOR_USERS);
        if (!best || (is_own && !best_is_own) ||
            (is_own == best_is_own && user->number < best->number))
            best = user;
    }
    return best;
}

// Gives the value the type of its part, as it is annotated. False: it is not.
static bool settle(Partition *p, Value *value) {
    const Op *shard = annotation(value);
    ShardSpec *spec = ARENA_NEW(p->pass->scratch, ShardSpec);
    if (!shard || !shard_spec_of(shard, spec)) return false;
    if (grid_shape(p->module, spec->grid).count == 0)
        return fail(p, shard, "names a grid that is not declared");
    ptr_map_set(&p->specs, value, spec);
    value->type = spec_local_type(p->module, value->type, spec);
    return true;
}

static bool partition_shard(Partition *p, Op *op) {
    Value *value = op_operand(op, 0);
    const Type *global = op_result_type(op, 0);
    ShardSpec *to = ARENA_NEW(p->pass->scratch, ShardSpec);
    if (!shard_spec_of(op, to)) return fail(p, op, "has a sharding that is not in sight");
    const ShardSpec *from = ptr_map_get(&p->specs, value);
    if (!from) return fail(p, op, "has an operand that is not annotated");
    Builder builder = builder_before(p->module, op);
    Value *part = reshard_part(&builder, p->pass->diags, value, global, from, to);
    if (!part) {
        p->failed = true;
        return false;
    }
    if (part != value) ptr_map_set(&p->specs, part, to);
    value_replace_uses(op_result(op, 0), part);
    op_erase(op);
    return true;
}

// --- sums of parts ---

static void add_axes(IntSpan axes, int64_t *all, int *count) {
    for (int i = 0; i < axes.count; i++) {
        if (!ints_contain((IntSpan){all, *count}, axes.data[i])) all[(*count)++] = axes.data[i];
    }
}

// The grid axes that the op's reduction loops run along, in its operands.
static IntSpan reduced_axes(Partition *p, const Op *op, const Loops *loops, StrView *grid) {
    int64_t *axes = ARENA_ARRAY(p->pass->scratch, int64_t, MAX_AXES * 2);
    int count = 0;
    for (int d = 0; d < loops->count; d++) {
        for (int i = 0; i < op->operand_count && loops->is_reduction[d]; i++) {
            const ShardSpec *spec = ptr_map_get(&p->specs, op_operand(op, i));
            const LoopMap *map = &loops->maps[i];
            for (int r = 0; spec && r < map->count; r++) {
                if (map->results[r] != d) continue;
                add_axes(spec_axes(spec, r), axes, &count);
                *grid = spec->grid;
            }
        }
    }
    return (IntSpan){axes, count};
}

static Value *first_of_group(Builder *builder, StrView grid, IntSpan axes) {
    Module *module = builder->module;
    Op *place = build_axes_query(builder, OP_SHARD_PROCESS_MULTI_INDEX, grid, axes);
    Op *sizes = build_axes_query(builder, OP_SHARD_GRID_SHAPE, grid, axes);
    Value *linear = op_result(place, 0);
    for (int i = 1; i < axes.count; i++) {
        linear = build_arith(builder, OP_ARITH_MULI, linear, op_result(sizes, i));
        linear = build_arith(builder, OP_ARITH_ADDI, linear, op_result(place, i));
    }
    const Type *predicate = type_element(module->context, ELEMENT_I1);
    Value *operands[] = {linear, build_index(builder, 0)};
    Op *compare = build_op(builder, OP_ARITH_CMPI, 2, operands, 1, &predicate, 0);
    op_set_attr(
        module, compare, NAME_PREDICATE,
        attr_enum(module->context, ENUM_ARITH_PREDICATE, ARITH_PREDICATE_eq));
    return op_result(compare, 0);
}

// Attribute of the number that changes nothing when it is combined; NULL where there is none.
static const Attr *neutral(Context *context, int64_t reduction, ElementType element) {
    static const OpCode bodies[] = {
        [SHARD_REDUCTION_sum] = OP_ADD,       [SHARD_REDUCTION_max] = OP_MAXIMUM,
        [SHARD_REDUCTION_min] = OP_MINIMUM,   [SHARD_REDUCTION_product] = OP_MULTIPLY,
        [SHARD_REDUCTION_average] = OP_COUNT, [SHARD_REDUCTION_bitwise_and] = OP_AND,
        [SHARD_REDUCTION_bitwise_or] = OP_OR, [SHARD_REDUCTION_bitwise_xor] = OP_XOR,
        [SHARD_REDUCTION_generic] = OP_COUNT};
    if (bodies[reduction] == OP_COUNT) return NULL;
    const Attr *elements =
        reduction_neutral(context, bodies[reduction], type_scalar(context, element));
    if (!elements) return NULL;
    if (element_is_float(element))
        return attr_float(context, attr_element_double(elements, 0), element);
    if (element == ELEMENT_I1) return attr_bool(context, attr_element_int(elements, 0) != 0);
    return attr_int(context, attr_element_int(elements, 0), element);
}

static void yield(Module *module, Region *region, const Loc *loc, Value *value) {
    Builder builder = builder_at_end(module, region);
    builder.loc = loc;
    build_op(&builder, OP_SCF_YIELD, 1, &value, 0, NULL, 0);
}

// What `outs` holds counts once: for all but the first device of each group it is neutral.
static bool guard_init(
    Partition *p, Op *op, int i, StrView grid, IntSpan axes, const Attr *number) {
    Module *module = p->module;
    Value *init = op_operand(op, i);
    Builder builder = builder_before(module, op);
    const Type *scalar = type_element(module->context, init->type->element);
    Op *constant = build_op(&builder, OP_ARITH_CONSTANT, 0, NULL, 1, &scalar, 0);
    op_set_attr(module, constant, NAME_VALUE, number);
    Value *is_first = first_of_group(&builder, grid, axes);
    Op *branch = build_op(&builder, OP_SCF_IF, 1, &is_first, 1, &init->type, 2);
    yield(module, branch->regions[0], op->loc, init);
    if (!type_is_static(init->type)) return fail(p, op, "sums parts of a size that is not known");
    Builder inner = builder_at_end(module, branch->regions[1]);
    inner.loc = op->loc;
    Value *empty = op_result(build_op(&inner, OP_TENSOR_EMPTY, 0, NULL, 1, &init->type, 0), 0);
    Value *operands[] = {op_result(constant, 0), empty};
    Op *fill = build_op(&inner, OP_LINALG_FILL, 2, operands, 1, &init->type, 0);
    op_set_attr(module, fill, NAME_OPERAND_SEGMENT_SIZES, attr_segments(module->context, 1, 1));
    yield(module, branch->regions[1], op->loc, op_result(fill, 0));
    op_set_operand(op, i, op_result(branch, 0));
    return true;
}

// Combines the parts of a result, but for those that its annotation leaves partial.
static void reduce_result(
    Partition *p, Op *op, int i, StrView grid, IntSpan axes, int64_t reduction) {
    Value *result = op_result(op, i);
    const ShardSpec *spec = ptr_map_get(&p->specs, result);
    int64_t left[MAX_AXES * 2];
    int count = 0;
    for (int a = 0; a < axes.count; a++) {
        if (!spec || !ints_contain(spec->partial, axes.data[a])) left[count++] = axes.data[a];
    }
    if (count == 0) return;
    Builder builder = builder_after(p->module, op);
    Op *reduce = build_shard_collective(
        &builder, OP_SHARD_ALL_REDUCE, grid, (IntSpan){left, count}, result, result->type);
    if (reduction != SHARD_REDUCTION_sum)
        op_set_attr(
            p->module, reduce, NAME_REDUCTION,
            attr_enum(p->module->context, ENUM_SHARD_REDUCTION, (int)reduction));
    value_replace_uses_except(result, op_result(reduce, 0), reduce);
    if (spec) ptr_map_set(&p->specs, op_result(reduce, 0), (void *)(uintptr_t)spec);
}

// Do operands and results shard every loop alike?
static bool agree(Partition *p, const Op *op, const Loops *loops) {
    for (int d = 0; d < loops->count; d++) {
        IntSpan seen = {NULL, -1};
        for (int i = 0; i < op->operand_count + op->result_count; i++) {
            const Value *value =
                i < op->operand_count ? op_operand(op, i) : op_result(op, i - op->operand_count);
            const ShardSpec *spec = ptr_map_get(&p->specs, value);
            for (int r = 0; spec && r < loops->maps[i].count; r++) {
                if (loops->maps[i].results[r] != d) continue;
                IntSpan axes = spec_axes(spec, r);
                bool same = seen.count < 0 || seen.count == axes.count;
                for (int a = 0; same && a < axes.count && seen.count >= 0; a++)
                    same = seen.data[a] == axes.data[a];
                if (!same) return false;
                seen = axes;
            }
        }
    }
    return true;
}

static bool is_replicated(const ShardSpec *spec, int rank) {
    for (int d = 0; d < rank; d++) {
        if (spec_axes(spec, d).count > 0) return false;
    }
    return spec->partial.count == 0;
}

// An op that has no loops runs on every device alike.
static bool partition_whole(Partition *p, Op *op) {
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        const Value *value =
            i < op->operand_count ? op_operand(op, i) : op_result(op, i - op->operand_count);
        const ShardSpec *spec = ptr_map_get(&p->specs, value);
        if (spec && !is_replicated(spec, value->type->rank))
            return fail(p, op, "cannot be sharded: sharding interface is not implemented.");
    }
    return true;
}

static bool is_splat_constant(const Op *op) {
    const Attr *value = op_attr(op, op->code == OP_TOSA_CONST ? NAME_VALUES : NAME_VALUE);
    return value && value->kind == ATTR_ELEMENTS && value->is_splat;
}

// A constant's value has the type of the part.
static bool partition_constant(Partition *p, Op *op) {
    const Type *type = op_result_type(op, 0);
    AttrName name = op_attr(op, NAME_VALUES) ? NAME_VALUES : NAME_VALUE;
    const Attr *value = op_attr(op, name);
    if (!value || value->type == type || value->kind != ATTR_ELEMENTS) return true;
    if (!is_splat_constant(op) || !type_is_static(type))
        return fail(p, op, "is a constant of different elements, which cannot be sharded");
    op_set_attr(
        p->module, op, name,
        attr_elements(p->module->context, type, true, value->data, value->data_size));
    return true;
}

static bool partition_op(Partition *p, Op *op) {
    bool has_tensors = false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_tensor(op_operand(op, i))) continue;
        has_tensors = true;
        if (!ptr_map_get(&p->specs, op_operand(op, i)))
            return fail(p, op, "has an operand that is not annotated; run sharding-propagation");
    }
    for (int i = 0; i < op->result_count; i++) {
        Value *result = op_result(op, i);
        if (!is_tensor(result)) continue;
        has_tensors = true;
        if (!result->uses) continue;
        if (!settle(p, result))
            return p->failed
                       ? false
                       : fail(
                             p, op, "has a result that is not annotated; run sharding-propagation");
    }
    if (!has_tensors) return true;
    if (op_has(op, TRAIT_CONSTANT)) return partition_constant(p, op);
    Loops loops;
    if (!sharding_loops(op, &loops)) return partition_whole(p, op);
    if (!agree(p, op, &loops))
        return fail(p, op, "has operands and results that are sharded differently");
    StrView grid = {0};
    IntSpan axes = reduced_axes(p, op, &loops, &grid);
    if (axes.count == 0) return true;
    int64_t reduction;
    if (!loops_reduction(op, &reduction))
        return fail(p, op, "sums parts in a way that no collective has");
    IntSpan segments = op_ints(op, NAME_OPERAND_SEGMENT_SIZES);
    int ins = op_dialect(op) == DIALECT_LINALG && segments.count == 2 ? (int)segments.data[0]
                                                                      : op->operand_count;
    for (int i = ins; i < op->operand_count; i++) {
        const Attr *number =
            neutral(p->module->context, reduction, op_operand_type(op, i)->element);
        if (!number) return fail(p, op, "sums parts in a way that no collective has");
        if (!guard_init(p, op, i, grid, axes, number)) return false;
    }
    for (int i = 0; i < op->result_count; i++)
        reduce_result(p, op, i, grid, axes, reduction);
    return true;
}

static bool partition_function(Partition *p, Op *func) {
    Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        if (is_tensor(body->args[i])) (void)settle(p, body->args[i]);
    }
    for (Op *op = body->first, *next; op && !p->failed; op = next) {
        next = op->next;
        if (op->code == OP_SHARD_SHARD)
            partition_shard(p, op);
        else if (op->code != OP_SHARD_SHARDING && !op_has(op, TRAIT_TERMINATOR))
            partition_op(p, op);
    }
    for (Op *op = body->last, *before; op && !p->failed; op = before) {
        before = op->prev;
        if (op->code == OP_SHARD_SHARDING && !op_result(op, 0)->uses) op_erase(op);
    }
    if (p->failed) return false;
    const Op *end = body->last;
    int inputs = body->arg_count, outputs = end ? end->operand_count : 0;
    const Type **types = ARENA_ARRAY(p->pass->scratch, const Type *, inputs + outputs + 1);
    for (int i = 0; i < inputs; i++)
        types[i] = body->args[i]->type;
    for (int i = 0; i < outputs; i++)
        types[inputs + i] = op_operand_type(end, i);
    Context *context = p->module->context;
    op_set_attr(
        p->module, func, NAME_FUNCTION_TYPE,
        attr_type(context, type_function(context, inputs, types, outputs, types + inputs)));
    return true;
}

static bool is_no_shard(Op *op, void *user) {
    (void)user;
    return op->code != OP_SHARD_SHARD;
}

PassResult pass_partition_shard(Module *module, PassContext *pass) {
    PassResult result = PASS_UNCHANGED;
    for (Op *func = module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC || region_walk(func_body(func), is_no_shard, NULL)) continue;
        Partition p = {.module = module, .pass = pass, .specs = ptr_map(pass->scratch)};
        if (!partition_function(&p, func)) return PASS_FAILED;
        result = PASS_CHANGED;
    }
    return result;
}
