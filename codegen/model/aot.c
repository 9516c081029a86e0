// aot: objects and the runtime linked into a shared library that needs libc, libm and OpenMP alone.
//
// The linker is the system's C compiler (it knows where the libraries are), else ld.lld or ld with
// the usual folders. What it reads and writes are files in memory (memfd_create), which a linker
// finds as /proc/self/fd/N: a signal leaves nothing behind. A linker that cannot work so (ld.lld
// makes its output beside its place) gets a private folder.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/vec.h"
#include "codegen/codegen.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SHARDC_OPENMP_LIBRARY
#    define SHARDC_OPENMP_LIBRARY "gomp"
#endif

// The runtime as one relocatable object, for this machine (cmake/embed.S.in).
extern const unsigned char shardc_runtime_object_begin[] __attribute__((visibility("hidden")));
extern const unsigned char shardc_runtime_object_end[] __attribute__((visibility("hidden")));

typedef struct LinkFile {
    const char *path;
    int descriptor; // open for writing
} LinkFile;

typedef struct Link {
    Arena *arena;
    const char *folder;  // private; ends without a slash; NULL = files are in memory
    VEC(LinkFile) files; // to be closed, and removed from the folder
    VEC(char *) arguments;
    const char *soname; // of a shared library
    const char **error;
} Link;

static bool fail(Link *link, const char *what, const char *path) {
    *link->error = arena_printf(
        link->arena, "%s '%s': %s", what, path,
        strerror(errno)); // NOLINT(concurrency-mt-unsafe): glibc's is safe
    return false;
}

// ---- the files of a link

static bool open_folder(Link *link) {
    const char *base =
        getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody here changes the environment
    if (!base || !*base) base = "/tmp";
    char *folder = arena_printf(link->arena, "%s/shardc-XXXXXX", base);
    if (!mkdtemp(folder)) return fail(link, "cannot make a folder", folder);
    link->folder = folder;
    return true;
}

// A file in memory, with a number that no standard stream has.
static int open_in_memory(const char *name) {
    int low = memfd_create(name, MFD_CLOEXEC);
    int descriptor = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (low >= 0) (void)close(low);
    return descriptor;
}

