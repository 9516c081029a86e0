// spmd_build: shardings, collectives and loops of the dialect shard's passes.
#include "base/checked.h"
#include "ir/scalar/scalar.h"
#include "ir/spmd/spmd.h"

static bool is_no_inline(Op *op, void *user) {
    (void)user;
    return !(op->code == OP_SHARD_SHARD && op->operand_count == 1);
}

bool module_has_inline_shardings(const Module *module) {
    return !region_walk(module->body, is_no_inline, NULL);
}

const Attr *axes_attr(Context *context, IntSpan axes) {
    return attr_intern(
        context, &(Attr){
                     .kind = ATTR_INTS,
                     .type = type_element(context, ELEMENT_I16),
                     .count = axes.count,
                     .ints = axes.data});
}

const Attr *axis_sets_attr(Context *context, const AxisSets *sets, bool keep_one) {
    const Attr *items[MAX_LOOPS];
    int count = sets->count;
    while (count > 0 && sets->axes[count - 1].count == 0)
        count--;
    if (count == 0 && keep_one && sets->count > 0) count = 1;
    for (int i = 0; i < count; i++)
        items[i] = axes_attr(context, sets->axes[i]);
    return attr_array(context, count, items);
}

static const Type *sharding_type(Context *context) {
    Type type = {.kind = TYPE_OPAQUE, .encoding = context_name(context, SV("!shard.sharding"))};
    return type_intern(context, &type);
}

Value *build_annotation(
    Builder *builder, Value *value, const ShardSpec *spec, bool for_users, bool is_inline) {
    Module *module = builder->module;
    Context *context = module->context;
    Value *operands[2] = {value, NULL};
    const Attr *grid = attr_symbol(context, spec->grid);
    if (!is_inline) {
        const Type *type = sharding_type(context);
        Op *sharding = build_op(builder, OP_SHARD_SHARDING, 0, NULL, 1, &type, 0);
        op_set_attr(module, sharding, NAME_GRID, grid);
        op_set_attr(module, sharding, NAME_SPLIT_AXES, spec->split_axes);
        IntSpan halos = spec->halo_sizes, offsets = spec->offsets;
        if (halos.count > 0)
            op_set_attr(
                module, sharding, NAME_STATIC_HALO_SIZES,
                attr_ints(context, halos.count, halos.data));
        if (offsets.count > 0)
            op_set_attr(
                module, sharding, NAME_STATIC_SHARDED_DIMS_OFFSETS,
                attr_ints(context, offsets.count, offsets.data));
        operands[1] = op_result(sharding, 0);
    }
    Op *shard = build_op(builder, OP_SHARD_SHARD, is_inline ? 1 : 2, operands, 1, &value->type, 0);
    if (for_users) op_set_attr(module, shard, NAME_ANNOTATE_FOR_USERS, attr_unit(context));
    if (!is_inline) return op_result(shard, 0);
    op_set_attr(module, shard, NAME_GRID, grid);
    op_set_attr(module, shard, NAME_SPLIT_AXES, spec->split_axes);
    if (spec->partial.count > 0) {
        op_set_attr(module, shard, NAME_PARTIAL_AXES, axes_attr(context, spec->partial));
        op_set_attr(
            module, shard, NAME_PARTIAL_TYPE,
            attr_enum(context, ENUM_SHARD_REDUCTION, (int)spec->partial_type));
    }
    return op_result(shard, 0);
}

const Type *spec_local_type(const Module *module, const Type *type, const ShardSpec *spec) {
    IntSpan shape = grid_shape(module, spec->grid);
    int64_t dims[MAX_RANK];
    int halo = 0;
    for (int d = 0; d < type->rank; d++) {
        IntSpan axes = spec_axes(spec, d);
        int64_t shards = grid_group_size(shape, axes);
        dims[d] = type->dims[d];
        if (axes.count == 0) continue;
        bool divides = dims[d] != DIM_DYNAMIC && shards > 0 && dims[d] % shards == 0;
        dims[d] = divides && spec->offsets.count == 0 ? dims[d] / shards : DIM_DYNAMIC;
        if (halo + 1 >= spec->halo_sizes.count) continue;
        int64_t low = spec->halo_sizes.data[halo], high = spec->halo_sizes.data[halo + 1];
        halo += 2;
        if (dims[d] == DIM_DYNAMIC || low == DIM_DYNAMIC || high == DIM_DYNAMIC)
            dims[d] = DIM_DYNAMIC;
        else
            dims[d] += low + high;
    }
    return type_with_dims(module->context, type, type->rank, dims);
}

// --- ops ---

Op *build_shard_collective(
    Builder *builder, OpCode code, StrView grid, IntSpan axes, Value *value, const Type *result) {
    Module *module = builder->module;
    Op *op = build_op(builder, code, 1, &value, 1, &result, 0);
    op_set_attr(module, op, NAME_GRID, attr_symbol(module->context, grid));
    if (axes.count > 0) op_set_attr(module, op, NAME_GRID_AXES, axes_attr(module->context, axes));
    return op;
}

