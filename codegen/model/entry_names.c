// What the program calls the model's arrays.
#include "codegen/model/entry.h"
#include "ir/print/array_names.h"

const char *entry_argument_name(Entry *entry, int i) {
    if (!entry->argument_names)
        entry->argument_names = argument_names(entry->arena, entry->plan->program->main);
    return entry->argument_names[i];
}

const char *entry_result_name(Entry *entry, int i) {
    if (!entry->result_names)
        entry->result_names = result_names(entry->arena, entry->plan->program->main);
    return entry->result_names[i];
}
