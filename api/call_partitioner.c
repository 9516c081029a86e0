// call_partitioner: custom calls that the host partitions: asks it, and reads what it gives.
#include "api/api_internal.h"
#include "frontend/frontend.h"
#include "frontend/gspmd/gspmd.h"
#include "partition/partition.h"

#include <stdio.h>
#include <string.h>

shardc_status *shardc_set_partitioner(
    shardc_context *context, const shardc_partitioner *partitioner) {
    if (!context) return status_null(__func__, "context");
    shardc_partitioner all = {0};
    if (partitioner) {
        shardc_status *status = read_struct(__func__, "partitioner", partitioner, sizeof all, &all);
        if (status) return status;
        if (!all.knows) return status_null(__func__, "partitioner->knows");
        if (!all.partition) return status_null(__func__, "partitioner->partition");
        if (!all.release) return status_null(__func__, "partitioner->release");
    }
    context->partitioner = all;
    return NULL;
}

typedef struct Asking {
    const shardc_context *context;
    const Module *module;
    Arena *arena;
    const Op *call;
    StrView mesh_name;
    const Mesh *mesh;
    Diags *diags;
} Asking;

static bool refuse(const Asking *asking, const char *what, const char *why) {
    diag_error(
        asking->diags, asking->call->loc, "partitioning custom call @%.*s: %s%s",
        SV_ARG(op_text(asking->call, NAME_CALL_TARGET_NAME)), what, why);
    return false;
}

// ---- the request

static bool describe_array(
    const Asking *asking, const Value *value, shardc_partition_array *array) {
    Arena *arena = asking->arena;
    const Type *type = value->type;
    const Mesh *mesh = value->sharding ? sharding_mesh(asking->module, value->sharding) : NULL;
    if (!mesh || mesh_is_maximal(mesh)) mesh = asking->mesh;
    if (type->kind != TYPE_TENSOR || !type_is_static(type))
        return refuse(asking, "it has an operand or result that is no array of known size", "");
    Sharding whole = {0};
    if (value->sharding) whole = *value->sharding;
    whole.unreduced_count = 0; // is summed before
    GspmdSharding tiling;
    if (!gspmd_from_sharding(
            arena, mesh, value->sharding ? &whole : NULL, (AxisSpan){.count = 0}, &tiling))
        return refuse(asking, "there are too many devices", "");
    int64_t count = mesh_device_count(mesh), *tiles = ARENA_ARRAY(arena, int64_t, type->rank + 1);
    int64_t *devices = ARENA_ARRAY(arena, int64_t, count), product = 1;
    for (int d = 0; d < type->rank; d++) {
        tiles[d] = tiling.kind == GSPMD_TILED ? tiling.dims[d] : 1;
        product *= tiles[d];
    }
    for (int64_t i = 0; i < count; i++)
        devices[i] = tiling.kind == GSPMD_TILED ? tiling.devices[i] : i;
    *array = (shardc_partition_array){
        .dtype = dtype_of_element(type->element),
        .rank = type->rank,
        .dims = type->dims,
        .tiles = tiles,
        .copies = count / product,
        .devices = devices};
    return true;
}

static bool make_request(const Asking *asking, shardc_partition_request *request) {
    const Op *call = asking->call;
    const Attr *config = op_attr(call, NAME_BACKEND_CONFIG);
    StrView text = config && config->kind == ATTR_STRING ? config->text : (StrView){"", 0};
    int operands = call->operand_count, results = call->result_count;
    shardc_partition_array *arrays =
        ARENA_ARRAY(asking->arena, shardc_partition_array, operands + results + 1);
    for (int i = 0; i < operands + results; i++) {
        const Value *value = i < operands ? op_operand(call, i) : op_result(call, i - operands);
        if (!describe_array(asking, value, &arrays[i])) return false;
    }
    *request = (shardc_partition_request){
        .struct_size = sizeof *request,
        .name = arena_cstring(asking->arena, op_text(call, NAME_CALL_TARGET_NAME)),
        .config = arena_cstring(asking->arena, text),
        .config_size = text.size,
        .device_count = mesh_device_count(asking->mesh),
        .operand_count = operands,
        .result_count = results,
        .operands = arrays,
        .results = arrays + operands};
    return true;
}

// ---- the reply

static bool read_gspmd(
    const Asking *asking, const char *data, size_t size, GspmdSharding *sharding) {
    const char *problem = NULL;
    if (!data) size = 0;
    StrView bytes = arena_strview(asking->arena, (StrView){data, size});
    bool is_text = size > 0 && data[0] == '{';
    bool good = is_text ? gspmd_parse(asking->arena, bytes, sharding, &problem)
                        : gspmd_decode(asking->arena, bytes, sharding, &problem);
    return good || refuse(asking, "a sharding is damaged: ", problem);
}

