// rng_bit_generator as XLA generates (so that keys of jax.random give the same numbers), and rng.
//
// Sources: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011,
// for ThreeFry2x32 (20 rounds) and Philox4x32 (10 rounds); StableHLO's and XLA's documentation
// for the states. DEFAULT is Philox.
#include "ir/eval/eval_internal.h"

#include <math.h>
#include <string.h>

// --- ThreeFry2x32 ---

static uint32_t rotate_left(uint32_t x, int bits) { return (x << bits) | (x >> (32 - bits)); }

static void threefry(const uint32_t key[2], uint32_t x[2]) {
    static const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
    x[0] += keys[0];
    x[1] += keys[1];
    for (int group = 0; group < 5; group++) {
        for (int round = 0; round < 4; round++) {
            x[0] += x[1];
            x[1] = rotate_left(x[1], rotations[(group & 1) * 4 + round]);
            x[1] ^= x[0];
        }
        x[0] += keys[(group + 1) % 3];
        x[1] += keys[(group + 2) % 3] + (uint32_t)(group + 1);
    }
}

// Block i is the cipher of counter + i; its halves are (low, high) words.
static void threefry_block(uint64_t key, uint64_t counter, uint32_t out[2]) {
    uint32_t words[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    out[0] = (uint32_t)counter;
    out[1] = (uint32_t)(counter >> 32);
    threefry(words, out);
}

// The dimension that is cut in two: the first even one, else the largest.
static int split_dimension(const Type *type) {
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] % 2 == 0) return d;
    }
    int largest = 0;
    for (int d = 1; d < type->rank; d++) {
        if (type->dims[d] > type->dims[largest]) largest = d;
    }
    return largest;
}

// 32 bits and less: along the split dimension, elements 2i and 2i + 1 are the halves of one
// block. Returns the number of blocks.
static uint64_t threefry_words(const Type *type, uint64_t key, uint64_t counter, uint32_t *out) {
    uint32_t block[2];
    if (type->rank == 0) {
        threefry_block(key, counter, block);
        out[0] = block[0];
        return 1;
    }
    int split = split_dimension(type);
    int64_t dims[MAX_RANK], strides[MAX_RANK], index[MAX_RANK] = {0};
    row_major_strides(type->rank, type->dims, strides);
    for (int d = 0; d < type->rank; d++)
        dims[d] = d == split ? (type->dims[d] + 1) / 2 : type->dims[d];
    uint64_t blocks = 0;
    do {
        threefry_block(key, counter + blocks++, block);
        int64_t at = 0;
        for (int d = 0; d < type->rank; d++)
            at += (d == split ? 2 * index[d] : index[d]) * strides[d];
        out[at] = block[0];
        if (2 * index[split] + 1 < type->dims[split]) out[at + strides[split]] = block[1];
    } while (next_index(type->rank, dims, index));
    return blocks;
}

// --- Philox4x32 ---

