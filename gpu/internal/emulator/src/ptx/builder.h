// Builds a function from its statements.
#pragma once

#include "statement.h"

namespace ptx {

class FunctionBuilder : public Rows {
 public:
  FunctionBuilder(Function head, const std::map<std::string, Variable>& globals,
                  std::map<std::string, uint64_t> parameters);

  std::map<std::string, Variable>& variables() { return variables_; }
  void declare_registers(const std::string& name, uint64_t count);
  void label(const std::string& name, int line);
  void add(const Statement& statement);

  // finish resolves labels. The builder must not be used afterwards.
  Function finish();

  uint32_t of(const Operand& operand) override;
  uint32_t constant(uint64_t bits) override;
  uint32_t reg(const std::string& name) override;

 private:
  struct Jump {
    size_t instruction;
    std::string label;
  };

  bool declared(const std::string& name) const;
  bool branch(const Statement& statement, Instruction& instruction);
  uint32_t new_row();
  uint64_t address_of(const std::string& symbol);

  Function f_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, uint64_t> parameters_;
  std::map<std::string, uint64_t> declared_;   // registers: prefix to count, 0 for a single one
  std::map<std::string, uint32_t> registers_;  // rows that have been given out
  std::map<uint64_t, uint32_t> constants_;
  std::map<std::string, uint64_t> placed_;     // addresses of variables in use
  std::map<std::string, size_t> labels_;
  std::vector<Jump> jumps_;
  std::string dynamic_;                        // the extern array, placed last
  int line_ = 0;
};

}  // namespace ptx
