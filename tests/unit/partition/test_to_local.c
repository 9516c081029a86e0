// The device program computes what the global program does: both run on the evaluator.
#include "ir/eval/eval.h"
#include "ir/verify/verify.h"
#include "partition/partition.h"
#include "tests/unit/partition/partition_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Element i of argument a: small integers, so that sums are exact.
static void fill(Tensor *tensor, int a) {
    int64_t count = type_element_count(tensor->type);
    for (int64_t i = 0; i < count; i++) {
        int64_t number = (i * 7 + a * 3) % 11 - 4;
        if (tensor->type->element == ELEMENT_F32) {
            ((float *)tensor->data)[i] = (float)number;
        } else {
            ((int32_t *)tensor->data)[i] = (int32_t)(number < 0 ? -number : number);
        }
    }
}

// Copies a device's tile of the global array, to it or from it.
static void copy_tile(
    const GlobalLayout *layout, int64_t device, char *global, char *local, bool to_local) {
    size_t size = element_bytes(layout->global->element);
    int64_t count = type_element_count(layout->local);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, place = 0, stride = 1;
        bool inside = true;
        for (int d = layout->local->rank - 1; d >= 0; d--) {
            int64_t index = rest % layout->local->dims[d] + layout_offset(layout, device, d);
            rest /= layout->local->dims[d];
            inside = inside && index < layout->global->dims[d];
            place += index * stride;
            stride *= layout->global->dims[d];
        }
        if (!inside) continue;
        char *in_global = global + (size_t)place * size, *in_local = local + (size_t)i * size;
        memcpy(to_local ? in_local : in_global, to_local ? in_global : in_local, size);
    }
}

