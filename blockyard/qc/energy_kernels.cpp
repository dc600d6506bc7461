// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/energy_kernels.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "blockyard/qc/detail/operands.h"

namespace blockyard::qc {

using base::Extent;

namespace {

constexpr std::size_t most_indexes = 6;

/// Where the elements of a block stand among the orbitals; in the texts a struct of the same
/// layout.
struct Places {
  std::array<std::int32_t, most_indexes> extent;  ///< 1 for indexes that t has not
  std::array<std::int32_t, most_indexes> first;   ///< -1 for them
  std::int32_t step;                              ///< from one energy to the next
  std::int32_t reserved;
};

/// The names of entry, parameter of the shift and operation are put in by text_of.
constexpr const char* text =
    R"(typedef struct { int extent[6]; int first[6]; int step; int reserved; } places;
FUNCTION void @entry(INT first, INT count, GLOBAL double* t, GLOBAL const double* energies,
                     @shift places p) {
  const INT end = first + count;
  INT at = first;
  while (at < end) {  /* all of them differ only in the first index */
    INT rest = at / p.extent[0];
    const INT i = at - rest * p.extent[0];
    const INT row_end = at - i + p.extent[0] < end ? at - i + p.extent[0] : end;
    double sum = @begin;
    for (int k = 1; k < 6; ++k) {
      const INT next = rest / p.extent[k];
      const INT orbital = p.first[k] + rest - next * p.extent[k];
      rest = next;
      if (p.first[k] >= 0) sum += (k % 2 == 0 ? -1 : 1) * energies[orbital * p.step];
    }
    for (INT n = at; n < row_end; ++n)
      t[n] @by (sum - energies[(p.first[0] + i + n - at) * p.step]);
    at = row_end;
  }
}
)";

void replace(std::string& in, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = in.find(what, at)) != std::string::npos; at += by.size())
    in.replace(at, what.size(), by);
}

/// combine(value, sum of energies): the text above.
template <class Combine>
void host_form(const blockyard_range* range, const Places& p, double* t, const double* energies,
               double shift, const Combine& combine) {
  for (std::int64_t at = range->first; at < range->first + range->count; ++at) {
    double sum = shift;
    std::int64_t rest = at;
    for (std::size_t k = 0; k < most_indexes; ++k) {
      const std::int64_t orbital = p.first[k] + rest % p.extent[k];
      rest /= p.extent[k];
      if (p.first[k] >= 0) sum += (k % 2 == 0 ? -1 : 1) * energies[orbital * p.step];
    }
    combine(t[at], sum);
  }
}

void divide(double& value, double by) { value /= by; }
void multiply(double& value, double by) { value *= by; }

template <void (*combine)(double&, double), bool has_shift>
void on_host(const blockyard_range* range, void* const* arguments) {
  constexpr std::size_t places = has_shift ? 3 : 2;
  const double shift = has_shift ? *static_cast<const double*>(arguments[2]) : 0.0;
  host_form(range, *static_cast<const Places*>(arguments[places]),
            static_cast<double*>(arguments[0]), static_cast<const double*>(arguments[1]), shift,
            combine);
}

/// False: what the host reports.
bool prepare(std::span<const super::Operand> operands, const super::Context& context,
             super::DeviceCall& call) {
  const super::Operand &t = operands[0], &fock = operands[1];
  const std::size_t order = t.extents.size(), fock_order = fock.extents.size();
  if ((order != 2 && order != 4 && order != 6) || fock_order < 1 || fock_order > 2) return false;
  if (fock_order == 2 && fock.extents[0] != fock.extents[1]) return false;
  if (operands.size() > 2 && !operands[2].extents.empty()) return false;  // the shift, in a block
  Places places{};
  places.extent.fill(1);
  places.first.fill(-1);
  places.step = fock_order == 2 ? static_cast<std::int32_t>(fock.extents[0]) + 1 : 1;
  const std::vector<Extent> first = detail::first_elements(t, context);
  const Extent before = detail::first_elements(fock, context)[0];
  for (std::size_t k = 0; k < order; ++k) {
    const Extent orbital = first[k] - before;
    if (orbital < 0 || orbital + t.extents[k] > fock.extents[0]) return false;
    places.extent[k] = static_cast<std::int32_t>(t.extents[k]);
    places.first[k] = static_cast<std::int32_t>(orbital);
  }
  call.set(0, places);
  return true;
}

std::shared_ptr<const super::DeviceForm> form_of(const std::string& entry, bool has_shift,
                                                 const std::string& by,
                                                 blockyard_host_kernel host) {
  auto form = std::make_shared<super::DeviceForm>();
  form->entry = entry;
  form->values = {{"places", sizeof(Places)}};
  form->host = host;
  std::string made = text;
  replace(made, "@entry", entry);
  replace(made, "@shift", has_shift ? "double shift," : "");
  replace(made, "@begin", has_shift ? "shift" : "0");
  replace(made, "@by", by);
  form->set_texts(made);
  form->prepare = prepare;
  return form;
}

}  // namespace

std::shared_ptr<const super::DeviceForm> dividing_form(bool has_shift) {
  if (has_shift) return form_of("divide_by_shifted_energies", true, "/=", on_host<divide, true>);
  return form_of("divide_by_energies", false, "/=", on_host<divide, false>);
}

std::shared_ptr<const super::DeviceForm> multiplying_form() {
  return form_of("multiply_by_energies", false, "*=", on_host<multiply, false>);
}

}  // namespace blockyard::qc
