// npz: see npz.h. The format is PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3; deflated entries need
// zlib.
#include "tools/npy/npz.h"

#include <string.h>
#ifdef SHARDC_HAS_ZLIB
#    include <zlib.h>
#endif

enum {
    END_SIZE = 22,      // of the record at the archive's end
    END64_LOCATOR = 20, // of what stands before it when sizes have 64 bits
    END64_SIZE = 56,
    ENTRY_SIZE = 46, // in the directory
    LOCAL_SIZE = 30, // before an entry's bytes
    MAX_COMMENT = 65535,
    DEFLATE_RATIO = 1032 // the most that deflate packs into a byte
};

static uint64_t number_at(const char *at, int bytes) {
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | (unsigned char)at[i];
    return number;
}

bool npz_is_archive(StrView file) {
    return strview_starts_with(file, SV("PK\x03\x04")) ||
           strview_starts_with(file, SV("PK\x05\x06"));
}

static bool is_inside(StrView file, uint64_t offset, uint64_t size) {
    return offset <= file.size && size <= file.size - offset;
}

// Where the directory is, and how many entries it has.
static bool find_directory(StrView file, uint64_t *offset, uint64_t *count) {
    if (file.size < END_SIZE) return false;
    size_t last = file.size - END_SIZE;
    size_t first = last > MAX_COMMENT ? last - MAX_COMMENT : 0;
    size_t at = last;
    while (memcmp(file.data + at, "PK\x05\x06", 4) != 0) {
        if (at == first) return false;
        at--;
    }
    const char *end = file.data + at;
    *count = number_at(end + 10, 2);
    *offset = number_at(end + 16, 4);
    if (*count != 0xffff && *offset != 0xffffffff) return true;
    if (at < END64_LOCATOR || memcmp(end - END64_LOCATOR, "PK\x06\x07", 4) != 0) return true;
    uint64_t record = number_at(end - END64_LOCATOR + 8, 8);
    if (!is_inside(file, record, END64_SIZE)) return false;
    *count = number_at(file.data + record + 32, 8);
    *offset = number_at(file.data + record + 48, 8);
    return true;
}

// Sizes and places that have 64 bits stand in the extra field number 1, those alone that are
// -1 in the entry, in this order.
static bool read_wide(const char *extra, size_t size, uint64_t *numbers[3]) {
    for (size_t at = 0; size - at >= 4;) {
        size_t length = (size_t)number_at(extra + at + 2, 2);
        if (length > size - at - 4) return false;
        const char *field = extra + at + 4, *end = field + length;
        bool is_wide = number_at(extra + at, 2) == 1;
        for (int i = 0; i < 3 && is_wide; i++) {
            if (*numbers[i] != 0xffffffff) continue;
            if (end - field < 8) return false;
            *numbers[i] = number_at(field, 8);
            field += 8;
        }
        at += 4 + length;
    }
    return true;
}

static const char *read_entry(StrView file, uint64_t *at, NpzEntry *entry) {
    static const char *const damaged = "the archive is truncated or damaged";
    if (!is_inside(file, *at, ENTRY_SIZE) || memcmp(file.data + *at, "PK\x01\x02", 4) != 0)
        return damaged;
    const char *from = file.data + *at;
    size_t name_size = number_at(from + 28, 2), extra_size = number_at(from + 30, 2);
    uint64_t all = ENTRY_SIZE + name_size + extra_size + number_at(from + 32, 2);
    if (!is_inside(file, *at, all)) return damaged;
    *at += all;
    if (number_at(from + 8, 2) & 1) return "the archive is encrypted";
    uint64_t size = number_at(from + 24, 4), packed = number_at(from + 20, 4),
             local = number_at(from + 42, 4);
    if (!read_wide(
            from + ENTRY_SIZE + name_size, extra_size, (uint64_t *[]){&size, &packed, &local}) ||
        !is_inside(file, local, LOCAL_SIZE))
        return damaged;
    uint64_t data = local + LOCAL_SIZE + number_at(file.data + local + 26, 2) +
                    number_at(file.data + local + 28, 2);
    if (!is_inside(file, data, packed)) return damaged;
    entry->name = (StrView){from + ENTRY_SIZE, name_size};
    if (strview_ends_with(entry->name, SV(".npy"))) entry->name.size -= 4;
    entry->method = (int)number_at(from + 10, 2);
    entry->checksum = (uint32_t)number_at(from + 16, 4);
    entry->size = (size_t)size;
    entry->packed = (StrView){file.data + data, (size_t)packed};
    if (entry->method != 0 && entry->method != 8) return "an entry is neither stored nor deflated";
    if (entry->method == 0 && size != packed) return damaged;
    return size / DEFLATE_RATIO > packed + 64 ? damaged : NULL;
}

const char *npz_entries(Arena *arena, StrView file, NpzEntry **entries, int *count) {
    uint64_t at, total;
    if (!find_directory(file, &at, &total) || total > file.size / ENTRY_SIZE)
        return "the archive is truncated or damaged";
    *entries = ARENA_ARRAY(arena, NpzEntry, (int64_t)total + 1);
    *count = (int)total;
    for (int i = 0; i < *count; i++) {
        const char *problem = read_entry(file, &at, &(*entries)[i]);
        if (problem) return problem;
    }
    return NULL;
}

#ifdef SHARDC_HAS_ZLIB
static bool inflate_all(StrView packed, char *to, size_t size) {
    enum { PIECE = 1 << 30 };
    z_stream stream = {0};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
    size_t in = 0, out = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        size_t room = size - out < PIECE ? size - out : PIECE;
        size_t rest = packed.size - in < PIECE ? packed.size - in : PIECE;
        stream.next_in = (Bytef *)(uintptr_t)(packed.data + in);
        stream.avail_in = (uInt)rest;
        stream.next_out = (Bytef *)to + out;
        stream.avail_out = (uInt)room;
        state = inflate(&stream, Z_NO_FLUSH);
        in += rest - stream.avail_in;
        out += room - stream.avail_out;
    }
    (void)inflateEnd(&stream);
    return state == Z_STREAM_END && out == size;
}

const char *npz_extract(Arena *arena, const NpzEntry *entry, StrView *contents) {
    *contents = entry->packed;
    if (entry->method == 8) {
        char *unpacked = arena_alloc_aligned(arena, entry->size + 1, 64);
        if (!inflate_all(entry->packed, unpacked, entry->size))
            return "its compressed data is damaged";
        *contents = (StrView){unpacked, entry->size};
    }
    uLong checksum = crc32_z(0, (const Bytef *)contents->data, contents->size);
    return checksum == entry->checksum ? NULL : "its checksum is wrong";
}
#else
const char *npz_extract(Arena *arena, const NpzEntry *entry, StrView *contents) {
    (void)arena;
    *contents = entry->packed;
    return entry->method == 0 ? NULL
                              : "it is compressed, and this shardc was built without zlib: write "
                                "it with numpy.savez, or build with zlib1g-dev";
}
#endif
