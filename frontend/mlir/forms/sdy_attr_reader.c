// sdy_attr_reader: Shardy's attributes: meshes, axes, shardings.
#include "base/checked.h"
#include "frontend/mlir/forms/sdy_attrs.h"

#include <stdio.h>

static const void *sdy_failed(bool ignored) {
    (void)ignored;
    return NULL;
}

typedef VEC(AxisRef) AxisVec;

// What an attribute adds to the error of its part; nothing where the part is right, but not
// supported.
static bool part_failed(Reader *reader, const char *message) {
    if (reader->diags->has_unsupported) return false;
    return reader_custom_error(reader, &reader->token, "%s", message);
}

// {"x", "y"}, pushed on axes
static bool read_axis_braces(Reader *reader, bool may_be_empty, AxisVec *axes) {
    if (!expect_punctuation(reader, '{')) return false;
    if (may_be_empty && accept_punctuation(reader, '}')) return true;
    do {
        AxisRef axis;
        if (!read_axis(reader, &axis)) {
            return part_failed(
                reader,
                "failed to parse axis list which is expected to be an `ArrayRef<AxisRefAttr>`");
        }
        vec_push(reader->scratch, axes, axis);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, '}');
}

static bool read_mesh_axes(Reader *reader, Mesh *mesh) {
    if (!expect_punctuation(reader, '[')) return false;
    if (accept_punctuation(reader, ']')) return true;
    do {
        MeshAxis axis;
        Token at = reader->token;
        if (!read_string(reader, &axis.name) || !expect_punctuation(reader, '=') ||
            !read_int64(reader, &axis.size)) {
            return false;
        }
        if (axis.size < 1) {
            (void)reader_custom_error(
                reader, &at, "axis size must be at least 1, got: %lld", (long long)axis.size);
            return reader_custom_error(
                reader, &at,
                "failed to parse Sdy_Mesh parameter 'axes' which is to be a "
                "`::llvm::ArrayRef<MeshAxisAttr>`");
        }
        if (mesh->axis_count == MAX_AXES) {
            return reader_unsupported(
                reader, &at, "meshes of more than %d axes are not supported", MAX_AXES);
        }
        mesh->axes[mesh->axis_count++] = axis;
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ']');
}

// Device ids are a permutation of 0 .. count-1.
static bool check_device_ids(Reader *reader, const Token *at, int64_t count, const int64_t *ids) {
    bool *seen = ARENA_ARRAY(reader->scratch, bool, count);
    bool is_permutation = true;
    for (int64_t i = 0; i < count; i++) {
        if (ids[i] >= count || seen[ids[i]])
            is_permutation = false;
        else
            seen[ids[i]] = true;
    }
    if (!is_permutation) {
        enum { SHOWN = 16 };
        StrBuf text = strbuf(reader->scratch);
        int64_t sorted[SHOWN];
        int shown = 0;
        for (int64_t i = 0; i < count && count <= SHOWN;
             i++) { // insertion sort of a short list, for the message
            int place = shown++;
            while (place > 0 && sorted[place - 1] > ids[i]) {
                sorted[place] = sorted[place - 1];
                place--;
            }
            sorted[place] = ids[i];
        }
        for (int i = 0; i < shown; i++)
            strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)sorted[i]);
        return reader_custom_error(
            reader, at, "sorted device ids must be iota(product(axes)), got: %s",
            strbuf_cstring(&text));
    }
    return true;
}

static bool check_mesh(Reader *reader, const Token *at, const Mesh *mesh) {
    for (int64_t i = 0; i < mesh->id_count; i++) {
        if (mesh->device_ids[i] < 0) {
            return reader_custom_error(
                reader, at, "device id must be non-negative, got: %lld",
                (long long)mesh->device_ids[i]);
        }
    }
    if (mesh->axis_count == 0) {
        if (mesh->id_count <= 1) return true;
        return reader_custom_error(
            reader, at, "axes is empty and device_ids has more than one element");
    }
    int64_t devices = 1;
    for (int i = 0; i < mesh->axis_count; i++) {
        for (int j = 0; j < i; j++) {
            if (mesh->axes[i].name.data == mesh->axes[j].name.data) {
                return reader_custom_error(
                    reader, at, "duplicate axis name: \"%.*s\"", SV_ARG(mesh->axes[i].name));
            }
        }
        if (!checked_mul(devices, mesh->axes[i].size, &devices)) {
            return reader_custom_error(reader, at, "the mesh has too many devices");
        }
    }
    if (mesh->id_count == 0) return true;
    if (devices != mesh->id_count) {
        return reader_custom_error(
            reader, at,
            "total product of axis sizes must match total number of device ids, got: "
            "%lld != %lld",
            (long long)devices, (long long)mesh->id_count);
    }
    return check_device_ids(reader, at, mesh->id_count, mesh->device_ids);
}

