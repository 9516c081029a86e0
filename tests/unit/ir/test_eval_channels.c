// ir/eval/ops/eval_channels.c: processes with functions of their own, and their messages.
#include "tests/unit/ir/test_eval_programs.h"

#define CHANNEL(id) "channel_handle = #stablehlo.channel_handle<handle = " id ", type = 1>"

// The first process sends twice and receives; the second receives, answers with the sum, and is
// listed first, so that it must wait.
static void messages_find_their_process(void **state) {
    expect_checks(
        *state,
        "func.func @answer(%t: !stablehlo.token) -> tensor<2xi32> {\n"
        "  %a:2 = \"stablehlo.recv\"(%t) <{" CHANNEL(
            "1") "}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)\n"
                 "  %b:2 = \"stablehlo.recv\"(%a#1) <{" CHANNEL(
                     "1") "}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)\n"
                          "  %s = stablehlo.subtract %a#0, %b#0 : tensor<2xi32>\n"
                          "  check.expect_eq_const %s, dense<[-1, -2]> : tensor<2xi32>\n"
                          "  %u = \"stablehlo.send\"(%s, %b#1) <{" CHANNEL(
                              "2") "}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token\n"
                                   "  return %s : tensor<2xi32>\n}\n"
                                   "func.func @ask(%t: !stablehlo.token, %x: tensor<2xi32>) -> "
                                   "tensor<2xi32> {\n"
                                   "  %u = \"stablehlo.send\"(%x, %t) <{" CHANNEL(
                                       "1") "}> : (tensor<2xi32>, !stablehlo.token) -> "
                                            "!stablehlo.token\n"
                                            "  %d = stablehlo.add %x, %x : tensor<2xi32>\n"
                                            "  %v = \"stablehlo.send\"(%d, %u) <{" CHANNEL(
                                                "1") "}> : (tensor<2xi32>, !stablehlo.token) -> "
                                                     "!stablehlo.token\n"
                                                     "  %r:2 = \"stablehlo.recv\"(%v) <{" CHANNEL(
                                                         "2") "}> : (!stablehlo.token) -> "
                                                              "(tensor<2xi32>, !stablehlo.token)\n"
                                                              "  %p = stablehlo.partition_id : "
                                                              "tensor<ui32>\n"
                                                              "  check.expect_eq_const %p, "
                                                              "dense<1> : tensor<ui32>\n"
                                                              "  return %r#0 : tensor<2xi32>\n}\n"
                                                              "func.func @main() {\n"
                                                              "  %t = stablehlo.after_all : "
                                                              "!stablehlo.token\n"
                                                              "  %x = stablehlo.constant dense<[1, "
                                                              "2]> : tensor<2xi32>\n"
                                                              "  %r:2 = "
                                                              "\"interpreter.run_parallel\"(%t, "
                                                              "%t, %x) {programs = [[@answer, "
                                                              "@ask]]}"
                                                              " : (!stablehlo.token, "
                                                              "!stablehlo.token, tensor<2xi32>) -> "
                                                              "(tensor<2xi32>, tensor<2xi32>)\n"
                                                              "  check.expect_eq_const %r#1, "
                                                              "dense<[-1, -2]> : tensor<2xi32>\n"
                                                              "  return\n}\n",
        3);
}

// Pairs say who sends to whom; a function may run on several processes.
static void pairs_name_sender_and_target(void **state) {
    expect_checks(
        *state,
        "func.func @send(%t: !stablehlo.token, %x: tensor<i32>) -> !stablehlo.token {\n"
        "  %u = \"stablehlo.send\"(%x, %t) <{" CHANNEL(
            "1") ", source_target_pairs = dense<[[0, 3], [1, 2]]>"
                 " : tensor<2x2xi64>}> : (tensor<i32>, !stablehlo.token) -> !stablehlo.token\n"
                 "  return %u : !stablehlo.token\n}\n"
                 "func.func @receive(%t: !stablehlo.token) -> tensor<i32> {\n"
                 "  %r:2 = \"stablehlo.recv\"(%t) <{" CHANNEL(
                     "1") ", source_target_pairs = dense<[[0, 3], [1, 2]]>"
                          " : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<i32>, "
                          "!stablehlo.token)\n"
                          "  return %r#0 : tensor<i32>\n}\n"
                          "func.func @main() {\n"
                          "  %t = stablehlo.after_all : !stablehlo.token\n"
                          "  %x = stablehlo.constant dense<7> : tensor<i32>\n"
                          "  %y = stablehlo.constant dense<8> : tensor<i32>\n"
                          "  %r:4 = \"interpreter.run_parallel\"(%t, %x, %t, %y, %t, %t) {programs "
                          "= [[@send, @send, @receive, @receive]]}"
                          " : (!stablehlo.token, tensor<i32>, !stablehlo.token, tensor<i32>, "
                          "!stablehlo.token, !stablehlo.token)"
                          " -> (!stablehlo.token, !stablehlo.token, tensor<i32>, tensor<i32>)\n"
                          "  check.expect_eq_const %r#2, dense<8> : tensor<i32>\n"
                          "  check.expect_eq_const %r#3, dense<7> : tensor<i32>\n"
                          "  return\n}\n",
        2);
}

static void waiting_for_ever_is_an_error(void **state) {
    expect_error(
        *state,
        "func.func @a(%t: !stablehlo.token) -> tensor<i32> {\n"
        "  %r:2 = \"stablehlo.recv\"(%t) <{" CHANNEL(
            "1") "}> : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)\n"
                 "  return %r#0 : tensor<i32>\n}\n"
                 "func.func @b(%t: !stablehlo.token) -> tensor<i32> {\n"
                 "  %r:2 = \"stablehlo.recv\"(%t) <{" CHANNEL(
                     "2") "}> : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)\n"
                          "  return %r#0 : tensor<i32>\n}\n"
                          "func.func @main() {\n"
                          "  %t = stablehlo.after_all : !stablehlo.token\n"
                          "  %r:2 = \"interpreter.run_parallel\"(%t, %t) {programs = [[@a, @b]]}"
                          " : (!stablehlo.token, !stablehlo.token) -> (tensor<i32>, tensor<i32>)\n"
                          "  return\n}\n",
        NULL, "waits for a message that nobody sends");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(messages_find_their_process),
        arena_test(pairs_name_sender_and_target),
        arena_test(waiting_for_ever_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
