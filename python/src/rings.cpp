// SPDX-License-Identifier: Apache-2.0
// A ring whose rank is this process, used by the thread that made it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <tuple>

#include "blockyard/base/clock.h"
#include "blockyard/base/current_error.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/device/kind.h"
#include "blockyard/fabric/loopback/loopback.h"
#include "blockyard/fabric/mpi/mpi_world.h"
#include "blockyard/ring/kernel_update.h"
#include "blockyard/ring/result.h"
#include "blockyard/ring/ring.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

constexpr double patience_seconds = 4;
constexpr double look_seconds = 0.1;
constexpr double serve_seconds = 0.005;  // between looks, while other rings are at work
constexpr std::size_t kept_bytes = std::size_t{1} << 30;

/// Calls a Python function for each item: update(head, payload), both bytes-like.
class PyUpdate final : public ring::Update {
 public:
  explicit PyUpdate(nb::callable function) : function_(std::move(function)) {}
  void apply(std::span<const ring::Item> items, const ring::Slice& /*slice*/,
             device::Stream* /*stream*/) override {
    const nb::gil_scoped_acquire gil;
    for (const ring::Item& item : items)
      function_(nb::bytes(item.head.data(), item.head.size()), view(item.payload));
  }

 private:
  /// Read only, and for the time of the call.
  static nb::object view(std::span<const std::byte> bytes) {
    auto* data = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    PyObject* memory =
        PyMemoryView_FromMemory(data, static_cast<Py_ssize_t>(bytes.size()), PyBUF_READ);
    if (memory == nullptr) throw nb::python_error();
    return nb::steal(memory);
  }
  nb::callable function_;
};

/// name, library, opencl, cuda, type and bytes of a value of the slice, the same of an item.
using PyForms = std::tuple<std::string, std::string, std::string, std::string, std::string,
                           std::uint32_t, std::string, std::uint32_t>;

/// A C function in a shared object, which stays loaded: an update may be anywhere in it.
blockyard_host_kernel function_in(const std::string& library, const std::string& name) {
  const auto fail = [](const std::string& text) { throw base::Error(base::Errc::bad_input, text); };
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) fail("cannot load the update: " + std::string(dlerror()));
  void* const found = dlsym(loaded, name.c_str());
  if (found == nullptr) fail("'" + library + "' has no function '" + name + "'");
  return reinterpret_cast<blockyard_host_kernel>(found);
}

ring::KernelForms forms_of(const PyForms& given) {
  ring::KernelForms forms;
  std::string library;
  std::tie(forms.entry, library, forms.opencl, forms.cuda, forms.slice_type, forms.slice_bytes,
           forms.item_type, forms.item_bytes) = given;
  if (!library.empty()) forms.host = function_in(library, forms.entry);
  forms.head_type = "double";
  forms.head_bytes = sizeof(double);
  return forms;
}

/// One call of a ring at a time: neither an update nor a second thread calls it meanwhile. Taken
/// before anything of the ring is looked at.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& is_busy) : is_busy_(is_busy) {
    if (is_busy_.exchange(true))
      throw base::Error(base::Errc::bad_input,
                        "the ring is at work: neither its update nor a second thread may call it");
  }
  ~Turn() { is_busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& is_busy_;
};

class PyRing {
 public:
  /// Collective. The slice is made by Python, once it knows the range: begin(), end().
  PyRing(std::shared_ptr<PyProcesses> processes, Extent units, int size, bool has_device)
      : processes_(std::move(processes)),
        pool_(kept_bytes),
        reads_devices_(has_device && fabric::mpi_reads_devices()) {
    const fabric::MpiSession* session = processes_ ? processes_->session.get() : nullptr;
    const int ranks = session != nullptr ? session->processes() : 1;
    layout_.emplace(ranks, size == 0 ? ranks : size, units);
    std::vector<int> process_of;
    for (int rank = 0; rank < ranks; ++rank) process_of.push_back(rank);
    if (session != nullptr)
      world_ = std::make_unique<fabric::MpiWorld>(*session, pool_, process_of, mpi_options());
    else
      world_ = std::make_unique<fabric::LoopbackWorld>(1);
    endpoint_ = world_->endpoint(session != nullptr ? session->process() : 0);
    member_.emplace(*endpoint_);
  }

