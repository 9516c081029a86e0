// lift_inlined_meshes: every mesh has one name, and every sharding names its mesh.
//
//   In      any verified module
//   Out     no inlined mesh; sdy.mesh ops with equal meshes are one; each has its axes as
//           a stablehlo.mesh attribute too
//   Names   mesh, mesh_0 ...; maximal_mesh_{id}; empty_mesh
//
// With it: removing axes of size one, and the way back, inlining meshes.
#include "base/map.h"
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "ir/print/attr_print.h"
#include "ir/sharding/group_mesh.h"
#include "ir/verify/verify.h"
#include "partition/passes.h"

typedef struct Lifting {
    Module *module;
    PassContext *pass;
    PtrMap names;   // Mesh -> its sdy.mesh op
    StrMap renamed; // name of an erased duplicate -> the op that stays
    StrMap symbols; // names in use
    int next_suffix;
    Op *last_mesh;
    bool is_wrong; // the mesh of some replica groups is
} Lifting;

static StrView unique_name(Lifting *lifting, StrView wanted) {
    StrView name = context_name(lifting->module->context, wanted);
    while (str_map_get(&lifting->symbols, name)) {
        name = context_name_printf(
            lifting->module->context, "%.*s_%d", SV_ARG(wanted), lifting->next_suffix++);
    }
    return name;
}

static Op *create_mesh(Lifting *lifting, const Mesh *mesh) {
    Module *module = lifting->module;
    StrView wanted = SV("mesh");
    if (mesh_is_maximal(mesh)) {
        wanted = context_name_printf(
            module->context, "maximal_mesh_%lld", (long long)mesh->device_ids[0]);
    } else if (mesh->axis_count == 0) {
        wanted = SV("empty_mesh");
    }
    StrView name = unique_name(lifting, wanted);
    Builder builder = {
        .module = module,
        .region = module->body,
        .before = lifting->last_mesh ? lifting->last_mesh->next : module->body->first,
        .loc = module->op->loc};
    Op *op = build_op(&builder, OP_SDY_MESH, 0, NULL, 0, NULL, 0);
    Attr prototype = {.kind = ATTR_MESH, .mesh = mesh};
    op_set_attr(module, op, NAME_SYM_NAME, attr_string(module->context, name));
    op_set_attr(module, op, NAME_MESH, attr_intern(module->context, &prototype));
    str_map_set(&lifting->symbols, name, op);
    lifting->last_mesh = op;
    return op;
}

// The op of an inlined mesh.
static Op *named_mesh(Lifting *lifting, const Mesh *mesh) {
    Op *op = ptr_map_get(&lifting->names, mesh);
    if (op) return op;
    op = create_mesh(lifting, mesh);
    ptr_map_set(&lifting->names, mesh, op);
    return op;
}

static const Sharding *lift(const Sharding *sharding, const ShardingPlace *place, void *user) {
    (void)place;
    Lifting *lifting = user;
    const Op *op = sharding->mesh ? named_mesh(lifting, sharding->mesh)
                                  : str_map_get(&lifting->renamed, sharding->mesh_name);
    if (!op) return sharding;
    Sharding named = *sharding;
    named.mesh = NULL;
    named.mesh_name = context_name(lifting->module->context, op_text(op, NAME_SYM_NAME));
    return sharding_intern(lifting->module->context, &named);
}

// Writes another mesh, a name or a mesh in place, into replica groups by mesh axes.
static void group_mesh_replace(
    Module *module, Arena *arena, Op *op, const GroupMesh *groups, StrView mesh) {
    StrBuf text = strbuf(arena);
    strbuf_append(&text, groups->before);
    strbuf_append(&text, mesh);
    strbuf_append(&text, groups->after);
    Attr replaced = {.kind = ATTR_OPAQUE, .text = strbuf_view(&text)};
    op_set_attr(module, op, NAME_REPLICA_GROUPS, attr_intern(module->context, &replaced));
}

// The groups of a StableHLO collective by axes of a mesh name it, too.
static bool lift_group_mesh(Op *op, void *user) {
    Lifting *lifting = user;
    Module *module = lifting->module;
    GroupMesh groups;
    if (!op_has(op, TRAIT_COLLECTIVE) ||
        !group_mesh_find(op_attr(op, NAME_REPLICA_GROUPS), &groups))
        return true;
    const Op *mesh_op = str_map_get(&lifting->renamed, groups.name);
    if (groups.mesh.size > 0) {
        const Mesh *mesh = group_mesh_read(module->context, lifting->pass->scratch, groups.mesh);
        if (!mesh) {
            diag_error(
                lifting->pass->diags, op->loc, "cannot read the mesh of its replica groups: %.*s",
                SV_ARG(groups.mesh));
            lifting->is_wrong = true;
            return true;
        }
        bool is_new = !ptr_map_has(&lifting->names, mesh);
        Op *named = named_mesh(lifting, mesh);
        if (is_new) named->loc = op->loc;
        lifting->is_wrong |= is_new && !verify_op(module, named, lifting->pass->diags);
        mesh_op = named;
    }
    if (!mesh_op) return true;
    StrBuf name = strbuf(lifting->pass->scratch);
    print_symbol(&name, op_text(mesh_op, NAME_SYM_NAME));
    group_mesh_replace(module, lifting->pass->scratch, op, &groups, strbuf_view(&name));
    return true;
}

