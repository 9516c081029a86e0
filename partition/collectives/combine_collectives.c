// combine_collectives: independent collectives of one kind among the same devices become one with
// several operands, as barriers of devices cost more than the bytes of small arrays.
//
//   In      a module of stablehlo collectives: any verified module.
//   Out     all_reduces (of one element type and reduction), all_gathers and all_to_alls that do
//           not wait for each other are one op, as far as the limits below allow. Equal ones are
//           done once. Collectives of different regions stay apart.
//   Keeps   what the ops compute, and the order of all that does not wait for a
//           moved op. Every result of a combined op keeps the place of the
//           collective that it comes from. Cannot fail.
//
//   before  %1 = all_reduce(%0)    %2 = exp(%1)    %4 = all_reduce(%3)
//   after   %1:2 = all_reduce(%0, %3)    %2 = exp(%1#0)
//
// A sum of a few numbers (a loss) that is alone becomes two, over rows and columns of its devices,
// when these go with others: a few bytes more, and a barrier less.
//
// Who goes together is found by going through a region as if it ran: whatever does not communicate
// runs as soon as it can, collectives wait. When all else waits for collectives, the one at the
// head of the longest chain of collectives goes, and with it all that wait and are of its kind. So
// what belongs together is found by need, not by place, and no two of them are on a path. The
// combined op stands where the last of its parts stood, and what needs it comes after it.
#include "base/vec.h"
#include "ir/analysis/effects.h"
#include "ir/builder.h"
#include "partition/collectives/device_groups.h"
#include "partition/passes.h"

// A combined op keeps its operands in memory until the last of them is there, so there is a limit:
// beyond 32 MiB, which take a millisecond at memory speed, one barrier less (microseconds) is no
// gain. The count keeps lists short that others must go through.
enum { MAX_BYTES = 32 << 20, MAX_PARTS = 256 };
// Sums that may become two: not more than a line of a cache. So many of a region are tried.
enum { FEW_BYTES = 64, MAX_TRIED = 16 };

typedef VEC(int) Ints;

// Collectives that may be combined.
typedef struct Kind {
    const Op *like;
    Ints waiting;      // nodes
    struct Kind *next; // of the same hash
} Kind;

// An op of the region. Edges go from it to those who wait for it.
typedef struct Node {
    Op *op;
    Kind *kind;     // NULL: no collective that can be combined
    int64_t height; // collectives on the longest path from here on
    int unmet;      // edges to it from nodes that did not run
    int leader;     // the node that stands for it: of a combined op the last part
    Ints users;
} Node;

typedef struct Heap {
    int *nodes;
    int count;
} Heap;

typedef struct Combiner {
    Module *module;
    Arena *arena;
    bool changed;
    // Of the region at hand:
    Region *region;
    Node *nodes;
    int count;
    PtrMap numbers; // Op * to node + 1
    PtrMap kinds;   // hash to Kind *
    // while edges are found: the node that waits, the last one with an effect
    int from, last_effect;
    bool found;   // collectives to combine
    int barriers; // collectives that can be combined, those in a group counted once
} Combiner;

// ---- kinds ----

static bool can_combine(const Op *op) {
    if (op->operand_count != op->result_count || op->result_count == 0) return false;
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(op, i)->sharding) return false;
    }
    if (op->code == OP_ALL_GATHER || op->code == OP_ALL_TO_ALL) return true;
    return op->code == OP_ALL_REDUCE && region_reduction_op(op->regions[0]) != OP_COUNT;
}

// The attributes without the channel: any number that is used once will do.
static bool same_attrs(const Op *a, const Op *b) {
    if (a->attr_count != b->attr_count || a->extra != b->extra) return false;
    for (int i = 0; i < a->attr_count; i++) {
        if (a->attrs[i].name != b->attrs[i].name) return false;
        if (a->attrs[i].name == NAME_CHANNEL_HANDLE) continue;
        if (!attr_equal(a->attrs[i].value, b->attrs[i].value)) return false;
    }
    return true;
}

static bool same_kind(const Op *a, const Op *b) {
    if (a->code != b->code || !same_attrs(a, b)) return false;
    if (a->code != OP_ALL_REDUCE) return true;
    return op_result_type(a, 0)->element == op_result_type(b, 0)->element &&
           region_reduction_op(a->regions[0]) == region_reduction_op(b->regions[0]);
}

static const void *hash_kind(const Op *op) {
    uint64_t hash = (uint64_t)op->code + 1;
    for (int i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name != NAME_CHANNEL_HANDLE) hash = attr_hash(op->attrs[i].value, hash);
    }
    return (const void *)(uintptr_t)(hash | 1);
}

