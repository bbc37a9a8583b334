import { apiLimits } from '@weir/api/limits';
import { agentAudience } from '@weir/rpc';
import * as z from 'zod';
import { isIssuer, markOf, type WorkloadIdentityBinding } from './binding.ts';
import { type ClaimRule, parseClaimRule } from './claim-rule.ts';

const lifetimeSecondsMin = 60;
const lifetimeSecondsMax = 86_400;
const lifetimeSecondsDefault = 3_600;

const nameRule = 'is 1 to 128 letters, digits, dots, dashes or underscores';
const clusterIdRule = 'is not vci_ and the rest of a cluster id';
const issuerRule = 'is not an https:// address without query and fragment';
const lifetimeRule = `is a whole number from ${lifetimeSecondsMin} to ${lifetimeSecondsMax}`;
const claimsRule = 'has to hold at least one {path, value}';

const text = z.string({ error: 'is not a text' });

const claimSchema = z
  .object({ path: text, value: text }, { error: 'is not an object with path and value' })
  .transform(({ path, value }, { addIssue }) => {
    try {
      return parseClaimRule(path, value);
    } catch (error) {
      addIssue((error as Error).message);
      return z.NEVER;
    }
  });

const bindingSchema = z.strictObject(
  {
    name: z
      .string({ error: nameRule })
      .transform((name) => name.replace(/^wif_/, ''))
      .refine((name) => /^[\w.-]{1,128}$/.test(name), { error: nameRule }),
    clusterId: z.string({ error: clusterIdRule }).regex(/^vci_\w+$/, { error: clusterIdRule }),
    issuer: z.string({ error: issuerRule }).refine(isIssuer, { error: issuerRule }),
    audience: text.min(1, { error: 'is not a text' }).optional(),
    lifetimeSeconds: z
      .int({ error: lifetimeRule })
      .min(lifetimeSecondsMin, { error: lifetimeRule })
      .max(lifetimeSecondsMax, { error: lifetimeRule })
      .default(lifetimeSecondsDefault),
    claims: z
      .array(z.unknown(), { error: claimsRule })
      .min(1, { error: claimsRule })
      .max(apiLimits.workloadClaimRulesMax, {
        error: ({ input }) =>
          `is a list of ${(input as unknown[]).length} claims; at most ${apiLimits.workloadClaimRulesMax} are allowed`,
      })
      // Their number first.
      .pipe(z.array(claimSchema)),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `${issue.keys[0]} is not one of name, issuer, clusterId, audience, claims, lifetimeSeconds`
        : 'is not a binding',
  },
);

/** Parses a list of `{name, issuer, clusterId, audience?, claims: [{path, value}], lifetimeSeconds?}`. */
export function parseBindings(text: string): WorkloadIdentityBinding[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new Error(`the file is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(found)) throw new Error('the file is not a list of bindings');
  if (found.length > apiLimits.workloadBindingsMax) {
    throw new Error(`${found.length} bindings; at most ${apiLimits.workloadBindingsMax}`);
  }
  const bindings = found.map(parseBinding);
  const names = new Set<string>();
  for (const { name } of bindings) {
    if (names.has(name)) throw new Error(`two bindings have the name ${name}`);
    names.add(name);
  }
  return bindings;
}

function parseBinding(entry: unknown, index: number): WorkloadIdentityBinding {
  const found = bindingSchema.safeParse(entry);
  if (!found.success) throw new Error(problemOf(`entry ${index + 1}`, entry, found.error));
  const { clusterId, issuer, claims: rules, lifetimeSeconds } = found.data;
  const { audience = agentAudience(clusterId) } = found.data;
  const name = `wif_${found.data.name}`;
  const mark = markOf([name, clusterId, issuer, audience, lifetimeSeconds, ...rules.flatMap(textOf)]);
  const lifetimeMs = lifetimeSeconds * 1000;
  const origin = { isReadOnly: false, isOperators: true };
  return { name, clusterId, issuer, audience, rules, lifetimeMs, ...origin, mark };
}

function problemOf(place: string, entry: unknown, { issues: [issue] }: z.ZodError): string {
  const { path, code, message } = issue!;
  if (path.length === 0 && code !== 'unrecognized_keys') return `${place} ${message}`;
  const { data: name } = bindingSchema.shape.name.safeParse((entry as { name?: unknown }).name);
  const subject = name === undefined ? place : `wif_${name}`;
  const [field, index, ...rest] = path;
  return index === undefined
    ? `${subject}: ${[...path, message].join(' ')}`
    : `${subject}: ${String(field).replace(/s$/, '')} ${Number(index) + 1}: ${[...rest, message].join(' ')}`;
}

function textOf({ path, expected, isPrefix }: ClaimRule): (string | boolean)[] {
  return [path, expected, isPrefix];
}
