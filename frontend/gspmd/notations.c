// notations: see notations.h.
#include "frontend/gspmd/notations.h"

#include "frontend/frontend.h"
#include "ir/print/sharding_print.h"

typedef struct Writer {
    Context *context;
    Arena *arena;
    const NotationQuery *query;
    Diags *diags;
    Notations *out;
} Writer;

static bool fail(Diags *diags, const char *problem) {
    diag_error(diags, NULL, "%s", problem);
    return false;
}

// ---- meshes ----

const Mesh *read_mesh_text(Context *context, Arena *arena, StrView text, Diags *diags) {
    StrBuf spelled = strbuf(arena);
    bool is_shardys = text.size > 0 && (text.data[0] == '<' || text.data[0] == '#');
    if (is_shardys && text.data[0] == '<') strbuf_puts(&spelled, "#sdy.mesh");
    if (is_shardys) {
        strbuf_append(&spelled, text);
    } else { // x=2,y=4
        strbuf_puts(&spelled, "#sdy.mesh<[\"");
        for (size_t i = 0; i < text.size; i++) {
            char c = text.data[i];
            if (c == '=')
                strbuf_puts(&spelled, "\"=");
            else if (c == ',')
                strbuf_puts(&spelled, ", \"");
            else
                strbuf_putc(&spelled, c);
        }
        strbuf_puts(&spelled, "]>");
    }
    Diags *own = diags_create(arena);
    Module *module = module_create(context, arena);
    const Attr *attr = frontend_read_attr(module, arena, strbuf_view(&spelled), own);
    const Mesh *mesh = attr && attr->kind == ATTR_MESH ? attr->mesh : NULL;
    int64_t devices = 1;
    for (int a = 0; mesh && a < mesh->axis_count; a++) {
        if (mesh->axes[a].size < 1 ||
            __builtin_mul_overflow(devices, mesh->axes[a].size, &devices) ||
            devices > GSPMD_MAX_DEVICES)
            mesh = NULL;
    }
    if (mesh && mesh->id_count > 0 && mesh->axis_count > 0 && mesh->id_count != devices)
        mesh = NULL;
    if (!mesh)
        diag_error(
            diags, NULL, "'%.*s' is no mesh: write x=2,y=4, or <[\"x\"=2, \"y\"=4]>", SV_ARG(text));
    return mesh;
}

// ---- PartitionSpec ----

// P('x', ('y', 'z'), None); empty for parts of axes, open dimensions, and axes that are listed
// otherwise.
static StrView partition_spec(Arena *arena, const Sharding *sharding) {
    StrBuf text = strbuf(arena);
    if (sharding->unreduced_count > 0 || sharding->replicated_count > 0 || sharding->mesh)
        return SV("");
    strbuf_puts(&text, "P(");
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        if (dim->is_open) return SV("");
        strbuf_puts(&text, d ? ", " : "");
        if (dim->axis_count == 0) strbuf_puts(&text, "None");
        if (dim->axis_count > 1) strbuf_putc(&text, '(');
        for (int i = 0; i < dim->axis_count; i++) {
            if (dim->axes[i].size != 0) return SV("");
            strbuf_printf(&text, "%s'%.*s'", i ? ", " : "", SV_ARG(dim->axes[i].name));
        }
        if (dim->axis_count > 1) strbuf_putc(&text, ')');
    }
    bool is_single = sharding->rank == 1 && sharding->dims[0].axis_count > 0;
    strbuf_puts(&text, is_single ? ",)" : ")");
    return strbuf_view(&text);
}

// ---- tiles ----

static void set_tile(
    const NotationQuery *query, const GspmdSharding *gspmd, int64_t place, int64_t *tile) {
    bool is_tiled = gspmd->kind == GSPMD_TILED;
    int64_t inner = 1;
    for (int d = gspmd->dim_count - 1; is_tiled && d >= query->rank; d--)
        inner *= gspmd->dims[d];
    place /= inner;
    for (int d = query->rank - 1; d >= 0; d--) {
        int64_t tiles = is_tiled ? gspmd->dims[d] : 1, size = query->dims[d];
        int64_t step = (size + tiles - 1) / tiles;
        int64_t start = place % tiles * step;
        place /= tiles;
        tile[2 * d] = start < size ? start : size;
        tile[2 * d + 1] = start + step < size ? start + step : size;
    }
}

