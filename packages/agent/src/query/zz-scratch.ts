import { Metrics, silentLog, systemClock } from '@weir/core';
import { parseFilter } from '@weir/events';
import { stageEvents } from '../../testing/event-stage.ts';
import { QueryService } from './query-service.ts';
const s = await stageEvents();
await s.addTopic('agent_logs');
const t0 = 1_760_000_000_000;
for (let b = 0; b < 400; b++) await s.append('agent_logs', Array.from({ length: 500 }, (_, i) => ({ timeMs: t0 + b * 1000 + i, data: { log_level: i % 50 === 0 ? 'warn' : 'info', message: `request ${b}-${i} was served in ${i * 7 % 311} ms by the agent in the zone`, module: `m${i % 7}`, value: i } })));
const svc = new QueryService({ ...s, agentId: 'agent-1', answersQueries: true, writesSidecars: false, cpuCount: 2, cpuLoad: () => 0, clock: systemClock, log: silentLog, metrics: new Metrics() });
svc.start();
let n = 0;
for (const [name, filter, extra] of [['rows', '', {}], ['warn', 'data.log_level == "warn"', {}], ['timeline', 'data.value > 100', { limit: 0, timeline: { aggregation: 'count', groupBy: { path: ['data', 'module'] } } }], ['timeline again', 'data.value > 100', { limit: 0, timeline: { aggregation: 'count', groupBy: { path: ['data', 'module'] } } }], ['rare', 'data.message like "%333-444 %"', {}]] as const) {
  const request = { kind: 'search', types: [], window: { startMs: t0, endMs: t0 + 3_600_000 }, filter: parseFilter(filter).filter, order: 'desc', limit: 100, ...extra };
  let worst = 0; let last = performance.now(); const tick = setInterval(() => { const now = performance.now(); worst = Math.max(worst, now - last - 2); last = now; }, 2);
  const start = performance.now();
  const out = await s.node.runQuery({ queryId: `q${n++}`, request: Buffer.from(JSON.stringify(request)), limitMs: 30000 });
  const ms = performance.now() - start; clearInterval(tick);
  const a = out.kind === 'answered' ? JSON.parse(Buffer.from(out.answer).toString()) : out;
  console.log(name, Math.round(ms), 'ms; loop stall', Math.round(worst), 'ms', a.rows?.length, JSON.stringify(a.stats ?? a));
}
await svc.stop(); await s[Symbol.asyncDispose]();
