/* Types that all of shardc's C API shares: visibility, element types, the allocator hook. */
#ifndef SHARDC_TYPES_H
#define SHARDC_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#    define SHARDC_API      __attribute__((visibility("default")))
#    define SHARDC_MUST_USE __attribute__((warn_unused_result))
#else
#    define SHARDC_API
#    define SHARDC_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Element types. The numbers are part of the ABI; new ones are added at the end. */
typedef enum shardc_dtype {
    SHARDC_DTYPE_INVALID = 0,
    SHARDC_BOOL = 1, /* one byte, 0 or 1 */
    SHARDC_I8 = 2,
    SHARDC_I16 = 3,
    SHARDC_I32 = 4,
    SHARDC_I64 = 5,
    SHARDC_U8 = 6,
    SHARDC_U16 = 7,
    SHARDC_U32 = 8,
    SHARDC_U64 = 9,
    SHARDC_F16 = 10,
    SHARDC_BF16 = 11,
    SHARDC_F32 = 12,
    SHARDC_F64 = 13,
    SHARDC_C64 = 14,  /* two f32: real, imaginary */
    SHARDC_C128 = 15, /* two f64 */
    SHARDC_I4 = 16,   /* one byte each from here on */
    SHARDC_U4 = 17,
    SHARDC_I2 = 18,
    SHARDC_U2 = 19,
    SHARDC_F8E4M3FN = 20,
    SHARDC_F8E5M2 = 21,
    SHARDC_F8E4M3 = 22,
    SHARDC_F8E3M4 = 23,
    SHARDC_F8E4M3FNUZ = 24,
    SHARDC_F8E5M2FNUZ = 25,
    SHARDC_F8E4M3B11FNUZ = 26,
    SHARDC_F8E8M0FNU = 27,
    SHARDC_F6E2M3FN = 28,
    SHARDC_F6E3M2FN = 29,
    SHARDC_F4E2M1FN = 30
} shardc_dtype;

/* Bytes that one element takes in arrays; 0 for an unknown type. */
SHARDC_API size_t shardc_dtype_size(shardc_dtype dtype);
/* StableHLO's name: "f32", "bf16", "i1", "complex<f32>"; "" for an unknown type. */
SHARDC_API const char *shardc_dtype_name(shardc_dtype dtype);

enum { SHARDC_MAX_RANK = 32 };

/* Where the compiler's memory comes from. Both functions are called from any thread that the
 * compiler uses. allocate returns NULL when there is none: the call in progress then ends with
 * SHARDC_OUT_OF_MEMORY. (LLVM's own memory does not go through it.) */
typedef struct shardc_allocator {
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
} shardc_allocator;

#ifdef __cplusplus
}
#endif
#endif
