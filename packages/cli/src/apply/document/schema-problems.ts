import { nearestName } from '@weir/core';
import * as z from 'zod';
import type { DocumentProblem } from './problem.ts';
import type { ValuePath, YamlDocument } from './yaml-documents.ts';

/**
 * The problems that a schema finds in a document, each with its position, its field and the name that was probably
 * meant.
 */
export function schemaProblems(
  schema: z.ZodType,
  document: YamlDocument,
  issues: readonly z.core.$ZodIssue[],
): DocumentProblem[] {
  return issues.flatMap((issue): DocumentProblem[] => {
    const path = issue.path.filter((segment) => typeof segment !== 'symbol');
    if (issue.code !== 'unrecognized_keys') {
      const value = document.valueAt(path);
      // An empty value has no position of its own.
      const place = value === null ? document.placeOfKey(path) : document.placeOf(path);
      return [{ place, message: withSubject(path, wordsOf(issue, value)) }];
    }
    const known = fieldsAt(schema, path);
    return issue.keys.map((key) => ({
      place: document.placeOfKey([...path, key]),
      message: withSubject([...path, key], `unknown field; ${hint(key, known)}`),
    }));
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

function wordsOf(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return 'is missing';
      if (value === null) return issue.expected === 'array' ? 'is empty; write [] for none' : 'is empty';
      return issue.message.startsWith('Invalid input')
        ? `is not ${withArticle(issue.expected)}`
        : issue.message;
    case 'invalid_value': {
      if (value === undefined) return 'is missing';
      if (!issue.message.startsWith('Invalid ')) return issue.message;
      const words = issue.values.map(String);
      return `is none of ${words.join(', ')}${suggestion(value, words)}`;
    }
    case 'too_big':
      return `is more than ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      return `is less than ${issue.minimum}${unitOf(issue.origin)}`;
    default:
      return issue.message;
  }
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
