import { coreLimits } from './limits.ts';

/** The user of a client that has not authenticated, as in Apache Kafka. */
export const anonymousName = 'ANONYMOUS';
/** The wildcard of ACLs. */
const everyName = '*';
/** Characters that show as nothing, as another line or backwards, in ACLs, logs and headers. */
const hiddenCharacter = /[\p{Cc}\p{Cs}\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/**
 * Returns why a name from outside cannot be the name of a user, in words that follow the name: tokens, certificates,
 * proxies, headers and administrators name users, and ACLs and quotas are about names.
 */
export function problemOfPrincipalName(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > coreLimits.principalNameCharsMax)
    return `has more than ${coreLimits.principalNameCharsMax} characters`;
  if (hiddenCharacter.test(name)) return 'has a control character';
  if (name === anonymousName) return `is ${anonymousName}, the name of clients that have not authenticated`;
  if (name === everyName) return `is ${everyName}, which stands for all users in ACLs`;
  return undefined;
}
