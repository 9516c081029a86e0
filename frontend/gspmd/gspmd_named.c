// gspmd_named: shardings by the names of a mesh's axes, as XLA writes them with named shardings:
//
//   {mesh['x'=2,'y'=4], [{'x'}, {?}], replicated={'y'}}
//   {mesh['x'=4,'y'=2], device_ids=([4,2]T(1,0)), [{'x':(1)2}], unreduced={'y'}, manual={'x':(2)2}}
//   {mesh['x'=2], replicated}     {maximal_mesh[device_id=3]}
//
// They become tiles: the axes of each dimension, then groups of explicitly replicated,
// unreduced, manual and other axes.
#include "base/checked.h"
#include "frontend/gspmd/gspmd_reader.h"

typedef struct NamedMesh {
    int axis_count;
    StrView names[MAX_AXES];
    int64_t sizes[MAX_AXES];
    int64_t device_count;
    const int64_t *devices; // row-major over the axes; NULL: in order
} NamedMesh;

// A part of an axis: `size` steps of `stride` places in the mesh.
typedef struct Piece {
    int64_t stride, size;
} Piece;

enum { MAX_PIECES = 40 }; // of 65536 devices there are at most 16, and 17 between them

typedef struct Named {
    NamedMesh mesh;
    int piece_count;
    // those of dimension 0, of dimension 1 .., then of the groups, major to minor
    Piece pieces[MAX_PIECES];
} Named;

static bool read_name(GspmdReader *reader, StrView *name) {
    bool is_quoted = gspmd_looks_at(reader, SV("'")) || gspmd_looks_at(reader, SV("\""));
    char quote = is_quoted ? *reader->next++ : 0;
    const char *start = reader->next;
    while (reader->next < reader->end &&
           (quote ? *reader->next != quote : !memchr("=:,{}[]() ", *reader->next, 10)))
        reader->next++;
    *name = (StrView){start, (size_t)(reader->next - start)};
    if (name->size == 0 || (quote && reader->next == reader->end))
        return gspmd_fail(reader, "expected the name of an axis");
    if (quote) reader->next++;
    return true;
}

static int axis_index(const NamedMesh *mesh, StrView name) {
    int64_t number;
    for (int a = 0; a < mesh->axis_count; a++) {
        if (strview_equal(mesh->names[a], name)) return a;
    }
    bool is_index = strview_to_int64(name, &number) && number >= 0 && number < mesh->axis_count;
    return is_index ? (int)number : -1;
}

static bool read_axes(GspmdReader *reader, NamedMesh *mesh) {
    mesh->device_count = 1;
    if (gspmd_accept(reader, SV("]"))) return true;
    do {
        if (mesh->axis_count == MAX_AXES) return gspmd_fail(reader, "too many axes");
        StrView *name = &mesh->names[mesh->axis_count];
        int64_t *size = &mesh->sizes[mesh->axis_count];
        if (!read_name(reader, name) || !gspmd_expect(reader, '=') ||
            !gspmd_read_number(reader, size))
            return false;
        for (int a = 0; a < mesh->axis_count; a++) {
            if (strview_equal(mesh->names[a], *name))
                return gspmd_fail(reader, "an axis is there twice");
        }
        mesh->axis_count++;
    } while (gspmd_accept(reader, SV(",")));
    return gspmd_expect(reader, ']') &&
           gspmd_check_dims(reader, mesh->axis_count, mesh->sizes, &mesh->device_count);
}

// device_ids=(3,2,1,0) or device_ids=([4,2]T(1,0))
static bool read_device_ids(GspmdReader *reader, NamedMesh *mesh) {
    if (!gspmd_accept(reader, SV("device_ids="))) return true;
    if (!gspmd_expect(reader, '(')) return false;
    if (gspmd_looks_at(reader, SV("["))) {
        mesh->devices = gspmd_read_iota(reader, mesh->device_count);
        if (!mesh->devices) return false;
    } else {
        GspmdNumbers devices = {0};
        GspmdSharding tiles = {.device_count = mesh->device_count};
        if (!gspmd_read_numbers(reader, &devices) ||
            !gspmd_set_device_list(reader, &devices, &tiles))
            return false;
        mesh->devices = tiles.devices;
    }
    return gspmd_expect(reader, ')');
}

