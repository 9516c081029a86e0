// Which kinds of attributes ops have, and which ops cannot do without: what holds for a name wherever it stands.
#include "ir/verify/verify_internal.h"

typedef enum AttrForm {
    FORM_ANY, // the op's own check says
    FORM_BOOL,
    FORM_STRING,
    FORM_I32,
    FORM_I64
} AttrForm;

static const AttrForm forms[ATTR_NAME_COUNT] = {
    [NAME_ALL_GATHER_DIM] = FORM_I64,
    [NAME_BATCH_DIMS] = FORM_I64,
    [NAME_BATCH_GROUP_COUNT] = FORM_I64,
    [NAME_CALL_TARGET_NAME] = FORM_STRING,
    [NAME_CONCAT_DIMENSION] = FORM_I64,
    [NAME_DIM] = FORM_I64,
    [NAME_DIMENSION] = FORM_I64,
    [NAME_EINSUM_CONFIG] = FORM_STRING,
    [NAME_EXPONENT_BITS] = FORM_I32,
    [NAME_FEATURE_GROUP_COUNT] = FORM_I64,
    [NAME_FEATURE_INDEX] = FORM_I64,
    [NAME_HAS_SIDE_EFFECT] = FORM_BOOL,
    [NAME_INDEX] = FORM_I32,
    [NAME_INDICES_ARE_SORTED] = FORM_BOOL,
    [NAME_INFEED_CONFIG] = FORM_STRING,
    [NAME_IOTA_DIMENSION] = FORM_I64,
    [NAME_IS_ASSOCIATIVE] = FORM_BOOL,
    [NAME_IS_HOST_TRANSFER] = FORM_BOOL,
    [NAME_IS_REVERSE] = FORM_BOOL,
    [NAME_IS_STABLE] = FORM_BOOL,
    [NAME_K] = FORM_I64,
    [NAME_LEFT_SIDE] = FORM_BOOL,
    [NAME_LOWER] = FORM_BOOL,
    [NAME_MANTISSA_BITS] = FORM_I32,
    [NAME_OUTFEED_CONFIG] = FORM_STRING,
    [NAME_SCAN_DIM_SIZE] = FORM_I64,
    [NAME_SCATTER_DIMENSION] = FORM_I64,
    [NAME_SPLIT_COUNT] = FORM_I64,
    [NAME_SPLIT_DIMENSION] = FORM_I64,
    [NAME_UNIQUE_INDICES] = FORM_BOOL,
    [NAME_UNIT_DIAGONAL] = FORM_BOOL,
};

static bool is_int_of(const Attr *attr, ElementType element) {
    return attr->kind == ATTR_INT && (!attr->type || attr->type->element == element);
}

static const char *form_problem(const Attr *attr, AttrForm form) {
    switch (form) {
    case FORM_ANY: return NULL;
    case FORM_BOOL: return attr->kind == ATTR_BOOL ? NULL : "bool attribute";
    case FORM_STRING: return attr->kind == ATTR_STRING ? NULL : "string attribute";
    case FORM_I32: return is_int_of(attr, ELEMENT_I32) ? NULL : "32-bit signless integer attribute";
    case FORM_I64: return is_int_of(attr, ELEMENT_I64) ? NULL : "64-bit signless integer attribute";
    }
    return NULL;
}

bool infer_check_attrs(Infer *infer, const Op *op) {
    for (int i = 0; i < op->attr_count; i++) {
        const char *problem = form_problem(op->attrs[i].value, forms[op->attrs[i].name]);
        if (problem)
            return infer_fail(
                infer, op, "attribute '%.*s' failed to satisfy constraint: %s",
                SV_ARG(attr_name_text(op->attrs[i].name)), problem);
    }
    for (const OpAttr *attr = op_code_attrs(op->code); attr->role; attr++) {
        if (attr->is_checked && !op_attr(op, attr->name))
            return infer_fail(
                infer, op, "requires attribute '%.*s'", SV_ARG(attr_name_text(attr->name)));
    }
    return true;
}