static Kind *kind_of(Combiner *combiner, const Op *op) {
    const void *hash = hash_kind(op);
    Kind *first = ptr_map_get(&combiner->kinds, hash);
    for (Kind *kind = first; kind; kind = kind->next) {
        if (same_kind(kind->like, op)) return kind;
    }
    Kind *kind = ARENA_NEW(combiner->arena, Kind);
    *kind = (Kind){.like = op, .next = first};
    ptr_map_set(&combiner->kinds, hash, kind);
    return kind;
}

// ---- the graph of a region ----

static void add_edge(Combiner *combiner, int from, int to) {
    vec_push(combiner->arena, &combiner->nodes[from].users, to);
    combiner->nodes[to].unmet++;
}

// Edges to the node at hand from those whose results the op takes, which is inside it or is it.
static bool add_operand_edges(Op *op, void *user) {
    Combiner *combiner = user;
    for (int i = 0; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        if (!def || def->parent != combiner->region) continue;
        int number = (int)(intptr_t)ptr_map_get(&combiner->numbers, def) - 1;
        add_edge(combiner, number, combiner->from);
    }
    return true;
}

static void add_node(Combiner *combiner, int number, Op *op) {
    Node *node = &combiner->nodes[number];
    *node = (Node){.op = op, .leader = number};
    if (can_combine(op)) node->kind = kind_of(combiner, op);
    combiner->from = number;
    add_operand_edges(op, combiner);
    for (int r = 0; r < op->region_count; r++)
        region_walk(op->regions[r], add_operand_edges, combiner);
    if (op_has_effect(op)) {
        if (combiner->last_effect >= 0) add_edge(combiner, combiner->last_effect, number);
        combiner->last_effect = number;
    }
    ptr_map_set(&combiner->numbers, op, (void *)(intptr_t)(number + 1));
}

static void find_heights(Combiner *combiner) {
    for (int i = combiner->count - 1; i >= 0; i--) {
        Node *node = &combiner->nodes[i];
        for (int64_t k = 0; k < node->users.count; k++) {
            int64_t height = combiner->nodes[node->users.data[k]].height;
            if (height > node->height) node->height = height;
        }
        node->height += node->kind != NULL;
    }
}

// The terminator stays where it is. False: nothing to combine.
static bool build_graph(Combiner *combiner, Region *region) {
    int candidates = 0;
    combiner->count = 0;
    for (const Op *op = region->first; op && op != region->last; op = op->next) {
        combiner->count++;
        candidates += can_combine(op);
    }
    if (candidates < 2) return false;
    combiner->region = region;
    combiner->nodes = ARENA_ARRAY(combiner->arena, Node, combiner->count);
    combiner->numbers = ptr_map(combiner->arena);
    combiner->kinds = ptr_map(combiner->arena);
    combiner->last_effect = -1;
    combiner->found = false;
    combiner->barriers = 0;
    int number = 0;
    for (Op *op = region->first; op != region->last; op = op->next)
        add_node(combiner, number++, op);
    find_heights(combiner);
    return true;
}

// ---- heaps of nodes ----

typedef bool Before(const Combiner *combiner, int a, int b);

static bool is_more_urgent(const Combiner *combiner, int a, int b) {
    int64_t first = combiner->nodes[a].height, second = combiner->nodes[b].height;
    return first != second ? first > second : a < b;
}

static bool is_earlier(const Combiner *combiner, int a, int b) {
    (void)combiner;
    return a < b;
}

static void heap_push(const Combiner *combiner, Heap *heap, Before *before, int node) {
    int at = heap->count++;
    for (; at > 0 && before(combiner, node, heap->nodes[(at - 1) / 2]); at = (at - 1) / 2)
        heap->nodes[at] = heap->nodes[(at - 1) / 2];
    heap->nodes[at] = node;
}

static int heap_pop(const Combiner *combiner, Heap *heap, Before *before) {
    int top = heap->nodes[0], node = heap->nodes[--heap->count], at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child + 1 < heap->count && before(combiner, heap->nodes[child + 1], heap->nodes[child]))
            child++;
        if (child >= heap->count || !before(combiner, heap->nodes[child], node)) break;
        heap->nodes[at] = heap->nodes[child];
        at = child;
    }
    heap->nodes[at] = node;
    return top;
}

static Heap new_heap(const Combiner *combiner) {
    return (Heap){ARENA_ARRAY(combiner->arena, int, combiner->count + 1), 0};
}

// ---- which collectives are combined ----

