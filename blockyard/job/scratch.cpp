// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "blockyard/base/error.h"

namespace blockyard::job {

ScratchFolder::ScratchFolder(const std::filesystem::path& parent) {
  std::error_code status;
  std::filesystem::create_directories(parent, status);
  std::string name = (parent / "blockyard-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw base::Error(
        base::Errc::io,
        fmt::format("cannot make a folder for spilled blocks in {}: {}; choose another "
                    "with --scratch",
                    parent.string(), strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() { remove(); }

void ScratchFolder::remove() const noexcept {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace blockyard::job
