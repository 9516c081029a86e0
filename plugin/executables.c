// executables: what callers ask of a compiled program.
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- preparing the answers

static void *zeroed(size_t count, size_t size) { return calloc(count + 1, size); }

// first: the number of arrays before these in model->orders.
static bool describe_arrays(
    const shardc_model *model, const shardc_model_array *arrays, size_t count, size_t first,
    ArrayList *list) {
    size_t dims = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        dims += (size_t)arrays[i].rank;
    *list = (ArrayList){
        .count = count,
        .types = zeroed(count, sizeof *list->types),
        .dims = zeroed(dims, sizeof *list->dims),
        .ranks = zeroed(count, sizeof *list->ranks),
        .shardings = zeroed(count, sizeof *list->shardings),
        .sharding_sizes = zeroed(count, sizeof *list->sharding_sizes),
        .kinds = zeroed(count, sizeof *list->kinds),
        .kind_sizes = zeroed(count, sizeof *list->kind_sizes),
        .layouts = zeroed(count, sizeof *list->layouts),
    };
    if (!list->types || !list->dims || !list->ranks || !list->shardings || !list->sharding_sizes ||
        !list->kinds || !list->kind_sizes || !list->layouts) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        Bytes sharding = {0};
        sharding_write(model, &arrays[i], &sharding);
        list->types[i] = type_of(&arrays[i]);
        list->ranks[i] = (size_t)arrays[i].rank;
        for (int32_t d = 0; d < arrays[i].rank; d++)
            list->dims[at++] = arrays[i].tile_dims[d];
        list->shardings[i] = sharding.data;
        list->sharding_sizes[i] = sharding.size;
        list->kinds[i] = memory_kind(0);
        list->kind_sizes[i] = strlen(list->kinds[i]);
        list->layouts[i] = layout_of_tile(model, first + i, list->ranks[i]);
        if (sharding.has_failed || !list->layouts[i]) return false;
    }
    return true;
}

static void free_arrays(ArrayList *list) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->shardings) free(list->shardings[i]);
    }
    free(list->types);
    free(list->dims);
    free(list->ranks);
    free(list->shardings);
    free(list->sharding_sizes);
    free(list->kinds);
    free(list->kind_sizes);
    free(list->layouts);
}

static size_t tile_bytes(const shardc_model_array *array) {
    size_t bytes = (size_t)array->element_bytes;
    for (int32_t d = 0; d < array->rank; d++)
        bytes *= (size_t)array->tile_dims[d];
    return bytes;
}

static void estimate_cost(PJRT_Executable *executable) {
    enum { SHORT_NS = 200000 }; // what a hand-over to another thread would not make faster
    const shardc_model *model = executable->model;
    for (int32_t s = 0; s < model->step_count; s++) {
        executable->flops += (double)model->steps[s].flops;
        executable->bytes_accessed += (double)model->steps[s].bytes;
    }
    double ns = (executable->flops + executable->bytes_accessed) / 8 * model->device_count;
    // Callbacks of a program on several devices do not find what is the caller's
    // thread's own (Python's context mesh).
    bool may_call_back = model->custom_count > 0 && model->device_count > 1;
    executable->is_short = ns < SHORT_NS && !may_call_back;
    static const char *const names[] = {"flops", "bytes accessed"};
    for (int i = 0; i < 2; i++) {
        executable->costs[i] = (PJRT_NamedValue){
            .struct_size = sizeof(PJRT_NamedValue),
            .name = names[i],
            .name_size = strlen(names[i]),
            .type = PJRT_FLOAT,
            .float_value = (float)(i == 0 ? executable->flops : executable->bytes_accessed),
            .value_size = 1};
    }
}

