// hlo_custom_call: custom calls as StableHLO's, and those that stand for an op.
#include "frontend/frontend.h"
#include "frontend/hlo/hlo_import.h"
#include "frontend/import/import_mhlo.h"

// ---- calls that are ops ----

static bool import_top_k(HloImporter *importer, HloInstr *instr, HloValues *results) {
    Op *op =
        hlo_emit(importer, instr, OP_CHLO_TOP_K, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    (void)hlo_attr(instr, HLO_CALLED_COMPUTATIONS); // the order of its elements, the largest first
    const Type *values = op_result_type(op, 0);
    if (values->kind != TYPE_TENSOR || values->rank == 0)
        return hlo_fail(importer, instr, "expected arrays as results");
    int64_t k = values->dims[values->rank - 1];
    hlo_set(importer, op, NAME_K, attr_int(importer->context, k, ELEMENT_I64));
    return true;
}

// ---- layouts ----

// dense<[0, 1]> : tensor<2xindex>, the fastest dimension first
static const Attr *layout_attr(HloImporter *importer, const HloShape *shape) {
    int rank = shape->type->kind == TYPE_TENSOR ? shape->type->rank : 0;
    int64_t order[MAX_RANK];
    for (int d = 0; d < rank; d++)
        order[d] = shape->layout ? shape->layout[d] : rank - 1 - d;
    const Type *type = type_tensor(importer->context, ELEMENT_INDEX, 1, (int64_t[]){rank});
    return attr_elements(
        importer->context, type, false, rank > 0 ? (const void *)order : "",
        (size_t)rank * sizeof *order);
}

static const Attr *layouts_attr(HloImporter *importer, const HloShape *shapes, int count) {
    const Attr **items = ARENA_ARRAY(importer->arena, const Attr *, count + 1);
    for (int i = 0; i < count; i++)
        items[i] = layout_attr(importer, &shapes[i]);
    return attr_array(importer->context, count, items);
}

// Operands' layouts are given: then the result's count as well.
static bool copy_layouts(HloImporter *importer, HloInstr *instr, Op *op) {
    const HloAttr *attr = hlo_attr(instr, HLO_OPERAND_LAYOUTS);
    if (!attr) return true;
    for (int i = 0; i < attr->shapes.count; i++) {
        if (attr->shapes.data[i].type->kind == TYPE_TUPLE)
            return hlo_refuse(importer, instr, "with tuples as operands is not supported");
    }
    const HloShape *results =
        instr->shape.type->kind == TYPE_TUPLE ? instr->shape.parts : &instr->shape;
    hlo_set(
        importer, op, NAME_OPERAND_LAYOUTS,
        layouts_attr(importer, attr->shapes.data, attr->shapes.count));
    hlo_set(importer, op, NAME_RESULT_LAYOUTS, layouts_attr(importer, results, op->result_count));
    return true;
}

// ---- the rest of a call ----

// {{0}: (0, {}), {1}: (2, {})}: result 0 takes the memory of operand 0.
static void copy_aliases(HloImporter *importer, HloInstr *instr, Op *op) {
    const HloAttr *attr = hlo_attr(instr, HLO_OUTPUT_ALIASING);
    if (!attr) return;
    VEC(const Attr *) items = {0};
    for (int64_t i = 0; i < attr->aliases.count; i++) {
        const HloAlias *given = &attr->aliases.data[i];
        OperandAlias alias = {
            .output_tuple_indices = given->result,
            .operand_index = given->operand,
            .operand_tuple_indices = given->part};
        if (op->result_count == 1) alias.output_tuple_indices.count = 0; // of a tuple of one
        const Attr prototype = {.kind = ATTR_ALIAS, .alias = &alias};
        vec_push(importer->arena, &items, attr_intern(importer->context, &prototype));
    }
    hlo_set(
        importer, op, NAME_OUTPUT_OPERAND_ALIASES,
        attr_array(importer->context, (int)items.count, items.data));
}

// called_computations={%a, %b}, or to_apply=%a: functions
static bool copy_computations(HloImporter *importer, HloInstr *instr, Op *op) {
    const HloAttr *attr = hlo_attr(instr, HLO_CALLED_COMPUTATIONS);
    if (!attr) attr = hlo_attr(instr, HLO_TO_APPLY);
    if (!attr) return true;
    VEC(const Attr *) items = {0};
    for (int i = 0; i < attr->calls.count; i++) {
        Op *func = hlo_func(importer, attr->calls.data[i], false);
        if (!func) return false;
        vec_push(importer->arena, &items, attr_symbol(importer->context, func_name(func)));
    }
    hlo_set(
        importer, op, NAME_CALLED_COMPUTATIONS,
        attr_array(importer->context, (int)items.count, items.data));
    return true;
}

// A string, or the dictionary of a typed call.
static bool copy_config(HloImporter *importer, HloInstr *instr, Op *op) {
    const HloAttr *attr = hlo_attr(instr, HLO_BACKEND_CONFIG);
    if (!attr) attr = hlo_attr(instr, HLO_OPAQUE);
    if (!attr) return true;
    int version = CUSTOM_CALL_API_API_VERSION_TYPED_FFI;
    if (attr->is_string || op_int(op, NAME_API_VERSION, 0) != version) {
        hlo_set(importer, op, NAME_BACKEND_CONFIG, attr_string(importer->context, attr->text));
        return true;
    }
    Diags *found = diags_create(importer->arena);
    const Attr *dict = frontend_read_attr(importer->module, importer->arena, attr->text, found);
    if (!dict || dict->kind != ATTR_DICT)
        return hlo_fail(importer, instr, "the configuration is no dictionary of attributes");
    hlo_set(importer, op, NAME_BACKEND_CONFIG, dict);
    return true;
}

static bool copy_version(HloImporter *importer, HloInstr *instr, Op *op) {
    StrView word = hlo_text_attr(instr, HLO_API_VERSION);
    int version;
    if (word.size == 0) return true;
    if (!enum_from_keyword(ENUM_CUSTOM_CALL_API, word, &version))
        return hlo_refuse(importer, instr, "version '%.*s' is not supported", SV_ARG(word));
    hlo_set(importer, op, NAME_API_VERSION, attr_int(importer->context, version, ELEMENT_I32));
    return true;
}

bool hlo_custom_call(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    const HloAttr *target_attr = hlo_need_attr(importer, instr, HLO_CALL_TARGET);
    if (!target_attr) return false;
    StrView target = target_attr->text;
    if (strview_is(target, "TopK")) return import_top_k(importer, instr, results);
    if (mhlo_call_op(target) != OP_COUNT)
        return hlo_pointwise(importer, instr, mhlo_call_op(target), results);
    for (int i = 0; i < instr->operand_count; i++) {
        if (hlo_operand(importer, instr, i)->shape.type->kind == TYPE_TUPLE)
            return hlo_refuse(importer, instr, "with tuples as operands is not supported");
    }
    for (int i = 0; instr->shape.type->kind == TYPE_TUPLE && i < instr->shape.type->part_count;
         i++) {
        if (instr->shape.type->parts[i]->kind == TYPE_TUPLE)
            return hlo_refuse(importer, instr, "with tuples in its result is not supported");
    }
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    hlo_set(importer, op, NAME_CALL_TARGET_NAME, attr_string(importer->context, target));
    if (hlo_bool_attr(instr, HLO_HAS_SIDE_EFFECT, false))
        hlo_set(importer, op, NAME_HAS_SIDE_EFFECT, attr_bool(importer->context, true));
    copy_aliases(importer, instr, op);
    return copy_version(importer, instr, op) && copy_config(importer, instr, op) &&
           copy_layouts(importer, instr, op) && copy_computations(importer, instr, op);
}
