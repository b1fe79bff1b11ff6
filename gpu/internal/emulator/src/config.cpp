#include "config.h"

#include <functional>
#include <sstream>
#include <stdexcept>

namespace emu {
namespace {

int64_t number(const std::string& text) {
  size_t end = 0;
  int64_t value = std::stoll(text, &end, 0);
  if (end != text.size()) throw std::invalid_argument("not a number");
  return value;
}

// "N:STATUS"
CallFault fault(const std::string& text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos) throw std::invalid_argument("want N:STATUS");
  return {number(text.substr(0, colon)), int(number(text.substr(colon + 1)))};
}

void set_scheduler(Config& c, const std::string& v) {
  if (v != "threads" && v != "adversarial") throw std::invalid_argument("want threads or adversarial");
  c.threads = v == "threads";
}

void set_fault(Config& c, const std::string& v) {
  CallFault f = fault(v);
  c.fault_operation = f.nth;
  c.fault_status = f.status;
}

using Setter = std::function<void(Config&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"version", [](Config& c, const std::string& v) { c.version = int(number(v)); }},
      {"devices", [](Config& c, const std::string& v) { c.devices = int(number(v)); }},
      {"capability", [](Config& c, const std::string& v) { c.capability = int(number(v)); }},
      {"memory", [](Config& c, const std::string& v) { c.memory = number(v); }},
      {"pinned", [](Config& c, const std::string& v) { c.pinned = number(v); }},
      {"seed", [](Config& c, const std::string& v) { c.seed = uint64_t(number(v)); }},
      {"steps", [](Config& c, const std::string& v) { c.steps = number(v); }},
      {"scheduler", set_scheduler},
      {"fault", set_fault},
  };
  return table;
}

void set(Config& c, const std::string& key, const std::string& value) {
  if (key.rfind("cu", 0) == 0) {
    c.calls[key] = fault(value);
    return;
  }
  auto setter = setters().find(key);
  if (setter == setters().end()) throw std::invalid_argument("unknown key");
  setter->second(c, value);
}

}  // namespace

Config parse_config(const std::string& text) {
  Config c;
  std::istringstream in(text);
  for (std::string pair; in >> pair;) {
    size_t equals = pair.find('=');
    try {
      if (equals == std::string::npos) throw std::invalid_argument("want key=value");
      set(c, pair.substr(0, equals), pair.substr(equals + 1));
    } catch (const std::exception& e) {
      throw std::invalid_argument(pair + ": " + e.what());
    }
  }
  return c;
}

}  // namespace emu
