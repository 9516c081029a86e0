// local_random: rng_bit_generator whose numbers are sharded: each device makes those of its tile.
//
// The ciphers are counter based, so that every element follows from its place in the whole array:
// the place gives the number of its block, the block's counter is encrypted, and the element
// takes its word of it. What is made is elementwise arithmetic on indices, which native code
// computes where the numbers are read.
//
//   blocks  Philox: neighbours in row-major order share a block, 4 elements of 32 bits or less,
//           2 of 64
//           ThreeFry: 2 neighbours along the dimension that it splits; 64 bits: a block each
//   cost    encryption is repeated for every word of a block; but it runs over vectors,
//           and no numbers need to be stored
//   source  ir/eval/ops/eval_random.c says which block makes which element,
//           and where the ciphers come from
#include "partition/local/local.h"

#include <assert.h>

enum { MAX_WORDS = 4 };

typedef struct Random {
    Local *local;
    Builder *builder;
    const Op *op;
    const Type *global; // of the numbers
    const Sharding *sharding;
    bool is_threefry, is_wide; // 64-bit elements
    int per_block;             // elements
    int split; // the dimension along which elements share a block; -1: they do in row-major order
    int64_t blocks;    // of the whole array
    Value *key[2];     // scalars of ui32
    Value *counter[2]; // scalars of ui64: low and high
} Random;

// ---- arithmetic ----

static Value *number_like(const Random *r, Value *x, uint64_t number) {
    return build_splat_int(r->builder, x->type, (int64_t)number);
}

static Value *shift_right(const Random *r, Value *x, int bits) {
    return build_binary(r->builder, OP_SHIFT_RIGHT_LOGICAL, x, number_like(r, x, (uint64_t)bits));
}

static Value *low_word(const Random *r, Value *x) {
    return build_convert(r->builder, x, ELEMENT_UI32);
}
static Value *high_word(const Random *r, Value *x) { return low_word(r, shift_right(r, x, 32)); }
static Value *wide(const Random *r, Value *x) { return build_convert(r->builder, x, ELEMENT_UI64); }

static Value *add(const Random *r, Value *x, Value *y) {
    return build_binary(r->builder, OP_ADD, x, y);
}

static Value * xor
    (const Random *r, Value *x, Value *y) { return build_binary(r->builder, OP_XOR, x, y); }

    static Value *add_scalar(const Random *r, Value *x, Value *scalar) {
    return add(r, x, local_splat(r->local, scalar, x->type));
}

static Value *join_words(const Random *r, Value *low, Value *high) {
    Value *top = wide(r, high);
    top = build_binary(r->builder, OP_SHIFT_LEFT, top, number_like(r, top, 32));
    return build_binary(r->builder, OP_OR, wide(r, low), top);
}

// ---- the ciphers ----

static void threefry(const Random *r, Value *x[2]) {
    static const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    Value *parity = xor(r, r->key[0], r->key[1]);
    parity = xor(r, parity, number_like(r, parity, 0x1BD11BDA));
    Value *const keys[3] = {r->key[0], r->key[1], parity};
    x[0] = add_scalar(r, x[0], keys[0]);
    x[1] = add_scalar(r, x[1], keys[1]);
    for (int group = 0; group < 5; group++) {
        for (int round = 0; round < 4; round++) {
            int bits = rotations[(group & 1) * 4 + round];
            x[0] = add(r, x[0], x[1]);
            Value *left =
                build_binary(r->builder, OP_SHIFT_LEFT, x[1], number_like(r, x[1], (uint64_t)bits));
            x[1] = build_binary(r->builder, OP_OR, left, shift_right(r, x[1], 32 - bits));
            x[1] = xor(r, x[1], x[0]);
        }
        Value *next = keys[(group + 2) % 3];
        next = add(r, next, number_like(r, next, (uint64_t)group + 1));
        x[0] = add_scalar(r, x[0], keys[(group + 1) % 3]);
        x[1] = add_scalar(r, x[1], next);
    }
}

static void philox(const Random *r, Value *x[4]) {
    Value *keys[2] = {r->key[0], r->key[1]};
    for (int round = 0; round < 10; round++) {
        Value *p = wide(r, x[0]), *q = wide(r, x[2]);
        p = build_binary(r->builder, OP_MULTIPLY, p, number_like(r, p, 0xD2511F53));
        q = build_binary(r->builder, OP_MULTIPLY, q, number_like(r, q, 0xCD9E8D57));
        Value *key = local_splat(r->local, keys[0], x[1]->type);
        Value *first = xor(r, xor(r, high_word(r, q), x[1]), key);
        key = local_splat(r->local, keys[1], x[3]->type);
        Value *third = xor(r, xor(r, high_word(r, p), x[3]), key);
        x[1] = low_word(r, q);
        x[3] = low_word(r, p);
        x[0] = first;
        x[2] = third;
        keys[0] = add(r, keys[0], number_like(r, keys[0], 0x9E3779B9));
        keys[1] = add(r, keys[1], number_like(r, keys[1], 0xBB67AE85));
    }
}

