// gspmd_print: GSPMD's shardings as text.
#include "frontend/gspmd/gspmd_digits.h"

static const char *kind_word(GspmdKind kind) {
    switch (kind) {
    case GSPMD_MANUAL: return "manual";
    case GSPMD_UNREDUCED: return "unreduced";
    case GSPMD_UNKNOWN: return "unknown";
    case GSPMD_REPLICATED:
    case GSPMD_PINNED: break;
    case GSPMD_MAXIMAL:
    case GSPMD_TILED:
    case GSPMD_TUPLE: return NULL;
    }
    return "replicated";
}

static bool is_replicated(GspmdKind kind) {
    return kind == GSPMD_REPLICATED || kind == GSPMD_PINNED;
}

// [2,1,4], groups of one device left out
static void print_dims(StrBuf *out, const GspmdSharding *sharding) {
    int first = sharding->dim_count - sharding->group_count;
    strbuf_puts(out, "devices=[");
    for (int d = 0, count = 0; d < sharding->dim_count; d++) {
        if (d >= first && sharding->dims[d] == 1) continue;
        strbuf_printf(out, "%s%lld", count++ ? "," : "", (long long)sharding->dims[d]);
    }
    strbuf_putc(out, ']');
}

static void print_groups(StrBuf *out, const GspmdSharding *sharding) {
    int first = sharding->dim_count - sharding->group_count;
    int count = 0;
    GspmdKind only = GSPMD_REPLICATED;
    for (int i = 0; i < sharding->group_count; i++) {
        if (sharding->dims[first + i] == 1) continue;
        only = sharding->groups[i];
        count++;
    }
    if (count == 0) return;
    if (count == 1 && is_replicated(only)) {
        strbuf_puts(out, " last_tile_dim_replicate");
        return;
    }
    strbuf_puts(out, " last_tile_dims={");
    for (int i = 0, written = 0; i < sharding->group_count; i++) {
        if (sharding->dims[first + i] == 1) continue;
        strbuf_printf(out, "%s%s", written++ ? ", " : "", kind_word(sharding->groups[i]));
    }
    strbuf_putc(out, '}');
}

// ---- device lists ----

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The size of the last dimension when it is the only group, and replicated: its devices
// stand in any order. 1 otherwise.
static int64_t free_group(const GspmdSharding *sharding) {
    int first = sharding->dim_count - sharding->group_count;
    int64_t size = 1;
    for (int i = 0; i < sharding->group_count; i++) {
        int64_t here = sharding->dims[first + i];
        if (here == 1) continue;
        if (size > 1 || !is_replicated(sharding->groups[i])) return 1;
        size = here;
    }
    return size;
}

const int64_t *gspmd_sorted_devices(Arena *arena, const GspmdSharding *sharding) {
    int64_t size = free_group(sharding);
    if (size == 1) return sharding->devices;
    int64_t *ids =
        arena_copy(arena, sharding->devices, (size_t)sharding->device_count * sizeof *ids);
    for (int64_t i = 0; i < sharding->device_count; i += size)
        qsort(ids + i, (size_t)size, sizeof *ids, compare_ids);
    return ids;
}

static void print_list(StrBuf *out, const GspmdSharding *sharding) {
    const int64_t *ids = gspmd_sorted_devices(out->arena, sharding);
    for (int64_t i = 0; i < sharding->device_count; i++)
        strbuf_printf(out, "%s%lld", i ? "," : "", (long long)ids[i]);
}

// ---- iota ----

// <=[2,4]T(1,0): the digits of a place in the list, the slowest first, are the dimensions
// of the iota by falling weight.
static bool print_iota(StrBuf *out, int64_t count, const int64_t *devices) {
    GspmdDigits digits;
    if (!gspmd_find_digits(count, devices, &digits)) return false;
    int order[GSPMD_MAX_DIGITS]; // digits by falling weight
    for (int i = 0; i < digits.count; i++) {
        int at = i;
        for (; at > 0 && digits.digits[order[at - 1]].weight < digits.digits[i].weight; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    int64_t weight = 1;
    for (int i = digits.count - 1; i >= 0; i--) {
        if (digits.digits[order[i]].weight != weight) return false;
        weight *= digits.digits[order[i]].size;
    }
    if (weight != count) return false;
    strbuf_puts(out, "<=[");
    for (int i = 0; i < digits.count; i++)
        strbuf_printf(out, "%s%lld", i ? "," : "", (long long)digits.digits[order[i]].size);
    strbuf_puts(out, digits.count == 0 ? "1]" : "]");
    if (digits.count < 2) return true;
    for (int d = digits.count - 1; d >= 0; d--) { // strides ascend
        int place = 0;
        while (order[place] != d)
            place++;
        strbuf_printf(out, "%s%d", d == digits.count - 1 ? "T(" : ",", place);
    }
    strbuf_putc(out, ')');
    return true;
}

static bool print_tiles(StrBuf *out, const GspmdSharding *sharding, GspmdForm form) {
    print_dims(out, sharding);
    if (form == GSPMD_V1) {
        print_list(out, sharding);
        return true;
    }
    return print_iota(out, sharding->device_count, sharding->devices);
}

// ---- shardings ----

bool gspmd_print(StrBuf *out, const GspmdSharding *sharding, GspmdForm form) {
    bool ok = true;
    strbuf_putc(out, '{');
    if (sharding->kind == GSPMD_TUPLE) {
        for (int i = 0; i < sharding->part_count && ok; i++) {
            if (i > 0) strbuf_puts(out, ", ");
            ok = gspmd_print(out, &sharding->parts[i], form);
        }
    } else if (sharding->kind == GSPMD_MAXIMAL) {
        strbuf_printf(out, "maximal device=%lld", (long long)sharding->device);
    } else if (sharding->kind == GSPMD_TILED) {
        ok = print_tiles(out, sharding, form);
        if (ok) print_groups(out, sharding);
    } else {
        strbuf_puts(out, kind_word(sharding->kind));
    }
    if (sharding->tie != GSPMD_FREE)
        strbuf_printf(
            out, " %s %lld", sharding->tie == GSPMD_SHARD_LIKE ? "shard_like" : "shard_as",
            (long long)sharding->tie_id);
    strbuf_putc(out, '}');
    return ok;
}

StrView gspmd_text(Arena *arena, const GspmdSharding *sharding) {
    if (sharding->named.size > 0) return sharding->named;
    StrBuf text = strbuf(arena);
    if (sharding->kind == GSPMD_TUPLE) { // each part has its own form
        strbuf_putc(&text, '{');
        for (int i = 0; i < sharding->part_count; i++) {
            if (i > 0) strbuf_puts(&text, ", ");
            strbuf_append(&text, gspmd_text(arena, &sharding->parts[i]));
        }
        strbuf_putc(&text, '}');
        return strbuf_view(&text);
    }
    if (gspmd_print(&text, sharding, GSPMD_V2)) return strbuf_view(&text);
    text = strbuf(arena);
    (void)gspmd_print(&text, sharding, GSPMD_V1);
    return strbuf_view(&text);
}
