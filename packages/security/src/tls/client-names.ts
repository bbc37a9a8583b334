import { compileRewrite } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { problemOfPrincipalName } from '@weir/core';
import type { CertificateNames } from './certificate-names.ts';
import { spiffeIdOf } from './spiffe-id.ts';

/**
 * How a certificate's distinguished name becomes a user name: the first rule whose pattern matches the whole name wins.
 * `default` takes the name unchanged. These are Kafka's `ssl.principal.mapping.rules`.
 */
export type NameRule =
  | { readonly kind: 'default' }
  | {
      readonly kind: 'rule';
      /** An RE2 regular expression. */
      readonly pattern: string;
      /** May reference groups of the pattern as `$1`. */
      readonly replacement: string;
      /** Whether the result is turned into lower (`L`) or upper (`U`) case. */
      readonly letterCase: 'L' | 'U' | '';
    };

interface ClientNamesOptions {
  readonly rules: readonly NameRule[];
  /**
   * Whether a SPIFFE id in a certificate is the user name. It takes precedence over the subject, which such
   * certificates often lack.
   */
  readonly takesSpiffeIds: boolean;
}

type ClientName = { readonly username: string } | { readonly problem: string };

/** Returns the user name of a certificate. */
export type NameOfCertificate = (names: Pick<CertificateNames, 'subject' | 'uris'>) => ClientName;

/** Throws if a rule is invalid, so that the operator learns of it at the start. */
export function clientNames({ rules, takesSpiffeIds }: ClientNamesOptions): NameOfCertificate {
  const rewrites = rules.map(rewriteOf);
  return ({ subject, uris }) => {
    if (takesSpiffeIds) {
      const spiffe = spiffeIdOf(uris);
      if ('problem' in spiffe) return spiffe;
      if (spiffe.id !== undefined) return checked(spiffe.id.text, 'the SPIFFE id');
    }
    if (subject === '') return { problem: 'certificate has no subject for the user name' };
    if (subject.length > clusterLimits.patternTextCharsMax) {
      return {
        problem: `subject of ${subject.length} characters exceeds the limit of ${clusterLimits.patternTextCharsMax}`,
      };
    }
    for (const rewrite of rewrites) {
      const username = rewrite(subject);
      if (username === undefined) continue;
      return checked(username, `the user name from ${JSON.stringify(subject)}`);
    }
    return { problem: `no rule of -mtlsPrincipalMappingRules matches ${subject}` };
  };
}

function checked(username: string, what: string): ClientName {
  const problem = problemOfPrincipalName(username);
  return problem === undefined ? { username } : { problem: `${what} ${problem}` };
}

function rewriteOf(rule: NameRule): (subject: string) => string | undefined {
  if (rule.kind === 'default') return (subject) => subject;
  const rewrite = compileRewrite(rule.pattern, rule.replacement);
  if (rewrite.problem !== undefined) throw new Error(`-mtlsPrincipalMappingRules: ${rewrite.problem}`);
  return (subject) => {
    const username = rewrite.apply(subject);
    if (rule.letterCase === 'L') return username?.toLowerCase();
    if (rule.letterCase === 'U') return username?.toUpperCase();
    return username;
  };
}
