// With libFuzzer: its own mutations, which look for new paths, and ours, which keep programs valid.
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    Random random = random_seeded(seed);
    Bytes bytes = {malloc(size + 1), size};
    if (!bytes.data || random_below(&random, 4) == 0) {
        free(bytes.data);
        return LLVMFuzzerMutate(data, size, capacity);
    }
    memcpy(bytes.data, data, size);
    mutate(&bytes, &random);
    if (bytes.size > capacity) bytes.size = capacity;
    memcpy(data, bytes.data, bytes.size);
    free(bytes.data);
    return bytes.size;
}
