// extensions: layouts, shardings of compiled programs, memories of described devices; the list of
// all.
#include "plugin/pjrt_extensions.h"
#include "plugin/plugin.h"
#include "plugin/profiler/profiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef ENTRY
#define ENTRY(name) static PJRT_Error *name(PJRT_##name##_Args *args)

// ---- shardings

ENTRY(Shardings_Executable_ParameterShardings) {
    const ArrayList *list = &args->executable->parameters;
    args->num_parameters = list->count;
    args->shardings = list->count ? (const char *const *)list->shardings : NULL;
    args->sharding_sizes = list->sharding_sizes;
    return NULL;
}

ENTRY(Shardings_Executable_OutputShardings) {
    const ArrayList *list = &args->executable->outputs;
    args->num_outputs = list->count;
    args->shardings = list->count ? (const char *const *)list->shardings : NULL;
    args->sharding_sizes = list->sharding_sizes;
    return NULL;
}

// ---- layouts

static PJRT_Error *give_layout(Layout *known, PJRT_Layouts_MemoryLayout **layout) {
    *layout = known;
    if (known) return NULL;
    return error_create(
        PJRT_UNIMPLEMENTED, "shardc: arrays have at most %d dimensions", SHARDC_MAX_RANK);
}

ENTRY(Layouts_MemoryLayout_Destroy) {
    (void)args; // shared by all
    return NULL;
}

static void nothing_to_free(PJRT_Layouts_SerializedLayout *layout) { (void)layout; }

ENTRY(Layouts_MemoryLayout_Serialize) {
    args->serialized_bytes = args->layout->text;
    args->serialized_bytes_size = args->layout->size;
    args->serialized_layout = NULL;
    args->serialized_layout_deleter = nothing_to_free;
    return NULL;
}

ENTRY(Layouts_Buffer_MemoryLayout) { return give_layout(args->buffer->layout, &args->layout); }
ENTRY(Layouts_Client_GetDefaultLayout) {
    return give_layout(layout_row_major(args->num_dims), &args->layout);
}
ENTRY(Layouts_Topology_GetDefaultLayout) {
    return give_layout(layout_row_major(args->num_dims), &args->layout);
}

ENTRY(Layouts_Executable_GetOutputLayouts) {
    args->num_outputs = args->executable->outputs.count;
    args->layouts = args->executable->outputs.layouts;
    return NULL;
}

ENTRY(Layouts_Executable_GetParameterLayouts) {
    args->num_parameters = args->executable->parameters.count;
    args->layouts = args->executable->parameters.layouts;
    return NULL;
}

// ---- memories

struct PJRT_MemoryDescription {
    int kind;
};

ENTRY(DeviceDescription_MemoryDescriptions) {
    static const PJRT_MemoryDescription kinds[MEMORY_KINDS] = {{0}, {1}, {2}};
    static const PJRT_MemoryDescription *const list[MEMORY_KINDS] = {
        &kinds[0], &kinds[1], &kinds[2]};
    args->memory_descriptions = list;
    args->num_memory_descriptions = MEMORY_KINDS;
    args->default_memory_index = 0;
    return NULL;
}

ENTRY(MemoryDescription_Kind) {
    args->kind = memory_kind(args->memory_description->kind);
    args->kind_size = strlen(args->kind);
    args->kind_id = args->memory_description->kind;
    return NULL;
}

// ---- the list

static PJRT_MemoryDescriptions_Extension memories = {
    .base = {sizeof memories, PJRT_EXTENSION_MEMORY_DESCRIPTIONS, &profiler_extension.base},
    .DeviceDescription_MemoryDescriptions = DeviceDescription_MemoryDescriptions,
    .MemoryDescription_Kind = MemoryDescription_Kind,
};

static PJRT_Layouts_Extension layouts = {
    .base = {sizeof layouts, PJRT_EXTENSION_LAYOUTS, &memories.base},
    .Layouts_MemoryLayout_Destroy = Layouts_MemoryLayout_Destroy,
    .Layouts_MemoryLayout_Serialize = Layouts_MemoryLayout_Serialize,
    .Layouts_Client_GetDefaultLayout = Layouts_Client_GetDefaultLayout,
    .Layouts_Buffer_MemoryLayout = Layouts_Buffer_MemoryLayout,
    .Layouts_Topology_GetDefaultLayout = Layouts_Topology_GetDefaultLayout,
    .Layouts_Executable_GetOutputLayouts = Layouts_Executable_GetOutputLayouts,
    .Layouts_Executable_GetParameterLayouts = Layouts_Executable_GetParameterLayouts,
};

static PJRT_Shardings_Extension shardings = {
    .base = {sizeof shardings, PJRT_EXTENSION_SHARDINGS, &layouts.base},
    .Shardings_Executable_ParameterShardings = Shardings_Executable_ParameterShardings,
    .Shardings_Executable_OutputShardings = Shardings_Executable_OutputShardings,
};

PJRT_Extension_Base *extensions(void) { return &shardings.base; }
