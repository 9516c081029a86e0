// partition: the pipeline from a program as the reader gives it to one device's program.
#include "partition/partition.h"

#include "ir/builder.h"
#include "ir/data_flow.h"
#include "ir/legalize/refine.h"
#include "partition/passes.h"
#include "partition/propagate/propagate.h"
#include "partition/provenance.h"
#include "partition/local/to_local.h"

#include <string.h>

typedef struct Pipeline {
    Module *module;
    const PartitionOptions *options;
    PassContext pass;
} Pipeline;

static void report(const Pipeline *pipeline, const char *phase) {
    const PartitionOptions *options = pipeline->options;
    if (options->progress) options->progress(options->progress_user, phase);
}

static bool run(Pipeline *pipeline, const char *name, PassFn *function) {
    const Pass pass = {name, function, ""};
    return pass_run(&pass, pipeline->module, &pipeline->pass);
}

static bool run_with(Pipeline *pipeline, const char *name, PassFn *function, const char *option) {
    const PassOption set = {strview(option), SV("true")};
    pipeline->pass.option_count = 1;
    pipeline->pass.options = &set;
    bool ok = run(pipeline, name, function);
    pipeline->pass.option_count = 0;
    pipeline->pass.options = NULL;
    return ok;
}

// ---- the entry ----

// Other functions than the entry become private, so that only what it calls is compiled.
static bool select_entry(Module *module, StrView name, Diags *diags) {
    Op *entry = module_entry(module, name);
    if (!entry) {
        diag_error(
            diags, module->op->loc, "the program has no function @%.*s",
            SV_ARG(name.size ? name : SV("main")));
        return false;
    }
    if (!func_body(entry)->first) {
        diag_error(
            diags, entry->loc, "function @%.*s has no body, only its declaration is there",
            SV_ARG(func_name(entry)));
        return false;
    }
    const Attr *private = attr_string(module->context, SV("private"));
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && op != entry) {
            op_set_attr(module, op, NAME_SYM_VISIBILITY, private);
        }
    }
    op_set_attr(module, entry, NAME_SYM_VISIBILITY, NULL);
    return true;
}

// ---- mesh_override: "x=4,y=2" ----

typedef struct AxisSize {
    StrView name;
    int64_t size;
    bool used;
} AxisSize;

static bool bad_override(Diags *diags, StrView text) {
    diag_error(
        diags, NULL, "mesh sizes '%.*s': expected axis=size, separated by commas", SV_ARG(text));
    return false;
}

static bool parse_override(StrView text, AxisSize *sizes, int *count, Diags *diags) {
    StrView rest = text;
    *count = 0;
    if (strview_ends_with(text, SV(","))) return bad_override(diags, text);
    while (rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        StrView item = {rest.data, comma ? (size_t)(comma - rest.data) : rest.size};
        rest.data += item.size + (comma ? 1 : 0);
        rest.size -= item.size + (comma ? 1 : 0);
        const char *equals = memchr(item.data, '=', item.size);
        if (!equals || *count == MAX_AXES) return bad_override(diags, text);
        StrView name = {item.data, (size_t)(equals - item.data)};
        StrView number = {equals + 1, item.size - name.size - 1};
        for (int i = 0; i < *count; i++) {
            if (!strview_equal(sizes[i].name, name)) continue;
            diag_error(
                diags, NULL, "mesh sizes '%.*s': axis '%.*s' is given twice", SV_ARG(text),
                SV_ARG(name));
            return false;
        }
        AxisSize *axis = &sizes[(*count)++];
        axis->name = name;
        axis->used = false;
        if (!strview_to_int64(number, &axis->size) || axis->size < 1) {
            return bad_override(diags, text);
        }
    }
    return true;
}

static const Mesh *resize_mesh(Context *context, const Mesh *mesh, AxisSize *sizes, int count) {
    Mesh resized = *mesh;
    for (int a = 0; a < mesh->axis_count; a++) {
        for (int i = 0; i < count; i++) {
            if (!strview_equal(sizes[i].name, mesh->axes[a].name)) continue;
            resized.axes[a].size = sizes[i].size;
            sizes[i].used = true;
        }
    }
    if (mesh_device_count(&resized) != mesh_device_count(mesh)) {
        resized.id_count = 0;
        resized.device_ids = NULL;
    }
    return mesh_intern(context, &resized);
}

