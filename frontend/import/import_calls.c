// import_calls: custom calls that need no function.
//
//   In      a verified module. @ApproxTopK and @stablehlo.dynamic_approx_top_k (JAX's approx_max_k
//           and approx_min_k); calls that only mark a value: annotate_device_placement,
//           LayoutConstraint, MoveToHost, MoveToDevice, AssumeGatherIndicesInBound;
//           control_dep, which asks for one value before another
//   Out     top_k or a sort by the call's comparator: exact, whatever recall was asked for; a
//           marked value is the value; a LayoutConstraint on a result whose mhlo.layout_mode is
//           "auto" stays as that attribute. Operands and results of other calls have the layouts
//           that the call says: transposed around it, and row-major for the function
//   Keeps   calls of other functions; these too where their operands and results do not fit
#include "frontend/import/custom_calls.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

// ---- ApproxTopK ----

// The dimension that becomes shorter: what the call says, else the only one in which operand and
// result differ. -1: there is none.
static int reduction_dim(const Op *op) {
    const Attr *config = op_extra(op, "mhlo.backend_config");
    if (!config) config = op_attr(op, NAME_BACKEND_CONFIG);
    const Type *operand = op_operand_type(op, 0), *result = op_result_type(op, 0);
    if (config && config->kind == ATTR_DICT) {
        const Attr *dim = attr_dict_get(config, SV("reduction_dim"));
        if (!dim || dim->kind != ATTR_INT) return -1;
        int64_t d = dim->integer < 0 ? dim->integer + operand->rank : dim->integer;
        return d >= 0 && d < operand->rank ? (int)d : -1;
    }
    int found = -1;
    for (int d = 0; d < operand->rank; d++) {
        if (operand->dims[d] == result->dims[d]) continue;
        if (found >= 0) return -1;
        found = d;
    }
    return found;
}

// n arrays of one shape, n scalars; n arrays that are the same but shorter in dimension `dim`.
static bool fits_top_k(const Op *op, int dim) {
    int count = op->result_count;
    const Type *first = op_operand_type(op, 0), *shape = op_result_type(op, 0);
    for (int i = 0; i < count; i++) {
        const Type *type = op_operand_type(op, i), *result = op_result_type(op, i);
        const Type *fill = op_operand_type(op, count + i);
        if (!type_is_static(type) || !type_is_static(result) || fill->kind != TYPE_TENSOR ||
            type->rank != first->rank || result->rank != first->rank || fill->rank != 0 ||
            type->element != result->element || fill->element != type->element)
            return false;
        for (int d = 0; d < type->rank; d++) {
            if (type->dims[d] != first->dims[d] || result->dims[d] != shape->dims[d]) return false;
            if (d != dim && result->dims[d] != type->dims[d]) return false;
        }
    }
    return true;
}

static const Op *comparator_of(const Module *module, const Op *op) {
    const Attr *called = op_attr(op, NAME_CALLED_COMPUTATIONS);
    if (!called || called->kind != ATTR_ARRAY || called->count != 1 ||
        called->items[0]->kind != ATTR_SYMBOL)
        return NULL;
    const Op *func = module_find_func(module, called->items[0]->text);
    if (!func || !func_body(func)->last || func_body(func)->last->operand_count != 1) return NULL;
    const Region *body = func_body(func);
    bool fits = body->arg_count == 2 * op->result_count;
    for (int i = 0; i < body->arg_count && fits; i++)
        fits = body->args[i]->type == op_operand_type(op, op->result_count + i / 2);
    return fits ? func : NULL;
}

// Do the first two arguments alone decide, the larger one first?
static bool takes_larger(const Op *func) {
    const Region *body = func_body(func);
    const Op *compare = op_operand(body->last, 0)->def;
    return compare && compare->code == OP_COMPARE && op_operand(compare, 0) == body->args[0] &&
           op_operand(compare, 1) == body->args[1] &&
           op_int(compare, NAME_COMPARISON_DIRECTION, -1) == DIRECTION_GT;
}

// Values and their places in the last dimension, the largest first: that is what top_k gives.
static bool is_top_k(const Op *op, const Op *func, int dim) {
    const Type *type = op_operand_type(op, 0);
    const Op *places = op->result_count == 2 ? op_operand(op, 1)->def : NULL;
    return places && places->code == OP_IOTA && dim == type->rank - 1 &&
           op_operand_type(op, 1)->element == ELEMENT_I32 &&
           op_int(places, NAME_IOTA_DIMENSION, -1) == dim &&
           op_result_type(op, 0)->dims[dim] <= type->dims[dim] && takes_larger(func);
}

static void build_top_k(Builder *builder, const Op *op, int dim, Value **results) {
    Value *operand = op_operand(op, 0);
    const Type *types[] = {op_result_type(op, 0), op_result_type(op, 1)};
    Op *made = build_op(builder, OP_CHLO_TOP_K, 1, &operand, 2, types, 0);
    const Attr *k = attr_int(builder->module->context, types[0]->dims[dim], ELEMENT_I64);
    op_set_attr(builder->module, made, NAME_K, k);
    for (int i = 0; i < 2; i++)
        results[i] = op_result(made, i);
}

