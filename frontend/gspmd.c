// gspmd: the text of GSPMD's shardings.
#include "frontend/gspmd.h"

#include "base/checked.h"

typedef struct GspmdReader {
    Arena *arena;
    const char *next, *end; // the text that is left
    const char *problem;    // the first one
} GspmdReader;

static bool fail(GspmdReader *reader, const char *problem) {
    if (!reader->problem) reader->problem = problem;
    return false;
}

static bool accept(GspmdReader *reader, StrView text) {
    StrView rest = {reader->next, (size_t)(reader->end - reader->next)};
    if (!strview_starts_with(rest, text)) return false;
    reader->next += text.size;
    return true;
}

static void skip_blanks(GspmdReader *reader) {
    while (reader->next < reader->end && *reader->next == ' ')
        reader->next++;
}

static bool read_number(GspmdReader *reader, int64_t *number) {
    const char *start = reader->next;
    while (reader->next < reader->end && *reader->next >= '0' && *reader->next <= '9')
        reader->next++;
    StrView digits = {start, (size_t)(reader->next - start)};
    return (digits.size > 0 && strview_to_int64(digits, number)) ||
           fail(reader, "expected a number");
}

typedef VEC(int64_t) Numbers;

// n,n,... up to something else
static bool read_numbers(GspmdReader *reader, Numbers *numbers) {
    do {
        int64_t number;
        skip_blanks(reader);
        if (!read_number(reader, &number)) return false;
        if (numbers->count == GSPMD_MAX_DEVICES) return fail(reader, "too many numbers");
        vec_push(reader->arena, numbers, number);
    } while (accept(reader, SV(",")));
    return true;
}

// [n,n,...]: the product is at most GSPMD_MAX_DEVICES.
static bool read_dims(GspmdReader *reader, int *count, int64_t *dims, int64_t *product) {
    Numbers numbers = {0};
    if (!accept(reader, SV("["))) return fail(reader, "expected '['");
    if (!read_numbers(reader, &numbers)) return false;
    if (!accept(reader, SV("]"))) return fail(reader, "expected ']'");
    if (numbers.count > GSPMD_MAX_DIMS) return fail(reader, "too many dimensions");
    *count = (int)numbers.count;
    *product = 1;
    for (int i = 0; i < *count; i++) {
        dims[i] = numbers.data[i];
        if (dims[i] < 1) return fail(reader, "dimensions must be at least 1");
        if (!checked_mul(*product, dims[i], product) || *product > GSPMD_MAX_DEVICES)
            return fail(reader, "tilings of more than 65536 devices are not supported");
    }
    return true;
}

static bool is_permutation(Arena *arena, int64_t count, const int64_t *numbers) {
    bool *seen = ARENA_ARRAY(arena, bool, count);
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] < 0 || numbers[i] >= count || seen[numbers[i]]) return false;
        seen[numbers[i]] = true;
    }
    return true;
}

// <=[reshape]T(permutation): iota over `reshape`, transposed, in row-major order.
static bool read_iota(GspmdReader *reader, GspmdSharding *sharding) {
    int64_t reshape[GSPMD_MAX_DIMS], strides[GSPMD_MAX_DIMS], product;
    int count;
    if (!read_dims(reader, &count, reshape, &product)) return false;
    if (product != sharding->device_count)
        return fail(reader, "the iota has another number of devices than the tiles");
    Numbers permutation = {0};
    if (accept(reader, SV("T("))) {
        if (!read_numbers(reader, &permutation)) return false;
        if (!accept(reader, SV(")"))) return fail(reader, "expected ')'");
        if (count < 2 || permutation.count != count ||
            !is_permutation(reader->arena, count, permutation.data))
            return fail(reader, "T(..) must be a permutation of the iota's dimensions");
    }
    int64_t stride = 1;
    for (int i = count - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= reshape[i];
    }
    int64_t *devices = ARENA_ARRAY(reader->arena, int64_t, product);
    for (int64_t p = 0; p < product; p++) {
        int64_t rest = p;
        for (int i = count - 1; i >= 0; i--) {
            int64_t d = permutation.count ? permutation.data[i] : i;
            devices[p] += rest % reshape[d] * strides[d];
            rest /= reshape[d];
        }
    }
    sharding->devices = devices;
    return true;
}

static bool read_device_list(GspmdReader *reader, GspmdSharding *sharding) {
    Numbers devices = {0};
    if (!read_numbers(reader, &devices)) return false;
    if (devices.count != sharding->device_count)
        return fail(reader, "the list has another number of devices than the tiles");
    if (devices.count == 1)
        return fail(reader, "a tiling of one device is written {maximal device=..}");
    if (!is_permutation(reader->arena, devices.count, devices.data))
        return fail(reader, "the list is no permutation of the devices");
    sharding->devices = devices.data;
    return true;
}

static bool read_tiles(GspmdReader *reader, GspmdSharding *sharding) {
    if (sharding->devices) return fail(reader, "devices are given twice");
    sharding->kind = GSPMD_TILED;
    if (!read_dims(reader, &sharding->dim_count, sharding->dims, &sharding->device_count))
        return false;
    if (accept(reader, SV("<="))) return read_iota(reader, sharding);
    return read_device_list(reader, sharding);
}

static bool read_kind(GspmdReader *reader, GspmdKind *kind) {
    static const struct {
        const char *word;
        GspmdKind kind;
    } kinds[] = {
        {"replicated", GSPMD_REPLICATED},
        {"manual", GSPMD_MANUAL},
        {"unreduced", GSPMD_UNREDUCED},
        {"unknown", GSPMD_UNKNOWN},
        {"maximal", GSPMD_MAXIMAL}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        *kind = kinds[i].kind;
        if (accept(reader, strview(kinds[i].word))) return true;
    }
    return false;
}

