// api: the table of functions that callers get, and what the plugin says of itself.
#include "plugin/plugin.h"

#include <string.h>

// Functions that are not provided say so.
#define ABSENT(name)                                                                       \
    static PJRT_Error *absent_##name(void *args) {                                         \
        (void)args;                                                                        \
        return error_create(PJRT_UNIMPLEMENTED, "shardc does not provide PJRT_%s", #name); \
    }
#undef ENTRY
#define ENTRY(name)
#define VOID(name)
#include "plugin/entries.def"
#undef ENTRY
#undef VOID
#undef ABSENT

#define ENTRY(name)  .name = plugin_##name,
#define VOID(name)   .name = plugin_##name,
#define ABSENT(name) .name = absent_##name,
static PJRT_Api table = {
    .struct_size = sizeof table,
    .version =
        {.struct_size = sizeof table.version,
         .major_version = PJRT_API_MAJOR,
         .minor_version = PJRT_API_MINOR},
#include "plugin/entries.def"
};
#undef ENTRY
#define ENTRY(name) PJRT_Error *plugin_##name(PJRT_##name##_Args *args)

SHARDC_API const PJRT_Api *GetPjrtApi(void);

const PJRT_Api *GetPjrtApi(void) {
    table.extension_start = extensions();
    return &table;
}

ENTRY(Plugin_Initialize) {
    (void)args;
    return NULL;
}

// The newest version of StableHLO that we read is at least the caller's: it writes programs in its
// own.
ENTRY(Plugin_Attributes) {
    static const int64_t current[] = {1, 17, 0}, minimum[] = {0, 9, 0};
    static PJRT_NamedValue attributes[] = {
        {.struct_size = sizeof(PJRT_NamedValue),
         .name = "stablehlo_current_version",
         .name_size = sizeof "stablehlo_current_version" - 1,
         .type = PJRT_INT64_LIST,
         .int64_array_value = current,
         .value_size = 3},
        {.struct_size = sizeof(PJRT_NamedValue),
         .name = "stablehlo_minimum_version",
         .name_size = sizeof "stablehlo_minimum_version" - 1,
         .type = PJRT_INT64_LIST,
         .int64_array_value = minimum,
         .value_size = 3},
    };
    args->attributes = attributes;
    args->num_attributes = sizeof attributes / sizeof *attributes;
    return NULL;
}