static void set_tiles(Writer *writer, const GspmdSharding *gspmd, const Mesh *mesh) {
    const NotationQuery *query = writer->query;
    Notations *out = writer->out;
    bool is_placed = gspmd->kind == GSPMD_TILED || gspmd->kind == GSPMD_REPLICATED ||
                     gspmd->kind == GSPMD_UNREDUCED;
    int64_t count = gspmd->device_count;
    if (count == 0 && mesh && !mesh_is_maximal(mesh)) count = mesh_device_count(mesh);
    if (!is_placed || !query->dims || count == 0 || count > GSPMD_MAX_DEVICES) return;
    int64_t *tiles = ARENA_ARRAY(writer->arena, int64_t, count * query->rank * 2 + 1);
    for (int64_t p = 0; p < count; p++) {
        int64_t device = gspmd->devices ? gspmd->devices[p] : p;
        set_tile(query, gspmd, p, tiles + device * query->rank * 2);
    }
    out->device_count = count;
    out->tiles = tiles;
}

// ---- one sharding ----

static bool has_unreduced(const GspmdSharding *gspmd) {
    bool found = gspmd->kind == GSPMD_UNREDUCED;
    for (int i = 0; i < gspmd->group_count; i++)
        found = found || gspmd->groups[i] == GSPMD_UNREDUCED;
    return found;
}

// Everything from both forms; mesh and sharding may be NULL.
static void write_all(
    Writer *writer, const GspmdSharding *gspmd, const Mesh *mesh, const Sharding *sharding) {
    Notations *out = writer->out;
    StrBuf v1 = strbuf(writer->arena), v2 = strbuf(writer->arena);
    out->gspmd = gspmd;
    if (mesh) {
        StrBuf text = strbuf(writer->arena);
        mesh_print(&text, mesh);
        out->mesh = strbuf_view(&text);
    }
    if (sharding) {
        StrBuf text = strbuf(writer->arena);
        sharding_print(&text, sharding);
        out->sdy = strbuf_view(&text);
        out->spec = partition_spec(writer->arena, sharding);
    }
    // device lists are older than unreduced groups, and no reader of them expects one
    if (!has_unreduced(gspmd) && gspmd_print(&v1, gspmd, GSPMD_V1)) out->v1 = strbuf_view(&v1);
    if (gspmd_print(&v2, gspmd, GSPMD_V2)) out->v2 = strbuf_view(&v2);
    set_tiles(writer, gspmd, mesh);
}

static bool check_rank(Writer *writer, int rank) {
    if (writer->query->rank < 0 || writer->query->rank == rank) {
        writer->out->rank = rank;
        return true;
    }
    diag_error(
        writer->diags, NULL, "the sharding is of rank %d, but the shape has %d dimensions", rank,
        writer->query->rank);
    return false;
}

static const Mesh *maximal_mesh(Context *context, int64_t device) {
    Mesh made = {.id_count = 1, .device_ids = &device};
    return mesh_intern(context, &made);
}

static bool write_gspmd(Writer *writer, const GspmdSharding *gspmd) {
    GspmdMesh mesh = {.arena = writer->arena};
    Context *context = writer->context;
    const Mesh *given = writer->query->mesh;
    bool is_tiled = gspmd->kind == GSPMD_TILED;
    int rank = is_tiled ? gspmd->dim_count - gspmd->group_count
                        : (writer->query->rank >= 0 ? writer->query->rank : 0);
    if (!check_rank(writer, rank)) return false;
    if (gspmd->kind == GSPMD_MAXIMAL) {
        const Mesh *maximal = maximal_mesh(context, gspmd->device);
        Sharding made = {.mesh_name = context_name(context, SV("mesh"))};
        write_all(writer, gspmd, maximal, sharding_intern(context, &made));
        return true;
    }
    if (!gspmd_mesh_add(&mesh, gspmd)) return fail(writer->diags, "has no mesh");
    const Mesh *used = given;
    if (given && !gspmd_mesh_use(&mesh, given))
        return fail(writer->diags, "the mesh has another number of devices than the sharding");
    if (!given && mesh.device_count > 0 && gspmd_mesh_make(&mesh, context)) used = mesh.mesh;
    mesh.mesh = used;
    const Sharding *sharding = NULL;
    StrView name = context_name(context, SV("mesh"));
    if (used)
        sharding = gspmd_to_sharding(&mesh, context, name, gspmd, rank, 0);
    else if (gspmd->kind == GSPMD_REPLICATED)
        sharding = sharding_replicated(context, name, rank);
    write_all(writer, gspmd, used, sharding);
    return true;
}

// ---- Shardy's text ----

// The name behind the @ of <@mesh, ..>; empty where there is none.
static StrView mesh_symbol(StrView text) {
    const char *at = text.size ? memchr(text.data, '@', text.size) : NULL;
    const char *end = text.data + text.size;
    if (!at) return SV("");
    const char *p = ++at;
    while (p < end && *p != ',' && *p != '>' && *p != ' ')
        p++;
    return (StrView){at, (size_t)(p - at)};
}

