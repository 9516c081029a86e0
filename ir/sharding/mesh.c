// Meshes and axis references.
#include "ir/sharding/mesh.h"

#include "base/checked.h"
#include "ir/context.h"

static void write_mesh_key(Context *context, const void *object) {
    const Mesh *mesh = object;
    context_key_int(context, mesh->axis_count);
    for (int i = 0; i < mesh->axis_count; i++) {
        context_key_bytes(context, mesh->axes[i].name.data, mesh->axes[i].name.size);
        context_key_int(context, mesh->axes[i].size);
    }
    context_key_bytes(context, mesh->device_ids, (size_t)mesh->id_count * sizeof(int64_t));
}

const Mesh *mesh_intern(Context *context, const Mesh *prototype) {
    uint64_t hash;
    const Mesh *found = context_find(context, KEY_MESH, write_mesh_key, prototype, &hash);
    if (found) return found;

    Mesh *mesh = ARENA_NEW(context->arena, Mesh);
    mesh->axis_count = prototype->axis_count;
    for (int i = 0; i < mesh->axis_count; i++) {
        mesh->axes[i].name = context_name(context, prototype->axes[i].name);
        mesh->axes[i].size = prototype->axes[i].size;
    }
    mesh->id_count = prototype->id_count;
    if (mesh->id_count) {
        mesh->device_ids = arena_copy(
            context->arena, prototype->device_ids, (size_t)mesh->id_count * sizeof(int64_t));
    }
    context_add(context, KEY_MESH, hash, mesh);
    return mesh;
}

int64_t mesh_device_count(const Mesh *mesh) {
    int64_t count = 1;
    for (int i = 0; i < mesh->axis_count; i++) {
        if (!checked_mul(count, mesh->axes[i].size, &count)) return INT64_MAX;
    }
    return count;
}

bool mesh_is_maximal(const Mesh *mesh) { return mesh->axis_count == 0 && mesh->id_count == 1; }

int mesh_axis_index(const Mesh *mesh, StrView name) {
    for (int i = 0; i < mesh->axis_count; i++) {
        if (strview_equal(mesh->axes[i].name, name)) return i;
    }
    return -1;
}

int64_t mesh_axis_size(const Mesh *mesh, StrView name) {
    int i = mesh_axis_index(mesh, name);
    return i < 0 ? 0 : mesh->axes[i].size;
}

int64_t mesh_device_at(const Mesh *mesh, int64_t index) {
    return index >= 0 && index < mesh->id_count ? mesh->device_ids[index] : index;
}

int64_t mesh_index_of_device(const Mesh *mesh, int64_t device) {
    for (int64_t i = 0; i < mesh->id_count; i++) {
        if (mesh->device_ids[i] == device) return i;
    }
    return mesh->id_count ? -1 : device;
}

bool mesh_same_axes(const Mesh *a, const Mesh *b) {
    if (a == b) return true;
    if (a->axis_count != b->axis_count) return false;
    for (int i = 0; i < a->axis_count; i++) {
        if (!strview_equal(a->axes[i].name, b->axes[i].name) || a->axes[i].size != b->axes[i].size)
            return false;
    }
    return true;
}

static void print_quoted(StrBuf *out, StrView name) {
    strbuf_putc(out, '"');
    strbuf_escaped(out, name);
    strbuf_putc(out, '"');
}

void mesh_print(StrBuf *out, const Mesh *mesh) {
    strbuf_puts(out, "<[");
    for (int i = 0; i < mesh->axis_count; i++) {
        if (i) strbuf_puts(out, ", ");
        print_quoted(out, mesh->axes[i].name);
        strbuf_printf(out, "=%lld", (long long)mesh->axes[i].size);
    }
    strbuf_putc(out, ']');
    if (mesh->id_count) {
        strbuf_puts(out, ", device_ids=[");
        for (int64_t i = 0; i < mesh->id_count; i++) {
            strbuf_printf(out, i ? ", %lld" : "%lld", (long long)mesh->device_ids[i]);
        }
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, '>');
}

