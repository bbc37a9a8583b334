import type { FunctionSpec, MethodSpec } from '../runtime/spec.ts';

/** The names that a mapping may use. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionSpec>;
  readonly methods: ReadonlyMap<string, MethodSpec>;
  /** Whether `import` and `from` may be used. */
  readonly allowsImports: boolean;
}
