// pad_for_divisibility: dimensions are made multiples of the number of devices that share them.
//
//   In      exact shardings, collectives where tensors change their sharding
//   Out     every value divides by its sharding: padding follows its elements, and no element of
//           a result that the program means depends on what padding holds. Where that would
//           matter (contractions, reductions, elements that a pad puts behind its operand)
//           padding is masked, unless it is known to be zero. An error where an argument or a
//           result of a function does not divide.
//   Keeps   types that divide. A dimension along which an op cannot work on more elements than it
//           has (the dimension of a sort, the windows of a convolution, whatever custom calls do)
//           is trimmed before the op and padded behind it.
//
//   before  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<7xf32>, "x"=4
//   after   %1 = stablehlo.pad %0, %zero, low = [0], high = [1], interior = [0]
//                : ... -> tensor<8xf32>
//           %2 = sdy.all_slice [{"x"}] %1 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
//
// Dimensions grow factor by factor (sharding_rule.h): all dimensions of an op that
// belong together have one size.
#include "base/checked.h"
#include "ir/analysis/data_flow.h"
#include "partition/collectives/reductions.h"
#include "partition/passes.h"
#include "partition/rules/sharding_rule.h"
#include "partition/shardy/padded_values.h"
#include "partition/shardy/padding.h"

#include <string.h>

typedef struct Padder {
    PaddedValues values;
    // rules of the ops whose tensors do not all divide, made while all types are real: Op* to
    // ShardingRule*
    PtrMap rules;
} Padder;

// ---- arguments and results of functions ----

static bool refuse(PassContext *pass, const Op *func, const char *what, int i) {
    diag_error(pass->diags, func->loc, "%s #%d has a non-divisible sharding", what, i);
    diag_error(pass->diags, func->loc, "failed to legalize operation 'func.func'");
    return false;
}

static bool divides(const Module *module, const Type *type, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    if (!mesh || mesh_is_maximal(mesh) || type->kind != TYPE_TENSOR) return true;
    for (int d = 0; d < type->rank && type_is_static(type); d++) {
        if (type->dims[d] % sharding_dim_size(mesh, sharding, d) != 0) return false;
    }
    return true;
}

static bool check_func(const Module *module, PassContext *pass, const Op *func) {
    const Region *body = func_body(func);
    const Type *type = op_attr(func, NAME_FUNCTION_TYPE)->type;
    for (int i = 0; i < body->arg_count; i++) {
        if (!divides(module, body->args[i]->type, body->args[i]->sharding))
            return refuse(pass, func, "argument", i);
    }
    for (int i = 0; i < func_result_count(func); i++) {
        if (!divides(module, type->parts[type->input_count + i], func_result_sharding(func, i)))
            return refuse(pass, func, "result", i);
    }
    return true;
}

// ---- which factors may grow ----

// The op's tensors: operands, then results.
static int tensor_count(const Op *op) { return op->operand_count + op->result_count; }

static Value *op_tensor(const Op *op, int t) {
    return t < op->operand_count ? op_operand(op, t) : op_result(op, t - op->operand_count);
}

static const TensorFactors *rule_tensor(const ShardingRule *rule, int t) {
    return t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
}

// Zeros along contracted and what is neutral along reduced dimensions change nothing.
static bool may_grow_reduced(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        if (op_operand_type(op, i)->element == ELEMENT_F8E8M0FNU) return false; // has no zero
    }
    if (op->code == OP_DOT || op->code == OP_DOT_GENERAL || op->code == OP_CONVOLUTION) return true;
    if (op->code != OP_REDUCE || op->result_count != 1) return false;
    // each of those that commute has a neutral element
    OpCode body = region_reduction_op(op->regions[0]);
    return body != OP_COUNT && op_code_has(body, TRAIT_COMMUTES);
}

static bool is_spatial(const ConvDims *dims, int t, int d) {
    IntSpan spatial[] = {dims->input_spatial, dims->kernel_spatial, dims->output_spatial};
    for (int i = 0; i < spatial[t].count; i++) {
        if (spatial[t].data[i] == d) return true;
    }
    return false;
}

// Of the ops that take more elements along the dimensions of a pass-through factor, without other
// attributes than make_grown sets: does the op look at all elements along dimension d of tensor t
// at once, whatever its rule says?
typedef bool WorksAlongFn(const Op *op, int t, int d);

