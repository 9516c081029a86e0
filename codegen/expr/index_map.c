// Index expressions in normal form: constant + sum of factor * atom, atoms sorted by number,
// interned.
#include "codegen/expr/index_map.h"

#include "base/strview.h"

#include <assert.h>
#include <string.h>

// An atom with its place in the order.
typedef struct AtomEntry {
    IndexAtom atom; // first: an IndexAtom of the builder is an AtomEntry
    int number;
    struct AtomEntry *next; // in the bucket
} AtomEntry;

typedef struct ExprEntry {
    IndexExpr expr; // first
    struct ExprEntry *next;
} ExprEntry;

enum { INDEX_BUCKETS = 1024 };

struct IndexBuilder {
    Arena *arena;
    AtomEntry *atoms[INDEX_BUCKETS];
    ExprEntry *exprs[INDEX_BUCKETS];
    int atom_count, expr_count;
};

// A sum being built: terms sorted by atom number, no zero factors.
typedef struct Sum {
    int64_t constant;
    int count, capacity;
    const IndexAtom **atoms;
    int64_t *factors;
} Sum;

IndexBuilder *index_builder_create(Arena *arena) {
    IndexBuilder *b = ARENA_NEW(arena, IndexBuilder);
    b->arena = arena;
    return b;
}

static int atom_number(const IndexAtom *atom) { return ((const AtomEntry *)atom)->number; }

static int64_t floor_div(int64_t x, int64_t by) {
    int64_t quotient = x / by;
    return quotient * by > x ? quotient - 1 : quotient;
}

static int64_t floor_mod(int64_t x, int64_t by) { return x - floor_div(x, by) * by; }

static int64_t gcd(int64_t a, int64_t b) {
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t saturated_add(int64_t a, int64_t b) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t saturated_mul(int64_t a, int64_t b) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    return product;
}

// --- interning ---

static const IndexAtom *atom_intern(IndexBuilder *b, IndexAtom atom) {
    int64_t key[4] = {(int64_t)atom.kind, atom.id, atom.of ? atom.of->number : -1, atom.by};
    AtomEntry **bucket = &b->atoms[hash_bytes(key, sizeof key, 0) % INDEX_BUCKETS];
    for (AtomEntry *entry = *bucket; entry; entry = entry->next) {
        const IndexAtom *a = &entry->atom;
        if (a->kind == atom.kind && a->id == atom.id && a->of == atom.of && a->by == atom.by)
            return a;
    }
    AtomEntry *entry = ARENA_NEW(b->arena, AtomEntry);
    *entry = (AtomEntry){.atom = atom, .number = b->atom_count++, .next = *bucket};
    *bucket = entry;
    return &entry->atom;
}

static const IndexExpr *sum_intern(IndexBuilder *b, const Sum *sum) {
    uint64_t hash = hash_bytes(&sum->constant, sizeof sum->constant, 0);
    for (int i = 0; i < sum->count; i++) {
        int64_t key[2] = {atom_number(sum->atoms[i]), sum->factors[i]};
        hash = hash_bytes(key, sizeof key, hash);
    }
    ExprEntry **bucket = &b->exprs[hash % INDEX_BUCKETS];
    size_t atoms_size = (size_t)sum->count * sizeof sum->atoms[0];
    size_t factors_size = (size_t)sum->count * sizeof sum->factors[0];
    for (ExprEntry *entry = *bucket; entry; entry = entry->next) {
        const IndexExpr *x = &entry->expr;
        if (x->constant != sum->constant || x->term_count != sum->count) continue;
        if (sum->count == 0) return x;
        if (memcmp(x->atoms, sum->atoms, atoms_size) == 0 &&
            memcmp(x->factors, sum->factors, factors_size) == 0)
            return x;
    }
    ExprEntry *entry = ARENA_NEW(b->arena, ExprEntry);
    IndexExpr *x = &entry->expr;
    x->constant = sum->constant;
    x->term_count = sum->count;
    if (sum->count) {
        x->atoms = arena_copy(b->arena, sum->atoms, atoms_size);
        x->factors = arena_copy(b->arena, sum->factors, factors_size);
    }
    x->low = x->high = sum->constant;
    for (int i = 0; i < sum->count; i++) {
        int64_t low = saturated_mul(sum->factors[i], sum->atoms[i]->low);
        int64_t high = saturated_mul(sum->factors[i], sum->atoms[i]->high);
        x->low = saturated_add(x->low, low < high ? low : high);
        x->high = saturated_add(x->high, low < high ? high : low);
    }
    x->number = b->expr_count++;
    entry->next = *bucket;
    *bucket = entry;
    return x;
}

// --- sums ---

