// emit_entry: the device program as one native function that can stop at every barrier.
//
//     int32_t program(RtLane *lane) {
//         switch (lane->pc) { case 0: break; case 1: goto after_1; ... }
//         if (!lane->is_bound) { ... }                         steps whose results are kept
//         run(lane, kernel_3, operands_7, grid, step);         this lane's share of the grid
//         lane->pc = 1;  if (!shardc_rt_arrive(lane, barrier, step)) return 0;
//     after_1: ...
//         if (lane->rank == lane->team_size - 1) { while (...) { run_single(lane, kernel_4 ...) } }
//
// Everything that lives across a barrier is in memory, so to go on is one switch. A barrier of the
// team alone is skipped where the team is one lane.
#include "codegen/model/entry.h"
#include "runtime/abi.h"

typedef struct Program {
    Entry *entry;
    LLVMValueRef function, lane, run, run_single, run_once, arrive, team_size;
    bool is_single;      // within a step that one lane runs alone
    bool is_whole;       // of a function that has the step's kernels in it
    LLVMValueRef resume; // the switch at the start
    int64_t resume_count;
    LLVMTypeRef arrive_type, run_type, run_once_type, kernel_type;
} Program;

static LLVMValueRef number(const Entry *entry, int64_t value) {
    return LLVMConstInt(entry->i64, (unsigned long long)value, true);
}

static LLVMValueRef field(const Entry *entry, LLVMValueRef lane, size_t offset) {
    LLVMValueRef index = number(entry, (int64_t)offset);
    return LLVMBuildInBoundsGEP2(entry->builder, entry->i8, lane, &index, 1, "");
}

static LLVMValueRef load_field(
    const Entry *entry, LLVMValueRef lane, size_t offset, const char *name) {
    return LLVMBuildLoad2(entry->builder, entry->i64, field(entry, lane, offset), name);
}

static LLVMBasicBlockRef new_block(const Entry *entry, LLVMValueRef function, const char *name) {
    return LLVMAppendBasicBlockInContext(entry->context, function, name);
}

static LLVMValueRef declare(const Entry *entry, const char *name, LLVMTypeRef type) {
    LLVMValueRef function = LLVMAddFunction(entry->module, name, type);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    return function;
}

// The function of that name, which is declared the first time.
static LLVMValueRef declared(const Entry *entry, const char *name, LLVMTypeRef type) {
    LLVMValueRef function = LLVMGetNamedFunction(entry->module, name);
    return function ? function : declare(entry, name, type);
}

// Of `run` and of kernels.
static void set_types(Program *program) {
    const Entry *entry = program->entry;
    LLVMTypeRef parameters[] = {entry->pointer, entry->pointer, entry->pointer,
                                entry->i64,     entry->i64,     entry->i64};
    program->run_type = LLVMFunctionType(entry->void_type, parameters, 5, false);
    program->run_once_type = LLVMFunctionType(entry->void_type, parameters, 6, false);
    LLVMTypeRef kernel_parameters[] = {entry->pointer, entry->pointer, entry->i64, entry->i64};
    program->kernel_type = LLVMFunctionType(entry->void_type, kernel_parameters, 4, false);
}

