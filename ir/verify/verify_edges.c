// What propagation wrote on an op: the ends of its edges are operands and results of the
// op, its axes are of their mesh.
#include "ir/analysis/data_flow.h"
#include "ir/verify/verify_internal.h"

// The value that an end stands for; NULL when the op has none such.
static const Value *end_value(const Op *op, EdgeEnd end) {
    int64_t count = end.is_result ? op->result_count : op->operand_count;
    if (end.index < 0 || end.index >= count) return NULL;
    return end.is_result ? op_result(op, (int)end.index) : op_operand(op, (int)end.index);
}

// The common mesh of what the ends stand for, empty meshes aside.
typedef struct EdgeMesh {
    bool any; // some end has a sharding
    bool differs;
    const Mesh *mesh;
} EdgeMesh;

static void see_end(Infer *infer, const Op *op, EdgeEnd end, EdgeMesh *found) {
    const Value *value = end_value(op, end);
    const Sharding *sharding = value && infer->module ? value_sharding(infer->module, value) : NULL;
    if (!sharding) return;
    found->any = true;
    const Mesh *mesh = infer_sharding_mesh(infer, sharding);
    bool is_empty = !mesh || (mesh->axis_count == 0 && mesh->id_count == 0);
    if (is_empty) return;
    if (found->mesh && found->mesh != mesh) found->differs = true;
    found->mesh = mesh;
}

static bool check_end(Infer *infer, const Op *op, EdgeEnd end) {
    if (op->code == OP_SDY_FUNC_EDGE || end_value(op, end)) return true;
    return infer_fail(
        infer, op, "expected a value ref to have %s index in range [0, %d), got: %lld",
        end.is_result ? "a result" : "an operand",
        end.is_result ? op->result_count : op->operand_count, (long long)end.index);
}

static bool check_edge(Infer *infer, const Op *op, const Mesh *mesh, const AxisEdge *edge) {
    if (!mesh || mesh_axis_index(mesh, edge->axis.name) < 0)
        return infer_fail(infer, op, "expected axis ref to be in one of the meshes");
    bool ok = check_end(infer, op, edge->source);
    for (int t = 0; ok && t < edge->target_count; t++)
        ok = check_end(infer, op, edge->targets[t]);
    return ok;
}

static bool check_steps(Infer *infer, const Op *op, int count, const PropagationStep *steps) {
    EdgeMesh found = {0};
    for (int s = 0; s < count; s++) {
        for (int e = 0; e < steps[s].edge_count; e++) {
            const AxisEdge *edge = &steps[s].edges[e];
            see_end(infer, op, edge->source, &found);
            for (int t = 0; t < edge->target_count; t++)
                see_end(infer, op, edge->targets[t], &found);
        }
    }
    if (!found.any)
        return infer_fail(infer, op, "expected propagation edges attr to reference a sharding.");
    if (found.differs)
        return infer_fail(infer, op, "expected a common mesh for propagation edges attr.");
    for (int s = 0; s < count; s++) {
        for (int e = 0; e < steps[s].edge_count; e++) {
            if (!check_edge(infer, op, found.mesh, &steps[s].edges[e])) return false;
        }
    }
    return true;
}

bool infer_check_edges(Infer *infer, const Op *op, StrView name, const Attr *attr) {
    if (strview_is(name, "sdy.propagation_edges")) {
        if (attr->kind != ATTR_EDGES)
            return infer_fail(
                infer, op,
                "should have a propagation edges attribute of type PropagationEdgesAttr for attr "
                "named 'sdy.propagation_edges'");
        return check_steps(infer, op, attr->count, attr->steps);
    }
    if (!strview_is(name, "sdy.result_propagation_edges") &&
        !strview_is(name, "sdy.block_arg_propagation_edges"))
        return true;
    bool is_list = attr->kind == ATTR_ARRAY;
    for (int i = 0; is_list && i < attr->count; i++)
        is_list = attr->items[i]->kind == ATTR_EDGES;
    if (is_list) return true;
    return infer_fail(
        infer, op,
        "should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for "
        "attr named 'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'");
}