typedef struct Scheduling {
    Combiner *combiner;
    Heap urgent;    // collectives that can go
    Ints ready;     // other nodes that can
    Ints remaining; // edges to each node
} Scheduling;

static void can_go(Scheduling *going, int number) {
    Combiner *combiner = going->combiner;
    Kind *kind = combiner->nodes[number].kind;
    if (!kind) {
        vec_push(combiner->arena, &going->ready, number);
        return;
    }
    vec_push(combiner->arena, &kind->waiting, number);
    heap_push(combiner, &going->urgent, is_more_urgent, number);
}

static void go(Scheduling *going, int number) {
    const Ints *users = &going->combiner->nodes[number].users;
    for (int64_t k = 0; k < users->count; k++) {
        int user = users->data[k];
        if (--going->remaining.data[user] == 0) can_go(going, user);
    }
}

static void drain(Scheduling *going) {
    while (going->ready.count > 0) {
        int number = vec_last(&going->ready);
        going->ready.count--;
        go(going, number);
    }
}

static int64_t result_bytes(const Op *op) {
    int64_t bytes = 0;
    for (int i = 0; i < op->result_count; i++)
        bytes += (int64_t)type_bytes(op_result_type(op, i));
    return bytes;
}

// The parts go, and their combined op stands where the last of them stood.
static void close_group(Scheduling *going, const Ints *parts) {
    Combiner *combiner = going->combiner;
    int leader = 0;
    for (int64_t i = 0; i < parts->count; i++)
        leader = parts->data[i] > leader ? parts->data[i] : leader;
    for (int64_t i = 0; i < parts->count; i++) {
        combiner->nodes[parts->data[i]].leader = leader;
        go(going, parts->data[i]);
    }
    combiner->found = combiner->found || parts->count > 1;
    combiner->barriers++;
}

// All that wait go, the most urgent first, in groups as large as the limits allow.
static void combine_kind(Scheduling *going, Kind *kind) {
    Combiner *combiner = going->combiner;
    Heap order = {ARENA_ARRAY(combiner->arena, int, kind->waiting.count + 1), 0};
    for (int64_t i = 0; i < kind->waiting.count; i++)
        heap_push(combiner, &order, is_more_urgent, kind->waiting.data[i]);
    kind->waiting.count = 0;
    int64_t bytes = 0;
    Ints parts = {0};
    while (order.count > 0) {
        int number = heap_pop(combiner, &order, is_more_urgent);
        int64_t own = result_bytes(combiner->nodes[number].op);
        if (parts.count == MAX_PARTS || (parts.count > 0 && bytes + own > MAX_BYTES)) {
            close_group(going, &parts);
            parts.count = 0;
            bytes = 0;
        }
        bytes += own;
        vec_push(combiner->arena, &parts, number);
    }
    close_group(going, &parts);
}

static void find_groups(Combiner *combiner) {
    Scheduling going = {.combiner = combiner, .urgent = new_heap(combiner)};
    uint8_t *gone = ARENA_ARRAY(combiner->arena, uint8_t, combiner->count + 1);
    for (int i = 0; i < combiner->count; i++)
        vec_push(combiner->arena, &going.remaining, combiner->nodes[i].unmet);
    for (int i = 0; i < combiner->count; i++) {
        if (combiner->nodes[i].unmet == 0) can_go(&going, i);
    }
    drain(&going);
    while (going.urgent.count > 0) {
        int number = heap_pop(combiner, &going.urgent, is_more_urgent);
        if (gone[number]) continue;
        Kind *kind = combiner->nodes[number].kind;
        for (int64_t i = 0; i < kind->waiting.count; i++)
            gone[kind->waiting.data[i]] = 1;
        combine_kind(&going, kind);
        drain(&going);
    }
}

// ---- sums in two steps ----

typedef VEC(const Attr *) GroupsList;

static bool is_sum_like(const Op *op, const Op *sum) {
    return op->code == OP_ALL_REDUCE &&
           op_result_type(op, 0)->element == op_result_type(sum, 0)->element &&
           region_reduction_op(op->regions[0]) == region_reduction_op(sum->regions[0]);
}

// The groups that other sums like this one have, in program order.
static GroupsList other_groups(const Combiner *combiner, const Op *sum) {
    GroupsList list = {0};
    for (int i = 0; i < combiner->count && list.count < MAX_TRIED; i++) {
        const Node *node = &combiner->nodes[i];
        if (!node->kind || !is_sum_like(node->op, sum)) continue;
        const Attr *groups = op_attr(node->op, NAME_REPLICA_GROUPS);
        bool known = attr_equal(groups, op_attr(sum, NAME_REPLICA_GROUPS));
        for (int64_t k = 0; k < list.count && !known; k++)
            known = attr_equal(groups, list.data[k]);
        if (!known) vec_push(combiner->arena, &list, groups);
    }
    return list;
}