// (low, high) + number, a counter of 128 bits.
static void add_to_counter(const Random *r, Value *number, Value *counter[2]) {
    Value *low = local_splat(r->local, r->counter[0], number->type);
    Value *sum = add(r, low, number);
    Value *carry = wide(r, build_compare(r->builder, DIRECTION_LT, sum, low));
    counter[0] = sum;
    counter[1] = add(r, local_splat(r->local, r->counter[1], number->type), carry);
}

// The words of the blocks with the numbers; elements of 64 bits take two each.
static void encrypt_blocks(const Random *r, Value *number, Value *elements[MAX_WORDS]) {
    Value *counter[2], *x[MAX_WORDS];
    add_to_counter(r, wide(r, number), counter);
    for (int i = 0; i < MAX_WORDS; i++)
        x[i] = i % 2 ? high_word(r, counter[i / 2]) : low_word(r, counter[i / 2]);
    if (r->is_threefry)
        threefry(r, x);
    else
        philox(r, x);
    for (int i = 0; i < r->per_block; i++)
        elements[i] = r->is_wide ? join_words(r, x[2 * i], x[2 * i + 1]) : x[i];
}

// ---- numbers of blocks ----

// Index along dimension d of the whole array, of the tile's elements.
static Value *index_along(const Random *r, const Type *tile, int d) {
    DimTiles tiles = tiles_of(r->local, r->global, r->sharding, d);
    Value *index =
        build_iota(r->builder, type_with_element(r->local->context, tile, ELEMENT_UI32), d);
    if (tiles.count == 1) return index;
    Value *offset = local_tile_offset(r->local, &tiles);
    return add_scalar(r, index, build_convert(r->builder, offset, ELEMENT_UI32));
}

// Row-major over dims, which hold fewer than 2^31 places.
static Value *linear_number(const Random *r, int rank, Value *const *index, const int64_t *dims) {
    int last = rank - 1;
    Value *sum = index[last];
    int64_t stride = dims[last];
    for (int d = last - 1; d >= 0; d--) {
        Value *factor = number_like(r, index[d], (uint64_t)stride);
        sum = add(r, sum, build_binary(r->builder, OP_MULTIPLY, index[d], factor));
        stride *= dims[d];
    }
    return sum;
}

static void block_dims(const Random *r, int64_t *dims) {
    for (int d = 0; d < r->global->rank; d++) {
        int64_t size = r->global->dims[d];
        dims[d] = d == r->split ? (size + r->per_block - 1) / r->per_block : size;
    }
}

// Every element's own word of its block.
static Value *choose_word(const Random *r, Value **words, Value *place) {
    Value *chosen = words[r->per_block - 1];
    for (int i = r->per_block - 2; i >= 0; i--) {
        Value *is_it =
            build_compare(r->builder, DIRECTION_EQ, place, number_like(r, place, (uint64_t)i));
        chosen = build_select(r->builder, is_it, words[i], chosen);
    }
    return chosen;
}

static Value *divide(const Random *r, Value *x, OpCode code) {
    return build_binary(r->builder, code, x, number_like(r, x, (uint64_t)r->per_block));
}

static Value *make_words(const Random *r, const Type *tile) {
    Value *index[MAX_RANK] = {NULL}, *words[MAX_WORDS], *place, *number;
    int64_t dims[MAX_RANK] = {0};
    const int rank = tile->rank;
    assert(rank > 0 && "a scalar is not sharded");
    for (int d = 0; d < rank; d++)
        index[d] = index_along(r, tile, d);
    block_dims(r, dims);
    if (r->split >= 0) {
        place = divide(r, index[r->split], OP_REMAINDER);
        index[r->split] = divide(r, index[r->split], OP_DIVIDE);
        number = linear_number(r, rank, index, dims);
    } else {
        number = linear_number(r, rank, index, dims);
        place = divide(r, number, OP_REMAINDER);
        number = divide(r, number, OP_DIVIDE);
    }
    encrypt_blocks(r, number, words);
    return choose_word(r, words, place);
}

