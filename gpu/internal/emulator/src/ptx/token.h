// The words of a PTX text.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

// SyntaxError is what loading a module reports, with the line in the PTX.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(int line, const std::string& message)
      : std::runtime_error("line " + std::to_string(line) + ": " + message) {}
};

// Token is a word (an opcode with its suffixes, a name, a register, a number), a
// string, or one character of punctuation.
struct Token {
  std::string text;
  int line = 0;
  bool word = false;
};

// Tokens reads a PTX text from front to back.
class Tokens {
 public:
  explicit Tokens(const std::string& text);

  bool end() const { return next_ == tokens_.size(); }
  int line() const { return end() ? last_line_ : tokens_[next_].line; }
  bool at(const std::string& text) const { return !end() && tokens_[next_].text == text; }
  bool accept(const std::string& text);
  void expect(const std::string& text);
  Token take();
  std::string word();        // a word, or an error
  std::vector<Token> until(const std::string& stop);  // and the stop itself, which is dropped

 private:
  std::vector<Token> tokens_;
  size_t next_ = 0;
  int last_line_ = 1;
};

// number reads a PTX constant: decimal, hexadecimal, 0f and 0d. It returns its bits.
bool number(const std::string& word, unsigned long long* bits);

}  // namespace ptx
