import { int64 } from '../values/numbers.ts';
import { type Argument, type Expression, type ObjectField, type Operator, operators } from './ast.ts';
import type { Scanner } from './scanner.ts';

/** Rules for expressions. Rules that begin with `try` return `undefined` and stay where they are if they do not fit. */
export class ExpressionParser {
  readonly #scanner: Scanner;
  /** What begins at a place is read once, however many rules try it. */
  readonly #known = new Map<number, { readonly expression: Expression | undefined; readonly end: number }>();

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  tryExpression(): Expression | undefined {
    const scanner = this.#scanner;
    const start = scanner.at;
    const known = this.#known.get(start);
    if (known) {
      scanner.at = known.end;
      return known.expression;
    }
    scanner.trySpaces();
    const expression = scanner.nested(() => this.#tryArithmetic());
    if (expression === undefined) scanner.at = start;
    this.#known.set(start, { expression, end: scanner.at });
    return expression;
  }

  expression(what = 'query'): Expression {
    const expression = this.tryExpression();
    if (expression === undefined) {
      this.#scanner.trySpaces();
      throw this.#scanner.required(what);
    }
    return expression;
  }

  #tryArithmetic(): Expression | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    const operands: Expression[] = [];
    const used: Operator[] = [];
    for (;;) {
      const operand = this.#tryOperand();
      if (operand === undefined) return undefined;
      operands.push(operand);
      const afterOperand = scanner.at;
      scanner.trySpaces();
      const operator = operators.find((candidate) => this.#scanner.tryTerm(candidate));
      if (operator === undefined) {
        scanner.at = afterOperand;
        break;
      }
      used.push(operator);
      scanner.skipWhitespace();
    }
    return operands.length === 1 ? operands[0] : { kind: 'arithmetic', at, operands, operators: used };
  }

  #tryOperand(): Expression | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    const isNegative = scanner.tryTerm('-');
    if (isNegative) scanner.skipWhitespace();
    const operand = this.#tryTerm();
    if (operand === undefined || !isNegative) return operand;
    return { kind: 'negate', at, operand };
  }