static bool works_along_convolution(const Op *op, int t, int d) {
    return is_spatial(op_attr(op, NAME_DIMENSION_NUMBERS)->conv, t, d);
}

static bool works_along_sort(const Op *op, int t, int d) {
    (void)t;
    int rank = op_operand_type(op, 0)->rank;
    int64_t sorted = op_int(op, NAME_DIMENSION, -1);
    return d == (sorted < 0 ? sorted + rank : sorted);
}

static bool works_along_top_k(const Op *op, int t, int d) {
    (void)t;
    return d == op_operand_type(op, 0)->rank - 1;
}

static bool works_along_none(const Op *op, int t, int d) {
    (void)op;
    (void)t;
    (void)d;
    return false;
}

// NULL: the op does not take more elements.
static WorksAlongFn *works_along(const Op *op);

static bool has_factor(const DimFactors *dim, int f) {
    for (int i = 0; i < dim->count; i++) {
        if (dim->factors[i] == f) return true;
    }
    return false;
}

static bool has_groups(const Op *op) {
    return op->code == OP_CONVOLUTION && (op_int(op, NAME_FEATURE_GROUP_COUNT, 1) > 1 ||
                                          op_int(op, NAME_BATCH_GROUP_COUNT, 1) > 1);
}

// The factor must be all of its dimensions, and tie what is read to what is written.
static bool factor_may_grow(const Padder *padder, const Op *op, const ShardingRule *rule, int f) {
    const Factor *factor = &rule->factors[f];
    int read = 0, written = 0;
    if (has_groups(op)) return false;
    for (int t = 0; t < tensor_count(op); t++) {
        const TensorFactors *tensor = rule_tensor(rule, t);
        for (int d = 0; d < tensor->rank; d++) {
            if (!has_factor(&tensor->dims[d], f)) continue;
            const Type *type = real_type(&padder->values, op_tensor(op, t));
            if (tensor->dims[d].count > 1 || type->dims[d] != factor->size) return false;
            if (works_along(op)(op, t, d)) return false;
            (*(t < op->operand_count ? &read : &written))++;
        }
    }
    if (factor->kind == FACTOR_REDUCTION) return written == 0 && may_grow_reduced(op);
    if (factor->kind != FACTOR_PASS_THROUGH || written != op->result_count) return false;
    if (op->code == OP_DYNAMIC_UPDATE_SLICE) return read == 2; // all of the dimension is updated
    return read > 0 || op->code == OP_BROADCAST_IN_DIM;
}

static int64_t common_multiple(int64_t a, int64_t b) {
    int64_t x = a, y = b;
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

// How many devices share dimension d, if that is why it was padded.
static int64_t dim_parts(const Padder *padder, const Value *value, int d) {
    const Module *module = padder->values.module;
    if (divisible_type(&padder->values, value) == real_type(&padder->values, value)) return 1;
    const Sharding *sharding = value_sharding(module, value);
    return sharding_dim_size(sharding_mesh(module, sharding), sharding, d);
}

// The size of each factor's dimensions: what all tensors that have it divide by;
// 0 for factors that do not grow.
static int64_t *grown_sizes(const Padder *padder, const Op *op, const ShardingRule *rule) {
    int64_t *sizes = ARENA_ARRAY(padder->values.scratch, int64_t, rule->factor_count);
    for (int f = 0; f < rule->factor_count; f++) {
        if (!factor_may_grow(padder, op, rule, f)) continue;
        int64_t parts = 1;
        for (int t = 0; t < tensor_count(op); t++) {
            const TensorFactors *tensor = rule_tensor(rule, t);
            for (int d = 0; d < tensor->rank; d++) {
                if (!has_factor(&tensor->dims[d], f)) continue;
                int64_t own = dim_parts(padder, op_tensor(op, t), d);
                int64_t common = common_multiple(parts, own);
                parts = common <= INT32_MAX ? common : own;
            }
        }
        sizes[f] = padded_size(rule->factors[f].size, parts);
    }
    return sizes;
}

// ---- ops whose dimensions grow ----

// The type with the sizes of the factors that grow, and the dimensions, as
// bits, of those that are reduced.
static const Type *grown_type(
    const Padder *padder, const Type *real, const ShardingRule *rule, int t, const int64_t *sizes,
    unsigned *reduced) {
    const TensorFactors *tensor = rule_tensor(rule, t);
    *reduced = 0;
    if (real->kind != TYPE_TENSOR || tensor->rank != real->rank) return real;
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < real->rank; d++) {
        int f = tensor->dims[d].count == 1 ? tensor->dims[d].factors[0] : -1;
        bool grows = f >= 0 && sizes[f] > real->dims[d];
        dims[d] = grows ? sizes[f] : real->dims[d];
        if (grows && rule->factors[f].kind == FACTOR_REDUCTION) *reduced |= 1u << d;
    }
    return type_with_dims(padder->values.module->context, real, real->rank, dims);
}