// Calls the kernel on the chunks from begin to end, as the lane `as`, between profile events, and
// returns.
static void run_chunks(
    Program *program, LLVMValueRef function, LLVMValueRef as, LLVMValueRef begin,
    LLVMValueRef end) {
    const Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMTypeRef event_parameters[] = {entry->pointer, entry->i64};
    LLVMTypeRef event_type = LLVMFunctionType(entry->void_type, event_parameters, 2, false);
    LLVMValueRef lane = LLVMGetParam(function, 0), kernel = LLVMGetParam(function, 1);
    LLVMValueRef arguments[] = {as, LLVMGetParam(function, 2), begin, end};
    LLVMValueRef event[] = {lane, LLVMGetParam(function, 4)};
    LLVMBasicBlockRef work = new_block(entry, function, "work"),
                      profiled = new_block(entry, function, "profiled");
    LLVMValueRef profiling = load_field(entry, lane, offsetof(RtLane, profiling), "profiling");
    LLVMValueRef quiet = LLVMBuildICmp(b, LLVMIntEQ, profiling, number(entry, 0), "");
    LLVMBuildCondBr(b, quiet, work, profiled);
    LLVMPositionBuilderAtEnd(b, work);
    LLVMBuildCall2(b, program->kernel_type, kernel, arguments, 4, "");
    LLVMBuildRetVoid(b);
    LLVMPositionBuilderAtEnd(b, profiled);
    LLVMBuildCall2(
        b, event_type, declared(entry, "shardc_rt_step_begin", event_type), event, 2, "");
    LLVMBuildCall2(b, program->kernel_type, kernel, arguments, 4, "");
    LLVMBuildCall2(b, event_type, declared(entry, "shardc_rt_step_end", event_type), event, 2, "");
    LLVMBuildRetVoid(b);
}

// static void run_single(lane, kernel, operands, grid, step): all chunks.
static LLVMValueRef define_run_single(Program *program) {
    Entry *entry = program->entry;
    LLVMValueRef run = LLVMAddFunction(entry->module, "run_single", program->run_type);
    LLVMSetLinkage(run, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(entry->builder, new_block(entry, run, "start"));
    run_chunks(program, run, LLVMGetParam(run, 0), number(entry, 0), LLVMGetParam(run, 3));
    return run;
}

// static void run(lane, kernel, operands, grid, step): this lane's chunks.
static LLVMValueRef define_run(Program *program) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    set_types(program);
    LLVMValueRef run = LLVMAddFunction(entry->module, "run", program->run_type);
    LLVMSetLinkage(run, LLVMInternalLinkage);
    LLVMValueRef lane = LLVMGetParam(run, 0), grid = LLVMGetParam(run, 3);
    LLVMBasicBlockRef start = new_block(entry, run, "start"),
                      split = new_block(entry, run, "split"),
                      share = new_block(entry, run, "share"), done = new_block(entry, run, "done");

    LLVMPositionBuilderAtEnd(b, start);
    LLVMValueRef size = load_field(entry, lane, offsetof(RtLane, team_size), "team_size");
    LLVMValueRef alone = LLVMBuildICmp(b, LLVMIntEQ, size, number(entry, 1), "");
    LLVMBuildCondBr(b, alone, share, split);

    LLVMPositionBuilderAtEnd(b, split);
    LLVMValueRef rank = load_field(entry, lane, offsetof(RtLane, rank), "rank");
    LLVMValueRef low = LLVMBuildMul(b, grid, rank, "");
    LLVMValueRef split_begin = LLVMBuildUDiv(b, low, size, "");
    LLVMValueRef split_end = LLVMBuildUDiv(b, LLVMBuildAdd(b, low, grid, ""), size, "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntULT, split_begin, split_end, "");
    LLVMBuildCondBr(b, some, share, done);

    LLVMPositionBuilderAtEnd(b, share);
    LLVMValueRef begin = LLVMBuildPhi(b, entry->i64, "begin"),
                 end = LLVMBuildPhi(b, entry->i64, "end");
    LLVMBasicBlockRef sources[] = {start, split};
    LLVMValueRef begins[] = {number(entry, 0), split_begin}, ends[] = {grid, split_end};
    LLVMAddIncoming(begin, begins, sources, 2);
    LLVMAddIncoming(end, ends, sources, 2);
    run_chunks(program, run, lane, begin, end);

    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    return run;
}

// The lane as kernels see it, of another device.
static LLVMValueRef lane_of(const Program *program, LLVMValueRef lane, LLVMValueRef device) {
    const Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    const size_t size = offsetof(RtLane, wait), each = sizeof(int64_t);
    LLVMValueRef copy = LLVMBuildAlloca(b, LLVMArrayType2(entry->i64, size / each), "as");
    for (size_t at = 0; at < size; at += each)
        LLVMBuildStore(b, load_field(entry, lane, at, ""), field(entry, copy, at));
    LLVMBuildStore(b, device, field(entry, copy, offsetof(RtLane, device)));
    return copy;
}

// static void run_once(lane, kernel, operands, grid, step, share): this lane's chunks of a kernel
// that is made once for a class of devices.
static LLVMValueRef define_run_once(Program *program) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMValueRef run = LLVMAddFunction(entry->module, "run_once", program->run_once_type);
    LLVMSetLinkage(run, LLVMInternalLinkage);
    LLVMValueRef lane = LLVMGetParam(run, 0), grid = LLVMGetParam(run, 3);
    LLVMBasicBlockRef start = new_block(entry, run, "start"), part = new_block(entry, run, "part"),
                      done = new_block(entry, run, "done");
    LLVMPositionBuilderAtEnd(b, start);
    LLVMValueRef shares =
        LLVMBuildLoad2(b, entry->pointer, field(entry, lane, offsetof(RtLane, shares)), "shares");
    LLVMValueRef at =
        LLVMBuildMul(b, LLVMGetParam(run, 5), number(entry, (int64_t)sizeof(RtShare)), "");
    LLVMValueRef share = LLVMBuildInBoundsGEP2(b, entry->i8, shares, &at, 1, "share");
    LLVMValueRef all = load_field(entry, share, offsetof(RtShare, all), "all");
    LLVMValueRef bounds[2] = {
        load_field(entry, share, offsetof(RtShare, before), "before"),
        load_field(entry, share, offsetof(RtShare, after), "after")};
    for (int i = 0; i < 2; i++)
        bounds[i] = LLVMBuildUDiv(b, LLVMBuildMul(b, grid, bounds[i], ""), all, "");
    LLVMValueRef as =
        lane_of(program, lane, load_field(entry, share, offsetof(RtShare, leader), "leader"));
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, bounds[0], bounds[1], ""), part, done);
    LLVMPositionBuilderAtEnd(b, part);
    run_chunks(program, run, as, bounds[0], bounds[1]);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    return run;
}

