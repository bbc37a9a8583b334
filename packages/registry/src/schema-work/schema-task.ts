import { schemaDiff } from '../readable/schema-diff.ts';
import {
  type CompatibilityOptions,
  type Incompatibility,
  InvalidSchema,
  type ParsedSchema,
  type SchemaFormat,
  type SchemaSource,
  type SchemaTags,
  type SchemaType,
  type TagChanges,
} from '../schema-format.ts';
import { changeTags, tagsAt } from '../tag-places.ts';
import type { PayloadResult } from './payload-task.ts';

/** Work on texts of schemas. Its result depends on nothing else. */
export type SchemaTask =
  | {
      readonly kind: 'canonical';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      readonly normalize: boolean;
      /** Whether what is refused in new schemas only is refused. */
      readonly isNew: boolean;
      readonly validatesFields: boolean;
    }
  | {
      readonly kind: 'format';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      readonly format: string;
    }
  | {
      readonly kind: 'names';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      readonly names: readonly string[];
    }
  | { readonly kind: 'tags'; readonly type: SchemaType; readonly source: SchemaSource }
  | {
      readonly kind: 'retag';
      readonly type: SchemaType;
      readonly source: SchemaSource;
      readonly changes: TagChanges;
    }
  | {
      readonly kind: 'compare';
      readonly type: SchemaType;
      readonly reader: SchemaSource;
      readonly writer: SchemaSource;
      readonly options: CompatibilityOptions;
    }
  /** A diff for people. The texts need not be schemas. */
  | {
      readonly kind: 'diff';
      readonly before: DiffedSchema;
      readonly after: DiffedSchema;
      readonly linesMax: number;
    };

export interface DiffedSchema {
  /** What the diff calls it. */
  readonly name: string;
  readonly type: SchemaType;
  readonly source: SchemaSource;
}

/** What a task found, in a form that passes between threads. */
export type SchemaResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tags'; readonly tags: readonly SchemaTags[] }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'incompatibilities'; readonly incompatibilities: readonly Incompatibility[] }
  /** The text is not a schema. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** The work was given up: the message is for users. */
  | { readonly kind: 'tooLarge'; readonly problem: string };

/** What a thread answers: a result, or a failure of the program. */
export type ThreadAnswer = { readonly result: SchemaResult | PayloadResult } | { readonly failure: string };

export type SchemaFormats = Readonly<Record<SchemaType, SchemaFormat>>;

function named({ name, type, source: { text } }: DiffedSchema) {
  return { name, type, text };
}

/** Does a task at once. `parse` may know a schema already. */
export function runTask(
  formats: SchemaFormats,
  task: SchemaTask,
  parse: (type: SchemaType, source: SchemaSource) => ParsedSchema = (type, source) =>
    formats[type].parse(source, { isStored: true }),
): SchemaResult {
  if (task.kind === 'diff') {
    const { linesMax } = task;
    return { kind: 'text', text: schemaDiff(named(task.before), named(task.after), { linesMax }) };
  }
  const format = formats[task.type];
  try {
    switch (task.kind) {
      case 'canonical': {
        const schema = parse(task.type, task.source);
        const problem =
          (task.isNew ? schema.problemIfNew : undefined) ??
          (task.validatesFields ? schema.problemOfFields : undefined);
        if (problem !== undefined) return { kind: 'invalid', problem };
        return { kind: 'text', text: task.normalize ? format.normalizedText(schema) : schema.canonicalText };
      }
      case 'format':
        return { kind: 'text', text: format.formattedText(parse(task.type, task.source), task.format) };
      case 'tags':
        return { kind: 'tags', tags: tagsAt(format.readTags(task.source).places) };
      case 'retag': {
        const tagged = format.readTags(task.source);
        changeTags(tagged.places, task.changes);
        return { kind: 'text', text: tagged.text() };
      }
      case 'names':
        return { kind: 'names', names: format.usedNames(parse(task.type, task.source), task.names) };
      case 'compare': {
        const reader = parse(task.type, task.reader);
        const writer = parse(task.type, task.writer);
        return {
          kind: 'incompatibilities',
          incompatibilities: format.incompatibilities(reader, writer, task.options),
        };
      }
    }
  } catch (error) {
    if (error instanceof InvalidSchema) return { kind: 'invalid', problem: error.message };
    throw error;
  }
}
