// gspmd_text: the text of GSPMD's shardings.
#include "base/checked.h"
#include "frontend/gspmd/gspmd_digits.h"
#include "frontend/gspmd/gspmd_reader.h"

// The words of a sharding, in the order in which the first that is there decides.
static const struct {
    const char *word;
    GspmdKind kind;
} kinds[] = {
    {"replicated", GSPMD_REPLICATED},
    {"maximal", GSPMD_MAXIMAL},
    {"manual", GSPMD_MANUAL},
    {"unknown", GSPMD_UNKNOWN},
    {"unreduced", GSPMD_UNREDUCED}};
enum { KIND_WORDS = sizeof kinds / sizeof kinds[0] };

typedef struct Words {
    bool seen[KIND_WORDS];
    // devices=[..], with numbers; last_tile_dim_replicate
    bool has_tiles, has_list, replicates_last;
} Words;

static bool read_kind(GspmdReader *reader, int *word) {
    for (*word = 0; *word < KIND_WORDS; ++*word) {
        if (gspmd_accept_word(reader, strview(kinds[*word].word))) return true;
    }
    return false;
}

static bool read_tiles(GspmdReader *reader, Words *words, GspmdSharding *sharding) {
    if (words->has_tiles) return gspmd_fail(reader, "devices are given twice");
    words->has_tiles = true;
    if (!gspmd_read_dims(reader, &sharding->dim_count, sharding->dims, &sharding->device_count))
        return false;
    if (gspmd_accept(reader, SV("<="))) {
        sharding->devices = gspmd_read_iota(reader, sharding->device_count);
        return sharding->devices != NULL;
    }
    GspmdNumbers devices = {0};
    words->has_list = true;
    return gspmd_read_numbers(reader, &devices) &&
           gspmd_set_device_list(reader, &devices, sharding);
}

// last_tile_dims={manual, replicated}
static bool read_groups(GspmdReader *reader, GspmdSharding *sharding) {
    if (sharding->group_count > 0) return gspmd_fail(reader, "groups of devices are given twice");
    if (gspmd_accept(reader, SV("}"))) return true;
    do {
        int word;
        if (!read_kind(reader, &word) || kinds[word].kind == GSPMD_UNKNOWN ||
            kinds[word].kind == GSPMD_MAXIMAL)
            return gspmd_fail(reader, "expected 'replicated', 'manual' or 'unreduced'");
        if (sharding->group_count == GSPMD_MAX_DIMS) return gspmd_fail(reader, "too many groups");
        sharding->groups[sharding->group_count++] = kinds[word].kind;
    } while (gspmd_accept(reader, SV(",")));
    return gspmd_expect(reader, '}');
}

static bool read_word(GspmdReader *reader, Words *words, GspmdSharding *sharding) {
    int word;
    if (gspmd_accept(reader, SV("devices="))) return read_tiles(reader, words, sharding);
    if (gspmd_accept(reader, SV("device="))) return gspmd_read_number(reader, &sharding->device);
    if (gspmd_accept_word(reader, SV("last_tile_dim_replicate"))) {
        words->replicates_last = true;
        return true;
    }
    if (gspmd_accept(reader, SV("last_tile_dims="))) {
        return gspmd_expect(reader, '{') && read_groups(reader, sharding);
    }
    if (gspmd_accept(reader, SV("metadata={"))) return gspmd_skip_metadata(reader);
    bool is_like = gspmd_accept_word(reader, SV("shard_like"));
    if (is_like || gspmd_accept_word(reader, SV("shard_as"))) {
        sharding->tie = is_like ? GSPMD_SHARD_LIKE : GSPMD_SHARD_AS;
        return gspmd_read_number(reader, &sharding->tie_id);
    }
    if (!read_kind(reader, &word)) {
        if (reader->next == reader->end) return gspmd_fail(reader, "expected '}'");
        return gspmd_fail(reader, "unexpected text in a sharding");
    }
    words->seen[word] = true;
    return true;
}

