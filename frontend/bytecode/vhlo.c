// vhlo: the table of VHLO's ops, and their attributes as those of StableHLO.
#include "frontend/bytecode/vhlo.h"

#include "frontend/mlir/syntax/dim_fields.h"

enum { MAX_VERSIONS = 2 }; // of one op

#define SINCE(major, minor, attrs) \
    { (major) * 1000 + (minor), attrs }
#define VHLO(...) \
    { __VA_ARGS__ }
#define NO_VHLO     \
    {               \
        { 0, NULL } \
    }

// Version v stands at [v - 1]; those that there are not have no attrs.
static const VhloOp versions[OP_COUNT][MAX_VERSIONS] = {
#define OP(                                                                                   \
    name, dialect, text, traits, operands, results, regions, attributes, form, ir, partition, \
    codegen, vhlo, ...)                                                                       \
    [OP_##name] = vhlo,
#include "ir/dialects/ops.def"
};

static OpCode code_of(const VhloOp *op) { return (OpCode)((op - versions[0]) / MAX_VERSIONS); }
static int version_of(const VhloOp *op) { return (int)((op - versions[0]) % MAX_VERSIONS) + 1; }

StrView vhlo_name(Arena *arena, const VhloOp *op) {
    StrView name = op_code_mnemonic(code_of(op));
    return strview(arena_printf(arena, "vhlo.%.*s_v%d", SV_ARG(name), version_of(op)));
}

const VhloOp *vhlo_find(StrView name) {
    for (int code = 0; code < OP_COUNT; code++) {
        StrView base = op_code_mnemonic((OpCode)code);
        if (!versions[code][0].attrs || name.size != base.size + 3) continue;
        if (!strview_starts_with(name, base)) continue;
        StrView tail = {name.data + base.size, 3};
        for (int v = 0; v < MAX_VERSIONS && versions[code][v].attrs; v++) {
            if (tail.data[0] == '_' && tail.data[1] == 'v' && tail.data[2] == '1' + v)
                return &versions[code][v];
        }
    }
    return NULL;
}

const VhloOp *vhlo_for(OpCode code, int target) {
    const VhloOp *best = NULL;
    for (int v = 0; v < MAX_VERSIONS && versions[code][v].attrs; v++) {
        if (!best || versions[code][v].since <= target) best = &versions[code][v];
    }
    return best;
}

int vhlo_attrs(const VhloOp *op, VhloAttr attrs[MAX_VHLO_ATTRS]) {
    int count = 0;
    for (const char *at = op->attrs; *at;) {
        size_t size = strcspn(at, " ");
        size_t name_size = strcspn(at, " =");
        VhloAttr attr = {.name = {at, name_size}};
        if (name_size < size) attr.usual = (StrView){at + name_size + 1, size - name_size - 1};
        attrs[count++] = attr;
        at += size + (at[size] == ' ');
    }
    return count;
}

OpCode vhlo_op_code(const VhloOp *op, bool in_func) {
    OpCode code = code_of(op);
    bool is_return = code == OP_FUNC_RETURN || code == OP_RETURN;
    return !is_return ? code : in_func ? OP_FUNC_RETURN : OP_RETURN;
}

// The attributes of one VHLO op that are being given to StableHLO's.
typedef struct Import {
    Reader *reader;
    const Token *at;
    OpCode code;
    const VhloOp *op;
    VhloAttr attrs[MAX_VHLO_ATTRS];
    int count;
    const Attr *const *values;
    bool is_structured;
    AttrKind kind;
    DimNumbers numbers;
} Import;

static bool wrong_value(const Import *import, StrView name) {
    return reader_error_at(
        import->reader, import->at, "'%.*s' op attribute '%.*s' has a value of a wrong kind",
        SV_ARG(vhlo_name(import->reader->arena, import->op)), SV_ARG(name));
}

static void push_attr(const Import *import, StrView name, const Attr *value) {
    ReadAttr attr = {context_name(import->reader->context, name), value, *import->at};
    vec_push(import->reader->scratch, &import->reader->attrs, attr);
}

static const Attr *value_of(const Import *import, const char *name) {
    for (int i = 0; i < import->count; i++) {
        if (strview_is(import->attrs[i].name, name)) return import->values[i];
    }
    return NULL;
}

static bool int_value(const Import *import, const char *name, int64_t *number) {
    const Attr *value = value_of(import, name);
    bool ok = value && (value->kind == ATTR_INT || value->kind == ATTR_BOOL);
    *number = ok ? value->integer : 0;
    return ok || !value || wrong_value(import, strview(name));
}