static void philox(uint64_t key, const uint64_t counter[2], uint32_t out[4]) {
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t x[4] = {
        (uint32_t)counter[0], (uint32_t)(counter[0] >> 32), (uint32_t)counter[1],
        (uint32_t)(counter[1] >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xD2511F53 * x[0], q = (uint64_t)0xCD9E8D57 * x[2];
        uint32_t next[4] = {
            (uint32_t)(q >> 32) ^ x[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ x[3] ^ k1,
            (uint32_t)p};
        memcpy(x, next, sizeof x);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    memcpy(out, x, sizeof x);
}

// Fills `count` words in the order of the blocks; the 128-bit counter goes up by one per block.
static void philox_words(uint64_t key, uint64_t counter[2], int64_t count, uint32_t *out) {
    for (int64_t i = 0; i < count; i += 4) {
        uint32_t block[4];
        philox(key, counter, block);
        for (int k = 0; k < 4 && i + k < count; k++)
            out[i + k] = block[k];
        if (++counter[0] == 0) counter[1]++;
    }
}

// --- rng_bit_generator ---

static void store_words(const Type *type, const uint32_t *words, void *data) {
    int64_t count = type_element_count(type);
    size_t size = element_bytes(type->element);
    if (element_bits(type->element) == 64) {
        memcpy(data, words, (size_t)count * 8); // the first word is the low half
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        char *out = (char *)data + (size_t)i * size;
        int64_t word = words[i];
        if (size == 4 || element_class(type->element) == CLASS_FLOAT)
            memcpy(out, &words[i], size);
        else
            scalar_store_int(type->element, &word, 1, out);
    }
}

bool eval_rng_bit_generator(Eval *eval, const Op *op) {
    const Tensor *state = eval_operand(eval, op, 0);
    Tensor *next = eval_tensor(eval, op, state->type), *output = eval_result_tensor(eval, op, 1);
    if (!next || !output) return false;
    size_t state_bytes = type_bytes(state->type);
    uint64_t words[3] = {0};
    if (element_class(state->type->element) == CLASS_FLOAT ||
        (state_bytes != 16 && state_bytes != 24))
        return eval_unsupported(eval, op, "with a state that is not two or three ui64");
    memcpy(words, state->data, state_bytes);
    int64_t count = tensor_count(output);
    bool is_wide = element_bits(output->type->element) == 64;
    if (element_bits(output->type->element) > 64)
        return eval_unsupported(eval, op, "of complex numbers");
    uint32_t *bits = eval_scratch(eval, op, is_wide ? 2 * count : count, sizeof *bits);
    if (!bits) return false;
    if (op_int(op, NAME_RNG_ALGORITHM, RNG_ALGORITHM_DEFAULT) == RNG_ALGORITHM_THREE_FRY) {
        uint64_t blocks = 0;
        if (is_wide) {
            for (; blocks < (uint64_t)count; blocks++)
                threefry_block(words[0], words[1] + blocks, bits + 2 * blocks);
        } else if (count > 0) {
            blocks = threefry_words(output->type, words[0], words[1], bits);
        }
        words[1] += blocks;
    } else {
        // Two words of state: the key is also the counter's high half.
        uint64_t counter[2] = {words[1], state_bytes == 24 ? words[2] : words[0]};
        philox_words(words[0], counter, is_wide ? 2 * count : count, bits);
        words[1] = counter[0];
        if (state_bytes == 24) words[2] = counter[1];
    }
    store_words(output->type, bits, output->data);
    memcpy(next->data, words, state_bytes);
    eval_set_result(eval, op, 0, next);
    eval_set_result(eval, op, 1, output);
    return true;
}

// --- rng ---

// Any numbers of the distribution are right; these are the same in every run (Philox of
// the op's place in the module).
bool eval_rng(Eval *eval, const Op *op) {
    const Tensor *a = eval_operand(eval, op, 0), *b = eval_operand(eval, op, 1);
    const Type *type = op_result_type(op, 0);
    if (!type_is_static(type)) type = eval_shape_type(eval, op, type, eval_operand(eval, op, 2));
    Tensor *result = type ? eval_tensor(eval, op, type) : NULL;
    if (!result) return false;
    bool is_normal =
        op_int(op, NAME_RNG_DISTRIBUTION, RNG_DISTRIBUTION_UNIFORM) == RNG_DISTRIBUTION_NORMAL;
    size_t size = element_bytes(type->element);
    if (element_class(type->element) == CLASS_COMPLEX)
        return eval_unsupported(eval, op, "of complex numbers");
    double low = tensor_double(a, 0), high = tensor_double(b, 0);
    uint64_t counter[2] = {0, (uint64_t)eval->steps};
    for (int64_t i = 0; i < tensor_count(result); i++) {
        uint32_t words[4];
        philox_words((uint64_t)op->number, counter, 4, words);
        double u = ((double)words[0] + (double)words[1] * 0x1p-32) * 0x1p-32; // [0, 1)
        double v = ((double)words[2] + 0.5) * 0x1p-32;
        double x = is_normal ? low + high * sqrt(-2 * log(v)) * cos(6.283185307179586 * u)
                             : low + (high - low) * u;
        char *out = (char *)result->data + (size_t)i * size;
        if (element_class(type->element) == CLASS_FLOAT)
            scalar_store_real(type->element, &x, 1, out);
        else
            scalar_convert(ELEMENT_F64, &(double){floor(x)}, type->element, out, 1);
    }
    eval_set_result(eval, op, 0, result);
    return true;
}
