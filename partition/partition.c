// partition: runs the pipeline from a program as the reader gives it to one device's program.
#include "partition/partition.h"

#include "partition/passes.h"

bool partition_module(
    Module *module, const PartitionOptions *options, DeviceProgram *program, Diags *diags) {
    const PassOption set[] = {
        {SV("entry"), options->entry},
        {SV("mesh"), options->mesh_override},
        {SV("only-propagate"), options->only_propagate ? SV("true") : SV("false")},
        {SV("parts"), options->keeps_parts ? SV("true") : SV("false")},
    };
    PassContext pass = {
        .module = module,
        .scratch = arena_child(module->arena),
        .diags = diags,
        .log = options->log,
        .provenance = options->provenance,
        .partitioner = options->partitioner,
        .input_types = options->input_types,
        .program = program,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .option_count = sizeof set / sizeof set[0],
        .options = set,
    };
    return pass_run(&partition_pass, &pass) != PASS_FAILED;
}
