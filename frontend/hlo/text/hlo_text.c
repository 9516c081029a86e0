// hlo_text: see hlo_parser.h.
#include "frontend/hlo/text/hlo_parser.h"

// The instructions of the computation that is being read; both go into the computation at its end.
typedef struct Body {
    VEC(HloInstr) instrs;
    StrMap by_name; // to the instruction's number, an int64_t
    int64_t root;   // -1 = none marked
} Body;

// ---- attributes ----

// ", name=" of an attribute; false where none comes or after an error (*ok).
static bool next_attr(HloParser *parser, StrView *name, HloLexer *value, bool *ok) {
    HloLexer *lexer = &parser->lexer;
    if (!hlo_accept(lexer, ",")) return false;
    *ok = hlo_read_word(lexer, name, "the name of an attribute") && hlo_expect(lexer, "=") &&
          hlo_read_raw(lexer, value);
    return *ok;
}

static HloAttrName attr_name(const HloParser *parser, StrView text) {
    const HloAttrName *found = str_map_get(&parser->attr_rows, text);
    return found ? *found : HLO_ATTR_COUNT;
}

// The attributes of an instruction, as often as one comes.
static bool parse_attrs(HloParser *parser, HloInstr *instr, LocTexts *texts) {
    VEC(HloAttr) list = {0};
    StrView name;
    HloLexer value;
    bool ok = true;
    while (next_attr(parser, &name, &value, &ok)) {
        HloAttr attr = {.name = attr_name(parser, name)};
        if (attr.name == HLO_ATTR_COUNT) attr.text = name;
        ok = attr.name == HLO_METADATA ? hlo_read_metadata(value, parser->frames, texts)
                                       : hlo_read_attr(parser, &value, instr->name, &attr);
        if (!ok) return false;
        if (hlo_attr_kind(attr.name) != HLO_KIND_SKIPPED && attr.name != HLO_METADATA)
            vec_push(parser->arena, &list, attr);
    }
    instr->attrs = list.data;
    instr->attr_count = (int)list.count;
    return ok;
}

// execution_thread and the like of computations: nothing that counts here.
static bool skip_attrs(HloParser *parser) {
    StrView name;
    HloLexer value;
    bool ok = true;
    while (next_attr(parser, &name, &value, &ok))
        ;
    return ok;
}

// ---- instructions ----

// A type in front of an operand begins with a parenthesis or is a word before a bracket.
static bool has_type(const HloLexer *lexer) {
    HloLexer ahead = *lexer;
    if (hlo_looks_at(&ahead, "(")) return true;
    StrView word = hlo_peek_word(&ahead);
    ahead.at += word.size;
    return word.size > 0 && ahead.at < ahead.end && *ahead.at == '[';
}

static bool parse_operand(HloParser *parser, Body *body, int *operand) {
    HloLexer *lexer = &parser->lexer;
    HloShape shape = {0};
    if (has_type(lexer) && !hlo_read_shape(lexer, &shape)) return false;
    HloLexer at = *lexer;
    hlo_skip_blanks(&at);
    StrView name;
    if (!hlo_read_name(lexer, &name, "an operand")) return false;
    const int64_t *found = str_map_get(&body->by_name, name);
    if (!found) return hlo_error(&at, "'%.*s' is not defined before its use", SV_ARG(name));
    *operand = (int)*found;
    if (shape.type && shape.type != body->instrs.data[*operand].shape.type)
        return hlo_error(
            &at, "operand '%.*s' has another type here than where it is defined", SV_ARG(name));
    return true;
}

static bool parse_operands(HloParser *parser, Body *body, HloInstr *instr) {
    VEC(int) operands = {0};
    bool more = !hlo_accept(&parser->lexer, ")");
    while (more) {
        int operand = 0;
        if (!parse_operand(parser, body, &operand)) return false;
        vec_push(parser->arena, &operands, operand);
        more = hlo_accept(&parser->lexer, ",");
        if (!more && !hlo_expect(&parser->lexer, ")")) return false;
    }
    instr->operands = operands.data;
    instr->operand_count = (int)operands.count;
    return true;
}

// The number in parameter(3).
static bool parse_parameter(HloParser *parser, HloInstr *instr) {
    HloLexer at = parser->lexer;
    if (!hlo_read_int(&parser->lexer, &instr->parameter)) return false;
    if (instr->parameter < 0) return hlo_error(&at, "the number of a parameter is negative");
    return hlo_expect(&parser->lexer, ")");
}

