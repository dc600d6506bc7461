// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/foreign.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/array/index.h"
#include "blockyard/base/text.h"

namespace blockyard::sial::detail {
namespace {

/// Their word, and ours.
using Pair = std::pair<std::string_view, std::string_view>;

std::string_view ours_for(std::span<const Pair> pairs, std::string_view theirs) noexcept {
  const auto found = std::ranges::find(pairs, theirs, &Pair::first);
  return found == pairs.end() ? std::string_view() : found->second;
}

/// First words of statements, for hints on misspelt ones.
std::vector<std::string> statement_words() {
  std::vector<std::string> words = {"allocate",
                                    "assert_same",
                                    "broadcast_from",
                                    "call",
                                    "clear",
                                    "collective",
                                    "create",
                                    "deallocate",
                                    "delete",
                                    "destroy",
                                    "do",
                                    "enddo",
                                    "pardo",
                                    "endpardo",
                                    "if",
                                    "else",
                                    "endif",
                                    "execute",
                                    "exit",
                                    "cycle",
                                    "get",
                                    "request",
                                    "put",
                                    "prepare",
                                    "print",
                                    "println",
                                    "return",
                                    "stop",
                                    "section",
                                    "endsection",
                                    "set_persistent",
                                    "restore_persistent",
                                    "sip_barrier",
                                    "server_barrier",
                                    "where",
                                    "gpu_on",
                                    "gpu_off",
                                    "endproc",
                                    "endsial",
                                    "scalar",
                                    "int",
                                    "subindex",
                                    "static",
                                    "temp",
                                    "local",
                                    "distributed",
                                    "served",
                                    "special",
                                    "proc",
                                    "import"};
  words.insert(words.end(), array::kind_keywords.begin(), array::kind_keywords.end());
  return words;
}

constexpr auto foreign_words = std::to_array<Pair>({{"barrier", "sip_barrier"},
                                                    {"sync", "sip_barrier"},
                                                    {"fence", "sip_barrier"},
                                                    {"elif", "else if"},
                                                    {"elsif", "else if"},
                                                    {"write", "print"},
                                                    {"echo", "print"},
                                                    {"break", "exit"},
                                                    {"continue", "cycle"},
                                                    {"zero", "clear"},
                                                    {"allreduce", "collective"},
                                                    {"fetch", "get"},
                                                    {"include", "import"},
                                                    {"use", "import"},
                                                    {"function", "proc"},
                                                    {"procedure", "proc"},
                                                    {"subroutine", "proc"}});

constexpr auto loops = std::to_array<Pair>(
    {{"for", "do"}, {"foreach", "do"}, {"loop", "do"}, {"forall", "pardo"}, {"parallel", "pardo"}});

constexpr auto declarations = std::to_array<Pair>(
    {{"integer", "int"}, {"real", "scalar"}, {"double", "scalar"}, {"float", "scalar"}});

/// What may stand after "end", and what that ends.
constexpr auto ended_blocks = std::to_array<Pair>({{"do", "enddo"},
                                                   {"for", "enddo"},
                                                   {"foreach", "enddo"},
                                                   {"loop", "enddo"},
                                                   {"while", "enddo"},
                                                   {"pardo", "endpardo"},
                                                   {"forall", "endpardo"},
                                                   {"parallel", "endpardo"},
                                                   {"if", "endif"},
                                                   {"section", "endsection"},
                                                   {"proc", "endproc"},
                                                   {"procedure", "endproc"},
                                                   {"function", "endproc"},
                                                   {"subroutine", "endproc"},
                                                   {"sial", "endsial"},
                                                   {"program", "endsial"}});

}  // namespace

std::string nearest_statement(std::string_view word) {
  for (const std::span<const Pair> pairs :
       {std::span<const Pair>(foreign_words), std::span<const Pair>(loops),
        std::span<const Pair>(declarations)})
    if (const std::string_view ours = ours_for(pairs, word); !ours.empty())
      return std::string(ours);
  return base::nearest_name(word, statement_words());
}

std::string_view loop_meant_by(std::string_view word) noexcept { return ours_for(loops, word); }

std::string_view declaration_meant_by(std::string_view word) noexcept {
  return ours_for(declarations, word);
}

std::string_view end_meant_by(std::string_view word, std::string_view next,
                              std::string_view innermost) noexcept {
  if (word == "done") return "enddo";
  if (word == "fi") return "endif";
  if (!word.starts_with("end")) return "";
  if (word == "end") {
    const std::string_view ours = ours_for(ended_blocks, next);
    return ours.empty() ? innermost : ours;
  }
  std::string_view block = word.substr(3);
  if (block.front() == '_') block.remove_prefix(1);
  const std::string_view ours = ours_for(ended_blocks, block);
  return ours == word ? std::string_view() : ours;
}

std::string_view hint_for_function(std::string_view name) noexcept {
  constexpr auto sums = std::to_array<std::string_view>({"dot", "norm", "reduce", "sum", "trace"});
  constexpr auto products = std::to_array<std::string_view>({"einsum", "matmul", "transpose"});
  constexpr auto functions = std::to_array<std::string_view>(
      {"acos", "asin", "atan",  "atan2", "cos",  "cosh", "dabs", "dble", "dsqrt",
       "erf",  "exp",  "float", "floor", "int",  "ln",   "log",  "max",  "min",
       "mod",  "pow",  "round", "sin",   "sinh", "tan",  "tanh"});
  if (std::ranges::find(sums, name) != sums.end())
    return "a product in which every index is summed is a number: x = a[i,j]*b[i,j]";
  if (std::ranges::find(products, name) != products.end())
    return "indexes decide: c[i,k] = a[i,j]*b[j,k] sums over j, t[j,i] = a[i,j] transposes";
  if (std::ranges::find(functions, name) != functions.end())
    return "there are sqrt, abs, conj, real and imag; others are super instructions: execute name "
           "x";
  return "";
}

std::string_view hint_for_character(char c) noexcept {
  switch (c) {
    case ';':
      return "a statement ends with its line: leave it out";
    case '\'':
      return "texts stand in double quotes";
    case '!':
    case '%':
      return "comments begin with '#'";
    case '{':
    case '}':
      return "blocks end with a word: do ... enddo, if ... endif";
    default:
      return "outside of comments and texts only letters, digits and operators may stand";
  }
}

}  // namespace blockyard::sial::detail