  [[nodiscard]] ring::Range range() const { return layout_->range(layout_->seat(rank())); }
  [[nodiscard]] int rank() const { return endpoint_->rank(); }
  [[nodiscard]] int rings() const { return layout_->rings(); }
  [[nodiscard]] bool is_busy() const { return is_busy_; }

  /// Work on the device of this process, if there are forms that it can use; returns whether.
  /// values: of the slice.
  [[nodiscard]] bool open_device(const std::string& kind, const std::string& device_options,
                                 const std::string& folder, const PyForms& forms, Extent values) {
    const nb::gil_scoped_release release;
    devices_.emplace(kind, device_options + (reads_devices_ ? " network=1" : ""), folder);
    auto& all = devices_->all();
    device_ = &all[static_cast<std::size_t>(rank()) % all.size()];
    kernel_ = ring::KernelUpdate::open(*device_, forms_of(forms), range(), values);
    return kernel_.has_value();
  }

  /// serve_others: called while this ring waits; returns whether other rings are at work.
  void begin(nb::callable function, nb::callable serve_others, const OutArray& slice,
             const std::string& route, int lanes, int slots, bool both) {
    const Turn turn(is_busy_);
    slice_.emplace(slice);
    update_.emplace(std::move(function));
    serve_others_ = std::move(serve_others);
    ring::Options options;
    options.route = route == "direct" ? ring::Route::direct : ring::Route::ring;
    options.direction = both ? ring::Direction::both : ring::Direction::right;
    options.lanes = lanes;
    options.slots = slots;
    const nb::gil_scoped_release release;
    drive([&] {
      if (kernel_)
        ring_.emplace(*member_, *layout_, options, *kernel_, slice_on_device());
      else
        ring_.emplace(*member_, *layout_, options, *update_, ring::Slice::on_host(bytes()));
    });
  }

  void give(const nb::bytes& head, const AnyArray& payload) {
    const Turn turn(is_busy_);
    const auto* from = reinterpret_cast<const std::byte*>(head.c_str());
    const std::span<const std::byte> its_head(from, head.size());
    ring::Ring& ring = live();
    const nb::gil_scoped_release release;
    base::Buffer copy = pool_.allocate(payload.nbytes());
    if (copy.size() > 0) std::memcpy(copy.data(), payload.data(), copy.size());
    const auto shared = std::make_shared<const base::Buffer>(std::move(copy));
    drive([&] { ring.give(its_head, shared); });
  }
  void serve() {
    const Turn turn(is_busy_);
    ring::Ring& ring = live();
    const nb::gil_scoped_release release;
    drive([&] { ring.serve(); });
  }
  /// Collective. kind: how values of several rings are added, "f" or "i", of 4 or 8 bytes.
  void finish(const std::string& kind) {
    const Turn turn(is_busy_);
    ring::Ring& ring = live();
    const nb::gil_scoped_release release;
    drive([&] {
      ring.finish();
      if (memory_)
        move_slice([&](device::Stream& stream) { stream.copy_out(bytes(), memory_->address()); });
      if (rings() > 1) ring::add_rings(*member_, *layout_, pool_, bytes(), adder(kind));
    });
  }

  /// Collective. Brings the whole array into that of process 0, dense, units outermost.
  void gather(const std::optional<OutArray>& into) {
    const Turn turn(is_busy_);
    (void)live();
    if (rank() == 0) check_whole(into);
    auto* to = into ? static_cast<std::byte*>(into->data()) : nullptr;
    const nb::gil_scoped_release release;
    drive([&] {
      ring::visit_units(*member_, *layout_, pool_, bytes(),
                        [&](Extent unit, std::span<const std::byte> values) {
                          std::memcpy(to + static_cast<std::size_t>(unit) * values.size(),
                                      values.data(), values.size());
                        });
    });
  }