// last_tile_dims={manual, replicated}
static bool read_groups(GspmdReader *reader, GspmdSharding *sharding) {
    if (sharding->group_count > 0) return fail(reader, "groups of devices are given twice");
    do {
        skip_blanks(reader);
        GspmdKind kind;
        if (!read_kind(reader, &kind) || kind == GSPMD_UNKNOWN || kind == GSPMD_MAXIMAL)
            return fail(reader, "expected 'replicated', 'manual' or 'unreduced'");
        if (sharding->group_count == GSPMD_MAX_DIMS) return fail(reader, "too many groups");
        sharding->groups[sharding->group_count++] = kind;
    } while (accept(reader, SV(",")));
    return accept(reader, SV("}")) || fail(reader, "expected '}'");
}

// metadata={..}: nothing that counts here.
static bool skip_metadata(GspmdReader *reader) {
    int depth = 1;
    bool quoted = false;
    for (; reader->next < reader->end && depth > 0; reader->next++) {
        char c = *reader->next;
        if (c == '"') quoted = !quoted;
        if (!quoted && c == '{') depth++;
        if (!quoted && c == '}') depth--;
    }
    return depth == 0 || fail(reader, "metadata does not end");
}

static bool read_word(GspmdReader *reader, GspmdSharding *sharding, bool *has_kind) {
    int64_t ignored;
    if (accept(reader, SV("devices="))) {
        *has_kind = true;
        return read_tiles(reader, sharding);
    }
    if (accept(reader, SV("device="))) return read_number(reader, &sharding->device);
    if (accept(reader, SV("last_tile_dim_replicate"))) {
        if (sharding->group_count > 0) return fail(reader, "groups of devices are given twice");
        sharding->groups[sharding->group_count++] = GSPMD_REPLICATED;
        return true;
    }
    if (accept(reader, SV("last_tile_dims={"))) return read_groups(reader, sharding);
    if (accept(reader, SV("metadata={"))) return skip_metadata(reader);
    if (accept(reader, SV("shard_like ")) || accept(reader, SV("shard_as ")))
        return read_number(reader, &ignored);
    if (*has_kind || !read_kind(reader, &sharding->kind))
        return fail(reader, "unexpected text in a sharding");
    *has_kind = true;
    return true;
}

// Where nothing is tiled the groups alone say how all devices have the tensor.
static void simplify_tiles(GspmdSharding *sharding) {
    for (int i = 0; i < sharding->dim_count - sharding->group_count; i++) {
        if (sharding->dims[i] > 1) return;
    }
    GspmdKind kind = GSPMD_REPLICATED;
    bool seen = false;
    for (int i = 0; i < sharding->group_count; i++) {
        if (sharding->dims[sharding->dim_count - sharding->group_count + i] == 1) continue;
        if (seen && sharding->groups[i] != kind) return;
        kind = sharding->groups[i];
        seen = true;
    }
    sharding->kind = kind;
}

static bool check_sharding(GspmdReader *reader, GspmdSharding *sharding, bool has_kind) {
    if (!has_kind) return fail(reader, "expected a kind of sharding");
    if (sharding->kind == GSPMD_MAXIMAL && sharding->device < 0)
        return fail(reader, "'maximal' needs device=");
    if (sharding->kind != GSPMD_MAXIMAL && sharding->device >= 0)
        return fail(reader, "device= needs 'maximal'");
    if (sharding->kind != GSPMD_TILED)
        return sharding->group_count == 0 || fail(reader, "groups need devices=");
    if (sharding->group_count > sharding->dim_count)
        return fail(reader, "more groups than dimensions");
    simplify_tiles(sharding);
    return true;
}

// One sharding behind its '{'.
static bool read_one(GspmdReader *reader, GspmdSharding *sharding) {
    *sharding = (GspmdSharding){.device = -1};
    bool has_kind = false;
    do {
        skip_blanks(reader);
        if (!read_word(reader, sharding, &has_kind)) return false;
        skip_blanks(reader);
        if (reader->next == reader->end) return fail(reader, "expected '}'");
    } while (!accept(reader, SV("}")));
    return check_sharding(reader, sharding, has_kind);
}

static bool read_tuple(GspmdReader *reader, GspmdSharding *sharding) {
    VEC(GspmdSharding) parts = {0};
    *sharding = (GspmdSharding){.kind = GSPMD_TUPLE, .device = -1};
    if (accept(reader, SV("}"))) return true;
    do {
        GspmdSharding part;
        skip_blanks(reader);
        if (!accept(reader, SV("{"))) return fail(reader, "expected '{'");
        if (!read_one(reader, &part)) return false;
        vec_push(reader->arena, &parts, part);
    } while (accept(reader, SV(",")));
    sharding->part_count = (int)parts.count;
    sharding->parts = parts.data;
    return accept(reader, SV("}")) || fail(reader, "expected '}'");
}

bool gspmd_parse(Arena *arena, StrView text, GspmdSharding *sharding, const char **problem) {
    GspmdReader reader = {arena, text.data, text.data + text.size, NULL};
    bool ok = accept(&reader, SV("{")) || fail(&reader, "expected '{'");
    if (ok) {
        bool tuple = reader.next < reader.end && (*reader.next == '{' || *reader.next == '}');
        ok = tuple ? read_tuple(&reader, sharding) : read_one(&reader, sharding);
    }
    if (ok && reader.next != reader.end) ok = fail(&reader, "unexpected text behind the sharding");
    *problem = reader.problem;
    return ok;
}