static bool override_mesh(Module *module, StrView text, Diags *diags) {
    enum { MAX_OVERRIDE = 1 << 24 }; // what the verifier allows
    AxisSize sizes[MAX_AXES];
    int count;
    if (text.size == 0) return true;
    if (!parse_override(text, sizes, &count, diags)) return false;
    int64_t devices = 1;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH) continue;
        Attr attr = *op_attr(op, NAME_MESH);
        if (mesh_is_maximal(attr.mesh)) continue;
        attr.mesh = resize_mesh(module->context, attr.mesh, sizes, count);
        if (mesh_device_count(attr.mesh) > MAX_OVERRIDE) {
            diag_error(diags, NULL, "mesh sizes '%.*s': too many devices", SV_ARG(text));
            return false;
        }
        op_set_attr(module, op, NAME_MESH, attr_intern(module->context, &attr));
        op_set_extra(module, op, SV("stablehlo.mesh"), NULL);
        int64_t size = mesh_device_count(attr.mesh);
        devices = size > devices ? size : devices;
    }
    for (int i = 0; i < count; i++) {
        if (sizes[i].used) continue;
        diag_error(
            diags, module->op->loc, "no mesh of the program has an axis '%.*s'",
            SV_ARG(sizes[i].name));
        return false;
    }
    if (op_extra(module->op, "mhlo.num_partitions")) {
        op_set_extra(
            module, module->op, SV("mhlo.num_partitions"),
            attr_int(module->context, devices, ELEMENT_I32));
    }
    return true;
}

// ---- replicas ----

static bool rename_id(Op *op, void *user) {
    Module *module = user;
    if (op->code != OP_REPLICA_ID && op->code != OP_PARTITION_ID) return true;
    const Type *type = op_result_type(op, 0);
    Builder builder = builder_before(module, op);
    Op *id = op->code == OP_REPLICA_ID ? build_op(&builder, OP_PARTITION_ID, 0, NULL, 1, &type, 0)
                                       : build_splat(&builder, type, 0)->def;
    value_replace_uses(op_result(op, 0), op_result(id, 0));
    op_erase(op);
    return true;
}

// Replicas that are not partitioned are devices like partitions: the program becomes one of as many partitions.
static bool replicas_to_partitions(Module *module, Diags *diags) {
    const Attr *replicas = op_extra(module->op, "mhlo.num_replicas");
    const Attr *partitions = op_extra(module->op, "mhlo.num_partitions");
    if (!replicas || replicas->kind != ATTR_INT || replicas->integer <= 1) return true;
    if (partitions && partitions->kind == ATTR_INT && partitions->integer > 1) {
        diag_unsupported(
            diags, module->op->loc,
            "programs with %lld replicas of %lld partitions are not supported, only with several "
            "of "
            "one kind",
            (long long)replicas->integer, (long long)partitions->integer);
        return false;
    }
    op_set_extra(module, module->op, SV("mhlo.num_partitions"), replicas);
    op_set_extra(module, module->op, SV("mhlo.num_replicas"), NULL);
    return region_walk(module->body, rename_id, module);
}

// ---- shardings that do not divide ----

static void warn_of_sharding(
    const Pipeline *pipeline, const char *what, int i, const Loc *loc, const Type *type,
    const Sharding *sharding) {
    const Module *module = pipeline->module;
    const Sharding *left = dividing_sharding(module, module->arena, type, sharding);
    if (left == sharding) return;
    const Mesh *mesh = sharding_mesh(module, sharding);
    StrBuf text = strbuf(module->arena);
    for (int d = 0; d < sharding->rank; d++) {
        int64_t parts = sharding_dim_size(mesh, sharding, d);
        if (parts == sharding_dim_size(mesh, left, d)) continue;
        strbuf_printf(
            &text, "%sdimension %d of size %lld does not divide into %lld parts",
            text.size ? ", " : "", d, (long long)type->dims[d], (long long)parts);
    }
    strbuf_puts(&text, ": it is sharded as ");
    sharding_print_body(&text, left);
    strbuf_puts(&text, " instead of ");
    sharding_print_body(&text, sharding);
    StrView said = strbuf_view(&text);
    diag_warning(pipeline->pass.diags, loc, "%s %d: %.*s", what, i, SV_ARG(said));
}

// Inputs and outputs of the program lie in equal tiles: where a size does not divide, a written sharding is cut to what does.
static void warn_of_uneven_shardings(const Pipeline *pipeline) {
    const Op *entry = module_entry(pipeline->module, pipeline->options->entry);
    const Region *body = func_body(entry);
    for (int i = 0; i < body->arg_count; i++) {
        const Value *arg = body->args[i];
        warn_of_sharding(pipeline, "argument", i, arg->loc, arg->type, arg->sharding);
    }
    const Type *type = op_attr(entry, NAME_FUNCTION_TYPE)->type;
    for (int i = 0; entry->result_shardings && i < func_result_count(entry); i++) {
        warn_of_sharding(
            pipeline, "result", i, entry->loc, type->parts[type->input_count + i],
            entry->result_shardings[i]);
    }
}

// ---- dynamic dimensions ----

