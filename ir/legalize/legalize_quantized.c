// legalize_quantized: quantised tensors become their stored integers; an op on them computes on
// what they stand for, between conversions.
//
//   before  %1 = stablehlo.add %0, %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
//   after   %1 = (convert %0 - 3) * 0.5 : tensor<4xf32>
//           %2 = stablehlo.add %1, %1 : tensor<4xf32>
//           %3 = convert clamp(round(%2 / 0.5) + 3) : tensor<4xi8>
//
//   In      any verified module
//   Out     no quantised type. A program with dynamic quantised tensors is left as it is.
//
// Ops that only move elements, ops with regions, and calls of any kind work on the integers:
// arguments and results of functions are integers, too. Rounding is the evaluator's
// (eval_quantize.c): ratios and products in f32, or in f64 where that is what the integers stand
// for.
#include "base/vec.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/scalar/scalar.h"

typedef struct Quantized {
    Module *module;
    Arena *scratch;
    VEC(Op *) ops; // to be computed on what the integers stand for
    bool found, is_static;
} Quantized;

static const Type *quantized_tensor(const Type *type) {
    return type->kind == TYPE_TENSOR && type->quant ? type : NULL;
}

static const Type *stored_type(Context *context, const Type *type) {
    if (type->kind == TYPE_TUPLE || type->kind == TYPE_FUNCTION || type->kind == TYPE_FUTURE) {
        const Type **parts = arena_alloc_array(context->arena, type->part_count, sizeof *parts);
        bool same = true;
        for (int i = 0; i < type->part_count; i++) {
            parts[i] = stored_type(context, type->parts[i]);
            same = same && parts[i] == type->parts[i];
        }
        Type made = *type;
        made.parts = parts;
        return same ? type : type_intern(context, &made);
    }
    if (!quantized_tensor(type)) return type;
    Type plain = *type;
    plain.quant = NULL;
    return type_intern(context, &plain);
}

// What ratios and products are computed in.
static ElementType working_element(const QuantParams *quant) {
    return quant->expressed == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
}

static const Type *expressed_type(Context *context, const Type *type) {
    Type plain = *type;
    plain.quant = NULL;
    plain.element = type->quant->expressed;
    return type_intern(context, &plain);
}

// A number per tensor or per slice of the axis, in the shape of `type`.
static Value *build_parameter(
    Builder *builder, const Type *type, const QuantParams *quant, bool is_scale) {
    bool is_float = element_is_float(type->element);
    Context *context = builder->module->context;
    if (quant->axis < 0 || quant->count <= 1)
        return is_scale   ? build_splat(builder, type, quant->scales[0])
               : is_float ? build_splat(builder, type, (double)quant->zero_points[0])
                          : build_splat_int(builder, type, quant->zero_points[0]);
    const int64_t count = quant->count, axis = quant->axis;
    const Type *row = type_tensor(context, type->element, 1, &count);
    size_t size = element_bytes(type->element);
    char *data = arena_alloc_array(context->arena, count, size);
    for (int64_t i = 0; i < count; i++) {
        double number = is_scale ? quant->scales[i] : (double)quant->zero_points[i];
        if (is_float)
            scalar_store_real(type->element, &number, 1, data + (size_t)i * size);
        else
            scalar_store_int(type->element, &quant->zero_points[i], 1, data + (size_t)i * size);
    }
    const Attr *elements = attr_elements(context, row, false, data, (size_t)count * size);
    return build_broadcast_in_dim(builder, build_constant(builder, elements), type, &axis);
}

// (q - zero_point) * scale. quantized: the type that q was written with.
static Value *build_dequantized(Builder *builder, Value *q, const Type *quantized) {
    Context *context = builder->module->context;
    const QuantParams *quant = quantized->quant;
    const Type *stored = stored_type(context, quantized);
    ElementType wide = element_bits(stored->element) >= 32 ? ELEMENT_I64 : ELEMENT_I32;
    const Type *integers = type_with_element(context, stored, wide);
    const Type *numbers = type_with_element(context, stored, working_element(quant));
    Op *widened = build_op(builder, OP_CONVERT, 1, &q, 1, &integers, 0);
    Value *x = build_binary(
        builder, OP_SUBTRACT, op_result(widened, 0),
        build_parameter(builder, integers, quant, false));
    x = build_convert(builder, x, numbers->element);
    x = build_binary(builder, OP_MULTIPLY, x, build_parameter(builder, numbers, quant, true));
    return x->type->element == quant->expressed ? x : build_convert(builder, x, quant->expressed);
}

// round(x / scale) + zero_point, clamped to the stored range; NaN is 0.
static Value *build_quantized(Builder *builder, Value *x, const Type *quantized) {
    Context *context = builder->module->context;
    const QuantParams *quant = quantized->quant;
    const Type *stored = stored_type(context, quantized);
    ElementType working = working_element(quant);
    if (x->type->element != working) x = build_convert(builder, x, working);
    x = build_binary(builder, OP_DIVIDE, x, build_parameter(builder, x->type, quant, true));
    x = build_unary(builder, OP_ROUND_NEAREST_EVEN, x);
    if (element_bits(stored->element) > 16 && working != ELEMENT_F64) // exact up to 2^24 in f32
        x = build_convert(builder, x, ELEMENT_F64);
    x = build_binary(builder, OP_ADD, x, build_parameter(builder, x->type, quant, false));
    Value *is_number = build_compare(builder, DIRECTION_EQ, x, x);
    x = build_binary(
        builder, OP_MAXIMUM, x, build_splat(builder, x->type, (double)quant->storage_min));
    x = build_binary(
        builder, OP_MINIMUM, x, build_splat(builder, x->type, (double)quant->storage_max));
    x = build_select(builder, is_number, x, build_splat(builder, x->type, 0));
    return build_convert(builder, x, stored->element);
}

