/* shardc: compiles sharded tensor programs to native code per mesh device, and runs them. This
 * header includes the whole C API.
 *
 *     shardc_context *context = NULL;
 *     shardc_module *module = NULL;
 *     shardc_executable *executable = NULL;
 *     shardc_status *status = shardc_context_create(NULL, &context);
 *     if (!status) status = shardc_module_parse_file(context, "model.mlir", &module);
 *     if (!status) status = shardc_compile(module, NULL, &executable);
 *     if (!status) status = shardc_execute(executable, inputs, outputs);
 *     if (status) fputs(shardc_status_report(status), stderr);
 *     shardc_status_free(status);
 *     shardc_executable_free(executable);
 *     shardc_module_free(module);
 *     shardc_context_free(context);
 *
 * No call prints, aborts or exits. The calls share no state but threads that wait for work.
 *
 * What holds for every call:
 *
 *   missing pointers  A pointer must be given unless its description says that it may be NULL. A
 *                     list may be NULL where its count is 0. A call that returns a status answers
 *                     SHARDC_INVALID_INPUT, and its message names the call and the parameter:
 *                     "shardc_compile: module is NULL". A call that returns something else and is
 *                     given NULL answers 0, NULL, or "" where it returns text. Every _free and
 *                     _init takes NULL and then does nothing.
 *   wrong numbers     Unknown enum values, negative counts, and lists that are too long give
 *                     SHARDC_INVALID_INPUT in the same way; queries answer as for NULL. An index
 *                     that is out of range finds nothing: 0 or NULL.
 *   results           What a call returns through a pointer is set before anything else can fail:
 *                     to NULL or 0, and after success to the result. After an error nothing is
 *                     owned by the caller but the status.
 *   struct_size       Option structs begin with their size, so that they can grow: the
 *                     smaller struct of a caller that was built with an older shardc is
 *                     understood. One without a size (0), and a larger one that sets what
 *                     this library does not know, is refused.
 *   texts             Texts end with NUL, but for those that are given with their size.
 *   threads           Calls on one context, its modules and functions must not overlap; different
 *                     contexts are independent. Executables, buffers, statuses and explanations
 *                     belong to no context: different ones may be used at the same time, statuses
 *                     and explanations are never changed. Executions of one executable may be asked
 *                     for by several threads at the same time: each takes memory of its own. Nobody
 *                     else may use an object while it is freed. */
#ifndef SHARDC_SHARDC_H
#define SHARDC_SHARDC_H

#include "shardc/buffer.h"
#include "shardc/build.h"
#include "shardc/custom.h"
#include "shardc/event.h"
#include "shardc/executable.h"
#include "shardc/explain.h"
#include "shardc/model.h"
#include "shardc/module.h"
#include "shardc/options.h"
#include "shardc/profile.h"
#include "shardc/sharding_options.h"
#include "shardc/status.h"
#include "shardc/types.h"

#ifdef __cplusplus
extern "C" {
#endif

SHARDC_API const char *shardc_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif
#endif
