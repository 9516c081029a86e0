/* shardc: compiles sharded tensor programs to native code per mesh device, and runs them. This header includes the whole C API.
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
 * No call prints, aborts or exits; there is no global state. */
#ifndef SHARDC_SHARDC_H
#define SHARDC_SHARDC_H

#include "shardc/buffer.h"
#include "shardc/build.h"
#include "shardc/custom.h"
#include "shardc/executable.h"
#include "shardc/explain.h"
#include "shardc/model.h"
#include "shardc/module.h"
#include "shardc/options.h"
#include "shardc/profile.h"
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
