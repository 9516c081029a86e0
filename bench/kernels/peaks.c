#define _GNU_SOURCE
#include "peaks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peaks_now(void) { return now(CLOCK_MONOTONIC); }
double peaks_own_now(void) { return now(CLOCK_PROCESS_CPUTIME_ID); }

// Twelve independent accumulators; the empty asm keeps them in registers and the work in the loop.
enum { CHAINS = 12 };
#define KEEP(type, constraint, zero, op)                                                          \
    type a = zero, b = zero, c = zero, d = zero, e = zero, f = zero;                              \
    type g = zero, h = zero, i = zero, j = zero, k = zero, l = zero;                              \
    for (long n = 0; n < count; n++) {                                                            \
        op(a) op(b) op(c) op(d) op(e) op(f) op(g) op(h) op(i) op(j) op(k)                         \
            op(l) __asm__ volatile(""                                                             \
                                   : constraint(a), constraint(b), constraint(c), constraint(d),  \
                                     constraint(e), constraint(f), constraint(g), constraint(h),  \
                                     constraint(i), constraint(j), constraint(k), constraint(l)); \
    }

#if defined(__x86_64__)
#    include <cpuid.h>
#    include <immintrin.h>
#    include <stdint.h>
#    include <sys/syscall.h>
#    include <unistd.h>

#    define FMA512_PS(r) r = _mm512_fmadd_ps(r, one, one);
#    define FMA512_PD(r) r = _mm512_fmadd_pd(r, one, one);
#    define FMA256_PS(r) r = _mm256_fmadd_ps(r, one, one);
#    define FMA256_PD(r) r = _mm256_fmadd_pd(r, one, one);
#    define PAIR(r)      r = _mm512_dpbf16_ps(r, one, one);
#    define QUAD(r)      r = _mm512_dpbusd_epi32(r, one, one);

__attribute__((target("avx512f"), noinline)) static void fma512_ps(long count) {
    const __m512 one = _mm512_set1_ps(1.0F);
    KEEP(__m512, "+v", one, FMA512_PS)
}
__attribute__((target("avx512f"), noinline)) static void fma512_pd(long count) {
    const __m512d one = _mm512_set1_pd(1.0);
    KEEP(__m512d, "+v", one, FMA512_PD)
}
__attribute__((target("avx2,fma"), noinline)) static void fma256_ps(long count) {
    const __m256 one = _mm256_set1_ps(1.0F);
    KEEP(__m256, "+x", one, FMA256_PS)
}
__attribute__((target("avx2,fma"), noinline)) static void fma256_pd(long count) {
    const __m256d one = _mm256_set1_pd(1.0);
    KEEP(__m256d, "+x", one, FMA256_PD)
}
__attribute__((target("avx512f,avx512bf16"), noinline)) static void pair512(long count) {
    const __m512 zero = _mm512_setzero_ps();
    const __m512bh one = (__m512bh)_mm512_set1_epi16(0x3f80);
    KEEP(__m512, "+v", zero, PAIR)
}
__attribute__((target("avx512f,avx512vnni"), noinline)) static void quad512(long count) {
    const __m512i one = _mm512_set1_epi8(1);
    KEEP(__m512i, "+v", one, QUAD)
}

// Tile registers (Intel AMX): four accumulators of 16 x 16. Of zeros, as a processor that saves
// power multiplies other numbers slower.
#    define TILES(name, feature, multiply)                                                    \
        __attribute__((target("amx-tile," feature), noinline)) static void name(long count) { \
            begin_tiles();                                                                    \
            for (long n = 0; n < count; n++) {                                                \
                multiply(0, 4, 6);                                                            \
                multiply(1, 4, 7);                                                            \
                multiply(2, 5, 6);                                                            \
                multiply(3, 5, 7);                                                            \
            }                                                                                 \
            _tile_release();                                                                  \
        }