static bool same_parameters(const QuantParams *a, const QuantParams *b) {
    if (a->expressed != b->expressed || a->axis != b->axis || a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        if (a->scales[i] != b->scales[i] || a->zero_points[i] != b->zero_points[i]) return false;
    }
    return a->storage_min == b->storage_min && a->storage_max == b->storage_max;
}

// Does the op work on the stored integers as they are?
static bool keeps_storage(const Op *op) {
    if (op->region_count > 0 || op->code == OP_BITCAST_CONVERT || op->code == OP_CONSTANT)
        return true;
    bool moves = op_has(op, TRAIT_VIEW) || op_has(op, TRAIT_TERMINATOR) || op->code == OP_GATHER ||
                 op->code == OP_CALL || op->code == OP_COMPOSITE || op->code == OP_CUSTOM_CALL ||
                 op->code == OP_TUPLE || op->code == OP_GET_TUPLE_ELEMENT ||
                 op->code == OP_OPTIMIZATION_BARRIER || op->code == OP_SDY_CONSTRAINT ||
                 op->code == OP_SDY_RESHARD;
    if (!moves) return false;
    if (!op_has(op, TRAIT_VIEW) || op->operand_count == 0) return true;
    const Type *from = quantized_tensor(op_operand_type(op, 0));
    const Type *to = quantized_tensor(op_result_type(op, 0));
    if (!from || !to || from->quant->axis >= 0 || to->quant->axis >= 0) return from && to;
    return same_parameters(from->quant, to->quant); // another scale: no mere move
}

static bool is_quantized_op(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        if (quantized_tensor(op_operand_type(op, i))) return true;
    }
    for (int i = 0; i < op->result_count; i++) {
        if (quantized_tensor(op_result_type(op, i))) return true;
    }
    return false;
}

static bool look(Op *op, void *user) {
    Quantized *state = user;
    if (is_quantized_op(op) && !keeps_storage(op)) vec_push(state->scratch, &state->ops, op);
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = quantized_tensor(op_result_type(op, i));
        state->found = state->found || type;
        state->is_static = state->is_static && (!type || type_is_static(type));
    }
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++) {
            const Type *type = quantized_tensor(op->regions[r]->args[i]->type);
            state->found = state->found || type;
            state->is_static = state->is_static && (!type || type_is_static(type));
        }
    }
    return true;
}

static void express_results(Quantized *state, Op *op) {
    Builder builder = builder_after(state->module, op);
    const Op *last = op->next;
    for (int i = 0; i < op->result_count; i++) {
        Value *result = op_result(op, i);
        const Type *type = quantized_tensor(result->type);
        if (!type) continue;
        result->type = expressed_type(state->module->context, type);
        Value *stored = build_quantized(&builder, result, type);
        stored->sharding = result->sharding;
        stored->type = type; // for the ops that follow
        value_replace_uses(result, stored);
        for (Op *made = op->next; made != last; made = made->next) { // but its own quantisation
            for (int k = 0; k < made->operand_count; k++) {
                if (op_operand(made, k) == stored) op_set_operand(made, k, result);
            }
        }
    }
}

// Operands become what they stand for, results are quantised again. Values keep their
// quantised types until all ops are done.
static void express(Quantized *state, Op *op) {
    Builder builder = builder_before(state->module, op);
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = quantized_tensor(op_operand_type(op, i));
        if (type) op_set_operand(op, i, build_dequantized(&builder, op_operand(op, i), type));
    }
    express_results(state, op);
    if (op->code != OP_UNIFORM_QUANTIZE && op->code != OP_UNIFORM_DEQUANTIZE) return;
    Value *number = op_operand(op, 0); // the conversions are all there is to do
    ElementType element = op_result_type(op, 0)->element;
    if (number->type->element != element) number = build_convert(&builder, number, element);
    value_replace_uses(op_result(op, 0), number);
    op_erase(op);
}

static bool strip(Op *op, void *user) {
    Quantized *state = user;
    Module *module = state->module;
    Context *context = module->context;
    for (int i = 0; i < op->result_count; i++)
        op_result(op, i)->type = stored_type(context, op_result_type(op, i));
    for (int r = 0; r < op->region_count; r++) {
        for (int i = 0; i < op->regions[r]->arg_count; i++)
            op->regions[r]->args[i]->type = stored_type(context, op->regions[r]->args[i]->type);
    }
    for (int i = 0; i < op->attr_count; i++) {
        Attr attr = *op->attrs[i].value;
        if (!attr.type || (attr.kind != ATTR_TYPE && attr.kind != ATTR_ELEMENTS)) continue;
        attr.type = stored_type(context, attr.type);
        if (attr.type != op->attrs[i].value->type)
            op_set_attr(module, op, op->attrs[i].name, attr_intern(context, &attr));
    }
    return true;
}

PassResult pass_legalize_quantized(Module *module, PassContext *pass) {
    Quantized state = {.module = module, .scratch = pass->scratch, .is_static = true};
    region_walk(module->body, look, &state);
    if (!state.found || !state.is_static) return PASS_UNCHANGED;
    for (int64_t i = 0; i < state.ops.count; i++)
        express(&state, state.ops.data[i]);
    region_walk(module->body, strip, &state);
    return PASS_CHANGED;
}
