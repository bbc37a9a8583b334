import type { Argument, Expression, Statement } from '../syntax/ast.ts';
import { parseText } from '../syntax/parser.ts';
import { splitPath } from '../values/path.ts';

/** A part of a message that a mapping reads or assigns; an empty path is all of it. */
export interface Reference {
  readonly of: 'value' | 'metadata';
  readonly path: readonly string[];
}

export interface References {
  readonly reads: readonly Reference[];
  readonly writes: readonly Reference[];
}

type Path = readonly string[];

/** What `this` and the parameters of lambdas may be at a place: parts of the message. */
interface Context {
  readonly current: readonly Path[];
  readonly parameters: ReadonlyMap<string, readonly Path[]>;
}

/** What `this` may be within methods within methods is followed up to this many parts. */
const alternativesMax = 8;
const mapsFollowedMax = 100;

/** What a mapping reads of its message and what it assigns, as far as its text says so. */
export function referencesOf(text: string): References {
  const parsed = parseText(text, undefined);
  if (parsed.kind === 'from') return { reads: [], writes: [] };
  const search = new Search(parsed.statements);
  search.statements(parsed.statements, { current: [[]], parameters: new Map() });
  return { reads: [...search.reads.values()], writes: writesOf(parsed.statements) };
}

function writesOf(statements: readonly Statement[]): Reference[] {
  return statements.flatMap((statement): Reference[] => {
    switch (statement.kind) {
      case 'assign':
        return [{ of: 'value', path: statement.path }];
      case 'meta':
        return [{ of: 'metadata', path: statement.key === undefined ? [] : [statement.key] }];
      case 'if':
        return statement.branches.flatMap((branch) => writesOf(branch.statements));
      default:
        return [];
    }
  });
}

class Search {
  readonly reads = new Map<string, Reference>();
  readonly #maps = new Map<string, readonly Statement[]>();
  readonly #followed = new Set<string>();

  constructor(statements: readonly Statement[]) {
    for (const statement of statements)
      if (statement.kind === 'map') this.#maps.set(statement.name, statement.statements);
  }

  statements(statements: readonly Statement[], context: Context): void {
    for (const statement of statements) {
      if (statement.kind === 'if') {
        for (const { condition, statements: inner } of statement.branches) {
          if (condition !== undefined) this.#pathsOf(condition, context);
          this.statements(inner, context);
        }
      } else if (statement.kind !== 'map' && statement.kind !== 'import')
        this.#pathsOf(statement.value, context);
    }
  }

  /** Notes what an expression reads; returns the parts of the message that its value may be. */
  #pathsOf(expression: Expression, context: Context): readonly Path[] {
    switch (expression.kind) {
      case 'literal':
      case 'variable':
        return [];
      case 'metadata':
        this.#note('metadata', expression.key === undefined ? [] : [expression.key]);
        return [];
      case 'name':
        return this.#noted(namedPaths(expression.name, context));
      case 'get':
        return this.#noted(under(this.#pathsOf(expression.target, context), splitPath(expression.path)));
      case 'call':
        return this.#call(expression.name, expression.args, context);
      case 'method':
        return this.#method(expression, context);
      case 'with':
        return this.#pathsOf(expression.body, {
          ...context,
          current: this.#pathsOf(expression.target, context),
        });
      case 'match': {
        const subject = expression.subject ? this.#pathsOf(expression.subject, context) : context.current;
        const inner = { ...context, current: subject };
        const paths = expression.cases.map(({ pattern, body }) => {
          if (pattern !== undefined) this.#pathsOf(pattern, inner);
          return this.#pathsOf(body, inner);
        });
        return few(paths.flat());
      }
      case 'lambda':
        return this.#pathsOf(expression.body, {
          ...context,
          parameters: new Map(context.parameters).set(expression.name, context.current),
        });
      default:
        return few(partsOf(expression).flatMap((part) => this.#pathsOf(part, context)));
    }
  }

  #call(name: string, args: readonly Argument[], context: Context): readonly Path[] {
    const [first] = args;
    const text = first?.value.kind === 'literal' ? first.value.value : '';
    if (typeof text === 'string') {
      const path = text === '' ? [] : splitPath(text);
      if (name === 'json') return this.#noted([path]);
      if (name === 'metadata' || name === 'meta') this.#note('metadata', text === '' ? [] : [text]);
    }
    for (const { value } of args) this.#pathsOf(value, context);
    return [];
  }

  /** Arguments of some methods are evaluated for the value of the method, or for elements of it. */
  #method(expression: Extract<Expression, { kind: 'method' }>, context: Context): readonly Path[] {
    const target = this.#pathsOf(expression.target, context);
    for (const { value } of expression.args) {
      if (value.kind === 'lambda')
        this.#pathsOf(value.body, {
          ...context,
          parameters: new Map(context.parameters).set(value.name, target),
        });
      else this.#pathsOf(value, { ...context, current: few([...target, ...context.current]) });
    }
    const [first] = expression.args;
    if (expression.name === 'apply' && first?.value.kind === 'literal')
      this.#follow(String(first.value.value), target);
    return target;
  }

  #follow(name: string, current: readonly Path[]): void {
    const key = JSON.stringify([name, current]);
    if (this.#followed.has(key) || this.#followed.size >= mapsFollowedMax) return;
    this.#followed.add(key);
    this.statements(this.#maps.get(name) ?? [], { current, parameters: new Map() });
  }

  #noted(paths: readonly Path[]): readonly Path[] {
    for (const path of paths) this.#note('value', path);
    return paths;
  }

  #note(of: Reference['of'], path: Path): void {
    this.reads.set(JSON.stringify([of, path]), { of, path });
  }
}

function namedPaths(name: string, { current, parameters }: Context): readonly Path[] {
  if (name === 'this') return current;
  if (name === 'root') return [];
  return parameters.get(name) ?? under(current, [name]);
}

function under(paths: readonly Path[], rest: Path): readonly Path[] {
  return paths.map((path) => [...path, ...rest]);
}

function few(paths: readonly Path[]): readonly Path[] {
  const distinct = new Map(paths.map((path) => [JSON.stringify(path), path]));
  return [...distinct.values()].slice(0, alternativesMax);
}

/** The expressions of which one consists that means no part of a message itself. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'array':
      return expression.items;
    case 'object':
      return expression.fields.flatMap(({ key, value }) =>
        typeof key === 'string' ? [value] : [key, value],
      );
    case 'index':
      return [expression.target, expression.index];
    case 'slice':
      return [expression.target, expression.start, expression.end, expression.step].filter(
        (part) => part !== undefined,
      );
    case 'not':
    case 'negate':
      return [expression.operand];
    case 'arithmetic':
      return expression.operands;
    case 'if':
      return [
        ...expression.branches.flatMap(({ condition, body }) => [condition, body]),
        ...(expression.otherwise === undefined ? [] : [expression.otherwise]),
      ];
    default:
      return [];
  }
}
