// print_program: a random program as text, and the smaller programs next to it.
#include "random_program.h"

#include <string.h>

void random_program_live(const RandomProgram *program, bool *is_live) {
    memset(is_live, 0, MAX_VALUES * sizeof *is_live);
    for (int r = 0; r < program->result_count; r++) {
        is_live[program->results[r]] = true;
    }
    for (int i = program->value_count - 1; i >= 0; i--) {
        for (int k = 0; is_live[i] && k < program->values[i].operand_count; k++) {
            is_live[program->values[i].operands[k]] = true;
        }
    }
}

static void print_arguments(
    Arena *arena, StrBuf *out, const RandomProgram *program, const bool *is_live) {
    const char *separator = "";
    for (int i = 0; i < program->value_count; i++) {
        const RandomValue *value = &program->values[i];
        if (!value->is_argument || !is_live[i]) continue;
        strbuf_printf(out, "%s\n      %%v%d: %s", separator, i, shape_text(arena, &value->shape));
        const char *comma = "";
        if (value->sharding || value->donated_to >= 0) strbuf_puts(out, " {");
        if (value->sharding) {
            strbuf_printf(out, "sdy.sharding = #sdy.sharding%s", value->sharding);
            comma = ", ";
        }
        if (value->donated_to >= 0) {
            strbuf_printf(out, "%stf.aliasing_output = %d : i32", comma, value->donated_to);
        }
        if (value->sharding || value->donated_to >= 0) strbuf_putc(out, '}');
        separator = ",";
    }
}

static void print_value(Arena *arena, StrBuf *out, const RandomValue *value, int i) {
    strbuf_puts(out, value->before);
    if (!value->sharding) {
        strbuf_printf(out, "    %%v%d = %s\n", i, value->right);
        return;
    }
    strbuf_printf(out, "    %%u%d = %s\n", i, value->right);
    strbuf_printf(
        out, "    %%v%d = sdy.sharding_constraint %%u%d %s : %s\n", i, i, value->sharding,
        shape_text(arena, &value->shape));
}

const char *random_program_text(Arena *arena, const RandomProgram *program) {
    bool is_live[MAX_VALUES];
    random_program_live(program, is_live);
    StrBuf out = strbuf(arena);
    strbuf_printf(&out, "// seed %llu\nmodule @random {\n", (unsigned long long)program->seed);
    if (program->mesh) strbuf_printf(&out, "  sdy.mesh @mesh = %s\n", program->mesh);
    strbuf_puts(&out, "  func.func public @main(");
    print_arguments(arena, &out, program, is_live);
    strbuf_puts(&out, ") -> (");
    for (int r = 0; r < program->result_count; r++) {
        const RandomValue *value = &program->values[program->results[r]];
        strbuf_printf(&out, "%s%s", r ? ", " : "", shape_text(arena, &value->shape));
        if (program->result_shardings[r]) {
            strbuf_printf(&out, " {sdy.sharding = #sdy.sharding%s}", program->result_shardings[r]);
        }
    }
    strbuf_puts(&out, ") {\n");
    for (int i = 0; i < program->value_count; i++) {
        if (is_live[i] && !program->values[i].is_argument) {
            print_value(arena, &out, &program->values[i], i);
        }
    }
    strbuf_puts(&out, "    return");
    for (int r = 0; r < program->result_count; r++) {
        strbuf_printf(&out, "%s %%v%d", r ? "," : "", program->results[r]);
    }
    for (int r = 0; r < program->result_count; r++) {
        const RandomValue *value = &program->values[program->results[r]];
        strbuf_printf(&out, "%s %s", r ? "," : " :", shape_text(arena, &value->shape));
    }
    strbuf_puts(&out, "\n  }\n");
    for (int i = 0; i < program->value_count; i++) {
        if (is_live[i]) strbuf_puts(&out, program->values[i].functions);
    }
    strbuf_puts(&out, "}\n");
    return strbuf_cstring(&out);
}

// ---- smaller programs

static bool keep_one_result(RandomProgram *p, int r) {
    if (p->result_count < 2) return false;
    p->results[0] = p->results[r];
    p->result_shardings[0] = p->result_shardings[r];
    p->result_count = 1;
    for (int i = 0; i < p->value_count; i++) {
        if (p->values[i].is_argument)
            p->values[i].donated_to = p->values[i].donated_to == r ? 0 : -1;
    }
    return true;
}

