// partition_calls: custom calls that their host partitions.
//
//   In      every sharding is exact. The context's partitioner may be NULL: nobody is asked
//   Out     a call of a name that it knows is a manual computation along all axes, which
//           takes and gives arrays as the partitioner says; its body is the
//           partitioner's program of one device. InspectSharding, which shows the partitioner
//           how its operand lies, is gone
//   Fails   where the partitioner does, or its program does not fit the call; on a
//           call inside a manual computation
//
//   before  %1 = stablehlo.custom_call @f(%0) {sharding = [{"x"}]}      %0: [{"x"}]
//   after   %1 = sdy.manual_computation(%0) in=[[{"x"}]] out=[[{"x"}]] manual_axes={"x"} (%a) {
//             sdy.return %body
//           }
#include "partition/partition_calls.h"

#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"

typedef struct Partitioning {
    Module *module;
    PassContext *pass;
    VEC(Op *) calls;
} Partitioning;

static bool is_inspection(const Op *op) {
    bool fits = op->code == OP_CUSTOM_CALL && op->operand_count == 1 && op->result_count <= 1 &&
                strview_is(op_text(op, NAME_CALL_TARGET_NAME), "InspectSharding");
    return fits && (op->result_count == 0 || op_result_type(op, 0) == op_operand_type(op, 0));
}

static bool is_known(const Partitioning *partitioning, const Op *op) {
    const CallPartitioner *partitioner = partitioning->pass->partitioner;
    return partitioner && module_device_count(partitioning->module) > 1 &&
           partitioner->knows(partitioner->user, op_text(op, NAME_CALL_TARGET_NAME));
}

static bool collect(Op *op, void *user) {
    Partitioning *partitioning = user;
    if (op->code == OP_CUSTOM_CALL && (is_inspection(op) || is_known(partitioning, op)))
        vec_push(partitioning->pass->scratch, &partitioning->calls, op);
    return true;
}

static bool refuse(const Partitioning *partitioning, const Op *op, const char *why) {
    diag_unsupported(
        partitioning->pass->diags, op->loc, "custom call @%.*s cannot be partitioned: %s",
        SV_ARG(op_text(op, NAME_CALL_TARGET_NAME)), why);
    return false;
}

// The mesh of an array, else any of all devices.
static StrView mesh_of(const Module *module, const Op *op) {
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        const Value *value =
            i < op->operand_count ? op_operand(op, i) : op_result(op, i - op->operand_count);
        const Mesh *mesh = value->sharding ? sharding_mesh(module, value->sharding) : NULL;
        if (mesh && !mesh_is_maximal(mesh)) return value->sharding->mesh_name;
    }
    for (const Op *other = module->body->first; other; other = other->next) {
        if (other->code != OP_SDY_MESH) continue;
        StrView name = op_text(other, NAME_SYM_NAME);
        const Mesh *mesh = module_find_mesh(module, name);
        if (!mesh_is_maximal(mesh) && mesh_device_count(mesh) == module_device_count(module))
            return name;
    }
    return (StrView){"", 0};
}

static bool is_inside_manual(const Op *op) {
    for (const Region *region = op->parent; region && region->owner;
         region = region->owner->parent) {
        if (region->owner->code == OP_SDY_MANUAL) return true;
    }
    return false;
}

// Whole where the partitioner says nothing.
static const Sharding *sharding_of(
    Context *context, StrView mesh, const Value *value, const Sharding *made) {
    return made ? made : sharding_replicated(context, mesh, value->type->rank);
}

static void complete_shardings(
    Arena *arena, Context *context, StrView mesh, const Op *op, CallPartition *made) {
    const Sharding **operands = ARENA_ARRAY(arena, const Sharding *, op->operand_count + 1);
    const Sharding **results = ARENA_ARRAY(arena, const Sharding *, op->result_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = sharding_of(context, mesh, op_operand(op, i), made->operands[i]);
    for (int i = 0; i < op->result_count; i++)
        results[i] = sharding_of(context, mesh, op_result(op, i), made->results[i]);
    made->operands = operands;
    made->results = results;
}

// ---- the body ----

// Calls and CHLO's ops are none of the passes' that follow.
static bool flatten_body(const Partitioning *partitioning, Module *body) {
    PassContext pass = *partitioning->pass;
    const Pass *pipeline = pass.pass->inner;
    pass.module = body;
    pass.scratch = arena_child(pass.scratch);
    pass.log = NULL;
    pass.program = NULL;
    pass.option_count = 0;
    return pass_run(pipeline, &pass) != PASS_FAILED;
}

// One device's part of an array; NULL: the parts are not equal.
static const Type *part_type(
    Context *context, const Mesh *mesh, const Type *type, const Sharding *sharding) {
    int64_t dims[MAX_RANK];
    if (type->kind != TYPE_TENSOR) return type;
    for (int d = 0; d < type->rank; d++) {
        int64_t parts = 1;
        for (int a = 0; a < sharding->dims[d].axis_count; a++)
            parts *= axis_ref_size(mesh, &sharding->dims[d].axes[a]);
        if (type->dims[d] % parts != 0) return NULL;
        dims[d] = type->dims[d] / parts;
    }
    return type_with_dims(context, type, type->rank, dims);
}

static const char *body_problem(
    const Partitioning *partitioning, const Op *op, const Region *body, const Mesh *mesh,
    const CallPartition *made) {
    Context *context = partitioning->module->context;
    const Op *end = region_terminator(body);
    if (body->arg_count != op->operand_count || end->operand_count != op->result_count)
        return "its partitioner's program has other numbers of arguments or results";
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        int r = i - op->operand_count;
        bool is_operand = r < 0;
        const Type *whole = is_operand ? op_operand_type(op, i) : op_result_type(op, r);
        const Type *given = is_operand ? body->args[i]->type : op_operand_type(end, r);
        const Sharding *sharding = is_operand ? made->operands[i] : made->results[r];
        const Type *part = part_type(context, mesh, whole, sharding);
        if (!part) return "its partitioner's tiles do not divide an array evenly";
        if (part != given)
            return "its partitioner's program takes or gives other parts than its shardings say";
    }
    return NULL;
}