static bool place(
    const Asking *asking, const GspmdSharding *gspmd, const Type *type, const Sharding **made) {
    *made = NULL;
    if (gspmd->kind != GSPMD_TILED) {
        return gspmd->kind == GSPMD_REPLICATED ||
               refuse(asking, "a sharding is neither tiled nor replicated", "");
    }
    GspmdMesh mesh = {.arena = asking->arena};
    if (gspmd_mesh_use(&mesh, asking->mesh) && gspmd->device_count == mesh.device_count)
        *made = gspmd_to_sharding(
            &mesh, asking->module->context, asking->mesh_name, gspmd, type->rank, 0);
    return *made || refuse(asking, "a sharding does not fit the array or the mesh", "");
}

static bool read_shardings(
    const Asking *asking, const shardc_partition_reply *reply, CallPartition *made) {
    const Op *call = asking->call;
    const Sharding **operands =
        ARENA_ARRAY(asking->arena, const Sharding *, call->operand_count + 1);
    const Sharding **results = ARENA_ARRAY(asking->arena, const Sharding *, call->result_count + 1);
    GspmdSharding gspmd;
    for (int i = 0; i < call->operand_count; i++) {
        if (!read_gspmd(
                asking, reply->operand_shardings[i], reply->operand_sharding_sizes[i], &gspmd) ||
            !place(asking, &gspmd, op_operand_type(call, i), &operands[i]))
            return false;
    }
    if (!read_gspmd(asking, reply->result_sharding, reply->result_sharding_size, &gspmd))
        return false;
    bool is_tuple = gspmd.kind == GSPMD_TUPLE;
    if (is_tuple && gspmd.part_count != call->result_count)
        return refuse(asking, "there is not a sharding for each result", "");
    for (int i = 0; i < call->result_count; i++) {
        const GspmdSharding *part = is_tuple ? &gspmd.parts[i] : &gspmd;
        if (!place(asking, part, op_result_type(call, i), &results[i])) return false;
    }
    made->operands = operands;
    made->results = results;
    return true;
}

// The program's diagnostics speak of its own text.
static bool read_body(
    const Asking *asking, const shardc_partition_reply *reply, CallPartition *made) {
    Diags *diags = diags_create(asking->arena);
    const ReadOptions options = {
        .file = SV("<partitioned call>"), .partition_count = (int)mesh_device_count(asking->mesh)};
    StrView program = arena_strview(asking->arena, (StrView){reply->program, reply->program_size});
    made->body = frontend_read(asking->module->context, asking->arena, program, &options, diags);
    if (made->body) return true;
    StrView message = diags->first ? diags->first->message : SV("it is no program");
    return refuse(asking, "its program cannot be read: ", arena_cstring(asking->arena, message));
}

static bool read_reply(
    const Asking *asking, const shardc_partition_reply *reply, CallPartition *made) {
    if (reply->program)
        return read_shardings(asking, reply, made) && read_body(asking, reply, made);
    const Op *call = asking->call;
    bool fits = call->operand_count >= call->result_count;
    for (int i = 0; fits && i < call->result_count; i++)
        fits = op_operand_type(call, i) == op_result_type(call, i);
    return fits || refuse(asking, "without a program its results must be its operands", "");
}

static bool ask(const Asking *asking, CallPartition *made) {
    const shardc_partitioner *host = &asking->context->partitioner;
    shardc_partition_request request;
    shardc_partition_reply reply = {0};
    char error[4096] = "it failed";
    if (!make_request(asking, &request)) return false;
    if (host->partition(host->user, &request, &reply, error, sizeof error) != 0) {
        error[sizeof error - 1] = 0;
        for (char *at = error; *at; at++) // diagnostics are of one line
            if (*at == '\n') *at = ' ';
        return refuse(asking, error, "");
    }
    bool good = read_reply(asking, &reply, made);
    host->release(host->user, &reply);
    return good;
}

static bool partition(
    void *user, const Module *module, const Op *call, StrView mesh, CallPartition *made,
    Diags *diags) {
    const Asking asking = {
        .context = user,
        .module = module,
        .arena = module->arena,
        .call = call,
        .mesh_name = mesh,
        .mesh = module_find_mesh(module, mesh),
        .diags = diags};
    return ask(&asking, made);
}

static bool knows(void *user, StrView name) {
    const shardc_context *context = user;
    char text[256];
    if (name.size >= sizeof text) return false;
    if (name.size) memcpy(text, name.data, name.size);
    text[name.size] = 0;
    return context->partitioner.knows(context->partitioner.user, text) != 0;
}

bool call_partitioner_of(const shardc_context *context, CallPartitioner *partitioner) {
    *partitioner = (CallPartitioner){knows, partition, (void *)(uintptr_t)context};
    return context->partitioner.knows;
}
