#!/usr/bin/env python3
"""Programs at and beyond the borders of what Shardy's dialect allows, one rule at a time.

  sdy.py --write FOLDER                          writes every program to FOLDER/GROUP/NAME.mlir
  sdy.py --tool SHARDC_OPT --python PYTHON       compares the verdicts and the words of SHARDC_OPT with those of jaxlib's
                                                 Shardy; PYTHON is one of an environment that holds jax
  --group TEXT                                   only the groups whose names contain TEXT
  --all                                          also prints the other programs whose answers are not the same

Needs only the standard library; it runs itself once more under PYTHON for jaxlib. A program is accepted or rejected; of a
rejected one the first error is compared, as part of what the tool says, of an accepted one what is printed. The exit
status is 0 when no verdict differs but for programs of which it is said why: NEWER, what Shardy knows since jaxlib 0.10.2
(June 2026): kinds of reduction, axis lists without `=`, unreduced axes that an all_reduce may not add. STRICTER, what we
refuse: sub-axes that are no factors of one product, for which no device has a coordinate, factors of negative size,
priorities beyond 32 bits.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

MESHES = """sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @big = <["a"=8, "b"=12, "c"=1]>
sdy.mesh @other = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @same = <["x"=2, "y"=4]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @none = <[]>
"""
NEWER, STRICTER = "newer", "stricter"
PROGRAMS = []  # (group, name, text, why the verdicts may differ)


def program(group, text, why=None):
    number = sum(p[0] == group for p in PROGRAMS)
    PROGRAMS.append((group, "%03d" % number, text, why))


def func(body, args="%arg0: tensor<8x8xf32>", meshes=MESHES):
    return meshes + "func.func @main(%s) {\n%s  return\n}\n" % (args, "".join("  %s\n" % l for l in body))


def argument(group, sharding, type="tensor<8x8xf32>", why=None):
    program(group, func([], "%%arg0: %s {sdy.sharding = #sdy.sharding<%s>}" % (type, sharding)), why)


def meshes():
    for size in (-1, 0, 1, 2, 3):
        program("mesh", 'sdy.mesh @m = <["x"=%d]>\n' % size)
        program("mesh", func([], "%%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[\"x\"=%d]>, [{}]>}" % size))
    program("mesh", 'sdy.mesh @m = <["x"=2, "x"=2]>\n')
    program("mesh", 'sdy.mesh @m = <["x"=2]>\nsdy.mesh @m = <["x"=2]>\n')
    program("mesh", 'sdy.mesh @m = <["x"=2,]>\n')
    program("mesh", 'sdy.mesh @m = <["x"]>\n')
    program("mesh", 'sdy.mesh @m = <[x=2]>\n')
    program("mesh", 'func.func @f() {\n  sdy.mesh @m = <["x"=2]>\n  return\n}\n')
    for axes, ids in (("", "0"), ("", "5"), ("", "-1"), ("", "0, 1"), ("", ""), ('"x"=4', "0, 1, 2, 3"), ('"x"=4', "3, 2, 1, 0"),
                      ('"x"=4', "1, 0"), ('"x"=4', "0, 1, 2, 2"), ('"x"=4', "0, 1, 2, 4"), ('"x"=4', "0, 1, 3, -1"),
                      ('"x"=4', ""), ('"x"=1', "0"), ('"x"=1', "1"), ('"x"=2, "y"=2', "3, 1, 2, 0")):
        program("mesh", "sdy.mesh @m = <[%s], device_ids=[%s]>\n" % (axes, ids))


def axes():
    """Which axes a sharding may name, alone and beside others."""
    for axis, size in (("a", 8), ("b", 12)):
        for pre in (-1, 0, 1, 2, 3, 4, 6, 8, 12):
            for part in (-1, 0, 1, 2, 3, 4, 6, 8, 12):
                argument("sub-axis", '@big, [{"%s":(%d)%d}, {}]' % (axis, pre, part))
    parts = ['"a"', '"a":(1)2', '"a":(2)2', '"a":(4)2', '"a":(1)4', '"a":(2)4', '"b"', '"b":(1)2', '"b":(1)3', '"b":(3)2', '"b":(2)2']
    for first in parts:
        for second in parts:
            why = STRICTER if {first, second} == {'"b":(1)2', '"b":(3)2'} else None
            for text in ("[{%s, %s}, {}]", "[{%s}, {%s}]", "[{%s}, {}], replicated={%s}", "[{}, {}], replicated={%s}, unreduced={%s}", "[{}, {}], unreduced={%s, %s}"):
                argument("two axes", "@big, " + text % (first, second), why=why)
    for text in ('{"q"}', '{"c"}', '{"c", "a"}', '{}', '{"a", "b", "c"}', '{"b", "a"}', '{"a",}', '{a}', '{"a" "b"}', '{"a":2}', '{"a":(2)}'):
        for place in ("[%s, {}]", "[{}, {}], replicated=%s", "[{}, {}], unreduced=%s", "[{}, {}], unreduced%s"):
            argument("axis lists", "@big, " + place % text, why=NEWER if place.endswith("unreduced%s") else None)
    for tail in (", replicated={\"a\"}, replicated={\"b\"}", ", unreduced={\"a\"}, replicated={\"b\"}", ", open={\"a\"}", ",", ", replicated"):
        argument("axis lists", "@big, [{}, {}]" + tail)
    for kind in ("sum", "max", "min", "mul"):
        argument("reduction kinds", '@m, [{}, {}], unreduced=%s{"x"}' % kind, why=NEWER)
        argument("reduction kinds", '@m, [{"x"}, {}], unreduced=%s{"y", "x"}' % kind, why=NEWER)


def dimensions():
    for dim in ("{}", "{?}", '{"x"}', '{"x", ?}', '{?, "x"}', '{"x" ?}', "{?, ?}"):
        for priority in ("", "p0", "p1", "p01", "p", "q1", "p-1", "p9223372036854775807", "p99999999999999999999", "p1p2"):
            argument("priorities", "@m, [%s%s, {}]" % (dim, priority), why=STRICTER if priority == "p9223372036854775807" else None)
    types = ["tensor<f32>", "tensor<8xf32>", "tensor<8x8xf32>", "tensor<?x8xf32>", "tensor<0x8xf32>", "tensor<*xf32>",
             "!stablehlo.token", "tuple<tensor<8x8xf32>>", "tuple<tensor<8x8xf32>, tensor<8xf32>>", "tuple<>", "tuple<!stablehlo.token>", "tensor<8x8xcomplex<f32>>"]
    for type in types:
        for mesh in ("m", "one", "none", "missing"):
            for body in ("[]", "[{}]", "[{}, {}]", '[{"x"}, {}]', '[], replicated={"x"}', '[], unreduced={"x"}'):
                argument("types", "@%s, %s" % (mesh, body), type)
    for mesh in ('mesh<["x"=2]>', "mesh<[]>", "mesh<[], device_ids=[2]>", 'mesh<["x"=2, "x"=2]>', "@m::@n", '"m"', "m"):
        for body in ("[]", "[{}, {}]", '[{"x"}, {}]'):
            argument("inlined meshes", "%s, %s" % (mesh, body))


def per_value():
    shardings = ["<@m, [{}, {}]>", '<@m, [{"q"}, {}]>', "<@one, []>", "<@one, [{}, {}]>", "<@missing, []>", '<@m, [{"x"}, {}], unreduced={"y"}>']
    for count in range(3):
        lists = [""] + shardings + ["%s, %s" % (a, b) for a in shardings[:3] for b in shardings[:3]]
        for text in lists:
            attr = "{sdy.sharding = #sdy.sharding_per_value<[%s]>, has_side_effect = true}" % text
            types = ", ".join(["tensor<8x8xf32>"] * count)
            left = {0: "", 1: "%0 = ", 2: "%0:2 = "}[count]
            program("per value", func(["%sstablehlo.custom_call @f(%%arg0) %s : (tensor<8x8xf32>) -> (%s)" % (left, attr, types)]))
    for name in ("sdy.sharding", "sdy.sharding_rule", "sdy.propagation_edges", "sdy.result_propagation_edges", "sdy.block_arg_propagation_edges"):
        for value in ("1 : i64", "[]", "[1]", "unit", '#sdy.sharding<@m, [{}, {}]>', '#sdy.sharding_per_value<[<@m, [{}, {}]>]>', '#sdy.mesh<["x"=2]>'):
            program("attribute kinds", func(["%%0 = stablehlo.negate %%arg0 {%s = %s} : tensor<8x8xf32>" % (name, value)]))
            program("attribute kinds", func([], "%%arg0: tensor<8x8xf32> {%s = %s}" % (name, value)))
            program("attribute kinds", MESHES + "func.func @f() attributes {%s = %s} {\n  return\n}\n" % (name, value))


def rules():
    def rule(text, op="stablehlo.add %arg0, %arg0", type="tensor<8x8xf32>", why=None):
        line = "%%0 = %s {sdy.sharding_rule = #sdy.op_sharding_rule<%s>} : %s" % (op, text, type)
        program("sharding rules", func([line], "%%arg0: %s" % type), why)

    for sizes in ("{i=8, j=8}", "{i=8}", "{i=8, j=8, k=2}", "{j=8, i=8}", "{i=8, k=8}", "{i=1, j=8}", "{i=0, j=8}", "{i=-8, j=8}", "{}", "", "{i=8, ij=8}", "{i=8, h=2}", "{i, j}"):
        rule("([i, j], [i, j])->([i, j]) " + sizes, why=STRICTER if "-8" in sizes else None)
    for dims in ("i, j", "i", "i, j, k", "i, i", "ij, k", "i, jk", "ii, j", "i, ", ", j", "", "i, z_1", "i, z_0", "i, z", "i, z_99999999999999999999", "h, i", "i j", "I, j"):
        rule("([%s], [i, j])->([i, j]) {i=8, j=8}" % dims)
        rule("([i, j], [i, j])->([%s]) {i=8, j=8}" % dims)
        rule("([%s], [%s])->([%s]) {i=8, j=8, k=1}" % (dims, dims, dims))
    for count in range(4):
        rule("(%s)->([i, j]) {i=8, j=8}" % ", ".join(["[i, j]"] * count))
        rule("([i, j], [i, j])->(%s) {i=8, j=8}" % ", ".join(["[i, j]"] * count))
    lists = ["", "{i}", "{j}", "{i, j}", "{j, i}", "{i, i}", "{k}", "{i, k}", "{z_2}", "{}", "i"]
    for kind in ("reduction", "need_replication", "permutation", "blocked_propagation"):
        for text in lists:
            rule("([i, j], [i, j])->([i, j]) {i=8, j=8} %s=%s" % (kind, text))
            program("sharding rules", func(["%%0 = stablehlo.custom_call @f(%%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=8} "
                                            "%s=%s, custom>} : (tensor<8x8xf32>) -> tensor<8xf32>" % (kind, text)]))
    kinds = ["reduction", "need_replication", "permutation", "blocked_propagation"]
    for first in kinds:
        for second in kinds:
            program("sharding rules", func(["%%0 = stablehlo.custom_call @f(%%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=8} "
                                            "%s={j} %s={j}>} : (tensor<8x8xf32>) -> tensor<8xf32>" % (first, second)]))
    for tail in (", custom", "custom", ", other", ","):
        rule("([i, j], [i, j])->([i, j]) {i=8, j=8}" + tail)
    for type in ("tensor<?x8xf32>", "tensor<f32>", "tensor<*xf32>", "tensor<7x9xf32>"):
        rule("([i, j])->([i, j]) {i=8, j=8}", "stablehlo.negate %arg0", type)
        rule("([])->([])", "stablehlo.negate %arg0", type)
    program("sharding rules", func(["%0 = stablehlo.constant {sdy.sharding_rule = #sdy.op_sharding_rule<()->([i])>} dense<1.0> : tensor<8xf32>"]))
    program("sharding rules", func(["stablehlo.custom_call @f(%arg0) {has_side_effect = true, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=8}>} "
                                    ": (tensor<8x8xf32>) -> ()"]))


def edges():
    sharded = '%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<8x8xf32>'

    def edge(text, args=sharded):
        program("propagation edges", func(["%%0 = stablehlo.add %%arg0, %%arg1 {sdy.propagation_edges = #sdy.propagation_edges<%s>} "
                                           ": tensor<8x8xf32>" % text], args))

    ends = ["operand-0", "operand-1", "operand-2", "operand--1", "result-0", "result-1", "result--1", "operand", "value-0", "operand-9223372036854775807"]
    for source in ends:
        for target in ends:
            edge('[{step-1 = [{"x" = %s -> [%s]}]}]' % (source, target))
    for step in ("0", "-1", "9223372036854775807", "99999999999999999999", "", "x"):
        edge('[{step-%s = [{"x" = operand-0 -> [result-0]}]}]' % step)
        edge('[{step-1 = [{"x" = operand-0 -> [result-0]}]}, {step-%s = [{"y" = operand-0 -> [result-0]}]}]' % step)
    for axis in ('"x"', '"y"', '"q"', '"y":(1)2', '"y":(9)9', "x"):
        edge("[{step-1 = [{%s = operand-0 -> [result-0]}]}]" % axis)
        edge("[{step-1 = [{%s = operand-0 -> [result-0]}]}]" % axis, "%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>")
    for text in ("[]", "[{step-1 = []}]", '[{step-1 = [{"x" = operand-0 -> []}]}]', '[{step-1 = [{"x" = operand-0 -> [result-0, result-0]}]}]',
                 '[{step-1 = [{"x" = operand-0 -> [result-0]}]}, {step-1 = [{"x" = operand-0 -> [result-0]}]}]', '[{step 1 = [{"x" = operand-0 -> [result-0]}]}]',
                 '[{step-1 = [{"x" = operand-0 -> [operand-1, result-0]}, {"x" = operand-0 -> [result-0]}]}]'):
        edge(text)
    for mesh in ("m", "other", "none", "one"):
        body = "[{}, {}]" if mesh != "one" else "[]"
        edge('[{step-1 = [{"x" = operand-0 -> [operand-1]}]}]',
             '%%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %%arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@%s, %s>}' % (mesh, body))


def simple_ops():
    bodies = ["@m, [{}, {}]", '@m, [{"q"}, {}]', "@m, [{}]", "@missing, [{}, {}]", "@one, []", "@one, [{}, {}]", '@m, [{"x"}, {"x"}]', "@m, []"]
    for op in ("sdy.sharding_constraint", "sdy.reshard"):
        for body in bodies:
            program("constraints", func(["%%0 = %s %%arg0 <%s> : tensor<8x8xf32>" % (op, body)]))
        for type in ("tensor<?x8xf32>", "tensor<*xf32>", "!stablehlo.token", "tuple<tensor<8x8xf32>>"):
            for body in ("@m, [{}, {}]", "@m, []"):
                program("constraints", func(["%%0 = %s %%arg0 <%s> : %s" % (op, body, type)], "%%arg0: %s" % type))
        program("constraints", func(['%%0 = "%s"(%%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>' % op]))
        program("constraints", func(['%%0 = "%s"(%%arg0) <{sharding = 1 : i64}> : (tensor<8x8xf32>) -> tensor<8x8xf32>' % op]))
        program("constraints", func(['%%0 = "%s"(%%arg0) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<8x8xf32>) -> tensor<8x4xf32>' % op]))
        for from_kind, to_kind in (("", ""), ("", "max"), ("max", ""), ("max", "max"), ("max", "min"), ("sum", "")):
            for from_axes, to_axes in (('{"x"}', '{"x"}'), ('{"x", "y"}', '{"y"}'), ('{"y"}', '{"x", "y"}'), ('{"y":(1)2}', '{"y"}')):
                program("constraints", func(["%%0 = %s %%arg0 <@m, [{}, {}], unreduced=%s%s> : tensor<8x8xf32>" % (op, to_kind, to_axes)],
                                            "%%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=%s%s>}" % (from_kind, from_axes)),
                        why=NEWER if from_kind or to_kind else None)
    for direction in ("NONE", "FORWARD", "BACKWARD", "BOTH", "SIDEWAYS", "0"):
        program("barriers", func(["%%0 = sdy.propagation_barrier %%arg0 allowed_direction=%s : tensor<8x8xf32>" % direction]))
    for value in (-1, 0, 3, 4):
        program("barriers", func(['%%0 = "sdy.propagation_barrier"(%%arg0) <{allowed_direction = %d : i32}> : (tensor<8x8xf32>) -> tensor<8x8xf32>' % value]))
    for type in ("tensor<*xf32>", "!stablehlo.token", "tensor<?xf32>", "tensor<f32>"):
        program("barriers", func(["%%0 = sdy.propagation_barrier %%arg0 allowed_direction=NONE : %s" % type], "%%arg0: %s" % type))
        program("groups", func(["sdy.sharding_group %%arg0 group_id=1 : %s" % type], "%%arg0: %s" % type))
        program("edges", func(["%%0 = sdy.data_flow_edge %%arg0 : %s" % type], "%%arg0: %s" % type))
        program("edges", func(["%%0 = sdy.func_data_flow_edge %%arg0 : %s" % type], "%%arg0: %s" % type))
    for group in ("0", "-1", "9223372036854775807", "9223372036854775808", "1.0", '"a"'):
        program("groups", func(["sdy.sharding_group %%arg0 group_id=%s : tensor<8x8xf32>" % group]))
    program("groups", func(['"sdy.sharding_group"(%arg0) : (tensor<8x8xf32>) -> ()']))
    program("groups", func(['"sdy.sharding_group"(%arg0) <{group_id = 1 : i32}> : (tensor<8x8xf32>) -> ()']))
    definitions = ["%0 = stablehlo.negate %arg0 : tensor<8x8xf32>", "%0 = sdy.sharding_constraint %arg0 <@m, [{}, {}]> : tensor<8x8xf32>",
                   "%0 = sdy.reshard %arg0 <@m, [{}, {}]> : tensor<8x8xf32>", "%0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8x8xf32>",
                   "%0 = sdy.constant dense<1.0> : tensor<8x8xf32>", "%0 = sdy.data_flow_edge %arg0 : tensor<8x8xf32>",
                   '%0 = sdy.named_computation<"f">(%arg0) (%b: tensor<8x8xf32>) { sdy.return %b : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>',
                   '%0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={} (%b: tensor<8x8xf32>) '
                   '{ sdy.return %b : tensor<8x8xf32> } : (tensor<8x8xf32>) -> tensor<8x8xf32>', "%0 = call @f(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>"]
    callee = "func.func private @f(tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    for definition in definitions:
        for op in ("sdy.data_flow_edge", "sdy.func_data_flow_edge"):
            program("edges", func([definition, "%%1 = %s %%0 : tensor<8x8xf32>" % op], meshes=MESHES + callee))
            program("edges", func([definition, "%%1 = %s %%0 : tensor<8x8xf32>" % op, "%2 = stablehlo.negate %0 : tensor<8x8xf32>"], meshes=MESHES + callee))
    for body in bodies:
        program("edges", func(["%%0 = sdy.data_flow_edge %%arg0 sharding=<%s> : tensor<8x8xf32>" % body]))
    for value, type in (("dense<1.0>", "tensor<8xf32>"), ("dense<1.0>", "tensor<?xf32>"), ("dense<1>", "tensor<8xf32>"), ("dense<[1.0, 2.0]>", "tensor<2xf32>"), ("1.0", "f32")):
        program("constants", func(["%%0 = sdy.constant %s : %s" % (value, type)]))
    program("constants", func(['%0 = "sdy.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<4xf32>']))
    program("constants", func(['%0 = "sdy.constant"() : () -> tensor<4xf32>']))


def computations():
    def manual(operand, result, axes, local, args="%arg0: tensor<8x8xf32>", returned=None, group="manual computations"):
        program(group, func(["%%0 = sdy.manual_computation(%%arg0) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} (%%b: %s) {" % (operand, result, axes, local),
                             "  sdy.return %%b : %s" % (returned or local), "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"], args))

    local = {"": "8x8", '"x"': "4x8", '"y"': "2x8", '"x", "y"': "1x8"}
    for dims in ('{"x"}', '{"y"}', '{"x", "y"}', '{"y", "x"}', "{}", '{"y":(1)2}', '{"y":(1)2, "x"}', '{"q"}'):
        for axes_text, shape in local.items():
            sharding = "<@m, [%s, {}]>" % dims
            for body in ("8x8", shape):
                manual(sharding, sharding, axes_text, "tensor<%sxf32>" % body)
    for axes_text in ('"q"', '"x", "x"', '"x", "q"', "x", '"x":(1)2', '"x",'):
        manual('<@m, [{"x"}, {}]>', '<@m, [{"x"}, {}]>', axes_text, "tensor<4x8xf32>")
    for other in ("<@other, [{}, {}]>", "<@same, [{\"x\"}, {}]>", "<@none, [{}, {}]>", "<@missing, [{}, {}]>", "<@one, []>", 'mesh<["x"=2]>', '<mesh<["x"=2, "y"=4]>, [{"x"}, {}]>', ""):
        manual('<@m, [{"x"}, {}]>', other, '"x"', "tensor<4x8xf32>")
        manual("<@m, [{}, {}]>", other, "", "tensor<8x8xf32>")
        manual("<@none, [{}, {}]>", other, '"x"', "tensor<8x8xf32>")
    for size in (1, 2, 3, 7, 8):
        program("manual computations", func(['%%0 = sdy.manual_computation(%%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%%b: tensor<%dxf32>) {' % (size // 2 or 1),
                                             "  sdy.return %%b : tensor<%dxf32>" % (size // 2 or 1), "} : (tensor<%dxf32>) -> tensor<%dxf32>" % (size, size)], "%%arg0: tensor<%dxf32>" % size))
    program("manual computations", func(["sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={\"q\"} () {", "  sdy.return", "} : () -> ()"]))
    program("manual computations", func(["sdy.manual_computation() in_shardings=[<@m, []>] out_shardings=[] manual_axes={} () {", "  sdy.return", "} : () -> ()"]))
    for sharding, inner_axes in (('[{"y"}, {}]', '"y"'), ('[{"x"}, {}]', '"x"'), ('[{"x"}, {}]', ""), ("[{}, {}]", '"x"'), ('[{}, {}], replicated={"x"}', ""), ("[{}, {}]", "")):
        shape = "1x8" if inner_axes == '"y"' else "4x8"
        program("nested manual computations", func(
            ['%0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {',
             "  %%1 = sdy.manual_computation(%%b) in_shardings=[<@m, %s>] out_shardings=[<@m, %s>] manual_axes={%s} (%%c: tensor<%sxf32>) {" % (sharding, sharding, inner_axes, shape),
             "    sdy.return %%c : tensor<%sxf32>" % shape, "  } : (tensor<4x8xf32>) -> tensor<4x8xf32>", "  sdy.return %1 : tensor<4x8xf32>", "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"]))
        for line in ("%%1 = stablehlo.negate %%b {sdy.sharding = #sdy.sharding_per_value<[<@m, %s>]>} : tensor<4x8xf32>", "%%1 = sdy.sharding_constraint %%b <@m, %s> : tensor<4x8xf32>",
                     "%%1 = sdy.reshard %%b <@m, %s> : tensor<4x8xf32>", "%%1 = sdy.data_flow_edge %%b sharding=<@m, %s> : tensor<4x8xf32>", '%%1 = sdy.all_slice [{}, {}] %%b out_sharding=<@m, %s> : tensor<4x8xf32>'):
            returned = "%b" if "edge" not in line else "%1"
            program("nested manual computations", func(
                ['%0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {',
                 "  " + line % sharding, "  sdy.return %s : tensor<4x8xf32>" % returned, "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"]))
    shardings = ["", " in_shardings=[<@m, [{}, {}]>]", " out_shardings=[<@m, [{}, {}]>]", ' in_shardings=[<@m, [{"q"}, {}]>]', ' out_shardings=[<@m, [{"q"}, {}]>]', " in_shardings=[]",
                 " out_shardings=[<@m, [{}]>]", " in_shardings=[<@m, [{}, {}]>, <@m, [{}, {}]>]", " in_shardings=[<@missing, [{}, {}]>] out_shardings=[<@other, [{}, {}]>]",
                 " in_shardings=[<@m, [{}, {}]>] out_shardings=[<@other, [{}, {}]>]"]
    for text in shardings:
        for inner, outer in (("8x8", "8x8"), ("4x8", "8x8"), ("8x8", "4x8")):
            program("named computations", func(['%%0 = sdy.named_computation<"f">(%%arg0)%s (%%b: tensor<%sxf32>) {' % (text, inner), "  sdy.return %%b : tensor<%sxf32>" % inner,
                                                "} : (tensor<8x8xf32>) -> tensor<%sxf32>" % outer]))
    program("named computations", func(['%0 = sdy.named_computation<"f">(%arg0) (%b: tensor<8x8xf32>, %c: tensor<8x8xf32>) {', "  sdy.return %b : tensor<8x8xf32>", "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"]))
    program("named computations", func(['%0 = sdy.named_computation<"f">(%arg0) (%b: tensor<8x8xf32>) {', "  sdy.return %arg0 : tensor<8x8xf32>", "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"]))
    program("named computations", func(['%0 = sdy.named_computation<"f">(%arg0) (%b: tensor<8x8xf32>) {', "  sdy.return %b, %b : tensor<8x8xf32>, tensor<8x8xf32>", "} : (tensor<8x8xf32>) -> tensor<8x8xf32>"]))


def collective(group, op, before, after, why=None, mesh="m", type="tensor<8x8xf32>", to="m"):
    args = "%%arg0: %s" % type + (" {sdy.sharding = #sdy.sharding<@%s, %s>}" % (mesh, before) if before else "")
    program(group, func(["%%0 = %s %%arg0 out_sharding=<@%s, %s> : %s" % (op, to, after, type)], args), why)


def collectives():
    lists = ["[{}, {}]", '[{"x"}, {}]', '[{}, {"x"}]', '[{"x"}, {"x"}]', '[{"y"}, {}]', '[{"y":(1)2}, {}]', '[{"y":(2)2}, {}]', '[{"y":(1)2}, {"y":(2)2}]', '[{"x", "y"}, {}]', '[{"y", "x"}, {}]', '[{"q"}, {}]', "[{}]",
             "[{}, {}, {}]", "[]", '[{"y":(1)2, "y":(2)2}, {}]']
    states = ["[{}, {}]", '[{"x"}, {}]', '[{"x", "y"}, {}]', '[{"y"}, {"x"}]', '[{"x", "y":(1)2}, {}]', '[{"y":(1)2}, {"x"}]', '[{?}, {"y"}]']
    for op in ("all_gather", "all_slice", "reduce_scatter", "sharded_to_unreduced"):
        for text in lists:
            for before in states[1:4]:
                for after in states[:5]:
                    collective("sdy." + op, "sdy.%s %s" % (op, text), before, after)
    for op in ("all_gather [{}, {}]", "all_slice [{}, {}]", "reduce_scatter [{}, {}]", "sharded_to_unreduced [{}, {}]", "all_reduce {}", 'replicated_to_unreduced {"x"}', "collective_permute", '"all_to_all [{"x"}: 0->1]'.strip('"')):
        for before, mesh, after, to in ((None, "m", "[{}, {}]", "m"), ("[{}, {}]", "other", "[{}, {}]", "m"), ("[{}, {}]", "same", "[{}, {}]", "m"), ("[{}, {}]", "m", "[{}]", "m"), ("[{}, {}]", "m", "[{}, {}]", "missing"),
                                        ('[{"x"}, {}]', "other", '[{"x"}, {}]', "m"), ('[{"x"}, {}]', "same", '[{"x"}, {}]', "m"), ("[{}, {}]", "m", "[{}, {}]", "none"), ("[]", "one", "[]", "m")):
            collective("meshes of collectives", "sdy." + op, before, after, mesh=mesh, to=to)
    axes_lists = ["{}", '{"x"}', '{"y"}', '{"x", "y"}', '{"y", "x"}', '{"x", "x"}', '{"q"}', '{"y":(1)2}', '{"y":(2)2}', '{"y":(1)2, "y":(2)2}', '{"y", "y":(1)2}']
    tails = ["", ', unreduced={"x"}', ', unreduced={"x", "y"}', ', unreduced={"y"}', ', replicated={"x"}', ', unreduced={"y":(2)2}']
    for op in ("all_reduce", "replicated_to_unreduced"):
        for text in axes_lists:
            for before in tails[:4]:
                for after in tails[1:]:
                    collective("sdy." + op, "sdy.%s %s" % (op, text), "[{}, {}]" + before, "[{}, {}]" + after,
                               NEWER if op == "all_reduce" and "unreduced" in after else None)
            collective("sdy." + op, "sdy.%s %s" % (op, text), '[{"x"}, {}]', '[{"x"}, {}]')
            collective("sdy." + op, "sdy.%s %s" % (op, text), '[{"x"}, {}]', '[{}, {"x"}]')
            collective("sdy." + op, "sdy.%s %s" % (op, text), '[{"x"}, {}]', '[{"x", ?}, {}]')
            collective("sdy." + op, "sdy.%s %s" % (op, text), None, "[{}, {}]")
    for kind in ("sum", "max", "min", "mul"):
        for before in ("", ', unreduced={"x"}', ', unreduced=max{"x"}'):
            collective("reductions", 'sdy.all_reduce %s {"x"}' % kind, "[{}, {}]" + before, "[{}, {}]", why=NEWER)
            collective("reductions", 'sdy.reduce_scatter %s [{"x"}, {}]' % kind, "[{}, {}]" + before, '[{"x"}, {}]', why=NEWER)
    for before in states:
        for after in states:
            collective("sdy.collective_permute", "sdy.collective_permute", before, after)
            collective("sdy.collective_permute", "sdy.collective_permute", before, after, mesh="other")
    shape = "tensor<8x8x8x8xf32>"
    params = ['[{"x"}: 0->1]', '[{"y"}: 0->1]', '[{"x", "y"}: 0->1]', '[{"y":(2)2}: 0->1]', '[{"x"}: 0->0]', '[{"x"}: 0->4]', '[{"x"}: -1->1]', '[{"x"}: 0->2, {"y"}: 1->3]', '[{"y"}: 1->3, {"x"}: 0->2]', '[{"x"}: 0->2, {"y"}: 1->2]',
              '[{"x"}: 0->1, {"y"}: 1->2]', '[{"x"}: 0->2, {"x"}: 1->3]', '[{"q"}: 0->1]', "[]", "[{}: 0->1]", '[{"y"}: 1->2]']
    befores = ['[{"x"}, {"y"}, {}, {}]', '[{"x", "y"}, {}, {}, {}]', "[{}, {}, {}, {}]"]
    afters = ["[{}, {}, {}, {}]", '[{}, {"x"}, {}, {}]', '[{"x"}, {"y"}, {}, {}]', '[{}, {}, {"x"}, {"y"}]', '[{}, {"x", "y"}, {}, {}]', '[{"x", "y":(1)2}, {"y":(2)2}, {}, {}]', '[{}, {"y", "x"}, {}, {}]', '[{"x"}, {}, {"y"}, {}]']
    for text in params:
        for before in befores[:2]:
            for after in afters[1:]:
                collective("sdy.all_to_all", "sdy.all_to_all " + text, before, after, type=shape)


def generate():
    for make in (meshes, axes, dimensions, per_value, rules, edges, simple_ops, computations, collectives):
        make()


# ---- comparison ----

def serve():
    """Under the Python with jaxlib: one JSON text a line in, one verdict a line out."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    errors = []
    with mlir.make_ir_context() as context:
        context.allow_unregistered_dialects = False
        context.attach_diagnostic_handler(lambda d: (errors.append(d.message), True)[1])
        for line in sys.stdin:
            del errors[:]
            try:
                module = ir.Module.parse(json.loads(line))
                module.operation.verify()
                verdict = [True, str(module)]
            except ir.MLIRError as error:
                errors += [d.message for d in getattr(error, "error_diagnostics", [])]
                verdict = [False, errors[0] if errors else str(error)]
            print(json.dumps(verdict), flush=True)
    return 0