// How many windows a convolution has along its spatial dimension i, whose left operand has `size`
// elements there; -1 where that is not the windows of the real operand and more behind them.
static int64_t grown_windows(Padder *padder, const Op *op, int i, int64_t size) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    Arena *arena = padder->values.scratch;
    int count = dims->input_spatial.count;
    int64_t real = real_type(&padder->values, op_operand(op, 0))->dims[dims->input_spatial.data[i]];
    int64_t kernel = op_operand_type(op, 1)->dims[dims->kernel_spatial.data[i]];
    const int64_t *padding = op_ints_or(arena, op, NAME_PADDING, (int64_t)2 * count, 0);
    int64_t low = padding[2 * i], high = padding[2 * i + 1];
    int64_t stride = op_ints_or(arena, op, NAME_WINDOW_STRIDES, count, 1)[i];
    int64_t step = op_ints_or(arena, op, NAME_LHS_DILATION, count, 1)[i];
    int64_t apart = op_ints_or(arena, op, NAME_RHS_DILATION, count, 1)[i];
    if (real == 0 || kernel == 0 || high < 0) return -1;
    int64_t span = 0, reach = 0;
    bool fits = checked_mul(size - 1, step, &span) && checked_add(span, low, &span) &&
                checked_add(span, high, &span) && checked_mul(kernel - 1, apart, &reach) &&
                reach <= span;
    return fits ? (span - reach) / stride + 1 : -1;
}

// Zeros behind the left operand of a convolution only add windows, which the result is trimmed of:
// the spatial dimensions of the operand stay as long as they are.
static const Type *grow_spatial(Padder *padder, const Op *op, const Type *type, unsigned *reduced) {
    const Type *padded = op_operand_type(op, 0);
    const ConvDims *conv = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    int64_t dims[MAX_RANK] = {0};
    memcpy(dims, type->dims, (size_t)type->rank * sizeof *dims);
    for (int i = 0; i < conv->input_spatial.count && may_grow_reduced(op); i++) {
        int64_t d = conv->input_spatial.data[i];
        if (padded->dims[d] == type->dims[d] || grown_windows(padder, op, i, padded->dims[d]) < 0)
            continue;
        dims[d] = padded->dims[d];
        *reduced |= 1u << d;
    }
    return type_with_dims(padder->values.module->context, type, type->rank, dims);
}

static const Type *with_grown_windows(
    Padder *padder, const Op *op, const Type *in, const Type *type) {
    const ConvDims *conv = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    int64_t dims[MAX_RANK] = {0};
    memcpy(dims, type->dims, (size_t)type->rank * sizeof *dims);
    for (int i = 0; i < conv->input_spatial.count; i++) {
        int64_t size = op_operand_type(op, 0)->dims[conv->input_spatial.data[i]];
        if (size != in->dims[conv->input_spatial.data[i]])
            dims[conv->output_spatial.data[i]] = grown_windows(padder, op, i, size);
    }
    return type_with_dims(padder->values.module->context, type, type->rank, dims);
}

// What the padding of the reduced dimensions adds to the results is nothing.
static void neutralize(Padder *padder, Op *op, int i, unsigned dims) {
    PaddedValues *values = &padder->values;
    Context *context = values->module->context;
    Value *x = op_operand(op, i);
    Builder builder = builder_before(values->module, op);
    OpCode body = op->code == OP_REDUCE ? region_reduction_op(op->regions[0]) : OP_ADD;
    if (body == OP_ADD || body == OP_OR || body == OP_XOR) {
        x = zero_padding(values, &builder, x, dims);
    } else {
        const Type *scalar = type_with_dims(context, x->type, 0, NULL);
        Value *fill = build_constant(&builder, reduction_neutral(context, body, scalar));
        x = mask_padding(values, &builder, x, dims, fill);
    }
    op_set_operand(op, i, x);
}

