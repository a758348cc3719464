#include "planner/emit/copy/copy_job.h"

namespace tilewright {
namespace {

CopyJob job_of(const TracedCopy& copy) {
  CopyJob job{copy.name, copy.type, {}, {}};
  job.tensors.push_back({"input", SegmentKind::kInput, copy.input.layout});
  job.tensors.push_back({"output", SegmentKind::kOutput, copy.output.layout});
  return job;
}

// The tensor itself when it is plain, else a plain one beside it.
int plain_tensor(CopyJob& job, int tensor) {
  const Layout layout = job.tensors[tensor].layout;
  if (layout.is_plain()) return tensor;
  job.tensors.push_back({job.tensors[tensor].name + ".plain", SegmentKind::kHidden, Layout::plain(layout.shape())});
  return static_cast<int>(job.tensors.size()) - 1;
}

void reorder(CopyJob& job, const char* name, int from, int to) {
  if (from == to) return;
  const View all = View::of(job.tensors[from].layout.shape());
  job.passes.push_back({name, from, to, all, all, {}});
}

}  // namespace

CopyJob direct_copy(const TracedCopy& copy) {
  CopyJob job = job_of(copy);
  job.passes.push_back({"copy", CopyJob::kInput, CopyJob::kOutput, copy.input.view, copy.output.view, {}});
  return job;
}

CopyJob copy_via_plain(const TracedCopy& copy) {
  CopyJob job = job_of(copy);
  const int input = plain_tensor(job, CopyJob::kInput);
  reorder(job, "input to plain", CopyJob::kInput, input);
  const bool moves_nothing = covers_in_order(copy.input.view, copy.input.layout.shape()) &&
                             covers_in_order(copy.output.view, copy.output.layout.shape());
  const int output = moves_nothing ? CopyJob::kOutput : plain_tensor(job, CopyJob::kOutput);
  if (element_count(copy.output.view.shape) < element_count(copy.output.layout.shape()))
    reorder(job, "output to plain", CopyJob::kOutput, output);
  job.passes.push_back({"copy", input, output, copy.input.view, copy.output.view, {}});
  reorder(job, "plain to output", output, CopyJob::kOutput);
  return job;
}

}  // namespace tilewright
