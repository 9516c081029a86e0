// target: ISA level, registers and caches of the machine that code is made for.
//
// For this machine LLVM's list of features counts, not the name it guesses for the CPU (virtual
// machines show names that do not match).
#include "codegen/target/target.h"

#include "runtime/cpu.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Options for which LLVM has no other switch; they hold for the process, and LLVM ignores what it
// does not know (docs/decisions/llvm-passes.md).
//   disable-lsr     loop strength reduction took half of the time of code generation and gained
//                   little: emission puts what changes with a loop into addresses of the form
//                   base + index * size
//   branches-...    Intel's CPUs from Skylake to Cascade Lake decode branches that touch the end of
//                   32 bytes of code anew each time (their erratum of conditional jumps)
static void set_llvm_options(void) {
    const char *const arguments[] = {
        "shardc", "-disable-lsr", "-x86-branches-within-32B-boundaries"};
    LLVMParseCommandLineOptions(3, arguments, "");
}

static void initialize_targets(void) {
    set_llvm_options();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}

static void initialize_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize_targets);
}

// The ISA levels that --target-cpu may name, for the list in messages. LLVM knows more.
typedef struct CpuName {
    const char *triple_prefix, *name;
} CpuName;

static const CpuName cpu_names[] = {
#define CPU(triple_prefix, name) {triple_prefix, name},
#include "codegen/target/targets.def"
};

// The features whose absence at load time means that the code cannot run, of
// those that LLVM lists for a CPU.
static const char *const checked_features[] = {
#define FEATURE(name) name,
#include "codegen/target/targets.def"
};

