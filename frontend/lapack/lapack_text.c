// lapack_text: what stands behind the dollars of a routine's lines, for one call.
#include "frontend/lapack/lapack_text.h"

#include "ir/print/print.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// At least two pairs: whose columns change places are others.
static int64_t half_size(const LapackDraft *draft) { return draft->n > 2 ? (draft->n + 1) / 2 : 2; }

static bool named_size(const LapackDraft *draft, char name, int64_t *size) {
    switch (name) {
    case 'm': *size = draft->m; return true;
    case 'n': *size = draft->n; return true;
    case 'k': *size = draft->k; return true;
    case 't': *size = draft->t; return true;
    case 'p': *size = draft->p; return true;
    case 'q': *size = draft->q; return true;
    case 'c': *size = draft->c; return true;
    case 'h': *size = half_size(draft); return true;
    case 'e': *size = 2 * half_size(draft); return true;
    case 'f': *size = half_size(draft) - 1; return true;
    case 'g': *size = half_size(draft) - 2; return true;
    default: return false;
    }
}

static void put_tensor(LapackDraft *draft, const char *sizes, char kind, bool has_batches) {
    ElementType element = draft->matrix->element;
    StrBuf *text = &draft->text;
    strbuf_append(text, SV("tensor<"));
    for (int d = 0; has_batches && d < draft->batch_rank; d++)
        strbuf_printf(text, "%lldx", (long long)draft->matrix->dims[d]);
    for (; *sizes; sizes++) {
        int64_t size = *sizes - '0';
        if (*sizes == ',') continue;
        if (!named_size(draft, *sizes, &size)) assert(size >= 0 && size <= 9);
        strbuf_printf(text, "%lldx", (long long)size);
    }
    if (kind == 'i') element = ELEMENT_I32;
    if (kind == 'b') element = ELEMENT_I1;
    if (kind == 'r') element = element_real_part(element);
    if (kind == 'u')
        element = element_real_part(element) == ELEMENT_F64 ? ELEMENT_I64 : ELEMENT_I32;
    if (kind == 'z')
        element = element_real_part(element) == ELEMENT_F64 ? ELEMENT_C128 : ELEMENT_C64;
    bool is_complex = element != element_real_part(element);
    if (kind == 'w') element = is_complex ? ELEMENT_C128 : ELEMENT_F64;
    if (kind == 'd') element = ELEMENT_F64;
    strbuf_append(text, element_text(element));
    strbuf_putc(text, '>');
}

static bool is_letter_kind(char c, char after) {
    return c && strchr("ibruzwd", c) && !isalpha((unsigned char)after);
}

// A type behind the dollar: "(m,1)i", "[m]" or "0r". Returns what follows.
static const char *put_type(LapackDraft *draft, const char *at) {
    char sizes[8] = "";
    bool has_batches = *at == '(';
    if (*at != '0') {
        const char *end = strchr(at, has_batches ? ')' : ']');
        size_t size = (size_t)(end - at - 1);
        assert(size < sizeof sizes);
        memcpy(sizes, at + 1, size);
        sizes[size] = 0;
        at = end;
    }
    at++;
    char kind = is_letter_kind(at[0], at[0] ? at[1] : 0) ? *at++ : ' ';
    put_tensor(draft, sizes, kind, has_batches);
    return at;
}

static void put_dims(StrBuf *text, int count) {
    for (int d = 0; d < count; d++)
        strbuf_printf(text, "%s%d", d ? ", " : "", d);
}

// Something for every batch, each with a comma.
static bool put_batches(LapackDraft *draft, StrView word) {
    bool is_at = strview_is(word, "at"), is_batch = strview_is(word, "batch");
    bool is_all = strview_is(word, "all"), is_none = strview_is(word, "none");
    bool is_each = strview_is(word, "each");
    for (int d = 0; d < draft->batch_rank; d++) {
        long long size = (long long)draft->matrix->dims[d];
        if (is_at) strbuf_append(&draft->text, SV("%zero, "));
        if (is_batch) strbuf_printf(&draft->text, "%lld, ", size);
        if (is_all) strbuf_printf(&draft->text, "0:%lld, ", size);
        if (is_none) strbuf_append(&draft->text, SV("0, "));
        if (is_each) strbuf_append(&draft->text, SV("1, "));
    }
    return is_at || is_batch || is_all || is_none || is_each;
}

