#include "planner/estimate/queue_model/queue_transport.h"

#include "planner/estimate/queue_model/queue_network.h"
#include "planner/estimate/queue_model/queue_routers.h"

namespace tilewright {

std::unique_ptr<QueueTransport> make_queue_transport(const NetworkSpec& spec, RouterBuffers buffers, Calendar& calendar,
                                                     QueuePacketClient& client) {
  if (buffers == RouterBuffers::kUnlimited || spec.topology == Topology::kSimple || spec.multicast > 0)
    return std::make_unique<QueueNetwork>(spec, calendar, client);
  return std::make_unique<QueueRouters>(spec, calendar, client);
}

}  // namespace tilewright
