// custom_call: layouts, aliases, the configuration's form.
#include "ir/infer/infer.h"

static const char *attr_text(Infer *infer, const Attr *attr) {
    StrBuf text = strbuf(infer->diags->arena);
    attr_print(&text, attr);
    return strbuf_cstring(&text);
}

static bool check_layout(
    Infer *infer, const Op *op, const char *what, int i, const Attr *layout, const Type *type) {
    if (layout->kind != ATTR_ELEMENTS && layout->kind != ATTR_INTS)
        return infer_fail(infer, op, "%s_layouts must hold lists of dimensions", what);
    if (type->kind == TYPE_TUPLE)
        return infer_fail(
            infer, op, "Tuple types are not fully supported with layout constraints yet");
    IntSpan order = {layout->ints, layout->ints ? layout->count : 0};
    if (type->kind != TYPE_TENSOR) {
        if (order.count == 0) return true;
        return infer_fail(
            infer, op,
            "Only tensor types can have non-empty layout: %s #%d of type '%s' has layout %s", what,
            i, infer_type_text(infer, type), attr_text(infer, layout));
    }
    if (type->unranked || (order.count == type->rank && ints_are_unique(order, type->rank)))
        return true;
    return infer_fail(
        infer, op, "incorrect layout %s for type '%s', layout must be a permutation of [0, %d)",
        attr_text(infer, layout), infer_type_text(infer, type), type->rank);
}

// layouts: one per value; a single tuple result has one per part.
static bool check_layouts(
    Infer *infer, const Op *op, AttrName name, const char *what, int count,
    const Type *const *types) {
    const Attr *layouts = op_attr(op, name);
    if (!layouts) return true;
    if (layouts->kind != ATTR_ARRAY)
        return infer_fail(infer, op, "attribute '%s_layouts' must be an array", what);
    bool is_result = name == NAME_RESULT_LAYOUTS;
    if (is_result && count == 1 && types[0]->kind == TYPE_TUPLE) {
        count = types[0]->part_count;
        types = types[0]->parts;
    }
    if (layouts->count != count)
        return infer_fail(
            infer, op, "Number of %ss must match the number of %s layouts, %d != %d", what, what,
            count, layouts->count);
    for (int i = 0; i < count; i++) {
        if (!check_layout(infer, op, what, i, layouts->items[i], types[i])) return false;
    }
    return true;
}

// The part of a value that a list of tuple indices leads to; NULL when it leads nowhere.
static const Type *part_of(const Type *type, IntSpan indices) {
    for (int i = 0; i < indices.count; i++) {
        if (type->kind != TYPE_TUPLE || indices.data[i] < 0 || indices.data[i] >= type->part_count)
            return NULL;
        type = type->parts[indices.data[i]];
    }
    return type;
}

static bool check_alias(Infer *infer, const Op *op, const OperandAlias *alias) {
    if (alias->operand_index < 0 || alias->operand_index >= op->operand_count)
        return infer_fail(
            infer, op,
            "expects operandIndex in the output_operand_alias attribute to be in range [0, %d); "
            "got: %lld.",
            op->operand_count, (long long)alias->operand_index);
    const Type *operand =
        part_of(op_operand_type(op, (int)alias->operand_index), alias->operand_tuple_indices);
    if (!operand)
        return infer_fail(
            infer, op, "operand_tuple_indices in the output_operand_alias attribute out of bounds");
    const Type *output = NULL;
    if (op->result_count == 1) {
        output = part_of(op_result_type(op, 0), alias->output_tuple_indices);
    } else if (alias->output_tuple_indices.count) { // several results are indexed like a tuple
        int64_t first = alias->output_tuple_indices.data[0];
        IntSpan rest = {
            alias->output_tuple_indices.data + 1, alias->output_tuple_indices.count - 1};
        if (first >= 0 && first < op->result_count)
            output = part_of(op_result_type(op, (int)first), rest);
    }
    if (!output)
        return infer_fail(
            infer, op, "output_tuple_indices in the output_operand_alias attribute out of bounds");
    if (types_fit(operand, output)) return true;
    return infer_fail(
        infer, op,
        "shapes mismatch in the output_operand_alias attribute: operand part has type '%s' and "
        "output part has "
        "type '%s'",
        infer_type_text(infer, operand), infer_type_text(infer, output));
}

// Buffers (memrefs) are made by CreateBuffer and Pin, and freed by Unpin.
static bool check_buffer_target(Infer *infer, const Op *op, StrView target) {
    if (strview_is(target, "CreateBuffer")) {
        if (op->operand_count)
            return infer_fail(infer, op, "CreateBuffer custom_call shouldn't have any inputs");
        if (op->result_count != 1 || !type_is_memref(op_result_type(op, 0)))
            return infer_fail(infer, op, "CreateBuffer custom_call should have a memref output");
    } else if (strview_is(target, "Pin")) {
        if (op->operand_count != 1 || op_operand_type(op, 0)->kind != TYPE_TENSOR)
            return infer_fail(infer, op, "Pin custom_call should have a tensor input");
        if (op->result_count != 1 || !type_is_memref(op_result_type(op, 0)))
            return infer_fail(infer, op, "Pin custom_call should have a memref output");
    } else if (strview_is(target, "Unpin")) {
        if (op->operand_count != 1 || !type_is_memref(op_operand_type(op, 0)))
            return infer_fail(infer, op, "Unpin custom_call should have a memref input");
        if (op->result_count != 1 || op_result_type(op, 0)->kind != TYPE_TENSOR)
            return infer_fail(infer, op, "Unpin custom_call should have a tensor output");
        StrBuf text = strbuf(infer->diags->arena);
        type_print(&text, op_result_type(op, 0));
        StrView tensor = strbuf_view(&text), memref = op_operand_type(op, 0)->encoding;
        size_t frame = sizeof("tensor<") - 1; // of the same length as memref<
        bool same = tensor.size == memref.size && tensor.size > frame &&
                    memcmp(tensor.data + frame, memref.data + frame, tensor.size - frame) == 0;
        if (!same)
            return infer_fail(
                infer, op, "Unpin custom_call should have compatible input and output types");
    }
    return true;
}

