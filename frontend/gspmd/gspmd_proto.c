// gspmd_proto: shardings as a serialized OpSharding: in HLO's protobufs, and in mhlo.sharding as
// older writers left it. The fields are numbered as in XLA's xla_data.proto.
#include "frontend/gspmd/gspmd_digits.h"
#include "frontend/gspmd/gspmd_reader.h"
#include "frontend/protobuf/protobuf.h"

enum OpShardingField {
    FIELD_TYPE = 1,
    FIELD_DIMS = 3,
    FIELD_DEVICES = 4,
    FIELD_PARTS = 5,
    FIELD_REPLICATES_LAST = 6,
    FIELD_LAST_TILE_DIMS = 8,
    FIELD_IOTA_DIMS = 9,
    FIELD_IOTA_PERMUTATION = 10,
    FIELD_IS_TIED = 11,
    FIELD_TIE_ID = 12,
    FIELD_TIE_KIND = 13,
    FIELD_NAMED = 14,
    FIELD_LAST = 16 // what is beyond is no OpSharding
};

typedef struct ProtoSharding {
    int64_t type, tie_id, tie_kind;
    bool replicates_last, is_tied;
    GspmdNumbers dims, devices, groups, iota_dims, iota_permutation;
    VEC(StrView) parts;
    StrView named;
} ProtoSharding;

// A repeated number: one, or packed many.
static bool push_numbers(GspmdReader *reader, const ProtoField *field, GspmdNumbers *numbers) {
    ProtoInts ints = {0};
    if (!proto_push_ints(reader->arena, field, &ints)) return false;
    if (numbers->count + ints.count > GSPMD_MAX_DEVICES)
        return gspmd_fail(reader, "too many numbers");
    for (int64_t i = 0; i < ints.count; i++)
        vec_push(reader->arena, numbers, ints.data[i]);
    return true;
}

static bool read_fields(GspmdReader *reader, StrView bytes, ProtoSharding *proto) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        GspmdNumbers *numbers = NULL;
        if (field.number > FIELD_LAST) return false;
        switch (field.number) {
        case FIELD_TYPE: proto->type = (int64_t)field.value; break;
        case FIELD_DIMS: numbers = &proto->dims; break;
        case FIELD_DEVICES: numbers = &proto->devices; break;
        case FIELD_PARTS: vec_push(reader->arena, &proto->parts, field.bytes); break;
        case FIELD_REPLICATES_LAST: proto->replicates_last = field.value != 0; break;
        case FIELD_LAST_TILE_DIMS: numbers = &proto->groups; break;
        case FIELD_IOTA_DIMS: numbers = &proto->iota_dims; break;
        case FIELD_IOTA_PERMUTATION: numbers = &proto->iota_permutation; break;
        case FIELD_IS_TIED: proto->is_tied = field.value != 0; break;
        case FIELD_TIE_ID: proto->tie_id = (int64_t)field.value; break;
        case FIELD_TIE_KIND: proto->tie_kind = (int64_t)field.value; break;
        case FIELD_NAMED: proto->named = field.bytes; break;
        default: break; // metadata, the tile's shape
        }
        if (numbers && !push_numbers(reader, &field, numbers)) return false;
    }
    return !message.failed;
}

static const GspmdKind kinds[] = {GSPMD_REPLICATED, GSPMD_MAXIMAL, GSPMD_TUPLE,    GSPMD_TILED,
                                  GSPMD_MANUAL,     GSPMD_UNKNOWN, GSPMD_UNREDUCED};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static bool set_tiles(GspmdReader *reader, ProtoSharding *proto, GspmdSharding *sharding) {
    if (proto->replicates_last) vec_push(reader->arena, &proto->groups, 0);
    if (proto->dims.count == 0 || proto->dims.count > GSPMD_MAX_DIMS ||
        proto->iota_dims.count > GSPMD_MAX_DIMS)
        return gspmd_fail(reader, "wrong number of dimensions");
    if (proto->groups.count > proto->dims.count)
        return gspmd_fail(reader, "more groups than dimensions");
    sharding->dim_count = (int)proto->dims.count;
    memcpy(sharding->dims, proto->dims.data, (size_t)sharding->dim_count * sizeof(int64_t));
    for (int64_t i = 0; i < proto->groups.count; i++) {
        int64_t type = proto->groups.data[i];
        GspmdKind kind = type >= 0 && type < KIND_COUNT ? kinds[type] : GSPMD_UNKNOWN;
        if (kind != GSPMD_REPLICATED && kind != GSPMD_MANUAL && kind != GSPMD_UNREDUCED)
            return gspmd_fail(reader, "expected 'replicated', 'manual' or 'unreduced'");
        sharding->groups[sharding->group_count++] = kind;
    }
    if (!gspmd_check_dims(reader, sharding->dim_count, sharding->dims, &sharding->device_count))
        return false;
    if (proto->iota_dims.count > 0) {
        sharding->devices = gspmd_iota(
            reader, sharding->device_count, (int)proto->iota_dims.count, proto->iota_dims.data,
            &proto->iota_permutation);
        if (!sharding->devices) return false;
    } else if (gspmd_set_device_list(reader, &proto->devices, sharding)) {
        sharding->devices = gspmd_sorted_devices(reader->arena, sharding);
    } else {
        return false;
    }
    gspmd_simplify(sharding);
    return true;
}

