// Random sharded programs for differential tests: what a program consists of, how it is made from a
// seed, and how it is made smaller.
//
// A program is a list of values. Each is an argument or one op; it knows its operands, so that it
// can become an argument and what is then unused can go (shrinking). Every value carries a bound of
// its magnitude and of the error that two right implementations may differ by: zero while the order
// of arithmetic cannot matter (one rounding per op, or sums whose terms and results fit the
// mantissa), so most results must agree to the bit. The bodies of control flow, calls and manual
// computations are drawn like the program itself, in a scope.
#ifndef SHARDC_TESTS_EXEC_RANDOM_PROGRAM_H
#define SHARDC_TESTS_EXEC_RANDOM_PROGRAM_H

#include "base/strbuf.h"
#include "ir/type.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_VALUES = 160,
    MAX_VALUE_OPERANDS = 16,
    MAX_VALUE_RANK = 5,
    MAX_PROGRAM_RESULTS = 6,
    MAX_PROGRAM_AXES = 4,
    MAX_SCOPES = 4
};

typedef struct Shape {
    ElementType kind;
    int rank;
    int64_t dims[MAX_VALUE_RANK];
} Shape;

// What is known of the elements of a value.
typedef struct ValueBounds {
    // of the magnitude (complex: of each part); infinite: anything, infinities and NaN included
    double bound;
    double error; // that right implementations may differ by
    double grid;  // every element is a multiple of it; 0 = not known
    // > 0: the result of a function far from its usual arguments: nobody uses
    // it; allowed error in roundings
    double relative;
    bool loose_zero; // the sign of a zero is not defined
    bool loose_nan;  // the bits of a NaN are not defined
} ValueBounds;

typedef struct RandomValue {
    Shape shape;
    bool is_argument;
    int scope;             // 0 = the function's body
    int donated_to;        // arguments: result that may take their memory, -1 = none
    const char *before;    // lines that define what the right side uses; "" without
    const char *right;     // "stablehlo.add %v1, %v2 : tensor<4xf32>"
    const char *functions; // other functions that it calls; "" without
    int operand_count, operands[MAX_VALUE_OPERANDS];
    const char *sharding; // "<@mesh, [{\"x\"}]>", NULL = none
    ValueBounds bounds;
} RandomValue;

typedef struct RandomProgram {
    uint64_t seed;
    const char *mesh; // "<[\"x\"=2]>", NULL = one device
    bool is_iota;     // devices are numbered in the order of the mesh
    int axis_count;
    int64_t axis_sizes[MAX_PROGRAM_AXES];
    int value_count;
    RandomValue values[MAX_VALUES];
    int result_count, results[MAX_PROGRAM_RESULTS];
    const char *result_shardings[MAX_PROGRAM_RESULTS]; // NULL = none
} RandomProgram;

// Element types.
const char *kind_text(ElementType kind);
bool kind_is_float(ElementType kind); // complex too
bool kind_is_real(ElementType kind);  // floating point, not complex
bool kind_is_complex(ElementType kind);
bool kind_is_signed(ElementType kind);
bool kind_is_unsigned(ElementType kind);
// integers up to here are exact; of integer types their largest value
double kind_exact(ElementType kind);
double kind_most(ElementType kind);    // the largest finite number
double kind_epsilon(ElementType kind); // relative rounding error; 0 for integers
int64_t shape_count(const Shape *shape);
bool shape_equal(const Shape *a, const Shape *b);
const char *shape_text(Arena *arena, const Shape *shape); // tensor<4x5xf32>

RandomProgram *random_program(Arena *arena, uint64_t seed);
// Which values the results need. Arguments that nobody needs are not part of the text.
void random_program_live(const RandomProgram *program, bool *is_live);
const char *random_program_text(Arena *arena, const RandomProgram *program);
// Fills an argument with numbers that its bounds allow. Depends on the seed and the value's number
// alone.
void random_program_fill(const RandomProgram *program, int number, void *data);
// A smaller program: change number `step` of many (a copy). NULL when that one is not possible;
// *is_end: there is none from here on.
RandomProgram *random_program_smaller(
    Arena *arena, const RandomProgram *program, int step, bool *is_end);

// ---- for the files that make ops
typedef struct Maker {
    Arena *arena;
    RandomProgram *program;
    uint64_t state;
    int next_name; // of names that are no value's
    int argument_count;
    bool is_large;  // larger arrays
    int next_scope; // scopes have numbers
    int scope_count, scopes[MAX_SCOPES];
    int first_scope,
        outer_first[MAX_SCOPES]; // values of earlier scopes are out of sight (isolated bodies)
    bool is_manual;              // in a manual computation: no constraints
    int extra_count; // values that are added after the one that is made: further results
    RandomValue extras[4];
} Maker;