bool axis_ref_equal(const AxisRef *a, const AxisRef *b) {
    return a->size == b->size && (a->size == 0 || a->pre_size == b->pre_size) &&
           strview_equal(a->name, b->name);
}

int64_t axis_ref_size(const Mesh *mesh, const AxisRef *axis) {
    return axis->size ? axis->size : mesh_axis_size(mesh, axis->name);
}

int64_t axis_ref_pre_size(const AxisRef *axis) { return axis->size ? axis->pre_size : 1; }

int64_t axis_ref_next_pre_size(const Mesh *mesh, const AxisRef *axis) {
    int64_t next;
    return checked_mul(axis_ref_pre_size(axis), axis_ref_size(mesh, axis), &next) ? next
                                                                                  : INT64_MAX;
}

int64_t axis_ref_stride(const Mesh *mesh, const AxisRef *axis) {
    int64_t covered = axis_ref_next_pre_size(mesh, axis);
    if (covered == 0) return 0; // the mesh has no such axis
    int64_t stride = mesh_axis_size(mesh, axis->name) / covered;
    for (int a = mesh_axis_index(mesh, axis->name) + 1; a < mesh->axis_count; a++)
        stride *= mesh->axes[a].size;
    return stride;
}

AxisRef axis_ref_make(const Mesh *mesh, StrView name, int64_t pre_size, int64_t size) {
    int i = mesh_axis_index(mesh, name);
    if (i >= 0) name = mesh->axes[i].name;
    if (i >= 0 && pre_size == 1 && size == mesh->axes[i].size) return (AxisRef){name, 1, 0};
    return (AxisRef){name, pre_size, size};
}

bool axis_ref_overlaps(const Mesh *mesh, const AxisRef *a, const AxisRef *b) {
    if (!strview_equal(a->name, b->name)) return false;
    if (a->size == 0 || b->size == 0) return true; // an axis of size 1, too
    return axis_ref_pre_size(a) < axis_ref_next_pre_size(mesh, b) &&
           axis_ref_pre_size(b) < axis_ref_next_pre_size(mesh, a);
}

bool axis_ref_can_coexist(const Mesh *mesh, const AxisRef *a, const AxisRef *b) {
    if (a->size == 0 || b->size == 0 || !strview_equal(a->name, b->name)) return true;
    int64_t begin_a = axis_ref_pre_size(a), begin_b = axis_ref_pre_size(b);
    int64_t end_a = axis_ref_next_pre_size(mesh, a), end_b = axis_ref_next_pre_size(mesh, b);
    int64_t first = begin_a < begin_b ? begin_a : begin_b,
            second = begin_a < begin_b ? begin_b : begin_a;
    int64_t third = end_a < end_b ? end_a : end_b, fourth = end_a < end_b ? end_b : end_a;
    if (third <= second) return second % third == 0;
    return third % second == 0 && second % first == 0 && fourth % third == 0;
}

bool axis_ref_contains(const Mesh *mesh, const AxisRef *outer, const AxisRef *inner) {
    return strview_equal(outer->name, inner->name) &&
           axis_ref_pre_size(outer) <= axis_ref_pre_size(inner) &&
           axis_ref_next_pre_size(mesh, outer) >= axis_ref_next_pre_size(mesh, inner);
}

bool axis_ref_can_merge(const Mesh *mesh, const AxisRef *a, const AxisRef *b) {
    return strview_equal(a->name, b->name) && a->size && b->size &&
           axis_ref_next_pre_size(mesh, a) == b->pre_size;
}

AxisRef axis_ref_merge(const Mesh *mesh, const AxisRef *a, const AxisRef *b) {
    return axis_ref_make(mesh, a->name, a->pre_size, a->size * b->size);
}

bool axis_ref_is_prefix(const Mesh *mesh, const AxisRef *prefix, const AxisRef *of) {
    return strview_equal(prefix->name, of->name) &&
           axis_ref_pre_size(prefix) == axis_ref_pre_size(of) &&
           axis_ref_size(mesh, prefix) <= axis_ref_size(mesh, of);
}

