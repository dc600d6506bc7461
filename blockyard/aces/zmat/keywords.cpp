// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/keywords.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "blockyard/aces/zmat/special_basis.h"
#include "blockyard/aces/zmat/spellings.h"
#include "blockyard/aces/zmat/split_keywords.h"
#include "blockyard/base/checked.h"
#include "blockyard/base/text.h"

namespace blockyard::aces::zmat {
namespace {

/// The meaning of keywords, one function each.
class Reader {
 public:
  Reader(const Parts& parts, ZmatJob& job) : parts_(parts), job_(job) {
    job.spec.method.emplace();
    job.spec.molecule.emplace();
    method_ = &*job.spec.method;
    molecule_ = &*job.spec.molecule;
  }

  void apply(const Keyword& one) {
    const auto other = other_spellings().find(one.key);
    const std::string key = other == other_spellings().end() ? one.key : other->second;
    const auto [before, is_first] = given_.emplace(key, one);
    if (!is_first && before->second.value == one.value) return;
    if (!is_first) throw contradiction(one, before->second);
    const auto found = meanings().find(key);
    if (found != meanings().end())
      (this->*found->second)(one);
    else
      job_.warnings.push_back(fmt::format("{}:{}: keyword {} is not known and changes nothing{}",
                                          parts_.path, one.line.number, upper(one.key),
                                          nearest(one.key)));
  }

  /// Required keywords, and defaults.
  void finish() {
    if (!given_.contains("calc")) method_->name = "scf";
    if (!parts_.basis.empty()) {
      if (has_special_basis_ || has_cores_ || !given_.contains("basis"))
        apply_special_basis(parts_, has_cores_, job_);
      else
        note(given_.at("basis"),
             "all atoms have this set, not those of the lines ATOM:BASIS; "
             "BASIS=SPECIAL takes these");
    }
    for (const auto& [key, methods] : {std::pair{"excite", &excited_}, {"prop", &density_}}) {
      const auto given = given_.find(key);
      if (given == given_.end() || methods->empty()) continue;
      if (!excited_.empty() && !density_.empty() && !has_own_programs())
        throw wrong(given->second,
                    "not both EXCITE and PROP: the dipole moment is that of the ground state");
      method_->name = method_with(given->second, *methods);
    }
    const auto reference = given_.find("ref");
    if (reference != given_.end() && is_restricted(reference->second) &&
        molecule_->multiplicity > 1)
      note(reference->second, "an open shell is computed with UHF");
    const auto frozen = given_.find("frozen"), dropped = given_.find("dropmo");
    if (frozen != given_.end() && dropped != given_.end() && truth(frozen->second))
      throw contradiction(dropped->second, frozen->second);
    if (memory_ && has_words_) {
      memory_ = base::product(*memory_, unit_bytes_);
      if (!memory_) throw wrong(given_.at("memory"), "no machine has as much");
    }
    if (memory_) job_.spec.run.memory_bytes = *memory_;
  }

 private:
  /// The method of CALC= with the keyword, which may repeat what CALC= says.
  [[nodiscard]] std::string method_with(const Keyword& one,
                                        const std::map<std::string, std::string>& methods) const {
    const auto found = methods.find(method_->name);
    if (found != methods.end()) return found->second;
    std::vector<std::string> possible;
    for (const auto& [calc, method] : methods) {
      if (method == method_->name) return method;
      possible.push_back(upper(calc));
    }
    if (has_own_programs()) return method_->name;
    throw wrong(one, fmt::format("not with CALC={}; with {}", upper(method_->name),
                                 fmt::join(possible, " or ")));
  }

  using Meaning = void (Reader::*)(const Keyword&);

  static const std::map<std::string, Meaning>& meanings() {
    static const std::map<std::string, Meaning> all = {{"calc", &Reader::calc},
                                                       {"ref", &Reader::reference},
                                                       {"basis", &Reader::basis},
                                                       {"ecp", &Reader::effective_cores},
                                                       {"charge", &Reader::charge},
                                                       {"mult", &Reader::multiplicity},
                                                       {"spherical", &Reader::spherical},
                                                       {"cc_maxcyc", &Reader::cc_iterations},
                                                       {"scf_maxcyc", &Reader::scf_iterations},
                                                       {"cc_conv", &Reader::cc_convergence},
                                                       {"scf_conv", &Reader::scf_convergence},
                                                       {"dropmo", &Reader::dropped_orbitals},
                                                       {"frozen", &Reader::frozen_core},
                                                       {"guess", &Reader::guess},
                                                       {"units", &Reader::units},
                                                       {"coordinates", &Reader::coordinates},
                                                       {"sym", &Reader::symmetry},
                                                       {"damp_type", &Reader::damping},
                                                       {"memory", &Reader::memory},
                                                       {"mem_unit", &Reader::memory_unit},
                                                       {"excite", &Reader::excitations},
                                                       {"estate_sym", &Reader::states},
                                                       {"prop", &Reader::property},
                                                       {"estate_tol", &Reader::state_convergence},
                                                       {"scf_exporder", &Reader::scf_history},
                                                       {"lindep_tol", &Reader::dependence},
                                                       {"noreori", &Reader::orientation},
                                                       {"vib", &Reader::vibrations},
                                                       {"deriv_level", &Reader::derivatives},
                                                       {"grad_calc", &Reader::derivatives},
                                                       {"opt_method", &Reader::optimisation},
                                                       {"opt_maxcyc", &Reader::optimisation},
                                                       {"opt_conv", &Reader::optimisation},
                                                       {"geo_method", &Reader::optimisation},
                                                       {"geo_maxcyc", &Reader::optimisation},
                                                       {"geo_maxstep", &Reader::optimisation},
                                                       {"geo_conv", &Reader::optimisation},
                                                       {"geom_opt", &Reader::optimisation}};
    return all;
  }

