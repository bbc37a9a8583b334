import type { KnownPerson } from '@weir/oidc';
import type { SsoConnection } from '../accounts/sso/sso-connections.ts';
import type { SsoPerson } from '../accounts/sso/sso-sign-ins.ts';
import { controlPlaneLimits } from '../limits.ts';

type Claims = KnownPerson['claims'];
type Wanted = Pick<SsoConnection, 'hasRoleMapping' | 'roleClaim'>;

/** Returns the claims that a sign-in needs. It queries the issuer only if the token lacks them. */
export async function personOf(known: KnownPerson, connection: Wanted): Promise<SsoPerson> {
  const { hasRoleMapping, roleClaim } = connection;
  const isEnough =
    textIn(known.claims.email) !== undefined && (!hasRoleMapping || known.claims[roleClaim] !== undefined);
  const claims = isEnough ? known.claims : await known.allClaims();
  return { issuer: known.issuer, subject: known.subject, ...readClaims(claims, connection) };
}

export function readClaims(
  claims: Claims,
  { hasRoleMapping, roleClaim }: Wanted,
): Omit<SsoPerson, 'issuer' | 'subject'> {
  const email = textIn(claims.email)?.trim();
  return {
    email,
    // Some issuers send it as text.
    isEmailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: textIn(claims.name) ?? textIn(claims.preferred_username) ?? email ?? '',
    roleNames:
      hasRoleMapping && Object.hasOwn(claims, roleClaim) ? roleNamesIn(claims[roleClaim]) : undefined,
  };
}

/** One name, or a list of them. Other values are ignored. */
function roleNamesIn(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim)
    ? claim.slice(0, controlPlaneLimits.ssoRoleValuesMax)
    : [claim];
  return values.filter((value) => typeof value === 'string');
}

function textIn(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}
