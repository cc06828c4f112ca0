// Long columns without a copy: values that are another's, or its own.
#ifndef PSEUDOSYNTH_DESIGN_VALUES_HPP
#define PSEUDOSYNTH_DESIGN_VALUES_HPP

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace pseudosynth {

/// @brief Values that another holds, for as long as a call lasts.
template <class T>
struct View {
  explicit View(const std::vector<T>& from)
      : data(from.data()), size(from.size()) {}
  View(const T* from, std::size_t n) : data(from), size(n) {}
  const T& operator[](std::size_t i) const { return data[i]; }
  const T* begin() const { return data; }
  const T* end() const { return data + size; }

  const T* data;
  std::size_t size;
};

/// @brief A vector, or a look at values that must outlive it.
template <class T>
class Values {
 public:
  Values() = default;
  Values(std::vector<T> own) : own_(std::move(own)) {}
  Values(std::initializer_list<T> own) : own_(own) {}

  void look_at(const T* data, std::size_t n) {
    own_.clear();
    view_ = data;
    n_ = n;
  }

  const T* data() const { return view_ != nullptr ? view_ : own_.data(); }
  std::size_t size() const { return view_ != nullptr ? n_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  const T& back() const { return data()[size() - 1]; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }

  /// Of values of its own alone.
  void push_back(T value) { own_.push_back(value); }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    view_ = nullptr;
    own_.assign(first, last);
  }

 private:
  std::vector<T> own_;
  const T* view_ = nullptr;
  std::size_t n_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_DESIGN_VALUES_HPP
