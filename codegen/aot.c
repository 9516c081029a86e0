// aot: objects and the runtime linked into a shared library that needs libc, libm and OpenMP alone.
//
// The linker is the system's C compiler (it knows where the libraries are), else ld.lld or ld with the usual folders. Everything is written
// to a private folder, the output under a temporary name beside its place and renamed at the end.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/vec.h"
#include "codegen/codegen.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SHARDC_OPENMP_LIBRARY
#    define SHARDC_OPENMP_LIBRARY "gomp"
#endif

// The runtime as one relocatable object, for this machine (cmake/embed.S.in).
extern const unsigned char shardc_runtime_object_begin[] __attribute__((visibility("hidden")));
extern const unsigned char shardc_runtime_object_end[] __attribute__((visibility("hidden")));

typedef struct Link {
    Arena *arena;
    const char *folder;      // private; ends without a slash
    VEC(const char *) files; // in it, to be removed
    VEC(char *) arguments;
    const char *output; // temporary, beside the final path
    const char **error;
} Link;

static bool fail(Link *link, const char *what, const char *path) {
    *link->error = arena_printf(
        link->arena, "%s '%s': %s", what, path,
        strerror(errno)); // NOLINT(concurrency-mt-unsafe): glibc's is safe
    return false;
}

// ---- the private folder

static bool open_folder(Link *link) {
    const char *base =
        getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody here changes the environment
    if (!base || !*base) base = "/tmp";
    char *folder = arena_printf(link->arena, "%s/shardc-XXXXXX", base);
    if (!mkdtemp(folder)) return fail(link, "cannot make a folder", folder);
    link->folder = folder;
    return true;
}

static bool write_file(Link *link, const char *name, StrView contents, const char **path) {
    *path = arena_printf(link->arena, "%s/%s", link->folder, name);
    vec_push(link->arena, &link->files, *path);
    FILE *file = fopen(*path, "wbe");
    if (!file) return fail(link, "cannot write", *path);
    bool written = fwrite(contents.data, 1, contents.size, file) == contents.size;
    if (fclose(file) || !written) return fail(link, "cannot write", *path);
    return true;
}

static void remove_all(Link *link) {
    for (int64_t i = 0; i < link->files.count; i++) {
        unlink(link->files.data[i]);
    }
    if (link->folder) rmdir(link->folder);
    if (link->output) unlink(link->output);
}

// ---- running a program

static bool find_program(Link *link, const char *name, const char **path) {
    const char *folders =
        getenv("PATH"); // NOLINT(concurrency-mt-unsafe): nobody here changes the environment
    if (!folders || !*folders) folders = "/usr/bin:/bin";
    for (const char *at = folders; at && *at;) {
        const char *end = strchr(at, ':');
        int size = end ? (int)(end - at) : (int)strlen(at);
        char *candidate = arena_printf(link->arena, "%.*s/%s", size, at, name);
        if (size > 0 && access(candidate, X_OK) == 0) {
            *path = candidate;
            return true;
        }
        at = end ? end + 1 : NULL;
    }
    return false;
}

static void argument(Link *link, const char *text) {
    vec_push(link->arena, &link->arguments, arena_cstring(link->arena, strview(text)));
}

// The end of what the program wrote, on one line.
static const char *read_log(Link *link, const char *path) {
    StrView log;
    const char *error;
    if (!file_read(link->arena, path, &log, &error) || log.size == 0) return "no message";
    if (log.size > 400) log = (StrView){log.data + log.size - 400, 400};
    char *text = arena_cstring(link->arena, log);
    for (char *c = text; *c; c++) {
        if (*c == '\n') *c = c[1] ? ';' : '\0';
    }
    return text;
}

static bool run_program(Link *link, const char *program) {
    const char *log = arena_printf(link->arena, "%s/log", link->folder);
    vec_push(link->arena, &link->files, log);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return fail(link, "cannot run", program);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    vec_push(link->arena, &link->arguments, NULL);
    pid_t child;
    errno = posix_spawn(&child, program, &actions, NULL, link->arguments.data, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno) return fail(link, "cannot run", program);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail(link, "cannot wait for", program);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    *link->error = arena_printf(link->arena, "%s failed: %s", program, read_log(link, log));
    return false;
}

