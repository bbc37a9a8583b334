/** The syntax tree of a mapping. `at` is where a node begins in the text. */
export type Expression =
  | {
      readonly kind: 'literal';
      readonly at: number;
      readonly value: null | boolean | string | number | bigint;
      readonly isFloat?: true;
    }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | { readonly kind: 'variable'; readonly at: number; readonly name: string }
  | { readonly kind: 'metadata'; readonly at: number; readonly key: string | undefined }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly at: number; readonly fields: readonly ObjectField[] }
  | { readonly kind: 'call'; readonly at: number; readonly name: string; readonly args: readonly Argument[] }
  | {
      readonly kind: 'method';
      readonly at: number;
      readonly target: Expression;
      readonly name: string;
      readonly args: readonly Argument[];
    }
  | { readonly kind: 'get'; readonly at: number; readonly target: Expression; readonly path: string }
  | { readonly kind: 'with'; readonly at: number; readonly target: Expression; readonly body: Expression }
  | { readonly kind: 'index'; readonly at: number; readonly target: Expression; readonly index: Expression }
  | {
      readonly kind: 'slice';
      readonly at: number;
      readonly target: Expression;
      readonly start: Expression | undefined;
      readonly end: Expression | undefined;
      readonly step: Expression | undefined;
    }
  | { readonly kind: 'not'; readonly at: number; readonly operand: Expression }
  | { readonly kind: 'negate'; readonly at: number; readonly operand: Expression }
  | {
      readonly kind: 'arithmetic';
      readonly at: number;
      readonly operands: readonly Expression[];
      readonly operators: readonly Operator[];
    }
  | {
      readonly kind: 'if';
      readonly at: number;
      readonly branches: readonly { readonly condition: Expression; readonly body: Expression }[];
      readonly otherwise: Expression | undefined;
    }
  | {
      readonly kind: 'match';
      readonly at: number;
      readonly subject: Expression | undefined;
      /** Without a pattern, the case matches everything. */
      readonly cases: readonly { readonly pattern: Expression | undefined; readonly body: Expression }[];
    }
  | { readonly kind: 'lambda'; readonly at: number; readonly name: string; readonly body: Expression };

export interface ObjectField {
  readonly key: string | Expression;
  readonly value: Expression;
}

export interface Argument {
  readonly at: number;
  readonly name: string | undefined;
  readonly value: Expression;
}

/** Longer ones before those that they begin with. */
export const operators = [
  '+',
  '-',
  '/',
  '*',
  '%',
  '&&',
  '||',
  '==',
  '!=',
  '>=',
  '<=',
  '>',
  '<',
  '|',
] as const;
export type Operator = (typeof operators)[number];

export type Statement =
  | { readonly kind: 'let'; readonly at: number; readonly name: string; readonly value: Expression }
  | {
      readonly kind: 'meta';
      readonly at: number;
      readonly key: string | undefined;
      readonly value: Expression;
    }
  | {
      readonly kind: 'assign';
      readonly at: number;
      readonly path: readonly string[];
      readonly value: Expression;
    }
  | {
      readonly kind: 'if';
      readonly at: number;
      /** The last one may have no condition. */
      readonly branches: readonly {
        readonly condition: Expression | undefined;
        readonly statements: readonly Statement[];
      }[];
    }
  | {
      readonly kind: 'map';
      readonly at: number;
      readonly name: string;
      readonly statements: readonly Statement[];
    }
  | { readonly kind: 'import'; readonly at: number; readonly path: string };

/** A parsed mapping, or another file that is the mapping. */
export type ParsedMapping =
  | { readonly kind: 'statements'; readonly statements: readonly Statement[] }
  | { readonly kind: 'from'; readonly at: number; readonly path: string };
