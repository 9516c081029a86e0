/* Trains the MLP of mlp_train.mlir. The parameters are donated: the caller gives the same
 * memory for a parameter and for its new value, so a step updates them in place and
 * nothing is copied between steps.
 *
 *     train PATH/mlp_train.mlir [STEPS]
 *
 * Exit status 0 when the loss fell to a tenth. */
#include <math.h>
#include <shardc/shardc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { B1, B2, W1, W2, X, Y, INPUTS };
enum { BATCH = 64, IN = 32, HIDDEN = 128, OUT = 8 };

static float b1[HIDDEN], b2[OUT], w1[IN][HIDDEN], w2[HIDDEN][OUT];
static float x[BATCH][IN], y[BATCH][OUT];

/* Uniform in [-1, 1): a linear congruential generator is good enough here. */
static float draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((double)(*state >> 11) * 0x1p-52 - 1);
}

/* What is to be learned: y = sin of a random linear map of x. */
static void make_problem(void) {
    uint64_t state = 1;
    static float map[IN][OUT];
    for (int i = 0; i < IN; i++) {
        for (int h = 0; h < HIDDEN; h++)
            w1[i][h] = draw(&state) * 0.3f;
        for (int o = 0; o < OUT; o++)
            map[i][o] = draw(&state) * 0.5f;
    }
    for (int h = 0; h < HIDDEN; h++) {
        for (int o = 0; o < OUT; o++)
            w2[h][o] = draw(&state) * 0.15f;
    }
    for (int b = 0; b < BATCH; b++) {
        for (int i = 0; i < IN; i++)
            x[b][i] = draw(&state);
        for (int o = 0; o < OUT; o++) {
            float sum = 0;
            for (int i = 0; i < IN; i++)
                sum += x[b][i] * map[i][o];
            y[b][o] = sinf(sum);
        }
    }
}

/* Is this executable the one that we have arrays for? */
static int fits(const shardc_model *model) {
    static const size_t bytes[INPUTS] = {sizeof b1, sizeof b2, sizeof w1,
                                         sizeof w2, sizeof x,  sizeof y};
    if (model->arg_count != INPUTS || model->result_count != 5) return 0;
    for (int i = 0; i < INPUTS; i++) {
        if (model->args[i].bytes != (int64_t)bytes[i]) return 0;
        if (i < X && model->args[i].alias != i) return 0;
    }
    return 1;
}

static shardc_status *train(shardc_executable *executable, int steps, float *first, float *last) {
    const void *inputs[INPUTS] = {b1, b2, w1, w2, x, y};
    float loss = 0;
    void *outputs[] = {b1, b2, w1, w2, &loss}; /* the parameters' own memory */
    shardc_status *status = NULL;
    for (int step = 0; !status && step < steps; step++) {
        status = shardc_execute(executable, inputs, outputs);
        if (step == 0) *first = loss;
        *last = loss;
        if (!status && (step % (steps / 8 + 1) == 0 || step == steps - 1)) {
            printf("step %4d  loss %.6f\n", step, (double)loss);
        }
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: train PATH/mlp_train.mlir [STEPS]\n", stderr);
        return 2;
    }
    int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 400;
    float first = 0, last = 0;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    make_problem();
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = shardc_module_parse_file(context, argv[1], &module);
    if (!status) status = shardc_compile(module, NULL, &executable);
    int known = !status && fits(shardc_executable_model(executable));
    if (known) status = train(executable, steps, &first, &last);
    if (status) fputs(shardc_status_report(status), stderr);
    if (!status && !known) fputs("this is not mlp_train.mlir\n", stderr);
    shardc_status_free(status);
    shardc_executable_free(executable);
    shardc_module_free(module);
    shardc_context_free(context);
    if (!known || !(last < first / 10)) return 1;
    printf("the loss fell from %.4f to %.4f in %d steps\n", (double)first, (double)last, steps);
    return 0;
}
