// Programs that were compiled into memory before, with a folder of compiled code (options->cache).
#ifndef SHARDC_API_KEPT_PROGRAM_H
#define SHARDC_API_KEPT_PROGRAM_H

#include "api/api_internal.h"

// NULL when nothing of this program is to be found or kept: there is no folder, it was not only
// read, or the result depends on functions of the caller's.
KeptProgram *kept_program(Arena *arena, const shardc_module *module, const shardc_options *options);
// What the compilation would make, from the folder. False: it has to be made; the executable is as
// it was.
bool kept_program_link(
    const KeptProgram *kept, Arena *arena, bool keeps_code, shardc_executable *executable);

#endif
