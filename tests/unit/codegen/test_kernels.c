// Every kernel kind beside the evaluator, each program run in one, three and seven parts.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

typedef struct Case {
    const char *name;
    KernelKind kind;
    OpCode root;
    int devices;
    double tolerance; // relative to max(1, |expected|)
    const char *text;
} Case;

static const Case cases[] = {
    {"elementwise_with_broadcast", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<512x1000xf32>, %b: tensor<512x1000xf32>, %c: tensor<1000xf32>) -> "
     "tensor<512x1000xf32> {\n"
     "%0 = stablehlo.add %a, %b : tensor<512x1000xf32>\n"
     "%1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<1000xf32>) -> tensor<512x1000xf32>\n"
     "%2 = stablehlo.multiply %0, %1 : tensor<512x1000xf32>\n"
     "return %2 : tensor<512x1000xf32>\n"
     "}\n"},
    {"softmax_in_one_kernel", KERNEL_LOOP, OP_COUNT, 1, 1e-06,
     "func.func @main(%a: tensor<64x1000xf32>) -> tensor<64x1000xf32> {\n"
     "%ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%m = stablehlo.reduce(%a init: %ninf) applies stablehlo.maximum across dimensions = [1] : "
     "(tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>\n"
     "%mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>\n"
     "%d = stablehlo.subtract %a, %mb : tensor<64x1000xf32>\n"
     "%e = stablehlo.exponential %d : tensor<64x1000xf32>\n"
     "%s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : "
     "(tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>\n"
     "%sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>\n"
     "%r = stablehlo.divide %e, %sb : tensor<64x1000xf32>\n"
     "return %r : tensor<64x1000xf32>\n"
     "}\n"},
    {"transpose_by_tiles", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<300x501xf32>) -> tensor<501x300xf32> {\n"
     "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<300x501xf32>) -> tensor<501x300xf32>\n"
     "return %0 : tensor<501x300xf32>\n"
     "}\n"},
    {"pad_at_the_border", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<30x50x8xf32>, %v: tensor<f32>) -> tensor<33x52x8xf32> {\n"
     "%0 = stablehlo.pad %a, %v, low = [1, 1, 0], high = [2, 1, 0], interior = [0, 0, 0] : "
     "(tensor<30x50x8xf32>, tensor<f32>) -> tensor<33x52x8xf32>\n"
     "return %0 : tensor<33x52x8xf32>\n"
     "}\n"},
    {"pad_interior_and_negative", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<30x50xf32>, %v: tensor<f32>) -> tensor<59x144xf32> {\n"
     "%0 = stablehlo.pad %a, %v, low = [-1, 1], high = [1, -5], interior = [1, 2] : "
     "(tensor<30x50xf32>, tensor<f32>) -> tensor<59x144xf32>\n"
     "return %0 : tensor<59x144xf32>\n"
     "}\n"},
    {"concatenate_contiguous", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<30x50xf32>, %b: tensor<30x7xf32>, %c: tensor<30x1xf32>) -> "
     "tensor<30x58xf32> {\n"
     "%0 = stablehlo.concatenate %a, %b, %c, dim = 1 : (tensor<30x50xf32>, tensor<30x7xf32>, "
     "tensor<30x1xf32>) -> tensor<30x58xf32>\n"
     "return %0 : tensor<30x58xf32>\n"
     "}\n"},
    {"concatenate_rows", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<3x50xf32>, %b: tensor<7x50xf32>) -> tensor<10x50xf32> {\n"
     "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x50xf32>, tensor<7x50xf32>) -> "
     "tensor<10x50xf32>\n"
     "return %0 : tensor<10x50xf32>\n"
     "}\n"},
    {"gather_rows", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<30x50xf32>, %i: tensor<4x6x1xi32>) -> tensor<4x6x50xf32> {\n"
     "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], "
     "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = "
     "array<i64: 1, 50>}> : (tensor<30x50xf32>, tensor<4x6x1xi32>) -> tensor<4x6x50xf32>\n"
     "return %0 : tensor<4x6x50xf32>\n"
     "}\n"},
    {"dynamic_slice_is_clamped", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<30x50xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<4x6xf32> "
     "{\n"
     "%0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [4, 6] : (tensor<30x50xf32>, tensor<i32>, "
     "tensor<i32>) -> tensor<4x6xf32>\n"
     "return %0 : tensor<4x6xf32>\n"
     "}\n"},
    {"reshape_transpose_reverse", KERNEL_LOOP, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<6x35x4xf32>) -> tensor<5x4x42xf32> {\n"
     "%0 = stablehlo.transpose %a, dims = [2, 1, 0] : (tensor<6x35x4xf32>) -> tensor<4x35x6xf32>\n"
     "%1 = stablehlo.reshape %0 : (tensor<4x35x6xf32>) -> tensor<4x5x42xf32>\n"
     "%2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<4x5x42xf32>) -> tensor<5x4x42xf32>\n"
     "%3 = stablehlo.reverse %2, dims = [0, 2] : tensor<5x4x42xf32>\n"
     "return %3 : tensor<5x4x42xf32>\n"
     "}\n"},
    {"power_and_atan2", KERNEL_LOOP, OP_COUNT, 1, 1e-06,
     "func.func @main(%a: tensor<200x300xf32>, %b: tensor<200x300xf32>) -> (tensor<200x300xf32>, "
     "tensor<200x300xf32>) {\n"
     "%f = stablehlo.floor %b : tensor<200x300xf32>\n"
     "%0 = stablehlo.power %a, %f : tensor<200x300xf32>\n"
     "%1 = stablehlo.atan2 %a, %b : tensor<200x300xf32>\n"
     "return %0, %1 : tensor<200x300xf32>, tensor<200x300xf32>\n"
     "}\n"},
    {"power_special_cases", KERNEL_LOOP, OP_COUNT, 1, 1e-06,
     "func.func @main(%z: tensor<f32>) -> (tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf64>) {\n"
     "%c = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0x7F800000, 0xFF800000, 0x7FC00000, "
     "3.0, -2.5]> : tensor<9xf32>\n"
     "%a = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<9xf32>) -> tensor<9x9xf32>\n"
     "%b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<9xf32>) -> tensor<9x9xf32>\n"
     "%0 = stablehlo.power %a, %b : tensor<9x9xf32>\n"
     "%1 = stablehlo.atan2 %a, %b : tensor<9x9xf32>\n"
     "%ad = stablehlo.convert %a : (tensor<9x9xf32>) -> tensor<9x9xf64>\n"
     "%bd = stablehlo.convert %b : (tensor<9x9xf32>) -> tensor<9x9xf64>\n"
     "%2 = stablehlo.power %ad, %bd : tensor<9x9xf64>\n"
     "return %0, %1, %2 : tensor<9x9xf32>, tensor<9x9xf32>, tensor<9x9xf64>\n"
     "}\n"},
    {"special_functions", KERNEL_LOOP, OP_COUNT, 1, 1e-06,
     "func.func @main(%a: tensor<20x30xf32>, %b: tensor<20x30xf32>) -> (tensor<20x30xf32>, "
     "tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>) {\n"
     "%f = stablehlo.floor %b : tensor<20x30xf32>\n"
     "%0 = chlo.polygamma %f, %a : tensor<20x30xf32>, tensor<20x30xf32> -> tensor<20x30xf32>\n"
     "%1 = chlo.zeta %b, %a : tensor<20x30xf32>, tensor<20x30xf32> -> tensor<20x30xf32>\n"
     "%2 = chlo.lgamma %a : tensor<20x30xf32> -> tensor<20x30xf32>\n"
     "%3 = chlo.next_after %a, %b : tensor<20x30xf32>, tensor<20x30xf32> -> tensor<20x30xf32>\n"
     "return %0, %1, %2, %3 : tensor<20x30xf32>, tensor<20x30xf32>, tensor<20x30xf32>, "
     "tensor<20x30xf32>\n"
     "}\n"},
    {"reduce_rows", KERNEL_REDUCE, OP_REDUCE, 1, 0.0001,
     "func.func @main(%a: tensor<64x40x1000xf32>) -> tensor<64xf32> {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1, 2] : "
     "(tensor<64x40x1000xf32>, tensor<f32>) -> tensor<64xf32>\n"
     "%e = stablehlo.negate %s : tensor<64xf32>\n"
     "return %e : tensor<64xf32>\n"
     "}\n"},
    {"reduce_columns", KERNEL_REDUCE, OP_REDUCE, 1, 0.0001,
     "func.func @main(%a: tensor<64x40x1000xf32>) -> tensor<1000xf32> {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] : "
     "(tensor<64x40x1000xf32>, tensor<f32>) -> tensor<1000xf32>\n"
     "%e = stablehlo.negate %s : tensor<1000xf32>\n"
     "return %e : tensor<1000xf32>\n"
     "}\n"},
    {"reduce_middle_bf16", KERNEL_REDUCE, OP_REDUCE, 1, 0,
     "func.func @main(%a: tensor<7x40x100xbf16>) -> (tensor<7x100xbf16>) {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<bf16>\n"
     "%s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
     "(tensor<7x40x100xbf16>, tensor<bf16>) -> tensor<7x100xbf16>\n"
     "return %s : tensor<7x100xbf16>\n"
     "}\n"},
    {"argmax", KERNEL_REDUCE, OP_REDUCE, 1, 0,
     "func.func @main(%a: tensor<64x100xf32>) -> (tensor<64xf32>, tensor<64xi32>) {\n"
     "%i = stablehlo.iota dim = 1 : tensor<64x100xi32>\n"
     "%z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
     "%c = stablehlo.constant dense<0> : tensor<i32>\n"
     "%s:2 = stablehlo.reduce(%a init: %z), (%i init: %c) across dimensions = [1] : "
     "(tensor<64x100xf32>, tensor<64x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, "
     "tensor<64xi32>)\n"
     "reducer(%x: tensor<f32>, %y: tensor<f32>) (%xi: tensor<i32>, %yi: tensor<i32>) {\n"
     "%p = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "%v = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>\n"
     "%w = stablehlo.select %p, %xi, %yi : tensor<i1>, tensor<i32>\n"
     "stablehlo.return %v, %w : tensor<f32>, tensor<i32>\n"
     "}\n"
     "return %s#0, %s#1 : tensor<64xf32>, tensor<64xi32>\n"
     "}\n"},
    {"all_gather_rows_and_add", KERNEL_LOOP, OP_COUNT, 4, 0,
     "func.func @main(%a: tensor<4x50xf32>, %b: tensor<8x50xf32>) -> tensor<8x50xf32> {\n"
     "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, "
     "2], [3, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type "
     "= 0>, use_global_device_ids}> : (tensor<4x50xf32>) -> tensor<8x50xf32>\n"
     "%1 = stablehlo.add %0, %b : tensor<8x50xf32>\n"
     "return %1 : tensor<8x50xf32>\n"
     "}\n"},
    {"all_gather_columns_of_a_fused_value", KERNEL_LOOP, OP_COUNT, 4, 0,
     "func.func @main(%a: tensor<4x50xf32>) -> tensor<4x200xf32> {\n"
     "%n = stablehlo.negate %a : tensor<4x50xf32>\n"
     "%0 = \"stablehlo.all_gather\"(%n) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2, "
     "1, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, "
     "use_global_device_ids}> : (tensor<4x50xf32>) -> tensor<4x200xf32>\n"
     "return %0 : tensor<4x200xf32>\n"
     "}\n"},
    {"all_to_all", KERNEL_LOOP, OP_COUNT, 4, 0,
     "func.func @main(%a: tensor<4x60xf32>) -> tensor<8x30xf32> {\n"
     "%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, "
     "split_count = 2 : i64, replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>}> : "
     "(tensor<4x60xf32>) -> tensor<8x30xf32>\n"
     "return %0 : tensor<8x30xf32>\n"
     "}\n"},
    {"permute_without_source_gives_zero", KERNEL_LOOP, OP_COUNT, 4, 0,
     "func.func @main(%a: tensor<4x60xf32>) -> tensor<4x60xf32> {\n"
     "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2], [3, "
     "0]]> : tensor<3x2xi64>}> : (tensor<4x60xf32>) -> tensor<4x60xf32>\n"
     "return %0 : tensor<4x60xf32>\n"
     "}\n"},
    {"all_reduce", KERNEL_REDUCE, OP_ALL_REDUCE, 4, 1e-06,
     "func.func @main(%a: tensor<4x60xf32>) -> tensor<4x60xf32> {\n"
     "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 2], [3, 1]]> : "
     "tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, "
     "use_global_device_ids}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<4x60xf32>) -> tensor<4x60xf32>\n"
     "return %0 : tensor<4x60xf32>\n"
     "}\n"},
    {"reduce_scatter", KERNEL_REDUCE, OP_REDUCE_SCATTER, 4, 1e-06,
     "func.func @main(%a: tensor<4x60xf32>) -> tensor<4x30xf32> {\n"
     "%0 = \"stablehlo.reduce_scatter\"(%a) <{scatter_dimension = 1 : i64, replica_groups = "
     "dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle "
     "= 1, type = 0>, use_global_device_ids}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<4x60xf32>) -> tensor<4x30xf32>\n"
     "return %0 : tensor<4x30xf32>\n"
     "}\n"},
    {"scatter_adds_in_order", KERNEL_SCATTER, OP_COUNT, 1, 1e-06,
     "func.func @main(%a: tensor<30x50xf32>, %i: tensor<6x1xi32>, %u: tensor<6x50xf32>) -> "
     "tensor<30x50xf32> {\n"
     "%0 = \"stablehlo.scatter\"(%a, %i, %u) <{indices_are_sorted = false, unique_indices = false, "
     "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
     "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<30x50xf32>, tensor<6x1xi32>, tensor<6x50xf32>) -> tensor<30x50xf32>\n"
     "return %0 : tensor<30x50xf32>\n"
     "}\n"},
    {"three_fry", KERNEL_RANDOM, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7x6xui32>) {\n"
     "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<5x7x6xui32>)\n"
     "return %0, %1 : tensor<2xui64>, tensor<5x7x6xui32>\n"
     "}\n"},
    {"three_fry_64", KERNEL_RANDOM, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<4x9xui64>) {\n"
     "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<4x9xui64>)\n"
     "return %0, %1 : tensor<2xui64>, tensor<4x9xui64>\n"
     "}\n"},
    {"three_fry_odd", KERNEL_RANDOM, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7x9xui32>) {\n"
     "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<5x7x9xui32>)\n"
     "return %0, %1 : tensor<2xui64>, tensor<5x7x9xui32>\n"
     "}\n"},
    {"philox", KERNEL_RANDOM, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x7x5xui32>) {\n"
     "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<2xui64>) -> "
     "(tensor<2xui64>, tensor<5x7x5xui32>)\n"
     "return %0, %1 : tensor<2xui64>, tensor<5x7x5xui32>\n"
     "}\n"},
    {"philox_64_three_words", KERNEL_RANDOM, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<3xui64>) -> (tensor<3xui64>, tensor<4x9xui64>) {\n"
     "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<3xui64>) -> "
     "(tensor<3xui64>, tensor<4x9xui64>)\n"
     "return %0, %1 : tensor<3xui64>, tensor<4x9xui64>\n"
     "}\n"},
    {"sort_by_digits", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<5x1000xf32>, %b: tensor<5x1000xi32>) -> (tensor<5x1000xf32>, "
     "tensor<5x1000xi32>) {\n"
     "%0:2 = \"stablehlo.sort\"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):\n"
     "%s = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "stablehlo.return %s : tensor<i1>\n"
     "}) : (tensor<5x1000xf32>, tensor<5x1000xi32>) -> (tensor<5x1000xf32>, tensor<5x1000xi32>)\n"
     "return %0#0, %0#1 : tensor<5x1000xf32>, tensor<5x1000xi32>\n"
     "}\n"},
    {"sort_by_merging_along_rows", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<30x10xf32>, %b: tensor<30x10xi32>) -> (tensor<30x10xf32>, "
     "tensor<30x10xi32>) {\n"
     "%0:2 = \"stablehlo.sort\"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):\n"
     "%s = stablehlo.compare GT, %y, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "stablehlo.return %s : tensor<i1>\n"
     "}) : (tensor<30x10xf32>, tensor<30x10xi32>) -> (tensor<30x10xf32>, tensor<30x10xi32>)\n"
     "return %0#0, %0#1 : tensor<30x10xf32>, tensor<30x10xi32>\n"
     "}\n"},
    {"sort_by_comparator", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<5x100xi32>, %b: tensor<5x100xf32>) -> (tensor<5x100xi32>, "
     "tensor<5x100xf32>) {\n"
     "%0:2 = \"stablehlo.sort\"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):\n"
     "%s = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "%e = stablehlo.compare EQ, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "%t = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "%u = stablehlo.and %e, %t : tensor<i1>\n"
     "%v = stablehlo.or %s, %u : tensor<i1>\n"
     "stablehlo.return %v : tensor<i1>\n"
     "}) : (tensor<5x100xi32>, tensor<5x100xf32>) -> (tensor<5x100xi32>, tensor<5x100xf32>)\n"
     "return %0#0, %0#1 : tensor<5x100xi32>, tensor<5x100xf32>\n"
     "}\n"},
    {"sort_of_runs_by_digits", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<3x1030xf32>) -> (tensor<3x1030xi32>, tensor<3x1030xf32>) {\n"
     "%i = stablehlo.iota dim = 1 : tensor<3x1030xi32>\n"
     "%r = stablehlo.constant dense<100> : tensor<3x1030xi32>\n"
     "%d = stablehlo.constant dense<7> : tensor<3x1030xi32>\n"
     "%m = stablehlo.remainder %i, %r : tensor<3x1030xi32>\n"
     "%k = stablehlo.divide %m, %d : tensor<3x1030xi32>\n"
     "%0:2 = \"stablehlo.sort\"(%k, %a) <{dimension = 1 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):\n"
     "%s = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "stablehlo.return %s : tensor<i1>\n"
     "}) {shardc.sorted_runs = 100 : i64} : (tensor<3x1030xi32>, tensor<3x1030xf32>) -> "
     "(tensor<3x1030xi32>, tensor<3x1030xf32>)\n"
     "return %0#0, %0#1 : tensor<3x1030xi32>, tensor<3x1030xf32>\n"
     "}\n"},
    {"sort_of_runs_by_merging", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<3x290xf32>) -> (tensor<3x290xi32>, tensor<3x290xf32>) {\n"
     "%i = stablehlo.iota dim = 1 : tensor<3x290xi32>\n"
     "%r = stablehlo.constant dense<100> : tensor<3x290xi32>\n"
     "%d = stablehlo.constant dense<7> : tensor<3x290xi32>\n"
     "%m = stablehlo.remainder %i, %r : tensor<3x290xi32>\n"
     "%k = stablehlo.divide %m, %d : tensor<3x290xi32>\n"
     "%0:2 = \"stablehlo.sort\"(%k, %a) <{dimension = 1 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):\n"
     "%s = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "stablehlo.return %s : tensor<i1>\n"
     "}) {shardc.sorted_runs = 100 : i64} : (tensor<3x290xi32>, tensor<3x290xf32>) -> "
     "(tensor<3x290xi32>, tensor<3x290xf32>)\n"
     "return %0#0, %0#1 : tensor<3x290xi32>, tensor<3x290xf32>\n"
     "}\n"},
    {"sort_of_runs_by_comparator", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<3x450xf32>) -> (tensor<3x450xi32>, tensor<3x450xf32>) {\n"
     "%i = stablehlo.iota dim = 1 : tensor<3x450xi32>\n"
     "%r = stablehlo.constant dense<64> : tensor<3x450xi32>\n"
     "%d = stablehlo.constant dense<7> : tensor<3x450xi32>\n"
     "%m = stablehlo.remainder %i, %r : tensor<3x450xi32>\n"
     "%k = stablehlo.divide %m, %d : tensor<3x450xi32>\n"
     "%0:2 = \"stablehlo.sort\"(%k, %a) <{dimension = 1 : i64, is_stable = true}> ({\n"
     "^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):\n"
     "%s = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "%z = stablehlo.constant dense<false> : tensor<i1>\n"
     "%u = stablehlo.or %s, %z : tensor<i1>\n"
     "stablehlo.return %u : tensor<i1>\n"
     "}) {shardc.sorted_runs = 64 : i64} : (tensor<3x450xi32>, tensor<3x450xf32>) -> "
     "(tensor<3x450xi32>, tensor<3x450xf32>)\n"
     "return %0#0, %0#1 : tensor<3x450xi32>, tensor<3x450xf32>\n"
     "}\n"},
    {"top_k", KERNEL_SORT, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<5x100xf32>) -> (tensor<5x7xf32>, tensor<5x7xi32>) {\n"
     "%0, %1 = chlo.top_k(%a, k = 7) : tensor<5x100xf32> -> (tensor<5x7xf32>, tensor<5x7xi32>)\n"
     "return %0, %1 : tensor<5x7xf32>, tensor<5x7xi32>\n"
     "}\n"},
    {"max_pool", KERNEL_WINDOW, OP_COUNT, 1, 0,
     "func.func @main(%a: tensor<2x12x13x8xf32>) -> tensor<2x6x7x8xf32> {\n"
     "%z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
     "%0 = \"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> "
     ": tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: "
     "1, 2, 2, 1>}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.maximum %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<2x12x13x8xf32>, tensor<f32>) -> tensor<2x6x7x8xf32>\n"
     "return %0 : tensor<2x6x7x8xf32>\n"
     "}\n"},
    {"cumulative_sum_of_rows", KERNEL_WINDOW, OP_COUNT, 1, 1e-05,
     "func.func @main(%a: tensor<20x100xf32>) -> tensor<20x100xf32> {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%0 = \"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[0, 0], [99, 0]]> : "
     "tensor<2x2xi64>, window_dimensions = array<i64: 1, 100>}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<20x100xf32>, tensor<f32>) -> tensor<20x100xf32>\n"
     "return %0 : tensor<20x100xf32>\n"
     "}\n"},
    {"cumulative_sum_reversed", KERNEL_WINDOW, OP_COUNT, 1, 0.0001,
     "func.func @main(%a: tensor<20x100xf32>) -> tensor<20x100xf32> {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%0 = \"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[0, 0], [0, 99]]> : "
     "tensor<2x2xi64>, window_dimensions = array<i64: 1, 100>}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<20x100xf32>, tensor<f32>) -> tensor<20x100xf32>\n"
     "return %0 : tensor<20x100xf32>\n"
     "}\n"},
    {"cumulative_sum_of_columns", KERNEL_WINDOW, OP_COUNT, 1, 1e-05,
     "func.func @main(%a: tensor<20x100xf32>) -> tensor<20x100xf32> {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%0 = \"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[19, 0], [0, 0]]> : "
     "tensor<2x2xi64>, window_dimensions = array<i64: 20, 1>}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<20x100xf32>, tensor<f32>) -> tensor<20x100xf32>\n"
     "return %0 : tensor<20x100xf32>\n"
     "}\n"},
    {"select_and_scatter", KERNEL_SELECT_SCATTER, OP_COUNT, 1, 1e-06,
     "func.func @main(%a: tensor<2x12x13x8xf32>, %b: tensor<2x6x7x8xf32>) -> tensor<2x12x13x8xf32> "
     "{\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%0 = \"stablehlo.select_and_scatter\"(%a, %b, %z) <{padding = dense<[[0, 0], [0, 1], [1, 1], "
     "[0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = "
     "array<i64: 1, 2, 2, 1>}> ({\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "stablehlo.return %s : tensor<i1>\n"
     "}, {\n"
     "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
     "%s = stablehlo.add %x, %y : tensor<f32>\n"
     "stablehlo.return %s : tensor<f32>\n"
     "}) : (tensor<2x12x13x8xf32>, tensor<2x6x7x8xf32>, tensor<f32>) -> tensor<2x12x13x8xf32>\n"
     "return %0 : tensor<2x12x13x8xf32>\n"
     "}\n"},
    {"triangular_solve_left_transposed", KERNEL_SOLVE, OP_COUNT, 1, 0.001,
     "func.func @main(%a: tensor<3x8x8xf32>, %b: tensor<3x8x40xf32>) -> tensor<3x8x40xf32> {\n"
     "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = true, transpose_a = "
     "#stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x8x8xf32>, "
     "tensor<3x8x40xf32>) -> tensor<3x8x40xf32>\n"
     "return %0 : tensor<3x8x40xf32>\n"
     "}\n"},
    {"triangular_solve_right", KERNEL_SOLVE, OP_COUNT, 1, 0.001,
     "func.func @main(%a: tensor<3x8x8xf32>, %b: tensor<3x40x8xf32>) -> tensor<3x40x8xf32> {\n"
     "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = false, lower = true, transpose_a = "
     "#stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x8x8xf32>, "
     "tensor<3x40x8xf32>) -> tensor<3x40x8xf32>\n"
     "return %0 : tensor<3x40x8xf32>\n"
     "}\n"},
    {"cholesky_upper_complex", KERNEL_CHOLESKY, OP_CHOLESKY, 1, 1e-05,
     "func.func @main(%a: tensor<3x8x8xcomplex<f32>>) -> tensor<3x8x8xcomplex<f32>> {\n"
     "%e = stablehlo.constant dense<(40.0, 0.0)> : tensor<3x8x8xcomplex<f32>>\n"
     "%i = stablehlo.iota dim = 1 : tensor<3x8x8xi32>\n"
     "%j = stablehlo.iota dim = 2 : tensor<3x8x8xi32>\n"
     "%d = stablehlo.compare EQ, %i, %j : (tensor<3x8x8xi32>, tensor<3x8x8xi32>) -> "
     "tensor<3x8x8xi1>\n"
     "%m = stablehlo.select %d, %e, %a : tensor<3x8x8xi1>, tensor<3x8x8xcomplex<f32>>\n"
     "%0 = stablehlo.cholesky %m, lower = false : tensor<3x8x8xcomplex<f32>>\n"
     "return %0 : tensor<3x8x8xcomplex<f32>>\n"
     "}\n"},
    {"cholesky_lower_complex", KERNEL_CHOLESKY, OP_CHOLESKY, 1, 1e-05,
     "func.func @main(%a: tensor<3x8x8xcomplex<f32>>) -> tensor<3x8x8xcomplex<f32>> {\n"
     "%e = stablehlo.constant dense<(40.0, 0.0)> : tensor<3x8x8xcomplex<f32>>\n"
     "%i = stablehlo.iota dim = 1 : tensor<3x8x8xi32>\n"
     "%j = stablehlo.iota dim = 2 : tensor<3x8x8xi32>\n"
     "%d = stablehlo.compare EQ, %i, %j : (tensor<3x8x8xi32>, tensor<3x8x8xi32>) -> "
     "tensor<3x8x8xi1>\n"
     "%m = stablehlo.select %d, %e, %a : tensor<3x8x8xi1>, tensor<3x8x8xcomplex<f32>>\n"
     "%0 = stablehlo.cholesky %m, lower = true : tensor<3x8x8xcomplex<f32>>\n"
     "return %0 : tensor<3x8x8xcomplex<f32>>\n"
     "}\n"},
    {"fft_of_two_dimensions", KERNEL_FFT, OP_COUNT, 1, 1e-05,
     "func.func @main(%a: tensor<3x12x16xcomplex<f32>>) -> tensor<3x12x16xcomplex<f32>> {\n"
     "%0 = stablehlo.fft %a, type = FFT, length = [12, 16] : (tensor<3x12x16xcomplex<f32>>) -> "
     "tensor<3x12x16xcomplex<f32>>\n"
     "return %0 : tensor<3x12x16xcomplex<f32>>\n"
     "}\n"},
    {"inverse_fft_of_odd_factors", KERNEL_FFT, OP_COUNT, 1, 1e-05,
     "func.func @main(%a: tensor<3x35x7xcomplex<f32>>) -> tensor<3x35x7xcomplex<f32>> {\n"
     "%0 = stablehlo.fft %a, type = IFFT, length = [35, 7] : (tensor<3x35x7xcomplex<f32>>) -> "
     "tensor<3x35x7xcomplex<f32>>\n"
     "return %0 : tensor<3x35x7xcomplex<f32>>\n"
     "}\n"},
    {"real_fft", KERNEL_FFT, OP_COUNT, 1, 1e-05,
     "func.func @main(%a: tensor<3x30xf32>) -> tensor<3x16xcomplex<f32>> {\n"
     "%0 = stablehlo.fft %a, type = RFFT, length = [30] : (tensor<3x30xf32>) -> "
     "tensor<3x16xcomplex<f32>>\n"
     "return %0 : tensor<3x16xcomplex<f32>>\n"
     "}\n"},
    {"inverse_real_fft", KERNEL_FFT, OP_COUNT, 1, 1e-05,
     "func.func @main(%a: tensor<3x6x9xcomplex<f32>>) -> tensor<3x6x16xf32> {\n"
     "%0 = stablehlo.fft %a, type = IRFFT, length = [6, 16] : (tensor<3x6x9xcomplex<f32>>) -> "
     "tensor<3x6x16xf32>\n"
     "return %0 : tensor<3x6x16xf32>\n"
     "}\n"},
    {"complex_contraction", KERNEL_CONTRACT, OP_DOT_GENERAL, 1, 0.01,
     "func.func @main(%a: tensor<4x33x50xcomplex<f32>>, %b: tensor<4x50x70xcomplex<f32>>) -> "
     "tensor<4x33x70xcomplex<f32>> {\n"
     "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
     "(tensor<4x33x50xcomplex<f32>>, tensor<4x50x70xcomplex<f32>>) -> "
     "tensor<4x33x70xcomplex<f32>>\n"
     "%1 = stablehlo.tanh %0 : tensor<4x33x70xcomplex<f32>>\n"
     "return %1 : tensor<4x33x70xcomplex<f32>>\n"
     "}\n"},
    {"pixels_last", KERNEL_CONV, OP_CONVOLUTION, 1, 1e-4,
     "func.func @main(%a: tensor<2x20x9x29xf32>, %w: tensor<33x20x3x3xf32>) -> "
     "tensor<2x33x9x29xf32> {\n"
     "%0 = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], "
     "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
     "feature_group_count = 1 : i64} : (tensor<2x20x9x29xf32>, tensor<33x20x3x3xf32>) -> "
     "tensor<2x33x9x29xf32>\n"
     "return %0 : tensor<2x33x9x29xf32>\n"
     "}\n"},
    {"pixels_last_in_one_dimension", KERNEL_CONV, OP_CONVOLUTION, 1, 1e-12,
     "func.func @main(%a: tensor<3x35x140xf64>, %w: tensor<17x35x5xf64>) -> tensor<3x17x70xf64> {\n"
     "%0 = stablehlo.convolution(%a, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = "
     "{stride = "
     "[2], pad = [[2, 2]]} {batch_group_count = 1 : i64, "
     "feature_group_count = 1 : i64} : (tensor<3x35x140xf64>, tensor<17x35x5xf64>) -> "
     "tensor<3x17x70xf64>\n"
     "return %0 : tensor<3x17x70xf64>\n"
     "}\n"},
    {"streamed_stores_of_unaligned_rows", KERNEL_LOOP, OP_COUNT, 4, 0,
     "func.func @main(%a: tensor<1025x1030xf32>, %b: tensor<1030xf32>) -> tensor<1025x1030xf32> {\n"
     "%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<1030xf32>) -> "
     "tensor<1025x1030xf32>\n"
     "%1 = stablehlo.add %a, %0 : tensor<1025x1030xf32>\n"
     "return %1 : tensor<1025x1030xf32>\n"
     "}\n"},
};

