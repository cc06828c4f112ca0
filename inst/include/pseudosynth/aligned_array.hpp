// Arrays that vectors of a processor load from.
#ifndef PSEUDOSYNTH_ALIGNED_ARRAY_HPP
#define PSEUDOSYNTH_ALIGNED_ARRAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pseudosynth {
namespace simd {

/// Zeroed numbers on a 64-byte boundary: a vector that straddles two cache
/// lines costs twice to read and cannot be forwarded from its store.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) { assign(size); }
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;

  void assign(std::size_t size) {
    storage_.assign(size + 64 / sizeof(T), T(0));
    const std::uintptr_t address =
        reinterpret_cast<std::uintptr_t>(storage_.data());
    data_ = storage_.data() + ((64 - address % 64) % 64) / sizeof(T);
    size_ = size;
  }
  /// Room for so many numbers at least, whatever they are.
  void make_room(std::size_t size) {
    if (size_ < size) assign(size);
  }
  void zero() { std::fill(data_, data_ + size_, T(0)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  T operator[](std::size_t i) const { return data_[i]; }

 private:
  std::vector<T> storage_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
using AlignedBuffer = AlignedArray<double>;
using FloatBuffer = AlignedArray<float>;

}  // namespace simd
}  // namespace pseudosynth

#endif
