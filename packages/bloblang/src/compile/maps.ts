import { bloblangLimits } from '../limits.ts';
import { Frame } from '../runtime/frame.ts';
import type { MapBody, Run } from '../runtime/run.ts';
import type { ParsedMapping, Statement } from '../syntax/ast.ts';
import { parseText } from '../syntax/parser.ts';
import { BloblangError, lineOf } from '../syntax/syntax-error.ts';
import { MappingError } from '../values/mapping-error.ts';
import type { Value } from '../values/value.ts';
import type { Environment } from './environment.ts';
import { ExpressionCompiler, type Source } from './expressions.ts';
import { Scope } from './scope.ts';
import { type CompiledStatement, compiledStatements } from './statements.ts';

/** Reads files that mappings import. Throws an error whose message says why it cannot. */
export interface Importer {
  /** `from` is the name of the file that imports it; absent for the mapping itself. */
  read(path: string, from: string | undefined): { readonly name: string; readonly text: string };
}

/** A mapping that can run. */
export interface CompiledMapping {
  readonly source: Source;
  readonly statements: readonly CompiledStatement[];
  readonly maps: ReadonlyMap<string, MapBody>;
}

/** Parses, checks and compiles; throws a `BloblangError`. */
export function compiledMapping(
  text: string,
  environment: Environment,
  importer: Importer | undefined,
): CompiledMapping {
  return new Compilation(environment, importer).compile({ text, file: undefined }, []);
}

class Compilation {
  readonly #environment: Environment;
  readonly #importer: Importer | undefined;
  #imports = 0;

  constructor(environment: Environment, importer: Importer | undefined) {
    this.#environment = environment;
    this.#importer = importer;
  }

  /** `importing` has the files that are being read, outermost first. */
  compile(source: Source, importing: readonly string[]): CompiledMapping {
    const parsed: ParsedMapping = parseText(source.text, source.file);
    if (parsed.kind === 'from') {
      const file = this.#read(parsed.path, source, parsed.at, importing);
      return this.compile(file, [...importing, file.file!]);
    }
    return this.#compiled(source, parsed.statements, importing);
  }

  #compiled(source: Source, statements: readonly Statement[], importing: readonly string[]): CompiledMapping {
    const expressions = new ExpressionCompiler(this.#environment, source);
    const maps = new Map<string, MapBody>();
    for (const statement of statements) {
      if (statement.kind === 'import') this.#import(statement, source, maps, importing);
      if (statement.kind !== 'map') continue;
      if (maps.has(statement.name))
        throw expressions.errorAt(statement.at, `map name collision: ${statement.name}`);
      const scope = new Scope();
      const body = compiledStatements(statement.statements, expressions, scope);
      maps.set(statement.name, mapBody(statement.name, source, body));
    }
    return { source, statements: compiledStatements(statements, expressions, new Scope()), maps };
  }

  #import(
    { at, path }: Extract<Statement, { kind: 'import' }>,
    source: Source,
    maps: Map<string, MapBody>,
    importing: readonly string[],
  ): void {
    const file = this.#read(path, source, at, importing);
    const imported = this.compile(file, [...importing, file.file!]).maps;
    const refuse = (why: string): never => {
      throw new BloblangError(source.text, at, why, source.file);
    };
    if (imported.size === 0) refuse(`'${path}' has no maps to import`);
    const collisions = [...imported.keys()].filter((name) => maps.has(name));
    if (collisions.length > 0) refuse(`map name collisions: '${path}' has ${collisions.join(', ')} too`);
    for (const [name, body] of imported) maps.set(name, body);
  }

  #read(path: string, source: Source, at: number, importing: readonly string[]): Source {
    const refuse = (why: string): never => {
      throw new BloblangError(source.text, at, why, source.file);
    };
    if (!this.#environment.allowsImports || this.#importer === undefined)
      return refuse('imports are disabled in this context');
    if (++this.#imports > bloblangLimits.importsMax)
      return refuse(`more than ${bloblangLimits.importsMax} files are imported`);
    let file: ReturnType<Importer['read']>;
    try {
      file = this.#importer.read(path, source.file);
    } catch (error) {
      return refuse(`failed to read import: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (importing.includes(file.name)) return refuse(`'${path}' imports itself`);
    return { text: file.text, file: file.name };
  }
}

function mapBody(name: string, source: Source, statements: readonly CompiledStatement[]): MapBody {
  return (value: Value, run: Run, depth: number, index: number) => {
    const { mapDepthMax } = run.budget.limits;
    if (depth > mapDepthMax)
      throw MappingError.of(
        `entering map ${name} exceeded maximum allowed stacks of ${mapDepthMax}, this could be due to unbounded recursion`,
      );
    const frame = new Frame(run, value, depth, index);
    runStatements(statements, frame, source);
    return frame.root;
  };
}

/** Errors name the line of the innermost statement that failed. */
class FailedAssignment extends MappingError {}

export function runStatements(statements: readonly CompiledStatement[], frame: Frame, source: Source): void {
  let index = 0;
  try {
    for (; index < statements.length; index++) {
      frame.run.budget.step();
      statements[index]!.execute(frame);
    }
  } catch (error) {
    if (!(error instanceof MappingError) || (error instanceof FailedAssignment && frame.depth > 0))
      throw error;
    const line = lineOf(source.text, statements[index]!.at);
    throw new FailedAssignment(`failed assignment (line ${line}): ${error.message}`);
  }
}
