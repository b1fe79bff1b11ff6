#include "scheduler.h"

namespace emu {

std::shared_ptr<Stream> Scheduler::create() {
  auto stream = std::make_shared<Stream>();
  streams_.push_back(stream);
  // Detached, because the process may end with the device still open.
  if (config_.threads) std::thread(&Scheduler::work, this, stream).detach();
  return stream;
}

void Scheduler::destroy(const std::shared_ptr<Stream>& stream) {
  stream->destroyed = true;
  forget_destroyed();
  changed_.notify_all();
}

void Scheduler::forget_destroyed() {
  streams_.remove_if([](const std::shared_ptr<Stream>& s) { return s->destroyed && s->idle(); });
}

void Scheduler::submit(const std::shared_ptr<Stream>& stream, Operation operation) {
  stream->queue.push_back(std::move(operation));
  changed_.notify_all();
}

bool Scheduler::ready(const Stream& stream) const {
  if (failure_ != kSuccess || stream.queue.empty() || stream.running) return false;
  const Operation& front = stream.queue.front();
  return !front.wait || front.wait->reached;
}

// run_front does a stream's next operation with the mutex released.
void Scheduler::run_front(Lock& lock, Stream& stream) {
  Operation& operation = stream.queue.front();
  stream.running = true;
  bool injected = ++operations_ == config_.fault_operation;
  lock.unlock();
  Status status = injected ? Status(config_.fault_status) : kSuccess;
  std::string message = "injected";
  if (!injected && operation.run) {
    try {
      operation.run();
    } catch (const Fault& fault) {
      status = fault.status;
      message = fault.what();
    }
  }
  lock.lock();
  stream.running = false;
  if (status != kSuccess) {
    fail(status, operation.name + ": " + message);
  } else if (operation.record) {
    operation.record->reached = true;
  }
  stream.queue.pop_front();
  forget_destroyed();
  changed_.notify_all();
}

void Scheduler::fail(Status status, const std::string& message) {
  if (failure_ == kSuccess) failure_ = status;  // the first failure is the one that sticks
  log_ += message + "\n";
  changed_.notify_all();
}

// work is the thread of one stream.
void Scheduler::work(std::shared_ptr<Stream> stream) {
  Lock lock(mutex);
  for (;;) {
    changed_.wait(lock, [&] { return ready(*stream) || (stream->destroyed && stream->idle()); });
    if (stream->destroyed && stream->idle()) return;
    run_front(lock, *stream);
  }
}

void Scheduler::shuffle() {
  for (auto& stream : streams_) stream->priority = random_();
}

// step runs one operation of the ready stream that has the highest priority.
bool Scheduler::step(Lock& lock) {
  if (random_() % 8 == 0) shuffle();
  std::shared_ptr<Stream> chosen;
  for (auto& stream : streams_) {
    if (ready(*stream) && (!chosen || stream->priority > chosen->priority)) chosen = stream;
  }
  if (!chosen) return false;
  stepping_ = true;
  run_front(lock, *chosen);
  stepping_ = false;
  changed_.notify_all();
  return true;
}

void Scheduler::wait(Lock& lock, const std::function<bool()>& condition) {
  auto over = [&] { return failure_ != kSuccess || condition(); };
  if (config_.threads) {
    changed_.wait(lock, over);
    return;
  }
  shuffle();
  while (!over()) {
    if (stepping_) {
      changed_.wait(lock);
    } else if (!step(lock)) {
      fail(kUnknown, "the host waits for work that can never be done");
    }
  }
}

void Scheduler::poll(Lock& lock) {
  if (config_.threads || stepping_ || random_() % 2 == 0) return;
  for (auto steps = random_() % 64; steps > 0 && !idle(); steps--) {
    shuffle();
    step(lock);
  }
}

bool Scheduler::idle() const {
  for (auto& stream : streams_) {
    if (!stream->idle()) return false;
  }
  return true;
}

}  // namespace emu