// Axis or axis:(pre_size)size; *size becomes the product of the list's sizes.
static bool read_axis_ref(GspmdReader *reader, Named *named, int64_t *size) {
    const NamedMesh *mesh = &named->mesh;
    StrView name;
    if (!read_name(reader, &name)) return false;
    int axis = axis_index(mesh, name);
    if (axis < 0) return gspmd_fail(reader, "names an axis that the mesh does not have");
    int64_t before = 1, part = mesh->sizes[axis], stride = 1;
    if (gspmd_accept(reader, SV(":"))) {
        if (!gspmd_expect(reader, '(') || !gspmd_read_number(reader, &before) ||
            !gspmd_expect(reader, ')') || !gspmd_read_number(reader, &part))
            return false;
        int64_t through;
        if (before < 1 || part < 1 || !checked_mul(before, part, &through) || through < 1 ||
            mesh->sizes[axis] % through != 0)
            return gspmd_fail(reader, "a part of an axis must divide it");
    }
    for (int a = axis + 1; a < mesh->axis_count; a++)
        stride *= mesh->sizes[a];
    stride *= mesh->sizes[axis] / before / part;
    if (part == 1) return true;
    for (int i = 0; i < named->piece_count; i++) {
        const Piece *piece = &named->pieces[i];
        if (stride < piece->stride * piece->size && piece->stride < stride * part)
            return gspmd_fail(reader, "an axis is used twice");
    }
    if (named->piece_count == MAX_PIECES / 2) return gspmd_fail(reader, "too many axes");
    named->pieces[named->piece_count++] = (Piece){stride, part};
    *size *= part;
    return true;
}

// {'x', 'y':(1)2, ?}
static bool read_axis_list(GspmdReader *reader, Named *named, int64_t *size, bool *is_open) {
    *size = 1;
    *is_open = false;
    if (!gspmd_expect(reader, '{')) return false;
    if (gspmd_accept(reader, SV("}"))) return true;
    do {
        *is_open = gspmd_accept(reader, SV("?"));
        if (!*is_open && !read_axis_ref(reader, named, size)) return false;
    } while (!*is_open && gspmd_accept(reader, SV(",")));
    return gspmd_expect(reader, '}');
}

static bool read_dim_list(GspmdReader *reader, Named *named, GspmdSharding *sharding) {
    if (!gspmd_expect(reader, '[')) return false;
    if (gspmd_accept(reader, SV("]"))) return true;
    do {
        bool is_open;
        int d = sharding->dim_count;
        if (d == MAX_RANK) return gspmd_fail(reader, "too many dimensions");
        if (!read_axis_list(reader, named, &sharding->dims[d], &is_open)) return false;
        if (is_open) sharding->open_dims |= (uint64_t)1 << d;
        sharding->dim_count++;
    } while (gspmd_accept(reader, SV(",")));
    return gspmd_expect(reader, ']');
}

static void push_group(GspmdSharding *sharding, GspmdKind kind, int64_t size) {
    if (size == 1) return;
    sharding->dims[sharding->dim_count++] = size;
    sharding->groups[sharding->group_count++] = kind;
}

// , replicated={..}, unreduced={..}, manual={..}, metadata={..} up to the last '}'
static bool read_groups(GspmdReader *reader, Named *named, GspmdSharding *sharding) {
    static const struct {
        StrView word;
        GspmdKind kind;
    } words[] = {
        {{"replicated=", 11}, GSPMD_PINNED},
        {{"unreduced=", 10}, GSPMD_UNREDUCED},
        {{"manual=", 7}, GSPMD_MANUAL}};
    bool seen[3] = {false};
    while (gspmd_accept(reader, SV(","))) {
        if (gspmd_accept(reader, SV("metadata={"))) {
            if (!gspmd_skip_metadata(reader)) return false;
            continue;
        }
        int i = 0;
        while (i < 3 && !gspmd_accept(reader, words[i].word))
            i++;
        if (i == 3 || seen[i])
            return gspmd_fail(reader, "expected 'replicated=', 'unreduced=' or 'manual=' once");
        seen[i] = true;
        int64_t size;
        bool is_open;
        if (!read_axis_list(reader, named, &size, &is_open)) return false;
        if (is_open) return gspmd_fail(reader, "'?' is for dimensions only");
        push_group(sharding, words[i].kind, size);
    }
    return gspmd_expect(reader, '}');
}

