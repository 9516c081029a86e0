// sdy_reader: the parts of Shardy's pretty forms.
#include "frontend/mlir/forms/sdy_attrs.h"

static bool push_attr(Reader *reader, StrView name, const Attr *value) {
    ReadAttr attr = {name, value, reader->token};
    if (value) vec_push(reader->scratch, &reader->attrs, attr);
    return value != NULL;
}

// An attribute may be written in full, #sdy.mesh<..>, where the pretty form would leave the name
// out.
static const Attr *read_full_attr(Reader *reader, AttrKind kind) {
    Token at = reader->token;
    const Attr *attr = read_attr(reader);
    if (!attr || attr->kind == kind) return attr;
    (void)reader_custom_error(reader, &at, "invalid kind of attribute specified");
    return NULL;
}

static bool read_own_sharding(Reader *reader, const Draft *draft) {
    if (reader->token.kind == TOKEN_HASH) {
        return push_attr(
            reader, op_own_sharding_text(draft->code), read_full_attr(reader, ATTR_SHARDING));
    }
    const Sharding *sharding = read_sharding(reader);
    return sharding &&
           push_attr(
               reader, op_own_sharding_text(draft->code), attr_sharding(reader->context, sharding));
}

static bool read_reduction_word(Reader *reader, AttrName name) {
    int value;
    if (reader->token.kind != TOKEN_WORD ||
        !enum_from_keyword(ENUM_SDY_REDUCTION, reader->token.text, &value))
        return true;
    reader_advance(reader);
    if (value != SDY_REDUCTION_sum)
        draft_attr(reader, name, attr_enum(reader->context, ENUM_SDY_REDUCTION, value));
    return true;
}

static bool read_symbol_name(Reader *reader) {
    StrView name;
    if (!read_symbol(reader, &name)) return false;
    draft_attr(reader, NAME_SYM_NAME, attr_string(reader->context, name));
    return true;
}

static bool read_angle_string(Reader *reader, AttrName name) {
    StrView text;
    if (!expect_punctuation(reader, '<') || !read_string(reader, &text)) return false;
    draft_attr(reader, name, attr_string(reader->context, text));
    return expect_punctuation(reader, '>');
}

bool read_sdy_step(Reader *reader, Draft *draft, const AsmStep *step) {
    if (step->kind == STEP_OWN_SHARDING) return read_own_sharding(reader, draft);
    if (step->kind == STEP_OPTIONAL_OWN_SHARDING) {
        if (!accept_word(reader, "sharding")) return true;
        return expect_punctuation(reader, '=') && read_own_sharding(reader, draft);
    }
    if (step->kind == STEP_SYMBOL_NAME) return read_symbol_name(reader);
    if (step->kind == STEP_ANGLE_STRING) return read_angle_string(reader, step->name);
    if (step->kind == STEP_BODY) {
        if (!at_punctuation(reader, '(')) return expect_punctuation(reader, '(');
        return read_region_with_args(reader);
    }
    if (step->kind == STEP_REDUCTION) return read_reduction_word(reader, step->name);
    const Attr *value = NULL;
    if (step->kind == STEP_SHARDINGS) value = read_sharding_list(reader);
    if (step->kind == STEP_AXES) value = read_axes(reader);
    if (step->kind == STEP_AXES_PER_DIM) value = read_axes_per_dim(reader);
    if (step->kind == STEP_ALL_TO_ALL) value = read_all_to_all(reader);
    if (step->kind == STEP_MESH && reader->token.kind == TOKEN_HASH) {
        value = read_full_attr(reader, ATTR_MESH);
    } else if (step->kind == STEP_MESH) {
        const Mesh *mesh = read_mesh(reader);
        if (mesh) value = attr_intern(reader->context, &(Attr){.kind = ATTR_MESH, .mesh = mesh});
    }
    return push_attr(reader, op_attr_text(draft->code, step->name), value);
}
