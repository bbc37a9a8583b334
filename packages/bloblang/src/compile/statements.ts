import type { Frame } from '../runtime/frame.ts';
import type { Query } from '../runtime/query.ts';
import type { Statement } from '../syntax/ast.ts';
import { fail, MappingError, prefixed } from '../values/mapping-error.ts';
import { deleteAt, Owned, setAt } from '../values/path.ts';
import { deletedValue, isObject, nothingValue, typeOf, type Value } from '../values/value.ts';
import type { ExpressionCompiler } from './expressions.ts';
import type { Scope } from './scope.ts';

type Execute = (frame: Frame) => void;

/** A statement of the outermost level, for messages. */
export interface CompiledStatement {
  readonly at: number;
  readonly execute: Execute;
}

type Runnable = Exclude<Statement, { kind: 'map' | 'import' }>;

export function compiledStatements(
  statements: readonly Statement[],
  expressions: ExpressionCompiler,
  scope: Scope,
): CompiledStatement[] {
  return statements
    .filter((statement): statement is Runnable => statement.kind !== 'map' && statement.kind !== 'import')
    .map((statement) => ({ at: statement.at, execute: compiled(statement, expressions, scope) }));
}

function compiled(statement: Runnable, expressions: ExpressionCompiler, scope: Scope): Execute {
  if (statement.kind === 'if') {
    const branches = statement.branches.map(({ condition, statements }) => ({
      condition: condition && expressions.compile(condition, scope),
      statements: compiledStatements(statements, expressions, scope).map(({ execute }) => execute),
    }));
    return ifStatement(branches);
  }
  const query = expressions.compile(statement.value, scope);
  switch (statement.kind) {
    case 'let':
      return assignment(query, variableSetter(scope.variable(statement.name)));
    case 'meta':
      return assignment(query, statement.key === undefined ? setAllMetadata : metadataSetter(statement.key));
    case 'assign':
      return assignment(query, statement.path.length === 0 ? setRoot : pathSetter(statement.path));
  }
}

type Setter = (frame: Frame, value: Value) => void;

function assignment({ exec }: Query, set: Setter): Execute {
  return (frame) => {
    const value = exec(frame);
    if (value !== nothingValue) set(frame, value);
  };
}

function variableSetter(slot: number): Setter {
  return (frame, value) => {
    frame.variables[slot] = value === deletedValue ? undefined : value;
  };
}

const setRoot: Setter = (frame, value) => {
  frame.root = value;
  frame.owned = undefined;
};

function pathSetter(path: readonly string[]): Setter {
  return (frame, value) => {
    frame.owned ??= new Owned(frame.run.budget);
    let { root } = frame;
    if (root === nothingValue || root === null) {
      root = {};
      frame.owned.add(root);
    }
    frame.root =
      value === deletedValue ? deleteAt(root, path, frame.owned) : setAt(root, path, value, frame.owned);
  };
}

function checkMetadataAllowed(frame: Frame): void {
  if (frame.depth > 0) fail('unable to assign metadata in the current context');
}

function metadataSetter(key: string): Setter {
  return (frame, value) => {
    checkMetadataAllowed(frame);
    if (value === deletedValue) frame.run.changedMetadata().delete(key);
    else frame.run.changedMetadata().set(key, value);
  };
}

const setAllMetadata: Setter = (frame, value) => {
  checkMetadataAllowed(frame);
  if (value === deletedValue) frame.run.metadata = new Map();
  else if (isObject(value)) frame.run.metadata = new Map(Object.entries(value));
  else fail(`setting root meta object requires object value, received: ${typeOf(value)}`);
};

function ifStatement(
  branches: readonly { readonly condition: Query | undefined; readonly statements: readonly Execute[] }[],
): Execute {
  return (frame) => {
    for (let index = 0; index < branches.length; index++) {
      const { condition, statements } = branches[index]!;
      if (condition !== undefined && !isTrue(condition, frame, index)) continue;
      for (const execute of statements) execute(frame);
      return;
    }
  };
}

function isTrue(condition: Query, frame: Frame, index: number): boolean {
  let value: Value;
  try {
    value = condition.exec(frame);
  } catch (error) {
    if (error instanceof MappingError) throw prefixed(error, `failed to check if condition ${index + 1}`);
    throw error;
  }
  if (typeof value === 'boolean') return value;
  return fail(`${condition.annotation} resolved to a non-boolean value (${typeOf(value)})`);
}
