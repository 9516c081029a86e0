// sdy_rule_reader: sharding rules: <([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
#include "frontend/mlir/forms/sdy_attrs.h"

enum { MAX_FACTORS = 1024 };

static void factor_name(StrBuf *out, int64_t factor) {
    if (factor <= 'z' - 'i')
        strbuf_putc(out, (char)('i' + factor));
    else
        strbuf_printf(out, "z_%lld", (long long)(factor - ('z' - 'i')));
}

// Takes one factor's symbol (i ... z, z_1 ...) off the front of *text.
static bool take_factor(Reader *reader, const Token *at, StrView *text, int64_t *factor) {
    if (!strview_starts_with(*text, SV("z_"))) {
        char c = text->data[0];
        if (c < 'i' || c > 'z') {
            return reader_custom_error(
                reader, at, "expecting symbol from 'i' to 'z'. Received: '%c'", c);
        }
        *factor = c - 'i';
        *text = (StrView){text->data + 1, text->size - 1};
        return true;
    }
    size_t end = 2;
    while (end < text->size && text->data[end] >= '0' && text->data[end] <= '9')
        end++;
    StrView digits = {text->data + 2, end - 2};
    if (digits.size == 0) {
        return reader_custom_error(
            reader, at, "expecting integer after 'z_'. Received: '%.*s'", SV_ARG(*text));
    }
    if (digits.data[0] == '0') {
        return reader_custom_error(
            reader, at, "expecting positive integer without leading zeros. Received: '%.*s'",
            SV_ARG(digits));
    }
    int64_t number;
    if (!strview_to_int64(digits, &number)) {
        (void)reader_custom_error(
            reader, at, "expecting symbol index <=2^63-1. Received: '%.*s'", SV_ARG(digits));
        number = MAX_FACTORS; // goes on, as Shardy does: the order of the sizes is checked too
    }
    *factor = number > INT32_MAX / 2 ? INT32_MAX : number + ('z' - 'i');
    *text = (StrView){text->data + end, text->size - end};
    return true;
}

// i, ij or nothing: the factors of one dimension
static bool read_dim_factors(Reader *reader, DimFactors *dim) {
    *dim = (DimFactors){0};
    if (reader->token.kind != TOKEN_WORD) return true; // the verifier complains
    Token at = reader->token;
    StrView text = at.text;
    int *factors = ARENA_ARRAY(reader->scratch, int, MAX_DIM_FACTORS);
    dim->factors = factors;
    while (text.size > 0) {
        int64_t factor = 0;
        if (!take_factor(reader, &at, &text, &factor)) return false;
        if (dim->count == MAX_DIM_FACTORS) {
            return reader_unsupported(
                reader, &at, "more than %d factors in a dimension are not supported",
                MAX_DIM_FACTORS);
        }
        factors[dim->count++] = (int)factor;
    }
    reader_advance(reader);
    return true;
}

// [i, jk]
static bool read_tensor_factors(Reader *reader, TensorFactors *tensor) {
    DimFactors *dims = ARENA_ARRAY(reader->scratch, DimFactors, MAX_RANK);
    *tensor = (TensorFactors){0, dims};
    if (!expect_punctuation(reader, '[')) return false;
    if (accept_punctuation(reader, ']')) return true;
    do {
        if (tensor->rank == MAX_RANK) {
            return reader_unsupported(
                reader, &reader->token, "more than %d dimensions are not supported", MAX_RANK);
        }
        if (!read_dim_factors(reader, &dims[tensor->rank++])) {
            return reader_custom_error(
                reader, &reader->token,
                "failed to parse Sdy_TensorMapping parameter 'dim_mappings'");
        }
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ']');
}

// ([..], [..])
static bool read_mappings(
    Reader *reader, const char *which, int *count, const TensorFactors **tensors) {
    VEC(TensorFactors) list = {0};
    if (!expect_punctuation(reader, '(')) return false;
    do {
        TensorFactors tensor;
        if (!read_tensor_factors(reader, &tensor)) {
            return reader_custom_error(
                reader, &reader->token, "failed to parse Sdy_OpShardingRule parameter '%s'", which);
        }
        vec_push(reader->scratch, &list, tensor);
    } while (accept_punctuation(reader, ','));
    *count = (int)list.count;
    *tensors = list.data;
    return expect_punctuation(reader, ')');
}

typedef VEC(Factor) FactorVec;

