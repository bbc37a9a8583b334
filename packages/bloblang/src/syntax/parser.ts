import { bloblangLimits } from '../limits.ts';
import { splitPath } from '../values/path.ts';
import type { Expression, ParsedMapping, Statement } from './ast.ts';
import { ExpressionParser } from './expressions.ts';
import { Scanner } from './scanner.ts';
import { BloblangError } from './syntax-error.ts';

/** Parses a mapping, or a file that is imported; throws a `BloblangError`. */
export function parseText(text: string, file?: string): ParsedMapping {
  if (text.length > bloblangLimits.mappingCharsMax)
    throw new BloblangError('', 0, `is longer than ${bloblangLimits.mappingCharsMax} characters`, file);
  return new MappingParser(text, file).parse();
}

/** Where statements are: maps and imports are for the outermost level, metadata not for maps. */
interface Block {
  readonly allowsMaps: boolean;
  readonly allowsMeta: boolean;
}

class MappingParser {
  readonly #scanner: Scanner;
  readonly #expressions: ExpressionParser;

  constructor(text: string, file: string | undefined) {
    this.#scanner = new Scanner(text, file);
    this.#expressions = new ExpressionParser(this.#scanner);
  }

  parse(): ParsedMapping {
    const whole = this.#tryFrom();
    if (whole !== undefined) return whole;
    const statements = this.#tryStatements();
    if (statements !== undefined) return { kind: 'statements', statements };
    const single = this.#trySingle();
    if (single === undefined) throw this.#scanner.furthestError();
    return { kind: 'statements', statements: [single] };
  }

