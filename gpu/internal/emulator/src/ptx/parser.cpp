// From text to module: directives, declarations and statements.
#include <algorithm>
#include <set>

#include "builder.h"

namespace ptx {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(text) {}

  Module parse() {
    while (!tokens_.end()) directive();
    return std::move(module_);
  }

 private:
  void directive() {
    int line = tokens_.line();
    std::string word = tokens_.word();
    if (word == ".version") {
      module_.version = version(tokens_.word());
    } else if (word == ".target") {
      target(tokens_.word());
      while (tokens_.accept(",")) tokens_.word();  // options such as debug
    } else if (word == ".address_size") {
      if (tokens_.word() != "64") throw SyntaxError(line, "want 64-bit addresses");
    } else if (word == ".visible" || word == ".weak") {
      // linkage, which a single module does not need
    } else if (word == ".entry") {
      entry();
    } else if (word == ".shared") {
      declare(Space::kShared, false, globals_);
    } else if (word == ".extern") {
      tokens_.expect(".shared");
      declare(Space::kShared, true, globals_);
    } else {
      throw SyntaxError(line, "unknown directive " + word);
    }
  }

  static int version(const std::string& text) {
    size_t dot = text.find('.');
    if (dot == std::string::npos) return 0;
    return 10 * std::atoi(text.substr(0, dot).c_str()) + std::atoi(text.substr(dot + 1).c_str());
  }

  void target(const std::string& text) {
    if (text.rfind("sm_", 0) != 0) throw SyntaxError(tokens_.line(), "unknown target " + text);
    module_.capability = std::atoi(text.c_str() + 3);
  }

  // declare reads ".align 16 .b8 name[64];" behind the space.
  void declare(Space space, bool dynamic, std::map<std::string, Variable>& into) {
    Variable v{space, 0, 1, dynamic};
    if (tokens_.accept(".align")) v.alignment = count(tokens_.word());
    std::string element = tokens_.word();
    v.size = size_of(type_of(element.substr(1)));
    if (v.size == 0) throw SyntaxError(tokens_.line(), "unknown type " + element);
    v.alignment = std::max(v.alignment, v.size);
    std::string name = tokens_.word();
    while (tokens_.accept("[")) {
      if (!tokens_.at("]")) v.size *= count(tokens_.word());
      tokens_.expect("]");
    }
    tokens_.expect(";");
    into[name] = v;
  }

  uint64_t count(const std::string& word) {
    unsigned long long n = 0;
    if (!number(word, &n) || n == 0 || n > 1 << 20) throw SyntaxError(tokens_.line(), "want a size, got " + word);
    return n;
  }

  void entry() {
    Function f;
    f.name = tokens_.word();
    // Code for devices before Volta is scheduled as there, also on later devices.
    f.in_step = module_.capability < 70;
    std::map<std::string, uint64_t> parameters;
    tokens_.expect("(");
    while (!tokens_.accept(")")) {
      parameter(f, parameters);
      tokens_.accept(",");
    }
    while (!tokens_.at("{")) performance(f);
    tokens_.expect("{");
    FunctionBuilder builder(std::move(f), globals_, std::move(parameters));
    while (!tokens_.accept("}")) line(builder);
    auto done = std::make_shared<const Function>(builder.finish());
    module_.functions[done->name] = done;
  }

  // parameter reads ".param .align 4 .b8 name[64]" or ".param .u64 name".
  void parameter(Function& f, std::map<std::string, uint64_t>& names) {
    tokens_.expect(".param");
    uint64_t alignment = 1;
    std::string word = tokens_.word();
    // Clang describes what a pointer points to; that does not concern the layout.
    if (word == ".align") {
      alignment = count(tokens_.word());
      word = tokens_.word();
    }
    uint64_t size = size_of(type_of(word.substr(1)));
    if (size == 0) throw SyntaxError(tokens_.line(), "unknown type " + word);
    alignment = std::max(alignment, size);
    while (tokens_.at(".ptr") || tokens_.at(".global") || tokens_.at(".align")) {
      if (tokens_.take().text == ".align") tokens_.word();
    }
    std::string name = tokens_.word();
    if (tokens_.accept("[")) {
      size *= count(tokens_.word());
      tokens_.expect("]");
    }
    uint64_t offset = (f.parameter_bytes + alignment - 1) / alignment * alignment;
    f.parameters.push_back({offset, size});
    f.parameter_bytes = offset + size;
    names[name] = offset;
  }