// Results of collectives hold what their operands hold, sums of zeros included.
static bool keeps_zeros(const Op *op) {
    if (op->code == OP_SDY_RESHARD) return true;
    bool adds_parts = op->code == OP_SDY_TO_UNREDUCED || op->code == OP_SDY_REPLICATED_TO_UNREDUCED;
    if (!op_is_sdy_collective(op) || adds_parts) return false;
    bool reduces = op->code == OP_SDY_ALL_REDUCE || op->code == OP_SDY_REDUCE_SCATTER;
    return !reduces || collective_reduction(op) == OP_ADD;
}

static void make_grown(Padder *padder, Op *op, const ShardingRule *rule, const int64_t *sizes) {
    PaddedValues *values = &padder->values;
    bool is_conv = op->code == OP_CONVOLUTION;
    const Type *in = op->operand_count ? real_type(values, op_operand(op, 0)) : NULL;
    unsigned reduced;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *real = real_type(values, op_operand(op, i));
        const Type *type = grown_type(padder, real, rule, i, sizes, &reduced);
        if (is_conv && i == 0) type = grow_spatial(padder, op, type, &reduced);
        operand_as(values, op, i, type);
        if (reduced) neutralize(padder, op, i, reduced);
    }
    bool zeros = keeps_zeros(op) && padding_is_zero(values, op_operand(op, 0));
    for (int r = 0; r < op->result_count; r++) {
        Value *result = op_result(op, r);
        const Type *real = result->type;
        result->type = grown_type(padder, real, rule, op->operand_count + r, sizes, &reduced);
        if (is_conv) result->type = with_grown_windows(padder, op, in, result->type);
        set_real_type(values, result, real);
        if (result->type != real) values->changed = true;
        if (zeros) set_padding_is_zero(values, result);
    }
    if (op->code == OP_DYNAMIC_SLICE) {
        const Type *type = op_result_type(op, 0);
        op_set_attr(
            values->module, op, NAME_SLICE_SIZES,
            attr_ints(values->module->context, type->rank, type->dims));
    }
}

// ---- slices and pads ----

// A slice of the whole dimension's start takes padding along, or elements behind its
// own, where its operand has them.
static void pad_slice(Padder *padder, Op *op) {
    PaddedValues *values = &padder->values;
    Value *result = op_result(op, 0);
    const Type *real = result->type, *wanted = divisible_type(values, result);
    const Type *operand = op_operand_type(op, 0);
    const int64_t *strides = op_ints_or(values->scratch, op, NAME_STRIDES, operand->rank, 1);
    IntSpan starts = op_ints(op, NAME_START_INDICES), old = op_ints(op, NAME_LIMIT_INDICES);
    int64_t limits[MAX_RANK] = {0}, dims[MAX_RANK] = {0};
    for (int d = 0; d < real->rank; d++) {
        dims[d] = real->dims[d];
        limits[d] = old.data[d];
        int64_t steps, limit;
        if (wanted->dims[d] == real->dims[d] ||
            !checked_mul(wanted->dims[d] - 1, strides[d], &steps) ||
            !checked_add(starts.data[d] + 1, steps, &limit) || limit > operand->dims[d])
            continue;
        dims[d] = wanted->dims[d];
        limits[d] = limit;
    }
    Context *context = values->module->context;
    result->type = type_with_dims(context, real, real->rank, dims);
    if (result->type == real) return;
    op_set_attr(values->module, op, NAME_LIMIT_INDICES, attr_ints(context, real->rank, limits));
    set_real_type(values, result, real);
    values->changed = true;
}

// One dimension of a pad whose operand and result are padded.
typedef struct PadDim {
    int64_t low, high, interior; // as written; high of the padded op
    int64_t grown_high;
    // the operand's padding would be among the result's elements, or where the pad's own value
    // belongs
    bool is_masked;
} PadDim;