// The sharding as that of an argument of a program, which the verifier then
// checks; NULL with a diagnostic.
static const Sharding *verified(Writer *writer, const Sharding *read, const Mesh **mesh) {
    StrView symbol = mesh_symbol(writer->query->text);
    StrBuf text = strbuf(writer->arena);
    if (!read->mesh) {
        strbuf_printf(&text, "sdy.mesh @%.*s = ", SV_ARG(symbol));
        mesh_print(&text, writer->query->mesh);
        strbuf_putc(&text, '\n');
    }
    strbuf_puts(&text, "func.func @main(%arg0: tensor<");
    for (int d = 0; d < read->rank; d++)
        strbuf_puts(&text, "1x");
    strbuf_puts(&text, "f32> {sdy.sharding = ");
    sharding_print(&text, read);
    strbuf_puts(&text, "}) {\n  return\n}\n");
    Diags *own = diags_create(writer->arena);
    ReadOptions options = {.file = SV("sharding")};
    Module *module =
        frontend_read(writer->context, writer->arena, strbuf_view(&text), &options, own);
    if (!module) {
        diag_error(writer->diags, NULL, "%.*s", SV_ARG(own->first->message));
        return NULL;
    }
    const Sharding *sharding = func_body(module_entry(module, SV("")))->args[0]->sharding;
    *mesh = sharding_mesh(module, sharding);
    return sharding;
}

// #sdy.sharding<..>, on the mesh that is given, or inline.
static const Sharding *read_shardy(Writer *writer, const Mesh **mesh) {
    const NotationQuery *query = writer->query;
    Module *module = module_create(writer->context, writer->arena);
    const Sharding *sharding =
        frontend_read_sharding(module, writer->arena, query->text, writer->diags);
    if (!sharding) return NULL;
    if (!sharding->mesh && !query->mesh) {
        StrView symbol = mesh_symbol(query->text);
        diag_error(
            writer->diags, NULL,
            "the sharding needs the axes of @%.*s: give them with --mesh=x=2,y=4", SV_ARG(symbol));
        return NULL;
    }
    sharding = verified(writer, sharding, mesh);
    if (!sharding) return NULL;
    Sharding named = *sharding;
    named.mesh = NULL;
    named.mesh_name = context_name(writer->context, SV("mesh"));
    return sharding_intern(writer->context, &named);
}

static bool write_shardy(Writer *writer) {
    const Mesh *mesh = NULL;
    const Sharding *sharding = read_shardy(writer, &mesh);
    GspmdSharding *gspmd = ARENA_NEW(writer->arena, GspmdSharding);
    if (!sharding) return false;
    if (!mesh_is_maximal(mesh) && !check_rank(writer, sharding->rank)) return false;
    if (!gspmd_from_sharding(writer->arena, mesh, sharding, (AxisSpan){0, NULL}, gspmd))
        return fail(writer->diags, "meshes of more than 65536 devices are not supported");
    write_all(writer, gspmd, mesh, sharding);
    return true;
}

static bool is_shardys(StrView text) {
    while (text.size > 0 && (*text.data == ' ' || *text.data == '\n')) {
        text.data++;
        text.size--;
    }
    return text.size > 0 && (*text.data == '#' || *text.data == '<');
}

const Notations *sharding_notations(
    Context *context, Arena *arena, const NotationQuery *query, int *count, Diags *diags) {
    NotationQuery asked = *query;
    Writer writer = {context, arena, &asked, diags, ARENA_NEW(arena, Notations)};
    *count = 1;
    if (is_shardys(query->text)) return write_shardy(&writer) ? writer.out : NULL;
    GspmdSharding *gspmd = ARENA_NEW(arena, GspmdSharding);
    const char *problem = NULL;
    if (query->text.size == 0 || !gspmd_parse(arena, query->text, gspmd, &problem)) {
        diag_error(diags, NULL, "the text is no sharding: %s", problem ? problem : "it is empty");
        return NULL;
    }
    if (gspmd->kind != GSPMD_TUPLE) return write_gspmd(&writer, gspmd) ? writer.out : NULL;
    Notations *parts = ARENA_ARRAY(arena, Notations, (int64_t)gspmd->part_count + 1);
    *count = gspmd->part_count;
    for (int i = 0; i < gspmd->part_count; i++) {
        writer.out = &parts[i];
        if (!write_gspmd(&writer, &gspmd->parts[i])) return NULL;
    }
    return parts;
}
