/* Calls a model that was compiled ahead of time: transformer.so and the header beside it. This
 * program knows nothing of shardc.
 *
 *     shardc compile transformer.mlir -o transformer.so --name=transformer
 *     cc aot.c -o aot ./transformer.so -Wl,-rpath,'$ORIGIN' -lm
 *
 * Random weights, and a property that a causal transformer must have: another last token changes
 * the logits of the last position and of no earlier one. Exit status 0 when that holds. */
#include "transformer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 8, SEQ = 32, DIM = 64, FF = 256, VOCAB = 256, LAYERS = 2 };

typedef struct Layer {
    float n1[DIM], n2[DIM], w1[DIM][FF], w2[FF][DIM], wk[DIM][DIM], wo[DIM][DIM], wq[DIM][DIM],
        wv[DIM][DIM];
} Layer;

typedef float Logits[BATCH][SEQ][VOCAB];

static int32_t tokens[BATCH][SEQ];
static float embedding[VOCAB][DIM], norm[DIM];
static Layer layers[LAYERS];
static Logits before, after;

static uint64_t state = 7;

static float draw(float scale) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)((double)(state >> 11) * 0x1p-52 - 1) * scale;
}

static void fill(float *data, size_t bytes, float mean, float scale) {
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = mean + draw(scale);
}

static void make_weights(void) {
    fill(&embedding[0][0], sizeof embedding, 0, 0.2f);
    fill(norm, sizeof norm, 1, 0.1f);
    for (int i = 0; i < LAYERS; i++) {
        Layer *l = &layers[i];
        fill(l->n1, sizeof l->n1, 1, 0.1f);
        fill(l->n2, sizeof l->n2, 1, 0.1f);
        fill(&l->w1[0][0], sizeof l->w1, 0, 0.2f);
        fill(&l->w2[0][0], sizeof l->w2, 0, 0.1f);
        fill(&l->wk[0][0], sizeof l->wk, 0, 0.2f);
        fill(&l->wo[0][0], sizeof l->wo, 0, 0.2f);
        fill(&l->wq[0][0], sizeof l->wq, 0, 0.2f);
        fill(&l->wv[0][0], sizeof l->wv, 0, 0.2f);
    }
    for (int b = 0; b < BATCH; b++) {
        for (int t = 0; t < SEQ; t++)
            tokens[b][t] = (b * 31 + t * 17) % VOCAB;
    }
}

static int forward(Logits logits) {
    const Layer *p = &layers[0], *q = &layers[1];
    return transformer_run(
        &tokens[0][0], &embedding[0][0], p->n1, p->n2, &p->w1[0][0], &p->w2[0][0], &p->wk[0][0],
        &p->wo[0][0], &p->wq[0][0], &p->wv[0][0], q->n1, q->n2, &q->w1[0][0], &q->w2[0][0],
        &q->wk[0][0], &q->wo[0][0], &q->wq[0][0], &q->wv[0][0], norm, &logits[0][0][0]);
}

int main(void) {
    make_weights();
    int status = forward(before);
    for (int b = 0; b < BATCH; b++)
        tokens[b][SEQ - 1] = (tokens[b][SEQ - 1] + 100) % VOCAB;
    if (!status) status = forward(after);
    if (status) {
        fprintf(stderr, "aot: the model returned status %d\n", status);
        return 1;
    }
    double last = 0, earlier = 0;
    for (int b = 0; b < BATCH; b++) {
        for (int t = 0; t < SEQ; t++) {
            for (int i = 0; i < VOCAB; i++) {
                double change = fabs((double)before[b][t][i] - (double)after[b][t][i]);
                if (!isfinite(change)) return 1;
                if (t == SEQ - 1 && change > last) last = change;
                if (t < SEQ - 1 && change > earlier) earlier = change;
            }
        }
    }
    printf("another last token changes the logits of the last position by up to %.3f,", last);
    printf(" those of earlier positions by %g\n", earlier);
    return last > 0.01 && earlier == 0 ? 0 : 1;
}
