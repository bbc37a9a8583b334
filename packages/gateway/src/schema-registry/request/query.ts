import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../../limits.ts';

/** Types of query parameters. A list is a parameter that may be repeated. */
type QueryType = 'flag' | 'integer' | 'text' | 'list';

export interface QueryParameter {
  readonly type: QueryType;
  readonly help: string;
}

export type QueryShape = Readonly<Record<string, QueryParameter>>;

interface ValueOf {
  readonly flag: boolean;
  readonly integer: number | undefined;
  readonly text: string | undefined;
  readonly list: readonly string[];
}

export type QueryOf<Shape extends QueryShape> = {
  readonly [Name in keyof Shape]: ValueOf[Shape[Name]['type']];
};

const integerText = /^-?\d{1,10}$/;
const integerMax = 2 ** 31 - 1;

/** Reads the parameters that a route knows; others are ignored, as in Confluent's registry. */
export function readQuery(shape: QueryShape, given: URLSearchParams): QueryOf<QueryShape> {
  const values: Record<string, boolean | number | string | readonly string[] | undefined> = {};
  for (const [name, { type }] of Object.entries(shape)) {
    values[name] = type === 'list' ? listOf(name, given) : parsed(type, name, given.get(name) ?? undefined);
  }
  return values as QueryOf<QueryShape>;
}

/** Every value may be looked for in every schema or key. */
function listOf(name: string, given: URLSearchParams): readonly string[] {
  const values = given.getAll(name);
  const { registryListedParametersMax } = gatewayLimits;
  if (values.length > registryListedParametersMax)
    throw new HttpProblem(
      400,
      `The parameter ${name} may be repeated ${registryListedParametersMax} times at most.`,
    );
  return values;
}

function parsed(type: Exclude<QueryType, 'list'>, name: string, text: string | undefined) {
  switch (type) {
    case 'flag':
      return text?.toLowerCase() === 'true';
    case 'text':
      return text;
    case 'integer': {
      if (text === undefined) return undefined;
      const value = integerText.test(text) ? Number(text) : Number.NaN;
      if (!(Math.abs(value) <= integerMax))
        throw new HttpProblem(400, `The parameter ${name} must be an integer.`);
      return value;
    }
  }
}
