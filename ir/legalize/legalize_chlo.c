// legalize_chlo: what StableHLO and CHLO offer as shorthands becomes core ops.
//
//   In      any verified module.
//   Out     no chlo.broadcast_*, constant_like, is_inf ..., dot, broadcast, einsum,
//           torch_index_select, batch_norm_*, cross-replica-sum, ragged_dot, scan, asynchronous
//           ops, map of elementwise bodies, elements of tuples that are made in sight,
//           get_dimension_size; no composites: those that name a chlo op are it, others are calls
//           of their decomposition; dynamic_* ops with constant sizes are static ones.
//   Fails   where a reduction's body works on tensors that are no scalars.
//   Keeps   results' shardings. Elementwise chlo ops that have no short form (erf, lgamma ...)
//           stay: they are lowered as they are.
//
//   before  %0 = chlo.broadcast_add %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
//   after   %0 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<4xf32>
//           %1 = stablehlo.add %a, %0 : tensor<4xf32>
#include "ir/legalize/legalize.h"
#include "ir/scalar/scalar.h"

#include <math.h>

// The operand in the result's shape. Its dimensions are the result's last ones, or those that
// broadcast_dimensions gives to the operand of smaller rank.
static Value *broadcast_operand(Builder *builder, const Op *op, Value *operand) {
    const Type *result = op_result_type(op, 0), *from = operand->type;
    if (type_same_shape(from, result)) return operand;
    IntSpan given = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    bool use_given = given.count == from->rank && from->rank < result->rank &&
                     op_attr(op, NAME_BROADCAST_DIMENSIONS);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < from->rank; d++)
        dims[d] = use_given ? given.data[d] : result->rank - from->rank + d;
    const Type *type = type_with_element(builder->module->context, result, from->element);
    return build_broadcast_in_dim(builder, operand, type, dims);
}

// The elementwise op on operands of the result's shape.
bool convert_chlo_broadcast(Legalizer *legalizer, Op *op) {
    OpCode code = scalar_op(op_code_scalar(op->code));
    if (!type_is_static(op_result_type(op, 0))) return false;
    Module *module = legalizer->module;
    Builder builder = builder_before(module, op);
    Value *operands[3];
    for (int i = 0; i < op->operand_count; i++) {
        if (!type_is_static(op_operand_type(op, i))) return false;
        operands[i] = op_operand(op, i);
        bool is_predicate = code == OP_SELECT && i == 0 && operands[i]->type->rank == 0;
        if (!is_predicate) operands[i] = broadcast_operand(&builder, op, operands[i]);
    }
    const Type *type = op_result_type(op, 0);
    Op *core = build_op(&builder, code, op->operand_count, operands, 1, &type, 0);
    if (code == OP_COMPARE) { // the keywords are numbered alike
        op_set_attr(
            module, core, NAME_COMPARISON_DIRECTION,
            attr_enum(
                module->context, ENUM_DIRECTION,
                (int)op_int(op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ)));
        if (op_attr(op, NAME_COMPARE_TYPE))
            op_set_attr(
                module, core, NAME_COMPARE_TYPE,
                attr_enum(
                    module->context, ENUM_COMPARE,
                    (int)op_int(op, NAME_COMPARE_TYPE, COMPARE_NOTYPE)));
    }
    return legalize_replace_one(legalizer, op, op_result(core, 0));
}