  void abort(const std::string& cause) {
    const Turn turn(is_busy_);
    if (endpoint_) endpoint_->abort(cause);
    try {
      let_go();
    } catch (const base::Error&) {
      return;  // what is raised here is the cause
    }
  }
  /// Collective. An error of another rank is one of all, also of those that had finished.
  void end() {
    const Turn turn(is_busy_);
    let_go();
  }

  [[nodiscard]] std::map<std::string, double> counts() const {
    const ring::Counts counts = ring_ ? ring_->counts() : counts_;
    return {{"given", static_cast<double>(counts.given)},
            {"applied", static_cast<double>(counts.applied)},
            {"sent_bytes", static_cast<double>(counts.sent_bytes)},
            {"peak_items", static_cast<double>(counts.peak_items)},
            {"update_seconds", counts.update_seconds},
            {"wait_for_items_seconds", counts.wait_for_items_seconds},
            {"wait_for_slots_seconds", counts.wait_for_slots_seconds}};
  }

 private:
  [[nodiscard]] fabric::MpiOptions mpi_options() const {
    fabric::MpiOptions options;
    options.reads_devices = reads_devices_;
    return options;
  }

  /// Does the work of the rank in a thread, while this one, which made the world, moves messages,
  /// looks for signals, as Ctrl-C, and serves other rings: another process may wait for these.
  template <class Work>
  void drive(const Work& work) {
    std::exception_ptr error, failure;  // of the rank; of this thread, which ends the rank's work
    std::atomic<bool> is_done = false;
    std::thread rank([&] {
      try {
        work();
      } catch (...) {
        error = std::current_exception();
      }
      is_done = true;
      world_->wake();
    });
    double pause = serve_seconds;
    double look_at = base::now_seconds() + pause;
    const auto fail = [&](const std::exception_ptr& why, std::string_view cause) {
      if (failure) return;
      endpoint_->abort(cause);
      failure = why;
    };
    while (!is_done) {
      move_on(pause, fail);
      if (failure || base::now_seconds() < look_at) continue;
      if (const std::exception_ptr signal = raised_by(&check_signals))
        fail(signal, "stopped by a signal");
      else if (const std::exception_ptr other = raised_by(
                   [&] { pause = nb::cast<bool>(serve_others_()) ? serve_seconds : look_seconds; }))
        fail(other, "stopped by an error of another ring of this process");
      look_at = base::now_seconds() + pause;
    }
    rank.join();
    // What the rank sent last may not have left yet. Others wait for it, and the next to move is
    // perhaps another ring, which waits for them.
    move_on(0, fail);
    if (failure) std::rethrow_exception(failure);
    if (error) std::rethrow_exception(error);
  }

  template <class Fail>
  void move_on(double seconds, const Fail& fail) {
    try {
      world_->progress(seconds);
    } catch (const std::exception&) {
      const base::Error told = base::current_error();
      fail(std::make_exception_ptr(told), told.what());
    }
  }
  static void check_signals() {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  template <class Call>
  static std::exception_ptr raised_by(const Call& call) {
    const nb::gil_scoped_acquire gil;
    try {
      call();
    } catch (const nb::python_error&) {
      return std::current_exception();
    }
    return nullptr;
  }

  [[nodiscard]] ring::Ring& live() {
    if (!ring_)
      throw base::Error(base::Errc::bad_input,
                        "the ring has ended: give and ask for the result within its with block");
    return *ring_;
  }

  void check_whole(const std::optional<OutArray>& into) const {
    const std::size_t whole_bytes = bytes().size() / static_cast<std::size_t>(range().count()) *
                                    static_cast<std::size_t>(layout_->units());
    if (!into || into->nbytes() != whole_bytes)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("process 0 gives an array of {} bytes for the result, not of {}", whole_bytes,
                      into ? into->nbytes() : 0));
  }

