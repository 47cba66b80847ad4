/**
 * The language of expectations: small checked expressions over the state of a testbed, such as
 * `exists("a.txt") and not text("b.txt") contains "old"`. An expression is parsed when its task is loaded, so that a
 * typing error is found before the first run and not in its middle.
 *
 *   or-expr   = and-expr { "or" and-expr }
 *   and-expr  = unary { "and" unary }
 *   unary     = "not" unary | "(" or-expr ")" | "exists" "(" text ")" | operand ( "==" | "contains" ) operand
 *   operand   = text | number | "text" "(" text ")" | "count" "(" text ")"
 */

/** What an expression may look at. */
export interface Facts {
  /** Content of a file; `undefined` where there is none. */
  readonly text: (path: string) => string | undefined;
  /** Paths of all files. */
  readonly paths: readonly string[];
}

export type Outcome = 'pass' | 'fail' | 'unknown';

/** `ok: false` says what is wrong, and at which character (from 0). */
export type ParsedCriterion =
  | { readonly ok: true; readonly check: (facts: Facts) => Outcome }
  | { readonly ok: false; readonly at: number; readonly why: string };

type Value = string | number | undefined;
type Expression = (facts: Facts) => boolean;
type Operand = (facts: Facts) => Value;

interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

class Mistake extends Error {
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

/** Parses one expectation. */
export function parseCriterion(expression: string): ParsedCriterion {
  try {
    const parser = new Parser(tokensOf(expression));
    const holds = parser.whole();
    return { ok: true, check: (facts) => (holds(facts) ? 'pass' : 'fail') };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, at: error.at, why: error.message };
    throw error;
  }
}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(\d+)|([A-Za-z][A-Za-z-]*)|(==|[()]))/y;

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  const end = expression.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(expression);
    if (found === null) throw new Mistake(at, `nothing that belongs here: ${expression.slice(at, at + 20)}`);
    const [whole, text, number, word, sign = ''] = found;
    const start = at + whole.length - whole.trimStart().length;
    if (text !== undefined) tokens.push({ kind: 'text', text: unquoted(text, start), at: start });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at: start });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, at: start });
    else tokens.push({ kind: 'sign', text: sign, at: start });
  }
  return [...tokens, { kind: 'end', text: 'the end', at: end }];
}

function unquoted(text: string, at: number): string {
  try {
    return JSON.parse(text) as string;
  } catch (error) {
    if (error instanceof SyntaxError) throw new Mistake(at, 'a text with an escape that does not exist');
    throw error;
  }
}

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  whole(): Expression {
    const expression = this.either();
    if (this.next.kind !== 'end') this.fail('"and", "or" or the end');
    return expression;
  }

  private either(): Expression {
    const parts = [this.both()];
    while (this.takes('or')) parts.push(this.both());
    return (facts) => parts.some((part) => part(facts));
  }

  private both(): Expression {
    const parts = [this.single()];
    while (this.takes('and')) parts.push(this.single());
    return (facts) => parts.every((part) => part(facts));
  }

  private single(): Expression {
    if (this.takes('not')) {
      const negated = this.single();
      return (facts) => !negated(facts);
    }
    if (this.takes('(')) {
      const inner = this.either();
      this.expect(')');
      return inner;
    }
    if (this.takes('exists')) {
      const path = this.argument();
      return (facts) => facts.text(path) !== undefined;
    }
    return this.comparison();
  }

  private comparison(): Expression {
    const left = this.operand();
    if (this.takes('==')) {
      const right = this.operand();
      return (facts) => left(facts) === right(facts);
    }
    if (!this.takes('contains')) this.fail('"==" or "contains"');
    const right = this.operand();
    return (facts) => {
      const [whole, part] = [left(facts), right(facts)];
      return typeof whole === 'string' && typeof part === 'string' && whole.includes(part);
    };
  }

  private operand(): Operand {
    const { kind, text } = this.next;
    if (kind === 'text' || kind === 'number') {
      this.at += 1;
      return () => (kind === 'text' ? text : Number(text));
    }
    if (this.takes('text')) {
      const path = this.argument();
      return (facts) => facts.text(path);
    }
    if (!this.takes('count')) this.fail('a text, a number, text(…) or count(…)');
    const folder = this.argument();
    return ({ paths }) => paths.filter((path) => path.startsWith(`${folder}/`)).length;
  }

  private argument(): string {
    this.expect('(');
    const { kind, text } = this.next;
    if (kind !== 'text') this.fail('a text in double quotes');
    this.at += 1;
    this.expect(')');
    return text;
  }

  private get next(): Token {
    return this.tokens[this.at]!;
  }

  private takes(text: string): boolean {
    const { kind, text: found } = this.next;
    if (found !== text || kind === 'text' || kind === 'end') return false;
    this.at += 1;
    return true;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) this.fail(`"${sign}"`);
  }

  private fail(expected: string): never {
    throw new Mistake(this.next.at, `expected ${expected}, found ${this.next.text}`);
  }
}
