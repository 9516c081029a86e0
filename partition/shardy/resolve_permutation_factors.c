// resolve_permutation_factors: ops whose sharded dimensions need elements of other tiles.
//
//   In      ops whose operands and results agree (insert_explicit_reshards)
//   Out     with halo exchange (the default): pads, slices, reverses and reshapes of such
//           dimensions fetch what they need in manual computations (halo_exchange.h); where too
//           many neighbours would be asked, and without halo exchange all of them, windows
//           included, work on whole dimensions, between reshards.
//   Keeps   dimensions whose tiles need only themselves; windows and strided slices where halos are
//           exchanged, because convert_global_to_local does that for them
//   Options enable-halo-exchange (true), replica-count
//
//   before  %1 = stablehlo.reverse %0, dims = [0] [{"a"}, {"b"}]
//   after   %1 = sdy.reshard %0 [{}, {"b"}]
//           %2 = stablehlo.reverse %1, dims = [0] [{}, {"b"}]
//           %3 = sdy.reshard %2 [{"a"}, {"b"}]
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/local/tile_reach.h"
#include "partition/passes.h"
#include "partition/rules/sharding_rule.h"
#include "partition/shardy/halo_exchange.h"

typedef struct Resolver {
    Module *module;
    Arena *scratch;
    Halos halos;
    bool exchanges_halos, changed;
} Resolver;

static int64_t dim_shards(const Module *module, const Sharding *sharding, int d) {
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    return mesh && !mesh_is_maximal(mesh) ? sharding_dim_size(mesh, sharding, d) : 1;
}

// Does every device make its tile of the result from its own tile of the operand, along dimension
// d?
static bool stays_in_tile(Arena *arena, const Op *op, int64_t shards, int d) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    TileReach reach = {
        .count = shards,
        .global = in->dims[d],
        .from = (in->dims[d] + shards - 1) / shards,
        .to = (out->dims[d] + shards - 1) / shards,
    };
    if (op->code == OP_SLICE) {
        int64_t stride = op_ints_or(arena, op, NAME_STRIDES, in->rank, 1)[d];
        return op_ints(op, NAME_START_INDICES).data[d] == 0 && reach.from == reach.to * stride;
    }
    if (op->code != OP_PAD) return false;
    reach.low = op_ints(op, NAME_EDGE_PADDING_LOW).data[d];
    reach.step = op_ints_or(arena, op, NAME_INTERIOR_PADDING, in->rank, 0)[d] + 1;
    tile_reach_of_pad(&reach);
    return reach.before + reach.after == 0;
}

// Factors, one bool each, along which tiles would need their neighbours.
static bool find_permuted(
    const Resolver *resolver, const Op *op, const ShardingRule *rule, bool *permuted) {
    const Type *type = op_result_type(op, 0);
    const Sharding *sharding = value_sharding(resolver->module, op_result(op, 0));
    bool any = false;
    for (int d = 0; d < type->rank; d++) {
        int64_t shards = dim_shards(resolver->module, sharding, d);
        if (shards == 1) continue;
        for (int i = 0; i < rule->results[0].dims[d].count; i++) {
            int f = rule->results[0].dims[d].factors[i];
            if (rule->factors[f].kind != FACTOR_PERMUTATION) continue;
            if (stays_in_tile(resolver->scratch, op, shards, d)) continue;
            permuted[f] = any = true;
        }
    }
    return any;
}

// The sharding without the dimensions that have a permuted factor.
static const Sharding *without_permuted(
    Context *context, const Sharding *sharding, const TensorFactors *tensor, const bool *permuted) {
    if (!sharding || sharding->rank != tensor->rank) return sharding;
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        dims[d] = sharding->dims[d];
        for (int i = 0; i < tensor->dims[d].count; i++) {
            if (!permuted[tensor->dims[d].factors[i]]) continue;
            dims[d] = (DimSharding){.priority = PRIORITY_NONE};
        }
    }
    Sharding changed = *sharding;
    changed.dims = dims;
    return sharding_intern(context, &changed);
}

static void replicate(Resolver *resolver, Op *op, const ShardingRule *rule, const bool *permuted) {
    Module *module = resolver->module;
    for (int i = 0; i < op->operand_count; i++) {
        const Sharding *from = value_sharding(module, op_operand(op, i));
        const Sharding *to = without_permuted(module->context, from, &rule->operands[i], permuted);
        if (to == from) continue;
        Builder builder = builder_before(module, op);
        op_set_operand(op, i, build_reshard(&builder, op_operand(op, i), to));
    }
    for (int i = op->result_count - 1; i >= 0; i--) {
        Value *result = op_result(op, i);
        const Sharding *from = result->sharding;
        result->sharding = without_permuted(module->context, from, &rule->results[i], permuted);
        if (result->sharding == from) continue;
        Builder builder = builder_after(module, op);
        Value *back = build_reshard(&builder, result, from);
        value_replace_uses_except(result, back, back->def);
    }
    resolver->changed = true;
}

typedef HaloResult ExchangeFn(Halos *halos, Op *op);

// to_local fetches what windows reach.
static HaloResult halo_exchange_none(Halos *halos, Op *op) {
    (void)halos;
    (void)op;
    return HALO_NOT_NEEDED;
}

typedef struct HaloRow {
    char unused;
    ExchangeFn *exchange; // NULL: the op's tiles need no elements of others
} HaloRow;

static const HaloRow halo_rows[OP_COUNT] = {
#define HALO(x) .exchange = halo_exchange_##x,
#include "ir/dialects/partition_rows.def"
};

static bool visit(Op *op, void *user) {
    Resolver *resolver = user;
    if (op->code == OP_RESHAPE) {
        HaloResult result = halo_resolve_reshape(&resolver->halos, op, resolver->exchanges_halos);
        resolver->changed = resolver->changed || result == HALO_EXCHANGED;
    }
    ExchangeFn *exchange = halo_rows[op->code].exchange;
    if (!exchange) return true;
    const ShardingRule *rule = op_sharding_rule(resolver->scratch, op, false, NULL);
    if (!rule || rule->is_custom) return true;
    if (resolver->exchanges_halos) {
        HaloResult result = exchange(&resolver->halos, op);
        resolver->changed = resolver->changed || result == HALO_EXCHANGED;
        if (result != HALO_IMPOSSIBLE) return true;
    }
    bool *permuted = ARENA_ARRAY(resolver->scratch, bool, rule->factor_count);
    if (find_permuted(resolver, op, rule, permuted)) replicate(resolver, op, rule, permuted);
    return true;
}

static bool find_channel(Op *op, void *user) {
    int64_t *next = user;
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    if (channel && channel->kind == ATTR_CHANNEL && channel->ints[0] >= *next)
        *next = channel->ints[0] + 1;
    return true;
}

PassResult pass_resolve_permutation_factors(Module *module, PassContext *pass) {
    Resolver resolver = {
        .module = module,
        .scratch = pass->scratch,
        .halos = {.module = module, .scratch = pass->scratch, .next_channel = 1},
        .exchanges_halos = pass_flag(pass, "enable-halo-exchange")};
    resolver.halos.is_by_replica = pass_count(pass, "replica-count") > 1;
    region_walk(module->body, find_channel, &resolver.halos.next_channel);
    region_walk(module->body, visit, &resolver);
    return resolver.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
