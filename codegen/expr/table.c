// Constant tables as indices: what of a table follows a rule is arithmetic.
//
// A table's index is a sum of atoms, and of tables of atoms. Where the numbers grow evenly
// along one of the atoms, whatever the others are, that atom leaves the table:
// members[8*r + k] of groups of neighbours is 8*(r/8) + k, of groups of every second device
// first[r] + 2*k. Tables of tables become one.
#include "codegen/expr/expr.h"

#include <string.h>

typedef const IndexExpr *Index;

enum { MAX_ATOMS = 6, MAX_PLACES = 1 << 12 };

// All that the index of a table can be, by its atoms; the first runs fastest.
typedef struct Places {
    const ExprBuilder *b;
    int atom_count;
    const IndexAtom *atoms[MAX_ATOMS];
    int64_t extent[MAX_ATOMS];
    int64_t count;    // of all combinations
    int64_t *numbers; // [count] what the table gives there
    bool has_tables;  // among the terms of the index
} Places;

static bool add_atoms(Places *places, Index x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        int k = 0;
        while (k < places->atom_count && places->atoms[k] != atom)
            k++;
        if (k < places->atom_count) continue;
        if (atom->kind == INDEX_TABLE) {
            places->has_tables = true;
            if (!add_atoms(places, atom->of)) return false;
            continue;
        }
        if (k == MAX_ATOMS || atom->high - atom->low >= MAX_PLACES) return false;
        places->atoms[k] = atom;
        places->extent[k] = atom->high - atom->low + 1;
        places->count *= places->extent[k];
        places->atom_count++;
        if (places->count > MAX_PLACES) return false;
    }
    return true;
}

static int64_t value_at(const Places *places, Index x, const int64_t *atoms);

static int64_t atom_at(const Places *places, const IndexAtom *atom, const int64_t *atoms) {
    if (atom->kind != INDEX_TABLE) {
        int k = 0;
        while (places->atoms[k] != atom)
            k++;
        return atoms[k];
    }
    const IndexTable *table = &places->b->tables.data[atom->id];
    int64_t at = value_at(places, atom->of, atoms);
    return at >= 0 && at < table->count ? table->numbers[at] : 0;
}

static int64_t value_at(const Places *places, Index x, const int64_t *atoms) {
    int64_t sum = x->constant;
    for (int i = 0; i < x->term_count; i++)
        sum += x->factors[i] * atom_at(places, x->atoms[i], atoms);
    return sum;
}

// False: there are too many places.
static bool find_places(
    ExprBuilder *b, int64_t count, const int64_t *numbers, Index at, Places *places) {
    *places = (Places){.b = b, .count = 1};
    if (!add_atoms(places, at)) return false;
    places->numbers = ARENA_ARRAY(b->arena, int64_t, places->count);
    for (int64_t k = 0; k < places->count; k++) {
        int64_t atoms[MAX_ATOMS], rest = k;
        for (int i = 0; i < places->atom_count; i++) {
            atoms[i] = places->atoms[i]->low + rest % places->extent[i];
            rest /= places->extent[i];
        }
        int64_t place = value_at(places, at, atoms);
        places->numbers[k] = place >= 0 && place < count ? numbers[place] : 0;
    }
    return true;
}

// Do the numbers grow by *step with every step of atom i?
static bool grows_evenly(const Places *places, int i, int64_t *step) {
    int64_t before = 1;
    for (int j = 0; j < i; j++)
        before *= places->extent[j];
    *step = places->numbers[before] - places->numbers[0];
    for (int64_t k = 0; k < places->count; k++) {
        if (k / before % places->extent[i] == 0) continue;
        if (places->numbers[k] - places->numbers[k - before] != *step) return false;
    }
    return true;
}

// The places where atom i is lowest.
static void drop_atom(Places *places, int i) {
    int64_t before = 1, kept = 0;
    for (int j = 0; j < i; j++)
        before *= places->extent[j];
    for (int64_t k = 0; k < places->count; k++) {
        if (k / before % places->extent[i] == 0) places->numbers[kept++] = places->numbers[k];
    }
    places->count = kept;
    places->atom_count--;
    for (int j = i; j < places->atom_count; j++) {
        places->atoms[j] = places->atoms[j + 1];
        places->extent[j] = places->extent[j + 1];
    }
}

// ---- look-ups

static int64_t table_id(ExprBuilder *b, int64_t count, const int64_t *numbers) {
    size_t size = (size_t)count * sizeof numbers[0];
    for (int64_t id = 0; id < b->tables.count; id++) {
        const IndexTable *table = &b->tables.data[id];
        if (table->count == count && (count == 0 || memcmp(table->numbers, numbers, size) == 0))
            return id;
    }
    IndexTable table = {count, count ? arena_copy(b->arena, numbers, size) : NULL};
    vec_push(b->arena, &b->tables, table);
    return b->tables.count - 1;
}

// What is read beyond the table is 0, unless `places` says that nothing is.
static Index look_up(
    ExprBuilder *b, int64_t count, const int64_t *numbers, Index at, const Places *places) {
    const int64_t *all = places ? places->numbers : numbers;
    int64_t low = places ? all[0] : 0, high = low;
    for (int64_t i = 0; i < (places ? places->count : count); i++) {
        if (all[i] < low) low = all[i];
        if (all[i] > high) high = all[i];
    }
    return index_table(b->index, (int)table_id(b, count, numbers), at, low, high);
}

// The atoms' place in the numbers.
static Index place_of(ExprBuilder *b, const Places *places) {
    Index at = index_constant(b->index, 0);
    int64_t before = 1;
    for (int i = 0; i < places->atom_count; i++) {
        Index atom = index_of_atom(b->index, places->atoms[i]);
        atom = index_add_constant(b->index, atom, -places->atoms[i]->low);
        at = index_add(b->index, at, index_scale(b->index, atom, before));
        before *= places->extent[i];
    }
    return at;
}

Index expr_table(ExprBuilder *b, int64_t count, const int64_t *numbers, Index at) {
    Places places;
    if (!find_places(b, count, numbers, at, &places)) return look_up(b, count, numbers, at, NULL);
    Index even = index_constant(b->index, 0);
    bool found = false;
    for (int i = places.atom_count - 1; i >= 0; i--) {
        int64_t step;
        if (!grows_evenly(&places, i, &step)) continue;
        Index atom = index_of_atom(b->index, places.atoms[i]);
        atom = index_add_constant(b->index, atom, -places.atoms[i]->low);
        even = index_add(b->index, even, index_scale(b->index, atom, step));
        drop_atom(&places, i);
        found = true;
    }
    if (places.atom_count == 0) return index_add_constant(b->index, even, places.numbers[0]);
    if (!found && !places.has_tables) return look_up(b, count, numbers, at, &places);
    Index rest = look_up(b, places.count, places.numbers, place_of(b, &places), &places);
    return index_add(b->index, even, rest);
}