// A list of numbers is a tensor in VHLO, an array in StableHLO: dense<[1, 2]> :
// tensor<2xi64> to array<i64: 1, 2>.
static const Attr *as_array(Reader *reader, const Attr *value) {
    enum { LONGEST_LIST = 1 << 12 };
    if (value->kind != ATTR_ELEMENTS || value->type->rank != 1) return value;
    bool is_bool = value->type->element == ELEMENT_I1;
    int64_t count = value->type->dims[0];
    if ((!is_bool && value->type->element != ELEMENT_I64) || count > LONGEST_LIST) return value;
    int64_t *numbers = ARENA_ARRAY(reader->scratch, int64_t, count + 1);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = attr_element_int(value, i);
    return is_bool ? attr_bools(reader->context, (int)count, numbers)
                   : attr_ints(reader->context, (int)count, numbers);
}

// Takes a field of the structured attribute; *is_field: it is one.
static bool take_field(Import *import, int i, bool *is_field) {
    const DimField *fields = NULL;
    int count = import->is_structured ? dim_fields(import->kind, &fields) : 0;
    *is_field = false;
    for (int f = 0; f < count && !*is_field; f++) {
        if (!strview_is(import->attrs[i].name, fields[f].name)) continue;
        *is_field = true;
        const Attr *value = as_array(import->reader, import->values[i]);
        if (value->kind != (fields[f].is_list ? ATTR_INTS : ATTR_INT))
            return wrong_value(import, import->attrs[i].name);
        if (fields[f].is_list) {
            *dim_list(&import->numbers, &fields[f]) = (IntSpan){value->ints, value->count};
        } else {
            *dim_number(&import->numbers, &fields[f]) = value->integer;
        }
    }
    return true;
}

static bool import_channel(const Import *import) {
    int64_t ints[2] = {0, 0};
    if (!int_value(import, "channel_id", &ints[0]) || !int_value(import, "channel_type", &ints[1]))
        return false;
    bool is_optional = !value_of(import, "channel_type"); // else it is one of send and recv
    if (is_optional && ints[0] == 0) return true;
    Attr channel = {.kind = ATTR_CHANNEL, .count = 2, .ints = ints};
    push_attr(import, SV("channel_handle"), attr_intern(import->reader->context, &channel));
    return true;
}

static bool precision_type(
    const Import *import, const char *name, ElementType *element, bool *is_tf32) {
    const Attr *value = value_of(import, name);
    const Type *type = value && value->kind == ATTR_TYPE ? value->type : NULL;
    *is_tf32 = type && type->kind == TYPE_OPAQUE && strview_is(type->encoding, "tf32");
    *element = *is_tf32 ? ELEMENT_F32 : type ? type->element : ELEMENT_F32;
    return *is_tf32 || (type && type->kind == TYPE_ELEMENT && !type->quant) ||
           wrong_value(import, strview(name));
}

// Without an algorithm its fields are of the type `none`.
static bool import_algorithm(const Import *import) {
    const Attr *first = value_of(import, "accumulation_type");
    if (!first) return wrong_value(import, SV("accumulation_type"));
    if (first->kind == ATTR_TYPE && first->type->kind == TYPE_NONE) return true;
    DotAlgorithm algorithm = {0};
    int64_t imprecise = 0;
    bool ok = precision_type(
                  import, "lhs_precision_type", &algorithm.lhs_precision, &algorithm.lhs_is_tf32) &&
              precision_type(
                  import, "rhs_precision_type", &algorithm.rhs_precision, &algorithm.rhs_is_tf32) &&
              precision_type(
                  import, "accumulation_type", &algorithm.accumulation,
                  &algorithm.accumulation_is_tf32) &&
              int_value(import, "lhs_component_count", &algorithm.lhs_components) &&
              int_value(import, "rhs_component_count", &algorithm.rhs_components) &&
              int_value(import, "num_primitive_operations", &algorithm.primitive_operations) &&
              int_value(import, "allow_imprecise_accumulation", &imprecise);
    algorithm.allow_imprecise_accumulation = imprecise != 0;
    Attr attr = {.kind = ATTR_DOT_ALGORITHM, .dot_algorithm = &algorithm};
    if (ok) push_attr(import, SV("algorithm"), attr_intern(import->reader->context, &attr));
    return ok;
}

// All numbers of a list or a matrix are `number`.
static bool all_are(const Attr *value, int64_t number) {
    if (value->kind == ATTR_INTS) {
        for (int i = 0; i < value->count; i++) {
            if (value->ints[i] != number) return false;
        }
        return true;
    }
    if (value->kind != ATTR_ELEMENTS || value->type->element != ELEMENT_I64) return false;
    int64_t count = value->is_splat ? 1 : type_element_count(value->type);
    for (int64_t i = 0; i < count; i++) {
        if (attr_element_int(value, i) != number) return false;
    }
    return true;
}

static bool is_usual_precision(const Attr *value) {
    for (int i = 0; i < value->count; i++) {
        const Attr *item = value->items[i];
        if (item->kind != ATTR_ENUM || item->enum_kind != ENUM_PRECISION ||
            item->integer != PRECISION_DEFAULT)
            return false;
    }
    return value->count == 2;
}