// Ids in the order of the mesh say nothing: they are left out.
static void drop_iota_ids(Mesh *mesh) {
    if (mesh->axis_count == 0) return;
    for (int64_t i = 0; i < mesh->id_count; i++) {
        if (mesh->device_ids[i] != i) return;
    }
    mesh->id_count = 0;
    mesh->device_ids = NULL;
}

const Mesh *read_mesh(Reader *reader) {
    Mesh *mesh = ARENA_NEW(reader->scratch, Mesh);
    Token at = reader->token;
    if (!expect_punctuation(reader, '<') || !read_mesh_axes(reader, mesh)) return NULL;
    int64_t base = reader->ints.count;
    if (accept_punctuation(reader, ',')) {
        bool ok = expect_word(reader, "device_ids") && expect_punctuation(reader, '=') &&
                  read_int_list(reader, '[', ']', false);
        if (!ok) return NULL;
        if (reader->ints.count == base)
            return sdy_failed(
                reader_custom_error(reader, &at, "expected integer value in device_ids"));
    }
    if (!expect_punctuation(reader, '>')) return NULL;
    IntSpan ids = ints_from(reader, base);
    reader->ints.count = base;
    mesh->id_count = ids.count;
    mesh->device_ids = ids.data;
    if (!check_mesh(reader, &at, mesh)) return NULL;
    drop_iota_ids(mesh);
    return mesh_intern(reader->context, mesh);
}

// p3 behind a dimension's braces
static bool read_priority(Reader *reader, DimSharding *dim) {
    Token at = reader->token;
    StrView digits = {at.text.data + 1, at.text.size - 1};
    bool shaped = at.text.data[0] == 'p' && digits.size > 0;
    for (size_t i = 0; shaped && i < digits.size; i++)
        shaped = digits.data[i] >= '0' && digits.data[i] <= '9';
    if (!shaped) {
        return reader_custom_error(
            reader, &at, "expecting priority in format 'p<number>', got: %.*s", SV_ARG(at.text));
    }
    if (digits.data[0] == '0' && digits.size > 1) {
        return reader_custom_error(
            reader, &at, "priorities with leading zeros are not allowed, got: %.*s",
            SV_ARG(at.text));
    }
    int64_t priority;
    if (!strview_to_int64(digits, &priority)) {
        return reader_custom_error(
            reader, &at, "expecting integer priority, got: %.*s", SV_ARG(at.text));
    }
    if (priority > INT32_MAX)
        return reader_unsupported(
            reader, &at, "priorities of more than %d are not supported", INT32_MAX);
    dim->priority = (int)priority;
    reader_advance(reader);
    return true;
}

// {"x", "y", ?}p1
static bool read_dim_sharding(Reader *reader, DimSharding *dim) {
    AxisVec axes = {0};
    *dim = (DimSharding){.priority = PRIORITY_NONE};
    if (!expect_punctuation(reader, '{')) return false;
    while (!accept_punctuation(reader, '}')) {
        if (axes.count > 0 && !expect_punctuation(reader, ',')) return false;
        if (accept_punctuation(reader, '?')) {
            dim->is_open = true;
            if (!expect_punctuation(reader, '}')) return false;
            break;
        }
        AxisRef axis;
        if (!read_axis(reader, &axis)) return false;
        vec_push(reader->scratch, &axes, axis);
    }
    dim->axes = axes.data;
    dim->axis_count = (int)axes.count;
    return reader->token.kind != TOKEN_WORD || read_priority(reader, dim);
}

static bool read_dim_shardings(Reader *reader, Sharding *sharding) {
    DimSharding *dims = ARENA_ARRAY(reader->scratch, DimSharding, MAX_RANK);
    sharding->dims = dims;
    if (!expect_punctuation(reader, '[')) return false;
    if (accept_punctuation(reader, ']')) return true;
    do {
        if (sharding->rank == MAX_RANK) {
            return reader_unsupported(
                reader, &reader->token, "shardings of more than %d dimensions are not supported",
                MAX_RANK);
        }
        if (!read_dim_sharding(reader, &dims[sharding->rank++])) {
            return part_failed(
                reader,
                "failed to parse Sdy_TensorSharding parameter "
                "'dim_shardings' which is to be a `::llvm::ArrayRef<DimensionShardingAttr>`");
        }
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ']');
}

