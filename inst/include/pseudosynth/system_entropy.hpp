// Random bits of the operating system's generator, as the privacy statements
// promise them. Not std::random_device: the library may take the processor's
// instruction instead.
#ifndef PSEUDOSYNTH_SYSTEM_ENTROPY_HPP
#define PSEUDOSYNTH_SYSTEM_ENTROPY_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#if defined(_WIN32)
// RtlGenRandom of advapi32, under the name that it is exported by.
extern "C" unsigned char __stdcall SystemFunction036(void* to, unsigned long n);
#elif defined(__APPLE__)
#include <sys/random.h>
#elif defined(__linux__) && __has_include(<sys/random.h>)
#include <sys/random.h>
#define PSEUDOSYNTH_GETRANDOM 1
#endif

namespace pseudosynth {
namespace detail {

[[noreturn]] inline void no_entropy() {
  throw std::runtime_error("the operating system gave no random bits");
}

/// Fills n bytes from a device. @throw std::runtime_error if it gives fewer.
inline void fill_from_device(const char* path, unsigned char* to,
                             std::size_t n) {
  std::FILE* device = std::fopen(path, "rb");
  if (device == nullptr) no_entropy();
  // Not more than asked for.
  std::setvbuf(device, nullptr, _IONBF, 0);
  const std::size_t read = std::fread(to, 1, n, device);
  std::fclose(device);
  if (read != n) no_entropy();
}

#if defined(PSEUDOSYNTH_GETRANDOM)
/// False on a kernel that does not know the call.
inline bool fill_from_call(unsigned char* to, std::size_t n) {
  while (n > 0) {
    const ssize_t got = getrandom(to, n, 0);
    if (got < 0 && errno == ENOSYS) return false;
    if (got < 0 && errno != EINTR) no_entropy();
    if (got <= 0) continue;
    to += got;
    n -= static_cast<std::size_t>(got);
  }
  return true;
}
#endif

}  // namespace detail

/// 64 bits. @throw std::runtime_error if the system gives none.
inline std::uint64_t system_bits() {
  unsigned char bytes[8];
#if defined(_WIN32)
  if (!SystemFunction036(bytes, sizeof(bytes))) detail::no_entropy();
#elif defined(__APPLE__)
  if (getentropy(bytes, sizeof(bytes)) != 0) detail::no_entropy();
#elif defined(PSEUDOSYNTH_GETRANDOM)
  if (!detail::fill_from_call(bytes, sizeof(bytes)))
    detail::fill_from_device("/dev/urandom", bytes, sizeof(bytes));
#else
  detail::fill_from_device("/dev/urandom", bytes, sizeof(bytes));
#endif
  std::uint64_t word = 0;
  for (unsigned char byte : bytes) word = word << 8 | byte;
  return word;
}

}  // namespace pseudosynth

#endif