static bool has_feature(const char *features, const char *name) {
    size_t length = strlen(name);
    for (const char *at = features; (at = strstr(at, name)); at += length) {
        bool begins = at > features && at[-1] == '+' && (at == features + 1 || at[-2] == ',');
        if (begins && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return false;
}

// Of the features that are checked at load time those in the list, separated by commas.
static const char *present_features(Arena *arena, const char *features) {
    StrBuf present = strbuf(arena);
    for (size_t i = 0; i < sizeof checked_features / sizeof *checked_features; i++) {
        if (!has_feature(features, checked_features[i])) continue;
        strbuf_printf(&present, "%s%s", present.size ? "," : "", checked_features[i]);
    }
    return strbuf_cstring(&present);
}

static bool is_named(const char *names, const char *name, size_t size) {
    for (const char *next = names; *next;) {
        size_t length = strcspn(next, ",");
        if (length == size && memcmp(next, name, size) == 0) return true;
        next += length + (next[length] == ',');
    }
    return false;
}

// Of LLVM's list what is there, less the names in `missing`. What is not there is left out: the
// CPU's name stands for none of it, and LLVM reads the list for every module, each name in turn.
static const char *usable_features(Arena *arena, const char *features, const char *missing) {
    StrBuf usable = strbuf(arena);
    for (const char *next = features; *next;) {
        size_t size = strcspn(next, ",");
        if (size > 1 && next[0] == '+' && !is_named(missing, next + 1, size - 1))
            strbuf_printf(&usable, "%s%.*s", usable.size ? "," : "", (int)size, next);
        next += size + (next[size] == ',');
    }
    for (const char *next = missing; *next;) {
        size_t size = strcspn(next, ",");
        strbuf_printf(&usable, ",-%.*s", (int)size, next);
        next += size + (next[size] == ',');
    }
    return strbuf_cstring(&usable);
}

// This CPU's features, as LLVM finds them, less those that the system does not let us use (tile
// registers have to be asked for). The CPU is asked once: in a virtual machine each question takes
// a while.
static const char *host_features(Arena *arena) {
    char *message = LLVMGetHostCPUFeatures();
    char *features = arena_cstring(arena, strview(message));
    LLVMDisposeMessage(message);
    const char *present = present_features(arena, features);
    size_t most = strlen(present) + 2; // all of them, and what rt_cpu_has leaves free
    char *missing = arena_alloc(arena, most);
    if (rt_cpu_has(present, missing, most)) missing[0] = '\0';
    return usable_features(arena, features, missing);
}

static int64_t read_cache_size(const char *index) {
    char path[96], text[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%s/size", index);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    char *line = fgets(text, sizeof text, file);
    fclose(file);
    if (!line) return 0;
    char *end;
    long long size = strtoll(line, &end, 10);
    if (*end == 'K') size *= 1024;
    if (*end == 'M') size *= 1024 * 1024;
    return size > 0 ? size : 0;
}

static int64_t within(int64_t size, int64_t low, int64_t high, int64_t otherwise) {
    return size >= low && size <= high ? size : otherwise;
}

// A guest of a large machine sees all of its third-level cache, and shares it with strangers: what
// stays there is no more than a share for each CPU, as large as CPUs have it.
static int64_t third_level_share(const Target *target) {
    const int64_t OF_A_CPU = 16 << 20;
    return target->cpus * OF_A_CPU;
}

static int64_t count_cpus(void) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus > 0 ? cpus : 1;
}

static void find_caches(Target *target) {
    int64_t l1 = 0, l2 = 0, l3 = 0;
    target->cpus = target->is_host ? count_cpus() : 1;
    if (target->is_host) {
        l1 = read_cache_size("0");
        l2 = read_cache_size("2");
        l3 = read_cache_size("3");
        int64_t share = third_level_share(target);
        if (l3 > share) l3 = share;
    }
    target->l1_bytes = within(l1, 8 << 10, 1 << 20, 32 << 10);
    target->l2_bytes = within(l2, 64 << 10, 64 << 20, 1 << 20);
    target->l3_bytes = within(l3, 1 << 20, (int64_t)4 << 30, 16 << 20);
}

static void find_vectors(Target *target) {
    const char *features = target->features;
    if (strncmp(target->triple, "aarch64", 7) == 0) {
        target->isa = ISA_NEON;
        target->has_fma = true;
        target->vector_bits = 128;
        target->vector_registers = 32;
        return;
    }
    target->has_fma = has_feature(features, "fma");
    bool avx512 = has_feature(features, "avx512f") && has_feature(features, "avx512vl") &&
                  has_feature(features, "avx512bw") && has_feature(features, "avx512dq");
    target->isa = avx512                                             ? ISA_AVX512
                  : has_feature(features, "avx2") && target->has_fma ? ISA_AVX2
                                                                     : ISA_BASELINE;
    target->vector_bits = avx512 ? 512 : target->isa == ISA_AVX2 ? 256 : 128;
    target->vector_registers = avx512 ? 32 : 16;
}

bool target_has(const Target *target, const char *feature) {
    return has_feature(target->features, feature);
}

static const ContractRow contract_rows[] = {
#define ELEMENT_ANY ELEMENT_COUNT
#define CONTRACT(isa, feature, a, b, c, packed_a, packed_b, rows, vectors, group, product, name)   \
    {ISA_##isa,          feature, ELEMENT_##a, ELEMENT_##b, ELEMENT_##c,       ELEMENT_##packed_a, \
     ELEMENT_##packed_b, rows,    vectors,     group,       PRODUCT_##product, name},
#include "codegen/target/targets.def"
};

// AVX-512 has what AVX2 has; every level what the baseline has.
static bool has_level(const Target *target, IsaLevel isa) {
    return isa == target->isa || isa == ISA_BASELINE ||
           (isa == ISA_AVX2 && target->isa == ISA_AVX512);
}

int contract_row_number(const ContractRow *row) { return (int)(row - contract_rows); }

static bool row_fits(ElementType row, ElementType element) {
    return row == ELEMENT_ANY || row == element;
}

// All that are named, and none of those behind a '!'.
static bool has_all(const Target *target, const char *features) {
    for (const char *next = features; *next;) {
        bool is_excluded = *next == '!';
        next += is_excluded;
        size_t size = strcspn(next, ",");
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)size, next);
        if (target_has(target, name) == is_excluded) return false;
        next += size + (next[size] == ',');
    }
    return true;
}

// Multiplies the operands as wider elements although there are products of them.
static bool is_widening(const ContractRow *row) {
    return row->product == PRODUCT_MULTIPLY_ADD && row->lhs != ELEMENT_COUNT;
}

const ContractRow *target_contract(
    const Target *target, ElementType lhs, ElementType rhs, ElementType accumulator,
    ContractUse use) {
    const ContractRow *found = &contract_rows[0];
    for (size_t i = 0; i < sizeof contract_rows / sizeof *contract_rows; i++) {
        const ContractRow *row = &contract_rows[i];
        if (!has_level(target, row->isa) || !row_fits(row->lhs, lhs) || !row_fits(row->rhs, rhs) ||
            !row_fits(row->accumulator, accumulator))
            continue;
        if (!has_all(target, row->features)) continue;
        if (row->product == PRODUCT_TILES &&
            (use != CONTRACT_TILES || !target_has(target, "amx-tile")))
            continue;
        if (use == CONTRACT_ONE_ROW && is_widening(row)) continue;
        found = row;
    }
    return found;
}

static void unknown_cpu(Diags *diags, const char *triple, const char *cpu) {
    char names[512];
    size_t used = 0;
    names[0] = '\0';
    for (size_t i = 0; i < sizeof cpu_names / sizeof *cpu_names; i++) {
        if (strncmp(triple, cpu_names[i].triple_prefix, strlen(cpu_names[i].triple_prefix)) != 0)
            continue;
        int written = snprintf(
            names + used, sizeof names - used, "%s%s", used ? ", " : "", cpu_names[i].name);
        if (written > 0) used += (size_t)written;
        if (used >= sizeof names) break;
    }
    diag_error(
        diags, NULL, "unknown target CPU '%s' for %s; some that are known: native, %s", cpu, triple,
        names);
}

// The features that a CPU's name stands for: LLVM sets them on the target machine; it prints a
// warning and ignores unknown names, so names are compared with the list.
static bool cpu_is_listed(const char *triple, const char *cpu) {
    for (size_t i = 0; i < sizeof cpu_names / sizeof *cpu_names; i++) {
        if (strcmp(cpu_names[i].name, cpu) == 0 &&
            strncmp(triple, cpu_names[i].triple_prefix, strlen(cpu_names[i].triple_prefix)) == 0) {
            return true;
        }
    }
    return false;
}

typedef struct CpuFeatures {
    const char *name, *features;
} CpuFeatures;

static const CpuFeatures cpu_features[] = {
#define CPU_FEATURES(name, features) {name, features},
#include "codegen/target/targets.def"
};

static const char *features_of(const char *cpu) {
    for (size_t i = 0; i < sizeof cpu_features / sizeof *cpu_features; i++) {
        if (strcmp(cpu_features[i].name, cpu) == 0) return cpu_features[i].features;
    }
    return "";
}

static char *take_message(Arena *arena, char *message) {
    char *copy = arena_cstring(arena, strview(message));
    LLVMDisposeMessage(message);
    return copy;
}

// Of the triple's first word: "x86_64", "aarch64".
static size_t architecture_size(const char *triple) { return strcspn(triple, "-"); }

// x86-64 and AArch64, little-endian with pointers of 8 bytes, on Linux.
static bool is_supported(const char *triple) {
    size_t size = architecture_size(triple);
    bool known = (size == 6 && strncmp(triple, "x86_64", size) == 0) ||
                 (size == 7 && strncmp(triple, "aarch64", size) == 0);
    return known && strstr(triple, "linux") && !strstr(triple, "x32") && !strstr(triple, "ilp32");
}

bool target_select(
    Arena *arena, const char *triple, const char *cpu, int optimize, Target *target, Diags *diags) {
    initialize_once();
    *target = (Target){.optimize = optimize, .only_device = -1};
    const char *host = take_message(arena, LLVMGetDefaultTargetTriple());
    target->triple = triple ? take_message(arena, LLVMNormalizeTargetTriple(triple)) : host;
    target->is_host = !triple || strcmp(target->triple, host) == 0;
    LLVMTargetRef llvm_target;
    char *error = NULL;
    bool known = !LLVMGetTargetFromTriple(target->triple, &llvm_target, &error);
    if (error) LLVMDisposeMessage(error);
    if (!known || !is_supported(target->triple)) {
        diag_error(
            diags, NULL, "unknown target '%s'; known are x86_64-linux-gnu and aarch64-linux-gnu",
            triple ? triple : host);
        return false;
    }
    bool native = !cpu || strcmp(cpu, "native") == 0;
    if (native && target->is_host) {
        target->cpu = "generic";
        if (strncmp(target->triple, "x86_64", 6) == 0) target->cpu = "x86-64";
        target->features = host_features(arena);
    } else if (native) {
        target->cpu = strncmp(target->triple, "x86_64", 6) == 0 ? "x86-64" : "generic";
        target->features = features_of(target->cpu);
    } else if (cpu_is_listed(target->triple, cpu)) {
        target->cpu = arena_cstring(arena, strview(cpu));
        target->features = features_of(cpu);
        target->is_host = false;
    } else {
        unknown_cpu(diags, target->triple, cpu);
        return false;
    }
    find_vectors(target);
    find_caches(target);
    target->required = present_features(arena, target->features);
    return true;
}

bool target_runs_here(const Target *target, Diags *diags) {
    char *host = LLVMGetDefaultTargetTriple();
    bool is_native = architecture_size(host) == architecture_size(target->triple) &&
                     strncmp(host, target->triple, architecture_size(host)) == 0;
    LLVMDisposeMessage(host);
    if (!is_native) {
        diag_error(
            diags, NULL,
            "code for the target '%s' cannot run on this machine: compile it to a file (an object)",
            target->triple);
        return false;
    }
    char missing[256];
    if (rt_cpu_has(target->required, missing, sizeof missing)) return true;
    diag_error(
        diags, NULL,
        "code for the target CPU '%s' cannot run on this machine, whose CPU lacks '%s': compile it "
        "to a file, or for another CPU (native)",
        target->cpu, missing);
    return false;
}
