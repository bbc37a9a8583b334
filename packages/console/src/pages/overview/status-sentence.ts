import type { StatusKind } from '../../ui/status.tsx';

interface Findings {
  readonly agents: number | undefined;
  /** The severities of the diagnostics that fail. */
  readonly failing: readonly string[] | undefined;
  /** How many consumer groups fall behind. */
  readonly behind: number;
}

/** The state of a cluster in one sentence, the worst first. */
export function statusSentence({ agents, failing, behind }: Findings): { kind: StatusKind; text: string } {
  if (agents === undefined || failing === undefined) return { kind: 'muted', text: 'Looking …' };
  if (agents === 0) return { kind: 'fail', text: 'No agents call in, so that clients cannot connect.' };
  const grave = failing.filter((severity) => severity === 'critical' || severity === 'high').length;
  const lag =
    behind === 0
      ? ''
      : behind === 1
        ? ' 1 group is falling behind.'
        : ` ${behind} groups are falling behind.`;
  if (grave > 0) return { kind: 'fail', text: `${counted(grave, 'grave problem')}.${lag}` };
  if (failing.length > 0)
    return { kind: 'warn', text: `Works, with ${counted(failing.length, 'problem')}.${lag}` };
  return { kind: behind === 0 ? 'ok' : 'warn', text: `Healthy.${lag}` };
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
