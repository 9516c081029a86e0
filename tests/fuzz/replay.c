// replay: runs a fuzz target without libFuzzer, over files or over mutations of them.
//
//     fuzz_NAME FILE|FOLDER...
//         each file as it is (what the tests do with tests/fuzz/seeds)
//     fuzz_NAME --mutate SEED COUNT FILE...
//         COUNT inputs, each a mutation of a file, or of a part of it: between lines `// -----`,
//         with one function
//
// The mutated input that is being tried is in the file named by $FUZZ_INPUT, if set, so
// that a crash leaves it behind. An input that takes more than 10 s of processor time
// ends the program with SIGPROF.
#define _GNU_SOURCE

#include "tests/fuzz/mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Bytes load(const char *path) {
    Bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return bytes;
    enum { MOST = 1 << 16 };
    bytes.data = malloc(MOST);
    if (bytes.data) bytes.size = fread(bytes.data, 1, MOST, file);
    fclose(file);
    return bytes;
}

// Leaves one part of the text between lines that begin with `// -----`, behind the
// first line if that is `// RUN:`.
static void choose_part(Bytes *bytes, Random *random) {
    enum { MOST = 200 };
    size_t starts[MOST + 1] = {0}, count = 1;
    const char *text = (const char *)bytes->data;
    for (size_t at = 0; at + 8 < bytes->size && count < MOST; at++) {
        if (memcmp(text + at, "\n// ----", 8) == 0) starts[count++] = at + 1;
    }
    if (count == 1) return;
    starts[count] = bytes->size;
    size_t part = random_below(random, count), first = 0;
    if (memcmp(text, "// RUN:", 7) == 0) {
        while (text[first] != '\n')
            first++;
        first++;
    }
    size_t end = starts[part + 1], start = starts[part];
    bytes_splice(bytes, end, bytes->size - end, NULL, 0);
    if (part > 0) bytes_splice(bytes, first, start - first, NULL, 0);
}

// Where the function behind a place begins: a line with `func.func`.
static size_t next_function(const Bytes *bytes, size_t at) {
    static const char word[] = "func.func ";
    for (size_t line = at; at + sizeof word < bytes->size; at++) {
        if (bytes->data[at] == '\n') line = at + 1;
        if (line > 0 && memcmp(bytes->data + at, word, sizeof word - 1) == 0) return line;
    }
    return bytes->size;
}

// Of a program with several functions one is left, and what is before the first and behind the
// last.
static void choose_function(Bytes *bytes, Random *random) {
    enum { MOST = 400 };
    size_t starts[MOST + 1], count = 0;
    for (size_t at = 0; at < bytes->size && count <= MOST; at = starts[count - 1] + 12)
        starts[count++] = next_function(bytes, at);
    if (count < 3) return;
    size_t chosen = random_below(random, count - 1), last = starts[count - 2];
    bool is_last = chosen == count - 2;
    size_t start = starts[chosen], size = starts[chosen + 1] - start;
    if (is_last) {
        bytes_splice(bytes, starts[0], start - starts[0], NULL, 0);
        return;
    }
    // The text behind the last function, a bracket that closes the module, is behind its last `}`
    // but one: the line of the last bracket.
    size_t tail = bytes->size;
    for (size_t at = last; at + 2 < bytes->size; at++) {
        if (bytes->data[at] == '\n' && bytes->data[at + 1] == '}') tail = at + 1;
    }
    bool is_indented = bytes->data[starts[0]] == ' ';
    if (!is_indented) tail = bytes->size;
    bytes_splice(bytes, start + size, tail - start - size, NULL, 0);
    bytes_splice(bytes, starts[0], start - starts[0], NULL, 0);
}

static void keep_input(const Bytes *bytes) {
    const char *path = getenv("FUZZ_INPUT"); // NOLINT(concurrency-mt-unsafe): one thread
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file) return;
    if (bytes->size > 0) fwrite(bytes->data, 1, bytes->size, file);
    fclose(file);
}

static void try_input(const Bytes *bytes) {
    const struct itimerval limit = {.it_value = {.tv_sec = 10}}, none = {0};
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(bytes->data, bytes->size);
    setitimer(ITIMER_PROF, &none, NULL);
}

static Bytes copied(const Bytes *bytes) {
    Bytes copy = {malloc(bytes->size + 1), bytes->size};
    if (copy.data && bytes->size > 0) memcpy(copy.data, bytes->data, bytes->size);
    return copy;
}

static int mutate_files(uint64_t seed, long count, size_t file_count, char **files) {
    Random random = random_seeded(seed);
    Bytes *seeds = calloc(file_count, sizeof *seeds);
    for (size_t i = 0; seeds && i < file_count; i++)
        seeds[i] = load(files[i]);
    for (long i = 0; seeds && i < count; i++) {
        Bytes bytes = copied(&seeds[random_below(&random, file_count)]);
        if (!bytes.data) continue;
        choose_part(&bytes, &random);
        if (random_below(&random, 8) > 0) choose_function(&bytes, &random);
        mutate(&bytes, &random);
        keep_input(&bytes);
        try_input(&bytes);
        free(bytes.data);
    }
    for (size_t i = 0; seeds && i < file_count; i++)
        free(seeds[i].data);
    free(seeds);
    printf("%ld inputs\n", count);
    return 0;
}

static void replay_file(const char *path) {
    Bytes bytes = load(path);
    if (bytes.data) try_input(&bytes);
    free(bytes.data);
}

static int replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        replay_file(path);
        return 1;
    }
    int count = 0;
    for (struct dirent *entry;
         (entry = readdir(folder));) { // NOLINT(concurrency-mt-unsafe): one thread
        if (entry->d_name[0] == '.') continue;
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        replay_file(name);
        count++;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    if (argc >= 5 && strcmp(argv[1], "--mutate") == 0) {
        return mutate_files(
            strtoull(argv[2], NULL, 10), strtol(argv[3], NULL, 10), (size_t)argc - 4, argv + 4);
    }
    int count = 0;
    for (int i = 1; i < argc; i++) {
        count += replay(argv[i]);
    }
    printf("%d inputs\n", count);
    return 0;
}