// ---- by names of axes: NamedShardingProto, written as text and read as that ----

enum { MAX_NAMED = 1 << 12 }; // axes in a sharding

typedef struct NamedText {
    GspmdReader *reader;
    StrBuf text;
    VEC(StrView) axes; // names
    int refs;
} NamedText;

static bool quote_name(NamedText *named, StrView name) {
    if (memchr(name.data, '\'', name.size) || memchr(name.data, '\\', name.size))
        return gspmd_fail(named->reader, "an axis' name has a quote in it");
    strbuf_printf(&named->text, "'%.*s'", SV_ARG(name));
    return true;
}

// The name and size of an axis, or the numbers 1 and 2 of a part of one.
static bool read_pair(StrView bytes, StrView *name, int64_t *first, int64_t *second) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        if (field.number == 1) *name = field.bytes;
        if (field.number == 1) *first = (int64_t)field.value;
        if (field.number == 2) *second = (int64_t)field.value;
    }
    return !message.failed;
}

static bool write_mesh(NamedText *named, StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    GspmdNumbers ids = {0};
    strbuf_puts(&named->text, "{mesh[");
    while (proto_next(&message, &field)) {
        StrView name = SV("");
        int64_t ignored, size = 0;
        if (field.number == 2 && !push_numbers(named->reader, &field, &ids)) return false;
        if (field.number != 1) continue;
        if (!read_pair(field.bytes, &name, &ignored, &size)) return false;
        if (named->axes.count > 0) strbuf_putc(&named->text, ',');
        if (named->axes.count == MAX_NAMED) return gspmd_fail(named->reader, "too many axes");
        vec_push(named->reader->arena, &named->axes, name);
        if (!quote_name(named, name)) return false;
        strbuf_printf(&named->text, "=%lld", (long long)size);
    }
    strbuf_puts(&named->text, "]");
    for (int64_t i = 0; i < ids.count; i++)
        strbuf_printf(&named->text, "%s%lld", i ? "," : ", device_ids=(", (long long)ids.data[i]);
    strbuf_puts(&named->text, ids.count ? ")" : "");
    return !message.failed;
}

static bool write_ref(NamedText *named, StrView bytes, bool is_first) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    int64_t axis = 0, before = 0, size = 0;
    while (proto_next(&message, &field)) {
        StrView ignored;
        if (field.number == 1) axis = (int64_t)field.value;
        if (field.number == 2 && !read_pair(field.bytes, &ignored, &before, &size)) return false;
    }
    if (message.failed) return false;
    if (axis < 0 || axis >= named->axes.count)
        return gspmd_fail(named->reader, "names an axis that the mesh does not have");
    if (named->refs++ == MAX_NAMED) return gspmd_fail(named->reader, "too many axes");
    strbuf_puts(&named->text, is_first ? "" : ", ");
    if (!quote_name(named, named->axes.data[axis])) return false;
    if (size != 0) strbuf_printf(&named->text, ":(%lld)%lld", (long long)before, (long long)size);
    return true;
}

// DimensionSharding: {'x', 'y', ?}
static bool write_dim(NamedText *named, StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    bool is_closed = false, is_first = true;
    strbuf_putc(&named->text, '{');
    while (proto_next(&message, &field)) {
        if (field.number == 2) is_closed = field.value != 0;
        if (field.number != 1) continue;
        if (!write_ref(named, field.bytes, is_first)) return false;
        is_first = false;
    }
    if (!is_closed) strbuf_puts(&named->text, is_first ? "?" : ", ?");
    strbuf_putc(&named->text, '}');
    return !message.failed;
}