static bool elements_agree(const Type *type, const char *a, const char *b) {
    int64_t count = type_element_count(type);
    if (type->element != ELEMENT_F32) return memcmp(a, b, type_bytes(type)) == 0;
    for (int64_t i = 0; i < count; i++) {
        float x, y;
        memcpy(&x, a + i * 4, 4);
        memcpy(&y, b + i * 4, 4);
        if (x != y && !(fabsf(x - y) <= 1e-5f * fabsf(y)) && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

// Number of ops with the code in the device program.
static int count_ops(const Region *region, OpCode code) {
    int count = 0;
    for (const Op *op = region->first; op; op = op->next) {
        count += op->code == code;
        for (int r = 0; r < op->region_count; r++)
            count += count_ops(op->regions[r], code);
    }
    return count;
}

// Runs the program both ways and compares every device's tile of every result.
// Returns the number of `counted` ops.
static int check_counting(const char *text, OpCode counted) {
    Fixture global = fixture_read(text), sharded = fixture_read(text);
    DeviceProgram program;
    const PartitionOptions options = {0};
    if (!partition_module(sharded.module, &options, &program, sharded.diags)) {
        fail_msg("%.*s", SV_ARG(sharded.diags->first->message));
    }
    assert_true(verify_module(program.module, sharded.diags));
    int args = program.arg_count, results = program.result_count;
    int64_t devices = program.device_count;
    Arena *arena = sharded.arena;
    Tensor **in = ARENA_ARRAY(arena, Tensor *, args);
    Tensor **out = ARENA_ARRAY(arena, Tensor *, results);
    Tensor **tiles_in = ARENA_ARRAY(arena, Tensor *, args * devices);
    Tensor **tiles_out = ARENA_ARRAY(arena, Tensor *, results * devices);
    for (int i = 0; i < args; i++) {
        in[i] = tensor_create(arena, program.args[i].global);
        fill(in[i], i);
        for (int64_t device = 0; device < devices; device++) {
            Tensor *tile = tensor_create(arena, program.args[i].local);
            copy_tile(&program.args[i], device, in[i]->data, tile->data, true);
            tiles_in[device * args + i] = tile;
        }
    }
    const EvalOptions eval = {.device_count = 1};
    assert_true(eval_function(
        arena, global.module, fixture_main(&global), (const Tensor *const *)in, out, &eval, NULL,
        global.diags));
    assert_true(eval_devices(
        arena, program.module, program.main, devices, (const Tensor *const *)tiles_in, tiles_out,
        &eval, sharded.diags));
    for (int i = 0; i < results; i++) {
        const Type *type = program.results[i].global;
        for (int64_t device = 0; device < devices; device++) {
            Tensor *whole = tensor_create(arena, type); // the right result with this device's tile
            memcpy(whole->data, out[i]->data, type_bytes(type));
            copy_tile(
                &program.results[i], device, whole->data, tiles_out[device * results + i]->data,
                false);
            assert_true(elements_agree(type, whole->data, out[i]->data));
        }
    }
    int count = count_ops(func_body(program.main), counted);
    arena_free(global.arena);
    arena_free(sharded.arena);
    return count;
}

static void check(const char *text) { check_counting(text, OP_ALL_GATHER); }

#define MESH_2X2 "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
#define MESH_4   "sdy.mesh @mesh = <[\"x\"=4]>\n"
#define ON(dims) " {sdy.sharding = #sdy.sharding<@mesh, [" dims "]>}"
#define MAIN     "func.func @main"
#define ADD_BODY                                                                                \
    "({\n ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  %s = stablehlo.add %a, %b : tensor<f32>\n" \
    "  stablehlo.return %s : tensor<f32>\n})"

static void contraction_over_sharded_dim_is_summed(void **state) {
    (void)state;
    int sums = check_counting(
        MESH_4 MAIN "(%arg0: tensor<6x8xf32>" ON("{}, {\"x\"}") ", %arg1: tensor<8x4xf32>" ON(
            "{\"x\"}, {}") ") -> tensor<6x4xf32> {\n"
                           "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x "
                           "[0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>\n"
                           "  return %0 : tensor<6x4xf32>\n}\n",
        OP_ALL_REDUCE);
    assert_int_equal(sums, 1);
}

static void sum_and_slice_are_one_reduce_scatter(void **state) {
    (void)state;
    int scatters = check_counting(
        MESH_4 MAIN "(%arg0: tensor<8x8xf32>" ON("{}, {\"x\"}") ", %arg1: tensor<8x4xf32>" ON(
            "{\"x\"}, {}") ") -> (tensor<8x4xf32>" ON("{\"x\"}, {}") ") {\n"
                                                                     "  %0 = stablehlo.dot_general "
                                                                     "%arg0, %arg1, "
                                                                     "contracting_dims = [1] x [0] "
                                                                     ": (tensor<8x8xf32>, "
                                                                     "tensor<8x4xf32>) -> "
                                                                     "tensor<8x4xf32>\n"
                                                                     "  return %0 : "
                                                                     "tensor<8x4xf32>\n}\n",
        OP_REDUCE_SCATTER);
    assert_int_equal(scatters, 1);
}

static void padding_does_not_reach_a_reduction(void **state) {
    (void)state;
    check(MESH_4 MAIN
          "(%arg0: tensor<7x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {\n"
          "  %0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\"}, {}]> : tensor<7x3xf32>\n"
          "  %1 = stablehlo.exponential %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, "
          "[{\"x\"}, {}]>]>} : tensor<7x3xf32>\n"
          "  %2 = stablehlo.constant dense<5.0> : tensor<f32>\n"
          "  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [0] : "
          "(tensor<7x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
          "  %4 = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "  %5 = stablehlo.reduce(%1 init: %4) applies stablehlo.maximum across dimensions = [0] "
          ": (tensor<7x3xf32>, tensor<f32>) -> tensor<3xf32>\n"
          "  return %3, %5 : tensor<3xf32>, tensor<3xf32>\n}\n");
}

static void slices_and_pads_cross_tiles(void **state) {
    (void)state;
    check(MESH_4 MAIN "(%arg0: tensor<16x3xf32>" ON(
        "{\"x\"}, {}") ") -> (tensor<9x3xf32>, tensor<21x3xf32>, tensor<16x3xf32>, "
                       "tensor<5x3xf32>) {\n"
                       "  %0 = stablehlo.slice %arg0 [5:14, 0:3] {sdy.sharding = "
                       "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : (tensor<16x3xf32>) -> "
                       "tensor<9x3xf32>\n"
                       "  %1 = stablehlo.constant dense<2.0> : tensor<f32>\n"
                       "  %2 = stablehlo.pad %arg0, %1, low = [3, 0], high = [2, 0], interior = "
                       "[0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} "
                       ": (tensor<16x3xf32>, tensor<f32>) -> tensor<21x3xf32>\n"
                       "  %3 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = "
                       "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : tensor<16x3xf32>\n"
                       "  %4 = stablehlo.slice %arg0 [1:16:3, 0:3] {sdy.sharding = "
                       "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : (tensor<16x3xf32>) -> "
                       "tensor<5x3xf32>\n"
                       "  return %0, %2, %3, %4 : tensor<9x3xf32>, tensor<21x3xf32>, "
                       "tensor<16x3xf32>, tensor<5x3xf32>\n}\n");
}

static void windows_exchange_borders_alone(void **state) {
    (void)state;
    int gathers = check_counting(
        MESH_4 MAIN "(%arg0: tensor<16x3xf32>" ON("{\"x\"}, {}") ") -> (tensor<16x3xf32>" ON(
            "{\"x\"}, {}") ") {\n"
                           "  %0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
                           "  %1 = \"stablehlo.reduce_window\"(%arg0, %0) <{padding = dense<[[1, "
                           "1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, "
                           "1>}> " ADD_BODY
                           " : (tensor<16x3xf32>, tensor<f32>) -> tensor<16x3xf32>\n"
                           "  return %1 : tensor<16x3xf32>\n}\n",
        OP_ALL_GATHER);
    assert_int_equal(gathers, 0);
}

static void running_sums_add_the_totals_before(void **state) {
    (void)state;
    check(MESH_4 MAIN
          "(%arg0: tensor<14x2xf32>) -> tensor<14x2xf32> {\n"
          "  %0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\"}, {}]> : tensor<14x2xf32>\n"
          "  %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "  %2 = \"stablehlo.reduce_window\"(%0, %1) <{padding = dense<[[13, 0], [0, 0]]> : "
          "tensor<2x2xi64>, window_dimensions = array<i64: 14, 1>}> " ADD_BODY
          " {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : "
          "(tensor<14x2xf32>, tensor<f32>) -> tensor<14x2xf32>\n"
          "  return %2 : tensor<14x2xf32>\n}\n");
}

static void rows_are_gathered_from_their_owners(void **state) {
    (void)state;
    int gathers = check_counting(
        MESH_4 MAIN "(%arg0: tensor<8x3xf32>" ON(
            "{\"x\"}, {}") ", %arg1: tensor<5x1xi32>) -> tensor<5x3xf32> {\n"
                           "  %0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = "
                           "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
                           "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: "
                           "1, 3>}> : (tensor<8x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>\n"
                           "  return %0 : tensor<5x3xf32>\n}\n",
        OP_ALL_GATHER);
    assert_int_equal(gathers, 0);
}

static void sorted_tiles_are_gathered_once(void **state) {
    (void)state;
    const char *text =
        MESH_4 MAIN "(%arg0: tensor<8192xf32>" ON("{\"x\"}") ") -> (tensor<8192xf32>" ON(
            "{\"x\"}") ") {\n"
                       "  %0 = \"stablehlo.sort\"(%arg0) <{dimension = 0 : i64, is_stable = true}> "
                       "({\n"
                       "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                       "    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, "
                       "tensor<f32>) -> tensor<i1>\n"
                       "    stablehlo.return %1 : tensor<i1>\n"
                       "  }) : (tensor<8192xf32>) -> tensor<8192xf32>\n"
                       "  return %0 : tensor<8192xf32>\n}\n";
    assert_int_equal(check_counting(text, OP_ALL_GATHER), 1);
    assert_int_equal(check_counting(text, OP_SORT), 3);
}

static void random_bits_are_made_by_their_tile(void **state) {
    (void)state;
    static const char *const algorithms[] = {"PHILOX", "THREE_FRY"};
    static const char *const shapes[] = {"12x10xui32", "8x8xui64", "5x7xui8"};
    for (int a = 0; a < 2; a++) {
        for (int s = 0; s < 3; s++) {
            char text[1000];
            snprintf(
                text, sizeof text,
                MESH_4 MAIN "(%%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<%s>" ON(
                    "{}, {\"x\"}") ") {\n"
                                   "  %%0:2 = \"stablehlo.rng_bit_generator\"(%%arg0) "
                                   "<{rng_algorithm = #stablehlo<rng_algorithm %s>}> : "
                                   "(tensor<2xui64>) -> (tensor<2xui64>, tensor<%s>)\n"
                                   "  return %%0#0, %%0#1 : tensor<2xui64>, tensor<%s>\n}\n",
                shapes[s], algorithms[a], shapes[s], shapes[s]);
            assert_int_equal(check_counting(text, OP_RNG_BIT_GENERATOR), 0);
        }
    }
}

static void updates_go_to_the_tile_they_fall_into(void **state) {
    (void)state;
    check(MESH_4 MAIN "(%arg0: tensor<8x3xf32>" ON(
        "{\"x\"}, {}") ", %arg1: tensor<5x1xi32>, %arg2: tensor<5x3xf32>, %arg3: tensor<i32>, "
                       "%arg4: tensor<3x3xf32>)\n"
                       "    -> (tensor<8x3xf32>, tensor<8x3xf32>) {\n"
                       "  %0 = \"stablehlo.scatter\"(%arg0, %arg1, %arg2) "
                       "<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                       "index_vector_dim = 1>}> " ADD_BODY
                       " {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : "
                       "(tensor<8x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<8x3xf32>\n"
                       "  %1 = stablehlo.constant dense<0> : tensor<i32>\n"
                       "  %2 = stablehlo.dynamic_update_slice %arg0, %arg4, %arg3, %1 "
                       "{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>} : "
                       "(tensor<8x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> "
                       "tensor<8x3xf32>\n"
                       "  return %0, %2 : tensor<8x3xf32>, tensor<8x3xf32>\n}\n");
}

static void device_order_of_a_mesh_is_respected(void **state) {
    (void)state;
    check("sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[2, 0, 3, 1]>\n" MAIN
          "(%arg0: tensor<4x6xf32>" ON("{\"x\"}, {\"y\"}") ") -> (tensor<4x6xf32>" ON(
              "{}, {\"x\", \"y\"}") ", tensor<4x6xi32>) {\n"
                                    "  %0 = stablehlo.negate %arg0 : tensor<4x6xf32>\n"
                                    "  %1 = stablehlo.iota dim = 1 {sdy.sharding = "
                                    "#sdy.sharding_per_value<[<@mesh, [{}, {\"y\"}]>]>} : "
                                    "tensor<4x6xi32>\n"
                                    "  return %0, %1 : tensor<4x6xf32>, tensor<4x6xi32>\n}\n");
}

static void reshapes_of_uneven_tiles_are_gathered(void **state) {
    (void)state;
    check(MESH_4 MAIN
          "(%arg0: tensor<6x5xf32>) -> (tensor<30xf32>, tensor<3x2x5xf32>) {\n"
          "  %0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\"}, {}]> : tensor<6x5xf32>\n"
          "  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, "
          "[{\"x\"}]>]>} : (tensor<6x5xf32>) -> tensor<30xf32>\n"
          "  %2 = stablehlo.reshape %0 : (tensor<6x5xf32>) -> tensor<3x2x5xf32>\n"
          "  return %1, %2 : tensor<30xf32>, tensor<3x2x5xf32>\n}\n");
}

static void loops_carry_tiles(void **state) {
    (void)state;
    check(MESH_2X2 MAIN "(%arg0: tensor<4x6xf32>" ON(
        "{\"x\"}, {\"y\"}") ", %arg1: tensor<i32>) -> tensor<4x6xf32> {\n"
                            "  %0 = stablehlo.constant dense<0> : tensor<i32>\n"
                            "  %1 = stablehlo.constant dense<1> : tensor<i32>\n"
                            "  %2:2 = stablehlo.while(%i = %0, %v = %arg0) : tensor<i32>, "
                            "tensor<4x6xf32>\n"
                            "  cond {\n    %4 = stablehlo.compare LT, %i, %arg1, SIGNED : "
                            "(tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %4 : "
                            "tensor<i1>\n"
                            "  } do {\n    %4 = stablehlo.add %i, %1 : tensor<i32>\n    %5 = "
                            "stablehlo.reverse %v, dims = [0] : tensor<4x6xf32>\n"
                            "    stablehlo.return %4, %5 : tensor<i32>, tensor<4x6xf32>\n  }\n"
                            "  return %2#1 : tensor<4x6xf32>\n}\n");
}

static void unreduced_arguments_count_once(void **state) {
    (void)state;
    check(MESH_2X2 MAIN "(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], "
                        "unreduced={\"x\"}>}) -> tensor<4xf32> {\n"
                        "  %0 = stablehlo.negate %arg0 {sdy.sharding = "
                        "#sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<4xf32>\n"
                        "  return %0 : tensor<4xf32>\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contraction_over_sharded_dim_is_summed),
        cmocka_unit_test(sum_and_slice_are_one_reduce_scatter),
        cmocka_unit_test(padding_does_not_reach_a_reduction),
        cmocka_unit_test(slices_and_pads_cross_tiles),
        cmocka_unit_test(windows_exchange_borders_alone),
        cmocka_unit_test(running_sums_add_the_totals_before),
        cmocka_unit_test(rows_are_gathered_from_their_owners),
        cmocka_unit_test(sorted_tiles_are_gathered_once),
        cmocka_unit_test(random_bits_are_made_by_their_tile),
        cmocka_unit_test(updates_go_to_the_tile_they_fall_into),
        cmocka_unit_test(device_order_of_a_mesh_is_respected),
        cmocka_unit_test(reshapes_of_uneven_tiles_are_gathered),
        cmocka_unit_test(loops_carry_tiles),
        cmocka_unit_test(unreduced_arguments_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