class Peer:
    """jaxlib in a process of its own, started again when a program has crashed it."""

    def __init__(self, python):
        self.python, self.process = python, None

    def verdict(self, text):
        if not self.process:
            self.process = subprocess.Popen([self.python, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.process = None
        return None

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def own_verdict(tool, path):
    run = subprocess.run([tool, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return run.returncode, run.stdout.decode("utf-8", "replace"), run.stderr.decode("utf-8", "replace")


def is_same(accepted, message, printed, said):
    """Of accepted programs the texts, of others the first error in what the tool says."""
    return printed.split() == message.split() if accepted else message.split("\n")[0] in said


def compare(arguments):
    peer = Peer(arguments.python)
    counts, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        for group, name, text, why in PROGRAMS:
            accepted, message = peer.verdict(text) or (False, "crashed")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            status, printed, said = own_verdict(arguments.tool, path)
            if status not in (0, 1, 77):
                kind = "crash"
            elif message == "crashed":
                kind = "jaxlib crashes"
            elif (status == 0) == accepted:
                kind = "same" if is_same(accepted, message, printed, said) else "other text" if accepted else "other words"
            else:
                kind = why or "differs"
            counts.setdefault(group, {}).setdefault(kind, 0)
            counts[group][kind] += 1
            wrong += kind in ("crash", "differs")
            if kind in ("crash", "differs") or (kind != "same" and arguments.all):
                print("%s: %s/%s\n%s  jaxlib: %s\n  ours:   %s %s\n" % (
                    kind, group, name, text[len(MESHES):] if text.startswith(MESHES) else text, "accepts " + message if accepted else message, status, (said or printed if accepted else said.split("\n")[0])))
    peer.close()
    kinds = ["same", "other text", "other words", NEWER, STRICTER, "jaxlib crashes", "differs", "crash"]
    print("%-28s %s" % ("group", "  ".join("%14s" % k for k in kinds)))
    for group, found in counts.items():
        print("%-28s %s" % (group, "  ".join("%14d" % found.get(k, 0) for k in kinds)))
    print("%-28s %s" % ("all", "  ".join("%14d" % sum(c.get(k, 0) for c in counts.values()) for k in kinds)))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write")
    parser.add_argument("--tool")
    parser.add_argument("--python")
    parser.add_argument("--group", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve()
    generate()
    PROGRAMS[:] = [p for p in PROGRAMS if arguments.group in p[0]]
    if arguments.write:
        for group, name, text, _ in PROGRAMS:
            folder = os.path.join(arguments.write, group.replace(" ", "-"))
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name + ".mlir"), "w", encoding="utf-8") as file:
                file.write(text)
        print("%d programs" % len(PROGRAMS))
    if arguments.tool and arguments.python:
        return compare(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