  [[nodiscard]] ring::Slice slice_on_device() {
    memory_ = device_->allocate(std::max<Extent>(static_cast<Extent>(bytes().size()), 64));
    if (!memory_)
      throw base::Error(base::Errc::no_memory,
                        "the device has no room for a slice of " +
                            base::format_bytes(static_cast<Extent>(bytes().size())) +
                            ": start more processes, or take device=None");
    move_slice([&](device::Stream& stream) { stream.copy_in(memory_->address(), bytes()); });
    return {{}, device_, memory_->address(), static_cast<Extent>(bytes().size())};
  }
  template <class Copy>
  void move_slice(const Copy& copy) {
    device::Stream stream = device_->open_stream();
    if (!bytes().empty()) copy(stream);
    stream.synchronise();
  }

  void let_go() {
    if (!endpoint_) return;
    std::exception_ptr error;
    end_world(error);
    update_.reset();  // holds the Python object that holds this one
    serve_others_.reset();
    slice_.reset();
    if (error) std::rethrow_exception(error);
  }

  void end_world(std::exception_ptr& error) {
    const nb::gil_scoped_release release;
    if (ring_) counts_ = ring_->counts();
    ring_.reset();
    memory_.reset();
    member_.reset();
    try {
      if (!world_->end(patience_seconds))
        throw base::Error(base::Errc::comm,
                          "a process ended the ring, and not all came to its end");
    } catch (const base::Error&) {
      error = std::current_exception();
    }
    endpoint_.reset();
    world_.reset();
  }

  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(slice_->data()), slice_->nbytes()};
  }

  static void add_singles(std::span<std::byte> into, std::span<const std::byte> from) {
    auto* to = reinterpret_cast<float*>(into.data());
    const auto* values = reinterpret_cast<const float*>(from.data());
    for (std::size_t i = 0; i < into.size() / sizeof(float); ++i) to[i] += values[i];
  }

  static ring::AddUnit adder(const std::string& kind) {
    if (kind == "f8") return ring::add_doubles();
    if (kind == "i8") return ring::add_integers();
    if (kind == "f4") return add_singles;
    throw base::Error(base::Errc::bad_input,
                      "slices of several rings are added if they hold f4, f8, c8, c16 or i8; take "
                      "one ring of all processes for other states");
  }

  std::shared_ptr<PyProcesses> processes_;  // shared with Python; null: this one alone
  base::BufferPool pool_;
  bool reads_devices_;
  std::optional<ring::Layout> layout_;
  std::optional<device::DevicesOfKind> devices_;  ///< end after what may hold slots of theirs
  device::Device* device_ = nullptr;
  std::unique_ptr<fabric::World> world_;
  std::unique_ptr<fabric::Fabric> endpoint_;
  std::optional<ring::Member> member_;
  std::optional<OutArray> slice_;
  std::optional<PyUpdate> update_;
  nb::object serve_others_;
  std::optional<device::Memory> memory_;  ///< of the slice
  std::optional<ring::KernelUpdate> kernel_;
  std::optional<ring::Ring> ring_;
  ring::Counts counts_;
  std::atomic<bool> is_busy_ = false;
};

}  // namespace

void bind_rings(nb::module_& module) {
  nb::class_<PyRing>(module, "Ring")
      .def(nb::init<std::shared_ptr<PyProcesses>, Extent, int, bool>(), nb::arg("processes").none(),
           nb::arg("units"), nb::arg("size"), nb::arg("has_device"))
      .def_prop_ro("first", [](const PyRing& self) { return self.range().begin; })
      .def_prop_ro("last", [](const PyRing& self) { return self.range().end; })
      .def_prop_ro("rings", &PyRing::rings)
      .def_prop_ro("is_busy", &PyRing::is_busy)
      .def("open_device", &PyRing::open_device)
      .def("begin", &PyRing::begin)
      .def("give", &PyRing::give)
      .def("serve", &PyRing::serve)
      .def("finish", &PyRing::finish)
      .def("gather", &PyRing::gather, nb::arg("into").none())
      .def("abort", &PyRing::abort)
      .def("end", &PyRing::end)
      .def("counts", &PyRing::counts);
}

}  // namespace blockyard::python