// All fields of one number, as dimensions or as axes.
static bool write_list(
    NamedText *named, StrView bytes, int number, bool is_dims, const char *open, const char *close,
    bool is_optional) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    bool is_first = true;
    while (proto_next(&message, &field)) {
        if (field.number != number) continue;
        if (is_first) strbuf_puts(&named->text, open);
        if (is_dims && !is_first) strbuf_puts(&named->text, ", ");
        if (is_dims ? !write_dim(named, field.bytes) : !write_ref(named, field.bytes, is_first))
            return false;
        is_first = false;
    }
    if (is_first && !is_optional) strbuf_puts(&named->text, open);
    if (!is_first || !is_optional) strbuf_puts(&named->text, close);
    return !message.failed;
}

static bool read_named(GspmdReader *reader, StrView bytes, GspmdSharding *sharding) {
    enum { FIELD_MESH = 2, FIELD_DIM = 3, FIELD_REPLICATED = 4, FIELD_UNREDUCED = 5 };
    NamedText named = {.reader = reader, .text = strbuf(reader->arena)};
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    StrView mesh = SV("");
    while (proto_next(&message, &field)) {
        if (field.number == 1)
            return gspmd_fail(reader, "a tuple by names of axes is not supported");
        if (field.number == FIELD_MESH) mesh = field.bytes;
    }
    if (message.failed || !write_mesh(&named, mesh)) return false;
    if (!write_list(&named, bytes, FIELD_DIM, true, ", [", "]", false) ||
        !write_list(&named, bytes, FIELD_REPLICATED, false, ", replicated={", "}", true) ||
        !write_list(&named, bytes, FIELD_UNREDUCED, false, ", unreduced={", "}", true))
        return false;
    strbuf_putc(&named.text, '}');
    return gspmd_parse_text(reader->arena, strbuf_view(&named.text), sharding, &reader->problem);
}

// ---- one sharding ----

static bool read_message(
    GspmdReader *reader, StrView bytes, GspmdSharding *sharding, StrView **parts, int *part_count) {
    ProtoSharding proto = {0};
    *sharding = (GspmdSharding){.device = -1};
    *part_count = 0;
    if (!read_fields(reader, bytes, &proto)) return false;
    if (proto.named.data) return read_named(reader, proto.named, sharding);
    if (proto.type < 0 || proto.type >= KIND_COUNT)
        return gspmd_fail(reader, "unknown type of sharding");
    sharding->kind = kinds[proto.type];
    if (proto.is_tied) {
        sharding->tie = proto.tie_kind == 1 ? GSPMD_SHARD_LIKE : GSPMD_SHARD_AS;
        sharding->tie_id = proto.tie_id;
    }
    *parts = proto.parts.data;
    *part_count = (int)proto.parts.count;
    if (sharding->kind == GSPMD_TILED) return set_tiles(reader, &proto, sharding);
    if (sharding->kind == GSPMD_MAXIMAL) {
        if (proto.devices.count != 1 || proto.devices.data[0] < 0)
            return gspmd_fail(reader, "'maximal' needs one device");
        sharding->device = proto.devices.data[0];
    }
    return true;
}

static bool read_proto(GspmdReader *reader, StrView bytes, GspmdSharding *sharding) {
    StrView *parts;
    int count, ignored;
    if (!read_message(reader, bytes, sharding, &parts, &count)) return false;
    if (sharding->kind != GSPMD_TUPLE || sharding->named.size > 0) return true;
    VEC(GspmdSharding) list = {0};
    for (int i = 0; i < count; i++) {
        GspmdSharding part;
        StrView *inner;
        if (!read_message(reader, parts[i], &part, &inner, &ignored) || part.kind == GSPMD_TUPLE)
            return false;
        vec_push(reader->arena, &list, part);
    }
    sharding->parts = list.data;
    sharding->part_count = (int)list.count;
    return true;
}

bool gspmd_decode(Arena *arena, StrView bytes, GspmdSharding *sharding, const char **problem) {
    GspmdReader reader = {arena, bytes.data, bytes.data + bytes.size, NULL};
    bool ok = read_proto(&reader, bytes, sharding) || gspmd_fail(&reader, "expected '{'");
    *problem = ok ? NULL : reader.problem;
    return ok;
}