int64_t draw_below(Maker *maker, int64_t count);               // 0 .. count-1
int64_t draw_between(Maker *maker, int64_t low, int64_t high); // inclusive
bool draw_percent(Maker *maker, int percent);
void shuffle(Maker *maker, int count, int64_t *numbers); // 0 .. count-1 in any order
// A value's number that the op can take, -1 when none was found.
int draw_value(Maker *maker, bool (*accepts)(const RandomValue *value));
ElementType draw_kind(Maker *maker);
Shape draw_shape(Maker *maker, ElementType kind);
// one that is there, or a new argument or constant; -1 when full
int value_like(Maker *maker, Shape shape);
int new_argument(Maker *maker, Shape shape);           // -1 when full
int add_value(Maker *maker, const RandomValue *value); // -1 when full
// Result `number` of the op with several that stands before, "%h3:2", becomes a value of its own.
void add_extra(Maker *maker, const char *all, int number, Shape shape, ValueBounds bounds);
bool add_op(Maker *maker);          // draws one op that fits; false when none of some attempts did
const char *new_name(Maker *maker); // "%h3"
const RandomValue *value_at(const Maker *maker, int value);
void use(RandomValue *value, int operand);
const char *type_of(const Maker *maker, int value);
const char *text_list(Arena *arena, int count, const int64_t *numbers);  // "[1, 2]"
const char *array_text(Arena *arena, int count, const int64_t *numbers); // "array<i64: 1, 2>"
const char *scalar_text(Arena *arena, ElementType kind, int64_t number); // "3.0" or "3" or "true"
// the neutral element of maximum: "0xFF800000"
const char *lowest_text(Arena *arena, ElementType kind);
const char *highest_text(Arena *arena, ElementType kind);
const char *compare_type(ElementType kind); // "FLOAT", "SIGNED", "UNSIGNED"
// The element type of a product's result: the operands', or a wider one.
ElementType draw_sum_kind(Maker *maker, ElementType kind);
// A scalar constant before the op; returns its name.
const char *constant_before(Maker *maker, RandomValue *value, ElementType kind, const char *text);
// A region of two scalar arguments: "({ ^bb0(...): ... })".
const char *body_text(Maker *maker, const char *op, ElementType kind);

// ---- bounds of results
bool is_anything(const RandomValue *value); // infinities and NaN
bool is_exact(const RandomValue *value);    // implementations agree to the bit
bool is_calm(const RandomValue *value);     // finite numbers of moderate size, whatever their type
bool has_rank(const RandomValue *value);
bool is_number(const RandomValue *value); // not i1
bool can_add(const RandomValue *value);   // sums of it are worth comparing
// Elements are moved: the bounds of both.
ValueBounds bounds_either(const ValueBounds *a, const ValueBounds *b);
// One rounding per element of a result that is `bound` at most and had `error` from its operands.
ValueBounds bounds_rounded(ElementType kind, double bound, double error, double grid);
// A sum of `count` terms in any order.
ValueBounds bounds_summed(ElementType kind, double bound, double error, double grid, int64_t count);
// Sums of `terms` products, in any order.
ValueBounds bounds_of_products(
    ElementType kind, const RandomValue *x, const RandomValue *y, double terms);
bool bounds_are_good(ElementType kind, const ValueBounds *bounds); // worth comparing

// ---- scopes: bodies drawn like the program
// Opens a body; isolated ones see no values from outside. False when bodies are nested too deeply.
bool body_open(Maker *maker, bool is_isolated);
int body_argument(
    Maker *maker, Shape shape, ValueBounds bounds); // a body's own argument; -1 when full
void body_draw(Maker *maker, int count);            // up to `count` ops
// The lines of the ops from value `first` on that `count` results need, now and then of all.
const char *body_lines(Maker *maker, int first, int count, const int *results, const char *indent);
void body_close(Maker *maker);
// The operands that values `first` ... of a closed or open body take from outside become the op's.
// False when there are too many.
bool use_outer(Maker *maker, RandomValue *value, int first);

// ---- shardings (draw_sharding.c)
void draw_mesh(Maker *maker);
// Axes of the mesh, each given to a dimension or to none; sometimes a half of an axis;
// dimensions open, with priorities.
const char *draw_sharding(Maker *maker, int rank, bool is_closed);
// The same for a value inside the program; one that can be added may be left unreduced over axes.
const char *draw_constraint(Maker *maker, int rank, bool can_add);

// One kind of op: fills *value, or says that it cannot.
typedef struct OpMaker {
    const char *name;
    int weight;
    bool (*make)(Maker *maker, RandomValue *value);
} OpMaker;

extern const OpMaker pointwise_makers[], move_makers[], reduce_makers[], convolution_makers[],
    gather_makers[], control_makers[], algebra_makers[], manual_makers[], shorthand_makers[],
    row_makers[], update_makers[];
extern const int pointwise_maker_count, move_maker_count, reduce_maker_count,
    convolution_maker_count, gather_maker_count, control_maker_count, algebra_maker_count,
    manual_maker_count, shorthand_maker_count, row_maker_count, update_maker_count;

#endif