// The text in constant(...), up to the parenthesis that closes it.
static bool parse_literal(HloParser *parser, HloInstr *instr) {
    HloLexer *lexer = &parser->lexer;
    HloLexer whole = *lexer, literal;
    whole.at--; // the parenthesis that was read
    if (!hlo_read_raw(&whole, &literal)) return false;
    literal.at++;
    literal.end--;
    *lexer = whole;
    return hlo_read_literals(&literal, instr->shape.type, &instr->literals);
}

static bool parse_call(HloParser *parser, Body *body, HloInstr *instr, Loc **loc) {
    HloLexer *lexer = &parser->lexer;
    hlo_skip_blanks(lexer);
    instr->loc = *loc = hlo_loc(lexer);
    if (!hlo_read_word(lexer, &instr->opcode, "an opcode") || !hlo_expect(lexer, "(")) return false;
    if (strview_is(instr->opcode, "parameter")) return parse_parameter(parser, instr);
    if (strview_is(instr->opcode, "constant")) return parse_literal(parser, instr);
    return parse_operands(parser, body, instr);
}

static bool parse_instr(HloParser *parser, Body *body) {
    HloLexer *lexer = &parser->lexer;
    HloInstr instr = {.parameter = -1};
    bool is_root = hlo_accept_word(lexer, "ROOT");
    hlo_skip_blanks(lexer);
    HloLexer at = *lexer;
    Loc *loc;
    if (!hlo_read_name(lexer, &instr.name, "an instruction or '}'") || !hlo_expect(lexer, "="))
        return false;
    if (str_map_get(&body->by_name, instr.name))
        return hlo_error(&at, "there are two instructions '%.*s'", SV_ARG(instr.name));
    if (!hlo_read_shape(lexer, &instr.shape) || !parse_call(parser, body, &instr, &loc))
        return false;
    LocTexts texts = *loc->texts;
    if (instr.parameter >= 0) texts.value_name = hlo_without_number(instr.name);
    if (!parse_attrs(parser, &instr, &texts)) return false;
    loc->texts = loc_texts_intern(lexer->source->context->interner, &texts);
    if (is_root) {
        if (body->root >= 0) return hlo_error(&at, "the computation has two roots");
        body->root = body->instrs.count;
    }
    int64_t number = body->instrs.count;
    str_map_set(&body->by_name, instr.name, arena_copy(parser->arena, &number, sizeof number));
    vec_push(parser->arena, &body->instrs, instr);
    return true;
}

// ---- computations ----

static bool fail(const HloParser *parser, const Loc *loc, const char *message) {
    diag_error(parser->lexer.source->diags, loc, "%s", message);
    return false;
}

// The instructions behind the brace of a computation.
static bool parse_body(HloParser *parser, HloComputation *computation) {
    Body body = {.by_name = str_map(parser->arena), .root = -1};
    while (!hlo_accept(&parser->lexer, "}")) {
        if (!parse_instr(parser, &body)) return false;
    }
    if (body.instrs.count == 0)
        return fail(parser, computation->loc, "the computation has no instructions");
    if (body.instrs.count > INT32_MAX / 2)
        return fail(parser, computation->loc, "the computation has too many instructions");
    computation->instrs = body.instrs.data;
    computation->instr_count = (int)body.instrs.count;
    computation->root = (int)(body.root >= 0 ? body.root : body.instrs.count - 1);
    parser->module->instr_count += body.instrs.count;
    return hlo_number_parameters(parser->lexer.source, computation);
}

static HloComputation *read_nested(HloParser *parser, HloLexer *lexer, StrView name) {
    HloComputation *computation = ARENA_NEW(parser->arena, HloComputation);
    HloLexer outer = parser->lexer;
    computation->name = name;
    computation->loc = hlo_loc(lexer);
    parser->lexer = *lexer;
    bool ok = parse_body(parser, computation);
    *lexer = parser->lexer;
    parser->lexer = outer;
    return ok ? computation : NULL;
}

// (a: f32[2], b: s32[]) -> f32[2]: the instructions say the same.
static bool skip_signature(HloParser *parser) {
    HloLexer ignored;
    HloShape result;
    if (hlo_looks_at(&parser->lexer, "(") && !hlo_read_raw(&parser->lexer, &ignored)) return false;
    return !hlo_accept(&parser->lexer, "->") || hlo_read_shape(&parser->lexer, &result);
}