  // performance reads .maxntid and the like between the head and the body.
  void performance(Function& f) {
    int line = tokens_.line();
    std::string word = tokens_.word();
    static const std::set<std::string> hints = {".minnctapersm", ".maxnreg", ".reqntid", ".maxntid"};
    if (!hints.count(word)) throw SyntaxError(line, "unknown directive " + word);
    uint64_t product = count(tokens_.word());
    while (tokens_.accept(",")) product *= count(tokens_.word());
    if (word == ".maxntid" || word == ".reqntid") f.max_threads = uint32_t(product);
  }

  // line reads a declaration, a label or a statement of a body.
  void line(FunctionBuilder& builder) {
    if (tokens_.accept(".reg")) {
      registers(builder);
    } else if (tokens_.accept(".shared")) {
      declare(Space::kShared, false, builder.variables());
    } else if (tokens_.accept(".local")) {
      declare(Space::kLocal, false, builder.variables());
    } else if (tokens_.accept(".pragma")) {
      tokens_.until(";");
    } else {
      statement(builder);
    }
  }

  // registers reads ".b32 %r<10>;" behind .reg.
  void registers(FunctionBuilder& builder) {
    std::string type = tokens_.word();
    do {
      std::string name = tokens_.word();
      uint64_t n = 0;
      if (tokens_.accept("<")) {
        n = count(tokens_.word());
        tokens_.expect(">");
      }
      builder.declare_registers(name, n);
    } while (tokens_.accept(","));
    tokens_.expect(";");
  }

  void statement(FunctionBuilder& builder) {
    Statement s;
    s.line = tokens_.line();
    if (tokens_.accept("@")) {
      s.negated = tokens_.accept("!");
      s.guard = tokens_.word();
    }
    std::string opcode = tokens_.word();
    if (tokens_.accept(":")) {
      builder.label(opcode, s.line);
      return;
    }
    for (size_t start = 0; start <= opcode.size();) {
      size_t dot = std::min(opcode.find('.', start), opcode.size());
      s.opcode.push_back(opcode.substr(start, dot - start));
      start = dot + 1;
    }
    while (!tokens_.accept(";")) {
      s.operands.push_back(operand());
      if (!tokens_.at(";")) tokens_.expect(",");
    }
    builder.add(s);
  }

  Operand operand() {
    if (tokens_.accept("[")) return address();
    if (tokens_.accept("{")) return vector();
    Operand o = simple();
    if (tokens_.accept("|")) o.predicate = tokens_.word();
    return o;
  }

  Operand simple() {
    Operand o;
    bool negative = tokens_.accept("-");
    std::string word = tokens_.word();
    unsigned long long bits = 0;
    if (number(word, &bits)) {
      o.bits = negative ? 0 - bits : bits;
      return o;
    }
    if (negative) throw SyntaxError(tokens_.line(), "want a number, got -" + word);
    o.kind = word[0] == '%' || word == "WARP_SZ" ? Operand::kRegister : Operand::kSymbol;
    o.name = word;
    return o;
  }

  Operand address() {
    Operand o = simple();
    if (o.kind == Operand::kNumber) o.offset = int64_t(o.bits);
    o.kind = Operand::kAddress;
    if (tokens_.accept("+")) o.offset += int64_t(simple().bits);
    tokens_.expect("]");
    return o;
  }

  Operand vector() {
    Operand o;
    o.kind = Operand::kVector;
    while (!tokens_.accept("}")) {
      o.elements.push_back(simple());
      tokens_.accept(",");
    }
    if (o.elements.empty() || o.elements.size() > 4) throw SyntaxError(tokens_.line(), "want a vector of 1 to 4");
    return o;
  }

  Tokens tokens_;
  Module module_;
  std::map<std::string, Variable> globals_;  // shared arrays outside of functions
};

}  // namespace

Module parse(const std::string& text) { return Parser(text).parse(); }

}  // namespace ptx
