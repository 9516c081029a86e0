// vhlo_export: the attributes of StableHLO's ops as those of VHLO, for a version.
#include "frontend/bytecode/writer/bytecode_writer.h"
#include "frontend/mlir/syntax/dim_fields.h"

#include <stdio.h>

bool vhlo_owns(OpCode code, StrView name) {
    VhloAttr attrs[MAX_VHLO_ATTRS];
    int count = vhlo_attrs(vhlo_for(code, VHLO_CURRENT), attrs);
    for (int i = 0; i < count; i++) {
        if (strview_equal(attrs[i].name, name)) return true;
    }
    return false;
}

typedef struct Export {
    BytecodeWriter *writer;
    Context *context;
    const Op *op;
    OpDict own; // the op's attributes in StableHLO
    bool *used; // of own
    bool is_structured;
    AttrKind kind;
    DimNumbers numbers;
} Export;

static const Attr *own_attr(Export *export, const char *name) {
    for (int i = 0; i < export->own.count; i++) {
        if (!strview_is(export->own.names[i], name)) continue;
        export->used[i] = true;
        return export->own.items[i];
    }
    return NULL;
}

static const Attr *int_attr(const Export *export, int64_t number) {
    return attr_int(export->context, number, ELEMENT_I64);
}

static const Attr *list_attr(const Export *export, IntSpan list) {
    return attr_ints(export->context, list.count, list.data);
}

// The field of the structured attribute; NULL when it is none.
static const Attr *field_attr(Export *export, StrView name) {
    const DimField *fields = NULL;
    int count = export->is_structured ? dim_fields(export->kind, &fields) : 0;
    for (int i = 0; i < count; i++) {
        if (!strview_is(name, fields[i].name)) continue;
        return fields[i].is_list ? list_attr(export, *dim_list(&export->numbers, &fields[i]))
                                 : int_attr(export, *dim_number(&export->numbers, &fields[i]));
    }
    return NULL;
}

static const Attr *precision_attr(const Export *export, ElementType element, bool is_tf32) {
    Type type = {.kind = TYPE_OPAQUE, .encoding = SV("tf32")};
    if (!is_tf32) type = (Type){.kind = TYPE_ELEMENT, .element = element};
    return attr_type(export->context, type_intern(export->context, &type));
}

// A part of the dot algorithm; of type `none` without one. NULL: it is no such part.
static const Attr *algorithm_attr(Export *export, StrView name) {
    static const char *const parts[] = {"accumulation_type",        "allow_imprecise_accumulation",
                                        "lhs_component_count",      "lhs_precision_type",
                                        "num_primitive_operations", "rhs_component_count",
                                        "rhs_precision_type"};
    int part = -1;
    for (int i = 0; i < 7; i++) {
        if (strview_is(name, parts[i])) part = i;
    }
    if (part < 0) return NULL;
    const Attr *attr = own_attr(export, "algorithm");
    if (!attr || attr->kind != ATTR_DOT_ALGORITHM)
        return attr_type(export->context, type_none(export->context));
    const DotAlgorithm *a = attr->dot_algorithm;
    switch (part) {
    case 0: return precision_attr(export, a->accumulation, a->accumulation_is_tf32);
    case 1: return attr_bool(export->context, a->allow_imprecise_accumulation);
    case 2: return int_attr(export, a->lhs_components);
    case 3: return precision_attr(export, a->lhs_precision, a->lhs_is_tf32);
    case 4: return int_attr(export, a->primitive_operations);
    case 5: return int_attr(export, a->rhs_components);
    default: return precision_attr(export, a->rhs_precision, a->rhs_is_tf32);
    }
}

// The dimensions of the window that an op's lists are over.
static int window_rank(const Op *op) {
    const Type *type = op->operand_count > 0 ? op_operand_type(op, 0) : NULL;
    int rank = type && type->kind == TYPE_TENSOR ? type->rank : 0;
    bool is_conv = op->code == OP_CONVOLUTION || op->code == OP_DYNAMIC_CONV;
    return is_conv && rank >= 2 ? rank - 2 : rank;
}

// The value that StableHLO leaves out: see vhlo.def.
static const Attr *usual_attr(const Export *export, StrView usual) {
    Context *context = export->context;
    int64_t numbers[2 * MAX_RANK] = {0};
    int rank = window_rank(export->op);
    if (strview_is(usual, "falses")) return attr_bools(context, rank, numbers);
    if (strview_is(usual, "zeros")) return attr_int_matrix(context, rank, 2, numbers);
    for (int d = 0; d < rank; d++)
        numbers[d] = 1;
    if (strview_is(usual, "ones")) return attr_ints(context, rank, numbers);
    if (strview_is(usual, "none")) return attr_ints(context, 0, numbers);
    if (strview_is(usual, "false")) return attr_bool(context, false);
    if (strview_is(usual, "0")) return int_attr(export, 0);
    if (strview_is(usual, "1")) return int_attr(export, 1);
    if (strview_is(usual, "-1")) return int_attr(export, -1);
    if (strview_is(usual, "[]")) return attr_array(context, 0, NULL);
    if (strview_is(usual, "{}")) return attr_dict(context, 0, NULL, NULL);
    if (strview_is(usual, "ORIGINAL")) return int_attr(export, 1);
    if (strview_is(usual, "NOTYPE")) return attr_enum(context, ENUM_COMPARE, COMPARE_NOTYPE);
    if (strview_is(usual, "accuracy")) {
        const ResultAccuracy accuracy = {0};
        return attr_intern(context, &(Attr){.kind = ATTR_ACCURACY, .accuracy = &accuracy});
    }
    if (strview_is(usual, "precisions")) {
        const Attr *precision = attr_enum(context, ENUM_PRECISION, PRECISION_DEFAULT);
        return attr_array(context, 2, (const Attr *[]){precision, precision});
    }
    if (strview_is(usual, "config") && op_int(export->op, NAME_API_VERSION, 1) == 4)
        return attr_dict(context, 0, NULL, NULL);
    return attr_string(context, SV(""));
}

