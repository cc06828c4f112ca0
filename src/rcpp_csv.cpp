// Lines of a file of comma-separated values.

#include <R_ext/Utils.h>
#include <Rcpp.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void append_whole(std::int64_t x, std::string& line) {
  std::array<char, 24> text;
  char* at = text.data() + text.size();
  std::uint64_t left =
      x < 0 ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  do *--at = static_cast<char>('0' + left % 10);
  while ((left /= 10) > 0);
  if (x < 0) *--at = '-';
  line.append(at, text.data() + text.size());
}

/// "0.00009" in place of "9e-05", which not everybody reads as a number.
/// @param text of a number below 1, as printf() writes it with an exponent.
std::string without_exponent(const std::string& text) {
  const std::size_t e = text.find('e');
  const int zeros = -std::atoi(text.c_str() + e + 1) - 1;
  std::string fixed = text[0] == '-' ? "-0." : "0.";
  fixed.append(static_cast<std::size_t>(zeros), '0');
  for (const char digit : text.substr(0, e)) {
    if (digit >= '0' && digit <= '9') fixed += digit;
  }
  return fixed;
}

/// The fewest of 15 or 17 digits that R reads as the same number.
void append_double(double x, std::string& line) {
  if (ISNAN(x)) return;
  if (!std::isfinite(x)) {
    line += x > 0 ? "Inf" : "-Inf";
    return;
  }
  // What printf() would write
  if (std::fabs(x) < 1e15 && x == std::trunc(x) && !(x == 0 && std::signbit(x)))
    return append_whole(static_cast<std::int64_t>(x), line);
  std::array<char, 32> text;
  int length = std::snprintf(text.data(), text.size(), "%.15g", x);
  if (R_strtod(text.data(), nullptr) != x)
    length = std::snprintf(text.data(), text.size(), "%.17g", x);
  const std::string shown(text.data(), static_cast<std::size_t>(length));
  if (std::fabs(x) < 1e-4 && std::fabs(x) > 1e-12) {
    const std::string fixed = without_exponent(shown);
    // Of numbers that have few decimals
    if (fixed.size() <= 17 && R_strtod(fixed.c_str(), nullptr) == x) {
      line += fixed;
      return;
    }
  }
  line += shown;
}

void append_quoted(const char* text, std::string& line) {
  line += '"';
  for (; *text != '\0'; ++text) {
    if (*text == '"') line += '"';
    line += *text;
  }
  line += '"';
}

/// A column of a kind: its value of record i at the end of a line.
class Column {
 public:
  /// @param quoted is text put in quotation marks?
  Column(SEXP values, bool quoted) : values_(values), quoted_(quoted) {
    if (!Rf_isFactor(values)) return;
    const SEXP levels = Rf_getAttrib(values, R_LevelsSymbol);
    for (R_xlen_t k = 0; k < XLENGTH(levels); ++k) {
      std::string text;
      if (STRING_ELT(levels, k) == NA_STRING)
        text = "\"NA\"";
      else
        append_quoted(Rf_translateCharUTF8(STRING_ELT(levels, k)), text);
      levels_.push_back(text);
    }
  }
  void append(R_xlen_t i, std::string& line) const {
    if (!levels_.empty() || TYPEOF(values_) == INTSXP) {
      const int code = INTEGER_RO(values_)[i];
      if (code == NA_INTEGER) return;
      if (levels_.empty())
        append_whole(code, line);
      else
        line += levels_.at(static_cast<std::size_t>(code) - 1);
    } else if (TYPEOF(values_) == REALSXP) {
      append_double(REAL_RO(values_)[i], line);
    } else if (TYPEOF(values_) == LGLSXP) {
      const int flag = LOGICAL_RO(values_)[i];
      if (flag != NA_LOGICAL) line += flag ? "TRUE" : "FALSE";
    } else {
      const SEXP text = STRING_ELT(values_, i);
      if (text == NA_STRING) return;
      const char* utf8 = Rf_translateCharUTF8(text);
      if (quoted_)
        append_quoted(utf8, line);
      else
        line += utf8;
    }
  }

 private:
  SEXP values_;
  bool quoted_;
  std::vector<std::string> levels_;
};

}  // namespace

// Records first .. last (1-based) as bytes, a line each. Columns are factors,
// numbers, flags or text, which is put in quotation marks where `quoted`.
// [[Rcpp::export(rng = false)]]
Rcpp::RawVector csv_lines_(Rcpp::List columns, Rcpp::LogicalVector quoted,
                           double first, double last) {
  std::vector<Column> parts;
  for (R_xlen_t j = 0; j < columns.size(); ++j) {
    const SEXP column = columns[j];
    const int type = TYPEOF(column);
    if (type != INTSXP && type != REALSXP && type != LGLSXP && type != STRSXP)
      Rcpp::stop("Expected factors, numbers, flags or text.");
    if (!(first >= 1 && last <= static_cast<double>(XLENGTH(column))))
      Rcpp::stop("Expected a value for each record.");
    parts.emplace_back(column, quoted[j] != 0);
  }
  std::string lines;
  for (double i = first; i <= last; ++i) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j > 0) lines += ',';
      parts[j].append(static_cast<R_xlen_t>(i) - 1, lines);
    }
    lines += '\n';
  }
  return Rcpp::RawVector(lines.begin(), lines.end());
}
