// spread_groups: which devices can share a kernel's work.
#include "codegen/fuse/spread_groups.h"

bool spread_group_of_classes(
    Arena *arena, int64_t device_count, const int64_t *class, SpreadGroup *group) {
    int64_t size = 0;
    for (int64_t d = 0; d < device_count; d++)
        size += class[d] == class[0];
    int64_t *members = ARENA_ARRAY(arena, int64_t, device_count * size);
    int64_t *position = ARENA_ARRAY(arena, int64_t, device_count);
    for (int64_t d = 0; d < device_count; d++) {
        int64_t found = 0;
        for (int64_t other = 0; other < device_count; other++) {
            if (class[other] != class[d]) continue;
            if (found == size) return false;
            if (other == d) position[d] = found;
            members[d * size + found++] = other;
        }
        if (found != size) return false;
    }
    *group = (SpreadGroup){size, members, position};
    return size > 1;
}

// What the stage stores on each device, and where, as expressions: equal ones are one pointer.
bool spread_find_copies(Arena *scratch, const Stage *stage, int64_t *class) {
    ExprBuilder *b = expr_builder_after(scratch, stage->exprs, stage->exprs->diags);
    int64_t devices = b->program->device_count, count = 2 * stage->store_count;
    const void **stored =
        (const void **)arena_alloc_array(scratch, devices * count, sizeof(void *));
    bool found = false;
    for (int64_t d = 0; d < devices; d++) {
        Substitution s = substitution(b, stage->exprs);
        s.device = index_constant(b->index, d);
        for (int i = 0; i < stage->store_count; i++) {
            stored[d * count + 2 * i] = expr_substitute(&s, stage->stores[i].value);
            stored[d * count + 2 * i + 1] = expr_substitute_index(&s, stage->stores[i].at);
        }
        class[d] = d;
        for (int64_t other = 0; other < d && class[d] == d; other++) {
            int64_t i = 0;
            while (i < count && stored[d * count + i] == stored[other * count + i])
                i++;
            if (i == count) class[d] = class[other];
        }
        found = found || class[d] != d;
    }
    return found;
}
