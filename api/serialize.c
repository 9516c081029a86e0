// serialize: executables in memory as bytes, and back. The bytes are a header, the sizes of the
// objects, and the objects (ELF), which the just-in-time linker links again.
#include "api/api_internal.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

typedef struct Header {
    char magic[16];
    // size: of all bytes; checksum: of those behind the header
    uint64_t abi, size, object_count, checksum;
} Header;

static const char magic[16] = "shardc code 1\n";

static uint64_t checksum_of(const char *bytes, size_t size) {
    return hash_bytes(bytes + sizeof(Header), size - sizeof(Header), 0x53484152u);
}

void executable_keep_code(shardc_executable *executable, const CodegenResult *code) {
    StrView *objects = ARENA_ARRAY(executable->arena, StrView, code->object_count);
    for (int i = 0; i < code->object_count; i++) {
        char *copy = arena_alloc(executable->arena, code->objects[i].size);
        memcpy(copy, code->objects[i].data, code->objects[i].size);
        objects[i] = (StrView){copy, code->objects[i].size};
    }
    executable->objects = objects;
    executable->object_count = code->object_count;
}

shardc_status *shardc_executable_serialize(
    const shardc_executable *executable, char **bytes, size_t *size) {
    if (!bytes) return status_null(__func__, "bytes");
    *bytes = NULL;
    if (!size) return status_null(__func__, "size");
    *size = 0;
    if (!executable) return status_null(__func__, "executable");
    if (executable->object_count == 0) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: the executable was compiled without options->keep_code",
            __func__);
    }
    size_t count = (size_t)executable->object_count;
    size_t total = sizeof(Header) + count * sizeof(uint64_t);
    for (size_t i = 0; i < count; i++)
        total += executable->objects[i].size;
    char *made = malloc(total);
    if (!made) return status_out_of_memory();
    char *at = made + sizeof(Header);
    for (size_t i = 0; i < count; i++, at += sizeof(uint64_t))
        memcpy(at, &(uint64_t){executable->objects[i].size}, sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        memcpy(at, executable->objects[i].data, executable->objects[i].size);
        at += executable->objects[i].size;
    }
    Header header = {
        .abi = SHARDC_MODEL_ABI,
        .size = total,
        .object_count = count,
        .checksum = checksum_of(made, total)};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(made, &header, sizeof header);
    *bytes = made;
    *size = total;
    return NULL;
}

void shardc_bytes_free(char *owned) { free(owned); }

// What is wrong with the bytes; NULL when nothing is.
static const char *read_header(const char *bytes, size_t size, Header *header) {
    if (size < sizeof *header) return "they are too few";
    memcpy(header, bytes, sizeof *header);
    if (memcmp(header->magic, magic, sizeof magic) != 0) return "they are no serialized executable";
    if (header->abi != SHARDC_MODEL_ABI) return "another version of shardc made them";
    if (header->size != size) return "they are not all there";
    if (header->checksum != checksum_of(bytes, size)) return "they are damaged";
    uint64_t left = size - sizeof *header;
    if (header->object_count == 0 || header->object_count > left / sizeof(uint64_t))
        return "they are damaged";
    left -= header->object_count * sizeof(uint64_t);
    for (uint64_t i = 0; i < header->object_count; i++) {
        uint64_t object = 0;
        memcpy(&object, bytes + sizeof *header + i * sizeof object, sizeof object);
        if (object > left) return "they are damaged";
        left -= object;
    }
    return left ? "they are damaged" : NULL;
}

static void read_objects(
    Arena *arena, const char *bytes, const Header *header, CodegenResult *code) {
    StrView *objects = ARENA_ARRAY(arena, StrView, (int64_t)header->object_count);
    const char *sizes = bytes + sizeof *header;
    const char *at = sizes + header->object_count * sizeof(uint64_t);
    for (uint64_t i = 0; i < header->object_count; i++) {
        uint64_t size = 0;
        memcpy(&size, sizes + i * sizeof size, sizeof size);
        objects[i] = (StrView){at, size};
        at += size;
    }
    code->objects = objects;
    code->object_count = (int)header->object_count;
}

// In the executable's arena, which has a guard.
static shardc_status *link_objects(
    shardc_executable *executable, const shardc_context *context, const char *bytes,
    const Header *header, bool keeps_code) {
    CodegenResult code = {0};
    const char *error = NULL;
    read_objects(executable->arena, bytes, header, &code);
    if (!codegen_jit(executable->arena, &code, &executable->model, &error))
        return status_create(SHARDC_INVALID_INPUT, "serialized executable: %s", error);
    if (keeps_code) executable_keep_code(executable, &code);
    if (!context || executable->model->custom_count == 0) return NULL;
    Diags *diags = diags_create(executable->arena);
    executable->custom =
        custom_calls_create(executable->arena, context, executable->model, NULL, diags);
    return executable->custom ? NULL : status_from_diags(diags);
}

static shardc_status *deserialize(
    shardc_executable *executable, const shardc_context *context, const char *bytes,
    const Header *header, bool keeps_code) {
    ArenaGuard guard;
    if (setjmp(guard.jump)) return status_out_of_memory();
    executable->arena = arena_create(context ? &context->allocator : NULL, &guard);
    if (!executable->arena) return status_out_of_memory();
    shardc_status *status = link_objects(executable, context, bytes, header, keeps_code);
    arena_set_guard(executable->arena, NULL);
    return status;
}

shardc_status *shardc_executable_deserialize(
    shardc_context *context, const char *bytes, size_t size, const shardc_options *options,
    shardc_executable **executable) {
    if (!executable) return status_null(__func__, "executable");
    *executable = NULL;
    if (!bytes) return status_null(__func__, "bytes");
    shardc_options all;
    shardc_status *status = read_options(__func__, options, &all);
    if (status) return status;
    Header header;
    const char *problem = read_header(bytes, size, &header);
    if (problem) return status_create(SHARDC_INVALID_INPUT, "%s: bytes: %s", __func__, problem);
    shardc_executable *made = executable_create();
    if (!made) return status_out_of_memory();
    status = deserialize(made, context, bytes, &header, all.keep_code != 0);
    if (!status) status = executable_start(made, &all);
    if (status) {
        shardc_executable_free(made);
    } else {
        *executable = made;
    }
    return status;
}