static LLVMValueRef operand_table(Program *program, const Kernel *kernel) {
    Entry *entry = program->entry;
    int count = kernel->output_count + kernel->input_count;
    int64_t *numbers = ARENA_ARRAY(entry->arena, int64_t, 2 * (int64_t)count);
    for (int i = 0; i < count; i++) {
        const KernelOperand *operand = i < kernel->output_count
                                           ? &kernel->outputs[i]
                                           : &kernel->inputs[i - kernel->output_count];
        numbers[2 * i] = operand->buffer->slot;
        numbers[2 * i + 1] = operand->buffer->offset;
    }
    return entry_i64s(entry, 2 * (int64_t)count, numbers);
}

static void add_to_counter(Program *program, size_t offset, int64_t amount) {
    const Entry *entry = program->entry;
    if (amount == 0) return;
    LLVMValueRef place = field(entry, program->lane, offset);
    LLVMValueRef sum = LLVMBuildAdd(
        entry->builder, LLVMBuildLoad2(entry->builder, entry->i64, place, ""),
        number(entry, amount), "");
    LLVMBuildStore(entry->builder, sum, place);
}

// What a failed function left in its results must not decide how often a loop runs.
static void leave_after_failure(Program *program) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMTypeRef type = LLVMFunctionType(entry->i32, &entry->pointer, 1, false);
    LLVMValueRef function = declared(entry, "shardc_rt_may_go_on", type);
    LLVMBasicBlockRef leave = new_block(entry, program->function, "leave");
    LLVMBasicBlockRef after = new_block(entry, program->function, "after");
    LLVMValueRef goes_on = LLVMBuildCall2(b, type, function, &program->lane, 1, "");
    LLVMBuildCondBr(
        b, LLVMBuildICmp(b, LLVMIntNE, goes_on, LLVMConstInt(entry->i32, 0, false), ""), after,
        leave);
    LLVMPositionBuilderAtEnd(b, leave);
    LLVMBuildRet(b, LLVMConstInt(entry->i32, 0, false));
    LLVMPositionBuilderAtEnd(b, after);
}

