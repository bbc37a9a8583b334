import { counted } from '../../format/format.ts';
import type { StatusKind } from '../../ui/status.tsx';

interface Findings {
  readonly agents: number | undefined;
  /** The severities of the diagnostics that fail. */
  readonly failing: readonly string[] | undefined;
  /** How many consumer groups or tables fall behind. */
  readonly behind: number;
  readonly of?: 'group' | 'table';
}

const withoutAgents = { group: 'clients cannot connect', table: 'no table is written' } as const;

/** The state of a cluster in one sentence, the worst first. */
export function statusSentence({ agents, failing, behind, of = 'group' }: Findings): {
  kind: StatusKind;
  text: string;
} {
  if (agents === undefined || failing === undefined) return { kind: 'muted', text: 'Loading …' };
  if (agents === 0) return { kind: 'fail', text: `No agents connected: ${withoutAgents[of]}.` };
  const severe = failing.filter((severity) => severity === 'critical' || severity === 'high').length;
  const lag = behind === 0 ? '' : ` ${counted(behind, of)} ${behind === 1 ? 'is' : 'are'} falling behind.`;
  if (severe > 0) return { kind: 'fail', text: `${counted(severe, 'high-severity problem')}.${lag}` };
  if (failing.length > 0)
    return { kind: 'warn', text: `${counted(failing.length, 'problem')}, none of high severity.${lag}` };
  return { kind: behind === 0 ? 'ok' : 'warn', text: `Healthy.${lag}` };
}
