// usage: what `shardc --help` and `shardc COMMAND --help` say.
#include "tools/tool.h"

#include <string.h>

static const char overview[] =
    "usage: shardc COMMAND ...\n"
    "\n"
    "  compile PROGRAM -o OUT   native code: a self-contained model.so and its C header\n"
    "  run PROGRAM|model.so     compile in memory (or load) and execute\n"
    "  test FILE ...            run a file's checking functions: compiled, else evaluated\n"
    "  check FILE ...           parse and verify only\n"
    "  inspect PROGRAM|model.so signature, mesh, shardings, memory, collectives\n"
    "  explain PROGRAM          where shardings came from, why collectives are there, how to avoid "
    "them\n"
    "  help COMMAND             all options of a command, as COMMAND --help\n"
    "  --version, --help\n"
    "\n"
    "PROGRAM is StableHLO with Shardy's or GSPMD's shardings, as MLIR text or bytecode (JAX "
    "prints\n"
    "or exports it), or HLO, as text or protobuf; - is standard input.\n";

#define PROGRAM_OPTIONS                                                                       \
    "  --entry=NAME             the function, instead of @main\n"                             \
    "  --mesh=x=4,y=2           other sizes of the mesh's axes than the program's\n"          \
    "  --input-types=TYPES      types of the arguments where they have dynamic dimensions:\n" \
    "                           'tensor<2x3xf32>, none'\n"

#define REPORT_OPTIONS                                                                      \
    "  --print-after=PASS       the program after a pass: propagate, localize, simplify,\n" \
    "                           kernels, buffers, llvm ... (a wrong name lists all)\n"      \
    "  --time-passes            the time of every pass, on standard error\n"

#define CONSTANT_OPTION                                                                            \
    "  --constant-arguments=A,B inputs that are the same in every execution, as weights: names,\n" \
    "                           'params*', numbers, 2-5, or all\n"

static const struct {
    const char *command, *text;
} usages[] = {
    {"compile",
     "usage: shardc compile PROGRAM -o OUT [options]\n"
     "\n"
     "  -o OUT                   the file to write; - is standard output (for text); the "
     "library's\n"
     "                           header is OUT with the suffix .h\n"
     "  --emit=FORM              so (a library and its header, the default), obj, or text: asm, "
     "llvm, header,\n"
     "                           propagated (with all shardings), partitioned (one device's "
     "program)\n"
     "  --per-shard              a library for each device: OUT model.so gives model.0.so, "
     "model.1.so ...\n"
     "  --name=NAME              a C identifier: the library's functions are NAME_run, NAME_create "
     "...;\n"
     "                           by default the module's name, or model\n"
     "  --custom=NAME,NAME       external functions that the loading program "
     "supplies\n" PROGRAM_OPTIONS
     "  --target-cpu=CPU         as LLVM names it; the default is this machine's\n"
     "  --target=TRIPLE          for --emit=obj, asm and llvm\n"
     "  -O0 .. -O3               LLVM's effort (-O2)\n"
     "  --report[=text|json|html] memory before and after partitioning, reshards, "
     "collectives\n" REPORT_OPTIONS CONSTANT_OPTION
     "  --cache=DIR              reuses compiled kernels from that folder; else from "
     "$SHARDC_CACHE\n"
     "  --compile-threads=N      threads for LLVM, at most\n"
     "  --reference-kernels      plain loops instead of packed matrix products and convolutions\n"},
    {"run",
     "usage: shardc run PROGRAM|model.so [options]\n"
     "\n"
     "  --in=F.npy ...           one file for each input, whole arrays; else random numbers "
     "from --seed;\n"
     "                           tokens, which have no array, have no file either\n"
     "  --in=NAME=F.npy          the input of that name (shardc inspect lists them), or arg0, "
     "arg1 ...\n"
     "  --in=F.npz               an archive, by the inputs' names\n"
     "  --in-dir=D               D/NAME.npy, D/arg0.npy or D/in0.npy for the inputs without a "
     "file\n"
     "  --seed=N                 of the random inputs (0)\n"
     "  --out-dir=D              writes the outputs to D/out0.npy, D/out1.npy ...\n"
     "  --expect=F.npy ...       compares the outputs with files\n"
     "  --compare=interpret      ... with those of the reference evaluator on the same inputs\n"
     "  --compare=FILE           ... with those of another program or library\n"
     "  --rtol=R, --atol=A       allowed differences (1e-5, 1e-6)\n" PROGRAM_OPTIONS
     "  --interpret              the reference evaluator instead of native code\n"
     "  --local                  the program is one device's (shard's collectives on a grid): "
     "arrays\n"
     "                           are all devices' tiles, stacked in a new first dimension\n"
     "  --threads=N              of the execution; the default is one for each core\n"
     "  --repeat=N  --min-time=S executes N times, or for S seconds, and prints times\n"
     "  --json                   results and times as one JSON object\n"
     "  --quiet                  prints only errors\n" CONSTANT_OPTION
     "  --cache=DIR              reuses compiled kernels from that folder; else from "
     "$SHARDC_CACHE\n"
     "  --profile=OUT            where the time goes, see docs/profiling.md\n"
     "  --target-cpu=CPU         as LLVM names it; the default is this machine's\n"
     "  --reference-kernels      plain loops instead of packed matrix products and "
     "convolutions\n" REPORT_OPTIONS},
    {"test",
     "usage: shardc test [--native | --interpret] FILE ...\n"
     "\n"
     "Runs the functions of each file that check themselves (check.expect_eq ...), one line each.\n"
     "What cannot be compiled is evaluated, after a line that says why.\n"
     "\n"
     "  --native                 reports what cannot be compiled as UNSUPPORTED instead "
     "of evaluating it\n"
     "  --interpret              evaluates everything\n"},
    {"check",
     "usage: shardc check FILE ...\n"
     "\n"
     "Parses and verifies each file, and says what is wrong, and where. Nothing is compiled.\n"},
    {"inspect",
     "usage: shardc inspect PROGRAM|model.so [options]\n"
     "       shardc inspect --sharding=TEXT [--shape=16x8] [--mesh=x=2,y=4] [--json]\n"
     "\n"
     "  --sharding=TEXT          one sharding, GSPMD's ({devices=[2,4]<=[8]}) or Shardy's, in\n"
     "                           all notations, with the tile of each device\n"
     "  --shape=16x8             of the array; a scalar's is \"scalar\"\n"
     "  --json                   the notations as one JSON object\n" PROGRAM_OPTIONS},
    {"explain", "usage: shardc explain PROGRAM [options]\n"
                "\n"
                "  --value=%NAME            one value: where its sharding came from\n"
                "  --values                 all values\n"
                "  --collective=N           one collective: why it is there, what avoids it\n"
                "  --top=N                  the N collectives that move the most bytes\n"
                "  --advise=N               tries changes for N collectives\n"
                "  --apply=OUT.mlir         writes the program with the best change\n"
                "  --json | --html=FILE     as JSON, or as an HTML page\n" PROGRAM_OPTIONS},
};

const char *tool_usage(const char *command) {
    for (size_t i = 0; command && i < sizeof usages / sizeof usages[0]; i++) {
        if (strcmp(command, usages[i].command) == 0) return usages[i].text;
    }
    return command ? NULL : overview;
}

bool tool_asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}
