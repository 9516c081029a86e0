// dump: writes programs to files, where the options ask for it as they ask XLA (xla_dump_to).
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef void WriteFn(void *user, const char *bytes, size_t size);
// Calls `write` with the program as XLA's text, or its message HloProto; not 0: it cannot.
typedef int ConvertFn(const char *program, int as_proto, WriteFn *write, void *user);

static ConvertFn *convert_program;

// For hosts: asked for programs in XLA's own forms. Without it they are written as MLIR's text.
SHARDC_API void shardc_pjrt_convert_programs(ConvertFn *convert);

void shardc_pjrt_convert_programs(ConvertFn *convert) { convert_program = convert; }

static void add_bytes(void *user, const char *bytes, size_t size) { bytes_add(user, bytes, size); }

// ---- which

static bool matches(const char *pattern, const char *name) {
    regex_t expression;
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0) return false;
    bool found = regexec(&expression, name, 0, NULL, 0) == 0;
    regfree(&expression);
    return found;
}

static bool make_folders(const char *path) {
    char *copy = strdup(path);
    if (!copy) return false;
    for (char *at = copy + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        mkdir(copy, 0777);
        *at = '/';
    }
    bool good = mkdir(copy, 0777) == 0 || errno == EEXIST;
    free(copy);
    return good;
}

// ---- writing

static bool write_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool good = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

// path: without the ending.
static bool write_form(const char *path, const char *program, bool as_proto, bool to_output) {
    Bytes bytes = {0};
    const char *ending = as_proto ? "hlo.pb" : "txt";
    if (!convert_program || convert_program(program, as_proto, add_bytes, &bytes) != 0) {
        free(bytes.data);
        bytes = (Bytes){0};
        bytes_add(&bytes, program, strlen(program));
        ending = "mlir";
    }
    char name[4096];
    int length = snprintf(name, sizeof name, "%s.%s", path, ending);
    bool good = !bytes.has_failed && length > 0 && (size_t)length < sizeof name;
    if (good && to_output)
        good = fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && fflush(stdout) == 0;
    else if (good)
        good = write_file(name, bytes.data ? bytes.data : "", bytes.size);
    free(bytes.data);
    return good;
}

static PJRT_Error *write_program(
    const Dump *dump, const char *name, int number, const char *stage, const char *program) {
    char path[4096];
    bool to_output = strcmp(dump->folder, "-") == 0;
    int size =
        snprintf(path, sizeof path, "%s/module_%04d.%s.%s", dump->folder, number, name, stage);
    bool good = size > 0 && (size_t)size < sizeof path && (to_output || make_folders(dump->folder));
    if (good && (dump->as_text || !dump->as_proto))
        good = write_form(path, program, false, to_output);
    if (good && dump->as_proto && !to_output) good = write_form(path, program, true, false);
    if (good) return NULL;
    return error_create(PJRT_INTERNAL, "xla_dump_to: cannot write %s: %s", path, strerror(errno));
}

static int next_number(void) {
    static atomic_int last;
    return atomic_fetch_add(&last, 1);
}

PJRT_Error *dump_programs(PJRT_Executable *executable, const Dump *dump) {
    if (!dump->folder || (dump->pattern && !matches(dump->pattern, executable->name))) return NULL;
    int number = next_number();
    if (dump->most >= 0 && number >= dump->most) return NULL;
    const char *partitioned = NULL;
    PJRT_Error *error = executable_partitioned(executable, &partitioned);
    if (!error)
        error =
            write_program(dump, executable->name, number, "before_optimizations", executable->text);
    if (!error)
        error =
            write_program(dump, executable->name, number, "cpu_after_optimizations", partitioned);
    return error;
}