// ---- calls ----

static void insert_manual(
    const Partitioning *partitioning, Op *op, const Mesh *mesh, const Region *body,
    const CallPartition *made) {
    Module *module = partitioning->module;
    Arena *scratch = partitioning->pass->scratch;
    Builder builder = builder_before(module, op);
    const Type **types = ARENA_ARRAY(scratch, const Type *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    Value **operands = ARENA_ARRAY(scratch, Value *, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = op_operand(op, i);
    Op *manual =
        build_op(&builder, OP_SDY_MANUAL, op->operand_count, operands, op->result_count, types, 1);
    region_set_shardings(module, manual, NAME_IN_SHARDINGS, op->operand_count, made->operands);
    region_set_shardings(module, manual, NAME_OUT_SHARDINGS, op->result_count, made->results);
    AxisRef axes[MAX_AXES];
    for (int i = 0; i < mesh->axis_count; i++)
        axes[i] = (AxisRef){.name = mesh->axes[i].name, .pre_size = 1};
    const Attr *all = attr_axes(module->context, mesh->axis_count, axes);
    op_set_attr(module, manual, NAME_MANUAL_AXES, all);
    PtrMap values = ptr_map(scratch);
    region_clone_into(module, manual->regions[0], body, &values);
    region_set_return(manual->regions[0], OP_SDY_RETURN);
    for (int i = 0; i < op->result_count; i++) {
        op_result(manual, i)->sharding = made->results[i];
        value_replace_uses(op_result(op, i), op_result(manual, i));
    }
    op_erase(op);
}

static bool replace_by_operands(Op *op) {
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), op_operand(op, i));
    op_erase(op);
    return true;
}

static bool partition_call(Partitioning *partitioning, Op *op) {
    Module *module = partitioning->module;
    bool is_asked = is_known(partitioning, op) && !is_inside_manual(op);
    if (is_inspection(op) && !is_asked) return replace_by_operands(op);
    Arena *scratch = partitioning->pass->scratch;
    const CallPartitioner *partitioner = partitioning->pass->partitioner;
    if (is_inside_manual(op)) return refuse(partitioning, op, "it stands in a manual computation");
    StrView name = mesh_of(module, op);
    if (name.size == 0 && is_inspection(op)) return replace_by_operands(op);
    if (name.size == 0) return refuse(partitioning, op, "there is no mesh of all devices");
    CallPartition made = {0};
    if (!partitioner->partition(
            partitioner->user, module, op, name, &made, partitioning->pass->diags))
        return false;
    if (!made.body) return replace_by_operands(op);
    if (!flatten_body(partitioning, made.body)) return false;
    const Op *entry = module_entry(made.body, (StrView){"", 0});
    if (!entry) return refuse(partitioning, op, "its partitioner's program has no function @main");
    complete_shardings(scratch, module->context, name, op, &made);
    const Mesh *mesh = module_find_mesh(module, name);
    const char *problem = body_problem(partitioning, op, func_body(entry), mesh, &made);
    if (problem) return refuse(partitioning, op, problem);
    insert_manual(partitioning, op, mesh, func_body(entry), &made);
    return true;
}

PassResult pass_partition_calls(Module *module, PassContext *pass) {
    Partitioning partitioning = {.module = module, .pass = pass};
    region_walk(module->body, collect, &partitioning);
    for (int64_t i = 0; i < partitioning.calls.count; i++) {
        if (!partition_call(&partitioning, partitioning.calls.data[i])) return PASS_FAILED;
    }
    return partitioning.calls.count > 0 ? PASS_CHANGED : PASS_UNCHANGED;
}
