import {
  type ConfigurationProblem,
  isEmpty,
  readYaml,
  type YamlEntry,
  type YamlMapping,
  type YamlValue,
} from '@weir/pipelines/yaml';
import { problemsOf } from '@weir/pipelines/yaml-schema';
import type * as z from 'zod';
import type { ConfigurationPart } from '../accounts/workspaces/pipelines.ts';
import { refusalOf } from './refusal.ts';

/**
 * Merges all parts: lists of the same field are concatenated in the order of the parts, and any other field may be in
 * one part only. Each part is checked by itself, so that problems refer to its own lines.
 */
export function mergeParts(parts: readonly ConfigurationPart[], schema: z.ZodObject): MergedParts {
  const merged = new Map<string, { readonly part: string; readonly entry: YamlEntry }>();
  /** By the list: the parts of its items. */
  const origins = new Map<string, ItemOrigin[]>();
  // A part need not have the required fields of the whole.
  const partSchema = schema.partial();
  for (const { name: part, yaml } of parts) {
    for (const entry of entriesOf(yaml, part, partSchema)) {
      const known = merged.get(entry.key);
      if (entry.value.kind === 'list') {
        const items = entry.value.items.map((_, index) => ({ part, index }));
        origins.set(entry.key, [...(origins.get(entry.key) ?? []), ...items]);
      }
      if (known === undefined) {
        merged.set(entry.key, { part, entry });
      } else if (known.entry.value.kind === 'list' && entry.value.kind === 'list') {
        const value = joined(known.entry.value, entry.value);
        merged.set(entry.key, { ...known, entry: { ...known.entry, value } });
      } else {
        const message = `${entry.key}: is already in the part ${known.part}`;
        throw refusalOf([{ place: entry.place, message }], part);
      }
    }
  }
  const entries = [...merged.values()].map(({ entry }) => entry);
  const place = { line: 1, column: 1 };
  const size = 1 + entries.reduce((sum, { value }) => sum + value.size, 0);
  const height = 1 + Math.max(0, ...entries.map(({ value }) => value.height));
  return {
    merged: { kind: 'mapping', entries, place, size, height },
    withinPart: ({ place: itemPlace, message }) => {
      const [, list, index, rest] = /^(\w+)\[(\d+)\](.*)$/s.exec(message) ?? [];
      const origin = list === undefined ? undefined : origins.get(list)?.[Number(index)];
      return (
        origin && {
          part: origin.part,
          problem: { place: itemPlace, message: `${list}[${origin.index}]${rest}` },
        }
      );
    },
  };
}

interface ItemOrigin {
  readonly part: string;
  /** In the list of the part. */
  readonly index: number;
}

export interface MergedParts {
  readonly merged: YamlMapping;
  /** A problem about an item of a list, as the part that has the item would have it. */
  withinPart(
    problem: ConfigurationProblem,
  ): { readonly part: string; readonly problem: ConfigurationProblem } | undefined;
}

function entriesOf(yaml: string, part: string, schema: z.ZodObject): readonly YamlEntry[] {
  const reading = readYaml(yaml);
  if ('problems' in reading) throw refusalOf(reading.problems, part);
  const problems = problemsOf(reading.value, schema);
  if (problems.length > 0) throw refusalOf(problems, part);
  // An empty field counts as absent, and does not conflict with another part.
  return (reading.value as YamlMapping).entries.filter(({ value }) => !isEmpty(value));
}

type ListValue = Extract<YamlValue, { kind: 'list' }>;

function joined(one: ListValue, other: ListValue): ListValue {
  return {
    ...one,
    items: [...one.items, ...other.items],
    size: one.size + other.size - 1,
    height: Math.max(one.height, other.height),
  };
}
