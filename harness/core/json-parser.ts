/**
 * The grammar behind `parseExact` (json.ts), which is what everybody else should call.
 *
 * It recurses, which is safe because it stops at `DEPTH_MAX` levels; faults are returned, never thrown.
 */
import { decimal, numberAt } from './decimal.js';
import { DEPTH_MAX } from './event.js';
import type { ExactFault, ExactJson, ExactObject } from './json.js';
import { hasLoneSurrogate, loneSurrogateAt } from './utf8.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const LITERALS: readonly (readonly [string, ExactJson])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

/** What every method of the parser returns after `fail`; `undefined` would not do beside JSON's own `null`. */
export const FAILED = Symbol('failed');
type Failed = typeof FAILED;

/** Recursive descent over one text. After `document` answered `FAILED`, `fault` says why. */
export class JsonParser {
  fault: { readonly reason: ExactFault; readonly at: number; readonly detail: string } = {
    reason: 'invalid-json',
    at: 0,
    detail: '',
  };
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(): ExactJson | Failed {
    if (hasLoneSurrogate(this.text))
      return this.fail('lone-surrogate', loneSurrogateAt(this.text), 'half a surrogate pair');
    if (this.text.startsWith('\ufeff')) return this.fail('invalid-json', 0, 'byte order mark');
    const value = this.value(0);
    if (value === FAILED) return FAILED;
    return this.peek() === undefined ? value : this.unexpected('the end');
  }

  private fail(reason: ExactFault, at: number, detail: string): Failed {
    this.fault = { reason, at, detail };
    return FAILED;
  }

  private unexpected(wanted: string): Failed {
    return this.fail(
      'invalid-json',
      this.at,
      `expected ${wanted}${this.at < this.text.length ? '' : ', found the end'}`,
    );
  }

  /** Skips white space and shows the next character. */
  private peek(): string | undefined {
    for (;;) {
      const char = this.text[this.at];
      if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return char;
      this.at += 1;
    }
  }

  private take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at += 1;
    return true;
  }

  private value(depth: number): ExactJson | Failed {
    const first = this.peek();
    if (first === '"') return this.string();
    if (first === '{' || first === '[') {
      if (depth === DEPTH_MAX) return this.fail('too-deep', this.at, `more than ${DEPTH_MAX} levels`);
      this.at += 1;
      return first === '{' ? this.object(depth + 1) : this.array(depth + 1);
    }
    return this.scalar();
  }

  private scalar(): ExactJson | Failed {
    const digits = numberAt(this.text, this.at);
    if (digits !== undefined) {
      this.at += digits.length;
      return decimal(digits);
    }
    for (const [word, value] of LITERALS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.unexpected('a value');
  }

  private array(depth: number): ExactJson[] | Failed {
    const items: ExactJson[] = [];
    if (this.take(']')) return items;
    do {
      const item = this.value(depth);
      if (item === FAILED) return FAILED;
      items.push(item);
    } while (this.take(','));
    return this.take(']') ? items : this.unexpected('"," or "]"');
  }

  private object(depth: number): ExactObject | Failed {
    const members: ExactObject = new Map();
    if (this.take('}')) return members;
    do {
      if (this.member(members, depth) === FAILED) return FAILED;
    } while (this.take(','));
    return this.take('}') ? members : this.unexpected('"," or "}"');
  }

  private member(members: ExactObject, depth: number): true | Failed {
    if (this.peek() !== '"') return this.unexpected('a key');
    const keyAt = this.at;
    const key = this.string();
    if (key === FAILED) return FAILED;
    if (members.has(key)) return this.fail('duplicate-key', keyAt, `key ${JSON.stringify(key)} stands twice`);
    if (!this.take(':')) return this.unexpected('":"');
    const value = this.value(depth);
    if (value === FAILED) return FAILED;
    members.set(key, value);
    return true;
  }

  private string(): string | Failed {
    let decoded = '';
    let from = this.at + 1;
    for (let at = from; ;) {
      const unit = this.text.charCodeAt(at);
      if (unit === QUOTE) {
        this.at = at + 1;
        return decoded + this.text.slice(from, at);
      }
      if (unit === BACKSLASH) {
        const escaped = this.escape(at);
        if (escaped === FAILED) return FAILED;
        decoded += this.text.slice(from, at) + escaped;
        at = from = this.at;
      } else if (unit >= 0x20) {
        at += 1;
      } else {
        // At the end of the text the unit is NaN.
        return this.fail(
          'invalid-json',
          at,
          at < this.text.length ? 'control character in a string' : 'string not closed',
        );
      }
    }
  }

  /** Decodes the escape at `at` and moves behind it. */
  private escape(at: number): string | Failed {
    const letter = this.text[at + 1] ?? '';
    if (letter === 'u') return this.unicodeEscape(at);
    this.at = at + 2;
    return ESCAPES.get(letter) ?? this.fail('invalid-json', at, 'no such escape');
  }

  private unicodeEscape(at: number): string | Failed {
    const unit = this.hexUnit(at);
    if (unit === undefined) return this.fail('invalid-json', at, 'no such escape');
    this.at = at + 6;
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    const low = unit < 0xdc00 ? this.hexUnit(this.at) : undefined;
    if (low === undefined || low < 0xdc00 || low > 0xdfff) {
      return this.fail('lone-surrogate', at, 'half a surrogate pair, escaped');
    }
    this.at = at + 12;
    return String.fromCharCode(unit, low);
  }

  /** The value of `\uXXXX` at `at`. */
  private hexUnit(at: number): number | undefined {
    const digits = /^\\u([0-9a-fA-F]{4})$/.exec(this.text.slice(at, at + 6))?.[1];
    return digits === undefined ? undefined : Number.parseInt(digits, 16);
  }
}