  [[nodiscard]] bool has_own_programs() const {
    return std::ranges::any_of(parts_.sip, [](const Line& line) {
      return base::lower(line.text).starts_with("sial_program");
    });
  }

  /// "; is BASIS meant?" for a key that is nearly one of ours.
  static std::string nearest(const std::string& key) {
    std::vector<std::string> known;
    for (const auto& [name, meaning] : meanings()) known.push_back(name);
    for (const auto& [name, usual] : other_spellings()) known.push_back(name);
    for (const std::string& name : known)
      if (key.size() > 2 && name.starts_with(key))
        return fmt::format("; is {} meant?", upper(name));
    const std::string name = base::nearest_name(key, known);
    return name.empty() ? "" : fmt::format("; is {} meant?", upper(name));
  }

  static std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
  }

  [[nodiscard]] base::Error wrong(const Keyword& one, std::string_view what) const {
    return parts_.error(one.line, fmt::format("{}={}: {}", upper(one.key), upper(one.value), what));
  }

  [[nodiscard]] base::Error contradiction(const Keyword& one, const Keyword& other) const {
    return wrong(one, fmt::format("but line {} says {}={}: remove one of them", other.line.number,
                                  upper(other.key), upper(other.value)));
  }

  void note(const Keyword& one, std::string_view what) {
    job_.warnings.push_back(fmt::format("{}:{}: {}={}: {}", parts_.path, one.line.number,
                                        upper(one.key), upper(one.value), what));
  }

  [[nodiscard]] std::int64_t integer(const Keyword& one, std::int64_t least) const {
    std::int64_t value = 0;
    const char* const end = one.value.data() + one.value.size();
    const char* const begin = one.value.data() + (one.value.starts_with('+') ? 1 : 0);
    const auto [stop, status] = std::from_chars(begin, end, value);
    if (status != std::errc() || stop != end || value < least)
      throw wrong(one, fmt::format("it must be a whole number, at least {}", least));
    return value;
  }

  [[nodiscard]] bool truth(const Keyword& one) const {
    static const std::set<std::string> on = {"on", "true", "yes", "1"};
    static const std::set<std::string> off = {"off", "false", "no", "0"};
    if (on.contains(one.value)) return true;
    if (off.contains(one.value)) return false;
    throw wrong(one, "it must be ON or OFF");
  }

