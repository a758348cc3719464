#include "planner/constants/constant_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "sim/base/error.h"
#include "sim/base/number_text.h"

namespace tilewright {

constinit Constants detail::constants_in_effect{};

namespace {

constexpr double kMany = 1e6;

// Where figures of several rows come from.
constexpr std::string_view kTilingPoints =
    "fitted: some 4,000 measured points of products and convolutions on quad_smp, tpu_v4_like and tpu_v3_core, "
    "`tilewright tune`; the fit itself is not kept";
constexpr std::string_view kOrderTimes =
    "chosen on the orders of small networks timed one by one, `scripts/schedule_table optimum`";
constexpr std::string_view kListRules =
    "chosen among 2, 3, 4, 6, 8, 10 and 16 on four graphs of 300 operators, of seeds 32 and 36 to 38 "
    "(docs/schedule.md)";
constexpr std::string_view kErrorBounds =
    "fitted: 212 look-ups on six chips of `scripts/tiling_distances`, seed 71, so that 95 of 100 errors are within; "
    "chips "
    "of seed 72 kept apart to check";
constexpr std::string_view kLinearShapes =
    "fitted: `scripts/database_tables` with shapes of seeds 3 and 4, those of seed 5 kept apart to check";

using C = Constants;

constexpr std::array kTable{
    Constant{"row_visit_bursts", &C::row_visit_bursts, "bursts", 0, 100,
             "what opening a row costs each visit of a strided run to a DRAM channel, as the time of so many bursts",
             "fitted: runs of one to four bursts measured on hw_configs/tpu_v4_like_simple.yaml, the chip of ONNXim; "
             "the runs are not kept, `tilewright validate chip` has products of one row on that chip"},
    Constant{"hidden_load_weight", &C::hidden_load_weight, "-", 0, 1,
             "weight of a part's load time that its compute time hides: of equal grids the one that loads less",
             "chosen, not fitted: it has to decide between equal times and to weigh nothing otherwise"},
    Constant{
        "fewer_cores_gain", &C::fewer_cores_gain, "share", 0, 0.9,
        "by how much half as many cores, or another reduction than by clusters, must be predicted faster to be "
        "preferred",
        "chosen, not fitted: the bounds compared know no latency and no barriers, so a small difference means little"},
    Constant{
        "shared_units_gain", &C::shared_units_gain, "share", 0, 0.9,
        "by how much a grouped convolution must be predicted faster on both units than on one of them for both to "
        "compute it, and on the array than on the vector unit for the array to",
        "chosen, not fitted: the times compared know no latency and no dispatch, so a small difference means little"},
    Constant{"first_block_depth", &C::first_block_depth, "array rows", 1, 1024,
             "depth of K of the first blocks that a part waits for before it computes",
             "chosen, not fitted: one block of the array's depth is multiplied while the next one arrives"},
    Constant{
        "group_gain", &C::group_gain, "share", 0, 0.9,
        "by how much a group of operators must be predicted faster than its operators one by one to be formed",
        "chosen, not fitted: about the error of a group's prediction where its blocks are loaded anew for each row "
        "block"},
    Constant{
        "group_length", &C::group_length, "operators", 2, 65535,
        "products and softmaxes of one chain that are looked at as one group",
        "chosen, not fitted: of what lies between n operators a longer group saves one more in n; the time to choose "
        "grows with its square"},
    Constant{"peer_memory_cost", &C::peer_memory_cost, "-", 1, 64,
             "time of bytes between the memory of a cluster and cores of others, over that at the peak of one link",
             "fitted: googlenet, resnet50 and unet on dual_cluster_cache, quad_smp_cache and quad_numa_cache with 0.5, "
             "1, 2 and 500; requests, headers and what goes to DRAM share the link"},
    Constant{
        "remote_region_cost", &C::remote_region_cost, "-", 1, 64,
        "time of bytes between cores and regions of DRAM that are not next to them, over that at the peak of one "
        "link",
        "fitted: mobilenet_v2 and unet on quad_numa with 1, 2 and 4; who is far waits for others on the same link"},
    Constant{"store_gain_cycles", &C::store_gain_cycles, "core clocks", 0, 1e6,
             "by how much a result kept in cluster memory, or pieces of one operator in turn, must be predicted to "
             "save time",
             "fitted: decoder_layer, resnet50 and googlenet on the chips with addressed memory with 0, 15, 25, 50 and "
             "100; the prediction counts no latency, and results of 4 KiB save nothing"},

    Constant{"dram_spare_divisor", &C::dram_spare_divisor, "-", 2, 1024,
             "one part in so many of DRAM stays free for instructions and addresses",
             "chosen, not fitted: far above need: ResNet-50 has 3.3 MiB of instructions where this leaves 128 MiB "
             "(edge_single)"},
    Constant{
        "partial_area_divisor", &C::partial_area_divisor, "-", 2, 64,
        "one part in so many of the accumulate buffer is kept for partial results of other cores",
        "chosen, not fitted: partial results pass tile by tile, so that a small part is enough; tiles keep the rest"},
    Constant{"buffer_alignment", &C::buffer_alignment, "bytes", 8, 1024,
             "alignment of areas in buffers and in cluster memory",
             "chosen, not fitted: fits every element type and the widest port"},
    Constant{"tensor_alignment", &C::tensor_alignment, "bytes", 64, 4096, "alignment of pieces of tensors in DRAM",
             "chosen, not fitted: the longest request of the chips in hw_configs"},
    Constant{"row_gap_share", &C::row_gap_share, "share", 0, 1,
             "of a row, the longest gap behind it that lets rows begin in all channels",
             "chosen, not fitted: memory that a tensor may take beyond its elements"},

    Constant{"accumulator_step", &C::accumulator_step, "share", 0.01, 0.99,
             "factor by which the closed formulas shrink the accumulate buffer while utilisation stays",
             "chosen, not fitted: the tiling method leaves it open; a half keeps sizes powers of two"},
    Constant{"load_skew", &C::load_skew, "-", 1, 1024,
             "how unequal the closed formulas leave the load times of A and B with split K",
             "the tiling method's: within a factor of 2"},
    Constant{"buffering", &C::buffering, "copies", 2, 8, "copies of what is loaded or computed more than once",
             "chosen, not fitted: one copy is filled while the other is read"},
    Constant{"refine_gain", &C::refine_gain, "share", 0, 0.9,
             "predicted gain below which a refinement of a tiling does not move",
             "chosen, not fitted: the prediction's own errors are larger (docs/estimate.md)"},
    Constant{"spill_gain", &C::spill_gain, "share", 0, 0.9,
             "by how much a tiling whose sums wait in input buffers must be predicted faster than those without",
             "chosen, not fitted: larger partitions end with more results at once, which operators by themselves do "
             "not show"},
    Constant{"spill_memory_share", &C::spill_memory_share, "share", 0, 100,
             "tilings whose sums wait in input buffers are predicted where the refined one's bytes take at least this "
             "share of the array's time",
             "chosen, not fitted: memory makes products wait before it is busy all the time"},
    Constant{"spilled_points", &C::spilled_points, "points", 0, 1000000,
             "tilings whose sums wait in input buffers predicted besides the others, where the refined one is none",
             "chosen, not fitted: their bounds order them well, bytes being what they save"},
    Constant{"refine_steps", &C::refine_steps, "steps", 0, 1000, "longest climb of a refinement",
             "chosen, not fitted: a guard: climbs end by themselves before it"},
    Constant{"refine_starts", &C::refine_starts, "tilings", 0, 100,
             "tilings that a refinement climbs from besides the formulas' own",
             "chosen on the chips of seeds 1 and 2 of scripts/tiling_distances (docs/tiling_search.md)"},
    Constant{
        "batch_groups", &C::batch_groups, "groups", 1, 1024,
        "groups that small products of a batch are computed in at least, so that loads, products and stores overlap",
        "chosen, not fitted: one group is loaded, one multiplied, one stored, one begun"},
    Constant{"strip_requests", &C::strip_requests, "requests", 1, 1024,
             "length of the runs of B that are loaded together, in the longest requests",
             "chosen, not fitted: one request could begin in the middle of a longest one"},
    Constant{"result_slots", &C::result_slots, "tiles", 2, 1024,
             "results in the accumulate buffer at most on their way out",
             "chosen, not fitted: a guard on the tokens of one operator"},
    Constant{"lookahead_divisor", &C::lookahead_divisor, "-", 1, 64,
             "one part in so many of a unit's queue may be loads ahead of their step",
             "chosen, not fitted: half the queue, so that loads never keep the instructions behind them from being "
             "dispatched"},
    Constant{"first_writes", &C::first_writes, "writes", 1, 1024,
             "writes of an operator that are looked at to place it beside the one before",
             "chosen, not fitted: about as many as run ahead of an operator's first product"},
    Constant{"min_chunk_elements", &C::min_chunk_elements, "elements", 1, kMany,
             "chunk of an element-wise operator below which an instruction of its own does not pay",
             "chosen, not fitted: 64 cycles of 32 lanes, against issue and set-up of some 20"},
    Constant{"chunks_to_overlap", &C::chunks_to_overlap, "chunks", 1, 1024,
             "chunks that a core's part of an element-wise operator is cut into at least",
             "chosen, not fitted: one is loaded, one computed, one stored, one begun"},
    Constant{"transpose_run_bytes", &C::transpose_run_bytes, "bytes", 4, 65536,
             "contiguous runs worth having on both sides of a tile of a transpose",
             "chosen, not fitted: half the longest request of most chips: longer runs on one side shorten those on the "
             "other"},
    Constant{"copy_areas", &C::copy_areas, "tiles", 2, 64,
             "tiles of a copy or transpose under way in buffer A, some loading, some storing",
             "chosen, not fitted: two loading and two storing"},
    Constant{"copy_tiles_per_core", &C::copy_tiles_per_core, "tiles", 1, 1024,
             "tiles of a copy that each core gets at least, so that loads and stores overlap",
             "chosen, not fitted: the first load and the last store overlap with nothing: of four tiles, a quarter of "
             "the time"},
    Constant{"copy_min_tile_bytes", &C::copy_min_tile_bytes, "bytes", 64, kMany,
             "size below which smaller tiles of a copy do not pay",
             "chosen, not fitted: 16 of the longest requests, of which set-up of a descriptor is a small share"},
    Constant{"copy_long_run_bytes", &C::copy_long_run_bytes, "bytes", 4, 65536,
             "runs worth having on both sides of a copy's tile: first of two lengths tried",
             "chosen, not fitted: the longest request of most chips"},
    Constant{"copy_short_run_bytes", &C::copy_short_run_bytes, "bytes", 4, 65536, "second of the two lengths tried",
             "chosen, not fitted: half the longest request"},
    Constant{
        "copy_way_margin", &C::copy_way_margin, "share", 0, 10,
        "how much slower than the fastest a way of a copy may be predicted and is run all the same",
        "chosen on 300 copies of `scripts/copy_ways --seed 2 --chips edge_single`, the chip on which the queue model "
        "misses short stores most: the fastest way was predicted 23 % above the least at most"},

    Constant{"repeat_tolerance", &C::repeat_tolerance, "share", 0, 1,
             "by how much the third block of a language model may differ in time from the second where both stand for "
             "all blocks",
             "chosen, not fitted: the 1 % within which a run of three blocks is to agree with one of all"},

    Constant{"tiling_dense_steps", &C::tiling_dense_steps, "steps", 2, 1024,
             "numbers of steps up to which all are points of the space; above, powers of two and halfway",
             "chosen, not fitted: small numbers differ much, large neighbours little"},
    Constant{"tiling_k_step_bytes", &C::tiling_k_step_bytes, "bytes", 1, 65536,
             "granule of the steps of K in the space", "chosen, not fitted: a DRAM burst of most chips"},
    Constant{"tiling_candidates", &C::tiling_candidates, "points", 1, kMany,
             "points of lowest bound that a bounded search chooses from",
             "chosen, not fitted: the best of 96 measured points was among the first 600 on every chip and operator "
             "looked at"},
    Constant{"tiling_under_way", &C::tiling_under_way, "points", 1, 1024, "points being measured at a time",
             "chosen, not fitted: few, so that choices know much; enough for four workers"},
    Constant{"tiling_under_way_exhaustive", &C::tiling_under_way_exhaustive, "points", 1, 1024,
             "the same of an exhaustive search",
             "chosen, not fitted: its choices need no knowledge; enough for a host of 32 processors"},
    Constant{"tiling_prediction_share", &C::tiling_prediction_share, "exponent", 0, 1,
             "share of the predicted time in the mean that a point is expected to cost", kTilingPoints},
    Constant{"tiling_bound_share", &C::tiling_bound_share, "exponent", 0, 1,
             "share of the bound in that mean; the rest is the sum of what the bound is the longest of", kTilingPoints},
    Constant{"tiling_size_distance", &C::tiling_size_distance, "1/octave", 0, 100,
             "distance of points whose sizes differ by a factor of 2", kTilingPoints},
    Constant{"tiling_parts_distance", &C::tiling_parts_distance, "1/octave", 0, 100,
             "distance of points whose numbers of parts differ by a factor of 2", kTilingPoints},
    Constant{"tiling_other_parts_distance", &C::tiling_other_parts_distance, "-", 0, 100,
             "distance of points with other parts at all", kTilingPoints},
    Constant{"tiling_order_distance", &C::tiling_order_distance, "-", 0, 100,
             "distance of points with another order of loops or another stationary operand", kTilingPoints},
    Constant{"tiling_mean_weight", &C::tiling_mean_weight, "points", 0.001, 100,
             "what the mean of all residuals counts against those of similar points", kTilingPoints},
    Constant{"tiling_exploration_bonus", &C::tiling_exploration_bonus, "logarithm", 0, 100,
             "by how much a point unlike all measured ones may turn out cheaper than expected", kTilingPoints},
    Constant{"tiling_budget", &C::tiling_budget, "measurements", 1, kMany, "default of `tune --budget`",
             "chosen, not fitted: a default for its option; docs/tiling_search.md compares 16 with 96"},
    Constant{"tiling_early", &C::tiling_early, "measurements", 1, kMany,
             "measurements after which the best cost so far is noted in a result",
             "chosen, not fitted: the budget of `run --tune 16` in docs/tiling_search.md, read from a longer search"},
    Constant{"predicted_points", &C::predicted_points, "points", 0, 1000,
             "points of the space that the planner's last choice of a tiling has predicted by the queue model",
             "chosen on the chips of seed 101 of scripts/tiling_distances (docs/tiling_search.md)"},
    Constant{"predicted_more_points", &C::predicted_more_points, "points", 0, 1000,
             "further points where the best prediction is far from the least bound of the space",
             "chosen on the chips of seed 1124 of scripts/tiling_distances (docs/tiling_search.md)"},
    Constant{"predicted_far", &C::predicted_far, "share", 0.001, 100,
             "distance of the best prediction from that bound from which on all further points are predicted; "
             "below, as many in proportion",
             "chosen on the chips of seed 1124 of scripts/tiling_distances (docs/tiling_search.md)"},
    Constant{
        "predicted_patience", &C::predicted_patience, "points", 1, 1000,
        "points in a row that are no better than the best before, after which no further ones are predicted",
        "chosen on ResNet-50, GoogLeNet, MobileNet and BERT-large on one chip each and on the chips of seed 3301 of "
        "scripts/tiling_distances (docs/tiling_search.md)"},
    Constant{"predicted_gain", &C::predicted_gain, "share", 0, 0.9,
             "how far the best prediction may be above a point's bound before the point is worth a prediction",
             "chosen, not fitted: the queue model's own median error is about 1 % (docs/estimate.md)"},
    Constant{"predicted_requests", &C::predicted_requests, "requests", 0, kMany,
             "that an operator makes at least, beyond which fewer of its tilings are predicted and no splits",
             "chosen, not fitted: half a second or so for each prediction"},
    Constant{
        "network_requests", &C::network_requests, "requests", 1, 1e9,
        "that a network makes at least, beyond which `predicted_requests` counts as much less for its operators, and "
        "its first block stands for all where they are equal",
        "chosen, not fitted: two or three seconds for each prediction of a network"},
    Constant{"predicted_cores", &C::predicted_cores, "cores", 1, kMany,
             "of a chip beyond which plans are made by formulas alone",
             "chosen, not fitted: planning bert_large_layer takes 77 s with predictions and 0.1 s without on a mesh of "
             "256 cores, 278 and 0.5 s on one of 1,024"},
    Constant{"neighbour_candidates", &C::neighbour_candidates, "splits", 1, 100,
             "other splits of a product that are predicted when splits are chosen with their neighbours",
             "chosen, not fitted: rows, columns and batches over the clusters"},
    Constant{
        "least_exposed", &C::least_exposed, "share", 0, 1,
        "of the time that activations keep memories busy, what counts when splits are chosen with their neighbours "
        "for the second time; all of it does the first time",
        "chosen of 1/4, 1/2 and 3/4 with six networks on hw_configs/quad_numa.yaml and quad_numa_cache.yaml in "
        "view"},
    Constant{"neighbour_gain", &C::neighbour_gain, "share", 0, 0.9,
             "by how much splits and placements must be predicted faster than those of each operator by itself",
             "chosen, not fitted: the queue model's own median error is about 1 % (docs/estimate.md)"},
    Constant{"split_gain", &C::split_gain, "share", 0, 0.9,
             "by how much a product on other cores, or reduced otherwise, must be predicted faster than as planned",
             "chosen, not fitted: as `neighbour_gain`"},
    Constant{"hand_on_points", &C::hand_on_points, "points", 0, 1000,
             "ways to hand a product's operands from core to core that are predicted",
             "chosen on two products on hw_configs/mesh_16.yaml in view, of whose 28 and 16 ways the fastest were the "
             "third and the sixth by formula (docs/communication.md)"},
    Constant{
        "least_promise", &C::least_promise, "share", 0, 0.9,
        "of a network's predicted time, which other splits of its products must gain by themselves for the network "
        "to be predicted with them",
        "chosen, not fitted: a tenth of the queue model's own median error (docs/estimate.md)"},
    Constant{
        "network_gain", &C::network_gain, "share", 0, 0.9,
        "how much longer than with its chosen layouts a network may be predicted to take with images row by row; by "
        "how much it must be predicted faster with element operands elsewhere than formulas put them",
        "chosen, not fitted: the errors of two predictions, each about 1 % (docs/estimate.md)"},
    Constant{
        "window_patience", &C::window_patience, "times the best", 1, 100,
        "a network with its convolutions in groups or siblings merged, or without, gets no splits and layouts of its "
        "own where it is predicted to take longer than this before",
        "chosen on seven networks and five chips and cells of seeds 1, 2 and 41 to 43 (docs/fusion.md), where these "
        "changed either by 10 % at most"},
    Constant{
        "split_patience", &C::split_patience, "times the best", 1, 100,
        "a product is tried on half of the cores, a quarter ... until it is predicted to take longer than this; nor is "
        "it split as its neighbours would like where it takes longer by itself",
        "chosen, not fitted: with half of the cores a product that is bound by them takes twice as long"},
    Constant{
        "formula_patience", &C::formula_patience, "times as planned", 1, kMany,
        "no program is made of a product on other cores, or with another dimension cut, that formulas find slower "
        "than this",
        "chosen on 1,979 such programs of three networks on six chips: of 272 above it none was predicted to be "
        "faster, of 683 between 2 and 4 times 49; of 30 networks on chips drawn later (scripts/split_gain 281301) none "
        "takes other cycles"},
    Constant{"early_load_cycles", &C::early_load_cycles, "core clocks", 0, 1e6,
             "what a core's share of bandwidth brings in this time is loaded in front of a load that waits for others",
             "chosen of 256, 512 and 1024 with efficientnet_b0 on three chips in view: a store, a barrier and a load "
             "take about as long"},
    Constant{"early_load_distance", &C::early_load_distance, "instructions", 1, 100'000,
             "of a core, behind a load that waits, among which it looks for those",
             "chosen, not fitted: about as many as six operators have"},

    Constant{"order_window", &C::order_window, "key nodes", 1, 1024, "default of `schedule --window`",
             "chosen, not fitted: the smallest parts have the fewest orders"},
    Constant{"order_min_nodes", &C::order_min_nodes, "operators", 1, 1024,
             "default of `schedule --min-nodes`: smaller parts are merged",
             "chosen, not fitted: fewer operators have next to no orders"},
    Constant{"order_merged_orders", &C::order_merged_orders, "orders", 1, kMany,
             "orders that a sub-graph may have after small ones were merged into it",
             "chosen, not fitted: the default of `schedule --budget`, so that all of them can be timed"},
    Constant{"order_part_nodes", &C::order_part_nodes, "operators", 4, kMany,
             "length from which a sub-graph without a key node is cut where fewest results are read across",
             "chosen, not fitted: twice the operators of the largest network whose orders are searched as a whole in "
             "`scripts/schedule_table`"},
    Constant{"order_random_share", &C::order_random_share, "share", 0, 1,
             "share of the budget that guided searches begin with random orders",
             "chosen, not fitted: enough to leave a bad order as imported, few enough to leave the search its orders"},
    Constant{"order_budget", &C::order_budget, "orders", 1, kMany, "default of `schedule --budget`",
             "chosen, not fitted: a default for its option; scripts/schedule_table uses a tenth of all orders"},
    Constant{"order_predictions", &C::order_predictions, "orders", 1, 1024,
             "default of `schedule --predictions`: orders predicted for each that may be timed", kOrderTimes},
    Constant{"order_alone_share", &C::order_alone_share, "share", 0.0, 1.0,
             "of the operators of parts between key nodes, the share up to which timing each program once is worth "
             "timing parts alone",
             "chosen, not fitted: alone, a run of the network's length tries two and a half times as many orders"},
    Constant{"order_linked", &C::order_linked, "orders", 0, 1024,
             "other orders of each part timed alone that are tried in the linked network",
             "chosen, not fitted: each is a measurement of the whole network"},
    Constant{"order_batch", &C::order_batch, "orders", 1, 1024, "orders proposed before the first of them is timed",
             "chosen, not fitted: fixed, so that results do not depend on the workers"},
    Constant{"order_stale", &C::order_stale, "orders", 1, kMany,
             "proposals in a row that were known before, after which a search is over",
             "chosen, not fitted: a guard: random proposals that repeat so often have met nearly all orders"},
    Constant{"order_beam_width", &C::order_beam_width, "orders", 1, 1024, "fronts that beam search follows",
             "chosen, not fitted: as many fronts as orders are being timed"},
    Constant{"order_exploration", &C::order_exploration, "-", 0, 100,
             "tree search: weight of trying what has been tried little (UCB1 has sqrt 2 for rewards in [0, 1])",
             kOrderTimes},
    Constant{"order_unknown_reward", &C::order_unknown_reward, "-", 0, 1,
             "tree search: reward of a branch of which nothing is reported",
             "chosen, not fitted: the middle of the rewards"},
    Constant{
        "order_follow", &C::order_follow, "operators", 1, kMany,
        "tree search: behind the tree one operator in so many is drawn at random, the others are as in the fastest "
        "order",
        "chosen, not fitted: of a sub-graph of 64 operators eight are drawn"},
    Constant{"order_apart", &C::order_apart, "operators", 0, kMany,
             "list scheduling as imported: operators between a result and what reads it, where there are others",
             kListRules},
    Constant{"order_path_apart", &C::order_path_apart, "operators", 0, kMany,
             "list scheduling by the longest path: the same", kListRules},
    Constant{"order_looks_at_once", &C::order_looks_at_once, "orders", 1, 1024, "tree search: orders predicted at once",
             "chosen, not fitted: as many as are proposed at once"},
    Constant{"order_looks_later", &C::order_looks_later, "orders", 1, 1024,
             "orders predicted before each one timed, behind the first half of all", kOrderTimes},
    Constant{"order_stale_trees", &C::order_stale_trees, "walks", 1, kMany,
             "tree search: walks in a row to known orders, after which those known are enough",
             "chosen, not fitted: a guard, as order_stale; walks know which branches are exhausted"},
    Constant{"order_reach", &C::order_reach, "share", 0.001, 10,
             "share of open pairs turned at which the covariance of two orders' residuals is 1/e", kOrderTimes},
    Constant{"order_noise", &C::order_noise, "share", 0.001, 10,
             "share of the residuals' variance that no model of orders can know",
             "measured: one more clock of DRAM latency changes the times of orders by 1.0 to 1.5 % (standard "
             "deviation), predictions miss them by about 2 %; `scripts/schedule_table ranks`"},
    Constant{"order_min_deviation", &C::order_min_deviation, "logarithm", 1e-6, 1,
             "least deviation of a residual that is assumed", kOrderTimes},
    Constant{"order_deviations", &C::order_deviations, "deviations", 0, 10,
             "how many deviations below its expectation an order is hoped to be", kOrderTimes},
    Constant{"order_learnt", &C::order_learnt, "orders", 4, 4096,
             "orders the model learns from; full, it keeps the faster half",
             "chosen, not fitted: the model's work grows with the cube of it"},
    Constant{"order_under_way", &C::order_under_way, "orders", 1, 1024, "orders being timed at a time",
             "chosen, not fitted: few, so that the model learns early; enough for four workers"},

    Constant{"database_threshold", &C::database_threshold, "share", 0.001, 1,
             "default of `db build --threshold`: least share of the roofline's speed of an initial shape",
             "chosen, not fitted: a shape below it is held up by something that its multiples need not share"},
    Constant{"database_step_tolerance", &C::database_step_tolerance, "share", 0, 1,
             "default of `db build --tolerance`: how far cost and size may differ in a linear step",
             "chosen, not fitted: equal to database_region_tolerance"},
    Constant{"database_budget", &C::database_budget, "measurements", 1, kMany,
             "measurements of a search for a record or a check",
             "chosen, not fitted: 16 come within 1.0 % on the mean of 96 (docs/tiling_search.md)"},
    Constant{"database_visits", &C::database_visits, "shapes", 1, kMany,
             "shapes looked at for the boundary of an initial one",
             "chosen, not fitted: a guard on the time of one initial shape"},
    Constant{"database_boundaries", &C::database_boundaries, "shapes", 1, kMany,
             "boundary shapes kept of an initial one",
             "chosen, not fitted: a guard on the records of one initial shape"},
    Constant{"database_max_padding", &C::database_max_padding, "share", 0, 1,
             "default of --max-padding: most padded work for a record to serve a shape",
             "chosen, not fitted: one part in eight; docs/tiling_database.md shows what matches by padding are worth"},
    Constant{"database_candidates", &C::database_candidates, "records", 1, kMany,
             "records of the lowest proportional cost that a look-up judges by the model of time",
             "chosen, not fitted: as many as a search measures points"},
    Constant{"database_region_tolerance", &C::database_region_tolerance, "share", 0, 1,
             "default of --region: how far a cost may be carried off in the linear region", kLinearShapes},
    Constant{"database_extrapolation", &C::database_extrapolation, "share", 0, 1,
             "default of --extrapolation: what each doubling of the rounds beyond the first adds to that",
             kLinearShapes},
    Constant{"database_error_least", &C::database_error_least, "share", 0, 1,
             "least error that a look-up expects of a predicted cost", kErrorBounds},
    Constant{"database_error_doubling", &C::database_error_doubling, "share", 0, 1,
             "what each doubling of the rounds adds to that", kErrorBounds},
    Constant{"database_error_padding", &C::database_error_padding, "share", 0, 10,
             "what padding adds to that, times its share of the work", kErrorBounds},

    Constant{"database_queue_error", &C::database_queue_error, "share", 0, 1,
             "error that a look-up expects of cycles and energy predicted by the queue model",
             "chosen on chips of `scripts/tiling_distances`, seed 71 (docs/tiling_database.md)"},

    Constant{"study_keep", &C::study_keep, "share", 0.01, 0.99,
             "default of `keep` of a study by halving: share of the points that enter the next round",
             "chosen, not fitted: successive halving as it is named"},

    Constant{
        "channel_warning_gain", &C::channel_warning_gain, "times", 1, 100,
        "a report warns of colliding DRAM channels where another interleaving gives the busiest so many times less",
        "chosen, not fitted: below it, changed chips gained less than 2 % (docs/stalls.md)"},
    Constant{"channel_warning_share", &C::channel_warning_share, "share", 0, 1,
             "and the cores wait for DRAM bandwidth and rows for more than this share of their time",
             "chosen, not fitted: what is waited for less cannot gain much"},
};
static_assert(kTable.size() * sizeof(double) == sizeof(Constants), "each constant has one row");

const Constant& find(const std::string& name, const std::string& where) {
  std::vector<std::string_view> names;
  for (const Constant& constant : kTable) {
    if (constant.name == name) return constant;
    names.push_back(constant.name);
  }
  throw UserError(where, fmt::format("got '{}', expected {}", name, fmt::join(names, "|")));
}

template <class Number>
void set(const Constant& constant, Number Constants::*member, const std::string& text, const std::string& where) {
  const auto value = number_of<Number>(text);
  const auto real = static_cast<double>(value.value_or(0));
  if (!value || !(real >= constant.least && real <= constant.most))
    throw UserError(where, fmt::format("{}: got '{}', expected a {}number from {} to {}", constant.name, text,
                                       std::is_integral_v<Number> ? "whole " : "", constant.least, constant.most));
  detail::constants_in_effect.*member = *value;
}

void set_one(const std::string& part, std::set<std::string>& given, const std::string& where) {
  const auto equals = part.find('=');
  if (equals == std::string::npos) throw UserError(where, fmt::format("got '{}', expected name=value", part));
  const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
  const Constant& constant = find(name, where);
  if (!given.insert(name).second) throw UserError(where, fmt::format("{} is given twice", name));
  std::visit([&](auto member) { set(constant, member, value, where); }, constant.member);
}

}  // namespace

std::span<const Constant> constant_table() { return kTable; }

double value_of(const Constant& constant, const Constants& values) {
  return std::visit([&](auto member) { return static_cast<double>(values.*member); }, constant.member);
}

void set_constants(const std::string& text, const std::string& where) {
  std::set<std::string> given;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    set_one(text.substr(begin, end - begin), given, where);
    begin = end + 1;
  }
}

std::vector<std::string> changed_constants() {
  std::vector<std::string> changed;
  for (const Constant& constant : kTable) {
    const double value = value_of(constant, constants());
    if (value != value_of(constant, Constants{})) changed.push_back(fmt::format("{}={}", constant.name, value));
  }
  return changed;
}

}  // namespace tilewright