static Sum sum_create(IndexBuilder *b, int capacity) {
    Sum sum = {.capacity = capacity};
    sum.atoms = (const IndexAtom **)arena_alloc_array(b->arena, capacity, sizeof(IndexAtom *));
    sum.factors = ARENA_ARRAY(b->arena, int64_t, capacity);
    return sum;
}

static void sum_add_term(Sum *sum, const IndexAtom *atom, int64_t factor) {
    int at = 0;
    while (at < sum->count && atom_number(sum->atoms[at]) < atom_number(atom))
        at++;
    if (at < sum->count && sum->atoms[at] == atom) {
        sum->factors[at] += factor;
        if (sum->factors[at] != 0) return;
        sum->count--;
        for (int i = at; i < sum->count; i++) {
            sum->atoms[i] = sum->atoms[i + 1];
            sum->factors[i] = sum->factors[i + 1];
        }
        return;
    }
    if (factor == 0) return;
    assert(sum->count < sum->capacity);
    for (int i = sum->count; i > at; i--) {
        sum->atoms[i] = sum->atoms[i - 1];
        sum->factors[i] = sum->factors[i - 1];
    }
    sum->atoms[at] = atom;
    sum->factors[at] = factor;
    sum->count++;
}

static void sum_add(Sum *sum, const IndexExpr *x, int64_t factor) {
    sum->constant += x->constant * factor;
    for (int i = 0; i < x->term_count; i++)
        sum_add_term(sum, x->atoms[i], x->factors[i] * factor);
}

const IndexExpr *index_of_atom(IndexBuilder *b, const IndexAtom *atom) {
    Sum sum = sum_create(b, 1);
    sum_add_term(&sum, atom, 1);
    return sum_intern(b, &sum);
}

static const IndexExpr *sum_recombine(IndexBuilder *b, const Sum *sum);

// The sum with factor * x in the place of the terms i, factor * (x mod by), and j, a multiple of
// x / by; x / by has a constant, which goes, too.
static const IndexExpr *replace_digits(
    IndexBuilder *b, const Sum *sum, int i, int j, const IndexExpr *x, int64_t constant) {
    Sum next = sum_create(b, sum->count + x->term_count);
    next.constant = sum->constant - constant;
    for (int at = 0; at < sum->count; at++)
        if (at != i && at != j) sum_add_term(&next, sum->atoms[at], sum->factors[at]);
    sum_add(&next, x, sum->factors[i]);
    return sum_recombine(b, &next);
}

// factor * (x mod by) + factor*by * (x / by) = factor * x: undoes a delinearisation. The quotient
// must be one atom. Where it is that of another number with the same remainder, as of x mod n with
// n a multiple of `by`, the sum is that number.
static const IndexExpr *sum_recombine(IndexBuilder *b, const Sum *sum) {
    for (int i = 0; i < sum->count; i++) {
        const IndexAtom *atom = sum->atoms[i];
        if (atom->kind != INDEX_MOD) continue;
        int64_t step = sum->factors[i] * atom->by;
        const IndexExpr *quotient = index_div(b, atom->of, atom->by);
        for (int j = 0; j < sum->count; j++) {
            const IndexAtom *other = sum->atoms[j];
            if (quotient->term_count == 1 && quotient->atoms[0] == other &&
                sum->factors[j] == step * quotient->factors[0])
                return replace_digits(b, sum, i, j, atom->of, step * quotient->constant);
            if (other->kind == INDEX_DIV && other->by == atom->by && sum->factors[j] == step &&
                index_mod(b, other->of, atom->by) == index_of_atom(b, atom))
                return replace_digits(b, sum, i, j, other->of, 0);
        }
    }
    return sum_intern(b, sum);
}

const IndexExpr *index_constant(IndexBuilder *b, int64_t number) {
    Sum sum = {.constant = number};
    return sum_intern(b, &sum);
}

const IndexExpr *index_variable(IndexBuilder *b, int id, int64_t extent) {
    if (extent <= 1) return index_constant(b, 0);
    IndexAtom atom = {.kind = INDEX_VARIABLE, .id = id, .low = 0, .high = extent - 1};
    return index_of_atom(b, atom_intern(b, atom));
}

const IndexExpr *index_runtime(IndexBuilder *b, int id, int64_t low, int64_t high) {
    if (low == high) return index_constant(b, low);
    IndexAtom atom = {.kind = INDEX_RUNTIME, .id = id, .low = low, .high = high};
    return index_of_atom(b, atom_intern(b, atom));
}

const IndexExpr *index_table(
    IndexBuilder *b, int id, const IndexExpr *of, int64_t low, int64_t high) {
    if (low == high) return index_constant(b, low);
    IndexAtom atom = {.kind = INDEX_TABLE, .id = id, .of = of, .low = low, .high = high};
    return index_of_atom(b, atom_intern(b, atom));
}

