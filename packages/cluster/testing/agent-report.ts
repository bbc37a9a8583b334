import type { AgentReport } from '../src/calls/agents/agent-report.ts';

/** The first report of an agent that has just started. */
export function agentReport(nowMs: number, facts: Partial<AgentReport> = {}): AgentReport {
  return { startedMs: nowMs, number: 1, sinceNumber: 0, spanMs: 20_000, nowMs, ...facts };
}