  /** A value with everything that is called on it. */
  #tryTerm(): Expression | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    const isNot = scanner.tryTerm('!');
    if (isNot) scanner.trySpaces();
    let expression = this.#tryPrimary();
    if (expression === undefined) return undefined;
    for (;;) {
      const bracketed = this.#tryBracket(expression);
      if (bracketed !== undefined) {
        expression = bracketed;
        continue;
      }
      if (!scanner.tryTerm('.')) break;
      scanner.skipWhitespace();
      expression = this.#tail(expression);
    }
    return isNot ? { kind: 'not', at, operand: expression } : expression;
  }

  #tryPrimary(): Expression | undefined {
    return (
      this.#tryMatch() ??
      this.#tryIf() ??
      this.#tryLambda() ??
      this.#tryParentheses() ??
      this.#tryLiteral() ??
      this.#tryCall() ??
      this.#tryReference() ??
      this.#scanner.missing('query')
    );
  }

  /** Tries a rule, and goes back if it does not fit. */
  #attempt<Result>(rule: (at: number) => Result | undefined): Result | undefined {
    const { at } = this.#scanner;
    const result = rule(at);
    if (result === undefined) this.#scanner.at = at;
    return result;
  }

  #tryParentheses(): Expression | undefined {
    return this.#attempt(() => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('(')) return undefined;
      scanner.skipWhitespace();
      const inner = this.tryExpression();
      if (inner === undefined) return undefined;
      scanner.skipWhitespace();
      if (!scanner.tryTerm(')')) throw scanner.required('closing bracket');
      return inner;
    });
  }

  #tryLambda(): Expression | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      const name = scanner.tryIdentifier();
      if (name === undefined || !scanner.trySpaces() || !scanner.tryTerm('->') || !scanner.trySpaces())
        return undefined;
      return { kind: 'lambda', at, name, body: this.expression() };
    });
  }

  #tryIf(): Expression | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('if') || !scanner.trySpaces()) return undefined;
      const branches = [{ condition: this.expression(), body: this.#block() }];
      while (this.#tryKeyword('else if', true))
        branches.push({ condition: this.expression(), body: this.#block() });
      const otherwise = this.#tryKeyword('else', false) ? this.#block() : undefined;
      return { kind: 'if', at, branches, otherwise };
    });
  }

  #tryKeyword(keyword: string, needsSpace: boolean): boolean {
    const found = this.#attempt(() => {
      this.#scanner.skipWhitespace();
      if (!this.#scanner.tryTerm(keyword)) return undefined;
      return needsSpace && !this.#scanner.trySpaces() ? undefined : true;
    });
    return found === true;
  }

  /** One expression in braces. */
  #block(): Expression {
    const scanner = this.#scanner;
    scanner.skipWhitespace();
    if (!scanner.tryTerm('{')) throw scanner.required('{');
    scanner.skipWhitespace();
    const body = this.expression();
    scanner.skipWhitespace();
    if (!scanner.tryTerm('}')) throw scanner.required('}');
    return body;
  }

  #tryMatch(): Expression | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('match') || !scanner.trySpaces()) return undefined;
      const subject = this.tryExpression();
      scanner.skipWhitespace();
      if (!scanner.tryTerm('{')) throw scanner.required('{');
      const cases = this.#list(
        () => this.#tryCase(),
        () => {
          scanner.trySpaces();
          return scanner.tryTerm(',') || scanner.tryNewline();
        },
        '}',
      );
      return { kind: 'match', at, subject, cases };
    });
  }

  #tryCase(): { pattern: Expression | undefined; body: Expression } | undefined {
    return this.#attempt(() => {
      const scanner = this.#scanner;
      const isDefault = this.#attempt(() => {
        if (!scanner.tryTerm('_')) return undefined;
        scanner.trySpaces();
        return scanner.tryTerm('=>') ? true : undefined;
      });
      let pattern: Expression | undefined;
      if (isDefault === undefined) {
        pattern = this.tryExpression();
        if (pattern === undefined) return undefined;
        scanner.trySpaces();
        if (!scanner.tryTerm('=>')) return scanner.missing('=>');
      }
      scanner.trySpaces();
      const body = this.tryExpression();
      return body && { pattern, body };
    });
  }

  /**
   * Items after an opening mark, up to the closing one. A separator may follow the last. If the list does not fit, what
   * was expected is noted and it fails as required.
   */
  #list<Item>(item: () => Item | undefined, separator: () => boolean, close: string): Item[] {
    const items = this.#tryList(item, separator, close);
    if (items === undefined) throw this.#scanner.furthestError();
    return items;
  }

  #tryList<Item>(item: () => Item | undefined, separator: () => boolean, close: string): Item[] | undefined {
    const scanner = this.#scanner;
    const items: Item[] = [];
    scanner.skipWhitespace();
    for (;;) {
      const next = item();
      if (next !== undefined) {
        items.push(next);
        if (this.#attempt(() => (separator() ? true : undefined))) {
          scanner.skipWhitespace();
          continue;
        }
      }
      scanner.skipWhitespace();
      return scanner.tryTerm(close) ? items : scanner.missing(close);
    }
  }

  readonly #comma = (): boolean => {
    this.#scanner.trySpaces();
    return this.#scanner.tryTerm(',');
  };

  #tryLiteral(): Expression | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    if (scanner.tryTerm('true')) return { kind: 'literal', at, value: true };
    if (scanner.tryTerm('false')) return { kind: 'literal', at, value: false };
    const number = this.#tryNumber();
    if (number !== undefined) return number;
    const text = scanner.tryTripleQuoted() ?? scanner.tryQuoted();
    if (text !== undefined) return { kind: 'literal', at, value: text };
    if (scanner.tryTerm('null')) return { kind: 'literal', at, value: null };
    return this.#tryArray() ?? this.#tryObject();
  }

  #tryNumber(): Expression | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      const sign = scanner.tryTerm('-') ? '-' : '';
      const whole = scanner.tryDigits();
      if (whole === undefined) return undefined;
      const fraction = this.#attempt(() => (scanner.tryTerm('.') ? scanner.tryDigits() : undefined));
      if (fraction !== undefined)
        return { kind: 'literal', at, value: Number(`${sign}${whole}.${fraction}`), isFloat: true };
      const integer = BigInt(whole);
      if (integer > int64.max)
        throw scanner.errorAt(
          at,
          `failed to parse '${whole.slice(0, 40)}' as integer: strconv.ParseInt: parsing "${whole.slice(0, 40)}": value out of range`,
        );
      const value = sign === '-' ? -integer : integer;
      return { kind: 'literal', at, value: Number.isSafeInteger(Number(value)) ? Number(value) : value };
    });
  }

  #tryArray(): Expression | undefined {
    return this.#attempt((at) => {
      if (!this.#scanner.tryTerm('[')) return undefined;
      const items = this.#tryList(() => this.tryExpression(), this.#comma, ']');
      return items && { kind: 'array', at, items };
    });
  }

  #tryObject(): Expression | undefined {
    return this.#attempt((at) => {
      if (!this.#scanner.tryTerm('{')) return undefined;
      const fields = this.#tryList(() => this.#tryField(), this.#comma, '}');
      return fields && { kind: 'object', at, fields };
    });
  }

  #tryField(): ObjectField | undefined {
    return this.#attempt(() => {
      const scanner = this.#scanner;
      const key = scanner.tryQuoted() ?? this.tryExpression();
      if (key === undefined) return scanner.missing('object');
      scanner.trySpaces();
      if (!scanner.tryTerm(':')) return scanner.missing(':');
      scanner.skipWhitespace();
      const value = this.tryExpression();
      return value === undefined ? undefined : { key, value };
    });
  }

  #tryCall(): Expression | undefined {
    return this.#attempt((at) => {
      const name = this.#scanner.trySnakeCase();
      if (name === undefined || !this.#scanner.tryTerm('(')) return undefined;
      return { kind: 'call', at, name, args: this.#args() };
    });
  }

  /** Arguments after the opening bracket. */
  #args(): readonly Argument[] {
    return this.#list(() => this.#tryArgument(), this.#comma, ')');
  }

  #tryArgument(): Argument | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    const name = this.#attempt(() => {
      const named = scanner.trySnakeCase();
      return named !== undefined && scanner.tryTerm(':') ? named : undefined;
    });
    if (name !== undefined) return { at, name, value: this.expression('argument value') };
    const value = this.tryExpression();
    return value === undefined ? scanner.missing('function argument') : { at, name: undefined, value };
  }

  #tryReference(): Expression | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    if (scanner.tryTerm('@'))
      return { kind: 'metadata', at, key: scanner.tryIdentifier() ?? scanner.tryQuoted() };
    const variable = this.#attempt(() => (scanner.tryTerm('$') ? scanner.tryIdentifier() : undefined));
    if (variable !== undefined) return { kind: 'variable', at, name: variable };
    const name = scanner.tryIdentifier();
    return name === undefined ? undefined : { kind: 'name', at, name };
  }

  /** What follows a dot: an expression in brackets, a method, or a field. */
  #tail(target: Expression): Expression {
    const scanner = this.#scanner;
    const { at } = scanner;
    if (scanner.tryTerm('(')) {
      scanner.skipWhitespace();
      const body = this.expression();
      scanner.skipWhitespace();
      if (!scanner.tryTerm(')')) throw scanner.required('closing bracket');
      return { kind: 'with', at, target, body };
    }
    const method = this.#attempt(() => {
      const name = scanner.trySnakeCase();
      return name !== undefined && scanner.tryTerm('(') ? name : undefined;
    });
    if (method !== undefined) return { kind: 'method', at, target, name: method, args: this.#args() };
    const plain = scanner.tryIdentifier();
    if (plain !== undefined) return { kind: 'get', at, target, path: plain };
    const quoted = scanner.tryQuoted();
    if (quoted === undefined) throw scanner.required('method or field path');
    return { kind: 'get', at, target, path: quoted.replaceAll('~', '~0').replaceAll('.', '~1') };
  }

  #tryBracket(target: Expression): Expression | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('[')) return undefined;
      scanner.skipWhitespace();
      const bounds: (Expression | undefined)[] = [undefined];
      let isSlice = false;
      for (;;) {
        const bound = this.tryExpression();
        bounds[bounds.length - 1] = bound;
        scanner.skipWhitespace();
        if (bounds.length < 3 && scanner.tryTerm(':')) {
          isSlice = true;
          bounds.push(undefined);
          scanner.skipWhitespace();
          continue;
        }
        if (!scanner.tryTerm(']')) return scanner.missing('closing bracket');
        break;
      }
      const [start, end, step] = bounds;
      if (isSlice) return { kind: 'slice', at, target, start, end, step };
      return start === undefined ? scanner.missing('query') : { kind: 'index', at, target, index: start };
    });
  }
}
