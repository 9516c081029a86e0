// kept: the objects of whole programs in the cache's folder. An entry is the number of objects,
// their sizes and their bytes.
#define _GNU_SOURCE
#include "codegen/codegen.h"
#include "codegen/target/optimize.h"

#include <link.h>

struct KeptProgram {
    ObjectCache *cache;
    StrView key;
};

// ---- which compiler this is

// The identification that the linker wrote into the library or program that holds this function.
typedef struct BuildId {
    uintptr_t here;
    StrBuf *out;
    bool found;
} BuildId;

static size_t round_up(size_t size) { return (size + 3) & ~(size_t)3; }

static bool take_note(BuildId *id, const char *notes, size_t size) {
    ElfW(Nhdr) note;
    while (size >= sizeof note) {
        memcpy(&note, notes, sizeof note);
        size_t name = round_up(note.n_namesz), all = sizeof note + name + round_up(note.n_descsz);
        if (all > size) return false;
        const char *text = notes + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0) {
            strbuf_append(id->out, (StrView){text + name, note.n_descsz});
            return note.n_descsz > 0;
        }
        notes += all;
        size -= all;
    }
    return false;
}

static int look_into(struct dl_phdr_info *object, size_t size, void *user) {
    (void)size;
    BuildId *id = user;
    bool is_ours = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        is_ours = is_ours || (segment->p_type == PT_LOAD && id->here >= begin &&
                              id->here - begin < segment->p_memsz);
    }
    for (int i = 0; is_ours && !id->found && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_NOTE) continue;
        const char *notes = (const char *)(object->dlpi_addr + segment->p_vaddr);
        id->found = take_note(id, notes, segment->p_memsz);
    }
    return is_ours;
}

// False when the linker wrote none.
static bool append_build(StrBuf *key) {
    BuildId id = {.here = (uintptr_t)&append_build, .out = key};
    dl_iterate_phdr(look_into, &id);
    return id.found;
}

// ---- keys

static void append_text(StrBuf *key, StrView text) {
    strbuf_printf(key, "%zu:", text.size);
    strbuf_append(key, text);
}

// All that code depends on beside the program.
static bool append_target(StrBuf *key, Arena *arena, const CodegenOptions *options) {
    Target target;
    Diags *unheard = diags_create(arena); // the compilation says it
    if (!target_select(
            arena, options->target, options->target_cpu, options->optimize, &target, unheard))
        return false;
    strbuf_printf(
        key, "%s %s %s %d %lld %lld %lld\n", target.triple, target.cpu,
        target.features ? target.features : "", options->optimize, (long long)target.l1_bytes,
        (long long)target.l2_bytes, (long long)target.l3_bytes);
    strbuf_printf(
        key, "%d %d %lld\n", options->in_memory, options->reference_kernels,
        (long long)options->shard);
    append_text(key, options->name);
    const char *constant = options->constant_arguments;
    if (constant) append_text(key, strview(constant));
    strbuf_putc(key, '\n');
    return true;
}

KeptProgram *codegen_kept(Arena *arena, const CodegenOptions *options, StrView program) {
    ObjectCache *cache = object_cache_open(arena, options->cache);
    if (!cache) return NULL;
    StrBuf key = strbuf(arena);
    strbuf_puts(&key, "program " SHARDC_VERSION " ");
    if (!append_build(&key)) return NULL;
    append_llvm_version(&key);
    if (!append_target(&key, arena, options)) return NULL;
    append_text(&key, program);
    KeptProgram *kept = ARENA_NEW(arena, KeptProgram);
    *kept = (KeptProgram){cache, strbuf_view(&key)};
    return kept;
}

// ---- entries

static bool read_size(StrView *bytes, uint64_t *size) {
    if (bytes->size < sizeof *size) return false;
    memcpy(size, bytes->data, sizeof *size);
    *bytes = (StrView){bytes->data + sizeof *size, bytes->size - sizeof *size};
    return true;
}

bool codegen_find_kept(const KeptProgram *kept, Arena *arena, CodegenResult *result) {
    StrView bytes;
    uint64_t count = 0;
    *result = (CodegenResult){0};
    if (!object_cache_find(kept->cache, arena, kept->key, &bytes) || !read_size(&bytes, &count) ||
        count == 0 || count > bytes.size / sizeof(uint64_t))
        return false;
    StrView *objects = ARENA_ARRAY(arena, StrView, (int64_t)count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size;
        if (!read_size(&bytes, &size)) return false;
        objects[i].size = size;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (objects[i].size > bytes.size) return false;
        objects[i].data = bytes.data;
        bytes = (StrView){bytes.data + objects[i].size, bytes.size - objects[i].size};
    }
    result->objects = objects;
    result->object_count = (int)count;
    return bytes.size == 0;
}

static void append_size(StrBuf *bytes, uint64_t size) {
    strbuf_append(bytes, (StrView){(const char *)&size, sizeof size});
}

void codegen_keep(const KeptProgram *kept, Arena *arena, const CodegenResult *result) {
    StrBuf bytes = strbuf(arena);
    append_size(&bytes, (uint64_t)result->object_count);
    for (int i = 0; i < result->object_count; i++)
        append_size(&bytes, result->objects[i].size);
    for (int i = 0; i < result->object_count; i++)
        strbuf_append(&bytes, result->objects[i]);
    object_cache_store(kept->cache, kept->key, strbuf_view(&bytes));
    object_cache_trim(kept->cache, arena, MOST_CACHE_BYTES);
}