__attribute__((target("amx-tile"))) static inline void begin_tiles(void) {
    struct {
        uint8_t palette, rest[15];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        shape.bytes[i] = 64;
        shape.rows[i] = 16;
    }
    __asm__ volatile("" : : "r"(&shape) : "memory"); // gcc 12 takes what is read there for unread
    _tile_loadconfig(&shape);
    _tile_zero(4);
    _tile_zero(5);
    _tile_zero(6);
    _tile_zero(7);
}
TILES(tiles_bf16, "amx-bf16", _tile_dpbf16ps)
TILES(tiles_i8, "amx-int8", _tile_dpbssd)

// Does the CPU have them, and does the system let this process use them?
static int has_tiles(void) {
    enum { LEAF = 7, TILE_BF16_INT8 = 7 << 22, ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(LEAF, 0, &a, &b, &c, &d)) return 0;
    if ((d & TILE_BF16_INT8) != TILE_BF16_INT8) return 0;
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA) == 0;
}

typedef struct Peak {
    void (*run)(long count);
    double operations; // of one chain
} Peak;

static Peak peak_of(PeakKind kind) {
    const double OF_TILES = 4.0 * 16 * 16 * 64 / CHAINS; // bf16; of i8 twice as many
    if ((kind == PEAK_BF16 || kind == PEAK_BYTES_I8) && has_tiles())
        return kind == PEAK_BF16 ? (Peak){tiles_bf16, OF_TILES} : (Peak){tiles_i8, 2 * OF_TILES};
    int wide = __builtin_cpu_supports("avx512f");
    if (kind == PEAK_BF16 && __builtin_cpu_supports("avx512bf16")) return (Peak){pair512, 64};
    if (kind == PEAK_BYTES_I8 && __builtin_cpu_supports("avx512vnni")) return (Peak){quad512, 128};
    if (kind == PEAK_F64) return wide ? (Peak){fma512_pd, 16} : (Peak){fma256_pd, 8};
    return wide ? (Peak){fma512_ps, 32} : (Peak){fma256_ps, 16};
}
#else
typedef struct Peak {
    void (*run)(long count);
    double operations;
} Peak;
typedef float Floats __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(16)));
#    define FMA(r) r = r * one + one;
static void fma_ps(long count) {
    const Floats one = {1, 1, 1, 1};
    KEEP(Floats, "+w", one, FMA)
}
static void fma_pd(long count) {
    const Doubles one = {1, 1};
    KEEP(Doubles, "+w", one, FMA)
}
static Peak peak_of(PeakKind kind) {
    return kind == PEAK_F64 ? (Peak){fma_pd, 4} : (Peak){fma_ps, 8};
}
#endif

double peak_operations(PeakKind kind) {
    enum { COUNT = 200000 };
    Peak peak = peak_of(kind);
    double start = peaks_own_now();
    peak.run(COUNT);
    return CHAINS * peak.operations * COUNT / (peaks_own_now() - start);
}

double peak_read(double bytes) {
    enum { BYTES = 256 << 20, LINE = 64, LEAST = 4096, STEP = 8 * LINE, READ = 16 << 20 };
    static char *memory;
    static volatile long sink;
    if (!memory) {
        memory = aligned_alloc(LINE, BYTES);
        if (!memory) return 0;
        memset(memory, 1, BYTES);
    }
    size_t size = bytes > BYTES ? BYTES : bytes < LEAST ? LEAST : (size_t)bytes / STEP * STEP;
    size_t times = size < READ ? READ / size : 1;
    double start = peaks_own_now();
    long sums[8] = {0};
    for (size_t n = 0; n < times; n++) {
        for (size_t at = 0; at < size; at += STEP) {
            for (int i = 0; i < 8; i++)
                sums[i] += memory[at + (size_t)i * LINE];
        }
    }
    for (int i = 0; i < 8; i++)
        sink = sink + sums[i];
    return (double)size * (double)times / (peaks_own_now() - start);
}

double peak_copy(void) {
    enum { BYTES = 128 << 20 };
    static char *memory;
    if (!memory) {
        memory = aligned_alloc(64, 2 * (size_t)BYTES);
        if (!memory) return 0;
        memset(memory, 1, 2 * (size_t)BYTES);
    }
    double start = peaks_own_now();
    memcpy(memory, memory + BYTES, BYTES);
    return 2.0 * BYTES / (peaks_own_now() - start);
}