static PadDim pad_dim(
    const int64_t *low, const int64_t *high, const int64_t *interior, int d, int64_t real,
    int64_t operand, int64_t result) {
    PadDim dim = {.low = low[d], .high = high[d], .interior = interior[d]};
    int64_t gaps = operand > 0 ? (operand - 1) * dim.interior : 0;
    dim.grown_high = result - operand - dim.low - gaps;
    // Element `real`, the first of the padding, comes
    // (real + 1) - (real - 1) - 1 = interior elements behind the last one.
    bool shows = real > 0 ? dim.high > dim.interior : dim.high > 0;
    dim.is_masked = operand > real && (shows || dim.grown_high < dim.high);
    return dim;
}

static void pad_pad(Padder *padder, Op *op) {
    PaddedValues *values = &padder->values;
    Context *context = values->module->context;
    Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Type *real = result->type, *wanted = divisible_type(values, result);
    const Type *in = real_type(values, operand);
    if (operand->type == in && real == wanted) return;
    const int64_t *low = op_ints(op, NAME_EDGE_PADDING_LOW).data;
    const int64_t *high = op_ints(op, NAME_EDGE_PADDING_HIGH).data;
    const int64_t *interior = op_ints_or(values->scratch, op, NAME_INTERIOR_PADDING, in->rank, 0);
    unsigned masked = 0;
    int64_t highs[MAX_RANK] = {0};
    for (int d = 0; d < in->rank; d++) {
        PadDim dim =
            pad_dim(low, high, interior, d, in->dims[d], operand->type->dims[d], wanted->dims[d]);
        highs[d] = dim.grown_high;
        if (dim.is_masked) masked |= 1u << d;
    }
    if (masked) {
        Builder builder = builder_before(values->module, op);
        op_set_operand(op, 0, mask_padding(values, &builder, operand, masked, op_operand(op, 1)));
    }
    op_set_attr(values->module, op, NAME_EDGE_PADDING_HIGH, attr_ints(context, in->rank, highs));
    result->type = wanted;
    set_real_type(values, result, real);
    values->changed = true;
}

// ---- constants ----

// An iota counts on, a splat is larger; other constants are padded behind.
static void pad_constant(Padder *padder, Op *op) {
    PaddedValues *values = &padder->values;
    Value *result = op_result(op, 0);
    const Type *real = result->type, *wanted = divisible_type(values, result);
    if (wanted == real) return;
    if (op->code != OP_IOTA) {
        const Attr *elements = op_attr(op, NAME_VALUE);
        if (!elements || elements->kind != ATTR_ELEMENTS || !elements->is_splat) return;
        const Attr *splat = attr_elements(
            values->module->context, wanted, true, elements->data, elements->data_size);
        op_set_attr(values->module, op, NAME_VALUE, splat);
    }
    result->type = wanted;
    set_real_type(values, result, real);
    values->changed = true;
}

// ---- regions ----

static void pad_region(Padder *padder, Region *region);

static void take_type(Padder *padder, Value *value, const Type *type) {
    const Type *real = value->type;
    value->type = type;
    set_real_type(&padder->values, value, real);
    if (type != real) padder->values.changed = true;
}

static void take_divisible_type(Padder *padder, Value *value) {
    take_type(padder, value, divisible_type(&padder->values, value));
}

// What goes through a loop or out of a branch divides as the op's results do.
static void pad_control(Padder *padder, Op *op) {
    PaddedValues *values = &padder->values;
    for (int r = 0; r < op->result_count; r++) {
        const Type *type = divisible_type(values, op_result(op, r));
        take_type(padder, op_result(op, r), type);
        for (int i = 0; i < op->region_count; i++) {
            if (op->code == OP_WHILE) take_type(padder, op->regions[i]->args[r], type);
        }
        if (op->code == OP_WHILE || op->code == OP_OPTIMIZATION_BARRIER)
            operand_as(values, op, r, type);
    }
    for (int i = 0; i < op->region_count; i++)
        pad_region(padder, op->regions[i]);
}

