// The inherent attributes of an op against its row: what it cannot do without is there, and each
// is of the kind that it must be.
#include "ir/verify/verify_internal.h"

typedef enum ConstraintTest {
    TEST_ANY,
    TEST_KIND,
    TEST_INT,
    TEST_FLOAT,
    TEST_LIST,
    TEST_DENSE,
    TEST_KEYWORD,
    TEST_NUMBER,
    TEST_EACH,
    TEST_EITHER,
    TEST_OWN
} ConstraintTest;

typedef struct Constraint {
    ConstraintTest test;
    AttrKind kind;
    ElementType element;
    int64_t least;
    EnumKind list;
    AttrConstraint first, second;
    bool (*own)(const Attr *attr);
    const char *words;
} Constraint;

static bool is_flat_symbol(const Attr *attr) {
    if (attr->kind != ATTR_SYMBOL) return false;
    for (size_t i = 0; i + 1 < attr->text.size; i++) {
        if (attr->text.data[i] == ':' && attr->text.data[i + 1] == ':') return false;
    }
    return true;
}

static bool is_function_type(const Attr *attr) {
    return attr->kind == ATTR_TYPE && attr->type->kind == TYPE_FUNCTION;
}

static bool is_typed(const Attr *attr) {
    return attr->kind == ATTR_BOOL || attr->kind == ATTR_INT || attr->kind == ATTR_FLOAT ||
           attr->kind == ATTR_ELEMENTS || attr->kind == ATTR_STRING;
}

static bool is_mesh_axes(const Attr *attr) {
    return attr->kind == ATTR_OPAQUE &&
           strview_starts_with(attr->text, SV("#stablehlo.replica_group_mesh_axes<"));
}

static bool is_layout(const Attr *attr) {
    return attr->kind == ATTR_ELEMENTS && attr->type->element == ELEMENT_INDEX &&
           attr->type->rank == 1;
}

#define ANY_ATTR         .test = TEST_ANY
#define KIND(name)       .test = TEST_KIND, .kind = ATTR_##name
#define INT(type, bound) .test = TEST_INT, .element = ELEMENT_##type, .least = bound
#define FLOAT(type)      .test = TEST_FLOAT, .element = ELEMENT_##type
#define LIST(type)       .test = TEST_LIST, .element = ELEMENT_##type
#define DENSE(type)      .test = TEST_DENSE, .element = ELEMENT_##type
#define KEYWORD(name)    .test = TEST_KEYWORD, .list = ENUM_##name
#define NUMBER(name)     .test = TEST_NUMBER, .list = ENUM_##name
#define EACH(name)       .test = TEST_EACH, .first = CONSTRAINT_##name
#define EITHER(a, b)     .test = TEST_EITHER, .first = CONSTRAINT_##a, .second = CONSTRAINT_##b
#define OWN(name)        .test = TEST_OWN, .own = is_##name

static const Constraint constraints[CONSTRAINT_COUNT] = {
#define CONSTRAINT(name, how, text) [CONSTRAINT_##name] = {how, .words = (text)},
#include "ir/attr_constraints.def"
};

// An attribute without a type of its own has the one that is asked for.
static bool is_of(const Attr *attr, ElementType element) {
    return !attr->type || attr->type->element == element;
}

static bool is_dense_ints(const Attr *attr, ElementType element) {
    return attr->kind == ATTR_ELEMENTS && attr->type->element == element && !attr->type->quant &&
           type_is_static(attr->type) && (attr->ints || type_element_count(attr->type) == 0);
}

static bool fits(const Attr *attr, AttrConstraint name);

static bool each_fits(const Attr *array, AttrConstraint name) {
    if (array->kind != ATTR_ARRAY) return false;
    for (int i = 0; i < array->count; i++) {
        if (!fits(array->items[i], name)) return false;
    }
    return true;
}

static bool fits(const Attr *attr, AttrConstraint name) {
    const Constraint *c = &constraints[name];
    bool is_keyword = attr->kind == ATTR_ENUM && attr->enum_kind == c->list;
    switch (c->test) {
    case TEST_ANY: return true;
    case TEST_KIND: return attr->kind == c->kind;
    case TEST_INT:
        return attr->kind == ATTR_INT && is_of(attr, c->element) && attr->integer >= c->least;
    case TEST_FLOAT: return attr->kind == ATTR_FLOAT && is_of(attr, c->element);
    case TEST_LIST: return attr->kind == ATTR_INTS && is_of(attr, c->element);
    case TEST_DENSE: return is_dense_ints(attr, c->element);
    case TEST_KEYWORD: return is_keyword;
    case TEST_NUMBER:
        return is_keyword ||
               (attr->kind == ATTR_INT && is_of(attr, ELEMENT_I32) && attr->integer >= 0 &&
                attr->integer < INT32_MAX && enum_keyword(c->list, (int)attr->integer).size > 0);
    case TEST_EACH: return each_fits(attr, c->first);
    case TEST_EITHER: return fits(attr, c->first) || fits(attr, c->second);
    case TEST_OWN: return c->own(attr);
    }
    return false;
}

static bool check_required(Infer *infer, const Op *op) {
    for (const OpAttr *attr = op_code_attrs(op->code); attr->role; attr++) {
        if (attr->is_optional) continue;
        bool is_there = attr->role == ATTR_ROLE_OWN
                            ? op_attr(op, attr->name) != NULL
                            : infer->results_unknown || op_result(op, 0)->sharding != NULL;
        if (!is_there)
            return infer_fail(
                infer, op, "requires attribute '%.*s'", SV_ARG(op_attr_item_text(attr)));
    }
    return true;
}

bool infer_check_attrs(Infer *infer, const Op *op) {
    if (!check_required(infer, op)) return false;
    for (const OpAttr *attr = op_code_attrs(op->code); attr->role; attr++) {
        const Attr *value = attr->role == ATTR_ROLE_OWN ? op_attr(op, attr->name) : NULL;
        if (value && !fits(value, attr->constraint))
            return infer_fail(
                infer, op, "attribute '%.*s' failed to satisfy constraint: %s",
                SV_ARG(op_attr_item_text(attr)), constraints[attr->constraint].words);
    }
    return true;
}
