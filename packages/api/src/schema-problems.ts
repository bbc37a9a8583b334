import { nearestName } from '@weir/core';
import * as z from 'zod';

/** Fields and indexes from the top of a document to one of its values. */
export type ValuePath = readonly (string | number)[];

/** A problem that a schema found in a value. */
export interface SchemaProblem {
  /** Of the value that is wrong, or of the object with the unknown field. */
  readonly path: ValuePath;
  readonly unknownField?: string;
  /** The rule that is broken, or for an unknown field what to write instead. Values are not repeated. */
  readonly rule: string;
}

/** Describes what a schema found in a document that people write. `valueAt` returns what is there. */
export function schemaProblems(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  valueAt: (path: ValuePath) => unknown,
): SchemaProblem[] {
  return issues.flatMap((issue): SchemaProblem[] => {
    const path = issue.path.filter((segment) => typeof segment !== 'symbol');
    if (issue.code !== 'unrecognized_keys') return [{ path, rule: ruleOf(issue, valueAt(path)) }];
    const known = fieldsAt(schema, path);
    return issue.keys.map((key) => ({ path, unknownField: key, rule: hint(key, known) }));
  });
}

/** `virtual_clusters[0].topics[2].name` */
function pathText(path: ValuePath): string {
  return path
    .map((segment) => {
      if (typeof segment === 'number') return `[${segment}]`;
      // Names of configs contain dots.
      return /^[\w-]+$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment.slice(0, 64))}]`;
    })
    .join('')
    .replace(/^\./, '');
}

export function withSubject(path: ValuePath, rule: string): string {
  return path.length === 0 ? rule : `${pathText(path)}: ${rule}`;
}

/** A suggestion for a field that does not exist. */
function hint(field: string, known: readonly string[]): string {
  const nearest = nearestName(field, known);
  return nearest === undefined ? `the fields are ${known.join(', ')}` : `did you mean ${nearest}?`;
}

function ruleOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return 'is missing';
      if (value === null) return issue.expected === 'array' ? 'is empty; write [] for none' : 'is empty';
      return hasOwnMessage(issue) ? issue.message : `is not ${withArticle(issue.expected)}`;
    case 'invalid_value': {
      if (value === undefined) return 'is missing';
      if (value === null) return 'is empty';
      if (hasOwnMessage(issue)) return issue.message;
      const words = issue.values.map(String);
      return `is none of ${words.join(', ')}${suggestion(value, words)}`;
    }
    case 'too_big':
      return hasOwnMessage(issue) ? issue.message : `is more than ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return hasOwnMessage(issue) ? issue.message : `is less than ${issue.minimum}${unitOf(issue.origin)}`;
    default:
      return issue.message;
  }
}

/** Whether the schema has its own words for the problem. */
function hasOwnMessage({ message }: z.core.$ZodIssue): boolean {
  return !/^(?:Invalid|Too) /.test(message);
}

function suggestion(value: unknown, words: readonly string[]): string {
  const nearest = typeof value === 'string' ? nearestName(value, words) : undefined;
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function unitOf(origin: string): string {
  return units[origin] ?? '';
}

/** User-facing names of the schema's types. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping of fields',
  record: 'a mapping of names to values',
};

function withArticle(type: string): string {
  return typeNames[type] ?? type;
}

/** The names of the fields that an object of the schema may have. */
function fieldsAt(schema: z.ZodType, path: ValuePath): string[] {
  let found: z.core.$ZodType | undefined = unwrapped(schema);
  for (const segment of path) {
    if (found instanceof z.ZodObject) found = unwrapped(found.shape[String(segment)]);
    else if (found instanceof z.ZodArray) found = unwrapped(found.element);
  }
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

/** The schema without its optional and similar wrappers. */
export function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let found = schema;
  while (found instanceof z.ZodOptional || found instanceof z.ZodDefault) found = found.unwrap();
  return found;
}
