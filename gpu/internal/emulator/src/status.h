// Results of driver calls and the fault that ends an operation.
#pragma once

#include <stdexcept>
#include <string>

namespace emu {

// The numbers are those of CUresult.
enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
  kUnknown = 999,
};

// Fault is how an operation fails while it runs. The status is what the host
// sees, as on a real device; the message goes to the emulator's log.
class Fault : public std::runtime_error {
 public:
  Fault(Status status, const std::string& message) : std::runtime_error(message), status(status) {}
  Status status;
};

}  // namespace emu
