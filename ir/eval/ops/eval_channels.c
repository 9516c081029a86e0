// interpreter.run_parallel, and what its processes say to each other: send, recv, infeed.
//
// Processes with one function run in lock step. Different functions run one after the other: a recv
// whose message is not there yet gives up, and its function starts again when the others have gone
// on; what was sent before is there already. So messages are kept by channel, sender and number,
// and are the same every time. Collectives between different functions are not supported.
#include "base/vec.h"
#include "ir/eval/eval_internal.h"

enum { MAX_MESSAGES = 1 << 14 }; // they are searched one by one

// The number-th message of a sender on a channel.
typedef struct Message {
    int64_t channel;
    int sender, number, count;
    Tensor **parts;
} Message;

// How often a process has sent (received) on a channel.
typedef struct Counter {
    int64_t channel;
    int lane, count;
    bool sends;
} Counter;

struct EvalChannels {
    VEC(Message) messages;
    VEC(Counter) counters;
    const Op *blocked; // the recv that gave up; NULL: none
    bool may_wait;     // others run later
};

static EvalChannels *channels_of(Eval *eval) {
    if (!eval->channels) eval->channels = ARENA_NEW(eval->arena, EvalChannels);
    return eval->channels;
}

static int64_t channel_id(const Op *op) {
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    return channel && channel->ints && channel->count > 0 ? channel->ints[0] : 0;
}

// This time's number on the channel.
static int next_number(Eval *eval, int64_t channel, bool sends) {
    EvalChannels *channels = channels_of(eval);
    for (int64_t i = 0; i < channels->counters.count; i++) {
        Counter *counter = &channels->counters.data[i];
        if (counter->channel == channel && counter->lane == eval->lane && counter->sends == sends)
            return counter->count++;
    }
    Counter counter = {channel, eval->lane, 1, sends};
    vec_push(eval->arena, &channels->counters, counter);
    return 0;
}

static const Message *find_message(
    const EvalChannels *channels, int64_t channel, int sender, int number) {
    for (int64_t i = 0; i < channels->messages.count; i++) {
        const Message *message = &channels->messages.data[i];
        if (message->channel == channel && message->number == number &&
            (sender < 0 || message->sender == sender))
            return message;
    }
    return NULL;
}

// Who sends to this process by source_target_pairs; -1: the op has none. -2: nobody does.
static int64_t sender_of(const Eval *eval, const Op *op) {
    const Attr *pairs = op_attr(op, NAME_SOURCE_TARGET_PAIRS);
    if (!pairs || pairs->kind != ATTR_ELEMENTS || type_element_count(pairs->type) == 0) return -1;
    for (int64_t i = 0; i + 1 < type_element_count(pairs->type); i += 2) {
        if (attr_element_int(pairs, i + 1) == eval->lane) return attr_element_int(pairs, i);
    }
    return -2;
}

static bool check_device_transfer(Eval *eval, const Op *op) {
    if (!eval->on_devices) return eval_unsupported(eval, op, "outside of interpreter.run_parallel");
    if (op_int(op, NAME_IS_HOST_TRANSFER, 0) != 0) return eval_unsupported(eval, op, "with a host");
    return true;
}

// operands: what is sent, and a token
bool eval_send(Eval *eval, const Op *op) {
    if (!check_device_transfer(eval, op)) return false;
    EvalChannels *channels = channels_of(eval);
    Message message = {
        .channel = channel_id(op), .sender = eval->lane, .count = op->operand_count - 1};
    message.number = next_number(eval, message.channel, true);
    if (!find_message(channels, message.channel, message.sender, message.number)) {
        if (channels->messages.count >= MAX_MESSAGES)
            return eval_unsupported(eval, op, "with so many messages");
        message.parts = ARENA_ARRAY(eval->arena, Tensor *, op->operand_count);
        for (int i = 0; i < message.count; i++)
            message.parts[i] = eval_retain(eval_operand(eval, op, i));
        vec_push(eval->arena, &channels->messages, message);
    }
    return eval_token(eval, op);
}