Op *build_axes_query(Builder *builder, OpCode code, StrView grid, IntSpan axes) {
    Module *module = builder->module;
    int count = axes.count > 0 ? axes.count : grid_shape(module, grid).count;
    const Type *types[MAX_AXES];
    for (int i = 0; i < count; i++)
        types[i] = type_element(module->context, ELEMENT_INDEX);
    Op *op = build_op(builder, code, 0, NULL, count, types, 0);
    op_set_attr(module, op, NAME_GRID, attr_symbol(module->context, grid));
    if (axes.count > 0) op_set_attr(module, op, NAME_AXES, axes_attr(module->context, axes));
    return op;
}

Value *build_index(Builder *builder, int64_t number) {
    Module *module = builder->module;
    const Type *type = type_element(module->context, ELEMENT_INDEX);
    Op *op = build_op(builder, OP_ARITH_CONSTANT, 0, NULL, 1, &type, 0);
    op_set_attr(module, op, NAME_VALUE, attr_int(module->context, number, ELEMENT_INDEX));
    return op_result(op, 0);
}

bool number_of(const Value *value, int64_t *number) {
    const Attr *attr = value->def && value->def->code == OP_ARITH_CONSTANT
                           ? op_attr(value->def, NAME_VALUE)
                           : NULL;
    if (!attr || (attr->kind != ATTR_INT && attr->kind != ATTR_BOOL)) return false;
    *number = attr->integer;
    return true;
}

// The result of arithmetic on indices that are known; false where it is not.
static bool fold_indices(OpCode code, int64_t x, int64_t y, int64_t *result) {
    int64_t negative;
    bool can_divide = x >= 0 && y > 0;
    switch (code) { // NOLINT(hicpp-multiway-paths-covered): those that are built here
    case OP_ARITH_ADDI: return checked_add(x, y, result);
    case OP_ARITH_SUBI: return checked_mul(y, -1, &negative) && checked_add(x, negative, result);
    case OP_ARITH_MULI: return checked_mul(x, y, result);
    case OP_ARITH_DIVSI:
    case OP_ARITH_DIVUI: *result = can_divide ? x / y : 0; return can_divide;
    case OP_ARITH_REMSI:
    case OP_ARITH_REMUI: *result = can_divide ? x % y : 0; return can_divide;
    default: return false;
    }
}

// The operand that x OP y is; NULL where it is another number.
static Value *neutral_index(OpCode code, Value *x, Value *y) {
    int64_t number;
    bool is_sum = code == OP_ARITH_ADDI, is_product = code == OP_ARITH_MULI;
    bool divides = code == OP_ARITH_DIVSI || code == OP_ARITH_DIVUI;
    if ((is_sum || is_product) && number_of(x, &number) && number == is_product) return y;
    if (!number_of(y, &number)) return NULL;
    if ((is_sum || code == OP_ARITH_SUBI) && number == 0) return x;
    return (is_product || divides) && number == 1 ? x : NULL;
}

Value *build_arith(Builder *builder, OpCode code, Value *x, Value *y) {
    int64_t a, b, result;
    bool is_index = x->type->kind == TYPE_ELEMENT && x->type->element == ELEMENT_INDEX;
    if (is_index && number_of(x, &a) && number_of(y, &b) && fold_indices(code, a, b, &result))
        return build_index(builder, result);
    Value *neutral = is_index ? neutral_index(code, x, y) : NULL;
    if (neutral) return neutral;
    return op_result(build_op(builder, code, 2, (Value *[]){x, y}, 1, &x->type, 0), 0);
}

// --- loops ---

static bool is_ranked(const Type *type) {
    return type->kind == TYPE_TENSOR && !type->unranked && type->rank <= MAX_LOOPS;
}

// Element i of the result is of elements i of the operands; what is repeated,
// and scalars, run along no loop.
static bool elementwise_loops(const Op *op, Loops *loops) {
    if (op->result_count != 1 || !is_ranked(op_result_type(op, 0))) return false;
    const Type *result = op_result_type(op, 0);
    bool has_parameters = op->code == OP_TOSA_NEGATE || op->code == OP_TOSA_MUL;
    int first_parameter = op->code == OP_TOSA_NEGATE ? 1 : 2;
    loops->count = result->rank;
    for (int i = 0; i <= op->operand_count; i++) {
        const Type *type = i < op->operand_count ? op_operand_type(op, i) : result;
        LoopMap *map = &loops->maps[i];
        *map = (LoopMap){.dims = result->rank};
        if (type->kind != TYPE_TENSOR) continue;
        if (!is_ranked(type) || type->rank > result->rank) return false;
        bool is_parameter = has_parameters && i >= first_parameter && i < op->operand_count;
        map->count = type->rank;
        for (int d = 0; d < type->rank; d++) {
            int loop = result->rank - type->rank + d;
            bool is_repeated = type->dims[d] == 1 && result->dims[loop] != 1;
            map->results[d] = is_parameter || is_repeated ? -1 : loop;
        }
    }
    return true;
}

