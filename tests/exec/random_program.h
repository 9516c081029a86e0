// Random sharded programs for differential tests: what a program consists of, how it is made from a seed, and how it is made smaller.
//
// A program is a list of values. Each is an argument or one op; it knows its operands, so that it can become an argument and what is then
// unused can go (shrinking). Every value carries a bound of its magnitude and of the error that two right implementations may differ by:
// zero while all arithmetic on the way was exact (integers within the mantissa), so most results must agree to the bit.
#ifndef SHARDC_TESTS_EXEC_RANDOM_PROGRAM_H
#define SHARDC_TESTS_EXEC_RANDOM_PROGRAM_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_VALUES = 64,
    MAX_VALUE_OPERANDS = 4,
    MAX_VALUE_RANK = 5,
    MAX_PROGRAM_RESULTS = 6,
    MAX_PROGRAM_AXES = 4
};

typedef enum Kind { F32, F64, BF16, F16, I32, I64, I8, U8, U32, I1, KIND_COUNT } Kind;

typedef struct Shape {
    Kind kind;
    int rank;
    int64_t dims[MAX_VALUE_RANK];
} Shape;

typedef struct RandomValue {
    Shape shape;
    bool is_argument;
    int donated_to;     // arguments: result that may take their memory, -1 = none
    const char *before; // lines that define what the right side uses; "" without
    const char *right;  // "stablehlo.add %v1, %v2 : tensor<4xf32>"
    int operand_count, operands[MAX_VALUE_OPERANDS];
    const char *sharding; // "<@mesh, [{\"x\"}]>", NULL = none
    double bound, error;
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

// Facts about element types.
const char *kind_text(Kind kind);
int64_t kind_bytes(Kind kind);
bool kind_is_float(Kind kind);
double kind_exact(Kind kind); // integers up to here are exact; of integer types their largest value
double kind_epsilon(Kind kind); // relative rounding error; 0 for integers
int64_t shape_count(const Shape *shape);
bool shape_equal(const Shape *a, const Shape *b);
const char *shape_text(Arena *arena, const Shape *shape); // tensor<4x5xf32>

RandomProgram *random_program(Arena *arena, uint64_t seed);
// Which values the results need. Arguments that nobody needs are not part of the text.
void random_program_live(const RandomProgram *program, bool *is_live);
const char *random_program_text(Arena *arena, const RandomProgram *program);
// Fills an argument: integers when the value is exact, within its bound. Depends on the seed and the value's number alone.
void random_program_fill(const RandomProgram *program, int value, void *data);
// A smaller program: change number `step` of many (a copy). NULL when that one is not possible; *is_end: there is none from here on.
RandomProgram *random_program_smaller(
    Arena *arena, const RandomProgram *program, int step, bool *is_end);

// ---- for the files that make ops
typedef struct Maker {
    Arena *arena;
    RandomProgram *program;
    uint64_t state;
    int next_name; // of helper values
    int argument_count;
    bool is_large; // larger arrays
} Maker;

int64_t draw_below(Maker *maker, int64_t count);               // 0 .. count-1
int64_t draw_between(Maker *maker, int64_t low, int64_t high); // inclusive
bool draw_percent(Maker *maker, int percent);
int draw_value(
    Maker *maker,
    bool (*accepts)(const RandomValue *value)); // a value's number, -1 when none was found
Shape draw_shape(Maker *maker, Kind kind);
int value_like(
    Maker *maker, Shape shape); // one that is there, or a new argument or constant; -1 when full
int new_argument(Maker *maker, Shape shape); // -1 when full
const char *new_name(Maker *maker);          // "%h3"
const RandomValue *value_at(const Maker *maker, int value);
void use(RandomValue *value, int operand);
const char *text_list(Arena *arena, int count, const int64_t *numbers); // "[1, 2]"
const char *scalar_text(Arena *arena, Kind kind, int64_t number);       // "3.0" or "3" or "true"
// Error of a sum or product whose operands were exact or not.
double rounded(const Shape *shape, double bound, double error);

// One kind of op: fills *value, or says that it cannot.
typedef struct OpMaker {
    const char *name;
    int weight;
    bool (*make)(Maker *maker, RandomValue *value);
} OpMaker;

extern const OpMaker simple_makers[]; // pointwise ops and moves of elements (make_simple.c)
extern const int simple_maker_count;
extern const OpMaker
    complex_makers[]; // contractions, windows, gathers, sorts, loops (make_complex.c)
extern const int complex_maker_count;
extern const OpMaker manual_makers[]; // manual computations (make_manual.c)
extern const int manual_maker_count;

#endif
