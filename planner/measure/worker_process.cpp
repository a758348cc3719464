#include "planner/measure/worker_process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>

#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

// Both return false when the other side is gone.
bool send_all(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent, count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t received = ::recv(socket, bytes, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes += received, count -= static_cast<std::size_t>(received);
  }
  return true;
}

bool send_message(int socket, const WorkerMessage& message) {
  const std::uint64_t length = message.text.size();
  std::string packet(1, static_cast<char>(message.kind));
  packet.append(reinterpret_cast<const char*>(&length), sizeof length);
  packet += message.text;
  return send_all(socket, packet.data(), packet.size());
}

std::optional<WorkerMessage> receive_message(int socket) {
  char kind = 0;
  std::uint64_t length = 0;
  if (!receive_all(socket, &kind, 1) || !receive_all(socket, reinterpret_cast<char*>(&length), sizeof length))
    return {};
  WorkerMessage message{static_cast<WorkerMessage::Kind>(kind), std::string(length, '\0')};
  if (!receive_all(socket, message.text.data(), length)) return {};
  return message;
}

WorkerMessage answer_to(const WorkerPool::Handler& handler, const std::string& query) {
  try {
    return {WorkerMessage::Kind::kAnswer, handler(query)};
  } catch (const UserError& error) {
    return {WorkerMessage::Kind::kRefusal, error.what()};
  } catch (const std::bad_alloc&) {
    return {WorkerMessage::Kind::kNoMemory, ""};
  } catch (const std::exception& error) {
    return {WorkerMessage::Kind::kBug, error.what()};
  }
}

// What a handler that cannot be made answers to every query.
WorkerPool::Handler made_by(const WorkerPool::MakeHandler& make) {
  try {
    return make();
  } catch (const UserError& error) {
    return [message = std::string(error.what())](const std::string&) -> std::string { throw UserError("", message); };
  } catch (const std::exception& error) {
    return [message = std::string(error.what())](const std::string&) -> std::string { throw InternalError(message); };
  }
}

// What private memory the process has, in bytes (proc(5), statm: pages).
rlim_t data_bytes() {
  std::ifstream statm("/proc/self/statm");
  rlim_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  statm >> size >> resident >> shared >> text >> library >> data;
  return data * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void limit_memory(std::int64_t bytes) {
  if (bytes == 0) return;
  const rlim_t most = data_bytes() + static_cast<rlim_t>(bytes);
  const rlimit limit{most, most};
  SIM_CHECK(::setrlimit(RLIMIT_DATA, &limit) == 0, "setrlimit: {}", std::strerror(errno));
}

// An answer that took longer than allowed is none, however soon the caller looks.
WorkerMessage answer_in_time(const WorkerPool::Handler& handler, const std::string& query, double seconds) {
  using Wall = std::chrono::steady_clock;
  const Wall::time_point begin = Wall::now();
  const WorkerMessage answer = answer_to(handler, query);
  const bool late = seconds > 0 && std::chrono::duration<double>(Wall::now() - begin).count() > seconds;
  return late && answer.kind == WorkerMessage::Kind::kAnswer ? WorkerMessage{WorkerMessage::Kind::kTooLate, ""}
                                                             : answer;
}

[[noreturn]] void serve(int socket, const WorkerPool::MakeHandler& make, double seconds) {
  // Ctrl-C is the caller's to handle; a caller that is gone, even killed, takes its workers along.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  forget_stop();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const WorkerPool::Handler handler = made_by(make);
  while (const auto query = receive_message(socket))
    if (!send_message(socket, answer_in_time(handler, query->text, seconds))) break;
  ::_exit(0);
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerPool::MakeHandler& make, const std::vector<int>& siblings,
                             const WorkerLimits& limits) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw UserError("", fmt::format("cannot make a socket for a worker process: {}", std::strerror(errno)));
  std::fflush(nullptr);  // what is buffered must be printed once
  pid_ = ::fork();
  if (pid_ < 0) throw UserError("", fmt::format("cannot start a worker process: {}", std::strerror(errno)));
  if (pid_ == 0) {
    ::close(ends[0]);
    for (const int sibling : siblings) ::close(sibling);
    limit_memory(limits.bytes);
    serve(ends[1], make, limits.seconds);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

WorkerProcess::~WorkerProcess() {
  ::close(socket_);
  if (pid_ < 0) return;
  // Nobody waits for an answer any more. An idle worker would end when its socket closes, but processes forked since
  // may hold that open.
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void WorkerProcess::send(const std::string& text) { send_message(socket_, {WorkerMessage::Kind::kQuery, text}); }

std::optional<WorkerMessage> WorkerProcess::receive() { return receive_message(socket_); }

std::string WorkerProcess::how_it_ended() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace tilewright