// The low bits of the words as elements.
static Value *words_to_elements(const Random *r, Value *words) {
    static const ElementType unsigned_of[9] = {
        [1] = ELEMENT_UI8, [2] = ELEMENT_UI16, [4] = ELEMENT_UI32, [8] = ELEMENT_UI64};
    ElementType element = r->global->element, bits = unsigned_of[element_bytes(element)];
    words = build_convert(r->builder, words, bits);
    if (element == bits) return words;
    const Type *type = type_with_element(r->local->context, words->type, element);
    return op_result(build_op(r->builder, OP_BITCAST_CONVERT, 1, &words, 1, &type, 0), 0);
}

// ---- the state ----

// Word number i, 64 bits, of the state, which consists of ui64 or of ui32 with the low half first.
static Value *state_word(const Random *r, Value *state, int i) {
    int parts = state->type->element == ELEMENT_UI32 ? 2 : 1;
    Value *half[2] = {NULL, NULL};
    for (int k = 0; k < parts; k++) {
        half[k] = local_slice_dim(r->local, state, 0, parts * i + k, parts * i + k + 1, 1);
        half[k] = build_reshape(r->builder, half[k], 0, NULL);
    }
    return parts == 1 ? half[0] : join_words(r, half[0], half[1]);
}

static void read_state(Random *r, Value *state, int words) {
    Value *key = state_word(r, state, 0);
    r->key[0] = low_word(r, key);
    r->key[1] = high_word(r, key);
    r->counter[0] = state_word(r, state, 1);
    r->counter[1] = words == 3 ? state_word(r, state, 2) : key;
}

// The state behind all blocks.
static Value *next_state(const Random *r, Value *state, int words) {
    Value *parts[2 * 3], *counter[2];
    int count = 0;
    const Type *scalar = type_scalar(r->local->context, ELEMENT_UI64);
    add_to_counter(r, build_splat_int(r->builder, scalar, r->blocks), counter);
    Value *word[3] = {
        state_word(r, state, 0), counter[0], r->is_threefry ? r->counter[1] : counter[1]};
    for (int i = 0; i < words; i++) {
        if (state->type->element == ELEMENT_UI32) {
            parts[count++] = low_word(r, word[i]);
            parts[count++] = high_word(r, word[i]);
        } else {
            parts[count++] = word[i];
        }
    }
    for (int i = 0; i < count; i++)
        parts[i] = build_reshape(r->builder, parts[i], 1, &(int64_t){1});
    return build_concatenate(r->builder, count, parts, 0);
}

// ---- all of it ----

// ThreeFry cuts the first even dimension in two, else the largest.
static int threefry_split(const Type *type) {
    int largest = 0;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] % 2 == 0) return d;
        if (type->dims[d] > type->dims[largest]) largest = d;
    }
    return largest;
}

static void plan_blocks(Random *r) {
    const Type *type = r->global;
    r->is_wide = element_bits(type->element) == 64;
    r->is_threefry =
        op_int(r->op, NAME_RNG_ALGORITHM, RNG_ALGORITHM_DEFAULT) == RNG_ALGORITHM_THREE_FRY;
    r->per_block = (r->is_threefry ? 2 : 4) / (r->is_wide ? 2 : 1);
    r->split = r->is_threefry && !r->is_wide ? threefry_split(type) : -1;
    r->blocks = (type_element_count(type) + r->per_block - 1) / r->per_block;
    if (r->split < 0) return;
    int64_t dims[MAX_RANK];
    block_dims(r, dims);
    r->blocks = 1;
    for (int d = 0; d < type->rank; d++)
        r->blocks *= dims[d];
}

bool local_rng_bit_generator(Local *local, const Op *op) {
    const Type *state = op_operand_type(op, 0), *type = op_result_type(op, 1);
    const Sharding *sharding = local_sharding(op_result(op, 1));
    const Type *tile = local_type(local, type, sharding);
    Random r = {
        .local = local, .builder = &local->builder, .op = op, .global = type, .sharding = sharding};
    int words = (int)(type_bytes(state) / 8), bits = element_bits(type->element);
    bool fits = tile != type && type_element_count(type) > 0 &&
                type_element_count(type) <= INT32_MAX && type->rank < MAX_RANK && bits >= 8 &&
                bits <= 64 && (state->element == ELEMENT_UI64 || state->element == ELEMENT_UI32) &&
                (words == 2 || words == 3) && type_bytes(state) % 8 == 0;
    if (!fits) return local_replicate(local, op);
    plan_blocks(&r);
    Value *start = local_value_as(local, op_operand(op, 0), NULL);
    read_state(&r, start, words);
    Value *elements = words_to_elements(&r, make_words(&r, tile));
    local_set_as(local, op_result(op, 0), next_state(&r, start, words), NULL);
    local_set(local, op_result(op, 1), elements);
    return true;
}