bool convert_constant_like(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    const Attr *value = op_attr(op, NAME_VALUE);
    if (!type_is_static(type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *constant;
    if (value->kind == ATTR_ELEMENTS) {
        constant = build_constant(
            &builder,
            attr_elements(
                legalizer->module->context, type, true, value->data, element_bytes(type->element)));
    } else if (value->kind == ATTR_FLOAT) {
        constant = build_splat(&builder, type, value->number);
    } else {
        constant = build_splat_int(&builder, type, value->integer);
    }
    return legalize_replace_one(legalizer, op, constant);
}

// is_inf: |x| = inf; is_pos_inf: x = inf; is_neg_inf: x = -inf
bool convert_is_inf(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    const FloatFormat *format = element_float_format(x->type->element);
    if (!format || !type_is_static(x->type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    if (!format->has_infinity) // the format has none: nothing is
        return legalize_replace_one(
            legalizer, op, build_splat_int(&builder, op_result_type(op, 0), 0));
    double infinity = (double)INFINITY;
    if (op->code == OP_CHLO_IS_INF) x = build_unary(&builder, OP_ABS, x);
    double bound = op->code == OP_CHLO_IS_NEG_INF ? -infinity : infinity;
    Value *splat = build_splat(&builder, x->type, bound);
    return legalize_replace_one(legalizer, op, build_compare(&builder, DIRECTION_EQ, x, splat));
}

bool convert_square(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    if (element_class(x->type->element) == CLASS_COMPLEX) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_binary(&builder, OP_MULTIPLY, x, x));
}

bool convert_constant(Legalizer *legalizer, Op *op) {
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_constant(&builder, op_attr(op, NAME_VALUE)));
}

// (Re(sqrt(1 - x) sqrt(1 + x)), |Im asin x|): see scalar_asin_acos_kernel
bool convert_asin_acos_kernel(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    if (element_class(x->type->element) != CLASS_COMPLEX || !type_is_static(x->type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    const Type *part =
        type_with_element(legalizer->module->context, x->type, element_real_part(x->type->element));
    Value *one = op_result(
        build_op(
            &builder, OP_COMPLEX, 2,
            (Value *[]){build_splat(&builder, part, 1), build_splat(&builder, part, 0)}, 1,
            &x->type, 0),
        0);
    Value *u = build_unary(&builder, OP_SQRT, build_binary(&builder, OP_SUBTRACT, one, x));
    Value *v = build_unary(&builder, OP_SQRT, build_binary(&builder, OP_ADD, one, x));
    Value *product = build_binary(&builder, OP_MULTIPLY, u, v);
    Value *arc = build_unary(&builder, OP_CHLO_ASIN, x);
    Value *re = op_result(build_op(&builder, OP_REAL, 1, &product, 1, &part, 0), 0);
    Value *im = op_result(build_op(&builder, OP_IMAG, 1, &arc, 1, &part, 0), 0);
    Value *parts[] = {re, build_unary(&builder, OP_ABS, im)};
    return legalize_replace_one(
        legalizer, op, op_result(build_op(&builder, OP_COMPLEX, 2, parts, 1, &x->type, 0), 0));
}

// The body of map, if it is elementwise, runs on whole tensors.
bool convert_map(Legalizer *legalizer, Op *op) {
    const Region *body = op->regions[0];
    const Type *result = op_result_type(op, 0);
    if (!type_is_static(result)) return false;
    for (const Op *inner = body->first; inner != body->last; inner = inner->next) {
        bool is_splat = inner->code == OP_CONSTANT && !op_result_type(inner, 0)->quant;
        if (!is_splat && !op_has(inner, TRAIT_POINTWISE)) return false;
        for (int i = 0; i < inner->operand_count; i++) { // values from outside are scalars there
            const Value *value = op_operand(inner, i);
            if (value->region != body && (!value->def || value->def->parent != body)) return false;
        }
    }
    Module *module = legalizer->module;
    Builder builder = builder_before(module, op);
    PtrMap values = ptr_map(legalizer->pass->scratch);
    for (int i = 0; i < body->arg_count; i++)
        ptr_map_set(&values, body->args[i], op_operand(op, i));
    for (const Op *inner = body->first; inner != body->last; inner = inner->next) {
        Op *clone = op_clone(&builder, inner, &values);
        Value *value = op_result(clone, 0);
        value->type = type_with_dims(module->context, value->type, result->rank, result->dims);
        if (clone->code != OP_CONSTANT) continue;
        const Attr *scalar = op_attr(clone, NAME_VALUE);
        op_set_attr(
            module, clone, NAME_VALUE,
            attr_elements(
                module->context, value->type, true, scalar->data,
                element_bytes(value->type->element)));
    }
    return legalize_replace_one(legalizer, op, ptr_map_get(&values, op_operand(body->last, 0)));
}

bool convert_cross_replica_sum(Legalizer *legalizer, Op *op) {
    Module *module = legalizer->module;
    Value *x = op_operand(op, 0);
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    if (!groups) return false;
    Builder builder = builder_before(module, op);
    Op *reduce = build_op(&builder, OP_ALL_REDUCE, 1, &x, 1, &x->type, 1);
    op_set_attr(module, reduce, NAME_REPLICA_GROUPS, groups);
    build_reduction_body(module, reduce->regions[0], OP_ADD, x->type->element, op->loc);
    return legalize_replace_one(legalizer, op, op_result(reduce, 0));
}

// The verifier lets a body take parts of the operands; only scalars are implemented.
bool convert_scalar_body(Legalizer *legalizer, Op *op) {
    for (int i = 0; i < op->regions[0]->arg_count; i++) {
        if (op->regions[0]->args[i]->type->rank == 0) continue;
        diag_unsupported(
            legalizer->pass->diags, op->loc, "'%.*s' op with a body on tensors that are no scalars",
            SV_ARG(op->name));
        legalizer->failed = true;
        break;
    }
    return false;
}

// An element of a tuple that is made here is what it was made of.
bool convert_tuple_element(Legalizer *legalizer, Op *op) {
    Op *tuple = op_operand(op, 0)->def;
    int64_t index = op_int(op, NAME_INDEX, 0);
    if (!tuple || tuple->code != OP_TUPLE || index < 0 || index >= tuple->operand_count)
        return false;
    bool is_replaced = legalize_replace_one(legalizer, op, op_operand(tuple, (int)index));
    if (is_replaced && !op_result(tuple, 0)->uses) op_erase(tuple);
    return is_replaced;
}

bool convert_none(Legalizer *legalizer, Op *op) {
    (void)legalizer;
    (void)op;
    return false;
}

// The op around it, or the one that uses it, is converted with it.
bool convert_elsewhere(Legalizer *legalizer, Op *op) { return convert_none(legalizer, op); }

#define IR(infer, eval, scalar, convert) convert_##convert

static ConvertFn *const conversions[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) \
    [OP_##name] = ir,
#include "ir/dialects/ops.def"
};

bool legalize_op(Legalizer *legalizer, Op *op) { return conversions[op->code](legalizer, op); }

static bool visit(Op *op, void *user) {
    Legalizer *legalizer = user;
    legalize_op(legalizer, op);
    return !legalizer->failed;
}

PassResult pass_legalize_chlo(Module *module, PassContext *pass) {
    enum { MAX_ROUNDS = 4 }; // a map's body may hold other shorthands
    bool changed = false;
    for (int i = 0; i < MAX_ROUNDS; i++) {
        Legalizer legalizer = {.module = module, .pass = pass};
        region_walk(module->body, visit, &legalizer);
        if (legalizer.failed) return PASS_FAILED;
        if (!legalizer.changed) break;
        changed = true;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}