// A copy of the sum, before it: of another value, over other groups, on another channel.
static Value *sum_over(
    Combiner *combiner, Op *sum, Value *operand, const Attr *groups, const Attr *channel) {
    Builder builder = builder_before(combiner->module, sum);
    PtrMap values = ptr_map(combiner->arena);
    ptr_map_set(&values, op_operand(sum, 0), operand);
    Op *copy = op_clone(&builder, sum, &values);
    op_set_attr(combiner->module, copy, NAME_REPLICA_GROUPS, groups);
    op_set_attr(combiner->module, copy, NAME_CHANNEL_HANDLE, channel);
    return op_result(copy, 0);
}

static bool find_max_channel(Op *op, void *user) {
    int64_t *channel = user;
    const Attr *attr = op_attr(op, NAME_CHANNEL_HANDLE);
    if (attr && attr->kind == ATTR_CHANNEL && attr->ints[0] > *channel) *channel = attr->ints[0];
    return true;
}

static const Attr *new_channel(const Combiner *combiner) {
    int64_t channel[2] = {0, 1};
    region_walk(combiner->module->body, find_max_channel, channel);
    channel[0]++;
    const Attr prototype = {.kind = ATTR_CHANNEL, .count = 2, .ints = channel};
    return attr_intern(combiner->module->context, &prototype);
}

static void replace(Op *op, Value *value) {
    value_replace_uses(op_result(op, 0), value);
    op_erase(op);
}

// Makes the sum two. If that saves no barrier, it is made one again, and *original is that.
static bool try_two_sums(Combiner *combiner, Op **original, const Attr *rows, const Attr *columns) {
    Op *sum = *original;
    const Attr *whole = op_attr(sum, NAME_REPLICA_GROUPS),
               *channel = op_attr(sum, NAME_CHANNEL_HANDLE);
    int before = combiner->barriers;
    Value *by_rows = sum_over(combiner, sum, op_operand(sum, 0), rows, channel);
    Value *by_both =
        sum_over(combiner, sum, by_rows, columns, channel ? new_channel(combiner) : NULL);
    replace(sum, by_both);
    build_graph(combiner, combiner->region);
    find_groups(combiner);
    if (combiner->barriers < before) return true;
    sum = by_both->def;
    Value *again = sum_over(combiner, sum, op_operand(by_rows->def, 0), whole, channel);
    replace(sum, again);
    op_erase(by_rows->def);
    *original = again->def;
    build_graph(combiner, combiner->region);
    find_groups(combiner);
    return false;
}

static void try_products(Combiner *combiner, Op *sum) {
    const Attr *whole = op_attr(sum, NAME_REPLICA_GROUPS);
    GroupsList groups = other_groups(combiner, sum);
    for (int64_t i = 0; i < groups.count; i++) {
        for (int64_t k = 0; k < groups.count; k++) {
            const Attr *rows = groups.data[i], *columns = groups.data[k];
            if (i == k || !groups_are_product(combiner->arena, whole, rows, columns)) continue;
            if (try_two_sums(combiner, &sum, rows, columns)) return;
        }
    }
}

static void split_lone_sums(Combiner *combiner) {
    Op *lone[MAX_TRIED];
    int lone_count = 0;
    int *parts = ARENA_ARRAY(combiner->arena, int, combiner->count);
    for (int i = 0; i < combiner->count; i++)
        parts[combiner->nodes[i].leader]++;
    for (int i = 0; i < combiner->count && lone_count < MAX_TRIED; i++) {
        const Node *node = &combiner->nodes[i];
        if (!node->kind || node->op->code != OP_ALL_REDUCE || node->op->operand_count != 1)
            continue;
        // A sum in two steps is rounded twice: too coarse for narrow types.
        bool few = result_bytes(node->op) <= FEW_BYTES &&
                   element_bytes(op_result_type(node->op, 0)->element) >= sizeof(float);
        if (few && parts[node->leader] == 1) lone[lone_count++] = node->op;
    }
    for (int i = 0; i < lone_count; i++)
        try_products(combiner, lone[i]);
}

// ---- the combined program ----

// The operands of a combined op, each once, and the parts that they come from.
typedef struct Operands {
    int count;
    Value **values;
    const Type **types; // of results
    const Loc **places;
} Operands;

