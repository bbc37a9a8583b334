import type * as z from 'zod';
import type { InputOf, OperationName } from './catalogue.ts';
import { catalogue } from './catalogue.ts';
import { ApiError } from './errors.ts';
import { parseJson, printJson } from './json.ts';
import { inputSchemaOf, type JsonSchema } from './json-schema.ts';

/** Problems listed in one answer. */
const shownMax = 5;

/** Validates input; throws an `invalid_request` that says which fields are wrong and why. */
export function readInput<Name extends OperationName>(name: Name, body: unknown): InputOf<Name> {
  const { input } = catalogue[name];
  // Many clients send no body to operations without input.
  const found = input.safeParse(body ?? {});
  if (found.success) return found.data as InputOf<Name>;
  throw new ApiError('invalid_request', problemsInWords(found.error.issues, input));
}

/** Describes the problems of an input in one line. */
export function problemsInWords(issues: readonly z.core.$ZodIssue[], input: z.ZodObject): string {
  const shown = issues.slice(0, shownMax).map((issue) => problemInWords(issue, input));
  if (issues.length > shownMax) shown.push(`and ${issues.length - shownMax} more`);
  return shown.join('; ');
}

function problemInWords(issue: z.core.$ZodIssue, input: z.ZodObject): string {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const shown = issue.keys.slice(0, shownMax).map((key) => JSON.stringify(key.slice(0, 64)));
    if (issue.keys.length > shownMax) shown.push(`${issue.keys.length - shownMax} more`);
    const unknown = shown.join(', ');
    const where =
      path === '' ? `; the fields are ${Object.keys(input.shape).join(', ') || 'none'}` : ` in ${path}`;
    return `unknown field ${unknown}${where}`;
  }
  // The input is not repeated: it may be a secret.
  const problem = issue.message.replace(/^Invalid input: /, '').replace(/^Too (?:big|small): /, '');
  return path === '' ? problem : `${path}: ${problem}`;
}

/**
 * Reads the query of a GET by the types of the fields: `?limit=10&include_recently_deleted=true`; a list repeats the
 * name, and an object is JSON. A value that does not fit its type stays text, for `readInput` to refuse.
 */
export function readQuery(name: OperationName, query: Iterable<readonly [string, string]>): unknown {
  const properties = fieldsOf(name);
  const found: Record<string, unknown> = Object.create(null);
  for (const [field, value] of query) {
    const schema = Object.hasOwn(properties, field) ? properties[field]! : {};
    if (schema.type === 'array') {
      const list = (found[field] ?? []) as unknown[];
      list.push(valueFrom(schema.items ?? {}, value));
      found[field] = list;
    } else if (field in found) {
      throw new ApiError('invalid_request', `${JSON.stringify(field.slice(0, 64))} is given twice`);
    } else {
      found[field] = valueFrom(schema, value);
    }
  }
  return { ...found };
}

type Fields = Readonly<Record<string, JsonSchema>>;

/** Building a schema takes longer than answering a request. */
const fieldsByOperation = new Map<OperationName, Fields>();

function fieldsOf(name: OperationName): Fields {
  const known = fieldsByOperation.get(name);
  if (known !== undefined) return known;
  const { properties = {} } = inputSchemaOf(catalogue[name]);
  fieldsByOperation.set(name, properties);
  return properties;
}

function valueFrom({ type }: JsonSchema, text: string): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if ((type === 'integer' || type === 'number') && /^-?\d{1,16}(?:\.\d{1,16})?$/.test(text))
    return Number(text);
  if (type === 'object') return objectFrom(text);
  return text;
}

function objectFrom(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The inverse of `readQuery`. */
export function printQuery(input: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(input).flatMap(([field, value]): [string, string][] => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value.map((item) => [field, printValue(item)]);
    return [[field, printValue(value)]];
  });
}

function printValue(value: unknown): string {
  return typeof value === 'object' ? printJson(value) : String(value);
}