// results: what was sent, and a token
bool eval_recv(Eval *eval, const Op *op) {
    if (!check_device_transfer(eval, op)) return false;
    EvalChannels *channels = channels_of(eval);
    int64_t sender = sender_of(eval, op);
    if (sender == -2)
        return eval_fail(eval, op, "is reached by device %d, which is no target", eval->lane);
    int64_t channel = channel_id(op);
    int number = next_number(eval, channel, false);
    const Message *message = find_message(channels, channel, (int)sender, number);
    if (!message) {
        channels->blocked = op;
        return channels->may_wait
                   ? false
                   : eval_fail(eval, op, "waits for a message that is not sent before it");
    }
    int count = op->result_count - 1;
    bool fits = message->count == count;
    for (int i = 0; i < count && fits; i++)
        fits = message->parts[i]->type == op_result_type(op, i);
    if (!fits) return eval_fail(eval, op, "receives a message of other types");
    for (int i = 0; i < count; i++)
        eval_set_result(eval, op, i, eval_retain(message->parts[i]));
    Tensor *token = eval_result_tensor(eval, op, count);
    if (!token) return false;
    eval_set_result(eval, op, count, token);
    return true;
}

// --- interpreter.run_parallel ---

// The processes of one function.
typedef struct Team {
    const Op *func;
    int *ids; // of lanes
    Lanes lanes;
    Tensor **args, **results; // [lane of the team][argument or result]
    bool is_done;
} Team;

typedef struct Parallel {
    Eval *eval;
    const Op *op;
    int replicas, partitions, team_count;
    Team *teams;
    int *team_of, *place; // [process] its team, and its place there
} Parallel;

// The infeed queue: the results of the functions that `infeed` names.
static bool fill_infeed(Eval *eval, const Op *op) {
    const Attr *queue = op_attr(op, NAME_INFEED);
    if (!queue || queue->kind != ATTR_ARRAY) return true;
    static const int lane_zero = 0;
    eval->infeed = ARENA_ARRAY(eval->arena, Tensor *, queue->count);
    eval->infeed_count = eval->infeed_next = 0;
    for (int i = 0; i < queue->count; i++) {
        const Op *func = module_find_func(eval->module, queue->items[i]->text);
        if (!func || func_body(func)->arg_count != 0 || !region_terminator(func_body(func)) ||
            region_terminator(func_body(func))->operand_count != 1)
            return eval_fail(
                eval, op, "has an infeed entry that is not a function with one result");
        if (!eval_call_function(eval, op, func, (Lanes){&lane_zero, 1}, NULL, &eval->infeed[i]))
            return false;
        eval->infeed_count++;
    }
    return true;
}

// The team of a function: a new one where it has none.
static Team *team_of_func(Parallel *parallel, const Op *func, int processes) {
    for (int i = 0; i < parallel->team_count; i++) {
        if (parallel->teams[i].func == func) return &parallel->teams[i];
    }
    Team *team = &parallel->teams[parallel->team_count++];
    Arena *arena = parallel->eval->arena;
    *team = (Team){.func = func, .ids = ARENA_ARRAY(arena, int, processes)};
    team->lanes.ids = team->ids;
    int results = region_terminator(func_body(func))->operand_count;
    team->args = ARENA_ARRAY(arena, Tensor *, (int64_t)processes * func_body(func)->arg_count + 1);
    team->results = ARENA_ARRAY(arena, Tensor *, (int64_t)processes * results + 1);
    return team;
}

// programs = [[@f, @g], ...]: replicas of partitions.
static bool read_programs(Parallel *parallel) {
    Eval *eval = parallel->eval;
    const Op *op = parallel->op;
    const Attr *programs = op_attr(op, NAME_PROGRAMS);
    if (!programs || programs->kind != ATTR_ARRAY || programs->count == 0 ||
        programs->items[0]->kind != ATTR_ARRAY)
        return eval_fail(eval, op, "has no programs");
    parallel->replicas = programs->count;
    parallel->partitions = programs->items[0]->count;
    int64_t processes = (int64_t)parallel->replicas * parallel->partitions;
    if (processes < 1 || processes > EVAL_MAX_LANES)
        return eval_unsupported(eval, op, "with so many processes");
    parallel->teams = ARENA_ARRAY(eval->arena, Team, processes);
    parallel->team_of = ARENA_ARRAY(eval->arena, int, processes);
    parallel->place = ARENA_ARRAY(eval->arena, int, processes);
    for (int k = 0; k < (int)processes; k++) {
        const Attr *row = programs->items[k / parallel->partitions];
        if (row->kind != ATTR_ARRAY || row->count != parallel->partitions)
            return eval_fail(eval, op, "has rows of different sizes");
        StrView name = row->items[k % parallel->partitions]->text;
        const Op *func = module_find_func(eval->module, name);
        if (!func || !func_body(func)->first || !region_terminator(func_body(func)))
            return eval_fail(eval, op, "calls '@%.*s', which is not defined", SV_ARG(name));
        Team *team = team_of_func(parallel, func, (int)processes);
        parallel->team_of[k] = (int)(team - parallel->teams);
        parallel->place[k] = team->lanes.count;
        team->ids[team->lanes.count++] = k;
    }
    return true;
}