static void check(const Case *c) {
    static const int64_t parts[] = {1, 3, 7};
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {.device_count = c->devices};
    assert_true(kernel_run_create(&run, arena, c->text, c->kind, c->root));
    assert_true(kernel_run_compile(&run, NULL, false));
    for (int i = 0; i < 3; i++) {
        kernel_run_execute(&run, parts[i]);
        double error = kernel_run_error(&run);
        if (error > c->tolerance)
            print_message("%s in %d parts: error %g\n", c->name, (int)parts[i], error);
        assert_true(error <= c->tolerance);
    }
    kernel_run_free(&run);
    arena_free(arena);
}

static void kernels_agree_with_the_evaluator(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

// The data of the kernels, run element by element.
static void stages_agree_with_the_evaluator(void **state) {
    (void)state;
    int evaluated = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run = {.device_count = c->devices};
        assert_true(kernel_run_create(&run, arena, c->text, c->kind, c->root));
        assert_true(kernel_run_plan(&run, NULL));
        bool is_large = type_element_count(run.kernel.outputs[0].value->type) > 1 << 16;
        if (run.kernel.stage->kind != STAGE_SPECIAL && !is_large) {
            assert_true(kernel_run_evaluate(&run));
            double error = kernel_run_error(&run);
            if (error > c->tolerance) print_message("stage of %s: error %g\n", c->name, error);
            assert_true(error <= c->tolerance);
            evaluated++;
        }
        arena_free(arena);
    }
    assert_true(evaluated > 20);
}

