// Shardings and sharding rules as Shardy prints them.
#include "ir/print/sharding_print.h"

#include "ir/print/symbol_print.h"

static void print_dim(StrBuf *out, const DimSharding *dim) {
    strbuf_putc(out, '{');
    for (int i = 0; i < dim->axis_count; i++) {
        if (i) strbuf_puts(out, ", ");
        axis_ref_print(out, &dim->axes[i]);
    }
    if (dim->is_open) strbuf_puts(out, dim->axis_count ? ", ?" : "?");
    strbuf_putc(out, '}');
    if (dim->priority != PRIORITY_NONE) strbuf_printf(out, "p%d", dim->priority);
}

void sharding_print_body(StrBuf *out, const Sharding *sharding) {
    strbuf_putc(out, '<');
    if (sharding->mesh) {
        strbuf_puts(out, "mesh");
        mesh_print(out, sharding->mesh);
    } else {
        print_symbol(out, sharding->mesh_name);
    }
    strbuf_puts(out, ", [");
    for (int d = 0; d < sharding->rank; d++) {
        if (d) strbuf_puts(out, ", ");
        print_dim(out, &sharding->dims[d]);
    }
    strbuf_putc(out, ']');
    if (sharding->replicated_count) {
        strbuf_puts(out, ", replicated=");
        axis_list_print(out, sharding->replicated, sharding->replicated_count);
    }
    if (sharding->unreduced_count) {
        static const char *const kinds[] = {
            [REDUCTION_SUM] = "", [REDUCTION_MAX] = "max", [REDUCTION_MIN] = "min"};
        strbuf_puts(out, ", unreduced=");
        strbuf_puts(out, kinds[sharding->reduction]);
        axis_list_print(out, sharding->unreduced, sharding->unreduced_count);
    }
    strbuf_putc(out, '>');
}

void sharding_print(StrBuf *out, const Sharding *sharding) {
    strbuf_puts(out, "#sdy.sharding");
    sharding_print_body(out, sharding);
}

// Factors are called i, j, k, ... z, then z_1, z_2, ...
void factor_print(StrBuf *out, int factor) {
    int letters = 'z' - 'i' + 1;
    if (factor < letters) {
        strbuf_putc(out, (char)('i' + factor));
    } else {
        strbuf_printf(out, "z_%d", factor - letters + 1);
    }
}

static void print_tensor_factors(StrBuf *out, int count, const TensorFactors *tensors) {
    strbuf_putc(out, '(');
    for (int t = 0; t < count; t++) {
        strbuf_puts(out, t ? ", [" : "[");
        for (int d = 0; d < tensors[t].rank; d++) {
            if (d) strbuf_puts(out, ", ");
            for (int i = 0; i < tensors[t].dims[d].count; i++)
                factor_print(out, tensors[t].dims[d].factors[i]);
        }
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, ')');
}

static void print_factors_of_kind(
    StrBuf *out, const ShardingRule *rule, const char *label, FactorKind kind) {
    bool first = true;
    for (int f = 0; f < rule->factor_count; f++) {
        if (rule->factors[f].kind != kind) continue;
        strbuf_puts(out, first ? label : ", ");
        factor_print(out, f);
        first = false;
    }
    if (!first) strbuf_putc(out, '}');
}

static void print_blocked_factors(StrBuf *out, const ShardingRule *rule) {
    bool first = true;
    for (int f = 0; f < rule->factor_count; f++) {
        if (!rule->factors[f].is_blocked) continue;
        strbuf_puts(out, first ? " blocked_propagation={" : ", ");
        factor_print(out, f);
        first = false;
    }
    if (!first) strbuf_putc(out, '}');
}

void sharding_rule_print(StrBuf *out, const ShardingRule *rule) {
    strbuf_puts(out, "#sdy.op_sharding_rule<");
    print_tensor_factors(out, rule->operand_count, rule->operands);
    strbuf_puts(out, "->");
    print_tensor_factors(out, rule->result_count, rule->results);
    for (int f = 0; f < rule->factor_count; f++) {
        strbuf_puts(out, f ? ", " : " {");
        factor_print(out, f);
        strbuf_printf(out, "=%lld", (long long)rule->factors[f].size);
    }
    if (rule->factor_count > 0) strbuf_putc(out, '}');
    print_factors_of_kind(out, rule, " reduction={", FACTOR_REDUCTION);
    print_factors_of_kind(out, rule, " need_replication={", FACTOR_NEED_REPLICATION);
    print_factors_of_kind(out, rule, " permutation={", FACTOR_PERMUTATION);
    print_blocked_factors(out, rule);
    if (rule->is_custom) strbuf_puts(out, ", custom");
    strbuf_putc(out, '>');
}
