#include "planner/estimate/queue_model/queue_transport.h"

#include "planner/estimate/queue_model/queue_network.h"
#include "planner/estimate/queue_model/queue_routers.h"
#include "planner/estimate/queue_model/queue_simple.h"

namespace tilewright {

std::unique_ptr<QueueTransport> make_queue_transport(const NetworkSpec& spec, RouterBuffers buffers, Calendar& calendar,
                                                     QueuePacketClient& client) {
  if (spec.topology == Topology::kSimple) return std::make_unique<QueueSimple>(spec, calendar, client);
  if (buffers == RouterBuffers::kUnlimited || spec.multicast > 0)
    return std::make_unique<QueueNetwork>(spec, calendar, client);
  return std::make_unique<QueueRouters>(spec, calendar, client);
}

}  // namespace tilewright