static bool put_number(LapackDraft *draft, StrView word) {
    ElementType element = draft->matrix->element;
    bool is_complex = element != element_real_part(element);
    bool is_double = element_real_part(element) == ELEMENT_F64;
    StrBuf *text = &draft->text;
    int64_t size;
    if (word.size == 1 && named_size(draft, word.data[0], &size)) {
        strbuf_printf(text, "%lld", (long long)size);
    } else if (strview_is(word, "pad")) {
        strbuf_printf(text, "%lld", (long long)(2 * half_size(draft) - draft->n));
    } else if (strview_is(word, "more")) {
        strbuf_printf(text, "%lld", (long long)(draft->t - draft->n));
    } else if (strview_is(word, "nil")) {
        strbuf_append(text, is_complex ? SV("(0.0, 0.0)") : SV("0.0"));
    } else if (strview_is(word, "unit")) {
        strbuf_append(text, is_complex ? SV("(1.0, 0.0)") : SV("1.0"));
    } else if (strview_is(word, "tiny")) {
        strbuf_append(text, is_double ? SV("1.0e-250") : SV("1.0e-30"));
    } else if (strview_is(word, "huge")) {
        strbuf_append(text, is_double ? SV("1.0e250") : SV("1.0e30"));
    } else if (strview_is(word, "small")) {
        strbuf_append(text, is_double ? SV("1.2e-32") : SV("3.5e-15"));
    } else if (strview_is(word, "least")) {
        strbuf_append(text, is_double ? SV("1.0e-300") : SV("1.2e-38"));
    } else if (strview_is(word, "bound")) {
        strbuf_append(text, is_double ? SV("1.0e-17") : SV("6.0e-9"));
    } else if (strview_is(word, "precision")) {
        strbuf_append(text, is_double ? SV("1.2e-16") : SV("6.0e-8"));
    } else if (strview_is(word, "gap")) {
        strbuf_append(text, is_double ? SV("8.0e-25") : SV("1.0e-12"));
    } else if (strview_is(word, "floor")) {
        strbuf_append(text, is_double ? SV("3.0e-18") : SV("4.0e-9"));
    } else if (strview_is(word, "steps")) {
        strbuf_append(text, is_double ? SV("79") : SV("47"));
    } else if (strview_is(word, "newton")) {
        strbuf_append(text, SV("16"));
    } else {
        return false;
    }
    return true;
}

// How a gather takes rows, or columns, of each matrix of a batch.
static void put_gather(LapackDraft *draft, bool is_rows) {
    StrBuf *text = &draft->text;
    int row = draft->matrix->rank - 2, which = is_rows ? row : row + 1;
    strbuf_printf(
        text,
        "dimension_numbers = #stablehlo.gather<offset_dims = [%d], collapsed_slice_dims = [%d], ",
        is_rows ? row + 1 : row, which);
    for (int i = 0; i < 2 && draft->batch_rank > 0; i++) {
        strbuf_append(
            text, i ? SV("start_indices_batching_dims = [") : SV("operand_batching_dims = ["));
        put_dims(text, draft->batch_rank);
        strbuf_append(text, SV("], "));
    }
    strbuf_printf(text, "start_index_map = [%d], index_vector_dim = %d>", which, row + 1);
}

static void put_word(LapackDraft *draft, StrView word) {
    StrBuf *text = &draft->text;
    int rank = draft->matrix->rank;
    if (put_number(draft, word) || put_batches(draft, word)) return;
    if (strview_is(word, "row")) {
        strbuf_printf(text, "%d", rank - 2);
    } else if (strview_is(word, "col")) {
        strbuf_printf(text, "%d", rank - 1);
    } else if (strview_is(word, "dims")) {
        put_dims(text, rank);
    } else if (strview_is(word, "most")) {
        put_dims(text, rank - 1);
    } else if (strview_is(word, "batches")) {
        put_dims(text, draft->batch_rank);
    } else if (strview_is(word, "swap")) {
        put_dims(text, draft->batch_rank);
        strbuf_printf(text, "%s%d, %d", draft->batch_rank ? ", " : "", rank - 1, rank - 2);
    } else if (strview_is(word, "rows") || strview_is(word, "columns")) {
        put_gather(draft, word.data[0] == 'r');
    } else if (strview_is(word, "index")) {
        for (int d = 0; d < rank; d++)
            strbuf_append(text, d ? SV(", tensor<i32>") : SV("tensor<i32>"));
    } else if (strview_is(word, "b")) {
        type_print(text, op_operand_type(draft->op, 1));
    } else if (strview_is(word, "u") || strview_is(word, "v")) {
        type_print(text, op_result_type(draft->op, word.data[0] == 'u' ? 2 : 3));
    } else if (strview_is(word, "order")) {
        strbuf_append(text, draft->order);
    } else if (strview_is(word, "tau")) {
        strbuf_append(text, draft->tau);
    } else {
        assert(strview_is(word, "attributes"));
        strbuf_append(text, draft->attributes);
    }
}

void lapack_put_line(LapackDraft *draft, const char *line) {
    for (const char *at = line; *at;) {
        if (*at != '$') {
            strbuf_putc(&draft->text, *at++);
            continue;
        }
        at++;
        if (*at == '(' || *at == '[' || *at == '0') {
            at = put_type(draft, at);
            continue;
        }
        size_t size = 0;
        while (islower((unsigned char)at[size]))
            size++;
        put_word(draft, (StrView){at, size});
        at += size;
    }
    strbuf_putc(&draft->text, '\n');
}