// {axes = [{name = "x", size = 2 : i64}, ..], device_ids = dense<..>}
static const Attr *stablehlo_mesh(Module *module, const Mesh *mesh) {
    Context *context = module->context;
    const Attr *axes[MAX_AXES];
    for (int i = 0; i < mesh->axis_count; i++) {
        const StrView names[2] = {SV("name"), SV("size")};
        const Attr *items[2] = {
            attr_string(context, mesh->axes[i].name),
            attr_int(context, mesh->axes[i].size, ELEMENT_I64)};
        axes[i] = attr_dict(context, 2, names, items);
    }
    const StrView names[2] = {SV("axes"), SV("device_ids")};
    const Attr *items[2] = {attr_array(context, mesh->axis_count, axes), NULL};
    if (mesh->id_count > 0) {
        const Type *type = type_tensor(context, ELEMENT_I64, 1, &mesh->id_count);
        items[1] = attr_elements(
            context, type, false, mesh->device_ids,
            (size_t)mesh->id_count * sizeof *mesh->device_ids);
    }
    return attr_dict(context, mesh->id_count > 0 ? 2 : 1, names, items);
}

PassResult pass_lift_inlined_meshes(Module *module, PassContext *pass) {
    Lifting lifting = {
        .module = module,
        .pass = pass,
        .names = ptr_map(pass->scratch),
        .renamed = str_map(pass->scratch),
        .symbols = str_map(pass->scratch)};
    for (Op *op = module->body->first, *next; op; op = next) {
        next = op->next;
        StrView name = op_text(op, NAME_SYM_NAME);
        const Attr *mesh = op_attr(op, NAME_MESH);
        if (op->code != OP_SDY_MESH || !mesh) {
            if (name.size > 0) str_map_set(&lifting.symbols, name, op);
            continue;
        }
        Op *same = ptr_map_get(&lifting.names, mesh->mesh);
        if (same) {
            str_map_set(&lifting.renamed, name, same);
            op_erase(op);
            continue;
        }
        ptr_map_set(&lifting.names, mesh->mesh, op);
        str_map_set(&lifting.symbols, name, op);
        lifting.last_mesh = op;
    }
    module_map_shardings(module, lift, &lifting);
    region_walk(module->body, lift_group_mesh, &lifting);
    if (lifting.is_wrong) return PASS_FAILED;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH || op_extra(op, "stablehlo.mesh")) continue;
        op_set_extra(
            module, op, SV("stablehlo.mesh"), stablehlo_mesh(module, op_attr(op, NAME_MESH)->mesh));
    }
    return PASS_CHANGED;
}

typedef struct MeshUser {
    Module *module;
    Arena *arena;
    bool changed;
} MeshUser;

static int drop_size_one(
    Arena *arena, const Mesh *mesh, int count, const AxisRef *axes, const AxisRef **kept) {
    AxisRef *list = ARENA_ARRAY(arena, AxisRef, count);
    int kept_count = 0;
    for (int i = 0; i < count; i++) {
        if (axis_ref_size(mesh, &axes[i]) != 1) list[kept_count++] = axes[i];
    }
    *kept = list;
    return kept_count;
}

static const Sharding *remove_size_one(
    const Sharding *sharding, const ShardingPlace *place, void *user) {
    (void)place;
    MeshUser *context = user;
    const Mesh *mesh = sharding_mesh(context->module, sharding);
    if (!mesh) return sharding;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        dims[d] = sharding->dims[d];
        dims[d].axis_count = drop_size_one(
            context->arena, mesh, sharding->dims[d].axis_count, sharding->dims[d].axes,
            &dims[d].axes);
        // A closed empty dim has no priority.
        if (dims[d].axis_count == 0 && !dims[d].is_open) dims[d].priority = PRIORITY_NONE;
    }
    Sharding left = *sharding;
    left.dims = dims;
    left.replicated_count = drop_size_one(
        context->arena, mesh, sharding->replicated_count, sharding->replicated, &left.replicated);
    left.unreduced_count = drop_size_one(
        context->arena, mesh, sharding->unreduced_count, sharding->unreduced, &left.unreduced);
    return sharding_intern(context->module->context, &left);
}

static AxisSpan span_without_size_one(Arena *arena, const Mesh *mesh, AxisSpan span) {
    AxisSpan left;
    left.count = drop_size_one(arena, mesh, span.count, span.axes, &left.axes);
    return left;
}