// The op's operands to the teams' arguments, in the order of the processes; or
// the teams' results to the op's.
static bool share_out(Parallel *parallel, bool results) {
    Eval *eval = parallel->eval;
    const Op *op = parallel->op;
    int outer = eval->lanes.ids[0], next = 0;
    int have = results ? op->result_count : op->operand_count;
    for (int k = 0; k < parallel->replicas * parallel->partitions; k++) {
        Team *team = &parallel->teams[parallel->team_of[k]];
        const Region *body = func_body(team->func);
        int count = results ? region_terminator(body)->operand_count : body->arg_count;
        if (next + count > have) break;
        for (int i = 0; i < count; i++, next++) {
            int64_t at = (int64_t)parallel->place[k] * count + i;
            if (results)
                eval_set(eval, op_result(op, next), outer, team->results[at]);
            else
                team->args[at] = eval_get(eval, op_operand(op, next), outer);
        }
        if (k + 1 == parallel->replicas * parallel->partitions && next == have) return true;
    }
    return eval_fail(eval, op, "has operands or results that do not fit its programs");
}

// Forgets what the team's processes counted: it starts anew.
static void reset_counters(EvalChannels *channels, const Team *team) {
    for (int64_t i = 0; i < channels->counters.count; i++) {
        for (int k = 0; k < team->lanes.count; k++) {
            if (channels->counters.data[i].lane == team->lanes.ids[k])
                channels->counters.data[i].count = 0;
        }
    }
}

// True unless an error was found; the team is done, or waits for others.
static bool run_team(Parallel *parallel, Team *team) {
    Eval *eval = parallel->eval;
    EvalChannels *channels = channels_of(eval);
    EvalChecks before = eval->checks ? *eval->checks : (EvalChecks){0};
    int infeed = eval->infeed_next, args = func_body(team->func)->arg_count;
    for (int64_t i = 0; i < (int64_t)team->lanes.count * args; i++)
        eval_retain(team->args[i]);
    reset_counters(channels, team);
    channels->blocked = NULL;
    team->is_done =
        eval_call_function(eval, parallel->op, team->func, team->lanes, team->args, team->results);
    if (team->is_done) return true;
    if (!channels->blocked || !channels->may_wait) return false;
    if (eval->checks) *eval->checks = before;
    eval->infeed_next = infeed;
    return true;
}

static bool run_teams(Parallel *parallel) {
    Eval *eval = parallel->eval;
    EvalChannels *channels = channels_of(eval);
    int left = parallel->team_count;
    while (left > 0) {
        int64_t messages = channels->messages.count;
        int before = left;
        for (int i = 0; i < parallel->team_count; i++) {
            Team *team = &parallel->teams[i];
            if (team->is_done) continue;
            channels->may_wait = parallel->team_count > 1;
            if (!run_team(parallel, team)) return false;
            if (team->is_done) left--;
        }
        if (left == before && channels->messages.count == messages)
            return eval_fail(eval, channels->blocked, "waits for a message that nobody sends");
    }
    return true;
}

bool eval_run_parallel(Eval *eval, const Op *op) {
    Parallel parallel = {.eval = eval, .op = op};
    if (eval->on_devices) return eval_unsupported(eval, op, "inside itself");
    if (!read_programs(&parallel) || !fill_infeed(eval, op) || !share_out(&parallel, false))
        return false;
    eval->on_devices = true;
    eval->replica_count = parallel.replicas;
    eval->partition_count = parallel.partitions;
    eval->channels = NULL;
    bool ok = run_teams(&parallel);
    eval->on_devices = false;
    eval->replica_count = eval->partition_count = 1;
    return ok && share_out(&parallel, true);
}
