// types: PJRT's element types as shardc's.
#include "plugin/plugin.h"

static const struct {
    shardc_dtype dtype;
    const char *name;
} types[PJRT_TYPE_COUNT] = {
    [PJRT_INVALID] = {SHARDC_DTYPE_INVALID, "invalid"},
    [PJRT_PRED] = {SHARDC_BOOL, "pred"},
    [PJRT_S8] = {SHARDC_I8, "s8"},
    [PJRT_S16] = {SHARDC_I16, "s16"},
    [PJRT_S32] = {SHARDC_I32, "s32"},
    [PJRT_S64] = {SHARDC_I64, "s64"},
    [PJRT_U8] = {SHARDC_U8, "u8"},
    [PJRT_U16] = {SHARDC_U16, "u16"},
    [PJRT_U32] = {SHARDC_U32, "u32"},
    [PJRT_U64] = {SHARDC_U64, "u64"},
    [PJRT_F16] = {SHARDC_F16, "f16"},
    [PJRT_F32] = {SHARDC_F32, "f32"},
    [PJRT_F64] = {SHARDC_F64, "f64"},
    [PJRT_BF16] = {SHARDC_BF16, "bf16"},
    [PJRT_C64] = {SHARDC_C64, "c64"},
    [PJRT_C128] = {SHARDC_C128, "c128"},
    [PJRT_F8E5M2] = {SHARDC_F8E5M2, "f8e5m2"},
    [PJRT_F8E4M3FN] = {SHARDC_F8E4M3FN, "f8e4m3fn"},
    [PJRT_F8E4M3B11FNUZ] = {SHARDC_F8E4M3B11FNUZ, "f8e4m3b11fnuz"},
    [PJRT_F8E5M2FNUZ] = {SHARDC_F8E5M2FNUZ, "f8e5m2fnuz"},
    [PJRT_F8E4M3FNUZ] = {SHARDC_F8E4M3FNUZ, "f8e4m3fnuz"},
    [PJRT_S4] = {SHARDC_I4, "s4"},
    [PJRT_U4] = {SHARDC_U4, "u4"},
    [PJRT_TOKEN] = {SHARDC_DTYPE_INVALID, "token"},
    [PJRT_S2] = {SHARDC_I2, "s2"},
    [PJRT_U2] = {SHARDC_U2, "u2"},
    [PJRT_F8E4M3] = {SHARDC_F8E4M3, "f8e4m3"},
    [PJRT_F8E3M4] = {SHARDC_F8E3M4, "f8e3m4"},
    [PJRT_F8E8M0FNU] = {SHARDC_F8E8M0FNU, "f8e8m0fnu"},
    [PJRT_F4E2M1FN] = {SHARDC_F4E2M1FN, "f4e2m1fn"},
    [PJRT_S1] = {SHARDC_DTYPE_INVALID, "s1"},
    [PJRT_U1] = {SHARDC_DTYPE_INVALID, "u1"},
};

static bool is_known(PJRT_Buffer_Type type) { return (unsigned)type < PJRT_TYPE_COUNT; }

shardc_dtype dtype_of(PJRT_Buffer_Type type) {
    return is_known(type) ? types[type].dtype : SHARDC_DTYPE_INVALID;
}

bool is_token(const shardc_model_array *array) { return array->element_bytes == 0; }

PJRT_Buffer_Type type_of(const shardc_model_array *array) {
    if (is_token(array)) return PJRT_TOKEN;
    shardc_dtype dtype = shardc_array_dtype(array);
    for (int type = 1; type < PJRT_TYPE_COUNT && dtype != SHARDC_DTYPE_INVALID; type++) {
        if (types[type].dtype == dtype) return (PJRT_Buffer_Type)type;
    }
    return PJRT_INVALID;
}

size_t type_size(PJRT_Buffer_Type type) { return shardc_dtype_size(dtype_of(type)); }

const char *type_name(PJRT_Buffer_Type type) {
    return is_known(type) ? types[type].name : "unknown";
}

bool array_bytes(PJRT_Buffer_Type type, const int64_t *dims, size_t rank, size_t *bytes) {
    *bytes = type_size(type);
    if (*bytes == 0 && type != PJRT_TOKEN) return false;
    if (rank > SHARDC_MAX_RANK) return false;
    for (size_t d = 0; d < rank; d++) {
        if (dims[d] < 0 || __builtin_mul_overflow(*bytes, (size_t)dims[d], bytes)) return false;
        if (*bytes > INT64_MAX) return false;
    }
    return true;
}
