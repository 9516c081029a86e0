// gspmd_proto: shardings as a serialized OpSharding, which older writers put into mhlo.sharding. The fields are numbered as in XLA's
// xla_data.proto.
#include "frontend/bytecode/byte_stream.h"
#include "frontend/import/gspmd_reader.h"

enum OpShardingField {
    FIELD_TYPE = 1,
    FIELD_DIMS = 3,
    FIELD_DEVICES = 4,
    FIELD_PARTS = 5,
    FIELD_REPLICATES_LAST = 6,
    FIELD_LAST_TILE_DIMS = 8,
    FIELD_IOTA_DIMS = 9,
    FIELD_IOTA_PERMUTATION = 10,
    FIELD_NAMED = 14,
    FIELD_LAST = 16 // what is beyond is no OpSharding
};

typedef struct ProtoSharding {
    int64_t type;
    bool replicates_last;
    GspmdNumbers dims, devices, groups, iota_dims, iota_permutation;
    VEC(StrView) parts;
} ProtoSharding;

typedef struct ProtoField {
    int number, wire;
    int64_t value; // of wire type 0
    StrView bytes; // of wire type 2
} ProtoField;

static uint64_t read_base128(ByteStream *stream) {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        unsigned char byte = stream_byte(stream);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return number;
    }
    stream->failed = true;
    return 0;
}

static bool read_field(ByteStream *stream, ProtoField *field) {
    uint64_t key = read_base128(stream);
    *field = (ProtoField){.number = key >> 3 > FIELD_LAST ? 0 : (int)(key >> 3), .wire = key & 7};
    switch (field->wire) {
    case 0: field->value = (int64_t)read_base128(stream); break;
    case 1: stream_bytes(stream, 8); break;
    case 2: field->bytes = stream_bytes(stream, read_base128(stream)); break;
    case 5: stream_bytes(stream, 4); break;
    default: return false;
    }
    return !stream->failed && field->number > 0;
}

static bool push_number(GspmdReader *reader, GspmdNumbers *numbers, int64_t number) {
    if (numbers->count == GSPMD_MAX_DEVICES) return gspmd_fail(reader, "too many numbers");
    vec_push(reader->arena, numbers, number);
    return true;
}

// A repeated number: one, or packed many.
static bool push_numbers(GspmdReader *reader, const ProtoField *field, GspmdNumbers *numbers) {
    if (field->wire == 0) return push_number(reader, numbers, field->value);
    ByteStream packed = byte_stream(field->bytes);
    while (!stream_at_end(&packed) && !packed.failed) {
        if (!push_number(reader, numbers, (int64_t)read_base128(&packed))) return false;
    }
    return !packed.failed;
}

static bool read_fields(GspmdReader *reader, StrView bytes, ProtoSharding *proto) {
    ByteStream stream = byte_stream(bytes);
    while (!stream_at_end(&stream)) {
        ProtoField field;
        if (!read_field(&stream, &field)) return false;
        GspmdNumbers *numbers = NULL;
        switch (field.number) {
        case FIELD_TYPE: proto->type = field.value; break;
        case FIELD_DIMS: numbers = &proto->dims; break;
        case FIELD_DEVICES: numbers = &proto->devices; break;
        case FIELD_PARTS: vec_push(reader->arena, &proto->parts, field.bytes); break;
        case FIELD_REPLICATES_LAST: proto->replicates_last = field.value != 0; break;
        case FIELD_LAST_TILE_DIMS: numbers = &proto->groups; break;
        case FIELD_IOTA_DIMS: numbers = &proto->iota_dims; break;
        case FIELD_IOTA_PERMUTATION: numbers = &proto->iota_permutation; break;
        case FIELD_NAMED:
            return gspmd_fail(
                reader,
                "a serialized sharding by names of axes is not supported: write it as text");
        default: break; // metadata, shard groups, the tile's shape
        }
        if (numbers && !push_numbers(reader, &field, numbers)) return false;
    }
    return true;
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
    } else if (!gspmd_set_device_list(reader, &proto->devices, sharding)) {
        return false;
    }
    gspmd_simplify(sharding);
    return true;
}

static bool read_message(
    GspmdReader *reader, StrView bytes, GspmdSharding *sharding, StrView **parts, int *part_count) {
    ProtoSharding proto = {0};
    *sharding = (GspmdSharding){.device = -1};
    if (!read_fields(reader, bytes, &proto)) return false;
    if (proto.type < 0 || proto.type >= KIND_COUNT)
        return gspmd_fail(reader, "unknown type of sharding");
    sharding->kind = kinds[proto.type];
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

bool gspmd_read_proto(GspmdReader *reader, GspmdSharding *sharding) {
    StrView bytes = {reader->next, (size_t)(reader->end - reader->next)};
    StrView *parts;
    int count, ignored;
    bool ok = read_message(reader, bytes, sharding, &parts, &count);
    if (ok && sharding->kind == GSPMD_TUPLE) {
        GspmdSharding *read = ARENA_ARRAY(reader->arena, GspmdSharding, count);
        for (int i = 0; i < count && ok; i++) {
            StrView *inner;
            ok = read_message(reader, parts[i], &read[i], &inner, &ignored) &&
                 read[i].kind != GSPMD_TUPLE;
        }
        sharding->parts = read;
        sharding->part_count = count;
    }
    return ok || gspmd_fail(reader, "expected '{'");
}