static void pad_named(Padder *padder, Op *op) {
    Region *body = op->regions[0];
    for (int i = 0; i < body->arg_count; i++) {
        take_divisible_type(padder, body->args[i]);
        operand_as(&padder->values, op, i, body->args[i]->type);
    }
    for (int r = 0; r < op->result_count; r++)
        take_divisible_type(padder, op_result(op, r));
    pad_region(padder, body);
}

// The type that a region's op expects of what the region returns.
static const Type *returned_type(const Padder *padder, const Op *end, int i) {
    const Op *parent = op_parent_op(end);
    switch (parent ? (int)parent->code : OP_COUNT) {
    case OP_WHILE:
        if (end->parent != parent->regions[1]) break;
        return op_result_type(parent, i);
    case OP_IF:
    case OP_CASE:
    case OP_SDY_NAMED: return op_result_type(parent, i);
    default: break;
    }
    return real_type(&padder->values, op_operand(end, i));
}

// ---- all ops ----

// The op works on the elements that the program means.
static void pad_nothing(Padder *padder, Op *op) {
    for (int i = 0; i < op->operand_count; i++)
        operand_as(&padder->values, op, i, real_type(&padder->values, op_operand(op, i)));
    for (int i = 0; i < op->region_count; i++) {
        Region *region = op->regions[i];
        for (int a = 0; region->first && a < region->arg_count; a++)
            settle(&padder->values, region->args[a]);
        pad_region(padder, region);
    }
}

static void pad_terminator(Padder *padder, Op *op) {
    for (int i = 0; i < op->operand_count; i++)
        operand_as(&padder->values, op, i, returned_type(padder, op, i));
}

typedef void PadFn(Padder *padder, Op *op);

typedef struct PadRow {
    char unused;
    PadFn *pad; // the op's own way; NULL: by its factors
    // NULL: the op does not take more elements, unless it works element by element
    WorksAlongFn *works_along;
} PadRow;

static const PadRow pad_rows[OP_COUNT] = {
#define PADDED(x) .pad = pad_##x,
#define GROWS(x)  .works_along = works_along_##x,
#include "ir/dialects/partition_rows.def"
};

static WorksAlongFn *works_along(const Op *op) {
    bool is_alike = op_has(op, TRAIT_POINTWISE) || op_has(op, TRAIT_IDENTITY);
    return is_alike ? works_along_none : pad_rows[op->code].works_along;
}

static void pad_op(Padder *padder, Op *op) {
    const ShardingRule *rule = ptr_map_get(&padder->rules, op);
    PadFn *pad = pad_rows[op->code].pad;
    if (pad)
        pad(padder, op);
    else if (op_has(op, TRAIT_TERMINATOR))
        pad_terminator(padder, op);
    else if (rule)
        make_grown(padder, op, rule, grown_sizes(padder, op, rule));
    else
        pad_nothing(padder, op);
    if (pad == pad_control || pad == pad_named)
        return; // their results have the types of their regions
    for (int r = 0; r < op->result_count; r++)
        settle(&padder->values, op_result(op, r));
}

static void pad_region(Padder *padder, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        pad_op(padder, op);
    }
}

// ---- the pass ----

static bool find_rule(Op *op, void *user) {
    Padder *padder = user;
    bool all_divide = true;
    for (int t = 0; t < tensor_count(op); t++) {
        const Value *value = op_tensor(op, t);
        all_divide = all_divide && divisible_type(&padder->values, value) == value->type;
    }
    if (all_divide || !works_along(op)) return true;
    Arena *scratch = padder->values.scratch;
    const ShardingRule *rule =
        op_has(op, TRAIT_IDENTITY)
            ? sharding_rule_identity(scratch, op_result_type(op, 0), 1)
            : sharding_rule_build(scratch, op, sharding_rule_function(op->code));
    if (rule) ptr_map_set(&padder->rules, op, (void *)(uintptr_t)rule);
    return true;
}

PassResult pass_pad_for_divisibility(Module *module, PassContext *pass) {
    Padder padder = {
        .values = {.module = module, .scratch = pass->scratch, .real = ptr_map(pass->scratch)},
        .rules = ptr_map(pass->scratch)};
    padder.values.zeros = ptr_map(pass->scratch);
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && !check_func(module, pass, op)) return PASS_FAILED;
    }
    region_walk(module->body, find_rule, &padder);
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC) pad_region(&padder, func_body(op));
    }
    return padder.values.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