static bool refine(Pipeline *pipeline) {
    Module *module = pipeline->module;
    const Op *entry = module_entry(module, pipeline->options->entry);
    const ArgumentFact *facts = NULL;
    int count = 0;
    if (!pipeline->options->input_types && !module_is_dynamic(module)) return true;
    if (!run(pipeline, "symbol-dce", pass_dce))
        return false; // what the entry does not call may be as it likes
    if (pipeline->options->input_types) {
        count = func_body(entry)->arg_count;
        if (!argument_facts(
                module->arena, entry, pipeline->options->input_types, &facts, pipeline->pass.diags))
            return false;
    }
    Op *func = module_find_func(module, func_name(entry));
    PassResult result = refine_shapes(module, func, count, facts, &pipeline->pass);
    if (result == PASS_CHANGED) return run(pipeline, "symbol-dce", pass_dce);
    return result != PASS_FAILED;
}

// ---- the pipeline ----

static bool insert_communication(Pipeline *pipeline) {
    report(pipeline, "reshard");
    if (!run(pipeline, "shardc-separate-unreduced", pass_separate_unreduced)) return false;
    if (!run_with(
            pipeline, "sdy-insert-explicit-reshards", pass_insert_explicit_reshards,
            "reductions")) {
        return false;
    }
    report(pipeline, "collectives");
    return run(pipeline, "shardc-merge-equal-ops", pass_merge_equal_ops) &&
           run(pipeline, "shardc-move-reshards", pass_move_reshards) &&
           run(pipeline, "shardc-merge-equal-ops", pass_merge_equal_ops) &&
           run_with(
               pipeline, "sdy-reshard-to-collectives", pass_reshard_to_collectives, "cheapest") &&
           run(pipeline, "shardc-optimize-collectives", pass_optimize_collectives) &&
           run(pipeline, "shardc-merge-equal-ops", pass_merge_equal_ops) &&
           run(pipeline, "shardc-hoist-collectives", pass_hoist_collectives) &&
           run(pipeline, "dce", pass_dce);
}

static bool clean_up(Pipeline *pipeline, Module *local) {
    pipeline->module = local;
    return run(pipeline, "canonicalize", pass_canonicalize) && run(pipeline, "cse", pass_cse) &&
           run(pipeline, "dce", pass_dce) &&
           run(pipeline, "shardc-combine-collectives", pass_combine_collectives);
}

// A program per device: the tables that say who talks to whom grow with the square of the devices.
static bool has_few_devices(const Module *module, Diags *diags) {
    enum { MAX_DEVICES = 4096 };
    int64_t devices = module_device_count(module);
    if (devices <= MAX_DEVICES) return true;
    diag_unsupported(
        diags, module->op->loc,
        "programs for more than %d devices are not supported; the mesh has %lld", (int)MAX_DEVICES,
        (long long)devices);
    return false;
}

bool partition_module(
    Module *module, const PartitionOptions *options, DeviceProgram *program, Diags *diags) {
    Pipeline pipeline = {
        .module = module,
        .options = options,
        .pass =
            {
                .scratch = arena_child(module->arena),
                .diags = diags,
                .log = options->log,
                .provenance = options->provenance,
            },
    };
    if (!select_entry(module, options->entry, diags)) return false;
    if (!override_mesh(module, options->mesh_override, diags)) return false;
    if (!replicas_to_partitions(module, diags) || !refine(&pipeline)) return false;
    if (!check_donations(module_entry(module, options->entry), module->arena, diags)) return false;
    warn_of_uneven_shardings(&pipeline);
    if (!run(&pipeline, "legalize-quantized", pass_legalize_quantized)) return false;
    if (!run(&pipeline, "legalize", pass_legalize_chlo)) return false;
    if (!run(
            &pipeline, "sdy-explicit-gather-scatter-batching",
            pass_explicit_gather_scatter_batching)) {
        return false;
    }
    if (!run(&pipeline, "shardc-settle-annotations", pass_settle_annotations)) return false;
    report(&pipeline, "propagate");
    pass_log_begin(options->log);
    bool propagated = propagate_module(module, &pipeline.pass);
    pass_log_end(options->log, "propagate");
    if (!propagated) return false;
    pass_print(module, &pipeline.pass, "propagate");
    provenance_propagated(options->provenance, module, module_entry(module, options->entry));
    if (options->stop_after && strcmp(options->stop_after, "propagated") == 0) return true;
    if (!has_few_devices(module, diags) || !insert_communication(&pipeline)) return false;
    report(&pipeline, "localize");
    Arena *scratch = arena_child(module->arena);
    pass_log_begin(options->log);
    bool ok = to_local(module, module_device_count(module), scratch, program, diags);
    pass_log_end(options->log, "localize");
    if (ok) pass_print(program->module, &pipeline.pass, "localize");
    arena_reset(scratch);
    return ok && clean_up(&pipeline, program->module);
}
