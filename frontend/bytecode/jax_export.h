// What jax.export's Exported.serialize() writes: a flatbuffer around a portable
// artifact. See docs/bytecode.md.
#ifndef SHARDC_FRONTEND_JAX_EXPORT_H
#define SHARDC_FRONTEND_JAX_EXPORT_H

#include "frontend/frontend.h"

typedef struct JaxExport {
    StrView module; // the artifact, borrowed from the file
    int64_t devices;
    int platform_count; // that the program was exported for
    const StrView *platforms;
} JaxExport;

// False when the contents are no such file.
bool jax_export_open(Arena *arena, StrView contents, JaxExport *file);
// Gives the module what the file knows: the platform that a program for several is run on, the
// number of devices, arguments' names. False with a diagnostic.
bool jax_export_finish(Module *module, Arena *scratch, const JaxExport *file, Diags *diags);

#endif