static bool is_usual_accuracy(const ResultAccuracy *accuracy) {
    return accuracy->mode == RESULT_ACCURACY_DEFAULT && accuracy->atol == 0 &&
           accuracy->rtol == 0 && accuracy->ulps == 0;
}

bool vhlo_is_usual(const Attr *value, StrView usual) {
    switch (value->kind) {
    case ATTR_BOOL: return strview_is(usual, "false") && value->integer == 0;
    case ATTR_INT:
        if (strview_is(usual, "ORIGINAL")) return value->integer == 1;
        return (strview_is(usual, "0") && value->integer == 0) ||
               (strview_is(usual, "-1") && value->integer == -1);
    case ATTR_STRING:
        return (strview_is(usual, "''") || strview_is(usual, "config")) && value->text.size == 0;
    case ATTR_DICT:
        return (strview_is(usual, "{}") || strview_is(usual, "config")) && value->count == 0;
    case ATTR_ARRAY:
        return strview_is(usual, "precisions") ? is_usual_precision(value)
                                               : strview_is(usual, "[]") && value->count == 0;
    case ATTR_ENUM: return strview_is(usual, "NOTYPE") && value->integer == COMPARE_NOTYPE;
    case ATTR_ACCURACY: return strview_is(usual, "accuracy") && is_usual_accuracy(value->accuracy);
    case ATTR_INTS:
        if (strview_is(usual, "none")) return value->count == 0;
        return (strview_is(usual, "ones") && all_are(value, 1)) ||
               (strview_is(usual, "falses") && all_are(value, 0));
    case ATTR_ELEMENTS: return strview_is(usual, "zeros") && all_are(value, 0);
    default: return false;
    }
}

// @name in StableHLO, a string in VHLO.
static const Attr *as_symbols(Reader *reader, const Attr *value) {
    if (value->kind == ATTR_STRING) return attr_symbol(reader->context, value->text);
    if (value->kind != ATTR_ARRAY) return value;
    const Attr **items = ARENA_ARRAY(reader->scratch, const Attr *, value->count);
    for (int i = 0; i < value->count; i++) {
        items[i] = value->items[i];
        if (items[i]->kind == ATTR_STRING) items[i] = attr_symbol(reader->context, items[i]->text);
    }
    return attr_array(reader->context, value->count, items);
}

static bool is_symbol(StrView name) {
    return strview_is(name, "callee") || strview_is(name, "decomposition") ||
           strview_is(name, "called_computations");
}

// Attributes that say something by being there.
static bool is_unit(StrView name) {
    return strview_is(name, "use_global_device_ids") || strview_is(name, "has_dynamic_root");
}

// A part of the channel or of the dot algorithm; these are made when the first of their parts
// comes.
static bool import_part(const Import *import, StrView name, bool *is_part) {
    static const char *const others[] = {
        "channel_type",       "allow_imprecise_accumulation", "lhs_component_count",
        "lhs_precision_type", "num_primitive_operations",     "rhs_component_count",
        "rhs_precision_type"};
    *is_part = true;
    if (strview_is(name, "channel_id")) return import_channel(import);
    if (strview_is(name, "accumulation_type")) return import_algorithm(import);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strview_is(name, others[i])) return true;
    }
    // The first version of dynamic_conv had the padding twice; the operand counts.
    *is_part = import->code == OP_DYNAMIC_CONV && strview_is(name, "padding");
    return true;
}

bool vhlo_import(
    Reader *reader, const Token *at, OpCode code, const VhloOp *op, const Attr *const *values) {
    Import import = {.reader = reader, .at = at, .code = code, .op = op, .values = values};
    AttrName structured = NAME_VALUE;
    import.count = vhlo_attrs(op, import.attrs);
    import.is_structured = op_dims_attr(code, &structured, &import.kind);
    for (int i = 0; i < import.count; i++) {
        StrView name = import.attrs[i].name;
        bool is_taken = false;
        if (!take_field(&import, i, &is_taken)) return false;
        if (!is_taken && !import_part(&import, name, &is_taken)) return false;
        if (is_taken) continue;
        const Attr *value = values[i];
        if (code != OP_CONSTANT) value = as_array(reader, value);
        if (is_symbol(name)) value = as_symbols(reader, value);
        if (import.attrs[i].usual.size > 0 && vhlo_is_usual(value, import.attrs[i].usual)) continue;
        if (is_unit(name) && value->kind == ATTR_BOOL) value = attr_unit(reader->context);
        push_attr(&import, name, value);
    }
    if (import.is_structured) {
        push_attr(
            &import, attr_name_text(structured),
            attr_of_dims(reader->context, import.kind, &import.numbers));
    }
    return true;
}