static void write_assignment(PJRT_Executable *executable) {
    enum { REPLICAS = 1, PARTITIONS = 2, COMPUTATIONS = 3, IDS = 1 };
    Bytes *out = &executable->assignment;
    bytes_varint(out, REPLICAS, (uint64_t)executable->replica_count);
    bytes_varint(out, PARTITIONS, (uint64_t)executable->partition_count);
    for (int p = 0; p < executable->partition_count; p++) {
        Bytes ids = {0};
        for (int r = 0; r < executable->replica_count; r++) {
            int id = executable->device_ids[r * executable->partition_count + p];
            bytes_packed(&ids, IDS, (int64_t[]){id}, 1);
        }
        bytes_bytes(out, COMPUTATIONS, ids.data, ids.size);
        out->has_failed = out->has_failed || ids.has_failed;
        free(ids.data);
    }
}

static void write_fingerprint(PJRT_Executable *executable) {
    uint64_t hash = 14695981039346656037u;
    for (const char *at = executable->text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    for (size_t i = 0; i < executable->options_size; i++)
        hash = (hash ^ (unsigned char)executable->options[i]) * 1099511628211u;
    (void)snprintf(
        executable->fingerprint, sizeof executable->fingerprint, "%016llx",
        (unsigned long long)hash);
}

// Arguments that are gone after an execution: those that a result replaces, as the
// program says, or could replace, where it leaves that open: its tiles have as many
// bytes. Others that are offered stay.
static void find_donated(PJRT_Executable *executable) {
    const shardc_model *model = executable->model;
    for (int32_t r = 0; r < model->result_count; r++) {
        int32_t taken = model->results[r].alias;
        for (int32_t a = 0; a < model->arg_count && taken < 0; a++) {
            bool is_free = model->args[a].is_donated && model->args[a].alias < 0;
            if (is_free && !executable->donated[a] &&
                tile_bytes(&model->args[a]) == tile_bytes(&model->results[r]))
                taken = a;
        }
        if (taken >= 0) {
            executable->donated[taken] = 1;
            executable->donates = true;
        }
    }
}

bool executable_describe(PJRT_Executable *executable) {
    const shardc_model *model = executable->model;
    size_t arg_count = (size_t)model->arg_count, result_count = (size_t)model->result_count;
    executable->name = strdup(model->name);
    executable->output_bytes = zeroed(result_count, sizeof *executable->output_bytes);
    executable->donated = zeroed(arg_count, 1);
    if (!executable->name || !executable->output_bytes || !executable->donated) return false;
    if (!describe_arrays(model, model->args, arg_count, 0, &executable->parameters) ||
        !describe_arrays(model, model->results, result_count, arg_count, &executable->outputs)) {
        return false;
    }
    for (size_t r = 0; r < result_count; r++)
        executable->output_bytes[r] = tile_bytes(&model->results[r]);
    find_donated(executable);
    estimate_cost(executable);
    write_assignment(executable);
    write_fingerprint(executable);
    return !executable->assignment.has_failed;
}

void executable_release(PJRT_Executable *executable) {
    if (!executable || atomic_fetch_sub(&executable->owners, 1) > 1) return;
    shardc_executable_free(executable->code);
    free_arrays(&executable->parameters);
    free_arrays(&executable->outputs);
    free(executable->name);
    free(executable->device_ids);
    free(executable->options);
    free(executable->text);
    shardc_bytes_free(executable->partitioned);
    free(executable->output_bytes);
    free(executable->donated);
    free(executable->assignment.data);
    free(executable);
}

// ---- queries

ENTRY(Executable_Destroy) {
    executable_release(args->executable);
    return NULL;
}

ENTRY(Executable_Name) {
    args->executable_name = args->executable->name;
    args->executable_name_size = strlen(args->executable->name);
    return NULL;
}

ENTRY(Executable_NumReplicas) {
    args->num_replicas = (size_t)args->executable->replica_count;
    return NULL;
}

ENTRY(Executable_NumPartitions) {
    args->num_partitions = (size_t)args->executable->partition_count;
    return NULL;
}

ENTRY(Executable_NumOutputs) {
    args->num_outputs = args->executable->outputs.count;
    return NULL;
}

ENTRY(Executable_SizeOfGeneratedCodeInBytes) {
    char *code = NULL;
    size_t size = 0;
    PJRT_Error *error =
        error_take(shardc_executable_serialize(args->executable->code, &code, &size));
    shardc_bytes_free(code);
    args->size_in_bytes = (int64_t)size;
    return error;
}

ENTRY(Executable_GetCostAnalysis) {
    args->properties = args->executable->costs;
    args->num_properties = sizeof args->executable->costs / sizeof *args->executable->costs;
    return NULL;
}

ENTRY(Executable_OutputMemoryKinds) {
    args->num_outputs = args->executable->outputs.count;
    args->memory_kinds = args->executable->outputs.kinds;
    args->memory_kind_sizes = args->executable->outputs.kind_sizes;
    return NULL;
}

ENTRY(Executable_ParameterMemoryKinds) {
    args->num_parameters = args->executable->parameters.count;
    args->memory_kinds = args->executable->parameters.kinds;
    args->memory_kind_sizes = args->executable->parameters.kind_sizes;
    return NULL;
}

ENTRY(Executable_OutputElementTypes) {
    args->output_types = args->executable->outputs.types;
    args->num_output_types = args->executable->outputs.count;
    return NULL;
}

ENTRY(Executable_OutputDimensions) {
    args->num_outputs = args->executable->outputs.count;
    args->dims = args->executable->outputs.dims;
    args->dim_sizes = args->executable->outputs.ranks;
    return NULL;
}

// One device's program, made when it is asked for first.
static shardc_status *partition(PJRT_Executable *executable) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    const char *text = executable->text;
    shardc_options options;
    shardc_options_init(&options);
    options.tiled = 1;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = partitioner_attach(context);
    if (!status) status = shardc_module_parse(context, NULL, text, strlen(text), &module);
    if (!status)
        status = shardc_compile_to_text(
            module, &options, SHARDC_EMIT_PARTITIONED, &executable->partitioned);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

PJRT_Error *executable_partitioned(PJRT_Executable *executable, const char **text) {
    pthread_mutex_lock(&executable->client->lock);
    PJRT_Error *error = executable->partitioned ? NULL : error_take(partition(executable));
    pthread_mutex_unlock(&executable->client->lock);
    *text = executable->partitioned;
    return error;
}

// Asked for twice, for the size and for the text.
ENTRY(Executable_OptimizedProgram) {
    static const char format[] = "mlir";
    const char *text = NULL;
    PJRT_Error *error = executable_partitioned(args->executable, &text);
    if (error) return error;
    size_t size = strlen(text);
    args->program->format = format;
    args->program->format_size = strlen(format);
    if (args->program->code) memcpy(args->program->code, text, size);
    args->program->code_size = size;
    return NULL;
}

ENTRY(Executable_Fingerprint) {
    args->executable_fingerprint = args->executable->fingerprint;
    args->executable_fingerprint_size = strlen(args->executable->fingerprint);
    return NULL;
}

static int64_t sum_bytes(const shardc_model_array *arrays, int32_t count, bool aliases_only) {
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += !aliases_only || arrays[i].alias >= 0 ? (int64_t)tile_bytes(&arrays[i]) : 0;
    return sum;
}

// Of one device.
ENTRY(Executable_GetCompiledMemoryStats) {
    const shardc_model *model = args->executable->model;
    size_t first =
        offsetof(PJRT_Executable_GetCompiledMemoryStats_Args, executable) + sizeof args->executable;
    size_t size = args->struct_size < sizeof *args ? args->struct_size : sizeof *args;
    if (size > first) memset((char *)args + first, 0, size - first);
    if (!PJRT_HAS(args, temp_size_in_bytes)) return NULL;
    args->argument_size_in_bytes = sum_bytes(model->args, model->arg_count, false);
    args->output_size_in_bytes = sum_bytes(model->results, model->result_count, false);
    args->alias_size_in_bytes = sum_bytes(model->results, model->result_count, true);
    args->temp_size_in_bytes = model->arena_bytes;
    int64_t sum = args->argument_size_in_bytes + args->output_size_in_bytes +
                  args->temp_size_in_bytes - args->alias_size_in_bytes;
    if (PJRT_HAS(args, peak_memory_in_bytes)) args->peak_memory_in_bytes = sum;
    if (PJRT_HAS(args, total_size_in_bytes)) args->total_size_in_bytes = sum;
    return NULL;
}

static void nothing_to_free(PJRT_SerializedCompileOptions *options) { (void)options; }

ENTRY(Executable_GetCompileOptions) {
    args->serialized_bytes = args->executable->options;
    args->serialized_bytes_size = args->executable->options_size;
    args->serialized_compile_options = NULL;
    args->serialized_compile_options_deleter = nothing_to_free;
    return NULL;
}

// ---- on its devices

PJRT_Error *executable_load(PJRT_Executable *executable, PJRT_LoadedExecutable **loaded) {
    *loaded = NULL;
    size_t count = (size_t)executable->device_count;
    PJRT_LoadedExecutable *made = calloc(1, sizeof *made);
    if (made) {
        made->devices = calloc(count, sizeof *made->devices);
        made->logical = calloc(count, sizeof *made->logical);
    }
    if (!made || !made->devices || !made->logical) {
        if (made) {
            free(made->devices);
            free(made->logical);
        }
        free(made);
        executable_release(executable);
        return error_out_of_memory();
    }
    for (size_t i = 0; i < count; i++) {
        made->devices[i] = executable->client->device_list[executable->device_ids[i]];
        made->logical[i] = (PJRT_LogicalDeviceIds){
            (int)i / executable->partition_count, (int)i % executable->partition_count};
    }
    made->executable = executable;
    *loaded = made;
    return NULL;
}

ENTRY(LoadedExecutable_Destroy) {
    if (!args->executable) return NULL;
    executable_release(args->executable->executable);
    free(args->executable->devices);
    free(args->executable->logical);
    free(args->executable);
    return NULL;
}

ENTRY(LoadedExecutable_GetExecutable) {
    args->executable = args->loaded_executable->executable;
    atomic_fetch_add(&args->executable->owners, 1);
    return NULL;
}

ENTRY(LoadedExecutable_AddressableDevices) {
    args->addressable_devices = args->executable->devices;
    args->num_addressable_devices = (size_t)args->executable->executable->device_count;
    return NULL;
}

ENTRY(LoadedExecutable_AddressableDeviceLogicalIds) {
    args->addressable_device_logical_ids = args->executable->logical;
    args->num_addressable_device_logical_ids = (size_t)args->executable->executable->device_count;
    return NULL;
}

static void nothing_to_release(PJRT_DeviceAssignmentSerialized *assignment) { (void)assignment; }

ENTRY(LoadedExecutable_GetDeviceAssignment) {
    const Bytes *bytes = &args->executable->executable->assignment;
    args->serialized_bytes = bytes->data;
    args->serialized_bytes_size = bytes->size;
    args->serialized_device_assignment = NULL;
    args->serialized_device_assignment_deleter = nothing_to_release;
    return NULL;
}

ENTRY(LoadedExecutable_Delete) {
    atomic_store(&args->executable->is_deleted, true);
    return NULL;
}

ENTRY(LoadedExecutable_IsDeleted) {
    args->is_deleted = atomic_load(&args->executable->is_deleted);
    return NULL;
}

ENTRY(LoadedExecutable_Fingerprint) {
    args->executable_fingerprint = args->executable->executable->fingerprint;
    args->executable_fingerprint_size = strlen(args->executable_fingerprint);
    return NULL;
}
