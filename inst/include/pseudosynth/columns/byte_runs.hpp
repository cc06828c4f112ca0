// What stands in the bytes of a file: runs of bytes that belong together, and
// numbers in either order of their bytes.
#ifndef PSEUDOSYNTH_COLUMNS_BYTE_RUNS_HPP
#define PSEUDOSYNTH_COLUMNS_BYTE_RUNS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pseudosynth {

/// Which of `sought` are runs of bytes that `belongs` names, dots at the end of
/// a run aside.
inline std::vector<char> runs_met(std::string_view bytes, const bool* belongs,
                                  const std::vector<std::string_view>& sought) {
  std::unordered_map<std::string_view, bool> met;
  met.reserve(sought.size());
  for (const std::string_view text : sought) met.emplace(text, false);
  const auto inside = [&](std::size_t i) {
    return i < bytes.size() && belongs[static_cast<unsigned char>(bytes[i])];
  };
  for (std::size_t start = 0; start < bytes.size(); ++start) {
    if (!inside(start)) continue;
    std::size_t end = start;
    while (inside(end)) ++end;
    std::string_view run = bytes.substr(start, end - start);
    while (!run.empty() && run.back() == '.') run.remove_suffix(1);
    const auto found = met.find(run);
    if (found != met.end()) found->second = true;
    start = end;
  }
  std::vector<char> out;
  out.reserve(sought.size());
  for (const std::string_view text : sought) out.push_back(met[text]);
  return out;
}

/// Which of `sought` stand anywhere in bytes, but not as a part of a longer run
/// of bytes that `belongs` names.
///
/// All texts that are as long, up to 16 bytes, are looked up together, at each
/// place by a hash of so many bytes that moves along (Karp and Rabin 1987).
inline std::vector<char> texts_met(
    std::string_view bytes, const bool* belongs,
    const std::vector<std::string_view>& sought) {
  constexpr std::uint64_t kBase = 1099511628211ULL;
  const auto code = [](char byte) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) + 1;
  };
  const auto inside = [&](std::size_t i) {
    return i < bytes.size() && belongs[static_cast<unsigned char>(bytes[i])];
  };
  std::map<std::size_t, std::vector<std::size_t>> of_length;
  constexpr std::size_t kHashed = 16;
  for (std::size_t k = 0; k < sought.size(); ++k)
    of_length[std::min(sought[k].size(), kHashed)].push_back(k);
  std::vector<char> met(sought.size(), 0);
  for (const auto& [length, places] : of_length) {
    if (length == 0 || length > bytes.size()) continue;
    std::unordered_multimap<std::uint64_t, std::size_t> known;
    known.reserve(places.size());
    for (const std::size_t k : places) {
      std::uint64_t hash = 0;
      for (const char byte : sought[k].substr(0, length))
        hash = hash * kBase + code(byte);
      known.emplace(hash, k);
    }
    std::uint64_t first = 1, hash = 0;
    for (std::size_t i = 0; i < length; ++i) {
      if (i > 0) first *= kBase;
      hash = hash * kBase + code(bytes[i]);
    }
    for (std::size_t at = 0;; ++at) {
      const auto range = known.equal_range(hash);
      for (auto found = range.first; found != range.second; ++found) {
        const std::string_view text = sought[found->second];
        if (bytes.compare(at, text.size(), text) != 0) continue;
        const std::size_t end = at + text.size();
        const bool goes_on = (inside(at) && at > 0 && inside(at - 1)) ||
                             (inside(end - 1) && inside(end));
        if (!goes_on) met[found->second] = 1;
      }
      if (at + length >= bytes.size()) break;
      hash =
          (hash - code(bytes[at]) * first) * kBase + code(bytes[at + length]);
    }
  }
  return met;
}

/// Which of some numbers (places, ascending) stand anywhere in bytes.
/// @tparam Word unsigned, as long as a number.
template <class Word>
std::vector<int> numbers_met(std::string_view bytes,
                             const std::vector<Word>& sought) {
  constexpr int kShift = 8 * static_cast<int>(sizeof(Word)) - 16;
  std::unordered_map<Word, std::size_t> place;
  // Most places are ruled out by two bytes
  std::vector<char> head(65536, 0);
  for (std::size_t k = 0; k < sought.size(); ++k) {
    place.emplace(sought[k], k);
    head[sought[k] >> kShift] = 1;
  }
  std::vector<char> met(sought.size(), 0);
  const auto look = [&](Word word) {
    if (head[word >> kShift] == 0) return;
    const auto found = place.find(word);
    if (found != place.end()) met[found->second] = 1;
  };
  for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); ++i) {
    Word forward = 0, backward = 0;
    for (std::size_t k = 0; k < sizeof(Word); ++k) {
      const Word byte = static_cast<unsigned char>(bytes[i + k]);
      forward = static_cast<Word>(forward << 8 | byte);
      backward = static_cast<Word>(backward | byte << 8 * k);
    }
    look(forward);
    look(backward);
  }
  std::vector<int> out;
  for (std::size_t k = 0; k < met.size(); ++k) {
    if (met[k] != 0) out.push_back(static_cast<int>(k));
  }
  return out;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMNS_BYTE_RUNS_HPP
