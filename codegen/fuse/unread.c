// unread: values that nobody reads but the kernel that stores them.
//
// A value joins a kernel as one of its results when it is read more than once there, so that it is
// computed once; then nothing that was decided later reads it from memory. Within a kernel the
// value is an expression anyway, so the store goes, and its memory with it.
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/readers.h"

static bool is_read_inside(
    const Fusion *fusion, const Value *value, const FusionRoot *root, const Readers *readers) {
    const ValueInfo *info = value_info(fusion, value);
    if (info->is_forced || info->goes_to || !readers || readers->is_nested) return false;
    if (readers->first_position != INT64_MAX) return false; // somebody has it in memory
    for (int i = 0; i < readers->count; i++) {
        if (readers->list[i].root != root) return false;
    }
    return readers->count > 0;
}

void drop_unread(Fusion *fusion, Readers *const *readers) {
    for (int64_t r = 0; r < fusion->roots.count; r++) {
        FusionRoot *root = fusion->roots.data[r];
        int64_t kept = 0;
        for (int64_t i = 0; i < root->members.count; i++) {
            const Value *value = root->members.data[i];
            bool is_made_for = value->def == root->op;
            if (!is_made_for && is_read_inside(fusion, value, root, readers[value->number])) {
                value_info(fusion, value)->is_stored = false;
                value_info(fusion, value)->root = NULL;
                continue;
            }
            root->members.data[kept] = value;
            root->maps.data[kept++] = root->maps.data[i];
        }
        root->members.count = root->maps.count = kept;
    }
}