  void calc(const Keyword& one) {
    static const std::map<std::string, std::string> names = {
        {"hf", "scf"}, {"0", "scf"},   {"mbpt(2)", "mp2"}, {"mbpt2", "mp2"},
        {"1", "mp2"},  {"10", "ccsd"}, {"22", "ccsd(t)"}};
    const auto found = names.find(one.value);
    // An unknown method is named, with all there are, when its programs are looked up.
    method_->name = found == names.end() ? one.value : found->second;
    if (one.value == "ccsd[t]") throw wrong(one, "CCSD[T] is not available; CCSD(T) is");
  }
  static bool is_restricted(const Keyword& one) { return one.value == "rhf" || one.value == "0"; }
  void reference(const Keyword& one) {
    if (is_restricted(one)) return;
    if (one.value != "uhf" && one.value != "rohf" && one.value != "1" && one.value != "2")
      throw wrong(one, "references are RHF, UHF and ROHF");
    if (one.value == "rohf" || one.value == "2")
      method_->ints["reference"] = 2;
    else
      method_->ints["unrestricted"] = 1;
  }
  void basis(const Keyword& one) {
    has_special_basis_ = one.value == "special";
    if (!has_special_basis_) job_.spec.basis.name = full_basis_name(one.value);
    if (has_special_basis_ && parts_.basis.empty())
      throw wrong(one, "lines ATOM:BASIS must follow the keywords");
  }
  void effective_cores(const Keyword& one) { has_cores_ = truth(one); }
  void charge(const Keyword& one) { molecule_->charge = integer(one, -1000); }
  void multiplicity(const Keyword& one) { molecule_->multiplicity = integer(one, 1); }
  void spherical(const Keyword& one) { job_.spec.basis.spherical = truth(one); }
  void cc_iterations(const Keyword& one) { method_->ints["cc_iterations"] = integer(one, 1); }
  void scf_iterations(const Keyword& one) { method_->ints["scf_iterations"] = integer(one, 1); }
  void cc_convergence(const Keyword& one) {
    method_->scalars["cc_amplitude_convergence"] = power_of_ten(one);
  }
  void scf_convergence(const Keyword& one) {
    method_->scalars["scf_density_convergence"] = power_of_ten(one);
  }
  [[nodiscard]] double power_of_ten(const Keyword& one) const {
    return std::pow(10.0, -static_cast<double>(integer(one, 1)));
  }
  void guess(const Keyword& one) {
    if (one.value == "core" || one.value == "1")
      method_->ints["scf_guess"] = 0;
    else
      note(one, "orbitals are not read from files; superposed atoms are the guess");
  }
  void units(const Keyword& one) {
    if (one.value != "angstrom" && one.value != "bohr" && one.value != "0" && one.value != "1")
      throw wrong(one, "lengths are in ANGSTROM or BOHR");
    molecule_->units = one.value == "bohr" || one.value == "1" ? "bohr" : "angstrom";
  }
  void coordinates(const Keyword& one) {
    const bool is_cartesian = one.value.starts_with("cart") || one.value == "1";
    const bool is_internal = one.value.starts_with("int") || one.value == "0";
    if (!is_cartesian && !is_internal) throw wrong(one, "coordinates are CARTESIAN or INTERNAL");
    const bool looks_internal = words_of(parts_.atoms.front().text).size() == 1;
    if (looks_internal != is_internal)
      throw wrong(one, fmt::format("but the first atom has {}",
                                   looks_internal ? "no coordinates" : "three coordinates"));
  }
  void symmetry(const Keyword& one) {
    if (one.value != "off" && one.value != "none" && one.value != "0" && one.value != "1")
      note(one, "point groups are not used: the same results, with more work");
  }
  /// A constant for programs of the user's own, which ours have no use for.
  void constant(const Keyword& one, const char* name, std::int64_t value, std::string_view ours) {
    if (has_own_programs())
      job_.spec.ints[name] = value;
    else
      note(one, ours);
  }
  void damping(const Keyword& one) {
    static const std::map<std::string, std::int64_t> types = {
        {"none", 0},   {"off", 0}, {"0", 0}, {"davidson", 1}, {"1", 1},
        {"static", 2}, {"2", 2},   {"3", 3}, {"4", 4}};
    const auto found = types.find(one.value);
    if (found == types.end()) throw wrong(one, "it must be NONE, DAVIDSON, STATIC, or 0 to 4");
    if (found->second != 0 || has_own_programs())
      constant(one, "damp_type", found->second, "DIIS takes its place");
  }
  void scf_history(const Keyword& one) {
    constant(one, "scf_hist", integer(one, 1), "our programs choose how much DIIS remembers");
  }
  void dependence(const Keyword& one) {
    constant(one, "lindep_tol", integer(one, 1),
             "our programs leave out no functions: they refuse a basis that is linearly dependent");
  }
  void state_convergence(const Keyword& one) {
    method_->scalars["excited_convergence"] = power_of_ten(one);
  }
  /// Nothing turns a molecule here.
  void orientation(const Keyword& one) { (void)truth(one); }
  /// Features that only the user's own programs provide. A value that requests none is ignored.
  void unavailable(const Keyword& one, std::string_view what) {
    static const std::set<std::string> nothing = {"0", "off", "no", "none", "zero", "single_point"};
    if (nothing.contains(one.value)) return;
    if (!has_own_programs()) throw wrong(one, what);
    note(one, "it is left to the programs of *SIP");
  }
  void vibrations(const Keyword& one) {
    unavailable(one, "vibrational frequencies are not computed: take it out for the energy");
  }
  void derivatives(const Keyword& one) {
    unavailable(one, "derivatives of the energy are not computed: take it out for the energy");
  }
  void optimisation(const Keyword& one) {
    unavailable(one, "geometries are not optimised: take it out for the energy of this one");
  }
  void memory(const Keyword& one) {
    try {
      memory_ = base::parse_bytes(one.value, "MEMORY");
    } catch (const base::Error& error) {
      throw wrong(one, error.what());
    }
    has_words_ = one.value.find_first_not_of("0123456789") == std::string::npos;
  }
  void memory_unit(const Keyword& one) {
    static const std::map<std::string, std::int64_t> units = {
        {"integerwords", 8}, {"words", 8},    {"0", 8},        {"b", 1},
        {"kb", 1 << 10},     {"mb", 1 << 20}, {"gb", 1 << 30}, {"tb", std::int64_t{1} << 40}};
    const auto found = units.find(one.value);
    if (found == units.end()) throw wrong(one, "units are INTEGERWORDS, KB, MB, GB and TB");
    unit_bytes_ = found->second;
  }
  void excitations(const Keyword& one) {
    if (one.value == "none" || one.value == "0") return;
    if (one.value.starts_with("eom"))
      excited_ = {{"ccsd", "eom-ccsd"}};
    else if (one.value == "cis" || one.value == "tda")
      excited_ = {{"scf", "cis"}};
    else if (one.value == "cis(d)")
      excited_ = {{"scf", "cis(d)"}, {"mp2", "cis(d)"}};
    else
      throw wrong(one, "excitations are EOMEE, with CALC=CCSD, or CIS and CIS(D), with CALC=SCF");
  }
  /// "3", or of each irreducible representation "2/1/0/0": all of them, since none are told apart.
  void states(const Keyword& one) {
    constexpr std::int64_t most_states = 1'000'000;  // beyond what any method finds
    std::int64_t roots = 0;
    for (std::size_t begin = 0; begin <= one.value.size();) {
      const std::size_t end = std::min(one.value.find_first_of("/-", begin), one.value.size());
      Keyword part = one;
      part.value = one.value.substr(begin, end - begin);
      if (part.value.empty()) throw wrong(one, "it must be the number of states");
      roots += std::min(integer(part, 0), most_states + 1);
      begin = end + 1;
    }
    if (roots == 0 || roots > most_states) throw wrong(one, "it must be the number of states");
    method_->ints["roots"] = roots;
  }
  void property(const Keyword& one) {
    if (one.value == "off" || one.value == "none" || one.value == "0") return;
    if (one.value != "first_order" && one.value != "1")
      throw wrong(one, "of properties there is the dipole moment: FIRST_ORDER");
    density_ = {{"ccsd", "ccsd-density"}, {"scf", "scf"}};
  }
  void frozen_core(const Keyword& one) {
    if (truth(one)) method_->frozen_core = std::nullopt;
  }
  /// "1-5" or "1>5": from 1 to 5; "1/2/3": one by one.
  void dropped_orbitals(const Keyword& one) {
    std::set<std::int64_t> dropped;
    const auto read = [&](std::string_view text) {
      std::int64_t orbital = 0;
      const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), orbital);
      if (status != std::errc() || stop != text.data() + text.size() || orbital < 1)
        throw wrong(one, "orbitals are given as 1-5 or 1/2/3");
      return orbital;
    };
    for (std::size_t begin = 0; begin <= one.value.size();) {
      const std::size_t end = std::min(one.value.find('/', begin), one.value.size());
      const std::string_view part = std::string_view(one.value).substr(begin, end - begin);
      const std::size_t dash = part.find_first_of("->");
      const std::int64_t first = read(part.substr(0, dash));
      const std::int64_t last =
          dash == std::string_view::npos ? first : read(part.substr(dash + 1));
      constexpr std::int64_t most = 10'000;
      if (last > most || last < first) throw wrong(one, "orbitals are given as 1-5 or 1/2/3");
      for (std::int64_t k = first; k <= last; ++k) dropped.insert(k);
      begin = end + 1;
    }
    if (*dropped.rbegin() != static_cast<std::int64_t>(dropped.size()))
      throw wrong(one, "only the lowest orbitals can be dropped, without a gap");
    method_->frozen_core = static_cast<std::int64_t>(dropped.size());
  }

  const Parts& parts_;
  ZmatJob& job_;
  input::MethodSpec* method_;
  input::MoleculeSpec* molecule_;
  std::optional<std::int64_t> memory_;  ///< of MEMORY; bytes, or units if it has none of its own
  std::map<std::string, std::string> excited_;  ///< with EXCITE: the method that CALC stands for
  std::map<std::string, std::string> density_;  ///< the same with PROP
  bool has_special_basis_ = false;
  bool has_cores_ = false;
  bool has_words_ = false;
  std::int64_t unit_bytes_ = 8;           ///< of MEM_UNIT
  std::map<std::string, Keyword> given_;  ///< by the usual spelling
};

}  // namespace

void apply_keywords(const Parts& parts, ZmatJob& job) {
  Reader reader(parts, job);
  for (const Keyword& one : split_keywords(parts)) reader.apply(one);
  reader.finish();
}

}  // namespace blockyard::aces::zmat
