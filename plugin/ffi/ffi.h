// The door of ffi/: custom calls to handlers of XLA's foreign function interface (LAPACK
// in jaxlib, Python callbacks, functions of users). Beside it partitioner.h: custom calls
// that such functions partition.
#ifndef SHARDC_PLUGIN_FFI_H
#define SHARDC_PLUGIN_FFI_H

#include "shardc/shardc.h"

#include "plugin/pjrt.h"

// Custom calls of programs of the context go to handlers of XLA's foreign function interface.
shardc_status *ffi_attach(shardc_context *context);
PJRT_ExecuteContext *context_retain(PJRT_ExecuteContext *context);
void context_release(PJRT_ExecuteContext *context); // NULL is fine

#endif