// A collective's axes without those of size one; *left: how many there are.
static const Attr *axes_without_size_one(
    const MeshUser *context, const Mesh *mesh, const Attr *attr, int *left) {
    Attr changed = *attr;
    *left = 0;
    if (attr->kind == ATTR_AXES) {
        changed.count = *left =
            drop_size_one(context->arena, mesh, attr->count, attr->axes, &changed.axes);
    } else if (attr->kind == ATTR_AXES_PER_DIM) {
        AxisSpan *lists = ARENA_ARRAY(context->arena, AxisSpan, attr->count + 1);
        for (int d = 0; d < attr->count; d++) {
            lists[d] = span_without_size_one(context->arena, mesh, attr->axes_per_dim[d]);
            *left += lists[d].count;
        }
        changed.axes_per_dim = lists;
    } else if (attr->kind == ATTR_ALL_TO_ALL) {
        AllToAllParam *params = ARENA_ARRAY(context->arena, AllToAllParam, attr->count + 1);
        for (int i = 0; i < attr->count; i++) {
            params[*left] = attr->all_to_all[i];
            params[*left].axes =
                span_without_size_one(context->arena, mesh, attr->all_to_all[i].axes);
            *left += params[*left].axes.count > 0;
        }
        changed.all_to_all = params;
        changed.count = *left;
    }
    return attr_intern(context->module->context, &changed);
}

// A collective over axes of size one alone is its operand.
static bool remove_from_collective(Op *op, void *user) {
    MeshUser *context = user;
    if (!op_is_sdy_collective(op)) return true;
    Value *result = op_result(op, 0);
    const Mesh *mesh = result->sharding ? sharding_mesh(context->module, result->sharding) : NULL;
    AttrName name = op->code == OP_SDY_ALL_TO_ALL ? NAME_PARAMS : NAME_AXES;
    const Attr *attr = op_attr(op, name);
    if (!mesh || !attr) return true;
    int left;
    const Attr *changed = axes_without_size_one(context, mesh, attr, &left);
    if (changed == attr) return true;
    context->changed = true;
    if (left > 0) {
        op_set_attr(context->module, op, name, changed);
        return true;
    }
    value_replace_uses(result, op_operand(op, 0));
    op_erase(op);
    return true;
}

PassResult pass_remove_size_one_axes(Module *module, PassContext *pass) {
    bool any = false;
    for (const Op *op = module->body->first; op; op = op->next) {
        const Mesh *mesh = op_mesh(op);
        for (int i = 0; mesh && i < mesh->axis_count; i++)
            any |= mesh->axes[i].size == 1;
    }
    if (!any) return PASS_UNCHANGED;
    MeshUser user = {.module = module, .arena = pass->scratch};
    user.changed = module_map_shardings(module, remove_size_one, &user);
    region_walk(module->body, remove_from_collective, &user);
    return user.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

static const Sharding *write_mesh(
    const Sharding *sharding, const ShardingPlace *place, void *user) {
    (void)place;
    const Module *module = user;
    const Mesh *mesh = sharding_mesh(module, sharding);
    if (sharding->mesh || !mesh) return sharding;
    Sharding inlined = *sharding;
    inlined.mesh = mesh;
    inlined.mesh_name = (StrView){0};
    return sharding_intern(module->context, &inlined);
}

// #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>
static void print_stablehlo_mesh(StrBuf *out, const Mesh *mesh) {
    strbuf_puts(out, "#stablehlo.mesh<axes=[");
    for (int i = 0; i < mesh->axis_count; i++) {
        strbuf_puts(out, i ? ", <name = " : "<name = ");
        axis_ref_print(out, &(AxisRef){.name = mesh->axes[i].name, .pre_size = 1});
        strbuf_printf(out, ", size = %lld>", (long long)mesh->axes[i].size);
    }
    strbuf_putc(out, ']');
    for (int64_t i = 0; i < mesh->id_count; i++)
        strbuf_printf(
            out, "%s%lld", i ? ", " : ", device_ids=dense<[", (long long)mesh->device_ids[i]);
    if (mesh->id_count > 0) strbuf_printf(out, "]> : tensor<%lldxi64>", (long long)mesh->id_count);
    strbuf_putc(out, '>');
}

// A collective over axes of a mesh that it names gets the mesh itself.
static bool write_group_mesh(Op *op, void *user) {
    const MeshUser *context = user;
    GroupMesh groups;
    if (!group_mesh_find(op_attr(op, NAME_REPLICA_GROUPS), &groups)) return true;
    const Mesh *mesh = groups.name.size > 0 ? module_find_mesh(context->module, groups.name) : NULL;
    if (!mesh) return true;
    StrBuf text = strbuf(context->arena);
    print_stablehlo_mesh(&text, mesh);
    group_mesh_replace(context->module, context->arena, op, &groups, strbuf_view(&text));
    return true;
}

PassResult pass_inline_meshes(Module *module, PassContext *pass) {
    MeshUser user = {.module = module, .arena = pass->scratch};
    module_map_shardings(module, write_mesh, module);
    region_walk(module->body, write_group_mesh, &user);
    for (Op *op = module->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_SDY_MESH) op_erase(op);
    }
    return PASS_CHANGED;
}
