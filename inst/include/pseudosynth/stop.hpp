// A question that long loops over matrices ask of their thread's host, so that
// what calls them needs no polling of its own.
#ifndef PSEUDOSYNTH_STOP_HPP
#define PSEUDOSYNTH_STOP_HPP

#include <exception>
#include <functional>

namespace pseudosynth {

/// Thrown out of work that is worth nothing unfinished when the host asks to
/// stop.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// @brief While it lives, work of this thread asks `should_stop`.
class StopScope {
 public:
  /// @param should_stop must outlive this object; may be empty.
  explicit StopScope(const std::function<bool()>& should_stop)
      : before_(asked()) {
    asked() = &should_stop;
  }
  ~StopScope() { asked() = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// For a step of a loop over n columns: asked where these are many, so that
  /// a step takes longer than the question.
  /// @throw Interrupted
  static void poll(int n) {
    if (n < kMany) return;
    const std::function<bool()>* stop = asked();
    if (stop != nullptr && *stop && (*stop)()) throw Interrupted();
  }

 private:
  static constexpr int kMany = 256;
  static const std::function<bool()>*& asked() {
    static thread_local const std::function<bool()>* question = nullptr;
    return question;
  }

  const std::function<bool()>* before_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_STOP_HPP
