import type { CallOf, OutputOf } from '@weir/api/client';
import { aclOperations, aclPatternTypes, aclPermissions, aclResourceTypes } from '@weir/core';
import { visibleText } from '../../format/visible-text.ts';

export type Rule = OutputOf<'virtual_clusters/acls/list'>['acls'][number];
export type AccessQuestion = Omit<CallOf<'explain_access'>, 'virtual_cluster_id'>;
type Explanation = OutputOf<'explain_access'>;

const fields = [
  'resource_type',
  'resource_name',
  'pattern_type',
  'principal',
  'host',
  'operation',
  'permission_type',
] as const satisfies readonly (keyof Rule)[];

/** A rule has no id: it is what its fields say. */
export function keyOfRule(rule: Rule): string {
  return JSON.stringify(fields.map((field) => rule[field]));
}

/** `User:shop may READ topic orders*`. */
export function ruleInWords(rule: Rule): string {
  const verb = rule.permission_type === 'ALLOW' ? 'may' : 'may not';
  const name = rule.pattern_type === 'PREFIXED' ? `${rule.resource_name}…` : rule.resource_name;
  const from = rule.host === '*' ? '' : ` from ${rule.host}`;
  return visibleText(
    `${rule.principal} ${verb} ${rule.operation} ${resourceWord(rule.resource_type)} ${name}${from}`,
  );
}

export function resourceWord(type: Rule['resource_type']): string {
  return type.toLowerCase().replaceAll('_', ' ');
}

type Change =
  | { readonly kind: 'create'; readonly rule: Rule }
  | { readonly kind: 'delete'; readonly rule: Rule };

/** The one change of rules that turns the answer round, if there is one. */
export function changeOf(question: AccessQuestion, answer: Explanation): Change | undefined {
  if (question.principal === undefined || answer.is_superuser || answer.mode === 'off') return undefined;
  const rule = answer.deciding_rule;
  if (answer.do_rules_allow || rule !== null) return rule === null ? undefined : { kind: 'delete', rule };
  return {
    kind: 'create',
    rule: {
      resource_type: question.resource_type,
      resource_name: question.resource_name,
      pattern_type: 'LITERAL',
      // The server puts the name to show first, whichever was asked for.
      principal: answer.principals[0] ?? principalOf(question.principal),
      host: question.host ?? '*',
      operation: question.operation,
      permission_type: 'ALLOW',
    },
  };
}

export function principalOf(name: string): string {
  return name.startsWith('User:') ? name : `User:${name}`;
}

const rulesMax = 5_000;

const words: Partial<Record<keyof Rule, readonly string[]>> = {
  resource_type: aclResourceTypes,
  pattern_type: Object.keys(aclPatternTypes),
  operation: Object.keys(aclOperations),
  permission_type: Object.keys(aclPermissions),
};

/** Reads what an export wrote; says what is wrong and where. */
export function rulesFromJson(text: string): readonly Rule[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`Not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  const list = Array.isArray(read) ? read : (read as { acls?: unknown } | null)?.acls;
  if (!Array.isArray(list)) throw new Error('Expected a list of rules, or an object with the list `acls`.');
  if (list.length > rulesMax) throw new Error(`More than ${rulesMax} rules; split the import.`);
  return list.map((entry: unknown, index) => ruleFrom(entry, index + 1));
}

function ruleFrom(entry: unknown, number: number): Rule {
  if (typeof entry !== 'object' || entry === null) throw new Error(`Rule ${number} is not an object.`);
  const given = { host: '*', pattern_type: 'LITERAL', permission_type: 'ALLOW', ...entry } as Record<
    string,
    unknown
  >;
  const unknownName = Object.keys(given).find((name) => !(fields as readonly string[]).includes(name));
  if (unknownName !== undefined) throw new Error(`Rule ${number}: unknown field ${unknownName}.`);
  for (const field of fields) {
    const value = given[field];
    if (typeof value !== 'string' || value === '') throw new Error(`Rule ${number}: ${field} is missing.`);
    const known = words[field];
    if (known !== undefined && !known.includes(value))
      throw new Error(`Rule ${number}: ${field} is ${value}; use one of ${known.join(', ')}.`);
  }
  return given as unknown as Rule;
}
