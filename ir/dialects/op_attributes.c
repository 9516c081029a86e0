// op_attributes: the column ATTRIBUTES of ops.def.
#include "ir/op.h"

enum { MAX_ATTRS = 12 };

// What an attribute may be where its row says nothing else.
enum {
#define ATTR_NAME(name, text, constraint) USUAL_##name = CONSTRAINT_##constraint,
#include "ir/attr_names.def"
};

#define A(n) \
    { .role = ATTR_ROLE_OWN, .name = NAME_##n, .constraint = (AttrConstraint)USUAL_##n }
#define OPT(n)                                                                            \
    {                                                                                     \
        .role = ATTR_ROLE_OWN, .name = NAME_##n, .constraint = (AttrConstraint)USUAL_##n, \
        .is_optional = true                                                               \
    }
#define OF(n, own_constraint) \
    { .role = ATTR_ROLE_OWN, .name = NAME_##n, .constraint = CONSTRAINT_##own_constraint }
#define OPT_OF(n, own_constraint)                                                           \
    {                                                                                       \
        .role = ATTR_ROLE_OWN, .name = NAME_##n, .constraint = CONSTRAINT_##own_constraint, \
        .is_optional = true                                                                 \
    }
#define AS(n, own_text, own_constraint)                              \
    {                                                                \
        .role = ATTR_ROLE_OWN, .name = NAME_##n, .text = (own_text), \
        .constraint = CONSTRAINT_##own_constraint                    \
    }
#define DIMS(n, dims_kind)                                                                    \
    {                                                                                         \
        .role = ATTR_ROLE_OWN, .name = NAME_##n, .constraint = CONSTRAINT_##dims_kind##_DIMS, \
        .dims = ATTR_##dims_kind##_DIMS                                                       \
    }
#define SHARDING(own_text) \
    { .role = ATTR_ROLE_SHARDING, .text = (own_text) }
#define OPT_SHARDING(own_text) \
    { .role = ATTR_ROLE_SHARDING, .text = (own_text), .is_optional = true }
#define RECORD(own_text) \
    { .role = ATTR_ROLE_RECORD, .text = (own_text), .is_optional = true }
#define ATTRIBUTES(...) \
    { __VA_ARGS__ }
#define NO_ATTRIBUTES             \
    {                             \
        { .role = ATTR_ROLE_END } \
    }

static const OpAttr table[OP_COUNT][MAX_ATTRS] = {
#define OP(name, dialect, text, traits, operands, results, regions, attributes, ...) \
    [OP_##name] = attributes,
#include "ir/dialects/ops.def"
};

const OpAttr *op_code_attrs(OpCode code) { return table[code]; }

StrView op_attr_item_text(const OpAttr *attr) {
    return attr->text ? strview(attr->text) : attr_name_text(attr->name);
}

bool op_inherent_attr(OpCode code, StrView text, AttrName *name) {
    if (code == OP_UNREGISTERED) return false;
    if (strview_equal(text, attr_name_text(NAME_SHARDING_RULE))) {
        *name = NAME_SHARDING_RULE;
        return true;
    }
    for (const OpAttr *attr = table[code]; attr->role; attr++) {
        if (attr->role != ATTR_ROLE_OWN || !strview_equal(op_attr_item_text(attr), text)) continue;
        *name = attr->name;
        return true;
    }
    return false;
}

StrView op_attr_text(OpCode code, AttrName name) {
    for (const OpAttr *attr = table[code]; attr->role; attr++) {
        if (attr->role == ATTR_ROLE_OWN && attr->name == name) return op_attr_item_text(attr);
    }
    return attr_name_text(name);
}

StrView op_own_sharding_text(OpCode code) {
    for (const OpAttr *attr = table[code]; attr->role; attr++) {
        if (attr->role == ATTR_ROLE_SHARDING) return strview(attr->text);
    }
    return (StrView){NULL, 0};
}

bool op_dims_attr(OpCode code, AttrName *name, AttrKind *kind) {
    for (const OpAttr *attr = table[code]; attr->role; attr++) {
        if (!attr->dims) continue;
        *name = attr->name;
        *kind = attr->dims;
        return true;
    }
    return false;
}
