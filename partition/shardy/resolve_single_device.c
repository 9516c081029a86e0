// resolve_single_device: what lives on one device is computed there, and sent to the others.
//
//   In      exact shardings; ops with a result over the mesh of one device stand between
//           reshards (insert_explicit_reshards)
//   Out     such an op is the branch of an stablehlo.if that the device takes; the others take
//           zeros. An all_reduce over the program's mesh gives all devices the sum.
//   Keeps   ops in programs without another mesh, and ops with results that have no zero
//   Options replica-count: devices are replicas, not partitions
//
//   before  %1 = sdy.reshard %0 <@device_1, []>
//           %2 = stablehlo.custom_call @f(%1) {sharding = <@device_1, []>}
//           %3 = sdy.reshard %2 <@mesh, [{}]>
//   after   %1 = stablehlo.compare EQ, %partition_id, 1
//           %2 = stablehlo.if(%1) { stablehlo.return stablehlo.custom_call @f(%0) }
//                            else { stablehlo.return 0.0 }
//           %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}]>
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"
#include "partition/shardy/single_device.h"

typedef struct Resolver {
    Module *module;
    Diags *diags;
    Arena *scratch;
    bool is_by_replica;
    VEC(Op *) ops;
} Resolver;

static bool is_foreign(const Module *module, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    return mesh && mesh_is_maximal(mesh);
}

// Can the other devices stand in with zeros, or with tokens?
static bool has_zero(const Type *type) {
    if (type->kind == TYPE_TOKEN) return true;
    return type->kind == TYPE_TENSOR && type_is_static(type) && !type->quant &&
           type->element != ELEMENT_F8E8M0FNU;
}

static bool collect(Op *op, void *user) {
    Resolver *resolver = user;
    if (op_dialect(op) == DIALECT_SDY || op->code == OP_FUNC) return true;
    if (!op_is_on_single_device(resolver->module, op)) return true;
    for (int i = 0; i < op->result_count; i++) {
        if (!has_zero(op_result_type(op, i))) return true;
    }
    vec_push(resolver->scratch, &resolver->ops, op);
    return true;
}

// Is this the device?
static Value *build_guard(const Resolver *resolver, Builder *builder, int64_t device) {
    Context *context = resolver->module->context;
    const Type *type = type_scalar(context, ELEMENT_UI32);
    OpCode code = resolver->is_by_replica ? OP_REPLICA_ID : OP_PARTITION_ID;
    Value *id = op_result(build_op(builder, code, 0, NULL, 1, &type, 0), 0);
    id = build_convert(builder, id, ELEMENT_I64);
    Value *wanted = build_splat_int(builder, type_scalar(context, ELEMENT_I64), device);
    Value *guard = build_compare(builder, DIRECTION_EQ, id, wanted);
    op_set_attr(resolver->module, guard->def, NAME_COMPARE_TYPE, NULL); // follows from the elements
    return guard;
}

// The op itself, on what its operands were before they were brought to the device.
static void fill_branch(Resolver *resolver, Region *branch, const Op *op) {
    Module *module = resolver->module;
    Builder builder = builder_at_end(module, branch);
    builder.loc = op->loc;
    PtrMap values = ptr_map(resolver->scratch);
    Op *clone = op_clone(&builder, op, &values);
    Value **results = ARENA_ARRAY(resolver->scratch, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++) {
        results[i] = op_result(clone, i);
        results[i]->sharding = NULL;
    }
    for (int i = 0; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        if (def && def->code == OP_SDY_RESHARD && is_foreign(module, def->results[0].sharding))
            op_set_operand(clone, i, op_operand(def, 0));
    }
    build_return(&builder, OP_RETURN, op->result_count, results);
}

