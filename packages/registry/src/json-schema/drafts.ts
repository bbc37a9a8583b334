import { isObject, type JsonNode } from '../exact-json.ts';

/** Versions of JSON Schema, oldest first. */
export const drafts = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;
export type Draft = (typeof drafts)[number];

/** What a schema without `$schema` is written in, as in Confluent's registry. */
export const usualDraft: Draft = 'draft-07';

/** The draft that `$schema` names. A meta-schema of its own makes no difference to the usual draft. */
export function draftOf(schema: JsonNode, otherwise: Draft): Draft {
  const name = isObject(schema) ? schema.get('$schema') : undefined;
  if (typeof name !== 'string') return otherwise;
  return drafts.find((draft) => isOfficial(name) && name.includes(draft)) ?? usualDraft;
}

function isOfficial(name: string): boolean {
  return /^https?:\/\/json-schema\.org\/draft[-/]/.test(name);
}

/** Whether `draft` is `since` or newer. */
export function isSince(draft: Draft, since: Draft): boolean {
  return drafts.indexOf(draft) >= drafts.indexOf(since);
}
