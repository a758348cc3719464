// Every fitted or chosen figure of the planner and its searches: the values in effect. Meaning, unit, origin and legal
// range of each stand in constant_table.cpp; docs/constants.md is printed from there. Limits that only guard against
// hostile input are no figures of the planner and stay where they are.
#pragma once

#include <cstdint>

namespace tilewright {

struct Constants {
  // Model of time: planner/estimate.
  double row_visit_bursts = 0.7;
  double hidden_load_weight = 1e-3;
  double fewer_cores_gain = 0.1;
  double shared_units_gain = 0.2;
  std::int64_t first_block_depth = 2;
  double group_gain = 0.1;
  std::int64_t group_length = 32;
  double peer_memory_cost = 2;
  double remote_region_cost = 4;
  double store_gain_cycles = 50;

  // Memory kept free, alignment.
  std::int64_t dram_spare_divisor = 16;
  std::int64_t partial_area_divisor = 8;
  std::int64_t buffer_alignment = 64;
  std::int64_t tensor_alignment = 256;
  double row_gap_share = 0.5;

  // Tilings and programs: planner/passes, planner/emit.
  double accumulator_step = 0.5;
  double load_skew = 2;
  std::int64_t buffering = 2;
  double refine_gain = 0.005;
  double spill_gain = 0.03;
  double spill_memory_share = 0.8;
  std::int64_t spilled_points = 4;
  std::int64_t refine_steps = 24;
  std::int64_t refine_starts = 3;
  std::int64_t batch_groups = 4;
  std::int64_t strip_requests = 2;
  std::int64_t result_slots = 16;
  std::int64_t lookahead_divisor = 2;
  std::int64_t first_writes = 8;
  std::int64_t min_chunk_elements = 2048;
  std::int64_t chunks_to_overlap = 4;
  std::int64_t transpose_run_bytes = 128;
  std::int64_t copy_areas = 4;
  std::int64_t copy_tiles_per_core = 4;
  std::int64_t copy_min_tile_bytes = 4096;
  std::int64_t copy_long_run_bytes = 256;
  std::int64_t copy_short_run_bytes = 128;
  double copy_way_margin = 0.3;

  // Language models: planner/report/run.
  double repeat_tolerance = 0.01;

  // Tiling search: planner/search/tiling.
  std::int64_t tiling_dense_steps = 8;
  std::int64_t tiling_k_step_bytes = 64;
  std::int64_t tiling_candidates = 2048;
  std::int64_t tiling_under_way = 5;
  std::int64_t tiling_under_way_exhaustive = 32;
  double tiling_prediction_share = 0.1;
  double tiling_bound_share = 0.2;
  double tiling_size_distance = 0.7;
  double tiling_parts_distance = 0.2;
  double tiling_other_parts_distance = 0.7;
  double tiling_order_distance = 0.4;
  double tiling_mean_weight = 0.5;
  double tiling_exploration_bonus = 0.2;
  std::int64_t tiling_budget = 200;
  std::int64_t tiling_early = 16;
  std::int64_t predicted_points = 3;
  std::int64_t predicted_more_points = 20;
  double predicted_far = 0.5;
  std::int64_t predicted_patience = 8;
  double predicted_gain = 0.02;
  std::int64_t predicted_requests = 500'000, network_requests = 2'000'000;
  std::int64_t predicted_cores = 512;
  std::int64_t neighbour_candidates = 4;
  double least_exposed = 0.25;
  double neighbour_gain = 0.01;
  double least_promise = 0.001;
  double network_gain = 0.02, window_patience = 1.1;
  double split_gain = 0.01;
  std::int64_t hand_on_points = 6;
  double split_patience = 1.3, formula_patience = 4;
  double early_load_cycles = 512;
  std::int64_t early_load_distance = 400;

  // Order search: planner/search/order.
  std::int64_t order_window = 1;
  std::int64_t order_min_nodes = 4;
  std::int64_t order_merged_orders = 200;
  std::int64_t order_part_nodes = 64;
  double order_random_share = 0.25;
  std::int64_t order_budget = 200;
  std::int64_t order_predictions = 5;
  double order_alone_share = 0.5;
  std::int64_t order_linked = 3;
  std::int64_t order_batch = 8;
  std::int64_t order_stale = 1000;
  std::int64_t order_beam_width = 4;
  double order_exploration = 0.5;
  double order_unknown_reward = 0.5;
  std::int64_t order_follow = 8;
  std::int64_t order_apart = 8, order_path_apart = 4;
  std::int64_t order_looks_at_once = 8;
  std::int64_t order_looks_later = 10;
  std::int64_t order_stale_trees = 200;
  double order_reach = 0.1;
  double order_noise = 0.25;
  double order_min_deviation = 0.01;
  double order_deviations = 0.5;
  std::int64_t order_learnt = 128;
  std::int64_t order_under_way = 4;

  // Tiling database: planner/search/database.
  double database_threshold = 0.25;
  double database_step_tolerance = 0.03;
  std::int64_t database_budget = 16;
  std::int64_t database_visits = 48;
  std::int64_t database_boundaries = 16;
  double database_max_padding = 0.125;
  std::int64_t database_candidates = 16;
  double database_region_tolerance = 0.03;
  double database_extrapolation = 0.01;
  double database_error_least = 0.05;
  double database_error_doubling = 0.03;
  double database_error_padding = 0.5;
  double database_queue_error = 0.08;

  // Studies: planner/search/study.
  double study_keep = 0.5;

  // Reports: planner/report/run.
  double channel_warning_gain = 1.25;
  double channel_warning_share = 0.1;
};

namespace detail {
extern constinit Constants constants_in_effect;
}

inline const Constants& constants() { return detail::constants_in_effect; }

}  // namespace tilewright
