// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/mpi/agree.h"

#include <exception>
#include <string>

#include "blockyard/base/current_error.h"
#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"

namespace blockyard::fabric {

using base::Errc;
using base::Error;

namespace {

/// An error on its way to other processes.
struct Failure {
  bool is_one = false;
  Errc code = Errc::internal;
  std::string text;

  template <class Stream>
  void fields(Stream& stream) {
    stream.fields(is_one, code, text);
  }
};

/// The exception that `work` throws, as a value.
template <class Work>
Failure failure_of(const Work& work) {
  try {
    work();
    return {};
  } catch (const std::exception&) {
    const Error error = base::current_error();
    return {true, error.code(), error.what()};
  }
}

void rethrow(const Failure& failure) {
  if (failure.is_one) throw Error(failure.code, failure.text);
}

std::vector<std::byte> bytes_of(Failure failure, const std::vector<std::byte>& rest) {
  base::FieldWriter out;
  failure.fields(out);
  out.field(rest);
  return out.take();
}

std::vector<std::byte> take(const std::vector<std::byte>& bytes, Failure& failure) {
  base::FieldReader in(bytes);
  failure.fields(in);
  std::vector<std::byte> rest;
  in.field(rest);
  return rest;
}

}  // namespace

std::vector<std::byte> share(MpiSession* session,
                             const std::function<std::vector<std::byte>()>& make) {
  if (session == nullptr) return make();
  Failure failure;
  std::vector<std::byte> made;
  if (session->process() == 0) failure = failure_of([&] { made = make(); });
  made = take(session->broadcast(bytes_of(failure, made)), failure);
  rethrow(failure);
  return made;
}

void agree(MpiSession* session, const std::function<void()>& work) {
  if (session == nullptr) return work();
  const auto all = session->gather(bytes_of(failure_of(work), {}));
  (void)share(session, [&] {
    Failure first;
    for (const auto& bytes : all) {
      Failure failure;
      (void)take(bytes, failure);
      if (!first.is_one || (first.code == Errc::comm && failure.is_one)) first = failure;
    }
    rethrow(first);
    return std::vector<std::byte>();
  });
}

}  // namespace blockyard::fabric