static void build_sort(
    Builder *builder, Arena *scratch, const Op *op, const Op *func, int dim, Value **results) {
    Module *module = builder->module;
    int count = op->result_count;
    int64_t size = op_operand_type(op, 0)->dims[dim], kept = op_result_type(op, 0)->dims[dim];
    Value **operands = ARENA_ARRAY(scratch, Value *, count);
    const Type **types = ARENA_ARRAY(scratch, const Type *, count);
    int64_t none[MAX_RANK] = {0}, more[MAX_RANK] = {0};
    if (kept > size) more[dim] = kept - size;
    for (int i = 0; i < count; i++) {
        operands[i] = op_operand(op, i);
        types[i] = operands[i]->type;
    }
    Op *sort = build_op(builder, OP_SORT, count, operands, count, types, 1);
    op_set_attr(module, sort, NAME_DIMENSION, attr_int(module->context, dim, ELEMENT_I64));
    op_set_attr(module, sort, NAME_IS_STABLE, attr_bool(module->context, true));
    PtrMap values = ptr_map(scratch);
    region_clone_into(module, sort->regions[0], func_body(func), &values);
    region_set_return(sort->regions[0], OP_RETURN);
    for (int i = 0; i < count; i++) {
        const Type *type = op_result_type(op, i);
        results[i] = op_result(sort, i);
        if (kept > size)
            results[i] =
                build_pad(builder, results[i], op_operand(op, count + i), none, more, NULL);
        else if (kept < size)
            results[i] = build_slice(builder, results[i], none, type->dims, NULL);
    }
}

// Operands behind the arrays and scalars say what the types say, where all sizes are known: how
// many are asked for (the dynamic form has them as an operand), and the shapes of the results.
static int size_operands(const Op *op, bool is_dynamic) {
    const Attr *shapes = op_extra(op, "indices_of_shape_operands");
    bool has_shapes = shapes && shapes->kind == ATTR_ELEMENTS && type_is_static(shapes->type) &&
                      type_element_count(shapes->type) == op->result_count;
    return is_dynamic + (has_shapes ? op->result_count : 0);
}

static bool import_top_k(Module *module, Arena *scratch, Op *op, bool is_dynamic) {
    int sizes = size_operands(op, is_dynamic);
    if (op->result_count == 0 || op->operand_count != 2 * op->result_count + sizes) return false;
    if (op_operand_type(op, 0)->kind != TYPE_TENSOR || op_result_type(op, 0)->kind != TYPE_TENSOR ||
        op_operand_type(op, 0)->rank != op_result_type(op, 0)->rank)
        return false;
    int dim = reduction_dim(op);
    const Op *func = comparator_of(module, op);
    if (dim < 0 || !func || !fits_top_k(op, dim)) return false;
    Value **results = ARENA_ARRAY(scratch, Value *, op->result_count);
    Builder builder = builder_before(module, op);
    if (is_top_k(op, func, dim))
        build_top_k(&builder, op, dim, results);
    else
        build_sort(&builder, scratch, op, func, dim, results);
    for (int i = 0; i < op->result_count; i++) {
        results[i]->sharding = op_result(op, i)->sharding;
        value_replace_uses(op_result(op, i), results[i]);
    }
    op_erase(op);
    return true;
}

// ---- annotations ----

static bool is_annotation(StrView target) {
    static const char *const annotations[] = {
        "annotate_device_placement",  "LayoutConstraint", "MoveToHost", "MoveToDevice",
        "AssumeGatherIndicesInBound", "control_dep"};
    for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++) {
        if (strview_is(target, annotations[i])) return true;
    }
    return false;
}

// Results of functions whose layout is left open have that of a LayoutConstraint.
static void settle_layouts(Module *module, const Op *op) {
    static const char mode_name[] = "mhlo.layout_mode";
    const Attr *layouts = op_attr(op, NAME_RESULT_LAYOUTS);
    if (op->result_count != 1 || !layouts || layouts->kind != ATTR_ARRAY || layouts->count != 1)
        return;
    for (const Use *use = op_result(op, 0)->uses; use; use = use->next) {
        Op *func = use->owner->parent->owner;
        int i = use_index(use);
        if (func->code != OP_FUNC) continue;
        const Attr *mode = attr_dict_get(func_result_attrs(func, i), strview(mode_name));
        if (!mode || mode->kind != ATTR_STRING || !strview_is(mode->text, "auto")) continue;
        const Attr *layout = layouts->items[0];
        StrBuf text = strbuf(module->arena);
        for (int d = 0; layout->ints && d < layout->count; d++)
            strbuf_printf(&text, "%s%lld", d ? "," : "{", (long long)layout->ints[d]);
        strbuf_puts(&text, text.size ? "}" : "{}");
        func_set_dict_entry(
            module, func, false, i, strview(mode_name),
            attr_string(module->context, strbuf_view(&text)));
    }
}

