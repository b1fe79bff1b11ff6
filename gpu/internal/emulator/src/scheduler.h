// Streams, events, and when the work in them is done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "config.h"
#include "status.h"

namespace emu {

// Mark is one record of an event.
struct Mark {
  bool reached = false;
};

// Event is its last record. Who waits for an event waits for the record there is
// at that time, whatever becomes of the event.
struct Event {
  std::shared_ptr<Mark> last;
  bool done() const { return !last || last->reached; }
};

// Operation is a piece of work in a stream.
struct Operation {
  std::string name;
  std::function<void()> run;     // may throw Fault; null for marks
  std::shared_ptr<Mark> wait;    // not before this is reached
  std::shared_ptr<Mark> record;  // is reached behind the operation
};

struct Stream {
  std::deque<Operation> queue;  // the front stays until it has been done
  bool running = false;
  bool destroyed = false;
  uint64_t priority = 0;
  bool idle() const { return queue.empty(); }
};

// Scheduler runs the operations of all streams. All methods want its mutex held.
//
// In the mode of threads each stream has a thread, as each has its own queue on a
// device. The adversarial mode does nothing until the host waits, and then runs
// the streams in an order drawn from a seed, so that a missing synchronisation
// fails every time and a failure can be repeated.
class Scheduler {
 public:
  using Lock = std::unique_lock<std::mutex>;

  explicit Scheduler(const Config& config) : config_(config), random_(config.seed) {}

  std::shared_ptr<Stream> create();
  void destroy(const std::shared_ptr<Stream>& stream);
  void submit(const std::shared_ptr<Stream>& stream, Operation operation);

  // wait returns when the condition holds or the device has failed.
  void wait(Lock& lock, const std::function<bool()>& condition);
  // poll lets some time pass: in the adversarial mode little or no work is done.
  void poll(Lock& lock);

  bool idle() const;
  size_t streams() const { return streams_.size(); }
  Status failure() const { return failure_; }
  void fail(Status status, const std::string& message);
  const std::string& log() const { return log_; }
  uint64_t draw() { return random_(); }

  std::mutex mutex;

 private:
  bool ready(const Stream& stream) const;
  void run_front(Lock& lock, Stream& stream);
  void work(std::shared_ptr<Stream> stream);
  bool step(Lock& lock);
  void shuffle();
  void forget_destroyed();

  const Config& config_;
  std::mt19937_64 random_;
  std::list<std::shared_ptr<Stream>> streams_;
  std::condition_variable changed_;
  bool stepping_ = false;
  int64_t operations_ = 0;
  Status failure_ = kSuccess;
  std::string log_;
};

}  // namespace emu