static LoopMap letters_map(const char *letters, int loops) {
    LoopMap map = {.dims = loops};
    for (const char *p = letters; *p; p++)
        map.results[map.count++] = *p - 'a';
    return map;
}

// a: batch, b: rows, c: columns, d: what is summed up
static bool matmul_loops(const Op *op, Loops *loops) {
    if (op->operand_count < 2) return false;
    loops->count = 4;
    loops->is_reduction[3] = true;
    for (int i = 0; i <= op->operand_count; i++) {
        const char *letters = i == 0 ? "abd" : i == 1 ? "adc" : i == op->operand_count ? "abc" : "";
        loops->maps[i] = letters_map(letters, 4);
        bool is_parameter = i >= 2 && i < op->operand_count;
        const Type *type = i < op->operand_count ? op_operand_type(op, i) : op_result_type(op, 0);
        if (!is_ranked(type)) return false;
        if (!is_parameter) continue;
        loops->maps[i].count = type->rank;
        for (int d = 0; d < type->rank; d++)
            loops->maps[i].results[d] = -1;
    }
    return op_operand_type(op, 0)->rank == 3 && op_operand_type(op, 1)->rank == 3;
}

// The reduced dimension is the result's no more: there it has size 1.
static bool reduce_loops(const Op *op, Loops *loops) {
    const Type *type = op_operand_type(op, 0);
    int64_t axis = op_int(op, NAME_AXIS, -1);
    if (!is_ranked(type) || axis < 0 || axis >= type->rank) return false;
    loops->count = type->rank;
    loops->is_reduction[axis] = true;
    for (int i = 0; i < 2; i++) {
        loops->maps[i] = (LoopMap){.dims = type->rank, .count = type->rank};
        for (int d = 0; d < type->rank; d++)
            loops->maps[i].results[d] = i == 1 && d == axis ? -1 : d;
    }
    return op_result_type(op, 0)->rank == type->rank;
}

static bool is_elementwise(const Op *op) {
    return op_has(op, TRAIT_POINTWISE) || op_has(op, TRAIT_ELEMENTWISE);
}

// The maps of `outs` stand for the results, too.
static bool structured_loops(const Op *op, Loops *loops) {
    if (op->operand_count + op->result_count > MAX_LOOPS || !loops_of_linalg(op, loops))
        return false;
    int ins = (int)op_ints(op, NAME_OPERAND_SEGMENT_SIZES).data[0];
    if (op->result_count != op->operand_count - ins) return false;
    for (int i = 0; i < op->result_count; i++)
        loops->maps[op->operand_count + i] = loops->maps[ins + i];
    return true;
}

bool sharding_loops(const Op *op, Loops *loops) {
    *loops = (Loops){.map_count = op->operand_count + op->result_count};
    if (loops->map_count > MAX_LOOPS) return false;
    if (op->code == OP_TENSOR_EMPTY) {
        const Type *type = op_result_type(op, 0);
        if (!is_ranked(type)) return false;
        loops->count = type->rank;
        for (int i = 0; i <= op->operand_count; i++)
            loops->maps[i] = (LoopMap){.dims = type->rank};
        loops->maps[op->operand_count].count = type->rank;
        for (int d = 0; d < type->rank; d++)
            loops->maps[op->operand_count].results[d] = d;
        return true;
    }
    if (op_dialect(op) == DIALECT_LINALG) return structured_loops(op, loops);
    if (op->code == OP_TOSA_MATMUL) return matmul_loops(op, loops);
    if (op_has(op, TRAIT_REDUCES)) return reduce_loops(op, loops);
    return is_elementwise(op) && elementwise_loops(op, loops);
}

static bool reduction_of(OpCode code, int64_t *reduction) {
    if (op_code_has(code, TRAIT_UNSIGNED)) return false;
    switch (op_code_scalar(code)) { // NOLINT(hicpp-multiway-paths-covered): the reductions of shard
    case SCALAR_add: *reduction = SHARD_REDUCTION_sum; return true;
    case SCALAR_multiply: *reduction = SHARD_REDUCTION_product; return true;
    case SCALAR_maximum: *reduction = SHARD_REDUCTION_max; return true;
    case SCALAR_minimum: *reduction = SHARD_REDUCTION_min; return true;
    case SCALAR_and: *reduction = SHARD_REDUCTION_bitwise_and; return true;
    case SCALAR_or: *reduction = SHARD_REDUCTION_bitwise_or; return true;
    case SCALAR_xor: *reduction = SHARD_REDUCTION_bitwise_xor; return true;
    default: return false;
    }
}

bool loops_reduction(const Op *op, int64_t *reduction) {
    *reduction = SHARD_REDUCTION_sum;
    if (op->region_count == 1 && op->regions[0]->last) { // what the body's result is made by
        const Op *end = op->regions[0]->last;
        const Op *def = end->operand_count == 1 ? op_operand(end, 0)->def : NULL;
        return def && reduction_of(def->code, reduction);
    }
    return !op_has(op, TRAIT_REDUCES) || reduction_of(op->code, reduction);
}