static bool import_annotation(Module *module, Op *op) {
    if (op->operand_count == 0 || op->result_count > 1) return false;
    settle_layouts(module, op);
    if (op->result_count == 1) {
        Value *value = op_operand(op, 0), *result = op_result(op, 0);
        if (value->type != result->type) return false;
        if (result->sharding && result->sharding != value->sharding) {
            Builder builder = builder_before(module, op);
            value = build_unary(&builder, OP_SDY_CONSTRAINT, value);
            value->sharding = result->sharding;
        }
        value_replace_uses(result, value);
    }
    op_erase(op);
    return true;
}

// ---- layouts ----

// The dimensions from the slowest to the fastest, as a layout that is not row-major says.
// False: it is, or says nothing.
static bool slowest_first(const Attr *layouts, int i, const Type *type, int64_t *order) {
    bool is_row_major = true;
    if (!layouts || layouts->kind != ATTR_ARRAY || i >= layouts->count || !type_is_static(type))
        return false;
    const Attr *layout = layouts->items[i];
    if (!layout->ints || layout->count != type->rank) return false;
    for (int d = 0; d < type->rank; d++) {
        order[d] = layout->ints[type->rank - 1 - d];
        is_row_major = is_row_major && order[d] == d;
    }
    return !is_row_major;
}

// The value in the order of the layout, under its own type: the function finds the
// elements where the layout has them.
static Value *in_layout(Builder *builder, Value *value, const int64_t *order) {
    Value *turned = build_transpose(builder, value, order);
    return build_reshape(builder, turned, value->type->rank, value->type->dims);
}

// The value of what the function wrote in the order of the layout.
static Value *out_of_layout(Builder *builder, Value *written, const int64_t *order) {
    const Type *type = written->type;
    int64_t dims[MAX_RANK], back[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        dims[d] = type->dims[order[d]];
        back[order[d]] = d;
    }
    return build_transpose(builder, build_reshape(builder, written, type->rank, dims), back);
}

// VHLO leaves out the list of no values, but a call has both lists or none.
static bool complete_layouts(Module *module, Op *op) {
    bool has_operands = op_attr(op, NAME_OPERAND_LAYOUTS) != NULL;
    if (has_operands == (op_attr(op, NAME_RESULT_LAYOUTS) != NULL)) return false;
    AttrName missing = has_operands ? NAME_RESULT_LAYOUTS : NAME_OPERAND_LAYOUTS;
    op_set_attr(module, op, missing, attr_array(module->context, 0, NULL));
    return true;
}

static bool import_layouts(Module *module, Op *op) {
    bool changed = complete_layouts(module, op);
    if (op_extra(op, CALL_KEEPS_LAYOUTS)) return changed;
    const Attr *operands = op_attr(op, NAME_OPERAND_LAYOUTS);
    const Attr *results = op_attr(op, NAME_RESULT_LAYOUTS);
    int64_t order[MAX_RANK];
    bool is_turned = false;
    Builder builder = builder_before(module, op);
    for (int i = 0; i < op->operand_count; i++) {
        if (!slowest_first(operands, i, op_operand_type(op, i), order)) continue;
        op_set_operand(op, i, in_layout(&builder, op_operand(op, i), order));
        is_turned = true;
    }
    builder = builder_after(module, op);
    for (int i = 0; i < op->result_count; i++) {
        Value *written = op_result(op, i);
        if (!slowest_first(results, i, written->type, order)) continue;
        const Sharding *sharding = written->sharding;
        const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
        bool is_of_call = mesh && mesh_is_maximal(mesh); // the device that makes it
        if (!is_of_call) written->sharding = NULL;
        Value *value = out_of_layout(&builder, written, order);
        if (!is_of_call) value->sharding = sharding;
        value_replace_uses_except(written, value, op_operand(value->def, 0)->def);
        is_turned = true;
    }
    if (!is_turned) return changed;
    op_set_attr(module, op, NAME_OPERAND_LAYOUTS, NULL);
    op_set_attr(module, op, NAME_RESULT_LAYOUTS, NULL);
    // its dimensions are not those of the operands any more
    op_set_attr(module, op, NAME_SHARDING_RULE, NULL);
    return true;
}

// Calls that stand for an op know no memory.
static bool is_function(StrView target) {
    static const char *const prefixes[] = {"mhlo.", "xla.", "SPMD", "Sharding"};
    Dialect dialect;
    if (dialect_from_text(dialect_text_of(target), &dialect)) return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (strview_starts_with(target, strview(prefixes[i]))) return false;
    }
    return true;
}

// ---- the pass ----

static bool import_call(Module *module, Arena *scratch, Op *op) {
    StrView target = op_text(op, NAME_CALL_TARGET_NAME);
    bool is_dynamic = strview_is(target, "stablehlo.dynamic_approx_top_k");
    if (is_dynamic || strview_is(target, "ApproxTopK"))
        return import_top_k(module, scratch, op, is_dynamic);
    if (is_annotation(target)) return import_annotation(module, op);
    return is_function(target) && import_layouts(module, op);
}

PassResult pass_import_calls(Module *module, PassContext *pass) {
    return import_custom_calls(module, pass, import_call);
}