// Every buffer operand and result is aliased at most once, every buffer result exactly once.
static bool check_buffer_aliases(Infer *infer, const Op *op, const Attr *aliases) {
    int count = aliases ? aliases->count : 0;
    for (int r = 0; r < op->result_count; r++) {
        if (!type_is_memref(op_result_type(op, r))) continue;
        int uses = 0;
        for (int i = 0; i < count; i++) {
            IntSpan path = aliases->items[i]->alias->output_tuple_indices;
            bool here = path.count ? path.data[0] == r : op->result_count == 1;
            uses += here;
        }
        if (uses == 0)
            return infer_fail(
                infer, op, "buffer output [%s] is not used in output_operand_alias",
                op->result_count == 1 ? "" : infer_ints_text(infer, (int64_t[]){r}, 1));
        if (uses > 1)
            return infer_fail(
                infer, op, "buffer output [%s] is used in output_operand_alias more than once",
                op->result_count == 1 ? "" : infer_ints_text(infer, (int64_t[]){r}, 1));
    }
    for (int o = 0; o < op->operand_count; o++) {
        if (!type_is_memref(op_operand_type(op, o))) continue;
        int uses = 0;
        for (int i = 0; i < count; i++)
            uses += aliases->items[i]->alias->operand_index == o;
        if (uses > 1)
            return infer_fail(
                infer, op, "buffer operand %d[] is used in output_operand_alias more than once", o);
    }
    return true;
}

static const char *version_text(int64_t version) {
    static const char *const names[] = {
        "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    return names[version];
}

bool infer_custom_call(Infer *infer, const Op *op) {
    const Attr *target = op_attr(op, NAME_CALL_TARGET_NAME);
    const Attr *config = op_attr(op, NAME_BACKEND_CONFIG);
    const Attr *version = op_attr(op, NAME_API_VERSION);
    bool is_typed = version && version->integer == CUSTOM_CALL_API_API_VERSION_TYPED_FFI;
    if (is_typed && config && config->kind != ATTR_DICT)
        return infer_fail(
            infer, op,
            "backend_config for api_version API_VERSION_TYPED_FFI must be a dictionary attribute.");
    if (!is_typed && config && config->kind != ATTR_STRING)
        return infer_fail(
            infer, op, "backend_config for api_version %s must be a string attribute.",
            version ? version_text(version->integer) : "API_VERSION_ORIGINAL");
    // VHLO leaves out an empty list, so that the layouts of no values may be absent.
    bool has_operand = op_attr(op, NAME_OPERAND_LAYOUTS) || op->operand_count == 0;
    bool is_empty = op->result_count == 0 ||
                    (op->result_count == 1 && op_result_type(op, 0)->kind == TYPE_TUPLE &&
                     op_result_type(op, 0)->part_count == 0);
    bool has_result = op_attr(op, NAME_RESULT_LAYOUTS) || is_empty;
    bool has_any = op_attr(op, NAME_OPERAND_LAYOUTS) || op_attr(op, NAME_RESULT_LAYOUTS);
    if (has_any && !(has_operand && has_result))
        return infer_fail(
            infer, op,
            "Layout attributes should be specified for either both operands and results or none.");
    const Type **types =
        ARENA_ARRAY(infer->diags->arena, const Type *, op->operand_count + op->result_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        types[i] = op_operand_type(op, i);
    for (int i = 0; i < op->result_count; i++)
        types[op->operand_count + i] = op_result_type(op, i);
    if (!check_layouts(infer, op, NAME_OPERAND_LAYOUTS, "operand", op->operand_count, types) ||
        !check_layouts(
            infer, op, NAME_RESULT_LAYOUTS, "result", op->result_count, types + op->operand_count))
        return false;
    if (!check_buffer_target(infer, op, target->text)) return false;
    const Attr *aliases = op_attr(op, NAME_OUTPUT_OPERAND_ALIASES);
    if (aliases && aliases->kind != ATTR_ARRAY)
        return infer_fail(infer, op, "attribute 'output_operand_aliases' must be an array");
    for (int i = 0; aliases && i < aliases->count; i++) {
        if (aliases->items[i]->kind != ATTR_ALIAS)
            return infer_fail(infer, op, "attribute 'output_operand_aliases' must hold aliases");
        if (!check_alias(infer, op, aliases->items[i]->alias)) return false;
    }
    bool knows_buffers = strview_is(target->text, "CreateBuffer") ||
                         strview_is(target->text, "Pin") || strview_is(target->text, "Unpin");
    return knows_buffers || check_buffer_aliases(infer, op, aliases);
}
