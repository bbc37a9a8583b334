import { isIP } from 'node:net';
import { coreLimits, type QuotaEntityType, quotaEntityTypes } from '@weir/core';
import type { QuotaEntity } from '../calls/principal-calls.ts';

/** Returns the key of an entity's key-value entry. The parts have a fixed order, so an entity has one key. */
export function quotaEntityKey(entity: QuotaEntity): string {
  const parts = quotaEntityTypes.flatMap((type) => {
    const part = entity.find((one) => one.type === type);
    return part === undefined ? [] : [[type, part.name]];
  });
  return JSON.stringify(parts);
}

export function quotaEntityOf(key: string): QuotaEntity {
  return (JSON.parse(key) as [QuotaEntityType, string | null][]).map(([type, name]) => ({ type, name }));
}

/** Returns what is wrong with an entity, if anything. */
export function entityProblem(entity: QuotaEntity): string | undefined {
  if (entity.length === 0)
    return 'The entity is empty; it needs a user, a client-id, both of them, or an ip.';
  const types = entity.map(({ type }) => type);
  for (const [index, { type, name }] of entity.entries()) {
    if (!isQuotaEntityType(type)) {
      return `Quotas cannot be set for ${type}; supported entity types are ${quotaEntityTypes.join(', ')}.`;
    }
    if (types.indexOf(type) !== index) return `The entity has two parts of type ${type}.`;
    if (name === '') return `The ${type} is empty.`;
    if (name !== null && name.length > coreLimits.principalNameCharsMax) {
      return `The ${type} has ${name.length} characters; at most ${coreLimits.principalNameCharsMax}.`;
    }
    // Each agent would have to resolve a host name, with possibly different results.
    if (type === 'ip' && name !== null && isIP(name) === 0) return `"${name}" is not an IP address.`;
  }
  if (types.includes('ip') && types.length > 1)
    return 'An ip has quotas by itself, not with a user or client-id.';
  return undefined;
}

export function isQuotaEntityType(type: string): type is QuotaEntityType {
  return (quotaEntityTypes as readonly string[]).includes(type);
}