// A kernel's function, whose address is passed on. It is not declared hidden: in memory its object
// may lie further away than an instruction's offset reaches, and is found through a table then.
static LLVMValueRef kernel_function(const Program *program, const char *name) {
    LLVMValueRef function = LLVMGetNamedFunction(program->entry->module, name);
    return function ? function
                    : LLVMAddFunction(program->entry->module, name, program->kernel_type);
}

const char *entry_part_name(Arena *arena, const Kernel *kernel) {
    return arena_printf(arena, "part%d", kernel->number);
}

// The call of a kernel of one chunk that is in the same module.
static void program_part(Program *program, const Kernel *kernel) {
    Entry *entry = program->entry;
    LLVMValueRef part = kernel_function(program, entry_part_name(entry->arena, kernel));
    LLVMValueRef arguments[] = {
        program->lane, operand_table(program, kernel), number(entry, 0),
        number(entry, kernel->grid)};
    LLVMBuildCall2(entry->builder, program->kernel_type, part, arguments, 4, "");
}

static void program_kernel(Program *program, const Step *step) {
    Entry *entry = program->entry;
    const Kernel *kernel = step->kernel;
    if (kernel->grid > 0 && program->is_whole) {
        program_part(program, kernel);
    } else if (kernel->grid > 0) {
        LLVMValueRef arguments[] = {
            program->lane,
            kernel_function(program, entry->functions[kernel->function]),
            operand_table(program, kernel),
            number(entry, kernel->grid),
            number(entry, step->number),
            NULL};
        LLVMValueRef run = program->is_single ? program->run_single : program->run;
        LLVMTypeRef type = program->run_type;
        unsigned count = 5;
        if (kernel->once_for) {
            arguments[count++] = number(entry, plan_share(entry->plan, kernel->once_for));
            run = program->run_once;
            type = program->run_once_type;
        }
        LLVMBuildCall2(entry->builder, type, run, arguments, count, "");
    }
    add_to_counter(program, offsetof(RtLane, collective_bytes), kernel->collective_bytes);
    add_to_counter(program, offsetof(RtLane, moved_bytes), kernel->moved_bytes);
    if (kernel->kind == KERNEL_CUSTOM) leave_after_failure(program);
}

static void program_barrier(Program *program, const Step *step) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMBasicBlockRef wait = new_block(entry, program->function, "wait");
    LLVMBasicBlockRef leave = new_block(entry, program->function, "leave");
    LLVMBasicBlockRef after = new_block(entry, program->function, "after");
    if (step->barrier == 0) {
        LLVMValueRef alone = LLVMBuildICmp(b, LLVMIntEQ, program->team_size, number(entry, 1), "");
        LLVMBuildCondBr(b, alone, after, wait);
    } else {
        LLVMBuildBr(b, wait);
    }
    LLVMPositionBuilderAtEnd(b, wait);
    LLVMValueRef pc = number(entry, ++program->resume_count);
    LLVMBuildStore(b, pc, field(entry, program->lane, offsetof(RtLane, pc)));
    LLVMAddCase(program->resume, pc, after);
    LLVMValueRef arguments[] = {
        program->lane, number(entry, step->barrier), number(entry, step->number)};
    LLVMValueRef there = LLVMBuildCall2(b, program->arrive_type, program->arrive, arguments, 3, "");
    LLVMValueRef goes_on =
        LLVMBuildICmp(b, LLVMIntNE, there, LLVMConstInt(entry->i32, 0, false), "");
    LLVMBuildCondBr(b, goes_on, after, leave);
    LLVMPositionBuilderAtEnd(b, leave);
    LLVMBuildRet(b, LLVMConstInt(entry->i32, 0, false));
    LLVMPositionBuilderAtEnd(b, after);
}