static bool drop_op(RandomProgram *p, int i) {
    RandomValue *value = &p->values[i];
    if (value->is_argument) return false;
    value->is_argument = true;
    value->operand_count = 0;
    value->before = value->right = value->functions = "";
    value->donated_to = -1;
    return true;
}

// The op's users use its first operand of the same shape instead: only where it is the result
// itself, so the text can say so.
static bool return_operand(RandomProgram *p, int i) {
    for (int r = 0; r < p->result_count; r++) {
        if (p->results[r] != i) continue;
        const RandomValue *value = &p->values[i];
        for (int k = 0; k < value->operand_count; k++) {
            if (p->values[value->operands[k]].is_argument) continue;
            p->results[r] = value->operands[k];
            if (p->values[p->results[r]].shape.rank != value->shape.rank)
                p->result_shardings[r] = NULL;
            for (int v = 0; v < p->value_count; v++) {
                if (p->values[v].is_argument && p->values[v].donated_to == r)
                    p->values[v].donated_to = -1;
            }
            return true;
        }
    }
    return false;
}

static bool drop_sharding(RandomProgram *p, int i) {
    if (!p->values[i].sharding) return false;
    p->values[i].sharding = NULL;
    return true;
}

static bool drop_donation(RandomProgram *p, int i) {
    if (!p->values[i].is_argument || p->values[i].donated_to < 0) return false;
    p->values[i].donated_to = -1;
    return true;
}

// The numbers `from` in a text become `to`, but for those that are part of a name.
static const char *replace_number(Arena *arena, const char *text, int64_t from, int64_t to) {
    const char *number = arena_printf(arena, "%lld", (long long)from);
    size_t size = strlen(number);
    StrBuf out = strbuf(arena);
    for (const char *at = text; *at;) {
        char before = at > text ? at[-1] : ' ',
             after = at[0] ? at[size <= strlen(at) ? size : 0] : ' ';
        bool is_start =
            before == '<' || before == 'x' || before == ' ' || before == '[' || before == ':';
        bool is_end = after == 'x' || after == ',' || after == ']' || after == '>' ||
                      after == ':' || after == ' ';
        if (is_start && is_end && strncmp(at, number, size) == 0) {
            strbuf_printf(&out, "%lld", (long long)to);
            at += size;
        } else {
            strbuf_putc(&out, *at++);
        }
    }
    return strbuf_cstring(&out);
}

// The dimensions of size `from` get size `to` everywhere. What does not fit any more is
// no program, and so not smaller.
static bool shrink_size(Arena *arena, RandomProgram *p, int64_t from, int64_t to) {
    bool is_found = false;
    for (int i = 0; i < p->value_count; i++) {
        RandomValue *value = &p->values[i];
        for (int d = 0; d < value->shape.rank; d++) {
            if (value->shape.dims[d] != from) continue;
            value->shape.dims[d] = to;
            is_found = true;
        }
    }
    for (int i = 0; is_found && i < p->value_count; i++) {
        RandomValue *value = &p->values[i];
        value->before = replace_number(arena, value->before, from, to);
        value->right = replace_number(arena, value->right, from, to);
        value->functions = replace_number(arena, value->functions, from, to);
    }
    return is_found;
}

RandomProgram *random_program_smaller(
    Arena *arena, const RandomProgram *program, int step, bool *is_end) {
    enum { CHANGES = 4, MAX_SHRUNK_SIZE = 200 };
    RandomProgram *p = arena_copy(arena, program, sizeof *program);
    bool is_live[MAX_VALUES], good = false;
    random_program_live(program, is_live);
    *is_end = false;
    if (step < p->result_count) return keep_one_result(p, step) ? p : NULL;
    step -= p->result_count;
    if (step < p->result_count) {
        good = p->result_shardings[step] != NULL;
        p->result_shardings[step] = NULL;
        return good ? p : NULL;
    }
    step -= p->result_count;
    if (step >= CHANGES * p->value_count) {
        // sizes: the half, or one less
        int64_t change = step - CHANGES * p->value_count, from = MAX_SHRUNK_SIZE - change / 2;
        *is_end = from < 2;
        if (from < 2) return NULL;
        return shrink_size(arena, p, from, change % 2 ? from - 1 : from / 2) ? p : NULL;
    }
    int i = p->value_count - 1 - step / CHANGES;
    if (!is_live[i]) return NULL;
    switch (step % CHANGES) {
    case 0: good = drop_op(p, i); break;
    case 1: good = return_operand(p, i); break;
    case 2: good = drop_sharding(p, i); break;
    default: good = drop_donation(p, i); break;
    }
    return good ? p : NULL;
}
