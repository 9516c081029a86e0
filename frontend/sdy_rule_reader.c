// sdy_rule_reader: sharding rules: <([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>
#include "frontend/sdy_reader.h"

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
    *factor = number > MAX_FACTORS ? MAX_FACTORS + 17 : number + ('z' - 'i');
    *text = (StrView){text->data + end, text->size - end};
    return true;
}

// i, ij or nothing: the factors of one dimension
static bool read_dim_factors(Reader *reader, DimFactors *dim) {
    *dim = (DimFactors){0};
    if (reader->token.kind != TOKEN_WORD) return true; // the verifier complains
    Token at = reader->token;
    StrView text = at.text;
    int *factors = ARENA_ARRAY(reader->arena, int, MAX_DIM_FACTORS);
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
    DimFactors *dims = ARENA_ARRAY(reader->arena, DimFactors, MAX_RANK);
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
        vec_push(reader->arena, &list, tensor);
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
            StrBuf expected = strbuf(reader->arena);
            StrBuf received = strbuf(reader->arena);
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
        vec_push(reader->arena, factors, size);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, '}');
}

// reduction={k, l}; blocked: the flag instead of the kind
static bool read_factor_set(
    Reader *reader, const char *word, FactorVec *factors, FactorKind kind, bool blocked) {
    if (!accept_word(reader, word)) return true;
    if (!expect_punctuation(reader, '=') || !expect_punctuation(reader, '{')) return false;
    int64_t last = -1;
    while (!at_punctuation(reader, '}')) {
        Token at = reader->token;
        if (at.kind != TOKEN_WORD)
            return reader_custom_error(reader, &at, "expected valid keyword");
        StrView text = at.text;
        int64_t factor = 0;
        if (!take_factor(reader, &at, &text, &factor)) return false;
        if (factor >= factors->count || factor <= last) {
            return reader_custom_error(
                reader, &at,
                "factors of '%s' must be sorted, unique and among the %lld of the rule", word,
                (long long)factors->count);
        }
        Factor *entry = &factors->data[factor];
        if (!blocked && entry->kind != FACTOR_PASS_THROUGH) {
            return reader_custom_error(
                reader, &at,
                "a factor can only be in one of the reduction, need replication, or permutation "
                "factor sets");
        }
        if (blocked)
            entry->is_blocked = true;
        else
            entry->kind = kind;
        last = factor;
        reader_advance(reader);
        if (!accept_punctuation(reader, ',')) break;
    }
    return expect_punctuation(reader, '}');
}

// Does every factor of the tensor exist? In a result none may be a reduction factor.
static bool check_tensor(
    Reader *reader, const Token *at, const TensorFactors *tensor, const FactorVec *factors,
    bool is_result) {
    for (int d = 0; d < tensor->rank; d++) {
        for (int f = 0; f < tensor->dims[d].count; f++) {
            int factor = tensor->dims[d].factors[f];
            if (factor >= factors->count) {
                return reader_custom_error(
                    reader, at, "a dimension is mapped to a factor that has no size");
            }
            if (is_result && factors->data[factor].kind == FACTOR_REDUCTION) {
                return reader_custom_error(
                    reader, at, "reduction factor cannot be in result mappings");
            }
        }
    }
    return true;
}

static bool check_mappings(
    Reader *reader, const Token *at, const ShardingRule *rule, const FactorVec *factors) {
    for (int i = 0; i < rule->operand_count; i++) {
        if (!check_tensor(reader, at, &rule->operands[i], factors, false)) return false;
    }
    for (int i = 0; i < rule->result_count; i++) {
        if (!check_tensor(reader, at, &rule->results[i], factors, true)) return false;
    }
    return true;
}

const Attr *read_sharding_rule(Reader *reader) {
    Token at = reader->token;
    ShardingRule rule = {0};
    FactorVec factors = {0};
    bool ok =
        expect_punctuation(reader, '<') &&
        read_mappings(reader, "operand_mappings", &rule.operand_count, &rule.operands) &&
        expect_arrow(reader) &&
        read_mappings(reader, "result_mappings", &rule.result_count, &rule.results) &&
        read_factor_sizes(reader, &factors) &&
        read_factor_set(reader, "reduction", &factors, FACTOR_REDUCTION, false) &&
        read_factor_set(reader, "need_replication", &factors, FACTOR_NEED_REPLICATION, false) &&
        read_factor_set(reader, "permutation", &factors, FACTOR_PERMUTATION, false) &&
        read_factor_set(reader, "blocked_propagation", &factors, FACTOR_PASS_THROUGH, true);
    if (!ok) return NULL;
    if (accept_punctuation(reader, ',')) {
        if (!expect_word(reader, "custom")) return NULL;
        rule.is_custom = true;
    }
    if (!expect_punctuation(reader, '>')) return NULL;
    rule.factor_count = (int)factors.count;
    rule.factors = factors.data;
    if (!check_mappings(reader, &at, &rule, &factors)) return NULL;
    return attr_intern(reader->context, &(Attr){.kind = ATTR_RULE, .rule = &rule});
}