  #tryFrom(): ParsedMapping | undefined {
    const scanner = this.#scanner;
    scanner.skipWhitespace();
    const { at } = scanner;
    if (scanner.tryTerm('from') && scanner.trySpaces()) {
      const path = scanner.tryQuoted();
      if (path !== undefined) {
        scanner.skipWhitespace();
        if (!scanner.isAtEnd)
          throw scanner.errorAt(scanner.at, 'unexpected content after single root import');
        return { kind: 'from', at, path };
      }
    }
    scanner.at = 0;
    return undefined;
  }

  /** An expression alone is what the root is set to. */
  #trySingle(): Statement | undefined {
    const scanner = this.#scanner;
    scanner.at = 0;
    scanner.skipWhitespace();
    const { at } = scanner;
    const value = this.#expressions.tryExpression();
    if (value === undefined) return undefined;
    const end = scanner.at;
    scanner.skipWhitespace();
    if (scanner.isAtEnd) return { kind: 'assign', at, path: [], value };
    const start = scanner.text.slice(at, end);
    const shown = start.length > 12 ? `${start.slice(0, 12)}...` : start;
    return scanner.missing(
      `the mapping to end here as the beginning is shorthand for \`root = ${shown}\`, but this shorthand form cannot be followed with more assignments`,
    );
  }

  #tryStatements(): Statement[] | undefined {
    const scanner = this.#scanner;
    const statements: Statement[] = [];
    scanner.skipWhitespace();
    for (;;) {
      const statement = this.#tryStatement({ allowsMaps: true, allowsMeta: true });
      if (statement === undefined) return undefined;
      statements.push(statement);
      scanner.trySpaces();
      if (scanner.isAtEnd) return statements;
      if (!scanner.tryNewline()) return scanner.missing('line break');
      scanner.skipWhitespace();
      if (scanner.isAtEnd) return statements;
    }
  }

  #attempt<Result>(rule: (at: number) => Result | undefined): Result | undefined {
    const { at } = this.#scanner;
    const result = rule(at);
    if (result === undefined) this.#scanner.at = at;
    return result;
  }

  #tryStatement(block: Block): Statement | undefined {
    return this.#scanner.nested(
      () =>
        (block.allowsMaps ? (this.#tryImport() ?? this.#tryMap()) : undefined) ??
        this.#tryLet() ??
        this.#tryMeta(block) ??
        this.#tryAssignment() ??
        this.#tryIf(block),
    );
  }

  #tryImport(): Statement | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('import') || !scanner.trySpaces()) return undefined;
      const path = scanner.tryQuoted();
      if (path === undefined) throw scanner.required('filepath');
      return { kind: 'import', at, path };
    });
  }

  #tryMap(): Statement | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('map') || !scanner.trySpaces()) return undefined;
      const name = scanner.tryQuoted() ?? scanner.tryIdentifier();
      if (name === undefined) throw scanner.required('map name');
      if (!scanner.trySpaces()) return scanner.missing('whitespace');
      const statements = this.#tryBlock({ allowsMaps: false, allowsMeta: false });
      return statements && { kind: 'map', at, name, statements };
    });
  }

  #tryBlock(block: Block): Statement[] | undefined {
    const scanner = this.#scanner;
    if (!scanner.tryTerm('{')) return scanner.missing('{');
    scanner.skipWhitespace();
    const statements: Statement[] = [];
    for (;;) {
      const statement = this.#tryStatement(block);
      if (statement !== undefined) {
        statements.push(statement);
        const hasLineBreak = this.#attempt(() => {
          scanner.trySpaces();
          return scanner.tryNewline() ? true : undefined;
        });
        if (hasLineBreak) {
          scanner.skipWhitespace();
          continue;
        }
      }
      scanner.skipWhitespace();
      return scanner.tryTerm('}') ? statements : scanner.missing('}');
    }
  }

  /** The sign and the value of an assignment; both sides of the sign have spaces. */
  #tryValue(isSpaceOptional = false): Expression | undefined {
    const scanner = this.#scanner;
    if (!scanner.trySpaces() && !isSpaceOptional) return scanner.missing('whitespace');
    if (!scanner.tryTerm('=')) return scanner.missing('=');
    if (!scanner.trySpaces()) return scanner.missing('whitespace');
    return this.#expressions.tryExpression();
  }

  #tryLet(): Statement | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('let') || !scanner.trySpaces()) return undefined;
      const name = scanner.tryQuoted() ?? scanner.tryIdentifier();
      if (name === undefined) throw scanner.required('variable name');
      const value = this.#tryValue();
      return value && { kind: 'let', at, name, value };
    });
  }

  #tryMeta({ allowsMeta }: Block): Statement | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('meta') || !scanner.trySpaces()) return undefined;
      const key = scanner.tryQuoted() ?? scanner.tryIdentifier();
      const value = this.#tryValue(true);
      if (value === undefined) return undefined;
      if (!allowsMeta) throw scanner.errorAt(at, 'setting meta fields is not allowed within this block');
      return { kind: 'meta', at, key, value };
    });
  }

  #tryAssignment(): Statement | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      const first = scanner.tryIdentifier();
      if (first === undefined) return scanner.missing('assignment');
      const path = [first];
      while (scanner.tryTerm('.')) {
        const quoted = scanner.tryQuoted();
        const plain = quoted === undefined ? scanner.tryIdentifier() : undefined;
        if (quoted !== undefined) path.push(quoted);
        else if (plain !== undefined) path.push(...splitPath(plain));
        else return scanner.missing('target path');
      }
      const value = this.#tryValue();
      return value && { kind: 'assign', at, path: first === 'root' ? path.slice(1) : path, value };
    });
  }

  #tryIf(block: Block): Statement | undefined {
    return this.#attempt((at) => {
      const scanner = this.#scanner;
      if (!scanner.tryTerm('if') || !scanner.trySpaces()) return undefined;
      const inner = { ...block, allowsMaps: false };
      const branches: { condition: Expression | undefined; statements: Statement[] }[] = [];
      let condition: Expression | undefined = this.#expressions.expression();
      for (;;) {
        scanner.skipWhitespace();
        const statements = this.#tryBlock({ ...inner, allowsMeta: true });
        if (statements === undefined) return undefined;
        branches.push({ condition, statements });
        if (condition === undefined) break;
        const next = this.#tryElse();
        if (next === undefined) break;
        condition = next === 'else' ? undefined : this.#expressions.expression();
      }
      return { kind: 'if', at, branches };
    });
  }

  #tryElse(): 'else' | 'else if' | undefined {
    return this.#attempt(() => {
      const scanner = this.#scanner;
      scanner.skipWhitespace();
      const isElseIf = this.#attempt(() =>
        scanner.tryTerm('else if') && scanner.trySpaces() ? true : undefined,
      );
      if (isElseIf) return 'else if';
      return scanner.tryTerm('else') ? 'else' : undefined;
    });
  }
}
