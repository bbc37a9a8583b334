import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { clusterNamePattern, clusterNameRule } from './cluster-rules.ts';
import { id } from './ids.ts';
import { apiLimits } from './limits.ts';
import { topicNamePattern, topicNameRule } from './topic-rules.ts';

/** Kinds of field that several operations share, each with its limit. Operations add their meaning with `describe`. */

/** Text that can be stored and shown anywhere: no control characters and no lone surrogates. */
export const plainText = /^[^\p{Cc}\p{Cs}]*$/u;

export function text(charsMax: number = apiLimits.apiTextCharsMax, charsMin = 0) {
  return z
    .string()
    .min(charsMin)
    .max(charsMax)
    .regex(plainText, { error: 'has control characters or broken Unicode' });
}

/** Text that may have several lines; only in answers. */
export function prose(charsMax: number = apiLimits.apiTextCharsMax) {
  return z.string().max(charsMax);
}

/** A text of several lines from a caller: characters that every database can store, without lone surrogates. */
export function document() {
  return z
    .string()
    .min(1)
    .max(apiLimits.pipelineConfigurationBytesMax)
    .refine((found) => !/[^\t\n\r\P{Cc}]|\p{Cs}/u.test(found), {
      error: 'has control characters or broken Unicode',
    });
}

export function word(pattern: RegExp, charsMax: number, rule: string) {
  return z.string().max(charsMax).regex(pattern, { error: rule });
}

export function list<Item extends z.ZodType>(item: Item, itemsMax: number, itemsMin = 0) {
  return z.array(item).min(itemsMin).max(itemsMax);
}

/** An object with keys that the caller chooses. */
export function dictionary<Key extends z.ZodString, Value extends z.ZodType>(
  key: Key,
  value: Value,
  entriesMax: number,
) {
  return z
    .record(key, value)
    .refine((found) => Object.keys(found).length <= entriesMax, {
      error: `has more than ${entriesMax} entries`,
    })
    .meta({ maxProperties: entriesMax });
}

/** Accepts an empty text for an absent value, as other programs send it. */
export function emptyForNone<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.literal('').transform(() => undefined), schema]).optional();
}

/** An RFC 3339 time in UTC. Servers write it with `timeText`. */
export function time() {
  return z.iso.datetime({ error: 'is not a time such as 2026-01-31T12:00:00Z' }).max(35);
}

/** A time from a caller, with any offset. */
export function timeOfCaller() {
  return z.iso
    .datetime({ offset: true, error: 'is not a time such as 2026-01-31T12:00:00Z or …T13:00:00+01:00' })
    .max(40);
}

const int64Max = 2n ** 63n - 1n;

/**
 * A duration in nanoseconds. In JSON it is an integer of any size; callers may also send decimal text, because not
 * every language has such integers. Here it is a number while that is exact and a bigint beyond.
 */
export type Nanoseconds = number | bigint;

/** Marks the field as a 64-bit integer for the generated JSON Schema. */
export const int64Mark = 'int64';

export function nanoseconds({ min = 0n }: { readonly min?: bigint } = {}) {
  return z
    .union([z.bigint(), z.int(), z.string().regex(/^\d{1,19}$/, { error: 'is not a whole number' })])
    .transform((value) => BigInt(value))
    .refine((value) => value >= min && value <= int64Max, { error: `is not from ${min} to ${int64Max}` })
    .transform((value): Nanoseconds => shortest(value))
    .meta({ wire: int64Mark, minimum: Number(min) });
}

/** Returns the form that `parseJson` would give. */
export function shortest(value: bigint): Nanoseconds {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The same in an answer, where it is never text. */
export function nanosecondsField() {
  return z.union([z.int(), z.bigint()]).meta({ wire: int64Mark });
}

/** A secret that a caller sends. It is neither logged nor audited. */
export function secret(charsMin: number, charsMax: number) {
  return text(charsMax, charsMin).meta({ format: 'password', writeOnly: true });
}

/** A secret that is returned once. */
export function secretField(charsMax: number) {
  return z.string().max(charsMax).meta({ format: 'password', readOnly: true });
}

/** `aks_` and 64 hex digits. */
export const apiKeySecretChars = 68;

export function integer(min: number, max: number) {
  return z.int().min(min).max(max);
}

export function count(max: number = Number.MAX_SAFE_INTEGER) {
  return integer(0, max);
}

/** A switch that is off if it is omitted. */
export function flag(description: string) {
  return z.boolean().default(false).describe(description);
}

/** ASCII only: addresses that look alike, or become equal in lower case, would let one person sign in as another. */
export function emailAddress() {
  return word(
    /^[!-?A-~]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,187}[a-zA-Z0-9])?$/,
    apiLimits.emailCharsMax,
    'is not a valid e-mail address',
  );
}

