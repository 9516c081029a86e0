// errors: PJRT's error objects, and those made of shardc's statuses.
#include "plugin/plugin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct PJRT_Error {
    const PJRT_Error_FunctionTable *functions; // callers may look here
    PJRT_Error_Code code;
    size_t size;
    char message[];
};

static void destroy(PJRT_Error *error);

static void message(const PJRT_Error *error, const char **text, size_t *size) {
    *text = error->message;
    *size = error->size;
}

static PJRT_Error_Code code(const PJRT_Error *error) { return error->code; }

static void no_payload(const PJRT_Error *error, PJRT_Error_PayloadVisitor visitor, void *user_arg) {
    (void)error;
    (void)visitor;
    (void)user_arg;
}

static const PJRT_Error_FunctionTable functions = {
    .struct_size = sizeof functions,
    .instance_size = sizeof(PJRT_Error),
    .destroy = destroy,
    .message = message,
    .get_code = code,
    .for_each_payload = no_payload,
};

static PJRT_Error out_of_memory = {.functions = &functions, .code = PJRT_RESOURCE_EXHAUSTED};

static void destroy(PJRT_Error *error) {
    if (error != &out_of_memory) free(error);
}

PJRT_Error *error_out_of_memory(void) { return &out_of_memory; }

static PJRT_Error *make(PJRT_Error_Code number, const char *text, size_t size) {
    PJRT_Error *error = malloc(sizeof *error + size + 1);
    if (!error) return error_out_of_memory();
    *error = (PJRT_Error){.functions = &functions, .code = number, .size = size};
    memcpy(error->message, text, size);
    error->message[size] = 0;
    return error;
}

PJRT_Error *error_create(PJRT_Error_Code number, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0) size = 0;
    return make(number, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

static PJRT_Error_Code code_of(shardc_code status) {
    switch (status) {
    case SHARDC_OK: return PJRT_OK;
    case SHARDC_INVALID_INPUT: return PJRT_INVALID_ARGUMENT;
    case SHARDC_UNSUPPORTED: return PJRT_UNIMPLEMENTED;
    case SHARDC_OUT_OF_MEMORY: return PJRT_RESOURCE_EXHAUSTED;
    case SHARDC_IO: return PJRT_UNAVAILABLE;
    case SHARDC_INTERNAL:
    case SHARDC_FAILED: return PJRT_INTERNAL;
    }
    return PJRT_UNKNOWN;
}

PJRT_Error *error_of(const shardc_status *status) {
    if (!status) return NULL;
    // A report of one diagnostic repeats the message: the places of a program in
    // memory help nobody who wrote Python.
    const char *text = shardc_status_message(status);
    return make(code_of(shardc_status_code(status)), text, strlen(text));
}

PJRT_Error *error_take(shardc_status *status) {
    PJRT_Error *error = error_of(status);
    shardc_status_free(status);
    return error;
}

void plugin_Error_Destroy(PJRT_Error_Destroy_Args *args) { destroy(args->error); }

void plugin_Error_Message(PJRT_Error_Message_Args *args) {
    message(args->error, &args->message, &args->message_size);
}

ENTRY(Error_GetCode) {
    args->code = args->error->code;
    return NULL;
}

ENTRY(Error_ForEachPayload) {
    (void)args; // there are none
    return NULL;
}
