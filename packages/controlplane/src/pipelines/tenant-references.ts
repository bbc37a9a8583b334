import { type ValuePath, withSubject } from '@weir/api';
import { coreLimits, problemOfSecretReferences, secretNamesIn } from '@weir/core';
import type { ConfigurationProblem, TextPlace, YamlValue } from '@weir/pipelines/yaml';
import { bucketPlace, placesOf, StoreError } from '@weir/storage';
import type { ConfigurationRules } from './configuration-rules.ts';

/** A field that names a variable of the environment. */
export const variableKey = /_env(?:_var)?$/i;
/** Fields with addresses that have no scheme. */
const addressesKey = /^(?:addresses|seed_brokers|brokers|bootstrap_servers|hosts|servers)$/i;
/** A field that says where something is sent. */
export const addressKey = /url|uri|host|address|broker|server|endpoint|proxy|bucket$/i;
const bucketKey = /bucket_url$/i;
/**
 * A variable in a text: `${NAME}` or `${NAME:default}`, but no reference to a secret. Twice the brackets are the text
 * itself.
 */
const interpolation = /\$\{\s{0,8}(?!secret\s{0,8}:)([A-Za-z_]\w{0,200})\s{0,8}[:}]/g;
/** A variable in a mapping. */
const environmentCall = /\benv\s{0,8}\(\s{0,8}(?:["']([^"']{0,200})["']\s{0,8}\))?/g;
const urlInText = /\b([a-z][a-z0-9+.-]{0,30}):\/\/([^\s/?#"'`,;<>\\]{1,300})/gi;
/** What follows these schemes is the name of a bucket, or a path. */
const bucketSchemes: ReadonlySet<string> = new Set(['s3', 'gs', 'azblob', 'mem', 'file', 'sqlite']);

interface Found {
  readonly place: TextPlace;
  readonly path: ValuePath;
  readonly rule: string;
}

type Access = ConfigurationRules & Required<ReferenceOptions>;

interface ReferenceOptions {
  /** Whether agents put a prefix of their own before the names of variables, so that no other can be named. */
  readonly hasOwnVariables?: boolean;
}

/**
 * Returns the variables, hosts and buckets that a configuration of any type names and may not. A name of a host is not
 * resolved here: agents check its addresses when they connect.
 */
export function tenantReferenceProblems(
  root: YamlValue,
  rules: ConfigurationRules,
  { hasOwnVariables = false }: ReferenceOptions = {},
): ConfigurationProblem[] {
  const access = { ...rules, hasOwnVariables };
  const found: Found[] = [];
  collect(root, [], access, found);
  let referenceCount = 0;
  for (const text of textsIn(root)) referenceCount += countReferences(text);
  if (referenceCount > coreLimits.secretReferencesMax)
    found.push({
      place: root.place,
      path: [],
      rule: `has more than ${coreLimits.secretReferencesMax} references to secrets`,
    });
  return found.map(({ place, path, rule }) => ({ place, message: withSubject(path, rule) }));
}

/** Returns all texts of a configuration but keys. */
export function textsIn(value: YamlValue, found: string[] = []): readonly string[] {
  switch (value.kind) {
    case 'list':
      for (const item of value.items) textsIn(item, found);
      break;
    case 'mapping':
      for (const { value: inner } of value.entries) textsIn(inner, found);
      break;
    case 'scalar':
      if (typeof value.value === 'string') found.push(value.value);
  }
  return found;
}

function collect(value: YamlValue, path: ValuePath, access: Access, found: Found[]): void {
  switch (value.kind) {
    case 'list':
      for (const [index, item] of value.items.entries()) collect(item, [...path, index], access, found);
      return;
    case 'mapping': {
      const port = value.entries.find(({ key }) => key === 'port')?.value;
      for (const { key, place, value: inner } of value.entries) {
        for (const rule of variableRules(key, access)) found.push({ place, path, rule });
        if (countReferences(key) > 0)
          found.push({ place, path, rule: 'has a reference to a secret in the name of a field' });
        if (key === 'hostname' && inner.kind === 'scalar' && typeof inner.value === 'string') {
          const number = port?.kind === 'scalar' && typeof port.value === 'number' ? port.value : undefined;
          const rule = access.hosts.problemOf(inner.value, number);
          if (rule !== undefined) found.push({ place: inner.place, path: [...path, key], rule });
        }
        collect(inner, [...path, key], access, found);
      }
      return;
    }
    case 'scalar': {
      const { place, value: text } = value;
      if (typeof text !== 'string') return;
      // An item of a list is about what its list is.
      const key = String(path.findLast((segment) => typeof segment === 'string') ?? '');
      const [first] = [...rulesOf(key, text, access)];
      if (first !== undefined) found.push({ place, path, rule: first });
    }
  }
}

function* rulesOf(key: string, text: string, access: Access): Generator<string> {
  if (variableKey.test(key)) {
    if (access.hasOwnVariables) return;
    const rule = access.variables.problemOf(text);
    if (rule !== undefined) yield rule;
    return;
  }
  yield* variableRules(text, access);
  yield* secretRules(text, access);
  if (bucketKey.test(key)) {
    const rule = problemOfBucket(text, access);
    if (rule !== undefined) yield rule;
    return;
  }
  if (addressesKey.test(key)) {
    for (const part of text.split(',')) if (!part.includes('://')) yield* hostRules(part.trim(), access);
  }
  for (const [, scheme, authority] of text.matchAll(urlInText)) {
    if (!bucketSchemes.has(scheme!.toLowerCase())) yield* hostRules(authority!, access);
  }
}

function* variableRules(text: string, { variables }: ConfigurationRules): Generator<string> {
  for (const [, name] of text.matchAll(interpolation)) {
    const rule = variables.problemOf(name!);
    if (rule !== undefined) yield rule;
  }
  for (const [, name] of text.matchAll(environmentCall)) {
    const rule =
      name === undefined
        ? 'computes the name of a variable; write the name itself'
        : variables.problemOf(name);
    if (rule !== undefined) yield rule;
  }
}

function* secretRules(text: string, { secretNames }: ConfigurationRules): Generator<string> {
  const problem = problemOfSecretReferences(text);
  if (problem !== undefined) yield problem;
  for (const name of secretNamesIn([text]))
    if (secretNames?.has(name) !== true)
      yield `refers to the secret ${name}, which does not exist in the cluster; create it with create_secret`;
}

function countReferences(text: string): number {
  return text.match(/\$\{\s{0,8}secret\s{0,8}:/g)?.length ?? 0;
}

/** `host`, `host:port` or either after a user and a password. One that is computed is checked by agents alone. */
function* hostRules(authority: string, { hosts }: ConfigurationRules): Generator<string> {
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const [, inBrackets, name, port] = /^(?:\[([^\]]+)\]|([^:[\]{}$]+))(?::(\d{1,5}))?$/.exec(place) ?? [];
  const host = inBrackets ?? name;
  if (host === undefined) return;
  const rule = hosts.problemOf(host, port === undefined ? undefined : Number(port));
  if (rule !== undefined) yield rule;
}

/** Agents write there with their own credentials, so that only the bucket and its server are the tenant's to choose. */
function problemOfBucket(text: string, { hosts }: ConfigurationRules): string | undefined {
  if (text.includes('${')) return undefined;
  try {
    for (const { scheme, server, access } of placesOf(bucketPlace(text))) {
      if (scheme !== 's3' && scheme !== 'gs' && scheme !== 'azblob')
        return 'is not a bucket that a configuration may name; use s3://, gs:// or azblob://';
      if (access !== undefined) return 'names a role; roles are chosen by the operator of the agents';
      if (!URL.canParse(server)) continue;
      const { hostname, port } = new URL(server);
      const rule = hosts.problemOf(hostname, port === '' ? undefined : Number(port));
      if (rule !== undefined) return rule;
    }
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return 'is not the URL of a bucket';
    throw error;
  }
}
