// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "blockyard/array/segments.h"
#include "blockyard/fabric/delay/delay.h"
#include "blockyard/program/program.h"
#include "blockyard/worker/environment.h"
#include "blockyard/worker/prefetch.h"

/// The user's request as plain values: the job file merged with the command line's options.
namespace blockyard::input {

using base::Extent;

struct MoleculeSpec {
  std::string geometry;  ///< lines `symbol x y z`; empty: read `file`
  std::string file;      ///< XYZ file, relative names already made absolute
  std::string units = "angstrom";
  std::int64_t charge = 0;
  std::int64_t multiplicity = 1;
  friend bool operator==(const MoleculeSpec&, const MoleculeSpec&) = default;
};

/// A basis set by its name, its file, or the functions themselves in NWChem format: one of them.
struct SetSpec {
  std::string name;
  std::string file;
  std::string text;
  [[nodiscard]] bool empty() const { return name.empty() && file.empty() && text.empty(); }
  friend bool operator==(const SetSpec&, const SetSpec&) = default;
};

/// The basis of particular atoms, instead of the common one; empty members mean the common one.
struct AtomBasisSpec {
  SetSpec set;
  std::string ecp;  ///< as in BasisSpec
  friend bool operator==(const AtomBasisSpec&, const AtomBasisSpec&) = default;
};

struct BasisSpec : SetSpec {
  /// Name of the set whose effective core potentials are taken; empty: those that belong to the
  /// functions; "none".
  std::string ecp;
  /// Of some atoms, by the number of an atom ("3", from 1), its label ("O1") or its element.
  std::map<std::string, AtomBasisSpec, std::less<>> atoms;
  std::optional<bool> spherical;  ///< nothing: spherical, but no file may say Cartesian
  std::string auxiliary;          ///< name of the set that fits products; empty: that of `name`
  std::string auxiliary_file;     ///< or its file
  friend bool operator==(const BasisSpec&, const BasisSpec&) = default;
};

struct MethodSpec {
  std::string name;                            ///< lower case: scf, mp2, ccsd
  std::optional<std::int64_t> frozen_core{0};  ///< orbitals; nothing: the usual ones
  /// Values of method_options() that the user gave.
  std::map<std::string, std::int64_t, std::less<>> ints;
  std::map<std::string, double, std::less<>> scalars;
  friend bool operator==(const MethodSpec&, const MethodSpec&) = default;
};

/// Sizes of segments; missing ones are chosen.
struct SegmentSpec {
  std::map<array::IndexKind, std::vector<Extent>> extents;  ///< every segment
  std::optional<Extent> ao;        ///< wanted functions in a segment of a molecule's basis
  std::optional<Extent> occupied;  ///< most orbitals in an occupied segment
  std::optional<Extent> virtual_;  ///< most orbitals in a virtual segment
  std::optional<Extent> subsegment;
  friend bool operator==(const SegmentSpec&, const SegmentSpec&) = default;
};

/// Which devices help the workers, and how.
struct DeviceSpec {
  std::string kind = "auto";  ///< auto (a GPU, if there is one), none, cuda, opencl, sim
  std::optional<int> count;   ///< devices of each process; none: all there are
  std::optional<std::int64_t> memory_bytes;  ///< of each device
  std::string options;                       ///< of the plug-in
  std::string plugins;                       ///< folder of the plug-ins
  std::optional<bool> learns_placement;      ///< none: where the kind is auto
  bool respects_hints = false;               ///< gpu_on, gpu_off
  bool honours_intents = true;               ///< this and the next three: other for measurements
  bool locks_pages = true;                   ///< of the host, for copies
  bool keeps_memory = true;                  ///< host and device memory of blocks, for the next
  int streams = 4;                           ///< of each worker
  std::optional<bool> feeds_network;         ///< MPI reads its memory; none: what MPI says
  std::optional<double> after_seconds;       ///< of work until they are opened; none: by the kind
  /// Whether each statement runs where it is faster; else all that can on a device.
  [[nodiscard]] bool learns() const { return learns_placement.value_or(kind == "auto"); }
  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

struct RunSpec {
  std::optional<int> workers;
  std::optional<int> servers;
  std::optional<std::int64_t> memory_bytes;
  std::string scratch;     ///< folder for spilled blocks; empty: a fresh one of the system
  std::string persistent;  ///< HDF5 file of what is kept between jobs; empty: none
  std::string guess;       ///< file of an earlier job's orbitals and amplitudes to start from
  std::string save;        ///< file for those of this job
  std::string checkpoint_folder;             ///< empty: no checkpoints are taken
  std::optional<double> checkpoint_seconds;  ///< between checkpoints; none: only when asked for
  std::vector<std::string> supers;           ///< shared objects of super instructions
  program::Policy pardo = program::Policy::unset;
  worker::PrefetchDepth prefetch;
  std::optional<fabric::Delay> fabric_delay;  ///< for measurements
  bool report = false;                        ///< notes times by line and memory over time
  bool has_trace = false;                     ///< notes events for a time line
  DeviceSpec device;
  bool check = false;
  bool deterministic = false;         ///< the same bits for the same numbers of ranks
  std::optional<std::uint64_t> seed;  ///< of the order in which messages arrive, for tests
  friend bool operator==(const RunSpec&, const RunSpec&) = default;
};

struct Spec {
  std::string title;
  std::optional<MoleculeSpec> molecule;
  BasisSpec basis;
  std::optional<MethodSpec> method;
  std::vector<std::string> programs;  ///< SIAL or compiled files; empty: those of the method
  std::map<std::string, std::int64_t, std::less<>> ints;
  std::map<std::string, double, std::less<>> scalars;
  /// Those of `ints` and `scalars` that the job must know, and where the user gave them ("--set").
  std::map<std::string, std::string, std::less<>> asked;
  std::map<std::string, worker::DenseArray, std::less<>> arrays;  ///< predefined static arrays
  std::set<std::string, std::less<>>
      int_arrays;  ///< those of `arrays` that .dat files have as ints
  /// Of a .dat file, handed on: section, and in it keys and values.
  std::map<std::string, std::map<std::string, std::string>> configuration;
  SegmentSpec segments;
  RunSpec run;
  friend bool operator==(const Spec&, const Spec&) = default;
};

}  // namespace blockyard::input
