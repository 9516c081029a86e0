// model_file: seal and check of model.so files. A truncated or changed library would crash the
// dynamic linker or run garbage, so a file is checked before dlopen sees it.
#include "api/model_file.h"

#include <elf.h>
#include <string.h>

static const char seal_magic[8] = {'S', 'H', 'A', 'R', 'D', 'C', '.', '1'};
enum { SEAL_BYTES = 16 };

static uint64_t image_hash(StrView image) {
    return hash_bytes(image.data, image.size, 0x5348415244432e31u);
}

StrView model_file_seal(Arena *arena, StrView image) {
    char *sealed = arena_alloc(arena, image.size + SEAL_BYTES);
    memcpy(sealed, image.data, image.size);
    memcpy(sealed + image.size, seal_magic, sizeof seal_magic);
    uint64_t hash = image_hash(image);
    for (int i = 0; i < 8; i++) {
        sealed[image.size + 8 + (size_t)i] = (char)(hash >> (8 * i) & 0xff);
    }
    return (StrView){sealed, image.size + SEAL_BYTES};
}

static bool inside(StrView file, uint64_t offset, uint64_t size) {
    return offset <= file.size && size <= file.size - offset;
}

static uint64_t later(uint64_t end, uint64_t offset, uint64_t size) {
    return offset + size > end ? offset + size : end;
}

// Every segment and section must lie inside the file; *end: where the last of them ends.
static const char *elf_problem(StrView file, uint64_t *end) {
    Elf64_Ehdr header;
    if (file.size < sizeof header) return "the file is too short for a shared library";
    memcpy(&header, file.data, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "this is not a shared library";
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN) {
        return "this is not a 64-bit shared library";
    }
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr)) ||
        !inside(file, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr))) {
        return "the shared library is truncated or damaged (its tables lie outside the file)";
    }
    *end = later(0, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr));
    *end = later(*end, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, file.data + header.e_phoff + (size_t)i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && !inside(file, segment.p_offset, segment.p_filesz)) {
            return "the shared library is truncated (a segment lies outside the file)";
        }
        if (segment.p_type == PT_LOAD) *end = later(*end, segment.p_offset, segment.p_filesz);
    }
    for (int i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, file.data + header.e_shoff + (size_t)i * sizeof section, sizeof section);
        if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
        if (!inside(file, section.sh_offset, section.sh_size)) {
            return "the shared library is truncated or damaged (a section lies outside the file)";
        }
        *end = later(*end, section.sh_offset, section.sh_size);
    }
    return NULL;
}

const char *model_file_problem(StrView file) {
    uint64_t end = 0;
    const char *problem = elf_problem(file, &end);
    if (problem) return problem;
    if (end == file.size) return NULL; // stripped or relinked by its user: no seal
    const char *seal = file.data + file.size - SEAL_BYTES;
    if (file.size < end + SEAL_BYTES || memcmp(seal, seal_magic, sizeof seal_magic) != 0) {
        return "the model is truncated or damaged: its checksum is incomplete";
    }
    uint64_t hash = 0;
    for (int i = 0; i < 8; i++) {
        hash |= (uint64_t)(unsigned char)seal[8 + i] << (8 * i);
    }
    if (hash != image_hash((StrView){file.data, file.size - SEAL_BYTES})) {
        return "the model is damaged: its contents do not match its checksum";
    }
    return NULL;
}
