// What orders come to: their predictions, corrected by what the orders measured so far came to beyond theirs.
//
// The corrections are a Gaussian process over orders. Two orders are alike where they agree on which node of a pair
// comes first: covariance exp(-d / kReach), d the share of the pairs left open by the graph on which they differ
// (Mallows kernel; Jiao and Vert, "The Kendall and Mallows kernels for permutations"; as a surrogate of a search:
// Deshwal et al., "Bayesian optimization over permutation spaces").
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <vector>

#include "planner/search/order/operator_dag.h"

namespace tilewright {

class OrderSurrogate {
 public:
  explicit OrderSurrogate(const ScheduleDag& dag);

  // An order that is under way: nearby orders become less uncertain, and what they are expected to take stays.
  void add(const NodeOrder& order);
  // The logarithm of what the `index`-th order added came to over its prediction.
  void set_excess(std::size_t index, double excess);
  std::size_t size() const { return precedences_.size(); }

  // To be called after set_excess and before acquisition.
  void fit();
  // The logarithm of the time expected of an order over its prediction, less a share of its deviation: what is lower is
  // more worth measuring.
  double acquisition(const NodeOrder& order) const;

 private:
  using Precedences = boost::dynamic_bitset<>;  // bit a * nodes + b, a < b: a stands before b

  Precedences precedences_of(const NodeOrder& order) const;
  double covariance(const Precedences& a, const Precedences& b) const;
  std::vector<double> covariances_with_all(const Precedences& order) const;
  std::vector<double> forward(std::vector<double> values) const;

  int nodes_;
  double open_pairs_;
  double mean_ = 0, deviation_;              // of the excesses
  std::vector<Precedences> precedences_;     // of the orders added
  std::vector<double> excesses_;             // of those that came to something, in front
  std::vector<std::vector<double>> factor_;  // Cholesky's lower triangle of the covariances
  std::vector<double> whitened_;             // factor_^-1 times the scaled excesses; 0 for orders under way
};

}  // namespace tilewright
