import { mergeRuleSets, withConfluentVersion, withoutRules } from '../state/metadata.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { namedVersion } from './read-versions.ts';
import type { GuardedQuery } from './registry-queries.ts';
import type { SchemaBody, TagsBody } from './schema-bodies.ts';
import { changedSubject } from './subject-queries.ts';

/** What a request registers that changes tags, metadata or rules of a version. */
export function retaggedSchema(
  state: RegistryState,
  subject: string,
  version: string,
  tags: TagsBody,
  query: GuardedQuery,
): SchemaBody {
  // Before anything is said about its versions.
  changedSubject(state, subject, query);
  const found = namedVersion(state, subject, version, false, query);
  const { text, type, references, metadata, ruleSet } = state.schema(state.rowOfVersion(found));
  const named = found.subject;
  const latest = state.latest(named)!;
  const base = tags.newVersion === undefined ? latest : (state.version(named, tags.newVersion - 1) ?? latest);
  const merged = mergeRuleSets(state.schema(state.rowOfVersion(base)).ruleSet, tags.rulesToMerge);
  const areRulesChanged = tags.rulesToMerge !== undefined || tags.rulesToRemove !== undefined;
  return {
    text,
    type,
    references: references ?? [],
    metadata: withConfluentVersion(tags.metadata ?? metadata, tags.newVersion ?? 0),
    ruleSet: areRulesChanged
      ? merged && withoutRules(merged, tags.rulesToRemove ?? [])
      : (tags.ruleSet ?? ruleSet),
    id: undefined,
    version: tags.newVersion ?? 0,
    tagsToAdd: tags.tagsToAdd,
    tagsToRemove: tags.tagsToRemove,
    propagateTags: false,
  };
}