// ---- linkers

typedef enum LinkerKind { LINKER_COMPILER, LINKER_PLAIN } LinkerKind;

typedef struct Linker {
    const char *name;
    LinkerKind kind;
} Linker;

static const Linker native_linkers[] = {
#ifdef SHARDC_C_COMPILER
    {SHARDC_C_COMPILER, LINKER_COMPILER},
#endif
    {"cc", LINKER_COMPILER},
    {"gcc", LINKER_COMPILER},
    {"clang", LINKER_COMPILER},
    {"ld.lld", LINKER_PLAIN},
    {"ld", LINKER_PLAIN}};
static const Linker aarch64_linkers[] = {
    {"aarch64-linux-gnu-gcc", LINKER_COMPILER},
    {"aarch64-linux-gnu-ld", LINKER_PLAIN},
    {"ld.lld", LINKER_PLAIN}};
static const Linker x86_linkers[] = {
    {"x86_64-linux-gnu-gcc", LINKER_COMPILER},
    {"x86_64-linux-gnu-ld", LINKER_PLAIN},
    {"ld.lld", LINKER_PLAIN}};

enum { ELF_MACHINE = 18, ELF_AARCH64 = 183 }; // e_machine of the ELF header

static int machine_of(StrView object) {
    if (object.size < ELF_MACHINE + 2) return 0;
    const unsigned char *bytes = (const unsigned char *)object.data;
    return bytes[ELF_MACHINE] | bytes[ELF_MACHINE + 1] << 8;
}

static StrView runtime_object(void) {
    size_t size = (size_t)(shardc_runtime_object_end - shardc_runtime_object_begin);
    return (StrView){(const char *)shardc_runtime_object_begin, size};
}

static bool find_linker(Link *link, int machine, Linker *found, const char **path) {
    const Linker *linkers = native_linkers;
    size_t count = sizeof native_linkers / sizeof *native_linkers;
    if (machine != machine_of(runtime_object())) {
        linkers = machine == ELF_AARCH64 ? aarch64_linkers : x86_linkers;
        count = sizeof aarch64_linkers / sizeof *aarch64_linkers;
    }
    for (size_t i = 0; i < count; i++) {
        *found = linkers[i];
        if (linkers[i].name[0] == '/' && access(linkers[i].name, X_OK) == 0) {
            *path = linkers[i].name;
            return true;
        }
        if (linkers[i].name[0] != '/' && find_program(link, linkers[i].name, path)) return true;
    }
    *link->error =
        machine == machine_of(runtime_object())
            ? "no linker was found: install a C compiler (cc, gcc or clang), ld.lld or ld"
            : "no linker for the target was found: install its cross compiler or ld.lld";
    return false;
}

static void library_arguments(Link *link, LinkerKind kind) {
    if (kind == LINKER_COMPILER) {
        argument(link, "-l" SHARDC_OPENMP_LIBRARY);
        argument(link, "-lm");
        return;
    }
    static const char *const folders[] = {
        "-L/usr/lib/x86_64-linux-gnu",
        "-L/lib/x86_64-linux-gnu",
        "-L/usr/lib/aarch64-linux-gnu",
        "-L/lib/aarch64-linux-gnu",
        "-L/usr/lib64",
        "-L/lib64",
        "-L/usr/lib",
        "-L/lib"};
    const char *library = SHARDC_OPENMP_LIBRARY;
    const char *openmp = strcmp(library, "gomp") == 0 ? "-l:libgomp.so.1" : "-l:libomp.so.5";
    const char *const libraries[] = {openmp, "-l:libm.so.6", "-l:libc.so.6", "-l:libgcc_s.so.1"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        argument(link, folders[i]);
    }
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        argument(link, libraries[i]);
    }
}

