// hlo_parser: see hlo_parser.h.
#include "frontend/hlo/hlo_parser.h"

typedef struct Parser {
    HloLexer lexer;
    Context *context;
    Arena *arena;
    HloModule *module;
    const HloFrames *frames;
} Parser;

// The instructions of the computation that is being read; both go into the computation at its end.
typedef struct Body {
    VEC(HloInstr) instrs;
    StrMap by_name; // to the instruction's number, an int64_t
    int64_t root;   // -1 = none marked
} Body;

// ", name=value" as often as it comes.
static bool parse_attrs(Parser *parser, HloAttr **attrs, int *count) {
    VEC(HloAttr) list = {0};
    while (hlo_accept(&parser->lexer, ",")) {
        HloAttr attr = {0};
        if (!hlo_read_word(&parser->lexer, &attr.name, "the name of an attribute") ||
            !hlo_expect(&parser->lexer, "=") || !hlo_read_raw(&parser->lexer, &attr.value))
            return false;
        vec_push(parser->arena, &list, attr);
    }
    *attrs = list.data;
    *count = (int)list.count;
    return true;
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

static bool parse_operand(Parser *parser, Body *body, int *operand) {
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

static bool parse_operands(Parser *parser, Body *body, HloInstr *instr) {
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
static bool parse_parameter(Parser *parser, HloInstr *instr) {
    HloLexer at = parser->lexer;
    if (!hlo_read_int(&parser->lexer, &instr->parameter)) return false;
    if (instr->parameter < 0) return hlo_error(&at, "the number of a parameter is negative");
    return hlo_expect(&parser->lexer, ")");
}

// The text in constant(...), up to the parenthesis that closes it.
static bool parse_literal(Parser *parser, HloInstr *instr) {
    HloLexer *lexer = &parser->lexer;
    HloLexer whole = *lexer;
    whole.at--; // the parenthesis that was read
    if (!hlo_read_raw(&whole, &instr->literal)) return false;
    instr->literal.at++;
    instr->literal.end--;
    *lexer = whole;
    return true;
}

static bool parse_call(Parser *parser, Body *body, HloInstr *instr) {
    HloLexer *lexer = &parser->lexer;
    hlo_skip_blanks(lexer);
    instr->at = *lexer;
    if (!hlo_read_word(lexer, &instr->opcode, "an opcode") || !hlo_expect(lexer, "(")) return false;
    if (strview_is(instr->opcode, "parameter")) return parse_parameter(parser, instr);
    if (strview_is(instr->opcode, "constant")) return parse_literal(parser, instr);
    return parse_operands(parser, body, instr);
}

// "x" of "x.20": XLA numbers its instructions.
static StrView without_number(StrView name) {
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9')
        size--;
    bool numbered = size > 1 && size < name.size && name.data[size - 1] == '.';
    return numbered ? (StrView){name.data, size - 1} : name;
}

static bool parse_metadata(Parser *parser, HloInstr *instr, Loc *loc) {
    for (int i = 0; i < instr->attr_count; i++) {
        HloAttr *attr = &instr->attrs[i];
        if (!strview_is(attr->name, "metadata")) continue;
        attr->is_used = true;
        if (!hlo_read_metadata(attr->value, parser->frames, loc)) return false;
    }
    return true;
}

static bool parse_instr(Parser *parser, Body *body) {
    HloLexer *lexer = &parser->lexer;
    HloInstr instr = {.parameter = -1};
    instr.is_root = hlo_accept_word(lexer, "ROOT");
    hlo_skip_blanks(lexer);
    HloLexer at = *lexer;
    if (!hlo_read_name(lexer, &instr.name, "an instruction or '}'") || !hlo_expect(lexer, "="))
        return false;
    if (str_map_get(&body->by_name, instr.name))
        return hlo_error(&at, "there are two instructions '%.*s'", SV_ARG(instr.name));
    if (!hlo_read_shape(lexer, &instr.shape) || !parse_call(parser, body, &instr)) return false;
    Loc *loc = hlo_loc(&instr.at);
    instr.loc = loc;
    if (instr.parameter >= 0) loc->value_name = without_number(instr.name);
    if (!parse_attrs(parser, &instr.attrs, &instr.attr_count) ||
        !parse_metadata(parser, &instr, loc))
        return false;
    if (instr.is_root) {
        if (body->root >= 0) return hlo_error(&at, "the computation has two roots");
        body->root = body->instrs.count;
    }
    int64_t number = body->instrs.count;
    str_map_set(&body->by_name, instr.name, arena_copy(parser->arena, &number, sizeof number));
    vec_push(parser->arena, &body->instrs, instr);
    return true;
}

// ---- computations ----

// Finds the parameters, which are numbered from 0 without gaps.
static bool number_parameters(Parser *parser, HloComputation *computation) {
    int count = 0;
    for (int i = 0; i < computation->instr_count; i++)
        count += computation->instrs[i].parameter >= 0;
    computation->parameter_count = count;
    computation->parameters = ARENA_ARRAY(parser->arena, int, count + 1);
    for (int i = 0; i < count; i++)
        computation->parameters[i] = -1;
    for (int i = 0; i < computation->instr_count; i++) {
        const HloInstr *instr = &computation->instrs[i];
        if (instr->parameter < 0) continue;
        if (instr->parameter >= count)
            return hlo_error(
                &instr->at, "parameter %lld of a computation with %d parameters",
                (long long)instr->parameter, count);
        if (computation->parameters[instr->parameter] >= 0)
            return hlo_error(
                &instr->at, "there are two parameters %lld", (long long)instr->parameter);
        computation->parameters[instr->parameter] = i;
    }
    return true;
}

static bool finish_body(Parser *parser, Body *body, HloComputation *computation) {
    if (body->instrs.count == 0)
        return hlo_error(&computation->at, "the computation has no instructions");
    if (body->instrs.count > INT32_MAX / 2)
        return hlo_error(&computation->at, "the computation has too many instructions");
    computation->instrs = body->instrs.data;
    computation->instr_count = (int)body->instrs.count;
    computation->root = (int)(body->root >= 0 ? body->root : body->instrs.count - 1);
    parser->module->instr_count += body->instrs.count;
    return number_parameters(parser, computation);
}

// (a: f32[2], b: s32[]) -> f32[2]: the instructions say the same.
static bool skip_signature(Parser *parser) {
    HloLexer ignored;
    HloShape result;
    if (hlo_looks_at(&parser->lexer, "(") && !hlo_read_raw(&parser->lexer, &ignored)) return false;
    return !hlo_accept(&parser->lexer, "->") || hlo_read_shape(&parser->lexer, &result);
}

static bool parse_computation(Parser *parser) {
    HloLexer *lexer = &parser->lexer;
    HloModule *module = parser->module;
    HloComputation *computation = ARENA_NEW(parser->arena, HloComputation);
    bool is_entry = hlo_accept_word(lexer, "ENTRY");
    hlo_skip_blanks(lexer);
    computation->at = *lexer;
    if (!hlo_read_name(lexer, &computation->name, "a computation")) return false;
    if (is_entry && module->entry)
        return hlo_error(&computation->at, "there are two entry computations");
    if (str_map_get(&module->by_name, computation->name))
        return hlo_error(
            &computation->at, "there are two computations '%.*s'", SV_ARG(computation->name));
    if (!skip_signature(parser)) return false;
    HloAttr *attrs; // execution_thread and the like: nothing that counts here
    int attr_count;
    if (!parse_attrs(parser, &attrs, &attr_count) || !hlo_expect(lexer, "{")) return false;
    Body body = {.by_name = str_map(parser->arena), .root = -1};
    while (!hlo_accept(lexer, "}")) {
        if (!parse_instr(parser, &body)) return false;
    }
    if (!parse_attrs(parser, &attrs, &attr_count) || !finish_body(parser, &body, computation))
        return false;
    if (is_entry) module->entry = computation;
    vec_push(parser->arena, &module->computations, computation);
    str_map_set(&module->by_name, computation->name, computation);
    return true;
}

static bool parse_module(Parser *parser) {
    HloLexer *lexer = &parser->lexer;
    HloModule *module = parser->module;
    hlo_skip_blanks(lexer);
    module->at = *lexer;
    if (!hlo_accept_word(lexer, "HloModule")) return hlo_expected(lexer, "'HloModule'");
    if (!hlo_read_name(lexer, &module->name, "the module's name") ||
        !parse_attrs(parser, &module->attrs, &module->attr_count))
        return false;
    parser->frames = hlo_read_frames(lexer);
    if (!parser->frames) return false;
    while (!hlo_at_end(lexer)) {
        if (!parse_computation(parser)) return false;
    }
    int64_t count = module->computations.count;
    if (!module->entry && count == 1) module->entry = module->computations.data[0];
    return module->entry || hlo_error(&module->at, "the module has no ENTRY computation");
}

HloModule *hlo_parse(const HloSource *source, StrView text) {
    Parser parser = {
        .lexer = hlo_lexer(source, text),
        .context = source->context,
        .arena = source->arena,
        .module = ARENA_NEW(source->arena, HloModule)};
    parser.module->by_name = str_map(source->arena);
    return parse_module(&parser) ? parser.module : NULL;
}
