#include "token.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace ptx {
namespace {

bool word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

// Scanner splits a text into tokens.
class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  std::vector<Token> scan(int* last_line) {
    std::vector<Token> tokens;
    while (skip_blanks()) tokens.push_back(token());
    *last_line = line_;
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // skip_blanks also skips comments. It returns false at the end.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (peek() == '\n') line_++;
      if (std::isspace(static_cast<unsigned char>(peek()))) {
        at_++;
      } else if (peek() == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n') at_++;
      } else if (peek() == '/' && peek(1) == '*') {
        skip_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_comment() {
    size_t end = text_.find("*/", at_ + 2);
    if (end == std::string::npos) throw SyntaxError(line_, "comment without an end");
    for (; at_ < end + 2; at_++) line_ += peek() == '\n';
  }

  Token token() {
    size_t start = at_;
    if (peek() == '"') {
      size_t end = text_.find('"', at_ + 1);
      if (end == std::string::npos) throw SyntaxError(line_, "string without an end");
      at_ = end + 1;
      return {text_.substr(start, at_ - start), line_, false};
    }
    bool word = word_character(peek());
    do at_++;
    while (word && word_character(peek()));
    // L1::evict and the like belong to an opcode.
    while (word && peek() == ':' && peek(1) == ':') {
      at_ += 2;
      while (word_character(peek())) at_++;
    }
    return {text_.substr(start, at_ - start), line_, word};
  }

  const std::string& text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Tokens::Tokens(const std::string& text) : tokens_(Scanner(text).scan(&last_line_)) {}

bool Tokens::accept(const std::string& text) {
  if (!at(text)) return false;
  next_++;
  return true;
}

void Tokens::expect(const std::string& text) {
  if (accept(text)) return;
  throw SyntaxError(line(), "want " + text + ", got " + (end() ? "the end" : tokens_[next_].text));
}

Token Tokens::take() {
  if (end()) throw SyntaxError(last_line_, "the text ends too early");
  return tokens_[next_++];
}

std::string Tokens::word() {
  Token t = take();
  if (!t.word) throw SyntaxError(t.line, "want a word, got " + t.text);
  return t.text;
}

std::vector<Token> Tokens::until(const std::string& stop) {
  std::vector<Token> tokens;
  while (!at(stop)) tokens.push_back(take());
  next_++;
  return tokens;
}

bool number(const std::string& word, unsigned long long* bits) {
  if (word.empty() || !std::isdigit(static_cast<unsigned char>(word[0]))) return false;
  bool floating = word.size() > 2 && word[0] == '0' && std::string("fFdD").find(word[1]) != std::string::npos;
  std::string digits = floating ? word.substr(2) : word;
  if (!floating && digits.back() == 'U') digits.pop_back();
  char* end = nullptr;
  errno = 0;
  *bits = std::strtoull(digits.c_str(), &end, floating ? 16 : 0);
  return errno == 0 && *end == '\0';
}

}  // namespace ptx