static LLVMValueRef load_test(Program *program, const Buffer *test) {
    const Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMValueRef device = load_field(entry, program->lane, offsetof(RtLane, device), "device");
    LLVMValueRef slots = load_field(entry, program->lane, offsetof(RtLane, slot_count), "slots");
    LLVMValueRef slot =
        LLVMBuildAdd(b, LLVMBuildMul(b, device, slots, ""), number(entry, test->slot), "");
    LLVMValueRef bases = LLVMBuildLoad2(
        b, entry->pointer, field(entry, program->lane, offsetof(RtLane, bases)), "bases");
    LLVMValueRef place = LLVMBuildInBoundsGEP2(b, entry->pointer, bases, &slot, 1, "");
    LLVMValueRef base = LLVMBuildLoad2(b, entry->pointer, place, "base");
    LLVMValueRef address = field(entry, base, (size_t)test->offset);
    LLVMTypeRef type = element_bytes(test->element) == 1 ? entry->i8 : entry->i32;
    return LLVMBuildLoad2(b, type, address, "test");
}

static void program_list(Program *program, const StepList *list);

static void program_while(Program *program, const Step *step) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMBasicBlockRef condition = new_block(entry, program->function, "condition");
    LLVMBasicBlockRef body = new_block(entry, program->function, "body");
    LLVMBasicBlockRef exit = new_block(entry, program->function, "exit");
    LLVMBuildBr(b, condition);
    LLVMPositionBuilderAtEnd(b, condition);
    program_list(program, step->bodies[0]);
    LLVMValueRef test = load_test(program, step->test);
    LLVMValueRef goes_on =
        LLVMBuildICmp(b, LLVMIntNE, test, LLVMConstInt(LLVMTypeOf(test), 0, false), "");
    LLVMBuildCondBr(b, goes_on, body, exit);
    LLVMPositionBuilderAtEnd(b, body);
    program_list(program, step->bodies[1]);
    LLVMBuildBr(b, condition);
    LLVMPositionBuilderAtEnd(b, exit);
}

// if: branch 0 when true. case: branch `test`, the last one when it is out of range.
static void program_branch(Program *program, const Step *step) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    LLVMValueRef test = load_test(program, step->test);
    LLVMBasicBlockRef *blocks = ARENA_ARRAY(entry->arena, LLVMBasicBlockRef, step->branch_count);
    for (int i = 0; i < step->branch_count; i++) {
        blocks[i] = new_block(entry, program->function, "branch");
    }
    LLVMBasicBlockRef join = new_block(entry, program->function, "join");
    LLVMBasicBlockRef last = step->branch_count > 0 ? blocks[step->branch_count - 1] : join;
    LLVMValueRef choose = LLVMBuildSwitch(b, test, last, (unsigned)step->branch_count);
    for (int i = 0; i < step->branch_count && !step->test_is_bool; i++) {
        if (i + 1 < step->branch_count)
            LLVMAddCase(choose, LLVMConstInt(LLVMTypeOf(test), (unsigned)i, false), blocks[i]);
    }
    if (step->test_is_bool)
        LLVMAddCase(choose, LLVMConstInt(LLVMTypeOf(test), 1, false), blocks[0]);
    for (int i = 0; i < step->branch_count; i++) {
        LLVMPositionBuilderAtEnd(b, blocks[i]);
        program_list(program, step->bodies[i]);
        LLVMBuildBr(b, join);
    }
    LLVMPositionBuilderAtEnd(b, join);
}

static void program_control(Program *program, const Step *step) {
    if (step->kind == STEP_WHILE)
        program_while(program, step);
    else
        program_branch(program, step);
}

// The lane that runs kernels of one chunk, see `run`.
static void program_single(Program *program, const Step *step) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    if (step->is_whole) {
        LLVMValueRef arguments[] = {
            program->lane, kernel_function(program, entry->functions[step->function]),
            LLVMConstNull(entry->pointer), number(entry, 1), number(entry, step->number)};
        LLVMBuildCall2(b, program->run_type, program->run, arguments, 5, "");
        return;
    }
    LLVMBasicBlockRef single = new_block(entry, program->function, "single");
    LLVMBasicBlockRef others = new_block(entry, program->function, "others");
    LLVMValueRef rank = load_field(entry, program->lane, offsetof(RtLane, rank), "rank");
    LLVMValueRef last = LLVMBuildSub(b, program->team_size, number(entry, 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rank, last, ""), single, others);
    LLVMPositionBuilderAtEnd(b, single);
    program->is_single = true;
    program_control(program, step);
    program->is_single = false;
    LLVMBuildBr(b, others);
    LLVMPositionBuilderAtEnd(b, others);
}