// One attribute of VHLO from those of StableHLO; NULL when the op lacks it.
static const Attr *export_attr(Export *export, const VhloAttr *wanted) {
    Context *context = export->context;
    char name[64];
    snprintf(name, sizeof name, "%.*s", SV_ARG(wanted->name));
    bool is_id = strview_is(wanted->name, "channel_id");
    if (is_id || strview_is(wanted->name, "channel_type")) {
        const Attr *channel = own_attr(export, "channel_handle");
        bool is_there = channel && channel->kind == ATTR_CHANNEL;
        return is_there ? int_attr(export, channel->ints[is_id ? 0 : 1])
                        : usual_attr(export, wanted->usual);
    }
    const Attr *value = field_attr(export, wanted->name);
    if (!value) value = algorithm_attr(export, wanted->name);
    if (!value) value = own_attr(export, name);
    if (!value && wanted->usual.size > 0) value = usual_attr(export, wanted->usual);
    if (!value) return NULL;
    if (value->kind == ATTR_UNIT) return attr_bool(context, true);
    if (strview_is(wanted->name, "api_version"))
        return attr_enum(context, ENUM_CUSTOM_CALL_API, (int)value->integer);
    return value;
}

// Attributes that this version of the op has no place for, unless they say what is usual.
static void check_unused(const Export *export, const VhloOp *vhlo) {
    VhloAttr attrs[MAX_VHLO_ATTRS];
    const VhloOp *newest = vhlo_for(export->op->code, VHLO_CURRENT);
    int count = vhlo_attrs(newest, attrs);
    for (int i = 0; i < export->own.count; i++) {
        StrView name = export->own.names[i];
        bool is_usual = false;
        for (int k = 0; k < count; k++) {
            if (strview_equal(attrs[k].name, name) && attrs[k].usual.size > 0)
                is_usual = vhlo_is_usual(export->own.items[i], attrs[k].usual);
        }
        if (!export->used[i] && !is_usual)
            writer_failed(
                export->writer, "%.*s has no attribute '%.*s'",
                SV_ARG(vhlo_name(export->writer->arena, vhlo)), SV_ARG(name));
    }
}

// Lists of the structured attribute that this version of the op does not have must be empty.
static void check_fields(
    const Export *export, const VhloOp *vhlo, const VhloAttr *attrs, int count) {
    const DimField *fields = NULL;
    DimNumbers numbers = export->numbers;
    int field_count = export->is_structured ? dim_fields(export->kind, &fields) : 0;
    for (int f = 0; f < field_count; f++) {
        bool is_there = !fields[f].is_list || dim_list(&numbers, &fields[f])->count == 0;
        for (int k = 0; k < count && !is_there; k++)
            is_there = strview_is(attrs[k].name, fields[f].name);
        if (!is_there)
            writer_failed(
                export->writer, "%.*s has no attribute '%s'",
                SV_ARG(vhlo_name(export->writer->arena, vhlo)), fields[f].name);
    }
}

bool vhlo_export(BytecodeWriter *writer, const Op *op, const VhloOp *vhlo, const Attr **values) {
    Export export = {.writer = writer, .context = writer->module->context, .op = op};
    VhloAttr attrs[MAX_VHLO_ATTRS];
    int count = vhlo_attrs(vhlo, attrs);
    export.own = op_inherent_dict(writer->arena, op);
    for (int i = 0; op->extra && i < op->extra->count; i++) {
        if (vhlo_owns(op->code, op->extra->names[i]))
            op_dict_add(&export.own, op->extra->names[i], op->extra->items[i]);
    }
    export.used = ARENA_ARRAY(writer->arena, bool, export.own.count + 1);
    AttrName structured;
    export.is_structured = op_dims_attr(op->code, &structured, &export.kind);
    if (export.is_structured) {
        StrView name = attr_name_text(structured);
        const Attr *attr = own_attr(&export, arena_cstring(writer->arena, name));
        if (!attr || attr->kind != export.kind) {
            writer_failed(writer, "it has no attribute '%.*s'", SV_ARG(name));
            return false;
        }
        export.numbers = dims_of_attr(attr);
    }
    for (int i = 0; i < count && !writer->failed; i++) {
        values[i] = export_attr(&export, &attrs[i]);
        if (!values[i]) writer_failed(writer, "it has no attribute '%.*s'", SV_ARG(attrs[i].name));
    }
    check_fields(&export, vhlo, attrs, count);
    check_unused(&export, vhlo);
    return !writer->failed;
}