// {i=8, j=16}: in order
static bool read_factor_sizes(Reader *reader, FactorVec *factors) {
    if (!accept_punctuation(reader, '{') || accept_punctuation(reader, '}')) return true;
    do {
        Token at = reader->token;
        if (at.kind != TOKEN_WORD)
            return reader_custom_error(reader, &at, "expected valid keyword");
        StrView text = at.text;
        int64_t factor = 0;
        if (!take_factor(reader, &at, &text, &factor)) return false;
        if (factor != factors->count) {
            StrBuf expected = strbuf(reader->scratch);
            StrBuf received = strbuf(reader->scratch);
            factor_name(&expected, factors->count);
            factor_name(&received, factor);
            return reader_custom_error(
                reader, &at,
                "expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. "
                "{i=#, j=#, ...}). Expecting factor index symbol '%s', received: '%s'",
                strbuf_cstring(&expected), strbuf_cstring(&received));
        }
        if (text.size > 0) {
            return reader_custom_error(
                reader, &at, "expecting single factor symbol: %.*s", SV_ARG(text));
        }
        if (factors->count == MAX_FACTORS) {
            return reader_unsupported(
                reader, &at, "more than %d factors are not supported", MAX_FACTORS);
        }
        reader_advance(reader);
        Factor size = {0};
        if (!expect_punctuation(reader, '=') || !read_int64(reader, &size.size)) return false;
        vec_push(reader->scratch, factors, size);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, '}');
}

// The factors of one kind, as written.
typedef VEC(int64_t) FactorList;

// reduction={k, l}, or reduction={} or no list at all
static bool read_factor_list(Reader *reader, const char *word, FactorList *list) {
    if (!accept_word(reader, word)) return true;
    if (!expect_punctuation(reader, '=')) return false;
    if (!accept_punctuation(reader, '{') || accept_punctuation(reader, '}')) return true;
    do {
        Token at = reader->token;
        if (at.kind != TOKEN_WORD)
            return reader_custom_error(reader, &at, "expected valid keyword");
        StrView text = at.text;
        int64_t factor = 0;
        if (!take_factor(reader, &at, &text, &factor)) return false;
        vec_push(reader->scratch, list, factor);
        reader_advance(reader);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, '}');
}

// What is wrong with a list by itself; NULL when nothing is.
static const char *list_flaw(Reader *reader, const FactorList *list, int64_t factor_count) {
    for (int64_t i = 1; i < list->count; i++) {
        if (list->data[i] < list->data[i - 1]) return "indices of special factors must be sorted";
    }
    for (int64_t i = 1; i < list->count; i++) {
        if (list->data[i] == list->data[i - 1]) return "indices of special factors must be unique";
    }
    int64_t last = list->count ? list->data[list->count - 1] : -1;
    if (last < factor_count) return NULL;
    return arena_printf(
        reader->scratch, "index must be less than %lld, got: %lld", (long long)factor_count,
        (long long)last);
}

enum { REDUCTION, NEED_REPLICATION, PERMUTATION, BLOCKED, LISTS };

// Gives the factors their kinds. What is wrong with the lists is for the verifier, which knows the
// op.
static const char *set_kinds(Reader *reader, const FactorList lists[LISTS], FactorVec *factors) {
    static const FactorKind kinds[] = {
        FACTOR_REDUCTION, FACTOR_NEED_REPLICATION, FACTOR_PERMUTATION};
    for (int k = 0; k < BLOCKED; k++) {
        const char *flaw = list_flaw(reader, &lists[k], factors->count);
        if (flaw) return flaw;
    }
    bool is_shared = false;
    for (int k = 0; k < BLOCKED; k++) {
        for (int64_t i = 0; i < lists[k].count; i++) {
            Factor *factor = &factors->data[lists[k].data[i]];
            is_shared = is_shared || factor->kind != FACTOR_PASS_THROUGH;
            factor->kind = kinds[k];
        }
    }
    if (is_shared)
        return "a factor can only be in one of the reduction, need replication, or permutation "
               "factor sets";
    const char *flaw = list_flaw(reader, &lists[BLOCKED], factors->count);
    for (int64_t i = 0; !flaw && i < lists[BLOCKED].count; i++)
        factors->data[lists[BLOCKED].data[i]].is_blocked = true;
    return flaw;
}

const Attr *read_sharding_rule(Reader *reader) {
    ShardingRule rule = {0};
    FactorVec factors = {0};
    FactorList lists[LISTS] = {{0}};
    static const char *const words[] = {
        "reduction", "need_replication", "permutation", "blocked_propagation"};
    bool ok = expect_punctuation(reader, '<') &&
              read_mappings(reader, "operand_mappings", &rule.operand_count, &rule.operands) &&
              expect_arrow(reader) &&
              read_mappings(reader, "result_mappings", &rule.result_count, &rule.results) &&
              read_factor_sizes(reader, &factors);
    for (int k = 0; ok && k < LISTS; k++)
        ok = read_factor_list(reader, words[k], &lists[k]);
    if (!ok) return NULL;
    if (accept_punctuation(reader, ',')) {
        if (!expect_word(reader, "custom")) return NULL;
        rule.is_custom = true;
    }
    if (!expect_punctuation(reader, '>')) return NULL;
    rule.factor_count = (int)factors.count;
    rule.factors = factors.data;
    const char *flaw = set_kinds(reader, lists, &factors);
    if (flaw) rule.flaw = strview(flaw);
    return attr_intern(reader->context, &(Attr){.kind = ATTR_RULE, .rule = &rule});
}