static void program_step(Program *program, const Step *step) {
    if (step->is_single && !program->is_single) {
        program_single(program, step);
        return;
    }
    switch (step->kind) {
    case STEP_KERNEL: program_kernel(program, step); break;
    case STEP_BARRIER: program_barrier(program, step); break;
    case STEP_WHILE:
    case STEP_BRANCH: program_control(program, step); break;
    }
}

static void program_list(Program *program, const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++)
        program_step(program, list->steps.data[i]);
}

// The first steps are skipped where what they store was kept; all lanes agree on that.
static void program_main(Program *program, const StepList *list) {
    Entry *entry = program->entry;
    LLVMBuilderRef b = entry->builder;
    int64_t i = 0;
    if (list->steps.count > 0 && list->steps.data[0]->is_kept) {
        LLVMBasicBlockRef bind = new_block(entry, program->function, "bind");
        LLVMBasicBlockRef bound = new_block(entry, program->function, "bound");
        LLVMValueRef is_bound =
            load_field(entry, program->lane, offsetof(RtLane, is_bound), "is_bound");
        LLVMBuildCondBr(
            b, LLVMBuildICmp(b, LLVMIntNE, is_bound, number(entry, 0), ""), bound, bind);
        LLVMPositionBuilderAtEnd(b, bind);
        for (; i < list->steps.count && list->steps.data[i]->is_kept; i++)
            program_step(program, list->steps.data[i]);
        LLVMBuildBr(b, bound);
        LLVMPositionBuilderAtEnd(b, bound);
    }
    for (; i < list->steps.count; i++)
        program_step(program, list->steps.data[i]);
}

void entry_loop(Entry *entry, const Step *step, const char *name) {
    Program program = {.entry = entry, .is_single = true, .is_whole = true};
    set_types(&program);
    program.function = LLVMAddFunction(entry->module, name, program.kernel_type);
    program.lane = LLVMGetParam(program.function, 0);
    LLVMBasicBlockRef start = new_block(entry, program.function, "start");
    LLVMPositionBuilderAtEnd(entry->builder, start);
    program_control(&program, step);
    LLVMBuildRetVoid(entry->builder);
}

LLVMValueRef entry_program(Entry *entry) {
    Program program = {.entry = entry};
    program.run = define_run(&program);
    program.run_single = define_run_single(&program);
    if (entry->plan->once.count > 0) program.run_once = define_run_once(&program);
    LLVMTypeRef arrive_parameters[] = {entry->pointer, entry->i64, entry->i64};
    program.arrive_type = LLVMFunctionType(entry->i32, arrive_parameters, 3, false);
    program.arrive = declare(entry, "shardc_rt_arrive", program.arrive_type);
    LLVMTypeRef type = LLVMFunctionType(entry->i32, &entry->pointer, 1, false);
    program.function = LLVMAddFunction(entry->module, "program", type);
    LLVMSetLinkage(program.function, LLVMInternalLinkage);
    program.lane = LLVMGetParam(program.function, 0);

    LLVMBasicBlockRef start = new_block(entry, program.function, "start");
    LLVMBasicBlockRef first = new_block(entry, program.function, "first");
    LLVMPositionBuilderAtEnd(entry->builder, start);
    program.team_size = load_field(entry, program.lane, offsetof(RtLane, team_size), "team_size");
    LLVMValueRef pc = load_field(entry, program.lane, offsetof(RtLane, pc), "pc");
    program.resume = LLVMBuildSwitch(entry->builder, pc, first, 16);
    LLVMPositionBuilderAtEnd(entry->builder, first);
    program_main(&program, entry->plan->steps);
    LLVMBuildRet(entry->builder, LLVMConstInt(entry->i32, 1, false));
    return program.function;
}
