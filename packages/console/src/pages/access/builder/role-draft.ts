import {
  type AclRoleInput,
  type AclRoleName,
  aclRole,
  aclRoleInputs,
  missingRoleInputs,
  readResourcePatterns,
  rulesOfRole,
} from '@weir/core';
import { keyOfRule, principalOf, type Rule } from '../acl-rule.ts';

/** Who gets which role for which resources. */
export interface RoleDraft {
  readonly role: AclRoleName;
  /** Names between commas. */
  readonly principals: string;
  /** An address; empty for all. */
  readonly host: string;
  /** Names between commas, by input of the role. */
  readonly inputs: Partial<Record<AclRoleInput, string>>;
}

/** Rules that are created at once. */
export const draftRulesMax = 500;

/** The rules of a draft, or what it lacks. */
export function rulesOfDraft(
  draft: RoleDraft,
): { readonly rules: readonly Rule[] } | { readonly problem: string } {
  const principals = [...new Set(draft.principals.split(',').map((name) => name.trim()))]
    .filter((name) => name !== '')
    .map(principalOf);
  if (principals.length === 0) return { problem: 'Enter a principal, such as User:shop.' };
  const { inputs } = aclRole(draft.role);
  const given = Object.fromEntries(
    inputs.map((input) => [input, readResourcePatterns(draft.inputs[input] ?? '')]),
  );
  const [missing] = missingRoleInputs(draft.role, given);
  if (missing !== undefined) return { problem: `${aclRoleInputs[missing]}: enter a name, or * for all.` };
  const host = draft.host.trim() === '' ? '*' : draft.host.trim();
  const rules = principals.flatMap((principal) =>
    rulesOfRole(draft.role, given, { principal, host }).map(
      (rule): Rule => ({
        resource_type: rule.resourceType,
        resource_name: rule.resourceName,
        pattern_type: rule.patternType,
        principal: rule.principal,
        host: rule.host,
        operation: rule.operation,
        permission_type: rule.permission,
      }),
    ),
  );
  return rules.length > draftRulesMax
    ? { problem: `These are ${rules.length} rules; create at most ${draftRulesMax} at once.` }
    : { rules };
}

/** Adds rules that the list does not have yet. */
export function withRules(list: readonly Rule[], added: readonly Rule[]): readonly Rule[] {
  const rules = new Map(list.map((rule) => [keyOfRule(rule), rule]));
  for (const rule of added) if (!rules.has(keyOfRule(rule))) rules.set(keyOfRule(rule), rule);
  return [...rules.values()];
}

/** Puts a rule in the place of another; one that is there already is not there twice. */
export function withRuleReplaced(list: readonly Rule[], key: string, rule: Rule): readonly Rule[] {
  return withRules(
    [],
    list.map((one) => (keyOfRule(one) === key ? rule : one)),
  );
}
