import type { AccessQuestion } from './acl-rule.ts';

interface Denial {
  /** The latest. */
  readonly time: string;
  /** How often, with the denials that were left out of the events. */
  readonly times: number;
  readonly question: AccessQuestion;
}

/** A credential is shown by the name that a user gave to it; its username is generated. */
function shownPrincipal(principal: string, credentialName: unknown): string {
  return typeof credentialName === 'string' && credentialName !== '' ? `User:${credentialName}` : principal;
}

/** Each denial once with its number, the newest first. Events are given newest first. */
export function denialsIn(
  events: readonly { readonly time: string; readonly data?: Readonly<Record<string, unknown>> | undefined }[],
): readonly Denial[] {
  const found = new Map<string, Denial>();
  for (const { time, data } of events) {
    if (typeof data?.principal !== 'string' || typeof data.resource_name !== 'string') continue;
    const question = {
      principal: shownPrincipal(data.principal, data.credential_name),
      operation: data.operation as AccessQuestion['operation'],
      resource_type: data.resource_type as AccessQuestion['resource_type'],
      resource_name: data.resource_name,
    };
    const key = JSON.stringify(question);
    const { suppressed } = data;
    const times = typeof suppressed === 'number' && suppressed > 0 ? 1 + suppressed : 1;
    const known = found.get(key);
    found.set(key, { time: known?.time ?? time, times: (known?.times ?? 0) + times, question });
  }
  return [...found.values()];
}