export const passwordCharsMin = 12;

/** A password that a user chooses. */
export function newPassword() {
  return secret(passwordCharsMin, apiLimits.passwordCharsMax);
}

export function httpsUrl() {
  return word(
    /^https:\/\/[^\s\p{Cc}\p{Cs}]+$/u,
    apiLimits.apiUrlCharsMax,
    'is not a URL that begins with https://',
  );
}

/** The name of a workspace or a role. */
export function displayName(charsMax: number) {
  return word(
    /^[a-zA-Z0-9 _-]{3,}$/,
    charsMax,
    `is not 3 to ${charsMax} letters, digits, spaces, underscores and hyphens`,
  );
}

/** With room for the prefix, which callers may omit. */
export function clusterName() {
  return word(clusterNamePattern, 135, clusterNameRule);
}

/** As in Apache Kafka. */
export function topicName() {
  return word(topicNamePattern, 249, topicNameRule);
}

export const topicNameField = () => text(249);

/** Kafka's own ids are UUIDs; their encoding is not checked further. */
export const topicId = () => word(/^[a-zA-Z0-9_-]{1,64}$/, 64, 'is not the id of a topic');

export const clusterId = () => id('cluster').describe('The virtual cluster.');

export const workspaceFilter = () =>
  id('workspace').optional().describe('Only this workspace; by default, all that you can access.');

const configName = () => word(/^[a-zA-Z0-9._-]{1,256}$/, 256, 'is not the name of a config');

/** Configs by name; the operation defines the effect of `null`. Some clients send `null` instead of an empty object. */
export function configsGiven() {
  return dictionary(
    configName(),
    text(coreLimits.configTextCharsMax).nullable(),
    apiLimits.configsPerRequestMax,
  )
    .nullish()
    .transform((configs) => configs ?? {});
}

export function configsField() {
  return dictionary(
    configName(),
    prose(coreLimits.configTextCharsMax).nullable(),
    apiLimits.configsPerRequestMax,
  );
}

/** A position in a paged list. */
export function cursor() {
  return word(/^[a-zA-Z0-9_-]+$/, apiLimits.apiCursorCharsMax, 'is not a cursor of an earlier response');
}

/** The input of a paged list. */
export function pageInput(rowsDefault: number) {
  return {
    limit: integer(1, apiLimits.apiPageRowsMax)
      .default(rowsDefault)
      .describe('The maximum number to return.'),
    cursor: cursor()
      .optional()
      .describe('`next_cursor` of the previous response; omit it for the first page.'),
  };
}

/** The last fields of its answer. */
export const pageOutput = {
  next_cursor: cursor().nullable().describe('The cursor of the next page, or `null` after the last.'),
};

/** Ids in examples. */
const exampleUuid = (last: string) => `0f1e2d3c_4b5a_4968_8776_0000000000${last}`;
export const examples = {
  account: `ti_${exampleUuid('01')}`,
  workspace: `wi_${exampleUuid('02')}`,
  user: `ui_${exampleUuid('03')}`,
  role: `pri_${exampleUuid('04')}`,
  key: `aki_${exampleUuid('05')}`,
  keySecret: `aks_${'0123456789abcdef'.repeat(4)}`,
  cluster: `vci_${exampleUuid('06')}`,
  pool: `api_${exampleUuid('07')}`,
  credential: `cci_${exampleUuid('08')}`,
  federation: `wif_${exampleUuid('09')}`,
  sso: `ssoi_${exampleUuid('0a')}`,
  invitation: `ivi_${exampleUuid('0b')}`,
  session: `si_${exampleUuid('0c')}`,
  audit: `aei_${exampleUuid('0d')}`,
  pipeline: `pi_${exampleUuid('10')}`,
  pipelineConfiguration: `pci_${exampleUuid('11')}`,
  eventView: `evi_${exampleUuid('12')}`,
  secret: `sci_${exampleUuid('13')}`,
  alert: `ali_${exampleUuid('14')}`,
  alertChannel: `aci_${exampleUuid('15')}`,
  agent: '0f1e2d3c-4b5a-4968-8776-00000000000e',
  topicId: '0f1e2d3c-4b5a-4968-8776-00000000000f',
  time: '2026-01-31T12:00:00Z',
} as const;