static const IndexExpr *combine(
    IndexBuilder *b, const IndexExpr *x, int64_t x_factor, const IndexExpr *y, int64_t y_factor) {
    Sum sum = sum_create(b, x->term_count + y->term_count);
    sum_add(&sum, x, x_factor);
    sum_add(&sum, y, y_factor);
    return sum_recombine(b, &sum);
}

const IndexExpr *index_add(IndexBuilder *b, const IndexExpr *x, const IndexExpr *y) {
    return combine(b, x, 1, y, 1);
}

const IndexExpr *index_sub(IndexBuilder *b, const IndexExpr *x, const IndexExpr *y) {
    return combine(b, x, 1, y, -1);
}

const IndexExpr *index_add_constant(IndexBuilder *b, const IndexExpr *x, int64_t number) {
    if (number == 0) return x;
    Sum sum = sum_create(b, x->term_count);
    sum_add(&sum, x, 1);
    sum.constant += number;
    return sum_intern(b, &sum);
}

const IndexExpr *index_scale(IndexBuilder *b, const IndexExpr *x, int64_t factor) {
    if (factor == 1) return x;
    Sum sum = sum_create(b, x->term_count);
    if (factor != 0) sum_add(&sum, x, factor);
    return sum_intern(b, &sum);
}

// --- division ---

// x = by * *quotient + *rest, every term that `by` divides in the quotient,
// 0 <= rest's constant < by.
static void split_multiples(
    IndexBuilder *b, const IndexExpr *x, int64_t by, const IndexExpr **quotient,
    const IndexExpr **rest) {
    Sum q = sum_create(b, x->term_count), r = sum_create(b, x->term_count);
    q.constant = floor_div(x->constant, by);
    r.constant = floor_mod(x->constant, by);
    for (int i = 0; i < x->term_count; i++) {
        if (x->factors[i] % by == 0)
            sum_add_term(&q, x->atoms[i], x->factors[i] / by);
        else
            sum_add_term(&r, x->atoms[i], x->factors[i]);
    }
    *quotient = sum_recombine(b, &q);
    *rest = sum_recombine(b, &r);
}

// Finds g > 1, g | by, so that x = g * *high + *low with 0 <= low < g always. Then
// x / by = high / (by/g), x mod by = g * (high mod (by/g)) + low.
static bool split_digits(
    IndexBuilder *b, const IndexExpr *x, int64_t by, int64_t *g, const IndexExpr **high,
    const IndexExpr **low) {
    for (int i = 0; i < x->term_count; i++) {
        *g = gcd(by, x->factors[i]);
        if (*g <= 1) continue;
        split_multiples(b, x, *g, high, low);
        if ((*low)->low >= 0 && (*low)->high < *g) return true;
    }
    return false;
}

static const IndexAtom *single_atom(const IndexExpr *x) {
    return x->term_count == 1 && x->factors[0] == 1 && x->constant == 0 ? x->atoms[0] : NULL;
}

const IndexExpr *index_div(IndexBuilder *b, const IndexExpr *x, int64_t by) {
    assert(by > 0);
    if (by == 1) return x;
    int64_t lowest = floor_div(x->low, by), highest = floor_div(x->high, by);
    if (lowest == highest) return index_constant(b, lowest);
    const IndexExpr *quotient, *rest, *high, *low;
    split_multiples(b, x, by, &quotient, &rest);
    if (rest != x) return index_add(b, quotient, index_div(b, rest, by));
    int64_t g;
    if (split_digits(b, x, by, &g, &high, &low)) return index_div(b, high, by / g);
    const IndexAtom *atom = single_atom(x);
    int64_t product;
    if (atom && atom->kind == INDEX_DIV && !__builtin_mul_overflow(atom->by, by, &product))
        return index_div(b, atom->of, product);
    IndexAtom div = {.kind = INDEX_DIV, .of = x, .by = by, .low = lowest, .high = highest};
    return index_of_atom(b, atom_intern(b, div));
}

const IndexExpr *index_mod(IndexBuilder *b, const IndexExpr *x, int64_t by) {
    assert(by > 0);
    int64_t lowest = floor_div(x->low, by), highest = floor_div(x->high, by);
    if (lowest == highest) return index_add_constant(b, x, -lowest * by);
    const IndexExpr *quotient, *rest, *high, *low;
    split_multiples(b, x, by, &quotient, &rest);
    if (rest != x) return index_mod(b, rest, by);
    int64_t g;
    if (split_digits(b, x, by, &g, &high, &low))
        return index_add(b, index_scale(b, index_mod(b, high, by / g), g), low);
    const IndexAtom *atom = single_atom(x);
    if (atom && atom->kind == INDEX_MOD && atom->by % by == 0) return index_mod(b, atom->of, by);
    IndexAtom mod = {.kind = INDEX_MOD, .of = x, .by = by, .low = 0, .high = by - 1};
    return index_of_atom(b, atom_intern(b, mod));
}