// What the words come to: a kind that is named wins over tiles.
static bool finish(GspmdReader *reader, const Words *words, GspmdSharding *sharding) {
    for (int i = 0; i < KIND_WORDS; i++) {
        if (!words->seen[i]) continue;
        bool has_devices = sharding->device >= 0 || words->has_list;
        int64_t device = sharding->device;
        *sharding = (GspmdSharding){
            .kind = kinds[i].kind,
            .tie = sharding->tie,
            .tie_id = sharding->tie_id,
            .device = device};
        if (kinds[i].kind == GSPMD_MAXIMAL)
            return (device >= 0 && !words->has_list) ||
                   gspmd_fail(reader, "'maximal' needs one device=");
        return !has_devices || gspmd_fail(reader, "devices need 'maximal' or tiles");
    }
    if (!words->has_tiles) return gspmd_fail(reader, "expected a kind of sharding");
    if (sharding->device >= 0) return gspmd_fail(reader, "device= needs 'maximal'");
    if (words->replicates_last) {
        if (sharding->group_count > 0)
            return gspmd_fail(reader, "groups of devices are given twice");
        sharding->groups[sharding->group_count++] = GSPMD_REPLICATED;
    }
    if (sharding->group_count > sharding->dim_count)
        return gspmd_fail(reader, "more groups than dimensions");
    sharding->kind = GSPMD_TILED;
    if (words->has_list) sharding->devices = gspmd_sorted_devices(reader->arena, sharding);
    gspmd_simplify(sharding);
    return true;
}

// One sharding behind its '{'.
static bool read_one(GspmdReader *reader, GspmdSharding *sharding) {
    Words words = {0};
    *sharding = (GspmdSharding){.device = -1};
    const char *start = reader->next;
    if (gspmd_accept(reader, SV("mesh["))) {
        if (!gspmd_read_named(reader, false, sharding)) return false;
        StrBuf text = strbuf(reader->arena);
        strbuf_putc(&text, '{');
        strbuf_append(&text, (StrView){start, (size_t)(reader->next - start)});
        sharding->named = strbuf_view(&text);
        return true;
    }
    if (gspmd_accept(reader, SV("maximal_mesh["))) return gspmd_read_named(reader, true, sharding);
    while (!gspmd_accept(reader, SV("}"))) {
        if (!read_word(reader, &words, sharding)) return false;
    }
    return finish(reader, &words, sharding);
}

static bool read_tuple(GspmdReader *reader, GspmdSharding *sharding) {
    VEC(GspmdSharding) parts = {0};
    *sharding = (GspmdSharding){.kind = GSPMD_TUPLE, .device = -1};
    if (gspmd_accept(reader, SV("}"))) return true;
    do {
        GspmdSharding part;
        if (!gspmd_expect(reader, '{') || !read_one(reader, &part)) return false;
        vec_push(reader->arena, &parts, part);
    } while (gspmd_accept(reader, SV(",")));
    sharding->part_count = (int)parts.count;
    sharding->parts = parts.data;
    return gspmd_expect(reader, '}');
}

static bool read_text(GspmdReader *reader, GspmdSharding *sharding) {
    if (!gspmd_expect(reader, '{')) return false;
    bool is_tuple = gspmd_looks_at(reader, SV("{")) || gspmd_looks_at(reader, SV("}"));
    if (is_tuple ? !read_tuple(reader, sharding) : !read_one(reader, sharding)) return false;
    gspmd_skip_blanks(reader);
    return reader->next == reader->end || gspmd_fail(reader, "unexpected text behind the sharding");
}

bool gspmd_parse_text(Arena *arena, StrView text, GspmdSharding *sharding, const char **problem) {
    GspmdReader reader = {arena, text.data, text.data + text.size, NULL};
    bool ok = read_text(&reader, sharding);
    *problem = reader.problem;
    return ok;
}