// The places of the mesh that no piece counts, as pieces: strides from 1 up, each up to the next
// piece.
static bool add_other_pieces(GspmdReader *reader, Named *named, int64_t *size) {
    *size = 1;
    int used = named->piece_count;
    for (int64_t stride = 1; stride < named->mesh.device_count;) {
        int64_t next = named->mesh.device_count;
        const Piece *here = NULL;
        for (int i = 0; i < used; i++) {
            const Piece *piece = &named->pieces[i];
            if (piece->stride == stride) here = piece;
            if (piece->stride > stride && piece->stride < next) next = piece->stride;
        }
        if (next % stride != 0) return gspmd_fail(reader, "parts of an axis do not fit together");
        if (!here) {
            named->pieces[named->piece_count++] = (Piece){stride, next / stride};
            *size *= next / stride;
        }
        stride = here ? here->stride * here->size : next;
    }
    return true;
}

static void set_devices(GspmdReader *reader, const Named *named, GspmdSharding *sharding) {
    int64_t count = named->mesh.device_count;
    int64_t *devices = ARENA_ARRAY(reader->arena, int64_t, count);
    for (int64_t p = 0; p < count; p++) {
        int64_t rest = p, place = 0;
        for (int i = named->piece_count - 1; i >= 0; i--) {
            place += rest % named->pieces[i].size * named->pieces[i].stride;
            rest /= named->pieces[i].size;
        }
        devices[p] = named->mesh.devices ? named->mesh.devices[place] : place;
    }
    sharding->device_count = count;
    sharding->devices = devices;
}

static bool read_maximal(GspmdReader *reader, GspmdSharding *sharding) {
    sharding->kind = GSPMD_MAXIMAL;
    if (!gspmd_accept(reader, SV("device_id="))) return gspmd_fail(reader, "expected 'device_id='");
    if (!gspmd_read_number(reader, &sharding->device) || !gspmd_expect(reader, ']')) return false;
    if (gspmd_accept(reader, SV(","))) {
        if (!gspmd_accept(reader, SV("metadata={")))
            return gspmd_fail(reader, "expected 'metadata='");
        if (!gspmd_skip_metadata(reader)) return false;
    }
    return gspmd_expect(reader, '}');
}

bool gspmd_read_named(GspmdReader *reader, bool maximal, GspmdSharding *sharding) {
    static const struct {
        const char *word;
        GspmdKind kind;
    } wholes[] = {
        {"replicated", GSPMD_REPLICATED}, {"unreduced", GSPMD_UNREDUCED}, {"manual", GSPMD_MANUAL}};
    if (maximal) return read_maximal(reader, sharding);
    Named *named = ARENA_NEW(reader->arena, Named);
    if (!read_axes(reader, &named->mesh)) return false;
    gspmd_accept(reader, SV(","));
    if (!read_device_ids(reader, &named->mesh)) return false;
    gspmd_accept(reader, SV(","));
    sharding->kind = GSPMD_TILED;
    bool is_whole = false;
    for (int i = 0; i < 3 && !is_whole; i++) {
        is_whole = gspmd_accept_word(reader, strview(wholes[i].word));
        if (is_whole) sharding->kind = wholes[i].kind;
    }
    if (!is_whole && !read_dim_list(reader, named, sharding)) return false;
    bool is_scalar = !is_whole && sharding->dim_count == 0;
    int64_t others;
    if (!read_groups(reader, named, sharding) || !add_other_pieces(reader, named, &others))
        return false;
    if (is_whole && sharding->group_count > 0)
        return gspmd_fail(reader, "a sharding of all axes has no lists of axes");
    if (is_scalar && sharding->group_count == 0) sharding->kind = GSPMD_REPLICATED; // of any rank
    if (sharding->kind == GSPMD_TILED) push_group(sharding, GSPMD_REPLICATED, others);
    set_devices(reader, named, sharding);
    if (sharding->kind == GSPMD_TILED) gspmd_simplify(sharding);
    return true;
}
