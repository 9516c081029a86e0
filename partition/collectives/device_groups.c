// device_groups: products of groups of devices.
//
//   whole   {0 1 2 3 4 5 6 7}            0 1 2 3
//   first   {0 1 2 3} {4 5 6 7}          4 5 6 7     rows,
//   second  {0 4} {1 5} {2 6} {3 7}                  columns
#include "partition/collectives/device_groups.h"

typedef struct Groups {
    int64_t count, size;
    const Attr *devices;
} Groups;

// All devices from 0 on, each in one group.
static bool read_groups(Arena *arena, const Attr *attr, Groups *groups) {
    if (!attr || attr->kind != ATTR_ELEMENTS || attr->type->rank != 2 || attr->is_splat)
        return false;
    *groups = (Groups){attr->type->dims[0], attr->type->dims[1], attr};
    int64_t total = groups->count * groups->size;
    uint8_t *seen = ARENA_ARRAY(arena, uint8_t, total + 1);
    for (int64_t i = 0; i < total; i++) {
        int64_t device = attr_element_int(attr, i);
        if (device < 0 || device >= total || seen[device]) return false;
        seen[device] = 1;
    }
    return groups->size > 1;
}

static int64_t *group_of_device(Arena *arena, const Groups *groups) {
    int64_t total = groups->count * groups->size;
    int64_t *group = ARENA_ARRAY(arena, int64_t, total);
    for (int64_t i = 0; i < total; i++)
        group[attr_element_int(groups->devices, i)] = i / groups->size;
    return group;
}

// Does each of the groups lie in one group of `outer`?
static bool lie_within(const Groups *groups, const int64_t *outer) {
    for (int64_t i = 0; i < groups->count * groups->size; i++) {
        int64_t head = attr_element_int(groups->devices, i - i % groups->size);
        if (outer[attr_element_int(groups->devices, i)] != outer[head]) return false;
    }
    return true;
}

bool groups_are_product(Arena *arena, const Attr *whole, const Attr *first, const Attr *second) {
    Groups all, rows, columns;
    if (!read_groups(arena, whole, &all) || !read_groups(arena, first, &rows) ||
        !read_groups(arena, second, &columns))
        return false;
    int64_t total = all.count * all.size;
    if (rows.count * rows.size != total || columns.count * columns.size != total) return false;
    if (rows.size * columns.size != all.size) return false;
    const int64_t *outer = group_of_device(arena, &all), *row = group_of_device(arena, &rows);
    if (!lie_within(&rows, outer) || !lie_within(&columns, outer)) return false;
    // Place j of every column is in the same row, and no two places are: [group
    // of whole][place] is a row + 1.
    int64_t *row_at = ARENA_ARRAY(arena, int64_t, all.count * columns.size);
    int64_t *place_of = ARENA_ARRAY(arena, int64_t, rows.count);
    for (int64_t i = 0; i < total; i++) {
        int64_t device = attr_element_int(second, i), place = i % columns.size;
        int64_t *at = &row_at[outer[device] * columns.size + place];
        if (*at == 0) {
            if (place_of[row[device]] != 0) return false;
            *at = row[device] + 1;
            place_of[row[device]] = place + 1;
        }
        if (*at != row[device] + 1) return false;
    }
    return true;
}