// An option that a compiler passes on to its linker.
static void linker_option(Link *link, LinkerKind kind, const char *option) {
    argument(link, kind == LINKER_COMPILER ? arena_printf(link->arena, "-Wl,%s", option) : option);
}

static bool write_objects(Link *link, const CodegenResult *code) {
    for (int i = 0; i < code->object_count; i++) {
        const char *path;
        if (!write_file(link, arena_printf(link->arena, "%d.o", i), code->objects[i], &path))
            return false;
        argument(link, path);
    }
    return true;
}

// A temporary name in the folder of the output, so that the rename stays in one file system.
static bool open_output(Link *link, const char *path) {
    char *output = arena_printf(link->arena, "%s.XXXXXX", path);
    int file = mkstemp(output);
    if (file < 0) return fail(link, "cannot write", path);
    close(file);
    link->output = output;
    return true;
}

static bool finish_output(Link *link, const char *path) {
    mode_t mask = umask(0);
    umask(mask);
    if (chmod(link->output, 0777 & ~mask) || rename(link->output, path))
        return fail(link, "cannot write", path);
    link->output = NULL;
    return true;
}

static bool begin_link(
    Link *link, const CodegenResult *code, const char *path, Linker *linker, const char **program) {
    if (!find_linker(link, machine_of(code->objects[0]), linker, program)) return false;
    if (!open_output(link, path) || !open_folder(link)) return false;
    argument(link, *program);
    return true;
}

// What the library shows: shardc_model_entry and the typed functions.
static StrView version_script(Arena *arena, const char *name) {
    StrBuf text = strbuf(arena);
    strbuf_puts(&text, "{ global: shardc_model_entry;");
    static const char *const suffixes[] = {"run",     "create",  "execute",
                                           "message", "destroy", "workspace_bytes"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        strbuf_printf(&text, " %s_%s;", name, suffixes[i]);
    }
    strbuf_puts(&text, " local: *; };\n");
    return strbuf_view(&text);
}

static bool link_library(Link *link, const CodegenResult *code, const char *path) {
    Linker linker;
    const char *program, *script, *runtime;
    if (machine_of(code->objects[0]) != machine_of(runtime_object())) {
        *link->error = "a shared library can be linked for this machine's architecture only; for "
                       "others, emit an object";
        return false;
    }
    if (!begin_link(link, code, path, &linker, &program)) return false;
    argument(link, "-shared");
    argument(link, "-o");
    argument(link, link->output);
    if (!write_objects(link, code) || !write_file(link, "runtime.o", runtime_object(), &runtime))
        return false;
    argument(link, runtime);
    if (!write_file(link, "exports", version_script(link->arena, code->name), &script))
        return false;
    linker_option(link, linker.kind, arena_printf(link->arena, "--version-script=%s", script));
    linker_option(link, linker.kind, "--no-undefined");
    linker_option(link, linker.kind, "--gc-sections");
    linker_option(link, linker.kind, "--discard-all");
    linker_option(link, linker.kind, "-znoexecstack");
    library_arguments(link, linker.kind);
    return run_program(link, program) && finish_output(link, path);
}

static bool link_relocatable(Link *link, const CodegenResult *code, const char *path) {
    Linker linker;
    const char *program;
    if (!begin_link(link, code, path, &linker, &program)) return false;
    if (linker.kind == LINKER_COMPILER) argument(link, "-nostdlib");
    argument(link, "-r");
    argument(link, "-o");
    argument(link, link->output);
    return write_objects(link, code) && run_program(link, program) && finish_output(link, path);
}

bool codegen_link(Arena *arena, const CodegenResult *code, const char *path, const char **error) {
    Link link = {.arena = arena, .error = error};
    bool linked = link_library(&link, code, path);
    remove_all(&link);
    return linked;
}

bool codegen_relocatable(
    Arena *arena, const CodegenResult *code, const char *path, const char **error) {
    if (code->object_count == 1) return file_write(arena, path, code->objects[0], error);
    Link link = {.arena = arena, .error = error};
    bool linked = link_relocatable(&link, code, path);
    remove_all(&link);
    return linked;
}