// Few long folds are shared out: each part of the grid makes some of their results.
static void folds_are_shared_out(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%a: tensor<64x20000xf32>) -> tensor<64xf32> {\n"
        "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] : "
        "(tensor<64x20000xf32>, tensor<f32>) -> tensor<64xf32>\n"
        "return %0 : tensor<64xf32>\n"
        "}\n";
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    assert_true(kernel_run_create(&run, arena, text, KERNEL_REDUCE, OP_REDUCE));
    assert_true(kernel_run_compile(&run, NULL, false));
    for (int parts = 2; parts <= 32; parts *= 4) {
        kernel_run_parts(&run, parts, 1);
        const float *got = run.outputs[0]->data, *all = run.expected[0]->data;
        int made = 0;
        for (int i = 0; i < 64; i++)
            made += got[i] == all[i];
        assert_in_range(made, 64 / parts / 2, 64 / parts * 2);
    }
    kernel_run_free(&run);
    arena_free(arena);
}

// Any order, of elements that exist.
static void comparators_may_be_no_order(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main() -> tensor<2x500xi32> {\n"
        "%i = stablehlo.iota dim = 1 : tensor<2x500xi32>\n"
        "%0 = \"stablehlo.sort\"(%i) <{dimension = 1 : i64, is_stable = true}> ({\n"
        "^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
        "%s = stablehlo.compare NE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.return %s : tensor<i1>\n"
        "}) {shardc.sorted_runs = 60 : i64} : (tensor<2x500xi32>) -> tensor<2x500xi32>\n"
        "return %0 : tensor<2x500xi32>\n"
        "}\n";
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    assert_true(kernel_run_create(&run, arena, text, KERNEL_SORT, OP_SORT));
    assert_true(kernel_run_compile(&run, NULL, false));
    kernel_run_execute(&run, 3);
    for (int i = 0; i < 1000; i++)
        assert_in_range(((int32_t *)run.outputs[0]->data)[i], 0, 499);
    kernel_run_free(&run);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_the_evaluator),
        cmocka_unit_test(stages_agree_with_the_evaluator), cmocka_unit_test(folds_are_shared_out),
        cmocka_unit_test(comparators_may_be_no_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