bool axis_ref_prefix_without_overlap(
    const Mesh *mesh, const AxisRef *axis, const AxisRef *other, AxisRef *prefix) {
    if (!axis_ref_overlaps(mesh, axis, other)) {
        *prefix = *axis;
        return true;
    }
    int64_t pre_size = axis_ref_pre_size(axis);
    int64_t other_pre_size = axis_ref_pre_size(other);
    if (pre_size >= other_pre_size || other_pre_size % pre_size != 0) return false;
    *prefix = axis_ref_make(mesh, axis->name, pre_size, other_pre_size / pre_size);
    return true;
}

int axis_ref_compare(const Mesh *mesh, const AxisRef *a, const AxisRef *b) {
    int64_t keys_a[] = {
        mesh_axis_index(mesh, a->name), axis_ref_pre_size(a), axis_ref_size(mesh, a)};
    int64_t keys_b[] = {
        mesh_axis_index(mesh, b->name), axis_ref_pre_size(b), axis_ref_size(mesh, b)};
    for (int i = 0; i < 3; i++) {
        if (keys_a[i] != keys_b[i]) return keys_a[i] < keys_b[i] ? -1 : 1;
    }
    return 0;
}

void axis_ref_print(StrBuf *out, const AxisRef *axis) {
    print_quoted(out, axis->name);
    int64_t size = axis->size == SUB_AXIS_OF_SIZE_ZERO ? 0 : axis->size;
    if (axis->size) strbuf_printf(out, ":(%lld)%lld", (long long)axis->pre_size, (long long)size);
}

static void push_axis(AxisList *list, AxisRef axis) {
    if (list->count < MAX_AXIS_REFS) list->axes[list->count++] = axis;
}

void axis_list_subtract(const Mesh *mesh, AxisList *list, const AxisRef *other) {
    AxisList left = {0};
    int64_t other_begin = axis_ref_pre_size(other);
    int64_t other_end = axis_ref_next_pre_size(mesh, other);
    for (int i = 0; i < list->count; i++) {
        const AxisRef *axis = &list->axes[i];
        if (!axis_ref_overlaps(mesh, axis, other)) {
            push_axis(&left, *axis);
            continue;
        }
        int64_t begin = axis_ref_pre_size(axis), end = axis_ref_next_pre_size(mesh, axis);
        if (other_begin > begin && other_begin % begin == 0)
            push_axis(&left, axis_ref_make(mesh, axis->name, begin, other_begin / begin));
        if (other_end < end && end % other_end == 0)
            push_axis(&left, axis_ref_make(mesh, axis->name, other_end, end / other_end));
    }
    *list = left;
}

int64_t axis_list_size(const Mesh *mesh, const AxisRef *axes, int count) {
    int64_t size = 1;
    for (int i = 0; i < count; i++) {
        if (!checked_mul(size, axis_ref_size(mesh, &axes[i]), &size)) return INT64_MAX;
    }
    return size;
}

int64_t axis_list_coordinate(const Mesh *mesh, const AxisRef *axes, int count, int64_t index) {
    int64_t coordinates[MAX_AXES];
    for (int i = mesh->axis_count - 1; i >= 0; i--) {
        coordinates[i] = index % mesh->axes[i].size;
        index /= mesh->axes[i].size;
    }
    int64_t result = 0;
    for (int i = 0; i < count; i++) {
        int a = mesh_axis_index(mesh, axes[i].name);
        if (a < 0) continue;
        // The axis of size n is seen as (pre_size, size, n / (pre_size * size)).
        int64_t size = axis_ref_size(mesh, &axes[i]);
        int64_t minor = mesh->axes[a].size / (axis_ref_pre_size(&axes[i]) * size);
        result = result * size + (minor ? coordinates[a] / minor % size : 0);
    }
    return result;
}

void axis_list_print(StrBuf *out, const AxisRef *axes, int count) {
    strbuf_putc(out, '{');
    for (int i = 0; i < count; i++) {
        if (i) strbuf_puts(out, ", ");
        axis_ref_print(out, &axes[i]);
    }
    strbuf_putc(out, '}');
}