static bool parse_computation(HloParser *parser) {
    HloLexer *lexer = &parser->lexer;
    HloModule *module = parser->module;
    HloComputation *computation = ARENA_NEW(parser->arena, HloComputation);
    bool is_entry = hlo_accept_word(lexer, "ENTRY");
    hlo_skip_blanks(lexer);
    computation->loc = hlo_loc(lexer);
    if (!hlo_read_name(lexer, &computation->name, "a computation")) return false;
    if (is_entry && module->entry)
        return fail(parser, computation->loc, "there are two entry computations");
    if (str_map_get(&parser->by_name, computation->name)) {
        diag_error(
            lexer->source->diags, computation->loc, "there are two computations '%.*s'",
            SV_ARG(computation->name));
        return false;
    }
    if (!skip_signature(parser) || !skip_attrs(parser) || !hlo_expect(lexer, "{") ||
        !parse_body(parser, computation) || !skip_attrs(parser))
        return false;
    if (is_entry) module->entry = computation;
    vec_push(parser->arena, &parser->computations, computation);
    str_map_set(&parser->by_name, computation->name, computation);
    return true;
}

// ---- the module ----

static bool read_count(HloLexer *value, int64_t *count, const Loc **loc) {
    *loc = hlo_loc(value);
    return hlo_read_int(value, count);
}

// Says nothing of what the program computes, or of how its arrays are sharded at its border.
static bool is_harmless_module_attr(StrView name) {
    static const char *const names[] = {
        "is_scheduled",
        "entry_computation_layout",
        "alias_passthrough_params",
        "allow_spmd_sharding_propagation_to_parameters",
        "allow_spmd_sharding_propagation_to_output",
        "origin_recovery_table"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strview_is(name, names[i])) return true;
    }
    return false;
}

static bool parse_module_attr(HloModule *module, StrView name, HloLexer *value) {
    if (strview_is(name, "num_partitions"))
        return read_count(value, &module->partition_count, &module->counts_loc);
    if (strview_is(name, "replica_count"))
        return read_count(value, &module->replica_count, &module->counts_loc);
    if (strview_is(name, "input_output_alias")) {
        module->aliases_loc = hlo_loc(value);
        return hlo_read_aliases(value, false, &module->aliases);
    }
    if (strview_is(name, "buffer_donor")) {
        module->donors_loc = hlo_loc(value);
        return hlo_read_aliases(value, true, &module->donors);
    }
    if (strview_is(name, "frontend_attributes")) return hlo_read_pairs(value, &module->frontend);
    return is_harmless_module_attr(name) ||
           hlo_unsupported(value, "the module's attribute '%.*s' is not supported", SV_ARG(name));
}

// Names of computations, also of those that stand behind their use.
static bool resolve_calls(HloParser *parser) {
    for (int64_t i = 0; i < parser->calls.count; i++) {
        const HloNamedCall *call = &parser->calls.data[i];
        *call->place = str_map_get(&parser->by_name, call->name);
        if (!*call->place)
            return hlo_error(&call->at, "there is no computation '%.*s'", SV_ARG(call->name));
    }
    return true;
}

static bool parse_module(HloParser *parser) {
    HloLexer *lexer = &parser->lexer;
    HloModule *module = parser->module;
    StrView name;
    HloLexer value;
    bool ok = true;
    hlo_skip_blanks(lexer);
    module->loc = hlo_loc(lexer);
    if (!hlo_accept_word(lexer, "HloModule")) return hlo_expected(lexer, "'HloModule'");
    if (!hlo_read_name(lexer, &module->name, "the module's name")) return false;
    while (next_attr(parser, &name, &value, &ok)) {
        if (!parse_module_attr(module, name, &value)) return false;
    }
    if (!ok) return false;
    parser->frames = hlo_read_frames(lexer);
    if (!parser->frames) return false;
    while (!hlo_at_end(lexer)) {
        if (!parse_computation(parser)) return false;
    }
    if (!module->entry && parser->computations.count == 1)
        module->entry = parser->computations.data[0];
    if (!module->entry) return fail(parser, module->loc, "the module has no ENTRY computation");
    return resolve_calls(parser);
}

HloModule *hlo_parse(const HloSource *source, StrView text) {
    HloParser parser = {
        .read_nested = read_nested,
        .lexer = hlo_lexer(source, text),
        .context = source->context,
        .arena = source->arena,
        .module = ARENA_NEW(source->arena, HloModule),
        .attr_rows = str_map(source->arena),
        .by_name = str_map(source->arena)};
    HloAttrName *names = ARENA_ARRAY(source->arena, HloAttrName, HLO_ATTR_COUNT);
    for (int i = 0; i < HLO_ATTR_COUNT; i++) {
        names[i] = (HloAttrName)i;
        str_map_set(&parser.attr_rows, hlo_attr_text(names[i]), &names[i]);
    }
    return parse_module(&parser) ? parser.module : NULL;
}