// max, min or sum before the unreduced axes
static void read_reduction(Reader *reader, Sharding *sharding) {
    if (accept_word(reader, "max"))
        sharding->reduction = REDUCTION_MAX;
    else if (accept_word(reader, "min"))
        sharding->reduction = REDUCTION_MIN;
    else
        (void)accept_word(reader, "sum");
}

// , replicated={..}, unreduced={..} in any order, each once
static bool read_axis_lists(Reader *reader, Sharding *sharding) {
    while (accept_punctuation(reader, ',')) {
        AxisVec axes = {0};
        if (sharding->replicated_count == 0 && accept_word(reader, "replicated")) {
            if (!expect_punctuation(reader, '=') || !read_axis_braces(reader, false, &axes)) {
                return part_failed(
                    reader, "failed to parse Sdy_TensorSharding parameter 'replicated_axes'");
            }
            sharding->replicated = axes.data;
            sharding->replicated_count = (int)axes.count;
        } else if (sharding->unreduced_count == 0 && accept_word(reader, "unreduced")) {
            if (accept_punctuation(reader, '=')) read_reduction(reader, sharding);
            if (!read_axis_braces(reader, false, &axes)) {
                return part_failed(
                    reader, "failed to parse Sdy_TensorSharding parameter 'unreduced_axes'");
            }
            sharding->unreduced = axes.data;
            sharding->unreduced_count = (int)axes.count;
        } else {
            return reader_custom_error(
                reader, &reader->token,
                "failed to parse Sdy_TensorSharding, expected valid named axis list after comma");
        }
    }
    return true;
}

const Sharding *read_sharding(Reader *reader) {
    Sharding sharding = {0};
    if (!expect_punctuation(reader, '<')) return NULL;
    if (accept_word(reader, "mesh")) {
        sharding.mesh = read_mesh(reader);
        if (!sharding.mesh) return sdy_failed(part_failed(reader, "failed to parse MeshAttr"));
    } else if (!read_symbol(reader, &sharding.mesh_name)) {
        return NULL;
    }
    bool ok = expect_punctuation(reader, ',') && read_dim_shardings(reader, &sharding) &&
              read_axis_lists(reader, &sharding) && expect_punctuation(reader, '>');
    return ok ? sharding_intern(reader->context, &sharding) : NULL;
}

// One of a list: the prefix #sdy.sharding is usually left out; it may be an alias.
static const Sharding *read_list_sharding(Reader *reader) {
    if (reader->token.kind != TOKEN_HASH) return read_sharding(reader);
    Token at = reader->token;
    const Attr *attr = read_attr(reader);
    if (attr && attr->kind != ATTR_SHARDING)
        return sdy_failed(reader_custom_error(reader, &at, "expected a sharding"));
    return attr ? attr->sharding : NULL;
}

const Attr *read_sharding_list(Reader *reader) {
    VEC(const Sharding *) shardings = {0};
    if (!expect_punctuation(reader, '[')) return NULL;
    if (!accept_punctuation(reader, ']')) {
        do {
            const Sharding *sharding = read_list_sharding(reader);
            if (!sharding) return NULL;
            vec_push(reader->scratch, &shardings, sharding);
        } while (accept_punctuation(reader, ','));
        if (!expect_punctuation(reader, ']')) return NULL;
    }
    return attr_shardings(reader->context, (int)shardings.count, shardings.data);
}

const Attr *read_axes(Reader *reader) {
    AxisVec axes = {0};
    if (!read_axis_braces(reader, true, &axes)) return NULL;
    return attr_axes(reader->context, (int)axes.count, axes.data);
}

static bool read_axis_list(Reader *reader, bool may_be_empty, AxisList *list) {
    AxisVec axes = {0};
    Token at = reader->token;
    if (!read_axis_braces(reader, may_be_empty, &axes)) return false;
    if (axes.count > MAX_AXIS_REFS) {
        return reader_unsupported(
            reader, &at, "lists of more than %d axes are not supported", MAX_AXIS_REFS);
    }
    list->count = (int)axes.count;
    for (int i = 0; i < list->count; i++)
        list->axes[i] = axes.data[i];
    return true;
}

