// propagate_op_priority: propagation in rounds, cheap ops first (op_directions.c),
// with one strategy after the other.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/propagate/propagate_internal.h"

void propagate_by_strategy(Propagation *propagation, bool basic, bool aggressive) {
    for (Strategy strategy = STRATEGY_BASIC; strategy < STRATEGY_COUNT; strategy++) {
        if (!(strategy == STRATEGY_BASIC ? basic : aggressive)) continue;
        propagation->strategy = strategy;
        propagation_run(propagation);
    }
}

void propagate_by_op_priority(Propagation *propagation, bool basic, bool aggressive) {
    propagation->by_op_priority = true;
    for (int round = 0; round <= LAST_ROUND; round++) {
        propagation->round = round;
        propagate_by_strategy(propagation, basic, aggressive);
    }
    propagation->by_op_priority = false;
}
