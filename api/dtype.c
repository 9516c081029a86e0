// dtype: the public numbers of element types.
#include "api/api_internal.h"
#include "ir/type.h"

static const ElementType elements[] = {
    [SHARDC_BOOL] = ELEMENT_I1,
    [SHARDC_I8] = ELEMENT_I8,
    [SHARDC_I16] = ELEMENT_I16,
    [SHARDC_I32] = ELEMENT_I32,
    [SHARDC_I64] = ELEMENT_I64,
    [SHARDC_U8] = ELEMENT_UI8,
    [SHARDC_U16] = ELEMENT_UI16,
    [SHARDC_U32] = ELEMENT_UI32,
    [SHARDC_U64] = ELEMENT_UI64,
    [SHARDC_F16] = ELEMENT_F16,
    [SHARDC_BF16] = ELEMENT_BF16,
    [SHARDC_F32] = ELEMENT_F32,
    [SHARDC_F64] = ELEMENT_F64,
    [SHARDC_C64] = ELEMENT_C64,
    [SHARDC_C128] = ELEMENT_C128,
    [SHARDC_I4] = ELEMENT_I4,
    [SHARDC_U4] = ELEMENT_UI4,
    [SHARDC_I2] = ELEMENT_I2,
    [SHARDC_U2] = ELEMENT_UI2,
    [SHARDC_F8E4M3FN] = ELEMENT_F8E4M3FN,
    [SHARDC_F8E5M2] = ELEMENT_F8E5M2,
    [SHARDC_F8E4M3] = ELEMENT_F8E4M3,
    [SHARDC_F8E3M4] = ELEMENT_F8E3M4,
    [SHARDC_F8E4M3FNUZ] = ELEMENT_F8E4M3FNUZ,
    [SHARDC_F8E5M2FNUZ] = ELEMENT_F8E5M2FNUZ,
    [SHARDC_F8E4M3B11FNUZ] = ELEMENT_F8E4M3B11FNUZ,
    [SHARDC_F8E8M0FNU] = ELEMENT_F8E8M0FNU,
    [SHARDC_F6E2M3FN] = ELEMENT_F6E2M3FN,
    [SHARDC_F6E3M2FN] = ELEMENT_F6E3M2FN,
    [SHARDC_F4E2M1FN] = ELEMENT_F4E2M1FN,
};

static bool is_known(shardc_dtype dtype) {
    return dtype > SHARDC_DTYPE_INVALID && (size_t)dtype < sizeof elements / sizeof elements[0];
}

size_t shardc_dtype_size(shardc_dtype dtype) {
    return is_known(dtype) ? element_bytes(elements[dtype]) : 0;
}

// element_text's views are string literals: NUL-terminated.
const char *shardc_dtype_name(shardc_dtype dtype) {
    return is_known(dtype) ? element_text(elements[dtype]).data : "";
}

shardc_dtype shardc_array_dtype(const shardc_model_array *array) {
    ElementType element;
    if (!array || !array->type) return SHARDC_DTYPE_INVALID;
    if (!element_from_text(strview(array->type), &element)) return SHARDC_DTYPE_INVALID;
    return dtype_of_element(element);
}

shardc_dtype dtype_of_element(ElementType element) {
    for (size_t i = 1; i < sizeof elements / sizeof elements[0]; i++) {
        if (elements[i] == element) return (shardc_dtype)i;
    }
    return SHARDC_DTYPE_INVALID;
}