// An empty file; *file stays valid until the next one is opened.
static bool open_file(Link *link, const char *name, const LinkFile **file) {
    LinkFile opened;
    if (link->folder) {
        opened.path = arena_printf(link->arena, "%s/%s", link->folder, name);
        opened.descriptor = open(opened.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } else {
        opened.descriptor = open_in_memory(name);
        opened.path = arena_printf(link->arena, "/proc/self/fd/%d", opened.descriptor);
    }
    if (opened.descriptor < 0) return fail(link, "cannot create", name);
    vec_push(link->arena, &link->files, opened);
    *file = &vec_last(&link->files);
    return true;
}

static bool write_piece(Link *link, const LinkFile *file, StrView piece) {
    while (piece.size) {
        ssize_t written = write(file->descriptor, piece.data, piece.size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(link, "cannot write", file->path);
        piece.data += written;
        piece.size -= (size_t)written;
    }
    return true;
}

static void remove_all(Link *link) {
    for (int64_t i = 0; i < link->files.count; i++) {
        (void)close(link->files.data[i].descriptor);
        if (link->folder) (void)unlink(link->files.data[i].path);
    }
    link->files.count = 0;
    if (link->folder) (void)rmdir(link->folder);
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

// The program gets the files that are in memory under the numbers that they have here.
static int spawn_actions(
    const Link *link, const LinkFile *log, posix_spawn_file_actions_t *actions) {
    int failure = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, log->descriptor, 1);
    if (!failure) failure = posix_spawn_file_actions_adddup2(actions, log->descriptor, 2);
    for (int64_t i = 0; i < link->files.count && !failure && !link->folder; i++) {
        int descriptor = link->files.data[i].descriptor;
        failure = posix_spawn_file_actions_adddup2(actions, descriptor, descriptor);
    }
    return failure;
}

static bool run_program(Link *link, const char *program) {
    const LinkFile *log;
    if (!open_file(link, "log", &log)) return false;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return fail(link, "cannot run", program);
    vec_push(link->arena, &link->arguments, NULL);
    pid_t child = 0;
    errno = spawn_actions(link, log, &actions);
    if (!errno) errno = posix_spawn(&child, program, &actions, NULL, link->arguments.data, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno) return fail(link, "cannot run", program);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail(link, "cannot wait for", program);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    *link->error = arena_printf(link->arena, "%s failed: %s", program, read_log(link, log->path));
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

// An option that a compiler passes on to its linker.
static void linker_option(Link *link, LinkerKind kind, const char *option) {
    argument(link, kind == LINKER_COMPILER ? arena_printf(link->arena, "-Wl,%s", option) : option);
}

// An option with a value, which may contain commas.
static void linker_value(Link *link, LinkerKind kind, const char *option, const char *value) {
    if (kind == LINKER_COMPILER) argument(link, "-Xlinker");
    argument(link, option);
    if (kind == LINKER_COMPILER) argument(link, "-Xlinker");
    argument(link, value);
}

// Where programs look for libraries without being told.
static bool is_usual_folder(const char *folder) {
    static const char *const usual[] = {
        "/lib",
        "/usr/lib",
        "/lib64",
        "/usr/lib64",
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(folder, usual[i]) == 0) return true;
    }
    return false;
}

static bool folder_is_usual(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && is_usual_folder(arena_printf(arena, "%.*s", (int)(slash - path), path));
}

// The OpenMP library that this process uses is the one that models get: named by its
// path, and looked for there by the model where that is no usual folder. False: it is
// not known as a file of its own.
static bool add_openmp(Link *link, LinkerKind kind) {
    Dl_info info;
    char path[PATH_MAX];
    static const char name[] = "/lib" SHARDC_OPENMP_LIBRARY ".so";
    const void *symbol = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return false;
    if (!realpath(info.dli_fname, path)) return false;
    const char *slash = strrchr(path, '/');
    bool is_openmp = slash && strncmp(slash, name, sizeof name - 1) == 0;
    if (!is_openmp || access(path, R_OK) != 0) return false;
    argument(link, path);
    if (folder_is_usual(link->arena, info.dli_fname) || folder_is_usual(link->arena, path))
        return true;
    linker_value(
        link, kind, "-rpath", arena_printf(link->arena, "%.*s", (int)(slash - path), path));
    return true;
}

static void library_arguments(Link *link, LinkerKind kind) {
    if (kind == LINKER_COMPILER) {
        if (!add_openmp(link, kind)) argument(link, "-l" SHARDC_OPENMP_LIBRARY);
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
    const char *const libraries[] = {"-l:libm.so.6", "-l:libc.so.6", "-l:libgcc_s.so.1"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        argument(link, folders[i]);
    }
    if (!add_openmp(link, kind)) argument(link, openmp);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        argument(link, libraries[i]);
    }
}

// ---- linking

// A member of an archive: 60 bytes of text, the contents, a byte if that makes the size even.
static bool write_member(Link *link, const LinkFile *archive, int number, StrView contents) {
    char header[61], name[17];
    (void)snprintf(name, sizeof name, "%d.o/", number);
    (void)snprintf(
        header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0600,
        contents.size);
    return write_piece(link, archive, (StrView){header, 60}) &&
           write_piece(link, archive, contents) &&
           write_piece(link, archive, contents.size % 2 ? SV("\n") : SV(""));
}

// All objects in one archive, because a program may have more kernels than a process may open
// files.
static bool write_objects(Link *link, const CodegenResult *code, LinkerKind kind, StrView more) {
    const LinkFile *archive;
    if (!open_file(link, "objects.a", &archive) || !write_piece(link, archive, SV("!<arch>\n")))
        return false;
    for (int i = 0; i < code->object_count; i++) {
        if (!write_member(link, archive, i, code->objects[i])) return false;
    }
    if (more.size && !write_member(link, archive, code->object_count, more)) return false;
    linker_option(link, kind, "--whole-archive");
    argument(link, archive->path);
    linker_option(link, kind, "--no-whole-archive");
    return true;
}

static bool begin_link(
    Link *link, const CodegenResult *code, Linker *linker, const char **program,
    const char **output) {
    const LinkFile *file;
    if (!find_linker(link, machine_of(code->objects[0]), linker, program)) return false;
    if (!open_file(link, "output", &file)) return false;
    *output = file->path;
    argument(link, *program);
    return true;
}

// What the library shows: shardc_model_entry and the typed functions. All exist: linkers refuse
// other names (LLVM's since 16).
static StrView version_script(Arena *arena, const CodegenResult *code) {
    StrBuf text = strbuf(arena);
    strbuf_puts(&text, "{ global: shardc_model_entry;");
    static const char *const suffixes[] = {"run",     "create",  "execute",
                                           "message", "destroy", "workspace_bytes"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        strbuf_printf(&text, " %s_%s;", code->name, suffixes[i]);
    }
    if (code->has_rebind) strbuf_printf(&text, " %s_rebind;", code->name);
    strbuf_puts(&text, " local: *; };\n");
    return strbuf_view(&text);
}

static bool link_library(Link *link, const CodegenResult *code, const char **output) {
    Linker linker;
    const char *program;
    const LinkFile *script;
    if (!begin_link(link, code, &linker, &program, output)) return false;
    argument(link, "-shared");
    argument(link, "-o");
    argument(link, *output);
    if (!write_objects(link, code, linker.kind, runtime_object()) ||
        !open_file(link, "exports", &script) ||
        !write_piece(link, script, version_script(link->arena, code)))
        return false;
    linker_option(
        link, linker.kind, arena_printf(link->arena, "--version-script=%s", script->path));
    linker_value(link, linker.kind, "-soname", link->soname);
    linker_option(link, linker.kind, "--no-undefined");
    linker_option(link, linker.kind, "--gc-sections");
    linker_option(link, linker.kind, "--discard-all");
    linker_option(link, linker.kind, "-znoexecstack");
    library_arguments(link, linker.kind);
    return run_program(link, program);
}

static bool link_relocatable(Link *link, const CodegenResult *code, const char **output) {
    Linker linker;
    const char *program;
    if (!begin_link(link, code, &linker, &program, output)) return false;
    if (linker.kind == LINKER_COMPILER) argument(link, "-nostdlib");
    argument(link, "-r");
    argument(link, "-o");
    argument(link, *output);
    return write_objects(link, code, linker.kind, SV("")) && run_program(link, program);
}

typedef bool LinkFn(Link *link, const CodegenResult *code, const char **output);

// Once with files in memory; when that fails, in a folder.
static bool link_image(
    Arena *arena, const CodegenResult *code, LinkFn *function, const char *soname, StrView *image,
    const char **error) {
    const char *output = NULL;
    Link link = {.arena = arena, .soname = soname, .error = error};
    bool linked = function(&link, code, &output) && file_read(arena, output, image, error);
    remove_all(&link);
    if (linked) return true;
    Link again = {.arena = arena, .soname = soname, .error = error};
    linked = open_folder(&again) && function(&again, code, &output) &&
             file_read(arena, output, image, error);
    remove_all(&again);
    return linked;
}

bool codegen_link(
    Arena *arena, const CodegenResult *code, const char *soname, StrView *image,
    const char **error) {
    if (machine_of(code->objects[0]) == machine_of(runtime_object()))
        return link_image(arena, code, link_library, soname, image, error);
    *error = "a shared library can be linked for this machine's architecture only; for others, "
             "emit an object";
    return false;
}

bool codegen_relocatable(
    Arena *arena, const CodegenResult *code, StrView *image, const char **error) {
    if (code->object_count > 1)
        return link_image(arena, code, link_relocatable, NULL, image, error);
    *image = code->objects[0];
    return true;
}