static int add_operand(Operands *operands, const Op *part, int i) {
    Value *value = op_operand(part, i);
    for (int k = 0; k < operands->count; k++) {
        if (operands->values[k] == value) return k;
    }
    int number = operands->count++;
    operands->values[number] = value;
    operands->types[number] = op_result_type(part, i);
    operands->places[number] = part->result_count > 1 ? op_result(part, i)->loc : part->loc;
    return number;
}

// An op like the first part, at the end of the region.
static Op *build_like(Combiner *combiner, Op *first, const Operands *operands) {
    Builder builder = builder_before(combiner->module, combiner->region->last);
    builder.loc = first->loc;
    Op *op = build_op(
        &builder, first->code, operands->count, operands->values, operands->count, operands->types,
        first->region_count);
    for (int i = 0; i < first->attr_count; i++)
        op_set_attr(combiner->module, op, first->attrs[i].name, first->attrs[i].value);
    op->extra = first->extra;
    for (int r = 0; r < first->region_count; r++)
        region_take(op->regions[r], first->regions[r]);
    for (int i = 0; i < operands->count; i++)
        op_result(op, i)->loc = operands->places[i];
    return op;
}

static void build_combined(Combiner *combiner, const Ints *parts) {
    Arena *arena = combiner->arena;
    int total = 0, at = 0;
    for (int64_t p = 0; p < parts->count; p++)
        total += combiner->nodes[parts->data[p]].op->operand_count;
    Operands operands = {
        0, ARENA_ARRAY(arena, Value *, total), ARENA_ARRAY(arena, const Type *, total),
        ARENA_ARRAY(arena, const Loc *, total)};
    int *numbers = ARENA_ARRAY(arena, int, total);
    for (int64_t p = 0; p < parts->count; p++) {
        const Op *part = combiner->nodes[parts->data[p]].op;
        for (int i = 0; i < part->operand_count; i++)
            numbers[at++] = add_operand(&operands, part, i);
    }
    Op *combined = build_like(combiner, combiner->nodes[parts->data[0]].op, &operands);
    at = 0;
    for (int64_t p = 0; p < parts->count; p++) {
        Op *part = combiner->nodes[parts->data[p]].op;
        for (int i = 0; i < part->result_count; i++)
            value_replace_uses(op_result(part, i), op_result(combined, numbers[at++]));
        op_erase(part);
    }
}

typedef struct Ordering {
    Ints *parts; // of each leader
    int *unmet;
    Heap ready;
} Ordering;

static void count_edges(Combiner *combiner, Ordering *ordering) {
    for (int i = 0; i < combiner->count; i++) {
        int leader = combiner->nodes[i].leader;
        vec_push(combiner->arena, &ordering->parts[leader], i);
        ordering->unmet[leader] += combiner->nodes[i].unmet;
    }
    for (int i = 0; i < combiner->count; i++) {
        if (combiner->nodes[i].leader == i && ordering->unmet[i] == 0)
            heap_push(combiner, &ordering->ready, is_earlier, i);
    }
}

static void place(Combiner *combiner, Ordering *ordering, int number) {
    const Ints *parts = &ordering->parts[number];
    if (parts->count > 1) {
        build_combined(combiner, parts);
    } else {
        op_move_before(combiner->nodes[number].op, combiner->region->last);
    }
    for (int64_t p = 0; p < parts->count; p++) {
        const Ints *users = &combiner->nodes[parts->data[p]].users;
        for (int64_t k = 0; k < users->count; k++) {
            int leader = combiner->nodes[users->data[k]].leader;
            if (--ordering->unmet[leader] == 0)
                heap_push(combiner, &ordering->ready, is_earlier, leader);
        }
    }
}

// Puts the ops into an order in which every combined op comes after its operands: else as they
// were, a combined op in the place of its last part.
static void rebuild(Combiner *combiner) {
    Ordering ordering = {
        ARENA_ARRAY(combiner->arena, Ints, combiner->count),
        ARENA_ARRAY(combiner->arena, int, combiner->count), new_heap(combiner)};
    count_edges(combiner, &ordering);
    while (ordering.ready.count > 0)
        place(combiner, &ordering, heap_pop(combiner, &ordering.ready, is_earlier));
    combiner->changed = true;
}

static void combine_in(Combiner *combiner, Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        for (int r = 0; r < op->region_count; r++)
            combine_in(combiner, op->regions[r]);
    }
    if (!build_graph(combiner, region)) return;
    find_groups(combiner);
    split_lone_sums(combiner);
    if (combiner->found) rebuild(combiner);
}

PassResult pass_combine_collectives(Module *module, PassContext *pass) {
    Combiner combiner = {.module = module, .arena = pass->scratch};
    combine_in(&combiner, module->body);
    return combiner.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
