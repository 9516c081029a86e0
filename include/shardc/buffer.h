/* Host arrays. */
#ifndef SHARDC_BUFFER_H
#define SHARDC_BUFFER_H

#include "shardc/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shardc_buffer shardc_buffer;

/* A new zeroed row-major array, 64-byte aligned. dims: [rank]. buffer: owned by the caller, free
 * with shardc_buffer_free. A dimension may have size 0: then the array has no elements. Errors:
 * SHARDC_INVALID_INPUT (type, rank, sizes), SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_buffer_create(
    shardc_dtype dtype, int rank, const int64_t *dims, shardc_buffer **buffer);
/* The caller's own memory: borrowed while the buffer lives; may be NULL when there are no
 * elements. strides: [rank] in bytes, may be NULL: row-major. Used in place where row-major,
 * else copied. Errors: as above. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_buffer_wrap(
    shardc_dtype dtype, int rank, const int64_t *dims, const int64_t *strides, void *data,
    shardc_buffer **buffer);
SHARDC_API void shardc_buffer_free(shardc_buffer *owned); /* NULL is fine */

SHARDC_API void *shardc_buffer_data(shardc_buffer *buffer); /* borrowed */
SHARDC_API shardc_dtype shardc_buffer_dtype(const shardc_buffer *buffer);
SHARDC_API int shardc_buffer_rank(const shardc_buffer *buffer);
SHARDC_API const int64_t *shardc_buffer_dims(const shardc_buffer *buffer);
SHARDC_API size_t shardc_buffer_bytes(const shardc_buffer *buffer); /* of the elements */

#ifdef __cplusplus
}
#endif
#endif
