// What this CPU can do, by LLVM's names of features. Names that are not in the table are not
// checked.
#define _GNU_SOURCE
#include "runtime/cpu.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct Feature {
    const char *name;
    int leaf; // which word of `words` below
    int bit;
} Feature;

#if defined(__x86_64__)

#    include <cpuid.h>
#    include <sys/syscall.h>
#    include <unistd.h>

enum Word { L1C, L1D, L7B, L7C, L7D, L71A, L71D, E1C, XSAVE, WORD_COUNT };

// Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E.
static const Feature features_known[] = {
    {"cmov", L1D, 15},         {"mmx", L1D, 23},          {"sse", L1D, 25},
    {"sse2", L1D, 26},         {"sse3", L1C, 0},          {"pclmul", L1C, 1},
    {"ssse3", L1C, 9},         {"fma", L1C, 12},          {"cx16", L1C, 13},
    {"sse4.1", L1C, 19},       {"sse4.2", L1C, 20},       {"movbe", L1C, 22},
    {"popcnt", L1C, 23},       {"aes", L1C, 25},          {"xsave", L1C, 27},
    {"avx", L1C, 28},          {"f16c", L1C, 29},         {"rdrnd", L1C, 30},
    {"fsgsbase", L7B, 0},      {"bmi", L7B, 3},           {"avx2", L7B, 5},
    {"bmi2", L7B, 8},          {"avx512f", L7B, 16},      {"avx512dq", L7B, 17},
    {"rdseed", L7B, 18},       {"adx", L7B, 19},          {"avx512ifma", L7B, 21},
    {"avx512cd", L7B, 28},     {"sha", L7B, 29},          {"avx512bw", L7B, 30},
    {"avx512vl", L7B, 31},     {"avx512vbmi", L7C, 1},    {"avx512vbmi2", L7C, 6},
    {"gfni", L7C, 8},          {"vaes", L7C, 9},          {"vpclmulqdq", L7C, 10},
    {"avx512vnni", L7C, 11},   {"avx512bitalg", L7C, 12}, {"avx512vpopcntdq", L7C, 14},
    {"amx-bf16", L7D, 22},     {"avx512fp16", L7D, 23},   {"amx-tile", L7D, 24},
    {"amx-int8", L7D, 25},     {"avxvnni", L71A, 4},      {"avx512bf16", L71A, 5},
    {"amx-fp16", L71A, 21},    {"avxifma", L71A, 23},     {"avxvnniint8", L71D, 4},
    {"avxneconvert", L71D, 5}, {"amx-complex", L71D, 8},  {"avxvnniint16", L71D, 10},
    {"lzcnt", E1C, 5},         {"fma4", E1C, 16},         {"xop", E1C, 11},
    {"sse4a", E1C, 6},
};

static uint32_t saved_by_system(void) {
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static void read_words(uint32_t words[WORD_COUNT]) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    memset(words, 0, WORD_COUNT * sizeof *words);
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        words[L1C] = c;
        words[L1D] = d;
        if (c >> 27 & 1) words[XSAVE] = saved_by_system();
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        words[L7B] = b;
        words[L7C] = c;
        words[L7D] = d;
        if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
            words[L71A] = a;
            words[L71D] = d;
        }
    }
    if (__get_cpuid(0x80000001, &a, &b, &c, &d)) words[E1C] = c;
}

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Registers that the system does not save cannot be used: bits 1-2 of XCR0 are SSE
// and AVX, 5-7 AVX-512, 17-18 AMX.
static bool is_saved(const char *name, uint32_t saved) {
    uint32_t needed = 0;
    if (starts_with(name, "amx"))
        needed = 3U << 17;
    else if (starts_with(name, "avx512"))
        needed = 7U << 5 | 6;
    else if (starts_with(name, "avx") || strcmp(name, "fma") == 0 || strcmp(name, "f16c") == 0)
        needed = 6;
    return (saved & needed) == needed;
}

// Linux gives the tile registers to processes that ask (once per process).
static bool ask_for(const char *name) {
#    ifdef __linux__
    enum { ARCH_REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    if (strcmp(name, "amx-tile") == 0)
        return syscall(SYS_arch_prctl, ARCH_REQUEST_PERMISSION, TILE_DATA) == 0;
#    else
    (void)name;
#    endif
    return true;
}

#elif defined(__aarch64__) && defined(__linux__)

#    include <sys/auxv.h>

enum Word { CAPABILITIES, CAPABILITIES_2, WORD_COUNT };

// Linux, arch/arm64/include/uapi/asm/hwcap.h
static const Feature features_known[] = {
    {"neon", CAPABILITIES, 1},    {"aes", CAPABILITIES, 3},      {"sha2", CAPABILITIES, 6},
    {"crc", CAPABILITIES, 7},     {"lse", CAPABILITIES, 8},      {"fullfp16", CAPABILITIES, 10},
    {"rdm", CAPABILITIES, 12},    {"dotprod", CAPABILITIES, 20}, {"fp16fml", CAPABILITIES, 23},
    {"sve", CAPABILITIES, 22},    {"sve2", CAPABILITIES_2, 1},   {"i8mm", CAPABILITIES_2, 13},
    {"bf16", CAPABILITIES_2, 14}, {"sme", CAPABILITIES_2, 23},
};

static void read_words(uint32_t words[WORD_COUNT]) {
    words[CAPABILITIES] = (uint32_t)getauxval(AT_HWCAP);
    words[CAPABILITIES_2] = (uint32_t)getauxval(AT_HWCAP2);
}

static bool is_saved(const char *name, uint32_t saved) {
    (void)name, (void)saved;
    return true;
}

static bool ask_for(const char *name) {
    (void)name;
    return true;
}

enum { XSAVE = 0 };

#else

enum Word { XSAVE, WORD_COUNT };
static const Feature features_known[] = {{"", XSAVE, 0}};
static void read_words(uint32_t words[WORD_COUNT]) { words[XSAVE] = 0; }
static bool is_saved(const char *name, uint32_t saved) { return name && saved == 0; }
static bool ask_for(const char *name) { return name != NULL; }

#endif

static bool has(const char *name, const uint32_t *words) {
    for (size_t i = 0; i < sizeof features_known / sizeof *features_known; i++) {
        const Feature *known = &features_known[i];
        if (strcmp(known->name, name) != 0) continue;
        return (words[known->leaf] >> known->bit & 1) && is_saved(name, words[XSAVE]) &&
               ask_for(name);
    }
    return true;
}

// Adds a name to the list if it fits.
static void add_name(char *list, size_t size, const char *name) {
    size_t used = strlen(list);
    if (used + strlen(name) + 2 < size)
        (void)snprintf(list + used, size - used, "%s%s", used ? "," : "", name);
}

bool rt_cpu_has(const char *features, char *missing, size_t missing_size) {
    uint32_t words[WORD_COUNT];
    read_words(words);
    bool has_all = true;
    missing[0] = '\0';
    for (const char *next = features; next && *next;) {
        size_t size = strcspn(next, ",");
        char name[64];
        bool is_wanted = *next != '-' && size > 0;
        const char *start = next + (*next == '+' || *next == '-');
        (void)snprintf(name, sizeof name, "%.*s", (int)(next + size - start), start);
        if (is_wanted && !has(name, words)) {
            add_name(missing, missing_size, name);
            has_all = false;
        }
        next += size + (next[size] == ',');
    }
    return has_all;
}