const Attr *read_axes_per_dim(Reader *reader) {
    AxisList *lists = ARENA_ARRAY(reader->scratch, AxisList, MAX_RANK);
    int count = 0;
    if (!expect_punctuation(reader, '[')) return NULL;
    while (!at_punctuation(reader, ']')) {
        if (count == MAX_RANK) {
            return sdy_failed(reader_unsupported(
                reader, &reader->token, "more than %d dimensions are not supported", MAX_RANK));
        }
        if (!read_axis_list(reader, true, &lists[count++])) return NULL;
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return NULL;
    return attr_axes_per_dim(reader->context, count, lists);
}

static int clamp_int(int64_t number) {
    return number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : (int)number;
}

const Attr *read_all_to_all(Reader *reader) {
    AllToAllParam *params = ARENA_ARRAY(reader->scratch, AllToAllParam, MAX_RANK);
    int count = 0;
    if (!expect_punctuation(reader, '[')) return NULL;
    while (!at_punctuation(reader, ']')) {
        if (count == MAX_RANK) {
            return sdy_failed(reader_unsupported(
                reader, &reader->token, "more than %d parameters are not supported", MAX_RANK));
        }
        int64_t source = 0;
        int64_t target = 0;
        AxisList *list = ARENA_NEW(reader->scratch, AxisList);
        bool ok = read_axis_list(reader, false, list) && expect_punctuation(reader, ':') &&
                  read_int64(reader, &source) && expect_arrow(reader) &&
                  read_int64(reader, &target);
        if (!ok) return NULL;
        params[count++] = (AllToAllParam){axis_span(list), clamp_int(source), clamp_int(target)};
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return NULL;
    return attr_intern(
        reader->context, &(Attr){.kind = ATTR_ALL_TO_ALL, .count = count, .all_to_all = params});
}

static const Attr *read_per_value(Reader *reader) {
    if (!expect_punctuation(reader, '<')) return NULL;
    const Attr *attr = read_sharding_list(reader);
    if (!attr) {
        return sdy_failed(part_failed(
            reader, "failed to parse Sdy_TensorShardingPerValue parameter "
                    "'shardings' which is to be a `::llvm::ArrayRef<TensorShardingAttr>`"));
    }
    return expect_punctuation(reader, '>') ? attr : NULL;
}

// Attributes that we know by name only.
static const Attr *read_sdy_text(Reader *reader, StrView name) {
    StrView body = {"", 0};
    if (at_punctuation(reader, '<') && !read_balanced(reader, &body)) return NULL;
    StrBuf text = strbuf(reader->scratch);
    strbuf_puts(&text, "#sdy.");
    strbuf_append(&text, name);
    strbuf_append(&text, body);
    return attr_intern(reader->context, &(Attr){.kind = ATTR_OPAQUE, .text = strbuf_view(&text)});
}

// reduction_op max
static const Attr *read_sdy_keyword(Reader *reader, EnumKind kind) {
    int value;
    if (reader->token.kind != TOKEN_WORD || !enum_from_keyword(kind, reader->token.text, &value)) {
        (void)reader_expected(reader, "a keyword of this attribute");
        return NULL;
    }
    reader_advance(reader);
    return attr_enum(reader->context, kind, value);
}

const Attr *read_sdy_attr(Reader *reader, StrView name) {
    EnumKind keywords;
    if (enum_kind_from_text(SV("sdy"), name, &keywords)) return read_sdy_keyword(reader, keywords);
    if (strview_is(name, "sharding")) {
        const Sharding *sharding = read_sharding(reader);
        return sharding ? attr_sharding(reader->context, sharding) : NULL;
    }
    if (strview_is(name, "mesh")) {
        const Mesh *mesh = read_mesh(reader);
        return mesh ? attr_intern(reader->context, &(Attr){.kind = ATTR_MESH, .mesh = mesh}) : NULL;
    }
    if (strview_is(name, "sharding_per_value")) return read_per_value(reader);
    if (strview_is(name, "op_sharding_rule")) return read_sharding_rule(reader);
    if (strview_is(name, "propagation_edges")) return read_propagation_edges(reader);
    bool is_list = strview_is(name, "manual_axes") || strview_is(name, "axis_ref_list");
    bool is_lists = strview_is(name, "list_of_axis_ref_lists");
    bool is_params = strview_is(name, "all_to_all_param_list");
    if (!is_list && !is_lists && !is_params) return read_sdy_text(reader, name);
    bool angle = accept_punctuation(reader, '<');
    const Attr *attr = is_list    ? read_axes(reader)
                       : is_lists ? read_axes_per_dim(reader)
                                  : read_all_to_all(reader);
    return attr && (!angle || expect_punctuation(reader, '>')) ? attr : NULL;
}