static void fill_otherwise(Resolver *resolver, Region *branch, const Op *op) {
    Builder builder = builder_at_end(resolver->module, branch);
    builder.loc = op->loc;
    Value **results = ARENA_ARRAY(resolver->scratch, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        results[i] = type->kind == TYPE_TOKEN
                         ? op_result(build_op(&builder, OP_CREATE_TOKEN, 0, NULL, 1, &type, 0), 0)
                         : build_splat(&builder, type, 0);
    }
    build_return(&builder, OP_RETURN, op->result_count, results);
}

static const Attr *all_axes(Context *context, const Mesh *mesh) {
    AxisRef axes[MAX_AXES];
    for (int a = 0; a < mesh->axis_count; a++)
        axes[a] = (AxisRef){.name = mesh->axes[a].name, .pre_size = 1};
    return attr_axes(context, mesh->axis_count, axes);
}

// The result on all devices, in place of the op's and of reshards that bring it there.
static void share_result(
    const Resolver *resolver, Builder *builder, Value *result, Value *own, const Op *mesh) {
    Module *module = resolver->module;
    if (own->type->kind != TYPE_TENSOR) {
        value_replace_uses(result, own);
        return;
    }
    const Sharding *on_all =
        sharding_replicated(module->context, op_text(mesh, NAME_SYM_NAME), result->type->rank);
    Op *sum = build_op(builder, OP_SDY_ALL_REDUCE, 1, &own, 1, &own->type, 0);
    op_set_attr(module, sum, NAME_AXES, all_axes(module->context, op_attr(mesh, NAME_MESH)->mesh));
    Value *shared = op_result(sum, 0);
    shared->sharding = on_all;
    for (Use *use = result->uses, *next; use; use = next) {
        next = use->next;
        Op *user = use->owner;
        if (user->code != OP_SDY_RESHARD || user->results[0].sharding != on_all) continue;
        value_replace_uses(op_result(user, 0), shared);
        op_erase(user);
    }
    value_replace_uses(result, shared);
}

static void erase_unused_reshards(const Resolver *resolver, Op *op) {
    for (int i = op->operand_count - 1; i >= 0; i--) {
        Op *def = op_operand(op, i)->def;
        bool is_way = def && def->code == OP_SDY_RESHARD &&
                      is_foreign(resolver->module, def->results[0].sharding);
        if (!is_way || value_use_count(op_result(def, 0)) > 1) continue;
        op_remove_operand(op, i);
        op_erase(def);
    }
}

static bool resolve(Resolver *resolver, Op *op, const Op *mesh) {
    Module *module = resolver->module;
    const Sharding *sharding = single_device_of(module, op, resolver->diags);
    if (!sharding) return false;
    const Mesh *device = sharding_mesh(module, sharding);
    Builder builder = builder_before(module, op);
    Value *guard = build_guard(resolver, &builder, device->device_ids[0]);
    const Type **types = ARENA_ARRAY(resolver->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    Op *choice = build_op(&builder, OP_IF, 1, &guard, op->result_count, types, 2);
    fill_branch(resolver, choice->regions[0], op);
    fill_otherwise(resolver, choice->regions[1], op);
    for (int i = 0; i < op->result_count; i++)
        share_result(resolver, &builder, op_result(op, i), op_result(choice, i), mesh);
    erase_unused_reshards(resolver, op);
    op_erase(op);
    return true;
}

PassResult pass_resolve_single_device_sharding(Module *module, PassContext *pass) {
    Resolver resolver = {.module = module, .diags = pass->diags, .scratch = pass->scratch};
    resolver.is_by_replica = pass_count(pass, "replica-count") > 1;
    const Op *mesh = module_global_mesh(module);
    if (!mesh) return PASS_UNCHANGED;
    region_walk(module->body, collect, &resolver);
    for (int64_t i = 0; i < resolver.ops.count; i++) {
        if (!resolve(&resolver, resolver.ops.data[i], mesh)) return PASS_FAILED;
    }
    return resolver.ops.count > 0 ? PASS_CHANGED : PASS_UNCHANGED;
}
