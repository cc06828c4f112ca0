// What stands in the bytes of a file: runs of bytes that belong together, and
// numbers in either order of their bytes.
#ifndef PSEUDOSYNTH_COLUMNS_BYTE_RUNS_HPP
#define PSEUDOSYNTH_COLUMNS_BYTE_RUNS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
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