// --- questions ---

IndexTruth index_in_range(const IndexExpr *x, int64_t low, int64_t high) {
    if (x->low >= low && x->high < high) return INDEX_ALWAYS;
    return low >= high || x->high < low || x->low >= high ? INDEX_NEVER : INDEX_SOMETIMES;
}

bool index_depends_on(const IndexExpr *x, int id) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_VARIABLE && atom->id == id) return true;
        if (atom->of && index_depends_on(atom->of, id)) return true;
    }
    return false;
}

bool index_is_affine_in(const IndexExpr *x, int id, int64_t *factor) {
    *factor = 0;
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_VARIABLE && atom->id == id) *factor = x->factors[i];
        if (atom->of && index_depends_on(atom->of, id)) return false;
    }
    return true;
}

const IndexExpr *index_substitute(
    IndexBuilder *b, const IndexExpr *x, const IndexExpr *const *variables, int count) {
    const IndexExpr *result = index_constant(b, x->constant);
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        const IndexExpr *of = atom->of ? index_substitute(b, atom->of, variables, count) : NULL;
        const IndexExpr *term = NULL;
        switch (atom->kind) {
        case INDEX_VARIABLE:
            term = atom->id < count && variables[atom->id] ? variables[atom->id]
                                                           : index_of_atom(b, atom);
            break;
        case INDEX_RUNTIME: term = index_of_atom(b, atom); break;
        case INDEX_DIV: term = index_div(b, of, atom->by); break;
        case INDEX_MOD: term = index_mod(b, of, atom->by); break;
        case INDEX_TABLE: term = index_table(b, atom->id, of, atom->low, atom->high); break;
        }
        result = index_add(b, result, index_scale(b, term, x->factors[i]));
    }
    return result;
}

bool index_is_of_device(const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_VARIABLE || (atom->kind == INDEX_RUNTIME && atom->id != 0))
            return false;
        if (atom->of && !index_is_of_device(atom->of)) return false;
    }
    return true;
}

// --- row-major numbers ---

const IndexExpr *index_linear(
    IndexBuilder *b, int rank, const int64_t *dims, const IndexExpr *const *index) {
    const IndexExpr *number = index_constant(b, 0);
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        number = index_add(b, number, index_scale(b, index[d], stride));
        stride *= dims[d];
    }
    return number;
}

void index_delinear(
    IndexBuilder *b, const IndexExpr *number, int rank, const int64_t *dims,
    const IndexExpr **index) {
    for (int d = rank - 1; d >= 0; d--) {
        int64_t size = dims[d] > 0 ? dims[d] : 1;
        index[d] = d == 0 ? number : index_mod(b, number, size);
        number = index_div(b, number, size);
    }
}

static bool is_plain(const IndexExpr *x) {
    return x->term_count == 1 && x->factors[0] == 1 && x->constant == 0 && !x->atoms[0]->of;
}

static void print_atom(StrBuf *out, const IndexAtom *atom) {
    if (atom->kind == INDEX_VARIABLE) strbuf_printf(out, "i%d", atom->id);
    if (atom->kind == INDEX_RUNTIME) strbuf_printf(out, "r%d", atom->id);
    if (!atom->of) return;
    bool is_table = atom->kind == INDEX_TABLE, has_parentheses = is_table || !is_plain(atom->of);
    if (is_table) strbuf_printf(out, "t%d", atom->id);
    if (has_parentheses) strbuf_putc(out, '(');
    index_print(out, atom->of);
    if (has_parentheses) strbuf_putc(out, ')');
    if (!is_table)
        strbuf_printf(out, "%s%lld", atom->kind == INDEX_DIV ? "/" : "%", (long long)atom->by);
}

void index_print(StrBuf *out, const IndexExpr *x) {
    if (x->term_count == 0) strbuf_printf(out, "%lld", (long long)x->constant);
    // a negative term does not come first if another one can
    bool constant_first = x->term_count > 0 && x->factors[0] < 0 && x->constant > 0;
    if (constant_first) strbuf_printf(out, "%lld", (long long)x->constant);
    for (int i = 0; i < x->term_count; i++) {
        int64_t factor = x->factors[i];
        bool is_first = i == 0 && !constant_first;
        if (factor < 0) strbuf_puts(out, is_first ? "-" : " - ");
        if (factor > 0 && !is_first) strbuf_puts(out, " + ");
        print_atom(out, x->atoms[i]);
        if (factor != 1 && factor != -1)
            strbuf_printf(out, "*%lld", (long long)(factor < 0 ? -factor : factor));
    }
    if (x->constant && x->term_count && !constant_first)
        strbuf_printf(
            out, x->constant < 0 ? " - %lld" : " + %lld",
            (long long)(x->constant < 0 ? -x->constant : x->constant));
}
